# SPDX-License-Identifier: Apache-2.0
# pyright: basic, reportIncompatibleMethodOverride=false, reportUnknownMemberType=false
"""kodeagent: a code runner behind Glovebox's wall.

    from kodeagent import CodeActAgent
    from glovebox_sandbox.adapters.kodeagent import confined

    agent = confined(CodeActAgent(name="coder", model_name="...", allowed_imports=["math"]))

`confined` gives an agent a `GloveboxCodeRunner`, which has the signature of kodeagent's `CodeRunner`. kodeagent's own
checks and its review of the code stay as they are. The code sees the files of the agent's working folder, and new
files come back into it. Variables and files last from one step to the next.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import kodeagent
from kodeagent.code_runner import CodeRunner, CodeRunnerEnv, CodeRunResult, UnknownCodeEnvError

from glovebox_sandbox import GloveboxError, PolicyError, Result, Sandbox, SessionError, local

__all__ = ["GloveboxCodeRunner", "GloveboxCodeRunnerEnv", "confined"]

logger = logging.getLogger(__name__)
MOST_INPUT_BYTES = 128 << 20
LOST = "The sandbox was started again: its variables are lost, its files are kept. Run the code anew."
# kodeagent's names of environments and this runner's own, with the options of `Sandbox` that they stand for.
ENVIRONMENTS: Mapping[str, dict[str, Any]] = {
    "glovebox": {}, "docker": {"backend": "docker"}, "e2b": {"backend": "e2b"}, "host": {"backend": "host"}}
SCRIPT = "task_code.py"  # kodeagent's name of the file with the code of a step
# In kodeagent a step is a process of its own. Here the process continues, so the functions that the code registers for
# its exit are kept apart from those of libraries, and run after the step.
PREPARE = f"""
def _at_exit():
    import atexit, os, sys, traceback
    register, unregister, functions = atexit.register, atexit.unregister, []
    libraries = tuple(folder + os.sep for folder in (sys.prefix, sys.base_prefix, os.path.dirname(os.__file__)))

    def register_own(function, /, *args, **kwargs):
        if sys._getframe(1).f_code.co_filename.startswith(libraries):
            return register(function, *args, **kwargs)
        functions.append((function, args, kwargs))
        return function

    def unregister_own(function, /):
        functions[:] = [row for row in functions if row[0] != function]
        unregister(function)

    def leave(run):
        while functions:
            function, args, kwargs = functions.pop()
            try:
                if run:
                    function(*args, **kwargs)
            except BaseException:
                print("Exception ignored in atexit callback:", function, file=sys.stderr)
                traceback.print_exc()

    atexit.register, atexit.unregister = register_own, unregister_own
    return leave, os.path.join(os.getcwd(), {SCRIPT!r})
_at_exit, __file__ = _at_exit()
"""


class GloveboxCodeRunnerEnv(CodeRunnerEnv):
    """Runs code in a session. The options are those of `Sandbox`."""

    def __init__(
        self, work_dir: str | None = None, env_vars: Mapping[str, str] | None = None, **options: Any
    ) -> None:
        super().__init__(work_dir)
        self.sandbox = Sandbox(env=dict(env_vars or {}), **options)
        self._filled = self._prepared = False
        self._names: dict[str, str] = {}  # of files that were downloaded: path and local name

    async def run(self, source_code: str, task_id: str, timeout: int) -> CodeRunResult:
        return await asyncio.to_thread(self._run, source_code, timeout)

    def _run(self, code: str, timeout: int) -> CodeRunResult:
        if not self._filled:
            self._fill()
        try:
            results = self._step(code, timeout)
        except SessionError as error:
            self.sandbox.restart()
            self._prepared = False
            return CodeRunResult("", f"{error}. {LOST}", -1, [])
        made = [file.path for result in results for file in result.files if file.change != "deleted"]
        stdout, stderr = "".join(result.stdout for result in results), "".join(map(errors_of, results))
        return CodeRunResult(stdout, stderr, status_of(results[0]), list(dict.fromkeys(made)))

    def _step(self, code: str, timeout: int) -> list[Result]:
        """The results of the code, and of the functions that it registered for its exit."""
        if not self._prepared:
            self._prepare()
        self.sandbox.files.write(SCRIPT, code)
        result = self.sandbox.exec(code, timeout=timeout)
        if result.error_type == "ours":
            result.raise_for_status()
        if not self._prepared or (result.cell is not None and result.cell.ended in ("killed", "died")):
            return [result]
        return [result, self.sandbox.exec(f"_at_exit({not result.timed_out})", timeout=timeout)]

    def _prepare(self) -> None:
        try:
            result = self.sandbox.exec(PREPARE, no_check=True)
        except PolicyError:  # the operator has every cell read
            result = self.sandbox.exec(PREPARE)
        self._prepared = result.success

    def _fill(self) -> None:
        """Brings the files of the working folder into the sandbox, and the modules that kodeagent's tools import."""
        modules = Path(kodeagent.__file__).parent
        here = [path for path in Path(self.work_dir).iterdir() if path.is_file() and not path.is_symlink()]
        paths = [*here, *(modules / name for name in self.local_modules_to_copy)]
        total = sum(path.stat().st_size for path in paths)
        if total > MOST_INPUT_BYTES:
            raise ValueError(
                f"the files in {self.work_dir} have {total} bytes; at most {MOST_INPUT_BYTES} are copied into the "
                "sandbox: choose another work_dir, or show a folder read-only with ro=[...]"
            )
        for path in paths:
            self.sandbox.files.write(path.name, path.read_bytes())
        self._filled = True

    async def download_files_from_remote(self, remote_paths: list[str]) -> list[str]:
        """Saves files in the working folder. One that cannot be had is left out, and the log says so."""
        saved = await asyncio.to_thread(lambda: [self._try_download(path) for path in remote_paths])
        return [path for path in saved if path]

    def _try_download(self, path: str) -> str | None:
        try:
            return self._download(path)
        except (GloveboxError, OSError) as error:
            logger.warning("%s is not downloaded: %s", path, error)
            return None

    def _local_name(self, path: str) -> str:
        """Its own name. Of files with equal names in several folders, the later ones get a number."""
        if path not in self._names:
            own, taken, number = PurePosixPath(path), set(self._names.values()), 1
            name = own.name
            while name in taken:
                number += 1
                name = f"{own.stem}-{number}{own.suffix}"
            self._names[path] = name
        return self._names[path]

    def _download(self, path: str) -> str:
        target = Path(self.work_dir) / self._local_name(path)
        local.write(target, self.sandbox.files.read(path))
        return str(target)

    def cleanup(self) -> None:
        """Closes the sandbox. Downloaded files stay; an empty folder that this made is removed."""
        self.sandbox.close()
        remove_if_unused(self)


