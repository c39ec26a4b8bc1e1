# SPDX-License-Identifier: Apache-2.0
"""The files of a sandbox, as tools for a model: each answers with a text, also when it fails."""

from __future__ import annotations

from glovebox_sandbox import Sandbox, SessionError, UsageError

MOST_CHARACTERS = 20_000  # of a file that a model reads at once
MOST_FILES = 500


class WorkspaceTools:
    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def read(self, path: str) -> str:
        try:
            text = self._sandbox.files.read(path).decode(errors="replace")
        except (OSError, SessionError, UsageError) as error:
            return f"{path} cannot be read: {error}"
        if len(text) <= MOST_CHARACTERS:
            return text
        return f"{text[:MOST_CHARACTERS]}\n(This is the beginning: the file has {len(text)} characters.)"

    def write(self, path: str, text: str) -> str:
        try:
            self._sandbox.files.write(path, text)
        except (OSError, SessionError, UsageError) as error:
            return f"{path} cannot be written: {error}"
        return f"{path} is written: {len(text.encode())} bytes."

    def list(self) -> str:
        try:
            files = self._sandbox.files.list()
        except (OSError, SessionError, UsageError) as error:
            return f"The files cannot be listed: {error}"
        lines = [f"{file.path} ({file.size} bytes)" for file in files[:MOST_FILES]]
        if len(files) > MOST_FILES:
            lines.append(f"(and {len(files) - MOST_FILES} more)")
        return "\n".join(lines) or "(There are no files.)"
