# SPDX-License-Identifier: Apache-2.0
"""Sessions over HTTP."""

import json
import os
import select
import threading
import time

from daemon import MARK, PATIENCE, SLEEP, Daemon
from procs import still_there, wait_for

ADD = {"name": "add", "description": "Adds.", "parameters": ["a", "b"]}


def opened(d, **fields):
    r = d.post("/v1/sessions", fields)
    assert r.status == 201, r
    return "/v1/sessions/" + r.json["id"]


def test_cells(tap, d):
    r = d.post("/v1/sessions", {"name": "mine"})
    tap.equal((r.status, r.json["state"], r.json["name"], r.json["cells"]), (201, "idle", "mine", 0),
              "a session is opened", r)
    s = "/v1/sessions/" + r.json["id"]
    d.post(s + "/exec", {"code": "x = 5"})
    r = d.post(s + "/exec", {"code": "print(x)\nx + 1"}).json
    tap.equal((r["stdout"], r["value"], r["cell"]["number"]), ("5\n", 6, 2), "state lasts", r)
    r = d.post(s + "/exec", {"code": "y = 1\n1 / 0"})
    tap.equal((r.status, r.json["exception"]["type"]), (200, "ZeroDivisionError"), "a cell fails", r)
    r = d.post(s + "/exec", {"code": "input()", "stdin": "in\n"}).json
    tap.equal(r["value"], "in", "stdin", r)
    r = d.post(s + "/exec", {"code": "print('a')\n2"}, lines=True).lines
    tap.equal((r[-1]["event"], r[-1]["result"]["value"]), ("finished", 2), "a cell's lines", r)
    tap.equal(d.post(s + "/set", {"values": {"v": [1, "b"]}}).json["done"], True, "set")
    r = d.post(s + "/get", {"names": ["v", "x", "none"]}).json
    tap.equal((r["values"], r["missing"]), ({"v": [1, "b"], "x": 5}, ["none"]), "get")
    r = d.post(s + "/exec", {"code": "1", "timeout_ms": 10 ** 9})
    tap.equal(r.status, 403, "a cell's ceiling", r)
    r = d.post(s + "/exec", {"code": "1", "timeout_ms": 0})
    tap.ok(r.status == 403 and "0 means no limit, and this daemon allows at most 3600000" in r.message, "no limit is more than it, as of a run", r)
    r = d.post(s + "/exec", {"code": "1", "cpu_time_ms": 0}).json
    tap.equal(r["value"], 1, "where there is no ceiling there may be no limit", r)
    r = d.get(s).json
    tap.ok(r["cells"] >= 5 and r["memory_bytes"] > 0, "how it is", r)
    tap.equal([x["name"] for x in d.get("/v1/sessions").json["sessions"]], ["mine"], "the list")
    for what in ("restart", "interrupt", "fork"):
        for body, words in (({"x": 1}, "no field 'x'"), (b"{", "not JSON"), (b"[]", "object")):
            r = d.post(s + "/" + what, body)
            tap.ok(r.status == 400 and words in r.message, "%s with %r" % (what, body), r)
    tap.equal(d.call("POST", s + "/interrupt").status, 200, "an empty body is an empty object")
    r = d.post(s + "/restart").json
    tap.equal(d.post(s + "/exec", {"code": "x"}).json["exception"]["type"], "NameError", "restart")
    busy = d.begin("POST", s + "/exec", {"code": SLEEP % 60, "no_check": True})
    guests = wait_for(d.guests)
    tap.equal(d.call("DELETE", s).json["closed"], True, "closed")
    tap.ok(guests and wait_for(lambda: not still_there(guests)), "and its guest is gone")
    busy.close()
    for method, path in (("GET", s), ("DELETE", s), ("POST", s + "/exec"), ("GET", s + "/files")):
        body = {"code": "1"} if method == "POST" else None
        tap.equal(d.call(method, path, body).status, 404, "%s of none" % method)


