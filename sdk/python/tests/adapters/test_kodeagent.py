# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import asyncio
import inspect
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kodeagent
import pytest
from kodeagent.models import AgentPlan
from kodeagent.code_runner import CodeRunner, CodeRunnerEnv, CodeRunResult, CodeSecurityError, UnknownCodeEnvError

from glovebox_sandbox import GloveboxError
from glovebox_sandbox.adapters.kodeagent import GloveboxCodeRunner, GloveboxCodeRunnerEnv, confined
from glovebox_sandbox.address import Address, listens
from glovebox_sandbox.finding import find_program

SAFE = json.dumps({"is_secure": True, "reason": "harmless"})


@pytest.fixture(autouse=True)
def reviewed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The model that reviews code finds it harmless; it is a model's answer that the tests are not about."""
    seen: list[str] = []

    async def answer(**arguments: Any) -> str:
        seen.append(str(arguments["messages"]))
        return SAFE

    monkeypatch.setattr("kodeagent.code_reviewer.ku.call_llm", answer)
    return seen


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[GloveboxCodeRunner]:
    it = GloveboxCodeRunner("glovebox", ["os", "math"], "scripted", work_dir=str(tmp_path), timeout=5)
    yield it
    it.cleanup()


def run(runner: CodeRunner, code: str, tools: str = "") -> CodeRunResult:
    return asyncio.run(runner.run(tools, code, "task"))


def test_the_signatures_are_kodeagents() -> None:
    ours = list(inspect.signature(GloveboxCodeRunner).parameters.values())
    theirs = list(inspect.signature(CodeRunner).parameters.values())
    assert [p.name for p in ours[:-1]] == [p.name for p in theirs]
    assert [p.default for p in ours[:-1]] == [p.default for p in theirs]
    for name in ("run", "download_files_from_remote"):
        signature = inspect.signature(getattr(GloveboxCodeRunnerEnv, name))
        assert list(signature.parameters) == list(inspect.signature(getattr(CodeRunnerEnv, name)).parameters)


def test_output_errors_and_advice(runner: GloveboxCodeRunner, reviewed: list[str]) -> None:
    tools = "def double(n):\n    return 2 * n\n"
    assert run(runner, "print(double(21))", tools) == CodeRunResult("42\n", "", 0, [])
    failed = run(runner, "1 / 0")
    assert failed.return_code == 1 and "ZeroDivisionError" in failed.stderr and "divisor is 0" in failed.stderr
    assert "disallowed" in run(runner, "import socket").stderr
    assert len(reviewed) == 2
    with pytest.raises(CodeSecurityError):
        run(runner, "eval('1')")


def test_code_sees_the_working_folder_only(tmp_path: Path, runner: GloveboxCodeRunner) -> None:
    (tmp_path / "input.txt").write_text("hello")
    result = run(runner, "print(open('input.txt').read().upper())\nopen('out.txt', 'w').write('made')")
    assert result.stdout == "HELLO\n" and result.generated_files == ["out.txt"]
    assert asyncio.run(runner.download_files_from_remote(result.generated_files)) == [str(tmp_path / "out.txt")]
    assert (tmp_path / "out.txt").read_text() == "made"
    assert run(runner, f"print(open({str(Path(__file__))!r}).read())").return_code != 0


def test_a_download_follows_no_link(tmp_path: Path, runner: GloveboxCodeRunner) -> None:
    run(runner, "open('out.txt', 'w').write('made')")
    kept = tmp_path / "kept"
    kept.write_text("kept")
    (tmp_path / "out.txt").symlink_to(kept)
    asyncio.run(runner.download_files_from_remote(["out.txt"]))
    assert kept.read_text() == "kept" and not (tmp_path / "out.txt").is_symlink()


def test_downloads_are_whole_and_apart(
    tmp_path: Path, runner: GloveboxCodeRunner, caplog: pytest.LogCaptureFixture
) -> None:
    picture = bytes(range(256)) * 300
    code = "import os\nos.makedirs('deep')\nopen('a.png', 'wb').write(bytes(range(256)) * 300)\n"
    run(runner, code + "open('deep/a.png', 'w').write('other')\nos.symlink('/etc/passwd', 'link')")
    wanted = ["a.png", "deep/a.png", "missing", "link", "../x", "deep/a.png"]
    saved = asyncio.run(runner.download_files_from_remote(wanted))
    assert saved == [str(tmp_path / name) for name in ("a.png", "a-2.png", "a-2.png")]
    assert (tmp_path / "a.png").read_bytes() == picture and (tmp_path / "a-2.png").read_text() == "other"
    assert [record.getMessage().split()[0] for record in caplog.records] == ["missing", "link", "../x"]
    assert asyncio.run(runner.download_files_from_remote([])) == []


def test_a_timeout(runner: GloveboxCodeRunner) -> None:
    runner.default_timeout = 1
    result = run(runner, "for i in range(10 ** 12):\n    pass")
    assert result.return_code == 124 and "did not end in time" in result.stderr


