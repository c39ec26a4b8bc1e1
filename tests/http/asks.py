# SPDX-License-Identifier: Apache-2.0
"""Cells that ask: input() and getpass(), answered by the client of the stream. And what a session is asked: the
list of its variables."""

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


def test_prompt(tap, d):
    """Where nobody answers, the prompt is in the output, as it is in a run."""
    s = opened(d)
    for stdin in (None, "", "a\nb\n"):
        code = "print('1', end='')\ntry: print(input('name? '), input())\nexcept EOFError as e: print(e)"
        more = {} if stdin is None else {"stdin": stdin}
        cell, run = d.post(s + "/exec", dict(more, code=code)).json, d.post("/v1/run", dict(more, code=code)).json
        tap.equal((cell["stdout"], cell["stderr"]), (run["stdout"], run["stderr"]), "input %r: a cell prints what a run prints" % stdin)
        tap.ok(cell["stdout"].startswith("1name? "), "... with the prompt", cell["stdout"])
    events = asking(d, s, "input('name? ')", [{"ok": True}])
    tap.equal(events[-1]["result"]["exception"]["type"], "TypeError", "a client does not answer for nobody", events[-1])


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


MADE = {
    "python": ("x = 5\ns = 'a' * 300\n_h = 1\ndef f(): pass\nbig = 10 ** 20000\nl = list(range(99))",
               {"x": ("int", "5"), "f": ("function", "<function f"), "big": ("int", "66439 bits"),
                "l": ("list", "[0, 1, 2"), "s": ("str", "'aaa")}),
    "javascript": ("let x = 5; const s = 'a'.repeat(300); let _h; function f() {}; var l = [1, 2]",
                   {"x": ("number", "5"), "f": ("Function", "[Function: f]"), "l": ("Array", "[ 1, 2 ]"),
                    "s": ("string", "'aaa")}),
    "bash": ("x=5; s=$(printf '%0300d' 1); declare -i n=3; a=(1 '2 3'); declare -A m=([k]=v); _h=1; export E=1",
             {"x": ("text", "5"), "n": ("integer", "3"), "a": ("array", "([0]=1 [1]=2 3)"), "m": ("map", "([k]=v)"),
              "E": ("text", "1"), "s": ("text", "000")}),
    "r": ("x <- 5; s <- strrep('a', 300); f <- function(a, b) a; v <- 1:99",
          {"x": ("numeric", "5"), "f": ("function", "function(a, b)"), "v": ("integer", "1 2 3"), "s": ("character", "aaa")}),
}
ODD = """class Odd:
    def __init__(self, do): self.do = do
    def __repr__(self): return self.do()
def leave(): raise SystemExit(3)
gone, lines = Odd(leave), Odd(lambda: 'a\\n\\x1b[2J' * 999)
inner = []
inner.append(inner)"""


def test_variables(tap, d):
    for language, (code, want) in MADE.items():
        r = d.post("/v1/sessions", {"language": language, "env": {"K": "v"}})
        if r.status == 501:
            continue
        s = "/v1/sessions/" + r.json["id"]
        d.post(s + "/exec", {"code": code})
        rows = d.post(s + "/get", {"list": True}).json["variables"]
        got = {row["name"]: (row["type"], row["value"]) for row in rows}
        same = got.keys() - {"K"} == want.keys() and all(
            got[n][0] == kind and got[n][1].startswith(value) for n, (kind, value) in want.items())
        tap.ok(same, "%s: the variables that cells made" % language, got)
        tap.ok(all(len(value) <= 80 for _, value in got.values()), "with short values", got)
        tap.equal([row["name"] for row in rows], sorted(got), "sorted")
    s = opened(d, grace_ms=1000)
    d.post(s + "/exec", {"code": ODD})
    got = {row["name"]: row["value"] for row in d.post(s + "/get", {"list": True, "names": []}).json["variables"]}
    tap.ok(got["gone"] == "<Odd object>" and "\n" not in got["lines"] and len(got["lines"]) <= 80 and "..." in got["inner"],
           "objects that show themselves oddly", got)
    r = d.post(s + "/get", {"names": ["inner"], "list": False}).json
    tap.ok("variables" not in r, "only when asked for", r)
    r = d.post(s + "/get", {})
    tap.ok(r.status == 400 and "'names' is missing; 'list'" in r.message, "nothing is asked for", r)
    d.post(s + "/exec", {"code": "def stay():\n    while True: pass\nx = Odd(stay)"})
    r = d.post(s + "/get", {"list": True})
    tap.ok(r.status in (502, 504, 408) and "could not be listed" in r.message, "one that takes too long", r)
    tap.equal(d.post(s + "/exec", {"code": "len(inner)"}).json["value"], 1, "the session goes on")


def test(tap):
    with Daemon() as d:
        test_variables(tap, d)
        test_answers(tap, d)
        test_prompt(tap, d)
        test_times(tap, d)