def test_data(tap, d):
    """What it begins with, also after a restart."""
    s = opened(d, data={"n": 7, "q": {"a": [1, 2.5, None]}})
    tap.equal(value(d, s, "[n, q == {'a': [1, 2.5, None]}]"), [7, True], "data is bound")
    d.post(s + "/exec", {"code": "n = 9"})
    d.post(s + "/restart", {})
    tap.equal(value(d, s, "n"), 7, "and again after a restart")
    tap.equal(value(d, opened(d, language="javascript", data={"n": [7]}), "n[0] + 1"), 8, "in JavaScript too")
    said = d.post("/v1/sessions", {"optimize_data": True})
    tap.ok(said.status == 400 and "optimize_data" in str(said.json), "tables are a run's to read", said)


def test_order(tap, d):
    s = opened(d)
    d.post(s + "/exec", {"code": "seen = []"})
    five = []
    for i in range(5):
        five.append(d.begin("POST", s + "/exec", {"code": "import time; time.sleep(0.1); seen.append(%d)" % i}))
        d.get("/healthz")  # which is answered after what came before
    for c in five:
        c.getresponse()
        c.close()
    r = d.post(s + "/exec", {"code": "seen"}).json
    tap.equal(r["value"], [0, 1, 2, 3, 4], "cells wait for each other, in order", r)
    busy = d.begin("POST", s + "/exec", {"code": "import time; time.sleep(300)"})
    wait_for(lambda: d.get(s).json["state"] == "busy")
    waiting = [d.begin("POST", s + "/exec", {"code": "1"}) for _ in range(66)]
    answered, _, _ = select.select([c.sock for c in waiting], [], [], PATIENCE)
    codes = [c.getresponse().status for c in waiting if c.sock in answered]
    tap.ok(429 in codes, "a session's own queue has an end", codes)
    r = d.post("/v1/run", {"code": "print(1)"})
    tap.equal(r.status, 200, "and takes no worker from others")
    r = d.post(s + "/exec", {"code": "1", "deadline_ms": 200})
    tap.ok(r.status in (503, 429), "a deadline while waiting for its turn", r)
    for c in waiting:
        c.close()
    tap.equal(d.post(s + "/interrupt").json["interrupted"], True, "interrupt")
    r = json.loads(busy.getresponse().read())
    tap.equal(r["cell"]["ended"], "interrupted", "the cell ends, the session goes on", r)
    tap.equal(d.post(s + "/exec", {"code": "len(seen)"}).json["value"], 5, "with its variables")
    busy = d.begin("POST", s + "/exec", {"code": "import time; time.sleep(300)"})
    wait_for(lambda: d.get(s).json["state"] == "busy")
    busy.sock.close()
    tap.ok(wait_for(lambda: d.get(s).json["state"] != "busy"), "a client that goes ends its cell")
    d.call("DELETE", s)


def test_tools(tap, d):
    s = opened(d, tools=[ADD, {"name": "slow", "timeout_ms": 300}])
    r = d.post(s + "/exec", {"code": "add(1, 2)"}).json
    tap.ok("stream" in r["exception"]["message"], "a tool needs who reads the stream", r["exception"])
    code = ("print(add(1, b=[2, None, 'x']))\n"
            "try:\n    add(2, 3)\nexcept Exception as e:\n    print(type(e).__name__, e)\n"
            "try:\n    slow()\nexcept TimeoutError as e:\n    print('late')")
    c = d.begin("POST", s + "/exec", {"code": code}, lines=True)
    answer, events = c.getresponse(), []
    for line in iter(answer.readline, b""):
        e = json.loads(line)
        events.append(e)
        if e["event"] != "tool" or e["name"] != "add":
            continue
        path = "%s/answers/%d" % (s, e["call"])
        if e["args"] == [1]:
            tap.equal(e["kwargs"], {"b": [2, None, "x"]}, "a call's arguments")
            tap.equal(d.post("%s/answers/99" % s, {"ok": 1}).status, 404, "no such call")
            tap.equal(d.post(path, {"okay": 1}).status, 400, "no such answer")
            tap.equal(d.post(path, {"ok": {"sum": 3}}).status, 200, "an answer")
            tap.equal(d.post(path, {"ok": 1}).status, 404, "one answer a call")
        else:
            d.post(path, {"error": {"type": "TypeError", "message": "not these"}})
    out = "".join(e["text"] for e in events if e["event"] == "stdout")
    tap.equal(out, "{'sum': 3}\nTypeError not these\nlate\n", "tools are called and answered", events[-1])
    r = d.post("/v1/sessions", {"tools": [{"name": "not a name"}]})
    tap.equal(r.status, 400, "a tool's name", r)
    d.call("DELETE", s)