def test_functions_run_at_the_exit_of_a_step(runner: GloveboxCodeRunner) -> None:
    code = ("import atexit, tempfile, os\nkept = tempfile.TemporaryDirectory()\n@atexit.register\ndef bye():\n"
            "    print('bye')\n    open('late.txt', 'w').write('late')\natexit.register(print, 'first', end='!\\n')\n")
    runner.allowed_imports |= {"atexit", "tempfile", "logging"}
    assert run(runner, code + "print('end')") == CodeRunResult("end\nfirst!\nbye\n", "", 0, ["late.txt"])
    assert run(runner, "print(os.path.isdir(kept.name))").stdout == "True\n", "once; and libraries' functions wait"
    failed = run(runner, code + "atexit.unregister(bye)\n1 / 0")
    assert (failed.stdout, failed.return_code) == ("first!\n", 1)
    broken = run(runner, "atexit.register(lambda: 1 / 0)")
    assert broken.return_code == 0 and "atexit callback" in broken.stderr and "ZeroDivisionError" in broken.stderr
    runner.default_timeout = 1
    assert run(runner, code + "while 1 < 2:\n    x = 1").return_code == 124
    assert run(runner, "print('next')").stdout == "next\n", "a step that is killed has no exit"


def test_the_codes_own_file(runner: GloveboxCodeRunner) -> None:
    named = run(runner, "import os\nprint(os.path.basename(__file__), os.path.isabs(__file__))\nprint(open(__file__).read())")
    assert named.stdout.startswith("task_code.py True\n") and "print(os.path.basename" in named.stdout
    assert named.generated_files == []
    died = run(runner, "print('said', flush=True)\nos.abort()")
    assert died.stdout == "said\n" and died.return_code != 0
    again = [run(runner, "import os\nprint(os.path.basename(__file__))").stdout for _ in range(2)]
    assert again[-1] == "task_code.py\n"


def test_a_program_that_does_not_compile(runner: GloveboxCodeRunner) -> None:
    """kodeagent itself finds what the parser finds; the compiler's errors have Python's exit status."""
    result = run(runner, "return 1")
    assert result.return_code == 1 and "SyntaxError: 'return' outside function" in result.stderr


def test_environments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    with pytest.raises(UnknownCodeEnvError, match="Unsupported code execution env: foo"):
        GloveboxCodeRunner("foo", [], "scripted")
    with pytest.raises(GloveboxError, match="installs no packages"):
        GloveboxCodeRunner("glovebox", [], "scripted", pip_packages="numpy, pandas;requests")
    with pytest.raises(GloveboxError, match="no container engine"):
        GloveboxCodeRunner("docker", [], "scripted", pip_packages=" ")
    with pytest.raises(GloveboxError, match="not allowed here"):
        GloveboxCodeRunner("host", [], "scripted")
    assert os.listdir(tmp_path) == []
    GloveboxCodeRunner("glovebox", [], "scripted", pip_packages=" ; ").cleanup()


def test_e2b_with_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for the service: one sandbox, one installation, variables and files of a step."""
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[4] / "tests" / "e2b"))
    standin = pytest.importorskip("standin")
    address = f"unix:{tmp_path}/g.sock"
    with standin.Standin() as service:
        command = [find_program(), "serve", "--quiet", "--listen", address]
        environment = {**os.environ, **service.variables(), "XDG_STATE_HOME": str(tmp_path)}
        (tmp_path / "work").mkdir()
        daemon = subprocess.Popen(command, env=environment)
        try:
            while not listens(Address(path=f"{tmp_path}/g.sock")) and daemon.poll() is None:
                time.sleep(0.02)
            it = GloveboxCodeRunner("e2b", ["os", "atexit"], "scripted", "some-name; other", 20, {"A": "b c"},
                                    work_dir=str(tmp_path / "work"), url=address)
            code = "import os, atexit, other\natexit.register(print, 'bye')\nx = os.environ['A']\nopen('f', 'w').write(x)"
            first = asyncio.run(it.env_impl.run(code, "task", 20))  # kodeagent itself lets no code see the environment
            second = run(it, "print(x, os.path.basename(__file__))")
            saved = asyncio.run(it.download_files_from_remote(first.generated_files))
            it.cleanup()
        finally:
            daemon.terminate()
            daemon.wait()
        starts = [json.loads(r.body[5:])["process"]["args"] for r in service.asked("envd", "POST", "process.Process/Start")]
    assert (first.stdout, first.return_code, first.generated_files) == ("bye\n", 0, ["f"]), first
    assert second.stdout == "b c task_code.py\n" and Path(saved[0]).read_text() == "b c"
    installed = [args[-2:] for args in starts if "install" in args]
    assert installed == [["other", "some-name"]]


def test_an_agent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    replies = [
        {"thought": "I compute it.", "code": "print(6 * 7)", "final_answer": None, "task_successful": False},
        {"thought": "I know it.", "code": None, "final_answer": "It is 42.", "task_successful": True},
    ]
    asked: list[str] = []

    async def answer(**arguments: Any) -> str:
        if arguments.get("component_name") == "CodeSecurityReviewer":
            return SAFE
        if arguments.get("response_format") is AgentPlan:
            return json.dumps({"steps": [{"description": "Compute it.", "is_done": False}]})
        asked.append(str(arguments["messages"]))
        return json.dumps(replies.pop(0))

    for module in ("code_reviewer", "kodeagent"):
        monkeypatch.setattr(f"kodeagent.{module}.ku.call_llm", answer)
    agent = confined(kodeagent.CodeActAgent(name="coder", model_name="scripted", max_iterations=3))

    async def play() -> list[Any]:
        return [response async for response in agent.run("What is 6 times 7?")]

    answers = [response["value"] for response in asyncio.run(play()) if response["type"] == "final"]
    agent.code_runner.cleanup()
    assert answers and "42" in str(answers[-1]) and "42" in asked[1]
    assert [name for name in os.listdir(tmp_path) if name.startswith("kodeagent_run_")] == []
