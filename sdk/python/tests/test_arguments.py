# SPDX-License-Identifier: Apache-2.0
"""Arguments that are odd or wrong, and what a sandbox does not do."""

from __future__ import annotations

import asyncio
import copy
import datetime
import decimal
import fractions
import pickle
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from glovebox_sandbox import AsyncSandbox, GloveboxError, Sandbox, SessionError, UsageError, verbs
from glovebox_sandbox.options import fields_of
from glovebox_sandbox.state import State
from glovebox_sandbox.steps import Answer, Open
from glovebox_sandbox.tools import Tools


@pytest.fixture(scope="module")
def box() -> Iterator[Sandbox]:
    with Sandbox(memory="256m") as opened:
        yield opened


@pytest.mark.parametrize("options, advice", [
    ({"tiemout": 1}, "did you mean 'timeout'"),
    ({"timeout": "5 parsecs"}, "'500ms'"),
    ({"timeout": -1}, "0 (no limit) or more"),
    ({"timeout": float("nan")}, "finite"),
    ({"memory": "lots"}, "'512m'"),
    ({"allow_imports": "numpy"}, "give a list"),
    ({"files": {"a": 1}}, "give str, bytes or a path"),
    ({"files": ["a"]}, "files is a list; give a dict"),
    ({"data": [1]}, "data is a list; give a dict"),
    ({"cpus": float("nan")}, "no form in JSON"),
    ({"stdin": "\ud800"}, "surrogate"),
    ({"stdin": b"\xff"}, "as a file"),
    ({"args": [1]}, "args has an int, 1"),
    ({"args": 5}, "give a list"),
    ({"extra": {"nonsense": 1}}, "no field 'nonsense'"),
])
def test_mistakes_say_what_to_do(box: Sandbox, options: dict[str, Any], advice: str) -> None:
    with pytest.raises(UsageError) as caught:
        box.run("1", **options)
    assert advice in str(caught.value)


def test_odd_paths_of_files(box: Sandbox) -> None:
    for name in ("./odd//a/", Path("odd/a"), b"odd/a"):
        box.files.write(name, "1")  # type: ignore[arg-type]
        assert box.files.read("odd/a") == b"1" and box.files.exists(name)  # type: ignore[arg-type]
    for path in ("../x", "a/../../x", "/etc/passwd"):
        for act in (box.files.read, box.files.exists, box.files.delete, box.files.list):
            with pytest.raises(UsageError, match="not within the workspace"):
                act(path)
        with pytest.raises(UsageError, match="not within the workspace"):
            box.files.write(path, "1")
    for nothing in (5, None, "", "a\0b"):
        with pytest.raises(UsageError, match="give a path"):
            box.files.read(nothing)  # type: ignore[arg-type]
    assert box.files.exists(".") and [file.path for file in box.files.list("odd/")] == ["odd/a"]


def test_failures_of_files_are_those_of_python(box: Sandbox) -> None:
    box.files.write("full/a", "1")
    for folder in ("full", "."):
        with pytest.raises(IsADirectoryError):
            box.files.read(folder)
        with pytest.raises(IsADirectoryError):
            box.files.write(folder, "1")
    with pytest.raises(NotADirectoryError):
        box.files.write("full/a/b", "1")
    with pytest.raises(OSError, match="not empty"):
        box.files.delete("full")
    assert box.files.exists("full/a")


def test_numbers_of_other_kinds(box: Sandbox) -> None:
    times = (fractions.Fraction(1, 2), decimal.Decimal("0.5"), datetime.timedelta(seconds=0.5))
    assert {box.run("1", timeout=time).raw["limits_set"]["timeout_ms"] for time in times} == {500}  # type: ignore[arg-type]
    assert box.run("1", cpus=fractions.Fraction(1, 2)).success  # type: ignore[arg-type]
    assert box.exec("1", timeout=None).success  # type: ignore[arg-type]


