# SPDX-License-Identifier: Apache-2.0
# pyright: basic
"""Harbor: an environment for trials behind Glovebox's wall, without Docker.

    harbor run --path my-task --agent oracle --env glovebox_sandbox.adapters.harbor:GloveboxEnvironment
    harbor run ... --ek memory=4g --ek net=host

A sandbox has no image: its programs are those of this machine. A task's Dockerfile is carried out inside, line by line,
by the sandbox's ordinary user. What needs a real image is refused when the trial begins.
"""

from __future__ import annotations

import codecs
import inspect
import io
import posixpath
import tarfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from harbor.environments.base import BaseEnvironment, ExecResult
from harbor.environments.capabilities import EnvironmentCapabilities, EnvironmentResourceCapabilities

from glovebox_sandbox import SessionError
from glovebox_sandbox.core import AsyncBox, CommandResult
from glovebox_sandbox.options import check_names

from . import _dockerfile as dockerfile
from ._places import folders_of

__all__ = ["GloveboxEnvironment"]

# What Harbor's tasks, agents and verifiers expect to find or to make.
PLACES = ("/logs", "/tests", "/solution", "/runtime", "/installed-agent")
DEFAULTS = {"timeout": "1h", "memory": "2g", "disk": "1g", "pids": 512, "output_limit": "16m"}
MOST_DISK_MB = 4096  # it is in memory
NOT_HERE = ("backend", "image", "language")
FILE = "Dockerfile"
COMPOSE_FILES = ("docker-compose.yaml", "docker-compose.yml", "compose.yaml", "compose.yml")