class GloveboxCodeRunner(CodeRunner):
    """kodeagent's runner with a sandbox of Glovebox; further options are those of `Sandbox`.

    `env` is "glovebox", or one of kodeagent's own names for the backend of that name. A machine, daemon or backend that
    cannot run the code or install `pip_packages` is an error here, before the first step.
    """

    def __init__(
        self,
        env: str,
        allowed_imports: list[str],
        model_name: str,
        pip_packages: str | None = None,
        timeout: int = 30,
        env_vars_to_set: dict[str, str] | None = None,
        litellm_params: dict[str, Any] | None = None,
        work_dir: str | None = None,
        usage_tracker: Any = None,
        tool_names: set[str] | None = None,
        **options: Any,
    ) -> None:
        if env not in ENVIRONMENTS:
            raise UnknownCodeEnvError(f"Unsupported code execution env: {env}; there are: {', '.join(ENVIRONMENTS)}")
        options = {**ENVIRONMENTS[env], **options}
        if pip_packages and pip_packages.strip():
            options["pip"] = pip_packages
        checks = {"usage_tracker": usage_tracker, "tool_names": tool_names}
        super().__init__("host", allowed_imports, model_name, None, timeout, None, litellm_params, work_dir, **checks)
        remove_if_unused(self.env_impl)
        self.env_name: Any = env
        self.env_impl: CodeRunnerEnv = GloveboxCodeRunnerEnv(work_dir, env_vars_to_set, **options)
        if "backend" in options or "pip" in options:
            self._open(self.env_impl.sandbox)

    def _open(self, sandbox: Sandbox) -> None:
        try:
            sandbox.open()
        except BaseException:
            self.cleanup()
            raise


def confined(agent: Any, env: str = "glovebox", **options: Any) -> Any:
    """Gives an agent of kodeagent that runs code a runner with a sandbox, and returns the agent."""
    agent.code_runner.cleanup()
    remove_if_unused(agent.code_runner.env_impl)
    agent.code_runner = GloveboxCodeRunner(
        env,
        allowed_imports=agent.allowed_imports,
        model_name=agent.model_name,
        pip_packages=agent.pip_packages,
        timeout=agent.timeout,
        env_vars_to_set=agent.env_vars_to_set,
        litellm_params=agent.litellm_params,
        work_dir=agent.work_dir,
        usage_tracker=agent.usage_tracker,
        tool_names=agent.tool_names,
        **options,
    )
    return agent


def remove_if_unused(env: CodeRunnerEnv) -> None:
    """Removes the temporary folder that each of kodeagent's environments makes, if nothing is in it."""
    folder = Path(env.work_dir)
    if folder.name.startswith("kodeagent_run_") and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def status_of(result: Result) -> int:
    """The exit status; that of Python for a program that does not compile, which the sandbox refuses to start."""
    return 1 if result.verdict and result.verdict.stage == "syntax" else result.exit_code


def errors_of(result: Result) -> str:
    """The standard error, and the advice for what failed."""
    if result.success:
        return result.stderr
    advice = [line for line in result.feedback if line not in result.stderr]
    return "\n".join([result.stderr.rstrip("\n") or result.summary, *advice]).strip()
