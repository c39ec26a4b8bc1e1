# SPDX-License-Identifier: Apache-2.0
"""Cells that ask: input() and getpass(), answered by the client of the stream."""

import json

from daemon import Daemon


def opened(d, **fields):
    r = d.post("/v1/sessions", fields)
    assert r.status == 201, r
    return "/v1/sessions/" + r.json["id"]


def asking(d, s, code, answers, **fields):
    """Runs a cell and answers its events, one after the other; all events."""
    events, answers = [], list(answers)
    body = dict(fields, code=code, answers_input=True)
    answer = d.begin("POST", s + "/exec", body, lines=True).getresponse()
    for line in iter(answer.readline, b""):
        e = json.loads(line)
        events.append(e)
        if e["event"] == "input":
            r = d.post("%s/answers/%d" % (s, e["call"]), answers.pop(0))
            assert r.status == 200, r
    return events


def inputs(events):
    return [(e["prompt"], e["hidden"]) for e in events if e["event"] == "input"]


def test_answers(tap, d):
    s = opened(d)
    code = "import getpass\na = input('name? ')\nb = input()\nc = getpass.getpass('word: ')\na, b, c"
    events = asking(d, s, code, [{"ok": "\u00e9"}, {"ok": ""}, {"ok": "hush"}])
    tap.equal(inputs(events), [("name? ", False), ("", False), ("word: ", True)], "input() and getpass() are events")
    tap.equal(events[-1]["result"]["value"]["items"], ["\u00e9", "", "hush"], "with the client's answers", events[-1])
    tap.ok("tool" not in {e["event"] for e in events}, "and no calls of tools")
    for given, want in (({"ok": None}, "EOFError"), ({"ok": False}, "KeyboardInterrupt"), ({"ok": 7}, "TypeError"),
                        ({"error": {"type": "ValueError", "message": "no"}}, "ValueError")):
        code = "try: input('? ')\nexcept BaseException as e: kind = type(e).__name__\nkind"
        events = asking(d, s, code, [given])
        tap.equal(events[-1]["result"]["value"], want, "the answer %r" % given, events[-1])
    events = asking(d, s, "input(), input()", [], stdin="a\nb\n")
    tap.equal((inputs(events), events[-1]["result"]["value"]["items"]), ([], ["a", "b"]), "stdin comes first")
    events = asking(d, s, "print('out', end=''); input()", [{"ok": "x"}])
    order = [e["event"] for e in events if e["event"] in ("stdout", "input")]
    tap.equal(order, ["stdout", "input"], "what was printed comes before")


def test_times(tap, d):
    s = opened(d, timeout_ms=1500)
    r = d.post(s + "/exec", {"code": "input()", "timeout_ms": 60000}).json
    tap.equal((r["exception"]["type"], r["duration_ms"] < 20000), ("EOFError", True), "without a client, the end at once")
    r = d.post(s + "/exec", {"code": "import getpass; getpass.getpass()"}).json
    tap.equal(r["exception"]["type"], "EOFError", "the same for getpass()", r["exception"])
    lines = d.post(s + "/exec", {"code": "input()"}, lines=True).lines
    tap.equal((inputs(lines), lines[-1]["result"]["exception"]["type"]), ([], "EOFError"), "a stream alone is no answer")
    code = "n = 0\nfor i in range(1200):\n    try: input()\n    except EOFError: n += 1\nn"
    r = d.post(s + "/exec", {"code": code, "timeout_ms": 60000}).json
    tap.equal(r["value"], 1200, "as often as one likes", r["exception"])
    r = d.post(s + "/exec", {"code": "while True:\n    try: input()\n    except EOFError: pass"}).json
    tap.equal((r["timed_out"], r["cell"]["ended"]), (True, "interrupted"), "but not longer than the cell may")
    r = d.post(s + "/exec", {"code": "1", "answers_input": True})
    tap.ok(r.status == 400 and "'answers_input' requires a stream" in r.message, "answers need a stream", r)
    c = d.begin("POST", s + "/exec", {"code": "input()", "answers_input": True, "deadline_ms": 500}, lines=True)
    events = [json.loads(line) for line in c.getresponse()]
    tap.ok(len(inputs(events)) == 1 and not events[-1]["result"]["success"], "a deadline ends the wait", events[-1])
    f = d.post(s + "/fork", {})
    if f.status != 501:
        events = asking(d, "/v1/sessions/" + f.json["id"], "input()", [{"ok": "fork"}])
        tap.equal(events[-1]["result"]["value"], "fork", "a fork asks, too", events[-1])
    s = opened(d, tools=[{"name": "f"}])
    events = asking(d, s, "a = input(); a + input()", [{"ok": "1"}, {"ok": "2"}])
    tap.equal(events[-1]["result"]["value"], "12", "beside tools", events[-1])


def test(tap):
    with Daemon() as d:
        test_answers(tap, d)
        test_times(tap, d)
