# SPDX-License-Identifier: Apache-2.0
"""How the options of sandboxes and runs become fields of the daemon's requests."""

from __future__ import annotations

import base64
import difflib
import os
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Callable, Optional, Union, cast

from .errors import UsageError, kind_of, text_of
from .quantities import milliseconds, size
from .schemas import EXCLUDES, FIELDS, LISTS, OTHER_NAMES, AttemptOptions, CheckOptions, Content, JudgeOptions, ProgramOptions, RunOptions, SandboxOptions
from .values import encode

_KNOWN = frozenset(("attempt", "language")).union(*(
    kind.__annotations__ for kind in (SandboxOptions, ProgramOptions, JudgeOptions, CheckOptions, AttemptOptions)))
_OF_CELLS = frozenset(("attempt", "extra")).union(AttemptOptions.__annotations__)
SESSION_ONLY = frozenset(SandboxOptions.__annotations__).difference(RunOptions.__annotations__)
CHECKED = frozenset(CheckOptions.__annotations__)
# With one of these, an image may be pulled or built before the answer.
SLOW_TO_OPEN = ("image", "dockerfile", "pip", "environment")
# An hour: requests that wait for their turn end, and so does the wait for an answer that never comes.
DEADLINE_MS = 3_600_000


# A unit at the end of a name, such as memory_mb and timeoutSec, and options that have another name here.
_UNIT = re.compile(r"(?<=\w{3})(?:_|(?<=[a-z])(?=[A-Z]))"
                   r"(?i:m?s|m?sec|secs|seconds?|millis|milliseconds|mins?|minutes|m|b|bytes|[kmg]i?b)$")
_RENAMED = {"lang": "language"}


def without(options: Mapping[str, Any], names: Container[str]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in names}


def only(options: Mapping[str, Any], names: Container[str]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name in names}


def check_names(options: Mapping[str, Any]) -> None:
    """`UsageError` for an option that does not exist, with the nearest one that does."""
    for name in options:
        if name not in _KNOWN:
            near = _nearest(name)
            advice = f"did you mean '{near}'?" if near else "further fields of the daemon go into extra={...}"
            raise UsageError(f"there is no option '{name}'; {advice}")


def _nearest(name: str) -> Optional[str]:
    """The option that a name means: by its words, by another program's, without its unit, or by its letters.

    >>> _nearest("timeout_sec"), _nearest("memory_mb"), _nearest("memroy"), _nearest("network"), _nearest("sauce")
    ('timeout', 'memory', 'memory', 'net', None)
    """
    for word in (name.lower().replace("-", "_"), _UNIT.sub("", name).lower().replace("-", "_")):
        meant = OTHER_NAMES.get(word, word)
        meant = _RENAMED.get(meant, meant)
        if meant in _KNOWN:
            return meant
    begun = sorted(option for option in _KNOWN if len(word) > 1 and option.startswith(word))
    near = begun or difflib.get_close_matches(word, _KNOWN, 1, 0.7)
    return near[0] if near else None


