# SPDX-License-Identifier: Apache-2.0
"""Google's Agent Development Kit: a code executor behind Glovebox's wall.

    from google.adk.agents import LlmAgent
    from glovebox_sandbox.adapters.google_adk import GloveboxCodeExecutor

    agent = LlmAgent(name="coder", model="...", code_executor=GloveboxCodeExecutor(stateful=True))

With `stateful=True`, variables and files last from one piece of code to the next, for each of ADK's sessions apart.
`optimize_data_file=True` works in both forms. New and changed files become artifacts; input files do not, unless the
code changed them.
"""

from __future__ import annotations

import base64
import binascii
import mimetypes
import threading
from collections import OrderedDict
from typing import Any

from google.adk.agents.invocation_context import InvocationContext
from google.adk.code_executors.base_code_executor import BaseCodeExecutor
from google.adk.code_executors.code_execution_utils import CodeExecutionInput, CodeExecutionResult, File
from pydantic import PrivateAttr

from glovebox_sandbox import FileChange, Result, Sandbox, SessionError

__all__ = ["GloveboxCodeExecutor"]

MOST_SESSIONS = 64
LOST = "The sandbox was started again: variables are lost, files are kept. Run the code anew."


class GloveboxCodeExecutor(BaseCodeExecutor):
    """ADK's executor. Options beside ADK's own are those of `Sandbox`.

    Of the sessions that are used least recently, those above `most_sessions` are closed.
    """

    most_sessions: int = MOST_SESSIONS
    _options: dict[str, Any] = PrivateAttr(default_factory=dict)
    _boxes: OrderedDict[str, Sandbox] = PrivateAttr(default_factory=OrderedDict)
    _lock: Any = PrivateAttr(default_factory=threading.Lock)

    def __init__(self, **data: Any) -> None:
        own = {name: data.pop(name) for name in [*data] if name in type(self).model_fields}
        super().__init__(**own)
        self._options = data
        if self.timeout_seconds is not None:
            self._options.setdefault("timeout", self.timeout_seconds)

    def execute_code(
        self, invocation_context: InvocationContext, code_execution_input: CodeExecutionInput
    ) -> CodeExecutionResult:
        files = {file.name: content_of(file) for file in code_execution_input.input_files}
        if self.stateful:
            return self._in_session(code_execution_input.execution_id or "", code_execution_input.code, files)
        with Sandbox(**self._options) as box:
            result = box.run(code_execution_input.code, files=files, collect=True)
            return answer(result, [output(change, change.content) for change in made(result) if change.content is not None])

    def _in_session(self, name: str, code: str, files: dict[str, bytes]) -> CodeExecutionResult:
        box = self._box(name)
        try:
            for path, content in files.items():
                if not box.files.exists(path):  # ADK sends all files with each piece of code
                    box.files.write(path, content)
            result = box.exec(code)
            return answer(result, [output(change, box.files.read(change.path)) for change in made(result)])
        except SessionError as error:
            box.restart()
            return CodeExecutionResult(stderr=f"{error}. {LOST}", exit_code=1)

    def _box(self, name: str) -> Sandbox:
        with self._lock:
            box = self._boxes.get(name) or self._boxes.setdefault(name, Sandbox(**self._options))
            self._boxes.move_to_end(name)
            old = [self._boxes.popitem(last=False)[1] for _ in range(len(self._boxes) - self.most_sessions)]
        for unused in old:
            unused.close()
        return box

    def close(self) -> None:
        """Closes all sessions."""
        with self._lock:
            boxes = [*self._boxes.values()]
            self._boxes.clear()
        for box in boxes:
            box.close()

    def __enter__(self) -> GloveboxCodeExecutor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def content_of(file: File) -> bytes:
    """The bytes of an input file: ADK's are base64, those of other callers may be plain."""
    data = file.content.encode() if isinstance(file.content, str) else file.content
    try:
        decoded = base64.b64decode(data, validate=True)
    except binascii.Error:
        return data
    return decoded if base64.b64encode(decoded) == data else data


def made(result: Result) -> list[FileChange]:
    return [change for change in result.files if change.change != "deleted"]


def output(change: FileChange, content: bytes) -> File:
    mime = change.mime or mimetypes.guess_type(change.path)[0] or "application/octet-stream"
    return File(name=change.path, content=content, mime_type=mime)


def answer(result: Result, files: list[File]) -> CodeExecutionResult:
    """ADK takes any text on standard error for a failure, and shows it to the model: the advice goes there."""
    if result.error_type == "ours":
        result.raise_for_status()
    if result.success:
        return CodeExecutionResult(stdout=result.stdout, output_files=files, exit_code=result.exit_code)
    advice = [line for line in result.feedback if line not in result.stderr]
    errors = "\n".join([result.stderr.rstrip("\n") or result.summary, *advice]).strip()
    return CodeExecutionResult(stdout=result.stdout, stderr=errors, output_files=files, exit_code=result.exit_code)
