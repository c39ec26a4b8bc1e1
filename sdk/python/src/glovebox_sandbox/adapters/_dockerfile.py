# SPDX-License-Identifier: Apache-2.0
"""Dockerfiles as steps that a sandbox can take: folders, variables, copies, commands.

A sandbox has no image: its programs are those of the machine. A line that needs more than that is a `DockerfileError`.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

NOT_NEEDED = frozenset(
    ("CMD", "ENTRYPOINT", "EXPOSE", "HEALTHCHECK", "LABEL", "MAINTAINER", "SHELL", "STOPSIGNAL", "VOLUME"))
TAKEN = frozenset(("ADD", "ARG", "COPY", "ENV", "FROM", "RUN", "USER", "WORKDIR"))
ROOT = ("root", "0", "root:root", "0:0")
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_DIRECTIVE = re.compile(r"#\s*escape\s*=", re.I)
_FLAG = re.compile(r"--[a-z]+=\S*\s+")
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)(?::-([^}]*))?\})")


class DockerfileError(ValueError):
    """A line of a Dockerfile that a sandbox cannot carry."""


@dataclass(frozen=True)
class Line:
    number: int
    name: str
    text: str

    def refuse(self, why: str) -> DockerfileError:
        return DockerfileError(f"Dockerfile, line {self.number}: {self.name} {self.text[:100]}: {why}")

    def words(self) -> list[str]:
        """The words, given as such or as a list in JSON."""
        if self.text.startswith("["):
            try:
                return [str(word) for word in json.loads(self.text)]
            except ValueError:
                pass
        try:
            return shlex.split(self.text)
        except ValueError as error:
            raise self.refuse(f"{error}") from None


def read(text: str) -> list[Line]:
    """The instructions, in order. Each is one that a sandbox may carry."""
    lines: list[Line] = []
    for line in _joined(text):
        if line.name not in TAKEN | NOT_NEEDED:
            raise line.refuse("a sandbox does not know this instruction")
        if "<<" in line.text and line.name in ("RUN", "COPY", "ADD") and re.search(r"<<-?[\"']?\w", line.text):
            raise line.refuse("a sandbox does not take here-documents; put the text into a file")
        lines.append(line)
    if sum(line.name == "FROM" for line in lines) > 1:
        raise DockerfileError("the Dockerfile has several stages; a sandbox has no images to build them from")
    return [line for line in lines if line.name not in NOT_NEEDED]


def _joined(text: str) -> Iterator[Line]:
    """The lines, with their continuations and without comments."""
    begun, parts = 0, []
    for number, raw in enumerate(text.splitlines(), 1):
        stripped = raw.strip()
        if _DIRECTIVE.match(stripped):
            raise DockerfileError(f"Dockerfile, line {number}: a sandbox does not take another escape character")
        if stripped.startswith("#") or not stripped:
            continue
        begun = begun or number
        parts.append(stripped[:-1].rstrip() if stripped.endswith("\\") else stripped)
        if not stripped.endswith("\\"):
            yield _line(begun, " ".join(parts))
            begun, parts = 0, []
    if parts:
        yield _line(begun, " ".join(parts))


def _line(number: int, text: str) -> Line:
    name, _, rest = text.partition(" ")
    return Line(number, name.upper(), rest.strip())


def assignments(line: Line) -> dict[str, str]:
    """The variables of ENV and ARG, in both forms: `K=V K=V` and `K V`."""
    words = line.words()
    if words and "=" not in words[0] and line.name == "ENV":
        return {words[0]: " ".join(words[1:])}
    return {name: value for name, equals, value in (word.partition("=") for word in words) if equals}


def expand(text: str, variables: Mapping[str, str]) -> str:
    """The text with its $VARIABLES; those that are not set are empty, as for Docker."""
    return _VARIABLE.sub(lambda found: variables.get(found[1] or found[2]) or found[3] or "", text)


@dataclass(frozen=True)
class Copy:
    sources: tuple[Path, ...]
    target: str
    into: bool  # the target is a folder


def copy_of(line: Line, context: Path) -> Copy:
    """What COPY or ADD names in the context. No source is outside of it."""
    flags = _FLAG.findall(line.text + " ")
    if any(not flag.startswith(("--chown=", "--link")) for flag in flags):
        raise line.refuse("a sandbox takes no other option than --chown, which has no effect")
    words = Line(line.number, line.name, _FLAG.sub("", line.text)).words()
    if len(words) < 2:
        raise line.refuse("it needs a source and a target")
    sources = [path for word in words[:-1] for path in _matching(line, context, word)]
    return Copy(tuple(sources), words[-1], words[-1].endswith("/") or len(sources) > 1)


def _matching(line: Line, context: Path, pattern: str) -> list[Path]:
    if re.match(r"\w+://|git@", pattern) or (line.name == "ADD" and re.search(r"\.(tar|tgz|t?bz2?|t?xz)\b", pattern)):
        raise line.refuse("a sandbox copies files of the task's folder alone")
    top = context.resolve()
    relative = pattern.lstrip("/")
    found = sorted(context.glob(relative)) if relative not in ("", ".", "./") else [context]
    if not found:
        raise line.refuse(f"there is no '{pattern}' in the task's folder")
    for path in found:
        if not path.resolve().is_relative_to(top):
            raise line.refuse(f"'{pattern}' leads out of the task's folder")
    return found


def own_image(name: Optional[str]) -> bool:
    """Whether an image is more than a usual system or language, which the machine's own programs can stand for."""
    return bool(name) and "/" in (name or "").removeprefix("docker.io/").removeprefix("library/")