def test_what_a_program_is_given(box: Sandbox, tmp_path: Path) -> None:
    assert box.run("print(input())", stdin=b"hi").stdout == "hi\n"
    assert box.run("print(open('a').read())", files={Path("a"): "x"}).stdout == "x\n"  # type: ignore[dict-item]
    for code in (None, 5, b"1", tmp_path):
        with pytest.raises(UsageError, match="text of the program"):
            box.run(code)  # type: ignore[arg-type]
    for tools in ("abc", 5, print, [5], {"class": print}):
        with pytest.raises(UsageError, match="give a"):
            Sandbox(tools=tools)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="on_input is an int"):
        Sandbox(on_input=5)  # type: ignore[arg-type]


@pytest.mark.parametrize("copy_of", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_sandbox_is_not_copied(box: Sandbox, copy_of: Any) -> None:
    with pytest.raises(UsageError, match="fork"):
        copy_of(box)
    result = box.exec("print(1); {1: (2,)}")
    assert pickle.loads(pickle.dumps(result)) == result == copy.deepcopy(result)


def test_representations_are_short(box: Sandbox) -> None:
    events = list(box.events("print('x' * 100_000); 'y' * 100_000"))
    assert max(len(repr(event)) for event in events) < 1000
    with Sandbox(final_answer=True) as other:
        assert repr(other.exec("final_answer({'a': (1,)})")) == "<Result final_answer={'a': (1,)}>"
    for part in (box.files, box.variables, box.tools):
        assert len(repr(part)) < 200


@pytest.mark.parametrize("act", [
    lambda box, code: box.exec(code), lambda box, code: box.run(code), lambda box, code: box.batch([code] * 3),
    lambda box, code: list(box.events(code, once=True))], ids=["exec", "run", "batch", "events"])
def test_closing_ends_what_another_thread_waits_for(act: Any) -> None:
    opened = Sandbox().open()
    failures: list[BaseException] = []

    def work() -> None:
        try:
            act(opened, "import time; time.sleep(30)")
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.3)
    opened.close()
    thread.join(10)
    assert [type(error) for error in failures] == [SessionError] and "closed" in str(failures[0])


@pytest.mark.parametrize("status, body, line", [
    (404, b'{"error": {"kind": "not_found", "message": "there is no session x"}}', None),
    (200, b"", {"event": "finished", "time_ms": 1, "result": {"success": False, "error_type": "ours"}})])
def test_closing_is_the_reason_whatever_the_daemon_answers(status: int, body: bytes, line: Any) -> None:
    state = State("python", Tools(()), {})
    state.opened("x", ())
    steps = verbs.exec_cell(state, "1", {})
    assert isinstance(next(steps), Open)
    state.close()
    with pytest.raises(SessionError, match="closed before the answer arrived"):
        steps.send(Answer(status, {}, body))
        steps.send(line)
        next(steps)


@pytest.mark.parametrize("options, message", [
    ({"memry": "1g"}, "did you mean 'memory'"), ({"timeout": "5 parsecs"}, "timeout is '5 parsecs'"),
    ({"allow_imports": "math"}, "give a list")])
