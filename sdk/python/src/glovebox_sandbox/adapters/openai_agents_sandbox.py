# SPDX-License-Identifier: Apache-2.0
# pyright: reportIncompatibleVariableOverride=false, reportPrivateUsage=false
# (The SDK asks for such overrides, and every client of its own reaches a session as `_inner`.)
"""OpenAI Agents SDK: a sandbox client whose commands run behind Glovebox's wall, on this machine.

    from agents import Runner
    from agents.run_config import RunConfig, SandboxRunConfig
    from agents.sandbox import SandboxAgent
    from glovebox_sandbox.adapters.openai_agents_sandbox import GloveboxSandboxClient

    run = RunConfig(sandbox=SandboxRunConfig(client=GloveboxSandboxClient()))
    print((await Runner.run(SandboxAgent(name="coder"), "Count the lines of code.", run_config=run)).final_output)

It takes the place of `UnixLocalSandboxClient`, which runs commands with the rights, the files and the environment of
its own process on Linux. Here a command sees the workspace and the system's programs, no environment but the
manifest's, and no network unless the options say so.
"""

from __future__ import annotations

import asyncio
import io
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeVar

from agents.sandbox.errors import (
    ExecTimeoutError,
    ExecTransportError,
    ExposedPortUnavailableError,
    WorkspaceArchiveReadError,
    WorkspaceArchiveWriteError,
    WorkspaceReadNotFoundError,
    WorkspaceStartError,
    WorkspaceWriteTypeError,
)
from agents.sandbox.manifest import Manifest
from agents.sandbox.session.base_sandbox_session import BaseSandboxSession
from agents.sandbox.session.dependencies import Dependencies
from agents.sandbox.session.manager import Instrumentation
from agents.sandbox.session.runtime_helpers import RESOLVE_WORKSPACE_PATH_HELPER, RuntimeHelperScript
from agents.sandbox.session.sandbox_client import BaseSandboxClient, BaseSandboxClientOptions
from agents.sandbox.session.sandbox_session import SandboxSession
from agents.sandbox.session.sandbox_session_state import SandboxSessionState
from agents.sandbox.snapshot import SnapshotBase, SnapshotSpec, resolve_snapshot
from agents.sandbox.types import ExecResult, ExposedPortEndpoint, User
from agents.sandbox.util.tar_utils import UnsafeTarMemberError, validate_tar_bytes
from pydantic import Field

from glovebox_sandbox import GloveboxError
from glovebox_sandbox.core import Box

from ._openai_processes import Processes
from ._workspace_tar import without

__all__ = ["GloveboxSandboxClient", "GloveboxSandboxOptions", "GloveboxSandboxSession"]

DEFAULT_ROOT = "/workspace"  # the manifest's, when the caller named none
T = TypeVar("T")


class GloveboxSandboxOptions(BaseSandboxClientOptions):
    """What a sandbox may use. Each field is an option of `Box` of the same name; `more` has further ones.

    `timeout` is the time of a command for which the SDK names none; a daemon allows an hour unless its operator says
    otherwise.
    """

    type: Literal["glovebox"] = "glovebox"
    timeout: str | float = "1h"
    memory: str | int | None = None
    disk: str | int | None = None
    cpus: float | None = None
    pids: int | None = None
    idle: str | float | None = None
    net: Literal["none", "host"] | None = None
    ro: tuple[str, ...] = ()
    exposed_ports: tuple[int, ...] = ()
    more: dict[str, Any] = Field(default_factory=dict)

    def box_options(self) -> dict[str, Any]:
        names = ("timeout", "memory", "disk", "cpus", "pids", "idle", "net", "ro")
        return {**{name: getattr(self, name) for name in names if getattr(self, name)}, **self.more}


class GloveboxSandboxState(SandboxSessionState):
    """The state of a session: no secret and no connection. `box_id` names its sandbox, which may have ended."""

    type: Literal["glovebox"] = "glovebox"
    box_id: str = ""
    options: GloveboxSandboxOptions = Field(default_factory=GloveboxSandboxOptions)