def layered(defaults: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """The options over the defaults; an option replaces defaults that cannot be given together with it.

    >>> layered({"environment": "data", "memory": "1g"}, {"pip": "numpy"})
    {'memory': '1g', 'pip': 'numpy'}
    """
    given = {name for name, value in options.items() if value is not None}
    out = {other for pair in EXCLUDES for name, other in (pair, pair[::-1]) if name in given}
    return {**without(defaults, out), **options}


def cell_fields(options: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a cell's request."""
    fields = fields_of(options)
    for name in options:
        if name not in _OF_CELLS:
            raise UsageError(f"'{name}' is not an option of a cell; give it where the sandbox is made: "
                             f"Sandbox({name}=...)")
    return fields


def fields_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a request.

    >>> fields_of({"timeout": 2.5, "memory": "64m", "files": {"a.txt": "hi"}, "cpus": None})
    {'timeout_ms': 2500, 'memory_bytes': 67108864, 'files': [{'name': 'a.txt', 'content': 'hi'}]}
    """
    check_names(options)
    fields: dict[str, Any] = {}
    for name, value in options.items():
        if value is None or name == "extra":
            continue
        field, convert = _CONVERSIONS.get(name, (name, _unchanged))
        fields[field] = convert(name, value)
    fields.update(options.get("extra") or {})
    return fields


def with_deadline(fields: dict[str, Any], timeout_ms: Optional[int] = None) -> dict[str, Any]:
    """The fields with a deadline, so that neither side waits for ever; 0 is none. Without a time limit there is none
    unless the fields name one. `timeout_ms` holds for fields without a limit of their own.

    >>> with_deadline({}), with_deadline({}, 0), with_deadline({"timeout_ms": 0, "deadline_ms": 5})
    ({'deadline_ms': 3600000}, {'deadline_ms': 0}, {'timeout_ms': 0, 'deadline_ms': 5})
    """
    limit = fields.get("timeout_ms", timeout_ms)
    longest = 0 if limit == 0 else max(DEADLINE_MS, 2 * int(limit or 0) + 60_000)
    return {**fields, "deadline_ms": fields.get("deadline_ms", longest)}


def batch_fields(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """The fields of a batch: its deadline is the last one of its runs, or none if a run has none."""
    deadlines = [int(run["deadline_ms"]) for run in runs]
    return {"runs": runs, "deadline_ms": max(deadlines) if all(deadlines) else 0}


def content_of(content: Content) -> Union[str, bytes]:
    """The content of a file: the text or the bytes themselves, or what a path outside the sandbox names."""
    return Path(content).read_bytes() if isinstance(content, os.PathLike) else content


def _unchanged(name: str, value: Any) -> Any:
    return value


def text_list(name: str, value: Any) -> list[str]:
    if isinstance(value, str):
        raise UsageError(f"{name} is the string '{value[:80]}'; give a list, such as ['{value[:80]}']")
    if not isinstance(value, Iterable):
        raise UsageError(f"{name} is {kind_of(value)}; give a list of strings")
    return [_item(name, item) for item in cast("Iterable[object]", value)]


def _item(name: str, item: object) -> str:
    if isinstance(item, (str, os.PathLike)):
        return os.fsdecode(cast("Union[str, os.PathLike[str]]", item))
    raise UsageError(f"{name} has {kind_of(item)}, {item!r:.80}; give strings")


def mapping(name: str, given: Any, form: str = "a dict") -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        raise UsageError(f"{name} is {kind_of(given)}; give {form}")
    return cast("Mapping[str, Any]", given)


_FILES_FORM = "a dict of names and contents: {'data.csv': Path('data.csv')}"


def _files(name: str, files: Mapping[str, Content]) -> list[dict[str, str]]:
    return [_file(_item("a file's name", path), content_of(content)) for path, content in mapping(name, files, _FILES_FORM).items()]


def _file(path: str, content: Union[str, bytes]) -> dict[str, str]:
    if isinstance(content, str):
        return {"name": path, "content": content}
    if not isinstance(content, (bytes, bytearray, memoryview)):
        raise UsageError(f"the content of '{path}' is {kind_of(content)}; give str, bytes or a path")
    return {"name": path, "content": base64.b64encode(content).decode("ascii"), "encoding": "base64"}


def _stdin(name: str, text: Any) -> str:
    if isinstance(text, (bytes, bytearray)):
        try:
            return text.decode()
        except UnicodeDecodeError:
            raise UsageError(f"{name} is not UTF-8; give the bytes as a file: files={{'input.bin': ...}}") from None
    return text_of(name, text, "give str, or bytes that are UTF-8")


def _profile(name: str, profile: Union[str, "os.PathLike[str]"]) -> str:
    """A profile's name, or the text of the policy file at a path, which the daemon knows by its line end."""
    return Path(profile).read_text(encoding="utf-8") + "\n" if isinstance(profile, os.PathLike) else profile


def _dockerfile(name: str, given: Union[str, "os.PathLike[str]"]) -> str:
    """The text of a Dockerfile; a path names the file, or its folder."""
    if isinstance(given, os.PathLike):
        path = Path(given)
        return (path / "Dockerfile" if path.is_dir() else path).read_text(encoding="utf-8")
    text = text_of(name, given, "give the text of a Dockerfile, or a Path")
    if text.strip() and len(text.split()) == 1:
        raise UsageError(f"{name} is '{text[:80]}', which is no Dockerfile; for a file, give Path('{text[:80]}')")
    return text


def _packages(name: str, packages: Union[str, Sequence[str]]) -> list[str]:
    return [packages] if isinstance(packages, str) else text_list(name, packages)


def _data(name: str, values: Mapping[str, object]) -> dict[str, Any]:
    return {key: encode(value) for key, value in mapping(name, values).items()}


_CONVERSIONS: dict[str, tuple[str, Callable[[str, Any], Any]]] = {
    **{name: (field, milliseconds if field.endswith("_ms") else size if field.endswith("_bytes") else _unchanged)
       for name, field in FIELDS.items()},
    **{name: (name, text_list) for name in LISTS},
    "stdin": ("stdin", _stdin),
    "files": ("files", _files),
    "data": ("data", _data),
    "profile": ("profile", _profile),
    "dockerfile": ("dockerfile", _dockerfile),
    "pip": ("pip", _packages),
}