def test_tool_limits(tap, d):
    s = opened(d, tools=[ADD], tool_timeout_ms=2 ** 63 - 1)
    c = d.begin("POST", s + "/exec", {"code": "add(1, 2)"}, lines=True)
    events = []
    answer = c.getresponse()
    for line in iter(answer.readline, b""):
        events.append(json.loads(line))
        if events[-1]["event"] == "tool":
            r = d.post("%s/answers/%d" % (s, events[-1]["call"]), {"ok": "x" * (5 << 20)})
            tap.equal(r.status, 413, "an answer that is larger than any tool's may be", r)
            d.post("%s/answers/%d" % (s, events[-1]["call"]), {"ok": 3})
    tap.equal(events[-1]["result"]["value"], 3, "a call that may take for ever", events[-1])
    d.call("DELETE", s)


def answered(d, s, code, tools):
    """A cell's result, with its calls answered."""
    answer = d.begin("POST", s + "/exec", {"code": code}, lines=True).getresponse()
    for line in iter(answer.readline, b""):
        e = json.loads(line)
        if e["event"] == "tool":
            d.post("%s/answers/%d" % (s, e["call"]), tools[e["name"]](*e["args"], **e["kwargs"]))
    return e["result"]


def test_changed_tools(tap, d):
    schema = {"type": "object", "properties": {"limit": {"type": "integer", "default": 3}, "q": {"type": "string"}},
              "required": ["q"]}
    s = opened(d, tools=[ADD])
    tools = {"find": lambda q, limit=3: {"ok": q * limit}, "add": lambda a, b: {"ok": a + b}}
    tap.equal(answered(d, s, "find('a')", tools)["exception"]["type"], "NameError", "a tool that is not there yet")
    r = d.post(s + "/tools", {"name": "find", "description": "Finds.", "parameters": schema, "returns": "str"})
    tap.equal((r.status, r.json["done"]), (200, True), "a tool is added", r)
    tap.equal(answered(d, s, "find('a'), add(1, b=2)", tools)["value"]["items"], ["aaa", 3], "... beside the others")
    r = answered(d, s, "import inspect; str(inspect.signature(find)) + find.__doc__", tools)
    tap.equal(r["value"], "(q: str, limit: int = 3) -> strFinds.", "... with its signature", r)
    r = d.post(s + "/tools", {"name": "find", "parameters": []})
    tap.equal(answered(d, s, "find('a')", tools)["exception"]["type"], "TypeError", "... and replaced", r)
    for body, words in (({}, "'name' is missing"), ({"name": "a b"}, "not a valid tool name"),
                        ({"name": "a", "parameters": "x"}, "list of names"), ({"nam": "a"}, "'nam'")):
        r = d.post(s + "/tools", body)
        tap.ok(r.status == 400 and words in r.json["error"]["message"], "refused: %s" % body, r)
    r = d.call("DELETE", s + "/tools/find")
    tap.equal((r.status, r.json["done"]), (200, True), "a tool is removed", r)
    tap.equal(answered(d, s, "find('a')", tools)["exception"]["type"], "NameError", "... inside, too")
    r = d.call("DELETE", s + "/tools/find")
    tap.ok(r.status == 400 and "no tool 'find'" in r.json["error"]["message"], "... once", r)
    d.post(s + "/tools", {"name": "find"})
    d.post(s + "/restart", {})
    tap.equal(answered(d, s, "find('a')", tools)["value"], "aaa", "an added tool outlives a restart")
    d.call("DELETE", s)


def test_tool_closed(tap, d):
    """A call that nobody can answer any more says why."""
    s = opened(d, tools=[ADD], grace_ms=2000)
    code = ("import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
            "try:\n    add(1, 2)\nexcept Exception as e:\n    print(repr(e), flush=True)")
    c = d.begin("POST", s + "/exec", {"code": code, "no_check": True}, lines=True)
    events, answer = [], c.getresponse()
    for line in iter(answer.readline, b""):
        events.append(json.loads(line))
        if events[-1]["event"] == "tool":
            d.call("DELETE", s)
    out = "".join(e["text"] for e in events if e["event"] == "stdout")
    tap.ok("the session was closed" in out, "a call of a session that is closed", events)


