# SPDX-License-Identifier: Apache-2.0
"""The tool that several frameworks get: it runs Python code in one session, and answers with a text for the model."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

from glovebox_sandbox import Result, Sandbox, SessionError, UsageError

NAME = "run_python"
DESCRIPTION = (
    "Runs Python code in a sandbox and returns what it prints, and the value of its last expression. Variables, "
    "imports and files last from one call to the next. Files are read and written in the current folder. {network}"
)
NO_NETWORK = "There is no network: nothing can be downloaded or installed."
NETWORK = "The code can use the network."
LOST = "The sandbox was started again: variables and functions are lost, files are kept. Run the code anew."


class PythonTool:
    """Runs code for a model. Threads and event loops may share it: one piece of code runs after the other.

    `sandbox` is one of yours, which `close()` leaves open; without it, `options` are those of a new `Sandbox`.
    """

    def __init__(self, sandbox: Sandbox | None = None, **options: Any) -> None:
        if sandbox is not None and options:
            raise ValueError("give either a sandbox or its options: the options of an open sandbox cannot change")
        self.sandbox = Sandbox(**options) if sandbox is None else sandbox
        self.description = DESCRIPTION.format(network=NO_NETWORK if options.get("net") in (None, "none") else NETWORK)
        self._owned = sandbox is None
        self._lock = threading.Lock()

    def result(self, code: str) -> Result:
        """The result of the code. A sandbox that died is started again before SessionError says so."""
        with self._lock:
            try:
                return self.sandbox.exec(code)
            except SessionError as error:
                self.sandbox.restart()
                raise SessionError(f"{error}. {LOST}") from error

    async def result_async(self, code: str) -> Result:
        """As `result`, for an event loop, which stays free. A cancelled call interrupts the code."""
        work = asyncio.ensure_future(asyncio.to_thread(self.result, code))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            await asyncio.to_thread(self.sandbox.interrupt)
            await asyncio.wait([work])
            raise

    def run(self, code: str) -> str:
        """The text for the model. What the model can do something about is in it; other failures are raised."""
        try:
            return text_for_model(self.result(code))
        except (SessionError, UsageError) as error:
            return str(error)

    async def run_async(self, code: str) -> str:
        try:
            return text_for_model(await self.result_async(code))
        except (SessionError, UsageError) as error:
            return str(error)

    def close(self) -> None:
        if self._owned:
            self.sandbox.close()


def text_for_model(result: Result) -> str:
    if result.error_type == "ours" and not result.cancelled:
        result.raise_for_status()
    return result.for_model()
