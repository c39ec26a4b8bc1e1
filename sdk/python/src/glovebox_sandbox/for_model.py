# SPDX-License-Identifier: Apache-2.0
"""The text that a model reads after a run: the same, byte for byte, as src/reading/text/format_model.c makes it for
`glovebox format`, MCP and `solve`. The tests compare both."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Optional

from .quantities import Size, size

LIMIT = 32 << 10  # bytes
_PART_FRAME, _FILES_SHOWN, _PATH_SHOWN, _MESSAGE_SHOWN, _FAILURES_SHOWN, _ADVICE_READ = 80, 20, 255, 1000, 20, 4096
_MACHINE = "This is a failure of the machine, not of the program.\n"
_UNENDED = "text (no newline at the end)"
_LIBRARY = re.compile(r"/site-packages/|/dist-packages/|/node_modules/|/lib(?:64)?/python\d|^<frozen ")
_PYTHON_FRAME = re.compile(r'[ |]*File "(.*?)", line ')
_NODE_FRAME = re.compile(r"[ |]+at (.*)", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_OPTION = re.compile(r"(?<![A-Za-z0-9])--[a-z]")

Document = Mapping[str, Any]


class _Part(NamedTuple):
    title: str
    text: bytes
    total: int


def text_for_model(document: Document, limit: Optional[Size] = LIMIT) -> str:
    """The text for a result's document, of at most `limit` bytes in UTF-8; None or 0: of any length."""
    limit = None if limit is None else size("limit", limit) or None
    parts = [_Part(title, _bytes(text), _total(document, title)) for title, text in _parts(document) if text]
    facts = "\n".join(_facts(document, bool(parts))).encode("utf-8", "replace")
    used = len(facts) + len(parts) * _PART_FRAME
    share = None if limit is None else _fair_share([len(part.text) for part in parts], max(limit - used, 0))
    texts = [_section(part, share) for part in parts] + ([facts] if facts else [])
    whole = b"\n".join(texts)
    return (whole if limit is None else _head(whole, limit)).decode("utf-8")


# ---- what the program wrote ----


def _parts(document: Document) -> list[tuple[str, str]]:
    return [
        ("Output:", _text(document, "stdout")),
        ("Errors:", _without_libraries(_text(document, "stderr"))),
        ("Display:", _displays(document, "display")),
        ("Value:", _value(document)),
    ]


def _section(part: _Part, most: Optional[int]) -> bytes:
    text, room = part.text, most
    if most is not None and room is not None:
        text = _cut(part.text, room, part.total)
        while (room := room // 2) and len(text) + 2 * _longest_run(text) > most:
            text = _cut(part.text, room, part.total)
    run = _longest_run(text)
    fence = b"`" * (3 if run < 3 else run + 1)
    ended = text.endswith(b"\n")
    info = b"text" if ended else _UNENDED.encode()
    return b"%s\n\n%s%s\n%s%s%s\n" % (part.title.encode(), fence, info, text, b"" if ended else b"\n", fence)


def _longest_run(text: bytes) -> int:
    return max((len(run) for run in re.findall(b"`+", text)), default=0)


def _fair_share(sizes: Sequence[int], room: int) -> int:
    share = room // len(sizes) if sizes else 0
    for _ in sizes[1:]:
        longer = sum(size > share for size in sizes)
        left = room - sum(size for size in sizes if size <= share)
        share = left // longer if longer else share
    return share


def _total(document: Document, title: str) -> int:
    """The bytes of an output that was not kept as a whole; 0 for any other part."""
    name = {"Output:": "stdout", "Errors:": "stderr"}.get(title, "")
    total = document.get(name + "_bytes")
    return total if document.get(name + "_truncated") is True and isinstance(total, int) and total > 0 else 0


def _cut(text: bytes, most: int, total: int) -> bytes:
    if len(text) <= most:
        return text
    room = max(most - 80, 0)
    head, tail = _head(text, room - room // 4), len(text) - room // 4
    while tail < len(text) and text[tail] & 0xC0 == 0x80:
        tail += 1
    begin, lost = len(head), 0
    line = re.search(rb"\n\.\.\.\(truncated: (\d{1,18}) of %d bytes left out\)\.\.\.\n" % total, text) if total else None
    if line and int(line[1]) <= total and line.start() < tail and line.end() > begin:  # the whole line, or nothing of it
        begin, tail = min(begin, line.start()), max(tail, line.end())
        lost = int(line[1]) - (line.end() - line.start())
    return b"%s\n[%d bytes are left out here]\n%s" % (text[:begin], tail - begin + lost, text[tail:])


def _head(text: bytes, most: int) -> bytes:
    return text[:most].decode("utf-8", "ignore").encode("utf-8")


def _without_libraries(text: str) -> str:
    kept: list[str] = []
    left_out, indent, within = 0, 0, False
    ended = text.endswith("\n")
    for line in text[: len(text) - ended].split("\n"):
        frame = _is_library_frame(line)
        if frame:
            indent = _indent(line)
            left_out += 1
        within = frame or (within and _is_of_frame(line, indent))
        if within:
            continue
        kept.extend(_count(left_out))
        left_out = 0
        kept.append(line)
    if left_out:
        return "\n".join([*kept, *_count(left_out)]) + "\n"
    return "\n".join(kept) + ("\n" if ended else "")


def _count(frames: int) -> list[str]:
    return [f"  [{frames} library frame{'' if frames == 1 else 's'}]"] if frames else []


def _is_library_frame(line: str) -> bool:
    python = _PYTHON_FRAME.match(line)
    if python:
        return bool(_LIBRARY.search(python[1]))
    node = _NODE_FRAME.match(line)
    return bool(node and (_LIBRARY.search(line.lstrip(" |")) or "(node:" in node[1] or node[1].startswith("node:")))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" |"))