def test_options_are_read_at_once(options: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Sandbox(**options)


def test_options_that_exclude_each_other(box: Sandbox) -> None:
    words = "'pip': cannot be given together with environment="
    with pytest.raises(UsageError, match=words), Sandbox(environment="absent", pip="six") as both:
        both.exec("1")
    with pytest.raises(UsageError, match=words):
        box.run("1", environment="absent", pip="six")
    with pytest.raises(UsageError, match="'environment': cannot be given together with python=|'python': cannot be given together with environment="):
        box.run("1", environment="absent", python="3.12")
    with Sandbox(pip="six>99") as packages:
        error = packages.run("1", environment="absent").error
        assert error and "no environment 'absent'" in error.message, "an option of the call replaces one of the sandbox"


def test_options_of_a_run(box: Sandbox) -> None:
    with pytest.raises(UsageError, match=r"'idle' is not an option of a run.*Sandbox\(idle=...\)"):
        box.run("1", idle="5m")  # type: ignore[call-arg]


def test_options_of_a_cell(box: Sandbox) -> None:
    with pytest.raises(UsageError, match=r"'memory' is not an option of a cell.*Sandbox\(memory=...\)"):
        box.exec("1", memory="1g")  # type: ignore[call-arg]
    with pytest.raises(UsageError, match="there is no option 'memry'"):
        box.exec("1", memry="1g")  # type: ignore[call-arg]


@pytest.mark.parametrize(("word", "meant"), [
    ("timeout_sec", "timeout"), ("timeout_s", "timeout"), ("timeoutSeconds", "timeout"), ("timeout_ms", "timeout"),
    ("memory_mb", "memory"), ("memory_limit_mb", "memory"), ("mem", "memory"), ("lang", "language"), ("cpu", "cpus"),
    ("network", "net"), ("working_dir", "cwd"), ("env_vars", "env"), ("input", "stdin"), ("packages", "pip")])
def test_other_names_of_options(word: str, meant: str) -> None:
    with pytest.raises(UsageError, match=f"there is no option '{word}'; did you mean '{meant}'\\?"):
        fields_of({word: 1})


def test_batch_of_something_else(box: Sandbox) -> None:
    for programs in ("print(1)", [5]):
        with pytest.raises(UsageError, match="give"):
            box.batch(programs)  # type: ignore[list-item]


def test_values_of_python_in_cases(box: Sandbox) -> None:
    code = "def f(x):\n    return (x, {1: {2}}, 10 / len(x))"
    cases = [{"args": (b"a",), "expected": (b"a", {1: {2}}, 10.0)}, {"args": [b"a"], "expected": [b"a", {1: {2}}, 10.0]},
             {"args": [{"$type": "bytes", "text": "a"}], "expected_type": tuple},
             {"args": [b""], "expected_exception": ZeroDivisionError, "timeout": datetime.timedelta(seconds=5)}]
    assert [case.passed for case in box.test(code, cases, func="f").test_results] == [True, False, True, True]
    for wrong in ("abc", {"args": [1]}, 5, [5]):
        with pytest.raises(UsageError, match="give a"):
            box.test(code, wrong, func="f")  # type: ignore[arg-type]


def test_images_and_packages(tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text("FROM x\nCOPY a /\n")
    text = {"dockerfile": "FROM x\nCOPY a /\n"}
    assert fields_of({"dockerfile": tmp_path}) == fields_of({"dockerfile": tmp_path / "Dockerfile"}) == text
    assert fields_of({"dockerfile": text["dockerfile"], "pip": "numpy, pandas>=2", "image": None}) == {**text, "pip": ["numpy, pandas>=2"]}
    assert fields_of({"pip": ["numpy", "pandas>=2"]}) == {"pip": ["numpy", "pandas>=2"]}
    with pytest.raises(UsageError, match=r"Path\('Dockerfile'\)"):
        Sandbox(dockerfile="Dockerfile")
    for word, option in (("packages", "pip"), ("template", "image")):
        with pytest.raises(UsageError, match=f"did you mean '{option}'"):
            fields_of({word: "numpy"})
    with pytest.raises(UsageError, match="pip is an int"):
        Sandbox(pip=5)  # type: ignore[arg-type]


def test_a_jail_has_no_images(box: Sandbox) -> None:
    error = box.run("1", dockerfile="FROM x").error
    assert error is not None and "builds no images" in error.message
    with pytest.raises(GloveboxError, match="backend jail makes no images"):
        box.commit("team/prepared:1")
    with pytest.raises(UsageError, match="the image is an int"):
        box.commit(5)  # type: ignore[arg-type]

    async def commit() -> None:
        async with AsyncSandbox() as other:
            await other.commit("team/prepared:1")

    with pytest.raises(GloveboxError, match="backend jail makes no images"):
        asyncio.run(commit())