class GloveboxEnvironment(BaseEnvironment):
    """A sandbox as an environment of Harbor.

    Options (`--ek NAME=VALUE`) are those of `Sandbox`, such as `memory`, `disk`, `pids`, `net`, `ro` and `writable`,
    and two more. `skip_run=true` leaves out the RUN lines of the Dockerfile, because this machine has what they would
    install. `any_image=true` takes this machine's programs for an image of any name.
    """

    def __init__(self, *args: Any, skip_run: bool = False, any_image: bool = False, **kwargs: Any) -> None:
        known = inspect.signature(BaseEnvironment.__init__).parameters
        own = {name: value for name, value in kwargs.items() if name not in known}
        for name in NOT_HERE:
            if name in own:
                raise ValueError(f"a sandbox of Harbor's takes no '{name}'; for a container use Harbor's own 'docker'")
        check_names({name: value for name, value in own.items() if name not in ("url", "token")})
        self._own, self._skip_run, self._any_image = own, skip_run, any_image
        self._box: AsyncBox | None = None
        self._workdir: str | None = None
        self._variables: dict[str, str] = {}
        super().__init__(*args, **{name: value for name, value in kwargs.items() if name in known})

    # ---- what Harbor asks before a trial ----

    @staticmethod
    def type() -> str:
        return "glovebox"

    @property
    def capabilities(self) -> EnvironmentCapabilities:
        return EnvironmentCapabilities(disable_internet=True)

    @classmethod
    def resource_capabilities(cls) -> EnvironmentResourceCapabilities:
        return EnvironmentResourceCapabilities(cpu_limit=True, memory_limit=True, **_fractions())

    def _validate_definition(self) -> None:
        if any((self.environment_dir / name).exists() for name in COMPOSE_FILES):
            raise ValueError("the task has several containers (docker compose), which a sandbox cannot be; "
                             "use Harbor's own 'docker'")
        # Harbor's own mounts, for its logs, are downloaded instead.
        if any(mount.get("source") and not mount["target"].startswith("/logs/") for mount in self._mounts):
            raise ValueError("a sandbox mounts no folders of yours; show them read-only with --ek ro=[\"/data\"]")
        lines = self._lines()
        image = self.task_env_config.docker_image or next((line.text for line in lines if line.name == "FROM"), None)
        if image is None:
            raise FileNotFoundError(f"{self.environment_dir} has no {FILE}, and the task names no docker_image")
        if dockerfile.own_image(image) and not self._any_image:
            raise ValueError(f"the task needs the image '{image}', and a sandbox has this machine's programs; if they "
                             "will do, add --ek any_image=true, else use Harbor's own 'docker'")

    def _lines(self) -> list[dockerfile.Line]:
        file = self.environment_dir / FILE
        if self.task_env_config.docker_image and not file.exists():
            return []
        return dockerfile.read(file.read_text()) if file.exists() else []

    # ---- the life of a sandbox ----

    async def start(self, force_build: bool) -> None:
        if self._box is not None:
            await self._box.close()
        lines = self._lines()
        self._box = await AsyncBox.create(**self._options(lines))
        try:
            for line in lines:
                await self._carry_out_or_refuse(line)
            await self._begin_work()
        except BaseException:
            await self.stop(True)
            raise

    def _options(self, lines: list[dockerfile.Line]) -> dict[str, Any]:
        config, own = self.task_env_config, dict(self._own)
        limits = {"cpus": self._effective_cpus, "memory": _mebibytes(self._effective_memory_mb),
                  "disk": _mebibytes(config.storage_mb and min(config.storage_mb, MOST_DISK_MB))}
        options = {**DEFAULTS, **{name: value for name, value in limits.items() if value is not None}, **own}
        if self._network_disabled:
            options["net"] = "none"
        elif "net" not in options:
            self.logger.info("The task may use a network, and its sandbox has none; --ek net=host gives it this "
                             "machine's.")
        named = [line.text for line in lines if line.name == "WORKDIR"] + ([config.workdir] if config.workdir else [])
        copied = [line.words()[-1] for line in lines if line.name in ("COPY", "ADD") and line.words()]
        options["writable"] = folders_of([*PLACES, *self._mount_targets(), *named, *copied], own.get("writable", ()))
        return options

    async def _begin_work(self) -> None:
        self._workdir = self.task_env_config.workdir or self._workdir
        folders = [*self._mount_targets(), *([self._workdir] if self._workdir else [])]
        for folder in folders:
            await self._open_box().mkdir(folder)
        await self._upload_environment_dir_after_start()

    async def stop(self, delete: bool) -> None:
        """Ends the sandbox. Without `delete` it stays open in the daemon, if that outlives this process."""
        box, self._box = self._box, None
        if box is None:
            return
        if delete:
            await box.close()
        else:
            self.logger.info("The sandbox stays open as session %s.", await box.detach())

    def _open_box(self) -> AsyncBox:
        if self._box is None:
            raise RuntimeError("the environment is not running; start() it first")
        return self._box

    # ---- the Dockerfile ----

    async def _carry_out_or_refuse(self, line: dockerfile.Line) -> None:
        try:
            await self._carry_out(line)
        except OSError as error:
            raise line.refuse(f"{error.strerror}: {error.filename}") from error

    async def _carry_out(self, line: dockerfile.Line) -> None:
        if line.name in ("ENV", "ARG"):
            pairs = dockerfile.assignments(line)
            variables = {"PATH": dockerfile.PATH, **self._variables}
            self._variables.update({name: dockerfile.expand(value, variables) for name, value in pairs.items()})
        elif line.name == "WORKDIR":
            self._workdir = posixpath.join(self._workdir or "/", dockerfile.expand(line.text, self._variables))
            await self._open_box().mkdir(self._workdir)
        elif line.name in ("COPY", "ADD"):
            await self._copy(line)
        elif line.name == "RUN" and not self._skip_run:
            await self._run(line)
        elif line.name == "USER" and line.text not in dockerfile.ROOT:
            raise line.refuse("a sandbox has one user")

    async def _copy(self, line: dockerfile.Line) -> None:
        copy = dockerfile.copy_of(line, self.environment_dir)
        target = posixpath.join(self._workdir or "/", dockerfile.expand(copy.target, self._variables))
        into = copy.into or await self.is_dir(target)
        for source in copy.sources:
            if source.is_dir():
                await self.upload_dir(source, target)
            else:
                await self.upload_file(source, posixpath.join(target, source.name) if into else target)

    async def _run(self, line: dockerfile.Line) -> None:
        command: Any = line.words() if line.text.startswith("[") else line.text
        result = await self._open_box().exec(command, cwd=self._workdir, env=self._variables,
                                             timeout=self.task_env_config.build_timeout_sec)
        if result.success:
            return
        said = (result.message or result.output).strip()[-600:]
        raise line.refuse(f"exit status {result.exit_code}: {said}\nIt ran inside, as an ordinary user. If this machine "
                          "has what the line installs, add --ek skip_run=true; else use Harbor's own 'docker'")

    # ---- commands and files ----

    async def exec(self, command: str, cwd: str | None = None, env: dict[str, str] | None = None,
                   timeout_sec: int | None = None, user: str | int | None = None) -> ExecResult:
        box = self._open_box()
        wanted = self._resolve_user(user)
        if wanted is not None and str(wanted) not in ("root", "0", box.user):
            raise ValueError(f"the sandbox has no user '{wanted}'; all commands run as '{box.user}'")
        send = self._output_callback() if hasattr(self, "_output_callback") else None
        outputs = {f"on_{name}": _decoded(send, name) for name in ("stdout", "stderr")} if send else {}
        result = await box.exec(["bash", "-c", command], cwd=cwd or self._workdir,
                                env={**self._variables, **(self._merge_env(env) or {})}, timeout=timeout_sec, **outputs)
        return self._result(result, timeout_sec)

    def _result(self, result: CommandResult, timeout_sec: int | None) -> ExecResult:
        if result.timed_out:
            raise RuntimeError(f"the command took longer than {timeout_sec or self._own.get('timeout', '1h')} s")
        if result.error_type == "ours":
            raise SessionError(result.message)
        stdout, stderr = (text.decode(errors="replace") for text in (result.stdout, result.stderr))
        if result.error_type == "limit" and result.message:
            stderr += f"\n{result.message}"
        return ExecResult(stdout=stdout, stderr=stderr, return_code=result.exit_code)

    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        await self._open_box().upload(source_path, target_path)

    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        """Copies what is in the folder. Links stay links: they never bring a file from outside of it."""
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w") as packed:
            packed.add(source_dir, arcname=".")
        box = self._open_box()
        await box.mkdir(target_dir)
        unpack = ["tar", "--no-same-owner", "-xf", "-", "-C", target_dir]
        (await box.exec(unpack, stdin=archive.getvalue())).raise_for_status()

    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        await self._open_box().download(source_path, target_path)

    async def download_dir(self, source_dir: str, target_dir: Path | str) -> None:
        await self._open_box().download(source_dir, target_dir)


def _fractions() -> dict[str, bool]:
    """Older releases of Harbor do not know fractions of a processor."""
    return {"fractional_cpus": True} if "fractional_cpus" in EnvironmentResourceCapabilities.model_fields else {}


def _mebibytes(number: int | None) -> str | None:
    return None if number is None else f"{number}m"


def _decoded(send: Any, stream: str) -> Callable[[bytes], Awaitable[None]]:
    decoder = codecs.getincrementaldecoder("utf-8")("replace")

    async def take(chunk: bytes) -> None:
        if text := decoder.decode(chunk):
            await send(text, stream)

    return take