def _is_of_frame(line: str, indent: int) -> bool:
    text = line.lstrip(" |")
    return bool(text) and (_indent(line) > indent or text.startswith("[Previous line repeated "))


def _displays(document: Document, kind: str) -> str:
    shown = [bundle for bundle in document.get("results") or () if bundle.get("kind") == kind]
    texts = [_text(bundle.get("data") or {}, "text/plain") for bundle in shown if kind == "value" or not _is_picture(bundle)]
    return "\n".join(text for text in texts if text)


def _is_picture(bundle: Document) -> bool:
    return any(mime.startswith("image/") for mime in bundle.get("data") or ())


def _value(document: Document) -> str:
    final = document.get("is_final_answer") is True
    text = "" if final else _displays(document, "value")
    value = document.get("final_answer" if final else "value")
    if text or value is None:
        return text
    if isinstance(value, str):
        return value
    try:
        return json.dumps(_short(value), ensure_ascii=False)
    except RecursionError:
        return "(a value that is nested too deeply to be shown)"


def _short(value: Any) -> Any:
    """The value with numbers of at most 15 digits."""
    if isinstance(value, float):
        return float(f"{value:.15g}")
    if isinstance(value, list):
        return [_short(item) for item in value]
    return {key: _short(item) for key, item in value.items()} if isinstance(value, dict) else value


# ---- the facts ----


def _facts(document: Document, shown: bool) -> list[str]:
    facts = []
    figures = sum(_is_picture(bundle) for bundle in document.get("results") or ())
    if document.get("total") and not _error(document):
        facts.append(_tests(document))
    elif not _success(document):
        facts.append(_verdict(document))
    elif not shown and not figures:
        facts.append("The program ran and printed nothing.\n")
    if figures:
        facts.append(f"{figures} figure{' was' if figures == 1 else 's were'} shown.\n")
    files = [file for file in document.get("files") or () if file.get("change") != "deleted"]
    if files:
        more = f"({len(files) - _FILES_SHOWN} more files)\n" if len(files) > _FILES_SHOWN else ""
        facts.append("Files:\n\n" + "".join(map(_file, files[:_FILES_SHOWN])) + more)
    return facts


def _file(file: Document) -> str:
    path = _head(_bytes(_text(file, "path")), _PATH_SHOWN)
    ticks, size, mime = "`" * (_longest_run(path) + 1), file.get("size") or 0, _text(file, "mime")
    space = " " if len(ticks) > 1 else ""
    about = f"{size} byte{'' if size == 1 else 's'}{', ' if mime else ''}{mime}"
    return f"- {ticks}{space}{_one_line(path.decode())}{space}{ticks} ({about})\n"


