# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from harbor.models.task.config import EnvironmentConfig, NetworkMode, NetworkPolicy
from harbor.models.trial.paths import TrialPaths

from glovebox_sandbox import UsageError
from glovebox_sandbox.adapters._dockerfile import DockerfileError, assignments, copy_of, expand, own_image, read
from glovebox_sandbox.adapters._places import folders_of
from glovebox_sandbox.adapters.harbor import GloveboxEnvironment

NAME = "glovebox_sandbox.adapters.harbor:GloveboxEnvironment"
IMAGE = "FROM ubuntu:24.04\nWORKDIR /app\n"


def environment(folder: Path, dockerfile: str | None = IMAGE, config: dict[str, Any] | None = None,
                **options: Any) -> GloveboxEnvironment:
    context = folder / "environment"
    context.mkdir(exist_ok=True)
    if dockerfile is not None:
        (context / "Dockerfile").write_text(dockerfile)
    paths = TrialPaths(folder / "trial")
    paths.mkdir()
    return GloveboxEnvironment(context, "task", "task__1", paths, EnvironmentConfig(**config or {}), **options)


@pytest.fixture
async def env(tmp_path: Path) -> AsyncIterator[GloveboxEnvironment]:
    made = environment(tmp_path, persistent_env={"LASTING": "1"})
    await made.start(False)
    yield made
    await made.stop(True)


# ---- one trial after the other, by Harbor's own program ----


def task(folder: Path, dockerfile: str, solution: str, test: str) -> Path:
    """A task made of the template that `harbor init` copies."""
    found = importlib.util.find_spec("harbor")
    assert found and found.submodule_search_locations
    shutil.copytree(Path(found.submodule_search_locations[0]) / "cli" / "template-task", folder)
    for name in ("pytest-tests", "shared-pytest-tests"):
        shutil.rmtree(folder / name, ignore_errors=True)
    (folder / "instruction.md").write_text("Write a greeting.\n")
    (folder / "environment" / "Dockerfile").write_text(dockerfile)
    (folder / "environment" / "name.txt").write_text("Ada\n")
    (folder / "solution" / "solve.sh").write_text(solution)
    (folder / "tests" / "test.sh").write_text(test)
    return folder


