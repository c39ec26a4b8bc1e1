# SPDX-License-Identifier: Apache-2.0
"""OpenAI Agents SDK: commands that outlive the call that started them, with a terminal if the model wants one.

A command runs in the background of the sandbox. Its output goes to a file there, from which each call reads what is
new. Input comes through a pipe in the same folder.
"""

from __future__ import annotations

import asyncio
import shlex
import time
import uuid
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

from agents.sandbox.errors import ExecTransportError
from agents.sandbox.session.base_sandbox_session import BaseSandboxSession
from agents.sandbox.session.pty_output import collect_pty_output
from agents.sandbox.session.pty_types import (
    PTY_PROCESSES_MAX,
    PtyExecUpdate,
    allocate_pty_process_id,
    clamp_pty_yield_time_ms,
    process_id_to_prune_from_meta,
    resolve_pty_write_yield_time_ms,
)
from agents.sandbox.types import User

from glovebox_sandbox import GloveboxError
from glovebox_sandbox.core import Box

# $1 the folder of the process, the rest its command. `setsid` gives it a group of its own, which can be killed whole.
# A shell starts what is in its background with Ctrl-C ignored; `env` undoes that.
START = """
dir=$1; shift
mkdir -p "$dir" && mkfifo "$dir/in" && : > "$dir/out" || exit 125
reset='env --default-signal=INT,QUIT'; $reset true 2>/dev/null || reset=
$reset setsid sh -c 'dir=$1; shift; echo $$ > "$dir/pid"; "$@" <> "$dir/in" > "$dir/out" 2>&1
echo $? > "$dir/exit.new"; mv "$dir/exit.new" "$dir/exit"' sh "$dir" "$@" < /dev/null > /dev/null 2>&1 &
"""
# $1 the folder, $2 the number of the first byte that is new. The exit status is read first: what the command wrote
# before its end is then in the file.
POLL = 'status=$(cat "$1/exit" 2>/dev/null); tail -c "+$2" "$1/out" | head -c 262144; echo "$status" >&2'
KILL = 'kill -s KILL -- "-$(cat "$1/pid")" 2>/dev/null; rm -rf "$1"'
FOLDER = "/tmp/.glovebox-processes"
FIRST_WAIT_S, LONGEST_WAIT_S = 0.02, 0.5


@dataclass
class Process:
    """A command in the background: its folder, how much of its output was read, its exit status after its end."""

    folder: str
    tty: bool
    seen: int = 0
    exit_code: int | None = None
    wait_s: float = FIRST_WAIT_S
    last_used: float = field(default_factory=time.monotonic)
    chunks: deque[bytes] = field(default_factory=lambda: deque[bytes]())
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    notify: asyncio.Event = field(default_factory=asyncio.Event)


class Processes(BaseSandboxSession):
    """The part of a session that starts, reads, writes and kills commands in the background."""

    box: Box

    def __init__(self) -> None:
        self._processes: dict[int, Process] = {}

    def supports_pty(self) -> bool:
        return True

    async def pty_exec_start(
        self,
        *command: str | Path,
        timeout: float | None = None,
        shell: bool | list[str] = True,
        user: str | User | None = None,
        tty: bool = False,
        yield_time_s: float | None = None,
        max_output_tokens: int | None = None,
    ) -> PtyExecUpdate:
        argv = [str(word) for word in self._prepare_exec_command(*command, shell=shell, user=user)]
        if tty:
            argv = ["script", "-qefc", shlex.join(argv), "/dev/null"]
        if timeout is not None:
            argv = ["timeout", "-k", "1", str(timeout), *argv]
        process = Process(f"{FOLDER}/{uuid.uuid4().hex}", tty)
        await self._script(START, process.folder, *argv)
        await self._make_room()
        number = allocate_pty_process_id(set(self._processes))
        self._processes[number] = process
        wait_ms = clamp_pty_yield_time_ms(10_000 if yield_time_s is None else int(yield_time_s * 1000))
        return await self._update(number, process, wait_ms, max_output_tokens)

    async def pty_write_stdin(
        self,
        *,
        session_id: int,
        chars: str,
        yield_time_s: float | None = None,
        max_output_tokens: int | None = None,
    ) -> PtyExecUpdate:
        process = self._resolve_pty_session_entry(pty_processes=self._processes, session_id=session_id)
        if chars:
            if not process.tty:
                raise RuntimeError("this command has no terminal to type into; start it with tty=true")
            write = 'timeout 5 dd of="$1/in" conv=notrunc status=none'
            await self._script(write, process.folder, stdin=chars.encode())
        process.wait_s, process.last_used = FIRST_WAIT_S, time.monotonic()
        asked_ms = 250 if yield_time_s is None else int(yield_time_s * 1000)
        wait_ms = resolve_pty_write_yield_time_ms(yield_time_ms=asked_ms, input_empty=not chars)
        return await self._update(session_id, process, wait_ms, max_output_tokens)

    async def pty_terminate_all(self) -> None:
        processes, self._processes = list(self._processes.values()), {}
        for process in processes:
            await self._kill(process)

    async def _update(self, number: int, process: Process, wait_ms: int, most_tokens: int | None) -> PtyExecUpdate:
        async def poll(deadline: float) -> None:
            await self._poll(process)

        async def wait(remaining_s: float) -> None:
            await asyncio.sleep(min(process.wait_s, remaining_s))
            process.wait_s = min(2 * process.wait_s, LONGEST_WAIT_S)

        output, tokens, closed = await collect_pty_output(
            output_chunks=process.chunks,
            output_lock=process.lock,
            output_notify=process.notify,
            is_done=lambda: process.exit_code is not None,
            yield_time_ms=wait_ms,
            max_output_tokens=most_tokens,
            poll_output=poll,
            wait_for_output=wait,
        )
        if closed and self._processes.pop(number, None) is not None:
            await self._kill(process)
        code = process.exit_code if closed else None
        return PtyExecUpdate(
            process_id=None if closed else number, output=output, exit_code=code, original_token_count=tokens
        )

    async def _poll(self, process: Process) -> None:
        while True:
            output, status = await self._script(POLL, process.folder, str(process.seen + 1))
            process.seen += len(output)
            if output:
                process.chunks.append(output)
                process.wait_s = FIRST_WAIT_S
            elif status.strip().isdigit():
                process.exit_code = int(status)
                return
            else:
                return

    async def _make_room(self) -> None:
        if len(self._processes) < PTY_PROCESSES_MAX:
            return
        rows = [(number, p.last_used, p.exit_code is not None) for number, p in self._processes.items()]
        number = process_id_to_prune_from_meta(rows)
        if number is not None:
            await self._kill(self._processes.pop(number))

    async def _kill(self, process: Process) -> None:
        try:
            await self._script(KILL, process.folder)
        except ExecTransportError:  # the sandbox has ended, and its processes with it
            return

    async def _script(self, script: str, *words: str, stdin: bytes | None = None) -> tuple[bytes, bytes]:
        env = await self.state.manifest.environment.resolve()
        cwd = str(self._workspace_root_path())
        argv = ["sh", "-c", script, "sh", *words]
        try:
            result = await asyncio.to_thread(self.box.exec, argv, cwd=cwd, env=env, timeout=30, stdin=stdin)
        except GloveboxError as error:
            raise ExecTransportError(command=argv, message=str(error), cause=error) from error
        if result.exit_code == 125 or result.error_type in ("ours", "limit"):
            raise ExecTransportError(command=argv, message=result.message or result.output)
        return result.stdout, result.stderr