def _one_line(text: str) -> str:
    """A text of the program: with lines of its own, it could look like ours."""
    return _CONTROL.sub(" ", text)


def _tests(document: Document) -> str:
    errors = document.get("errors") or 0
    failed = [test for test in document.get("test_results") or () if test.get("passed") is not True]
    text = f"{document.get('passed') or 0} of {document['total']} tests passed"
    text += f", {errors} could not be judged.\n" if errors else ".\n"
    for test in failed[:_FAILURES_SHOWN]:
        text += "- " + ": ".join(filter(None, (_text(test, key) for key in ("name", "call", "detail")))) + "\n"
    return text + (f"- and {len(failed) - _FAILURES_SHOWN} more\n" if len(failed) > _FAILURES_SHOWN else "")


def _refused(document: Document) -> bool:
    kind = _text(document.get("error") or {}, "kind")
    return (document.get("verdict") or {}).get("allowed") is False and kind in ("", "policy")


def _error(document: Document) -> str:
    reason = _text(document.get("verdict") or {}, "reason")
    return reason if reason and _refused(document) else _text(document.get("error") or {}, "message")


def _success(document: Document) -> bool:
    if document.get("success") is not None:
        return document["success"] is True
    return not document.get("exit_code") and not _error(document)


def _verdict(document: Document) -> str:
    error = _error(document)
    incomplete = isinstance(document.get("exit_code"), int) and document["exit_code"] >= 0
    begin = ("was refused" if _refused(document) else "failed" if not error
             else "ran, but its result is incomplete" if incomplete else "could not be run")
    raised = (document.get("exception") or {}).get("type")
    stopped = document.get("timed_out") is True or document.get("oom_killed") is True
    why = _exception(document["exception"]) if raised and not error and not stopped else _reason(document, error)
    advice = _head(_bytes(_advice(document)), _MESSAGE_SHOWN).decode()
    said = bool(error) and _advice(document).startswith(error)
    machine = _MACHINE if _text(document.get("error") or {}, "kind") in ("system", "unsupported", "bug") else ""
    return f"The program {begin}: {why}.\n{machine}" + (f"Hint: {advice}\n" if advice and not said else "")


def _reason(document: Document, error: str) -> str:
    if error or document.get("timed_out") is True:
        return error or "timed out"
    if document.get("oom_killed") is True:
        return "out of memory"
    signal = document.get("signal")
    return f"killed by signal {signal}" if signal else f"exit status {document.get('exit_code') or 0}"


def _exception(exception: Document) -> str:
    message = _bytes(_text(exception, "message"))
    shown = _head(message, _MESSAGE_SHOWN)
    text = _one_line(_text(exception, "type"))
    if message:
        text += f": {_one_line(shown.decode())}" + (" [cut]" if len(shown) < len(message) else "")
    if exception.get("line"):
        file = _one_line(_text(exception, "file"))
        text += f" (line {exception['line']}{' of ' if file else ''}{file})"
    return text


def _advice(document: Document) -> str:
    texts = (_text(document.get("exception") or {}, "hint"), *(document.get("feedback") or ()))
    return _text(document, "advice") or next(filter(None, map(_for_models, texts)), "")


def _for_models(advice: str) -> str:
    read = _head(_bytes(advice), _ADVICE_READ).decode()
    return " ".join(filter(None, map(_sentence, read.split(". "))))


def _sentence(sentence: str) -> str:
    if sentence.endswith("."):
        sentence = sentence[:-1]
    pieces = re.split("(; |, or )", sentence)
    text = ""
    for i in range(0, len(pieces), 2):
        clause = pieces[i]
        if not clause or _OPTION.search(clause):
            continue
        if text:
            text += pieces[i - 1] + clause
        else:
            text = clause[:1].upper() + clause[1:] if i else clause
    return text + "." if text and not text.endswith("?") else text


# ---- parts of a document ----


def _text(document: Document, key: str) -> str:
    value = document.get(key)
    return value if isinstance(value, str) else ""


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