def trial(folder: Path, *more: str) -> dict[str, Any]:
    """The result of a trial by the oracle, with the task's own tests."""
    harbor = os.path.join(os.path.dirname(sys.executable), "harbor")
    command = [harbor, "run", "--path", str(folder), "--agent", "oracle", "--env", NAME, "--jobs-dir", str(folder / "jobs"),
               "--quiet", "--yes", *more]
    done = subprocess.run(command, env={**os.environ, "HARBOR_TELEMETRY": "off"}, stdin=subprocess.DEVNULL, timeout=120,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    [result] = (folder / "jobs").glob("*/*/result.json")
    found: dict[str, Any] = json.loads(result.read_text())
    found["said"], found["folder"] = done.stdout, result.parent
    return found


def test_the_oracle_solves_a_task(tmp_path: Path) -> None:
    made = task(tmp_path / "greeting", "FROM ubuntu:24.04\nENV WORD=Hello\nWORKDIR /app\nCOPY name.txt .\n",
                "#!/bin/bash\necho \"$WORD, $(cat name.txt)\" > greeting.txt\n",
                "#!/bin/bash\npwd\ngrep -qx 'Hello, Ada' /app/greeting.txt && echo 1 > /logs/verifier/reward.txt\n")
    result = trial(made)
    assert result["exception_info"] is None, result["exception_info"]
    assert result["verifier_result"]["rewards"] == {"reward": 1.0}
    assert (result["folder"] / "verifier" / "test-stdout.txt").read_text() == "/app\n"


def test_a_task_that_cannot_be_carried_says_why(tmp_path: Path) -> None:
    made = task(tmp_path / "no", "FROM ubuntu:24.04\nRUN apt-get install -y cowsay\n", "true\n", "true\n")
    failed = trial(made)["exception_info"]["exception_message"]
    assert "line 2: RUN apt-get install -y cowsay" in failed and "skip_run=true" in failed


# ---- commands and files ----


async def test_commands(env: GloveboxEnvironment) -> None:
    result = await env.exec("echo $A $LASTING; pwd -P; echo err >&2; exit 3", env={"A": "a"})
    assert (result.stdout, result.stderr, result.return_code) == ("a 1\n/box/work/app\n", "err\n", 3)
    assert (await env.exec("pwd", cwd="/logs")).stdout == "/logs\n"
    assert (await env.exec("id -un", user="root")).stdout == "guest\n"
    with pytest.raises(ValueError, match="no user 'agent'; all commands run as 'guest'"):
        await env.exec("true", user="agent")
    with pytest.raises(RuntimeError, match="longer than 1 s"):
        await env.exec("sleep 20", timeout_sec=1)
    assert (await env.exec("set -o pipefail; false | true")).return_code == 1


async def test_output_as_it_comes(env: GloveboxEnvironment) -> None:
    heard: list[tuple[str, str]] = []

    async def hear(text: str, stream: str) -> None:
        heard.append((stream, text))

    with env.scoped_output_callback(hear):
        await env.exec("printf 'a\\303'; sleep 0.3; printf '\\244'; echo b >&2")
    assert "".join(text for stream, text in heard if stream == "stdout") == "aä"
    assert ("stderr", "b\n") in heard


async def test_files(env: GloveboxEnvironment, tmp_path: Path) -> None:
    given = tmp_path / "given"
    (given / "deep").mkdir(parents=True)
    (given / "deep" / "run.sh").write_text("#!/bin/sh\necho ran\n")
    (given / "deep" / "run.sh").chmod(0o755)
    (given / "empty").mkdir()
    secret = tmp_path / "secret"
    secret.write_text("secret")
    (given / "link").symlink_to(secret)
    await env.upload_dir(given, "/tests")
    assert (await env.exec("/tests/deep/run.sh; cat /tests/link")).stdout == "ran\n"
    assert await env.is_dir("/tests/empty") and await env.is_file("/tests/deep/run.sh")
    await env.upload_file(secret, "/app/sub/file")
    await env.exec("ln -s /etc/passwd /app/sub/out; mkfifo /app/sub/pipe")
    await env.download_dir("/app/sub", tmp_path / "got")
    assert sorted(path.name for path in (tmp_path / "got").iterdir()) == ["file"]
    await env.download_file("/app/sub/file", tmp_path / "new" / "file")
    assert (tmp_path / "new" / "file").read_text() == "secret"
    with pytest.raises(FileNotFoundError):
        await env.download_file("/app/none", tmp_path / "none")
    await env.download_dir_with_exclusions(source_dir="/tests", target_dir=tmp_path / "some", exclude=["deep", "link"])
    assert [path.name for path in (tmp_path / "some").iterdir()] == ["empty"]


async def test_folders_of_harbor(env: GloveboxEnvironment) -> None:
    await env.exec("echo x > /logs/agent/x; ln -s /etc /logs/artifacts/etc")
    await env.empty_dirs(["/logs/agent", "/logs/artifacts", "/tests"])
    assert (await env.exec("find /logs/agent/ /logs/artifacts/ -mindepth 1")).stdout == ""
    assert (await env.reset_dirs(remove_dirs=["/logs/verifier"], create_dirs=["/logs/verifier"])).return_code == 0


async def test_stop_and_start(tmp_path: Path) -> None:
    made = environment(tmp_path)
    with pytest.raises(RuntimeError, match="not running"):
        await made.exec("true")
    for _ in range(2):
        await made.start(True)
        assert (await made.exec("ls; touch file")).stdout == ""
    await made.stop(True)
    await made.stop(True)


async def test_a_dockerfile_is_carried_out(tmp_path: Path) -> None:
    text = ("# comment\nFROM python:3.12-slim AS base\nARG N=3\nENV A=1 B=\"two $A\" \\\n    # within\n    C=$N\n"
            "WORKDIR /task-place\nWORKDIR sub\nCOPY --chown=0:0 *.txt files/ ./\nADD [\"a.txt\", \"/data/\"]\n"
            "RUN echo $B-$C > ran && \\\n    ls > listed\nRUN [\"sh\", \"-c\", \"echo $0\", \"exec form\"]\nUSER root\n"
            "EXPOSE 80\nCMD [\"true\"]\n")
    made = environment(tmp_path, text)
    context = tmp_path / "environment"
    (context / "files" / "deep").mkdir(parents=True)
    for name in ("a.txt", "b.txt", "files/deep/c"):
        (context / name).write_text(name)
    await made.start(False)
    try:
        done = await made.exec("cat ran; ls; cat deep/c /data/a.txt; echo $B")
    finally:
        await made.stop(True)
    assert done.stdout == "two -3\na.txt\nb.txt\ndeep\nlisted\nran\nfiles/deep/ca.txttwo\n"


async def test_limits_and_network(tmp_path: Path) -> None:
    made = environment(tmp_path, config={"cpus": 1, "memory_mb": 256, "storage_mb": 100_000}, env={"MINE": "1"})
    options = made._options([])
    assert (options["cpus"], options["memory"], options["disk"]) == (1, "256m", "4096m")
    assert options["env"] == {"MINE": "1"} and options.get("net", "none") == "none"
    closed = NetworkPolicy(network_mode=NetworkMode.NO_NETWORK)
    assert environment(tmp_path, net="host", network_policy=closed)._options([])["net"] == "none"
    assert environment(tmp_path, net="host")._options([])["net"] == "host"
    await made.start(False)
    try:
        assert (await made.exec("python3 -c 'x = bytes(600 << 20)'; echo $MINE")).return_code in (0, 137)
        assert "unreachable" in (await made.exec("exec 3<>/dev/tcp/192.0.2.1/80")).stderr
    finally:
        await made.stop(True)


# ---- what is refused ----


@pytest.mark.parametrize("dockerfile, config, options, why", [
    ("FROM ghcr.io/someone/task:1\n", {}, {}, "any_image=true"),
    (None, {"docker_image": "someone/task"}, {}, "any_image=true"),
    (None, {}, {}, "has no Dockerfile"),
    ("FROM a AS b\nFROM b\n", {}, {}, "several stages"),
    (IMAGE, {"gpus": 1}, {}, "GPU"),
    (IMAGE, {"os": "windows"}, {}, "Windows"),
    (IMAGE, {}, {"backend": "docker"}, "Harbor's own 'docker'"),
    (IMAGE, {}, {"memmory": "1g"}, "did you mean 'memory'"),
    (IMAGE, {}, {"network_policy": NetworkPolicy(network_mode=NetworkMode.ALLOWLIST, allowed_hosts=["example.org"])},
     "allowlist"),
    (IMAGE, {}, {"mounts": [{"type": "bind", "source": "/etc", "target": "/x"}]}, "mounts no folders"),
])
def test_refused(tmp_path: Path, dockerfile: str | None, config: dict[str, Any], options: dict[str, Any],
                 why: str) -> None:
    with pytest.raises((ValueError, RuntimeError, FileNotFoundError, UsageError), match=why):
        environment(tmp_path, dockerfile, config, **options)


def test_several_containers(tmp_path: Path) -> None:
    environment(tmp_path)
    (tmp_path / "environment" / "docker-compose.yaml").write_text("services: {}\n")
    with pytest.raises(ValueError, match="several containers"):
        environment(tmp_path)


@pytest.mark.parametrize("line, why", [
    ("COPY --from=base /x /y", "no other option"), ("COPY ../secret /x", "leads out"), ("COPY out /x", "leads out"),
    ("COPY none /x", "no 'none'"), ("ADD https://example.org/x /x", "task's folder alone"), ("COPY x", "a source and a target"),
    ("RUN <<EOF", "here-documents"), ("ONBUILD RUN x", "does not know"), ("COPY 'x /y", "quotation"),
    ("# escape=`", "escape character"), ("USER agent", "one user"), ("COPY in /etc/x", "Read-only"),
    ("WORKDIR /usr/new", "Read-only"), ("RUN exit 7", "exit status 7")])
async def test_refused_lines(tmp_path: Path, line: str, why: str) -> None:
    (tmp_path / "secret").write_text("secret")
    made = environment(tmp_path)
    (tmp_path / "environment" / "out").symlink_to(tmp_path / "secret")
    (tmp_path / "environment" / "in").write_text("in")
    (tmp_path / "environment" / "Dockerfile").write_text(f"FROM debian\n{line}\n")
    with pytest.raises(DockerfileError, match=why):
        await made.start(False)
    assert made._box is None


async def test_other_programs_stand_for_an_image(tmp_path: Path) -> None:
    made = environment(tmp_path, "FROM someone/task\nRUN exit 7\n", any_image=True, skip_run=True)
    await made.start(False)
    assert (await made.exec("echo here")).stdout == "here\n"
    await made.stop(True)


async def test_a_task_with_an_image_alone_gets_its_folder(tmp_path: Path) -> None:
    made = environment(tmp_path, None, {"docker_image": "python:3.12", "workdir": "/srv/x"})
    (tmp_path / "environment" / "given").write_text("given")
    await made.start(False)
    try:
        assert (await made.exec("cat given; pwd")).stdout == "given/srv/x\n"
    finally:
        await made.stop(True)


# ---- the parts ----


def test_words_of_a_dockerfile(tmp_path: Path) -> None:
    lines = read("from x\nENV A=1 \\\n  B='two words'\nENV OLD the value\ncopy a /b/\n")
    assert [(line.number, line.name) for line in lines] == [(1, "FROM"), (2, "ENV"), (4, "ENV"), (5, "COPY")]
    assert assignments(lines[1]) == {"A": "1", "B": "two words"} and assignments(lines[2]) == {"OLD": "the value"}
    assert expand("$A ${B} ${C:-c} $D.", {"A": "1", "B": "2"}) == "1 2 c ."
    (tmp_path / "a").write_text("")
    assert copy_of(lines[3], tmp_path).into
    assert [own_image(name) for name in ("ubuntu:24.04", "docker.io/library/node", "ghcr.io/x/y", "x/y", None)] == [
        False, False, True, True, False]


def test_places() -> None:
    assert folders_of(["/app/src/", "/logs/agent", "/home/user/x", "/tmp/y", "data", "/var/log/a/b", "/usr/x", "/"],
                      ["/x", "/x/y"]) == ["/app", "/home/user", "/logs", "/var/log", "/x"]
