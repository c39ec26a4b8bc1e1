# SPDX-License-Identifier: Apache-2.0
"""Each verb of a sandbox, as steps."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Callable, Optional, Union
from urllib.parse import quote

from .cases import cases_text
from .documents import object_or_none
from .errors import DaemonError, SessionError, UsageError, text_of
from .events import BatchResult, Finished, InputCall, ToolCall, event_from
from .failures import document_of, failure_of
from .options import (CHECKED, DEADLINE_MS, SESSION_ONLY, SLOW_TO_OPEN, batch_fields, cell_fields, fields_of, layered, mapping,
                      only, with_deadline, without)
from .programs import OnProgress, Program, Source, listed
from .results import Result, TestResult, Verdict, verdict_from
from .schemas import RUN_ONLY
from .state import CLOSED, CLOSED_MEANWHILE, State
from .steps import PATIENCE, Answer, Call, Emit, NextLine, Open, Request, Send, Steps, json_request
from .tools import answer_with, answer_with_error

LONG = DEADLINE_MS / 1000 + 10  # seconds for a request that may be behind the session's cells


def ask(method: str, path: str, document: Optional[Mapping[str, Any]] = None,
        wait: Optional[float] = PATIENCE) -> Steps[Any]:
    """A request whose answer is a JSON document."""
    answer: Answer = yield Send(json_request(method, path, document, wait=wait))
    return document_of(answer)


# ---- runs ----


def run_fields(state: State, options: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a run: the sandbox's options, and those of the call before them."""
    for name in only(options, SESSION_ONLY):
        raise UsageError(f"'{name}' is not an option of a run; give it where the sandbox is made: Sandbox({name}=...)")
    return with_deadline(fields_of({"language": state.language, **layered(without(state.options, SESSION_ONLY), options)}))


def run(state: State, code: str, stream: bool, options: Mapping[str, Any]) -> Steps[Result]:
    """Runs a program once."""
    fields = {**run_fields(state, options), "code": _text("code", code)}
    if stream:
        return (yield from _streamed(state, "/v1/run", fields))
    answer: Answer = yield Send(json_request("POST", "/v1/run", fields, wait=_wait(fields)))
    return Result.from_document(_result_document(answer))


def _wait(fields: Mapping[str, Any]) -> Optional[float]:
    return float(fields["deadline_ms"]) / 1000 + 10 if fields["deadline_ms"] else None


def _text(name: str, text: object) -> str:
    if isinstance(text, os.PathLike):
        raise UsageError(f"{name} is the path '{text}'; give the text of the program: path.read_text()")
    return text_of(name, text, "give the text of the program")


def _result_document(answer: Answer) -> Mapping[str, Any]:
    """The result in an answer. A run that failed because of us is an error of HTTP, and a result all the same."""
    try:
        document = object_or_none(json.loads(answer.body))
    except (ValueError, RecursionError):
        document = None
    if document is None or "exit_code" not in document:
        raise failure_of(answer)
    return document


def check(state: State, code: str, options: Mapping[str, Any]) -> Steps[Verdict]:
    """Reads a program with the guard, and runs nothing."""
    fields = fields_of({**only(state.options, CHECKED), "language": state.language, **options})
    document = yield from ask("POST", "/v1/check", {**fields, "code": _text("code", code)}, _wait(with_deadline(fields)))
    checked = document["files"][0]
    if checked.get("verdict") is None:
        why = object_or_none(checked.get("error")) or {}
        raise DaemonError(f"the program could not be checked: {why.get('message')}")
    return verdict_from(checked["verdict"])


def test(state: State, code: str, cases: Optional[Sequence[Mapping[str, object]]], stream: bool,
         options: Mapping[str, Any]) -> Steps[TestResult]:
    """Judges a program by cases."""
    fields = {**run_fields(state, options), "code": _text("code", code)}
    if cases is not None:
        fields["cases"] = cases_text(cases)
    if stream:
        result = yield from _last_of_stream(state, "/v1/test", fields)
        assert isinstance(result, TestResult)
        return result
    document = yield from ask("POST", "/v1/test", fields, _wait(fields))
    return TestResult.from_document(document)


MOST_RUNS = 1000  # in one request


STREAMED_RUNS = 200  # in one request whose results come as they are there; the programs are in memory until its end


def batch(state: State, programs: Iterable[Program], options: Mapping[str, Any]) -> Steps[list[Result]]:
    """Many runs. More than one request may have are sent in several."""
    runs = [_program(state, program, options) for program in listed(programs)]
    results: list[Result] = []
    for first in range(0, len(runs), MOST_RUNS):
        fields = batch_fields(runs[first:first + MOST_RUNS])
        document = yield from ask("POST", "/v1/batch", fields, _wait(fields))
        results.extend(_batched(entry) for entry in document["results"])
    return results