def test_texts(tap, d):
    """What a session is opened with is looked at then, and told in words of the request."""
    r = d.post("/v1/sessions", {"tools_source": "def f(:"})
    tap.ok(r.status == 400 and "'tools_source', line 1: SyntaxError" in r.message, "tools that do not compile", r)
    r = d.post("/v1/sessions", {"tools_source": "#" * (2 << 20)})
    tap.ok(r.status == 400 and "more than 1 MiB" in r.message, "tools without end", r)
    r = d.post("/v1/sessions", {"prelude": "1 / 0"})
    tap.ok(r.status == 400 and "line 1: ZeroDivisionError" in r.message and "/proc" not in r.message,
           "a prelude that fails", r)


def test_names(tap, d):
    for name, status in (("\u00e9" * 200, 201), ("\u00e9" * 201, 400)):
        r = d.post("/v1/sessions", {"name": name})
        tap.equal(r.status, status, "a name of %d characters" % len(name), r)
        if r.status == 201:
            d.call("DELETE", "/v1/sessions/" + r.json["id"])
    s = opened(d, name="one")
    for r in together(4, lambda i: d.post("/v1/sessions", {"name": "one"})):
        tap.ok(r.status == 409 and "has the name 'one' already" in r.message, "no two of one name", r)
    answers = together(4, lambda i: d.post("/v1/sessions", {"name": "two"}))
    tap.equal(sorted(r.status for r in answers), [201, 409, 409, 409], "nor at the same time")
    f = d.post(s + "/fork", {"name": "one"})
    tap.ok(f.status in (409, 501), "nor by a fork", f)
    names = [e["name"] for e in d.get("/v1/sessions").json["sessions"]]
    tap.equal((names.count("one"), names.count("two")), (1, 1), "those are closed", names)
    d.call("DELETE", s)
    tap.equal(d.post("/v1/sessions", {"name": "one"}).status, 201, "a name is free after its session")


STOPPED = """
import ctypes, os, signal, time
ctypes.CDLL(None).prctl(15, b'%s', 0, 0, 0)
if os.fork() == 0:
    time.sleep(0.5)
    os.kill(os.getppid(), signal.SIGSTOP)
    os._exit(0)
"""


def is_stopped(process):
    try:
        with open("/proc/%d/stat" % process[0]) as f:
            return f.read().rpartition(")")[2].split()[0] == "T"
    except OSError:
        return False


def test_close_stuck(tap, d):
    """A guest that does not answer for variables is no reason to keep its session."""
    s = opened(d, timeout_ms=3600000, grace_ms=300)
    d.post(s + "/exec", {"code": STOPPED % MARK, "no_check": True})
    tap.ok(wait_for(lambda: any(map(is_stopped, d.guests()))), "a guest stops", d.guests())
    asks = d.begin("POST", s + "/get", {"names": ["os"]})
    wait_for(lambda: d.figure("glovebox_workers_busy") == 1)
    guests = d.guests()
    tap.equal(d.call("DELETE", s).status, 200, "its session is closed while it is asked for a variable")
    tap.ok(wait_for(lambda: not still_there(guests), 30), "it is gone soon", still_there(guests))
    r = asks.getresponse()
    body = r.read()
    tap.ok(r.status == 409 and b"the session was closed" in body, "and who asked is told", r.status, body)
    asks.close()


def what_came(connection):
    """Of a request to a session that was being closed; "" when it is as it should be."""
    r = connection.getresponse()
    body = r.read()
    connection.close()
    lines = r.headers["Content-Type"] == "application/x-ndjson"
    good = b'"finished"' in body if lines else r.status in (200, 201, 404) or b"the session was closed" in body
    return "" if good else "%d %r" % (r.status, body[:200])


