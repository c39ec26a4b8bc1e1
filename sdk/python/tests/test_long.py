# SPDX-License-Identifier: Apache-2.0
"""Runs that are cancelled, bodies of 20 MiB, and more programs than fit into a request."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import threading
import time
import tracemalloc
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, Optional

import pytest

from glovebox_sandbox import AsyncSandbox, Sandbox, UsageError, verbs

LARGE = bytes(range(256)) * (20 << 12)  # 20 MiB


@pytest.fixture(scope="module")
def box() -> Iterator[Sandbox]:
    with Sandbox(memory="512m", disk="256m") as opened:
        yield opened


def running(box: Sandbox) -> int:
    """The number of runs and cells that are under way in the daemon."""
    status = box._driver.run(verbs.ask("GET", "/v1/status"))
    return int(status["running"])


def wait_for_running(box: Sandbox, number: int) -> None:
    end = time.monotonic() + 20
    while running(box) != number:
        assert time.monotonic() < end, f"{running(box)} are running, not {number}"
        time.sleep(0.02)


@pytest.mark.parametrize("verb", ["exec", "run", "batch", "stream"])
def test_a_cancelled_task_ends_the_program(box: Sandbox, verb: str) -> None:
    async def all_of(stream: Any) -> list[Any]:
        return [item async for item in stream]

    async def main() -> None:
        async with AsyncSandbox() as other:
            await other.open()
            code: Any = "import time; time.sleep(300)"
            waits = all_of(other.stream([code] * 3)) if verb == "stream" else getattr(other, verb)(
                [code] * 3 if verb == "batch" else code)
            task = asyncio.ensure_future(waits)
            while not await asyncio.to_thread(running, box):
                await asyncio.sleep(0.02)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.to_thread(wait_for_running, box, 0)
            assert (await other.exec("6 * 7")).value == 42

    asyncio.run(main())


@pytest.mark.parametrize("verb", ["exec", "run"])
def test_ctrl_c_ends_the_program(box: Sandbox, verb: str) -> None:
    box.exec("x = 5")

    def interrupt() -> None:
        wait_for_running(box, 1)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        getattr(box, verb)("import time; time.sleep(300)")
        thread.join()
    thread.join()
    wait_for_running(box, 0)
    assert box.exec("x").value == 5, "the session continues"


def test_files_of_20_mib(box: Sandbox, tmp_path: Path) -> None:
    box.files.write("large.bin", LARGE)
    assert box.exec("import hashlib; hashlib.sha256(open('large.bin', 'rb').read()).hexdigest()").success
    assert box.files.read("large.bin") == LARGE
    assert box.files.download("large.bin", tmp_path).read_bytes() == LARGE
    box.files.delete("large.bin")


def test_bodies_of_20_mib(box: Sandbox) -> None:
    program = "data = open('in', 'rb').read()\nopen('out', 'wb').write(data[:-(15 << 20):-1])"
    result = box.run(program, files={"in": LARGE}, collect=True)  # of files, a daemon sends 16 MiB at most
    assert {file.content for file in result.files if file.change == "new"} == {LARGE[:-(15 << 20):-1]}
    printed = box.exec("print('x' * (20 << 20))")
    assert printed.stdout_bytes == (20 << 20) + 1 and printed.stdout_truncated
    box.variables["data"] = LARGE
    assert box.exec("len(data), data[:3]").value == (len(LARGE), LARGE[:3])
    assert box.exec("data = data[:1 << 22]").success and box.variables["data"] == LARGE[:1 << 22]
    box.exec("del data")


def test_a_stream_takes_programs_as_they_are_needed(box: Sandbox) -> None:
    taken = 0

    def programs() -> Iterator[str]:
        nonlocal taken
        for taken in range(1, 10_001):
            yield f"print({taken - 1})"

    seen: set[int] = set()
    with contextlib.closing(box.stream(programs())) as results:  # type: ignore[type-var]
        for number, result in results:
            assert result.stdout == f"{number}\n"
            seen.add(number)
            assert taken - len(seen) <= verbs.STREAMED_RUNS
            if len(seen) == 450:
                break
    assert seen >= set(range(2 * verbs.STREAMED_RUNS)) and taken <= 3 * verbs.STREAMED_RUNS
    wait_for_running(box, 0)


def test_a_stream_yields_what_ends_first(box: Sandbox) -> None:
    programs = ["import time; time.sleep(1)", "1 / 0", {"code": "print(2)", "open_files": 1}]
    order = [(number, result.success) for number, result in box.stream(programs)]
    assert order[-1] == (0, True) and sorted(order) == [(0, True), (1, False), (2, False)]
    assert list(box.stream([])) == []
    with pytest.raises(UsageError, match="give a list"):
        next(box.stream("print(1)"))
    with pytest.raises(UsageError, match="its text, or a dict"):
        next(box.stream([5]))  # type: ignore[list-item]


def test_an_asynchronous_stream() -> None:
    async def main() -> dict[int, str]:
        async with AsyncSandbox() as box:
            return {number: result.stdout async for number, result in box.stream(f"print({n})" for n in range(5))}

    assert asyncio.run(main()) == {n: f"{n}\n" for n in range(5)}


def test_an_asynchronous_stream_takes_an_asynchronous_generator() -> None:
    async def main() -> None:
        first_ended = asyncio.Event()

        async def programs() -> AsyncIterator[str]:
            yield "print('first')"
            await asyncio.wait_for(first_ended.wait(), 30)  # a slow source: the first does not wait for the second
            yield "print('second')"

        async with AsyncSandbox() as box:
            order: list[tuple[int, str]] = []
            async for number, result in box.stream(programs()):
                order.append((number, result.stdout))
                first_ended.set()
            assert order == [(0, "first\n"), (1, "second\n")]

    asyncio.run(main())


def test_an_asynchronous_source_fails_or_is_left() -> None:
    async def broken() -> AsyncIterator[str]:
        yield "print(1)"
        raise LookupError("the source failed")

    async def endless() -> AsyncIterator[str]:
        while True:
            yield "print(1)"
            await asyncio.sleep(0.2)

    async def main() -> None:
        async with AsyncSandbox() as box:
            with pytest.raises(LookupError, match="the source failed"):
                async for _ in box.stream(broken()):
                    pass
            results = box.stream(endless())
            async for _ in results:
                break
            await results.aclose()
            for _ in range(1000):
                if len(asyncio.all_tasks()) > 1:
                    await asyncio.sleep(0.01)
            assert len(asyncio.all_tasks()) == 1

    asyncio.run(main())
    with Sandbox() as box, pytest.raises(UsageError, match="AsyncSandbox.stream"):
        next(box.stream(broken()))  # type: ignore[arg-type]


def test_progress_of_a_stream(box: Sandbox) -> None:
    seen: list[tuple[int, Optional[int]]] = []
    assert len(list(box.stream(["1", "2", "3"], on_progress=lambda ended, total: seen.append((ended, total))))) == 3
    assert seen == [(1, 3), (2, 3), (3, 3)]
    seen.clear()
    assert len(list(box.stream((code for code in ("1", "2")), on_progress=lambda *both: seen.append(both)))) == 2
    assert seen == [(1, None), (2, None)]


def test_no_time_limit(box: Sandbox) -> None:
    """0 is no limit, of the time and of all else that the process decides for itself."""
    free = dict(timeout=0, memory=0, pids=0, disk=0, inodes=0, output_limit=0)
    assert box.run("print(1)", **free).success  # type: ignore[arg-type]
    with Sandbox(timeout=0) as other:
        assert other.exec("1").success and other.exec("1", timeout=0).success
        assert [result.success for result in other.batch(["1", {"code": "2", "timeout": 1}])] == [True, True]


def test_a_large_stream_in_little_memory(box: Sandbox) -> None:
    """Programs of 20 KB, 12 MB in all, which do not compile: that is found out fast."""
    tracemalloc.start()
    try:
        kept = tracemalloc.get_traced_memory()[0]
        assert sum(1 for _ in box.stream("(" + " " * 20_000 + str(n) for n in range(600))) == 600
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - kept < 4 << 20
    finally:
        tracemalloc.stop()