def stream_batch(state: State, source: Source, on_progress: Optional[OnProgress], total: Optional[int],
                 options: Mapping[str, Any]) -> Steps[None]:
    """Many runs, whose results are emitted as they are there. No more programs are taken than one request has."""
    first, ended = 0, itertools.count(1)
    try:
        while programs := (yield from source.take(STREAMED_RUNS)):
            runs = [_program(state, program, options) for program in programs]
            fields = batch_fields(runs)
            answer: Answer = yield Open(json_request("POST", "/v1/batch", fields, wait=_wait(fields), stream=True))
            if answer.status >= 400:
                raise failure_of(answer)
            for _ in runs:
                line = yield from _next_line(state)
                if on_progress is not None:
                    yield Call(on_progress, (next(ended), total))
                yield Emit(BatchResult(raw=line, index=first + int(line["index"]), result=_batched(line["result"])))
            first += len(runs)
    finally:
        source.stop()


def _program(state: State, program: Program, options: Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(program, str):
        return {**run_fields(state, options), "code": program}
    own = mapping("a program", program, "its text, or a dict with 'code'")
    code = _text("a program's code", own.get("code"))
    return {**run_fields(state, {**options, **without(own, ("code",))}), "code": code}


def _batched(entry: Mapping[str, Any]) -> Result:
    """A request that was not run has only an error."""
    if "exit_code" in entry:
        return Result.from_document(entry)
    return Result.from_document({"error": entry.get("error"), "error_type": "ours", "exit_status": 125})


# ---- sessions ----


def open_session(state: State) -> Steps[None]:
    """Opens the session unless it is open."""
    if state.closed:
        raise SessionError(CLOSED)
    if state.id is not None:
        return
    options = {**without(state.options, RUN_ONLY), "language": state.language}
    fields = fields_of(options)
    tools = list(state.tools)
    if tools:
        fields["tools"] = [tool.describe() for tool in tools]
    wait = LONG if only(fields, SLOW_TO_OPEN) else PATIENCE
    document = yield from ask("POST", "/v1/sessions", fields, wait)
    state.opened(document["id"], tools)


def close_session(state: State) -> Steps[None]:
    """Closes the session. One that is gone already, perhaps with its daemon, is no error."""
    session = state.close()
    if session is None:
        return
    try:
        answer: Answer = yield Send(json_request("DELETE", f"/v1/sessions/{session}"))
    except DaemonError:
        return
    if answer.status >= 400 and answer.status not in (404, 409):
        raise failure_of(answer)


def exec_cell(state: State, code: str, options: Mapping[str, Any]) -> Steps[Result]:
    """Runs a cell, and answers the tools that it calls."""
    yield from update_tools(state)
    limit = fields_of(only(state.options, ("timeout",))).get("timeout_ms")
    fields = with_deadline({**cell_fields(options), "code": _text("code", code)}, limit)
    if state.on_input is not None and "stdin" not in fields:
        fields["answers_input"] = True
    result = yield from _cell_result(state, fields)
    if result.error and result.exit_code == -1 and result.cell is not None and result.cell.ended == "died":
        raise SessionError(result.error.message)  # it was dead before: nothing ran
    return result


def _cell_result(state: State, fields: Mapping[str, Any]) -> Steps[Result]:
    """The result of a cell. If another thread closes the sandbox meanwhile, the daemon may still answer: that the cell was
    interrupted, or that there is no session."""
    try:
        result = yield from _streamed(state, f"{state.turn}/exec", fields)
    except SessionError as error:
        if state.closed:
            raise SessionError(CLOSED_MEANWHILE) from error
        raise
    if state.closed and not result.success:
        raise SessionError(CLOSED_MEANWHILE)
    return result


def attempt_cell(state: State, code: str, options: Mapping[str, Any]) -> Steps[Result]:
    """Runs a cell that is undone unless it succeeds."""
    return (yield from exec_cell(state, code, {**options, "attempt": True}))


def update_tools(state: State) -> Steps[None]:
    """Brings the tools of the open session up to date."""
    now = {tool.name: tool for tool in state.tools}
    for name in list(state.known):
        if name not in now:
            yield from ask("DELETE", f"{state.turn}/tools/{quoted(name)}", wait=LONG)
            state.known.pop(name, None)
    for name, tool in now.items():
        if state.known.get(name) is not tool:
            yield from ask("POST", f"{state.turn}/tools", tool.describe(), LONG)
            state.known[name] = tool


def _streamed(state: State, path: str, fields: Mapping[str, Any]) -> Steps[Result]:
    """A run or a cell whose answer is a stream of events; the value is the result."""
    result = yield from _last_of_stream(state, path, fields)
    assert isinstance(result, Result)
    return result


def _last_of_stream(state: State, path: str, fields: Mapping[str, Any]) -> Steps[Union[Result, TestResult]]:
    answer: Answer = yield Open(json_request("POST", path, fields, wait=_wait(fields), stream=True))
    if answer.status >= 400:
        return Result.from_document(_result_document(answer))
    while True:
        event = event_from((yield from _next_line(state)))
        yield Emit(event)
        if isinstance(event, Finished):
            return event.result
        if isinstance(event, (ToolCall, InputCall)):
            yield from _answer(state, event)


def _next_line(state: State) -> Steps[dict[str, Any]]:
    line: Optional[dict[str, Any]] = yield NextLine()
    if line is None and state.closed:
        raise SessionError(CLOSED_MEANWHILE)
    if line is None:
        raise DaemonError("the stream ended without a result: the daemon was stopped, or the session was closed")
    return line


def _answer(state: State, event: Union[ToolCall, InputCall]) -> Steps[None]:
    reply = yield from (_call_tool(state, event) if isinstance(event, ToolCall) else _read_input(state, event))
    path = f"/v1/sessions/{event.session}/answers/{event.call}"
    try:
        request = json_request("POST", path, reply)
    except UsageError as error:  # half of a surrogate pair as a key, for example
        request = json_request("POST", path, answer_with_error(error))
    answer: Answer = yield Send(request)
    if answer.status == 413:
        too_large = UsageError("the tool returned more than the 4 MiB that an answer may have")
        yield Send(json_request("POST", path, answer_with_error(too_large)))
    elif answer.status >= 500 and answer.status != 503:
        raise failure_of(answer)


def _call_tool(state: State, event: ToolCall) -> Steps[dict[str, Any]]:
    try:
        function = state.tools[event.name].function
        with state.answering():
            value = yield Call(function, event.args, event.kwargs)
        return answer_with(value)
    except Exception as error:
        return answer_with_error(error)


def _nobody(prompt: str) -> None:
    """The end of the input."""


def _read_input(state: State, event: InputCall) -> Steps[dict[str, Any]]:
    ask_user: Callable[[str], Any] = state.on_input or _nobody
    try:
        line = yield Call(ask_user, (event.prompt,))
        return {"ok": None if line is None else str(line)}
    except Exception as error:
        return answer_with_error(error)


def fork(state: State, name: Optional[str], idle: Any) -> Steps[State]:
    """A copy of the session, with the same tools."""
    yield from update_tools(state)
    document = yield from ask("POST", f"{state.turn}/fork", fields_of({"name": name, "idle": idle}), LONG)
    return state.copy(document["id"])


def session_verb(state: State, verb: str) -> Steps[Any]:
    """`interrupt` or `restart`."""
    return (yield from ask("POST", f"{state.path}/{verb}", {}, LONG))


def commit(state: State, image: str) -> Steps[str]:
    """Makes an image of the session."""
    name = text_of("the image", image, "give its name, such as 'team/prepared:1'")
    document = yield from ask("POST", f"{state.turn}/commit", {"image": name}, LONG)
    return str(document["image"])


def set_network(state: State, net: str) -> Steps[None]:
    """Replaces what the session may reach."""
    rules = text_of("the network", net, "give 'none', or 'allow:HOST,...'")
    yield from ask("PUT", f"{state.path}/network", {"net": rules}, LONG)


def network(state: State) -> Steps[str]:
    """What the session may reach now."""
    document = yield from ask("GET", f"{state.path}/network")
    return str(document["net"])


def info(state: State) -> Steps[dict[str, Any]]:
    """The daemon's description of the session."""
    document = yield from ask("GET", state.path)
    return dict(document)


def attach(state: State, session: str) -> Steps[None]:
    """Takes over a session that is open in the daemon."""
    if not text_of("the session", session, "give its id or its name"):
        raise UsageError("the session's id is empty; give the id or the name of an open session")
    path = Request("GET", f"/v1/sessions/{quoted(session)}")
    answer: Answer = yield Send(path)
    document = document_of(answer)
    state.language = str(document["language"])
    state.opened(document["id"], ())


def quoted(text: str) -> str:
    return quote(text, safe="")