def test_close_any_moment(tap, d):
    wrong = []
    for k in range(12):
        s = opened(d, grace_ms=300)
        asks = [d.begin("POST", s + "/exec", {"code": "for i in range(20000): pass"}, lines=i == 0) for i in range(3)]
        asks += [d.begin("POST", s + "/" + what, body) for what, body in (
            ("get", {"names": ["i"]}), ("set", {"values": {"y": 1}}), ("fork", {}), ("restart", {}))]
        asks.append(d.begin("GET", s + "/files"))
        time.sleep(k * 0.004)
        d.call("DELETE", s)
        wrong += filter(None, map(what_came, asks))
    tap.equal(wrong, [], "closed at any moment, all who asked are told")
    for x in d.get("/v1/sessions").json["sessions"]:
        d.call("DELETE", "/v1/sessions/" + x["id"])
    tap.ok(wait_for(lambda: d.figure("glovebox_sessions") == 0 and d.figure("glovebox_workers_busy") == 0),
           "nothing is left")


def test_close_queued(tap, d):
    s = opened(d)
    blocker = d.sleep(120)
    wait_for(d.guests)
    waits = d.begin("POST", s + "/exec", {"code": "1"})
    wait_for(lambda: d.figure("glovebox_queue_length") >= 1)
    d.get("/healthz")  # which is answered after what came before
    d.call("DELETE", s)
    r = waits.getresponse()
    body = r.read()
    tap.ok(r.status == 409 and b"the session was closed" in body,
           "a cell that waits for a worker when its session is closed", r.status, body)
    waits.close()
    blocker.close()


def test_waiting_bytes(tap, d):
    """What waits for a session's turn is held in memory."""
    s = opened(d)
    busy = d.begin("POST", s + "/exec", {"code": "import time; time.sleep(300)"})
    wait_for(lambda: d.get(s).json["state"] == "busy")
    body = b'{"code": "' + b"1" * (30 << 20) + b'"}'
    waiting = [d.begin("POST", s + "/exec", body) for _ in range(10)]
    answered, _, _ = select.select([c.sock for c in waiting], [], [], PATIENCE)
    codes = [c.getresponse().status for c in waiting if c.sock in answered]
    tap.ok(codes and set(codes) == {503}, "too much waits for sessions", codes)
    for c in [busy] + waiting:
        c.close()
    d.call("DELETE", s)


def test_files(tap, d):
    s = opened(d, files={"in.txt": "there"})
    tap.equal(d.get(s + "/files/in.txt").body, b"there", "a file of the request")
    big = os.urandom(3 << 20)
    r = d.call("PUT", s + "/files/d/big%20%C3%A9.bin", big)
    tap.equal(r.status, 201, "put", r)
    r = d.post(s + "/exec", {"code": "len(open('d/big é.bin', 'rb').read())"}).json
    tap.equal(r["value"], len(big), "the guest sees it", r)
    tap.equal(d.get(s + "/files/d/big%20%C3%A9.bin").body == big, True, "get")
    names = {f["path"]: f["size"] for f in d.get(s + "/files").json["files"]}
    tap.equal(names.get("d/big é.bin"), len(big), "the list of files", names)
    d.post(s + "/exec", {"code": "import os; os.symlink('/etc/passwd', 'l')", "no_check": True})
    for path, status in (("l", 404), ("..%2f..%2fetc/passwd", 400), ("../../etc/passwd", 400), ("%2fetc/passwd", 400),
                         ("none", 404), ("none/x", 404), ("d", 404), ("..%2fx", 400)):
        r = d.get(s + "/files/" + path)
        tap.ok(r.status == status and b"root:" not in r.body, "no file " + path, r)
    tap.equal(d.call("PUT", s + "/files/../x", b"x").status, 400, "no way out for what is put")
    tap.equal(d.call("PUT", s + "/files/huge", b"x" * (5 << 20)).status, 413, "an upload's ceiling")
    tap.equal(d.call("DELETE", s + "/files/in.txt").status, 200, "delete")
    tap.equal(d.get(s + "/files/in.txt").status, 404, "is gone")
    d.post(s + "/exec", {"code": "os.makedirs('locked/in'); os.chmod('locked', 0o555)", "no_check": True})
    for method, path, status, word in (("DELETE", "d", 409, "not empty"), ("DELETE", "..%2fx", 400, ".."),
                                       ("DELETE", "none", 404, "no file"), ("PUT", "d", 409, "folder"),
                                       ("PUT", "d/big%20%C3%A9.bin/x", 409, "in the way"),
                                       ("PUT", "locked/x", 409, "unwritable"), ("PUT", "locked/y/x", 409, "unwritable")):
        r = d.call(method, s + "/files/" + path, b"x" if method == "PUT" else None)
        tap.ok(r.status == status and word in r.message, "%s %s" % (method, path), r)
    r = d.call("DELETE", s + "/files/locked/in")
    tap.ok(r.status in (200, 409), "DELETE in a locked folder", r)
    d.call("DELETE", s)


