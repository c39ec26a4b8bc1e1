# SPDX-License-Identifier: Apache-2.0
"""The options of requests, and the plain members of a result. Written by 'make schemas' from the rows of src/runs/: do
not edit."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Optional, TypedDict, Union

from .quantities import Size, Time

Content = Union[str, bytes, "os.PathLike[str]"]


class RunOptions(TypedDict, total=False):
    """Options of one run or test. A time is a number of seconds, ``"500ms"`` or a timedelta; a size is a number of
    bytes or ``"512m"``. 0 is no limit; an option that is not given keeps the daemon's default."""

    filename: str
    files: Mapping[str, Content]
    deadline: Time
    python: str
    env: Mapping[str, str]
    data: Mapping[str, object]
    optimize_data: bool
    backend: str
    image: str
    dockerfile: Union[str, "os.PathLike[str]"]
    pip: Union[str, Sequence[str]]
    environment: str
    net: str
    ro: Sequence[str]
    writable: Sequence[str]
    require: Sequence[str]
    cold: bool
    profile: Union[str, "os.PathLike[str]"]
    allow_imports: Sequence[str]
    forbid_imports: Sequence[str]
    target: str
    prelude: str
    no_check: bool
    review: bool
    timeout: Time
    cpu_time: Time
    memory: Size
    cpus: float
    pids: int
    disk: Size
    inodes: int
    open_files: int
    output_limit: Size
    retries: int
    retry_delay: Time
    extra: Mapping[str, object]


class ProgramOptions(RunOptions, total=False):
    """Options of `Sandbox.run`: those of a run, the program's arguments and input, and whether the result has the
    content of new and changed files."""

    stdin: Union[str, bytes]
    args: Sequence[str]
    collect: bool
    collect_limit: Size
    language: str
    cwd: str
    context: Mapping[str, object]
    invocation: str
    execution_id: str


class JudgeOptions(RunOptions, total=False):
    """Options of `Sandbox.test`: those of a run, and how to judge."""

    language: str
    func: str
    setup: str
    isolate: bool
    coverage: bool
    strict_stderr: bool
    compare: str
    checker: str
    checker_filename: str


class CheckOptions(TypedDict, total=False):
    """Options of `Sandbox.check`."""

    filename: str
    deadline: Time
    language: str
    profile: Union[str, "os.PathLike[str]"]
    allow_imports: Sequence[str]
    forbid_imports: Sequence[str]
    target: str
    prelude: str
    no_check: bool
    review: bool
    extra: Mapping[str, object]


class CellOptions(TypedDict, total=False):
    """Options of a cell."""

    stdin: Union[str, bytes]
    deadline: Time
    no_check: bool
    cwd: str
    timeout: Time
    cpu_time: Time


class AttemptOptions(CellOptions, total=False):
    """Options of a cell that is undone unless it succeeds. With `keep`, it is undone only if it would have ended the
    session; with `drop`, in any case."""

    keep: bool
    drop: bool


class SandboxOptions(RunOptions, total=False):
    """Options of a sandbox: those of a run, as defaults, and those of its session."""

    cwd: str
    value: str
    preload: Sequence[str]
    tools_source: str
    grace: Time
    forks: int
    pause_after: Time
    idle: Time
    name: str
    tool_timeout: Time
    final_answer: bool


# Options of a run that a session does not have.
RUN_ONLY = ("filename", "optimize_data")
# The fields that have another name than their option; the lists of strings.
FIELDS = {
    "deadline": "deadline_ms",
    "collect_limit": "collect_bytes",
    "timeout": "timeout_ms",
    "cpu_time": "cpu_time_ms",
    "memory": "memory_bytes",
    "disk": "disk_bytes",
    "output_limit": "output_limit_bytes",
    "retry_delay": "retry_delay_ms",
    "grace": "grace_ms",
    "pause_after": "pause_after_ms",
    "idle": "idle_ms",
    "tool_timeout": "tool_timeout_ms",
    "keep": "attempt_keep",
    "drop": "attempt_drop",
}
LISTS = ("args", "ro", "writable", "require", "allow_imports", "forbid_imports", "preload")
# Other programs' words, and the options and fields that they mean.
OTHER_NAMES = {
    "args_list": "args",
    "arguments": "args",
    "argv": "args",
    "code_text": "code",
    "content": "code",
    "cpu": "cpus",
    "dependencies": "pip",
    "docker_image": "image",
    "entry_point": "func",
    "env_vars": "env",
    "environment_variables": "env",
    "function": "func",
    "function_name": "func",
    "input": "stdin",
    "input_files": "files",
    "internet": "net",
    "language": "lang",
    "max_memory": "memory",
    "max_time": "timeout",
    "mem_limit": "memory",
    "memory_limit": "memory",
    "network": "net",
    "packages": "pip",
    "program": "code",
    "python_version": "python",
    "ram": "memory",
    "requirements": "pip",
    "script": "code",
    "source": "code",
    "source_code": "code",
    "stdin_text": "stdin",
    "template": "image",
    "test_cases": "cases",
    "tests": "cases",
    "time": "timeout",
    "time_limit": "timeout",
    "wall_time": "timeout",
    "workdir": "cwd",
    "working_dir": "cwd",
    "working_directory": "cwd",
}
# Options that cannot be given together.
EXCLUDES = (("pip", "environment"), ("environment", "python"))


@dataclass(frozen=True)
class PlainResult:
    """The members of a result that are numbers, strings and lists of them."""

    id: str = ""
    backend: Optional[str] = None
    language: Optional[str] = None
    started_at: Optional[str] = None
    code_sha256: Optional[str] = None
    success: bool = False
    exit_code: int = -1
    signal: Optional[int] = None
    timed_out: bool = False
    oom_killed: bool = False
    stdout: str = ""
    stdout_bytes: int = 0
    stdout_truncated: bool = False
    stdout_head_bytes: int = 0
    stdout_tail_bytes: int = 0
    stderr: str = ""
    stderr_bytes: int = 0
    stderr_truncated: bool = False
    stderr_head_bytes: int = 0
    stderr_tail_bytes: int = 0
    is_final_answer: bool = False
    duration_ms: int = 0
    cpu_ms: int = 0
    max_memory_mb: float = 0.0
    profile: Optional[str] = None
    isolation: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    attempts: int = 0
    feedback: tuple[str, ...] = ()
    advice: Optional[str] = None
    error_type: Optional[str] = None
    cancelled: bool = False
    exit_status: int = 0
    summary: str = ""
    notes: tuple[str, ...] = ()