class GloveboxSandboxSession(Processes, BaseSandboxSession):
    """A session in a sandbox of its own, which ends with the session."""

    state: GloveboxSandboxState

    def __init__(self, *, state: GloveboxSandboxState, box: Box) -> None:
        super().__init__()
        self.state = state
        self.box = box

    # ---- its life ----

    async def _prepare_backend_workspace(self) -> None:
        root = self._workspace_root_path()
        try:
            made = await asyncio.to_thread(self.box.exec, ["mkdir", "-p", "--", str(root)])
        except GloveboxError as error:
            raise WorkspaceStartError(path=root, message=str(error), cause=error) from error
        if not made.success:
            raise WorkspaceStartError(
                path=root,
                message=f"the folder {root} cannot be made in the sandbox; leave the manifest's root as it is, or "
                f"choose a folder below {self.box.workspace}",
                context={"stderr": made.stderr.decode("utf-8", "replace")},
            )

    async def running(self) -> bool:
        return await asyncio.to_thread(self.box.status) == "running"

    async def _shutdown_backend(self) -> None:
        await asyncio.to_thread(self.box.close)

    def should_provision_manifest_accounts_on_resume(self) -> bool:
        return False

    async def provision_manifest_accounts(self) -> None:
        if self.state.manifest.users or self.state.manifest.groups:
            raise ValueError("a sandbox of Glovebox has one user; leave users and groups out of the manifest")

    # ---- commands ----

    def _prepare_exec_command(
        self, *command: str | Path, shell: bool | list[str], user: str | User | None
    ) -> list[str]:
        if user is not None:
            raise ValueError("a sandbox of Glovebox has one user; leave 'user' out")
        # A login shell would replace the manifest's PATH by the system's.
        plain = ["sh", "-c"] if shell is True else shell
        words: list[str] = super()._prepare_exec_command(*command, shell=plain, user=None)
        return words

    async def _exec_internal(self, *command: str | Path, timeout: float | None = None) -> ExecResult:
        env = await self.state.manifest.environment.resolve()
        argv = [str(word) for word in command]
        cwd = str(self._workspace_root_path())

        def run() -> ExecResult:
            result = self.box.exec(argv, cwd=cwd, env=env, timeout=timeout)
            if result.timed_out:
                raise ExecTimeoutError(command=command, timeout_s=timeout)
            if result.error_type == "ours":
                raise ExecTransportError(command=command, message=result.message)
            return ExecResult(stdout=result.stdout, stderr=noted(result), exit_code=result.exit_code)

        try:
            return await asyncio.to_thread(run)
        except GloveboxError as error:
            raise ExecTransportError(command=command, message=str(error), cause=error) from error

    async def _resolve_exposed_port(self, port: int) -> ExposedPortEndpoint:
        if self.state.options.net == "host":
            return ExposedPortEndpoint(host="127.0.0.1", port=port)
        raise ExposedPortUnavailableError(
            port=port,
            exposed_ports=self.state.exposed_ports,
            reason="backend_unavailable",
            context={"backend": "glovebox", "detail": "the sandbox has no network; set net='host' in its options"},
        )

    # ---- files ----

    def _runtime_helpers(self) -> tuple[RuntimeHelperScript, ...]:
        return (RESOLVE_WORKSPACE_PATH_HELPER,)

    async def _validate_path_access(self, path: Path | str, *, for_write: bool = False) -> Path:
        inside: Path = await self._validate_remote_path_access(path, for_write=for_write)
        return inside

    async def read(self, path: Path, *, user: str | User | None = None) -> io.IOBase:
        inside = await self._validate_path_access(path)
        try:
            return io.BytesIO(await asyncio.to_thread(self.box.read, str(inside)))
        except FileNotFoundError as error:
            raise WorkspaceReadNotFoundError(path=path, cause=error) from error
        except (OSError, GloveboxError) as error:
            raise WorkspaceArchiveReadError(path=path, cause=error) from error

    async def write(self, path: Path, data: io.IOBase, *, user: str | User | None = None) -> None:
        payload = data.read()
        content = payload.encode("utf-8") if isinstance(payload, str) else payload
        if not isinstance(content, (bytes, bytearray)):
            raise WorkspaceWriteTypeError(path=path, actual_type=type(payload).__name__)
        inside = await self._validate_path_access(path, for_write=True)
        await self._changed(path, lambda: self.box.write(str(inside), bytes(content)))

    async def persist_workspace(self) -> io.IOBase:
        root = self._workspace_root_path()
        below = root.relative_to(self.box.workspace) if root.is_relative_to(self.box.workspace) else None
        if below is None:
            raise WorkspaceArchiveReadError(path=root, context={"reason": "root_outside_of_the_workspace"})
        skipped = self._persist_workspace_skip_relpaths()
        try:
            archive = await asyncio.to_thread(self.box.persist)
            return io.BytesIO(await asyncio.to_thread(without, archive, below, skipped))
        except (OSError, GloveboxError) as error:
            raise WorkspaceArchiveReadError(path=root, cause=error) from error

    async def hydrate_workspace(self, data: io.IOBase) -> None:
        root = self._workspace_root_path()
        archive = data.read()
        if not isinstance(archive, (bytes, bytearray)):
            raise WorkspaceWriteTypeError(path=root, actual_type=type(archive).__name__)
        try:
            validate_tar_bytes(bytes(archive), allow_external_symlink_targets=False)
        except UnsafeTarMemberError as error:
            context = {"reason": error.reason, "member": error.member}
            raise WorkspaceArchiveWriteError(path=root, context=context, cause=error) from error
        await self._changed(root, lambda: self._unpack(str(root), bytes(archive)))

    def _unpack(self, root: str, archive: bytes) -> None:
        if root == self.box.workspace:
            self.box.hydrate(archive)
            return
        self.box.exec(["tar", "-C", root, "-xf", "-"], stdin=archive).raise_for_status()

    async def _changed(self, path: Path, action: Callable[[], T]) -> T:
        try:
            return await asyncio.to_thread(action)
        except (OSError, GloveboxError) as error:
            raise WorkspaceArchiveWriteError(path=path, cause=error) from error