def test_end(tap, d):
    s = opened(d, idle_ms=400)
    tap.ok(wait_for(lambda: d.get(s).status == 404 if time.sleep(0.6) is None else None),
           "a session that nobody uses is closed")
    tap.ok(d.figure("glovebox_sessions_expired_total") >= 1, "which is counted")
    all_of_them = [opened(d) for _ in range(3)]
    r = d.post("/v1/sessions", {})
    tap.ok(r.status == 429 and "close one" in r.message, "too many sessions", r)
    s = all_of_them[0]
    r = d.post(s + "/exec", {"code": "import os; os._exit(3)", "no_check": True})
    tap.equal(r.json["cell"]["ended"], "died", "a guest that ends itself", r)
    r = d.post(s + "/exec", {"code": "1"})
    tap.equal(r.status, 409, "no cell in a dead session", r)
    tap.equal(d.get(s).json["state"], "dead", "which it is")
    d.call("DELETE", all_of_them.pop())  # or a fork would be one too many
    for what, body in (("set", {"values": {"x": 1}}), ("get", {"names": ["x"]}), ("fork", {})):
        r = d.post(s + "/" + what, body)
        tap.ok(r.status == 409 and "restart it" in r.message, "nor %s" % what, r)
    d.post(s + "/restart")
    tap.equal(d.post(s + "/exec", {"code": "1"}).json["value"], 1, "until it is restarted")
    busy = d.begin("POST", s + "/exec", {"code": "import time; time.sleep(300)"})
    wait_for(lambda: d.get(s).json["state"] == "busy")
    d.call("DELETE", s)
    tap.ok(busy.getresponse().status in (200, 409, 503), "closing ends what runs")
    for s in all_of_them[1:]:
        d.call("DELETE", s)
    tap.ok(wait_for(lambda: d.figure("glovebox_sessions") == 0 and
                    d.figure("glovebox_workers_busy") == 0), "nothing is left")


def no_forks(tap, d):
    """Says so where this host has none."""
    s = opened(d)
    r = d.post(s + "/fork", {})
    d.call("DELETE", s)
    if r.status == 201:
        d.call("DELETE", "/v1/sessions/" + r.json["id"])
        return False
    tap.equal(r.status, 501, "where there are no forks, that is said", r)
    tap.skip("forks", "no forks here: " + r.message)
    return True


def forked(d, s, **fields):
    r = d.post(s + "/fork", fields)
    assert r.status == 201, r
    return "/v1/sessions/" + r.json["id"]


def value(d, s, code):
    return d.post(s + "/exec", {"code": code}).json["value"]


