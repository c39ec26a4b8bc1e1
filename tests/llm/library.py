# SPDX-License-Identifier: Apache-2.0
"""Tasks for a model through the library: glovebox_task of libglovebox.so, called by a program with ctypes."""

import json
import os
import subprocess
import sys

from models import CODE, GLOVEBOX, KEY, PROTOCOLS, OpenAI, Place
from server import PATIENCE, Answer, Server

LIBRARY = os.path.join(os.path.dirname(GLOVEBOX), "libglovebox.so")

# Arguments: the library, then a list of calls as JSON: ["set", name, value], ["task", name, text],
# ["file", name, text], ["events"], ["cancel", seconds]. Prints a JSON line for each.
CALLER = r"""
import ctypes, json, sys, threading
lib = ctypes.CDLL(sys.argv[1])
for name, kind in (("open", ctypes.c_void_p), ("task", ctypes.c_void_p), ("error", ctypes.c_char_p), ("set", ctypes.c_int),
                   ("free", None), ("close", None), ("on_event", None), ("cancel", None)):
    getattr(lib, "glovebox_" + name).restype = kind
box = ctypes.c_void_p(lib.glovebox_open())
seen = []
EVENT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
event = EVENT(lambda ctx, p, n: seen.append(json.loads(ctypes.string_at(p, n))))
for what, *more in json.loads(sys.argv[2]):
    if what == "events":
        lib.glovebox_on_event(box, event, None)
        continue
    if what == "cancel":
        threading.Timer(more[0], lambda: lib.glovebox_cancel(box)).start()
        continue
    if what == "file":
        got = lib.glovebox_add_file(box, more[0].encode(), more[1].encode(), len(more[1]))
    elif what == "set":
        got = lib.glovebox_set(box, more[0].encode(), more[1].encode())
    else:
        text = more[1].encode()
        p = lib.glovebox_task(box, more[0].encode(), text, len(text))
        got = json.loads(ctypes.string_at(p)) if p else None
        if p:
            lib.glovebox_free(ctypes.c_void_p(p))
    print(json.dumps([got, lib.glovebox_error(box).decode(), seen]), flush=True)
    seen.clear()
lib.glovebox_close(box)
"""


def calls(tap, p, server, *wanted):
    place = Place(tap)
    env = place.env({p.variable: KEY, p.url_variable: server.url + (p.suffix if p is OpenAI else "")})
    done = subprocess.run([sys.executable, "-c", CALLER, LIBRARY, json.dumps(wanted)], cwd=place.work, env=env, capture_output=True,
                          timeout=PATIENCE)
    if done.returncode:
        tap.ok(False, "the program that calls the library ends", done)
    tap.ok(KEY.encode() not in done.stdout + done.stderr, "no key in what it got", done)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_generate(tap):
    for p in PROTOCOLS:
        with Server([Answer(body=p.whole()), Answer(body=p.stream(), kind="text/event-stream")]) as server:
            got = calls(tap, p, server, ["set", "model", p.model], ["set", "provider", p.name], ["set", "log", "off"],
                        ["task", "generate", '{"task": "print a drink"}'], ["events"],
                        ["task", "generate", '{"task": "print a drink", "temperature": 1}'])
            tap.equal([g[0] for g in got[:3]], [0, 0, 0], p.name + ": options of a model")
            tap.equal((got[3][0]["code"], got[3][0]["provider"], got[3][2]), (CODE, p.name, []), p.name + ": a program")
            tap.equal([e["event"] for e in got[4][2] if e["event"] != "text"], ["asks", "code"], p.name + ": events")
            tap.equal(p.key_of(server.requests[0]), KEY, p.name + ": the key of the environment")


def test_flows(tap):
    replies = ["```python\nx = 20\n```", "```python\nfinal_answer(x + 1)\n```", "```python\nprint(1)\n```", "6 * 7"]
    with Server([Answer(body=OpenAI.whole(r)) for r in replies]) as server:
        got = calls(tap, OpenAI, server, ["set", "model", "gpt-test"], ["set", "log", "off"], ["events"],
                    ["task", "solve", '{"task": "x", "calls": "blocks"}'], ["task", "fix", '{"code": "1 / 0"}'], ["task", "math", '{"task": "x"}'])
    tap.equal((got[2][0]["answer"], got[3][0]["success"], got[4][0]["value"]), (21, True, "42"), "solve, fix and math")
    tap.ok({"asks", "code", "ran", "step"} <= {e["event"] for e in got[2][2]}, "events of solve", got[2][2])


def test_analyze(tap):
    with Server([Answer(body=OpenAI.whole("```python\nprint(open('d.csv').read()[-2])\n```"))]) as server:
        got = calls(tap, OpenAI, server, ["set", "model", "gpt-test"], ["set", "log", "off"], ["task", "analyze", '{"task": "x"}'],
                    ["file", "d.csv", "a,b\n1,7\n"], ["task", "analyze", '{"task": "x"}'])
    tap.ok(got[2][0] is None and "'files' is missing" in got[2][1], "analyze without files", got[2])
    tap.equal((got[3][0], got[4][0]["answer"], len(server.requests)), (0, "7\n", 1), "analyze", got[4])


def test_wrong(tap):
    with Server([Answer(body=OpenAI.whole())]) as server:
        got = calls(tap, OpenAI, server, ["task", "generate", '{"task": "x"}'], ["set", "model", "gpt-test"], ["task", "nothing", "{}"],
                    ["task", "generate", "{"], ["task", "generate", "[]"], ["task", "generate", "{}"],
                    ["task", "generate", '{"task": "x", "tsk": 1}'], ["task", "generate", '{"task": "x", "language": "klingon"}'],
                    ["set", "token-limit", "many"], ["set", "steps", "0"], ["set", "work-dir", "."],
                    ["task", "solve", '{"task": "x", "samples": 4, "answer_check": "True"}'])
        words = ["model", "", "nothing", "JSON", "object", "'task' is missing", "tsk", "klingon", "token-limit", "steps", "", "work_dir"]
        for (result, error, _), word in zip(got, words):
            tap.ok(not result if word in ("", "many") else result in (None, -1), "refused: " + word, result)
            tap.ok(word in error, "in words: " + word, error)
        tap.equal(server.requests, [], "and nothing was asked")


def test_cancel(tap):
    with Server([Answer(raw=b"", then="hold")]) as server:
        got = calls(tap, OpenAI, server, ["set", "model", "gpt-test"], ["cancel", 0.5], ["task", "generate", '{"task": "x"}'],
                    ["set", "task-timeout", "300ms"], ["task", "generate", '{"task": "x"}'])
        tap.ok("cancelled" in got[1][0]["error"], "glovebox_cancel", got[1])
        tap.ok("time" in got[3][0]["error"], "task-timeout", got[3])


def test(tap):
    test_generate(tap)
    test_flows(tap)
    test_analyze(tap)
    test_wrong(tap)
    test_cancel(tap)