class GloveboxSandboxClient(BaseSandboxClient[GloveboxSandboxOptions | None]):
    """Makes sandboxes on this machine: `SandboxRunConfig(client=GloveboxSandboxClient())`.

    `url` and `token` name a daemon, as for `Box`. What a sandbox may use is in `GloveboxSandboxOptions`.
    """

    backend_id = "glovebox"
    supports_default_options = True

    def __init__(
        self,
        *,
        url: str | None = None,
        token: str | None = None,
        instrumentation: Instrumentation | None = None,
        dependencies: Dependencies | None = None,
    ) -> None:
        self._url, self._token = url, token
        self._instrumentation = instrumentation if instrumentation is not None else Instrumentation()
        self._dependencies = dependencies

    async def create(
        self,
        *,
        snapshot: SnapshotSpec | SnapshotBase | None = None,
        manifest: Manifest | None = None,
        options: GloveboxSandboxOptions | None = None,
    ) -> SandboxSession:
        options = options if options is not None else GloveboxSandboxOptions()
        manifest = self._validate_manifest_for_create(manifest if manifest is not None else Manifest())
        box = await self._open(options)
        if manifest.root == DEFAULT_ROOT:
            manifest = manifest.model_copy(update={"root": box.workspace}, deep=True)
        session_id = uuid.uuid4()
        state = GloveboxSandboxState(
            session_id=session_id,
            manifest=manifest,
            snapshot=resolve_snapshot(snapshot, str(session_id)),
            box_id=box.id or "",
            options=options,
            exposed_ports=options.exposed_ports,
        )
        return self._wrapped(state, box)

    async def resume(self, state: SandboxSessionState) -> SandboxSession:
        """The session that the state is of, in its sandbox if that still runs. Else in a new one, which gets the files
        of the snapshot, or the manifest's if there is no snapshot."""
        if not isinstance(state, GloveboxSandboxState):
            raise TypeError(f"the state is of '{state.type}'; resume it with the client that made it")
        state.assert_path_grants_rebound()
        box = await asyncio.to_thread(self._running, state.box_id)
        if box is not None:
            session = self._wrapped(state, box)
            session._inner._set_start_state_preserved(True)
            return session
        box = await self._open(state.options)
        state.box_id, state.workspace_root_ready = box.id or "", False
        return self._wrapped(state, box)

    def _running(self, box_id: str) -> Box | None:
        if not box_id:
            return None
        try:
            box = Box.attach(box_id, url=self._url, token=self._token)
            if box.status() == "running":
                return box
            box.close()
            return None
        except GloveboxError:
            return None

    async def delete(self, session: SandboxSession) -> SandboxSession:
        inner = session._inner
        if not isinstance(inner, GloveboxSandboxSession):
            raise TypeError("the session is of another client; delete it with the client that made it")
        await asyncio.to_thread(inner.box.close)
        return session

    def deserialize_session_state(self, payload: dict[str, object]) -> SandboxSessionState:
        return self._deserialize_session_state_payload(payload, GloveboxSandboxState)

    async def _open(self, options: GloveboxSandboxOptions) -> Box:
        try:
            return await asyncio.to_thread(
                lambda: Box.create(url=self._url, token=self._token, **options.box_options())
            )
        except GloveboxError as error:
            raise WorkspaceStartError(path=Path(DEFAULT_ROOT), message=str(error), cause=error) from error

    def _wrapped(self, state: GloveboxSandboxState, box: Box) -> SandboxSession:
        inner = GloveboxSandboxSession(state=state, box=box)
        return self._wrap_session(inner, instrumentation=self._instrumentation)


def noted(result: Any) -> bytes:
    """The standard error, and which limit ended the command."""
    if result.error_type != "limit" or not result.message:
        return bytes(result.stderr)
    return bytes(result.stderr) + f"\n{result.message}\n".encode()