def test_fork(tap, d):
    if no_forks(tap, d):
        return
    s = opened(d, files={"f": "f"})
    d.post(s + "/exec", {"code": "x = 1; open('g', 'w').write('g')"})
    r = d.call("POST", s + "/fork", b"", headers={"Content-Type": "application/x-www-form-urlencoded"})
    tap.equal(r.status, 201, "fork, with an empty body", r)
    d.call("DELETE", "/v1/sessions/" + r.json["id"])
    r = d.post(s + "/fork", {"name": "child"})
    tap.equal((r.status, r.json["parent"], r.json["name"], r.json["cells"], r.json["state"]),
              (201, s.rpartition("/")[2], "child", 1, "idle"), "fork", r)
    f = "/v1/sessions/" + r.json["id"]
    d.post(f + "/exec", {"code": "x = 2; open('g', 'a').write('2')"})
    tap.equal([value(d, p, "x") for p in (s, f)], [1, 2], "they share no variables")
    tap.equal([d.get(p + "/files/g").body for p in (s, f)], [b"g", b"g2"], "nor files")
    g = forked(d, f)
    tap.equal(value(d, g, "x"), 2, "a fork of a fork")
    tap.ok(d.figure("glovebox_sessions_forked_total") >= 2, "which is counted")
    d.call("DELETE", s)
    tap.equal([value(d, p, "x") for p in (f, g)], [2, 2], "the first is closed first")
    r = d.post(f + "/exec", {"code": "print('a')\nx", "deadline_ms": 60000}, lines=True).lines
    tap.equal((r[-1]["event"], r[-1]["result"]["value"]), ("finished", 2), "a fork's lines", r)
    busy = d.begin("POST", f + "/exec", {"code": "import time; time.sleep(60)"})
    wait_for(lambda: d.get(f).json["state"] == "busy")
    tap.equal(d.post(f + "/interrupt").json["interrupted"], True, "interrupt")
    tap.equal(json.loads(busy.getresponse().read())["cell"]["ended"], "interrupted", "reaches it")
    waits = d.begin("POST", f + "/exec", {"code": "import time; time.sleep(1.5); x = 9"})
    wait_for(lambda: d.get(f).json["state"] == "busy")
    tap.equal(value(d, forked(d, f), "x"), 9, "a fork waits for its turn")
    waits.close()
    d.post(g + "/exec", {"code": "import threading\ngo = threading.Event()\n"
                                 "th = threading.Thread(target=go.wait)\nth.start()"})
    r = d.post(g + "/fork", {})
    tap.ok(r.status == 501 and "thread" in r.message, "threads run inside", r)
    d.post(g + "/exec", {"code": "go.set(); th.join()"})
    for x in d.get("/v1/sessions").json["sessions"]:
        d.call("DELETE", "/v1/sessions/" + x["id"])
    for fields, word in (({"forks": 0}, "forks disabled"), ({"cold": True}, "cold"), ({"language": "bash"}, "bash")):
        s = opened(d, **fields)
        r = d.post(s + "/fork", {})
        tap.ok(r.status == 501 and word in r.message, "no forks: " + word, r)
        d.call("DELETE", s)
    s = opened(d, forks=1)
    r = d.post(forked(d, s) + "/fork", {})
    tap.ok(r.status == 413 and "maximum depth" in r.message, "no more levels than were asked for", r)
    for x in d.get("/v1/sessions").json["sessions"]:
        d.call("DELETE", "/v1/sessions/" + x["id"])


def test_fork_tools(tap, d):
    """A tool is asked of who reads the fork's stream."""
    if no_forks(tap, d):
        return
    f = forked(d, opened(d, tools=[ADD]))
    answer = d.begin("POST", f + "/exec", {"code": "add(1, 2)"}, lines=True).getresponse()
    for line in iter(answer.readline, b""):
        e = json.loads(line)
        if e["event"] == "tool":
            d.post("%s/answers/%d" % (f, e["call"]), {"ok": 3})
    tap.equal(e["result"]["value"], 3, "a fork's tools", e)
    for x in d.get("/v1/sessions").json["sessions"]:
        d.call("DELETE", "/v1/sessions/" + x["id"])


def test_try(tap, d):
    if no_forks(tap, d):
        return
    s = opened(d, grace_ms=3000)
    d.post(s + "/exec", {"code": "x = 1"})

    def tried(code, **fields):
        r = d.post(s + "/exec", {"code": code, "attempt": True, **fields})
        return r.status, r.json["cell"]["ended"], r.json["cell"]["attempt"]

    tap.equal(tried("x = 2"), (200, "done", "kept"), "a cell that succeeds")
    tap.equal(tried("x = 3\nopen('f', 'w')\n1 / 0"), (200, "failed", "dropped"), "and one that fails")
    tap.equal((value(d, s, "x"), d.get(s + "/files").json["files"]), (2, []), "leaves nothing")
    tap.equal(tried("x = 3\nimport os; os._exit(1)", no_check=True), (200, "died", "dropped"), "one that kills")
    tap.equal(tried("x = 3\nwhile True: pass", timeout_ms=500, no_check=True), (200, "interrupted", "dropped"), "too long")
    tap.equal((value(d, s, "x"), d.get(s).json["state"]), (2, "idle"), "leave nothing either")
    tap.equal(tried("x = 4", attempt_drop=True), (200, "done", "dropped"), "attempt_drop")
    tap.equal(tried("x = 5\n1 / 0", attempt_keep=True), (200, "failed", "kept"), "attempt_keep")
    tap.equal(value(d, s, "x"), 5, "keeps")
    r = d.post(s + "/exec", {"code": "x"}).json
    tap.equal(r["cell"]["attempt"], None, "a cell that is not tried")
    r = d.post(s + "/exec", {"code": "1", "attempt": True, "attempt_keep": True, "attempt_drop": True})
    tap.equal(r.status, 400, "both")
    tap.equal(d.post(s + "/exec", {"code": "1", "attempt_drop": True}).status, 400, "without attempt")
    r = d.post(s + "/exec", {"code": "1 / 0", "attempt": True}, lines=True).lines
    tap.equal((r[-1]["event"], r[-1]["result"]["cell"]["attempt"]), ("finished", "dropped"), "as lines", r[-1])
    busy = d.begin("POST", s + "/exec", {"code": "x = 7\nimport time; time.sleep(60)", "attempt": True})
    wait_for(lambda: d.get(s).json["state"] == "busy")
    busy.close()
    tap.ok(wait_for(lambda: d.get(s).json["state"] == "idle"), "a client that goes")
    tap.equal(value(d, s, "x"), 5, "undoes it")
    b = opened(d, language="bash")
    r = d.post(b + "/exec", {"code": "echo 1", "attempt": True})
    tap.equal((r.status, r.json["error"]["kind"]), (501, "unsupported"), "no tries in Bash", r)
    for x in (s, b):
        d.call("DELETE", x)


def test_fork_ceiling(tap, d):
    if no_forks(tap, d):
        return
    s = opened(d)
    forks = [forked(d, s) for _ in range(2)]
    r = d.post(s + "/fork", {})
    tap.ok(r.status == 429 and "close one" in r.message, "forks count among the sessions", r)
    d.call("DELETE", forks[0])
    tap.equal(value(d, forked(d, forks[1]), "1"), 1, "one was closed: there is room")
    for x in d.get("/v1/sessions").json["sessions"]:
        d.call("DELETE", "/v1/sessions/" + x["id"])
    tap.ok(wait_for(lambda: d.figure("glovebox_sessions") == 0 and d.figure("glovebox_workers_busy") == 0),
           "nothing is left")


def together(count, act):
    """What act(i) gives for each of them, in threads of their own."""
    found = [None] * count

    def keep(i):
        found[i] = act(i)
    threads = [threading.Thread(target=keep, args=(i,)) for i in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return found


def test_cold(tap, d):
    """Guests that were started cold die with the thread that started them: which must therefore stay, however many
    there were at one time."""
    count = 24
    sessions = together(count, lambda i: opened(d, cold=True, language=("python", "bash")[i % 2]))
    for _ in range(3):
        together(8, lambda i: d.run("pass"))
        time.sleep(0.2)
    states = [d.get(s).json["state"] for s in sessions]
    tap.equal(states, ["idle"] * count, "cold sessions outlive a crowd")
    answers = together(count, lambda i: d.post(sessions[i] + "/exec", {"code": ("print(1)", "echo 1")[i % 2]}).json["stdout"])
    tap.equal(answers, ["1\n"] * count, "and answer")
    together(count, lambda i: d.call("DELETE", sessions[i]))


def test(tap):
    with Daemon("--max-upload", "4m") as d:
        for part in (test_cells, test_data, test_order, test_tools, test_files, test_fork, test_fork_tools,
                     test_try, test_cold, test_tool_limits, test_changed_tools, test_tool_closed, test_texts, test_names,
                     test_close_stuck, test_close_any_moment, test_waiting_bytes):
            part(tap, d)
    with Daemon("--workers", "1") as d:
        test_close_queued(tap, d)
    with Daemon("--sessions", "3") as d:
        test_end(tap, d)
        test_fork_ceiling(tap, d)
