# SPDX-License-Identifier: Apache-2.0
"""The clients of the mixture: each asks a daemon for something, and says which answers are right. Every number is a
request's own, so that an answer of another request is seen."""

import base64
import http.client
import json
import os
import subprocess
import threading
import time

from client import NEWEST_OLD, Client
from daemon import GLOVEBOX

LONG_MS = 100000  # for what must not meet a limit, on a busy machine and in a slow build
SHORT_MS = 250
GRACE_MS = 20000  # shorter than what cells sleep: only an interrupt that is lost lets it pass
UNDONE_MAX = 5  # each makes a session one level deeper, and so does each fork
DEEPEST = 3


class Wrong(Exception):
    pass


def must(condition, *details):
    if not condition:
        raise Wrong(*details)


class Actor:
    """What a client has: the daemon, a sequence of random numbers of its own, and the guests that may be killed."""

    def __init__(self, mixture, rng):
        self.mixture, self.daemon, self.rng = mixture, mixture.daemon, rng

    def number(self):
        return self.rng.randrange(1 << 40)

    def post(self, path, body, **how):
        r = self.daemon.post(path, body, **how)
        must(r.status in (200, 201), path, r.status, r.body[-3000:])
        return r

    def run(self, code, **fields):
        return self.post("/v1/run", {"code": code, "timeout_ms": LONG_MS, **fields}).json

    def leave(self, method, path, body, lines=False):
        """Sends a request and goes away before, or while, it is answered."""
        c = self.daemon.begin(method, path, body, lines=lines)
        try:
            time.sleep(self.rng.choice((0, 0.001, 0.01, 0.05)))
            if lines and self.rng.random() < 0.5:
                c.getresponse().readline()
        except http.client.HTTPException:
            pass
        finally:
            c.close()


# ---- without a session ----


def plain(a):
    n = a.number()
    r = a.run("import sys\nprint(%d + 1)\nprint(sys.stdin.read(), end='', file=sys.stderr)" % n, stdin="in %d" % n)
    must((r["stdout"], r["stderr"], r["success"]) == ("%d\n" % (n + 1), "in %d" % n, True), n, r)


def shell(a):
    n = a.number()
    r = a.run("echo $((%d + 1)); exit 3" % n, language="sh", no_check=True)
    must((r["stdout"], r["exit_code"]) == ("%d\n" % (n + 1), 3), n, r)


def raises(a):
    n = a.number()
    r = a.run("raise KeyError(%d)" % n)
    must((r["exception"]["type"], r["exception"]["message"], r["error_type"]) == ("KeyError", str(n), "guest"), n, r)


def too_long(a):
    r = a.run("while True: pass", timeout_ms=SHORT_MS, no_check=True)
    must(r["timed_out"] and r["error_type"] == "limit", r)


def too_large(a):
    r = a.run("x = bytearray(100 << 20)\nprint(len(x))", memory_bytes=48 << 20, no_check=True)
    must(r["oom_killed"] or "MemoryError" in r["stderr"], r)


def refused(a):
    r = a.run("import os\nos.system('true')", profile="strict")
    must(r["verdict"]["allowed"] is False and r["error_type"] == "refused", r)


def files(a):
    n = a.number()
    code = "open('out', 'w').write(open('in').read() + '!')\nimport os\nos.mkdir('d')\nopen('d/e', 'w')"
    r = a.run(code, files={"in": str(n)}, collect=True, no_check=True)
    found = {f["path"]: base64.b64decode(f.get("content_base64", "")) for f in r["files"]}
    must(found == {"out": b"%d!" % n, "d/e": b""}, n, r)


def stream(a):
    n = a.number()
    code = "for i in range(20): print(%d + i, flush=True)" % n
    lines = a.post("/v1/run", {"code": code, "timeout_ms": LONG_MS}, lines=True).lines
    text = "".join(e["text"] for e in lines if e["event"] == "stdout")
    must(text.split() == [str(n + i) for i in range(20)] and lines[-1]["result"]["stdout"] == text, n, lines)


def batch(a):
    n = a.number()
    runs = [{"code": "print(%d)" % (n + i), "timeout_ms": LONG_MS} for i in range(5)]
    results = a.post("/v1/batch", {"runs": runs}).json["results"]
    must([r.get("stdout") for r in results] == ["%d\n" % (n + i) for i in range(5)], n, results)


def test(a):
    n = a.number()
    cases = [{"args": [i], "expected": i + n} for i in range(3)] + [{"args": [3], "expected": n}]
    r = a.post("/v1/test", {"code": "def f(x): return x + %d" % n, "cases": cases, "timeout_ms": LONG_MS}).json
    must((r["passed"], r["failed"], r["errors"], r["trustworthy"]) == (3, 1, 0, True), n, r)


def check(a):
    r = a.post("/v1/check", {"code": "import os\nos.system(str(%d))" % a.number(), "profile": "strict"}).json
    must(r["allowed"] is False, r)
    r = a.daemon.post("/v1/run", {"code": "1", "timeuot_ms": 1})
    must(r.status == 400 and "timeout_ms" in r.message, r)


def look(a):
    """What a person or a monitor asks for meanwhile."""
    listed = a.daemon.get("/v1/runs?limit=20")
    must(listed.status == 200 and len(listed.json["runs"]) <= 20, listed)
    must(a.daemon.get("/v1/status").json["pid"] == a.daemon.pid)
    must("glovebox_log_rows_total" in a.daemon.get("/metrics").body.decode())
    must(a.daemon.get("/v1/sessions").status == 200)
    must(a.daemon.get("/v1/sessions/none").status == 404)


def victim_run(a):
    """A run whose guest may be killed on the host."""
    n, guest = a.number(), a.mixture.guests.new()
    with a.mixture.guests.exposed(guest):
        r = a.run(guest.named + "\nimport time\nfor i in range(20): time.sleep(0.02)\nprint(%d)" % n, no_check=True)
    must(r["stdout"] == "%d\n" % n or (guest.killed and r["signal"] == 9), guest.killed, r)


def abandoned_run(a):
    body = {"code": "import time\nprint(1, flush=True)\ntime.sleep(30)", "timeout_ms": LONG_MS, "no_check": True}
    path = a.rng.choice(("/v1/run", "/v1/batch"))
    a.leave("POST", path, {"runs": [body, body]} if path == "/v1/batch" else body, lines=a.rng.random() < 0.5)


def command(a):
    """`glovebox run`, which asks the daemon, and which may be killed while it does."""
    n = a.number()
    process = subprocess.Popen([GLOVEBOX, "run", "-c", "print(%d)" % n], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=a.daemon.folder,
                               env={**a.mixture.environment, "GLOVEBOX_SOCKET": a.daemon.socket})
    if a.rng.random() < 0.5:
        time.sleep(a.rng.random() * 0.2)
        process.kill()
        process.communicate()
        return
    out, said = process.communicate(timeout=LONG_MS / 1000)
    must((out, process.returncode) == (b"%d\n" % n, 0), n, out, said)


# ---- MCP ----


def mcp_lines(a):
    """`glovebox mcp --daemon`, whose lines the daemon answers."""
    client = Client("--daemon", "unix:" + a.daemon.socket, version=NEWEST_OLD)
    try:
        n = a.number()
        r = client.tool("execute_code", code="print(%d)" % n)
        must(r.get("stdout") == "%d\n" % n, n, r)
        name = client.tool("create_session")["session_id"]
        for i in range(a.rng.randrange(4)):
            r = client.tool("execute_code", code="x = globals().get('x', %d) + 1\nprint(x)" % n, session_id=name)
            must(r.get("stdout") == "%d\n" % (n + i + 1), n, i, r)
        client.tool("close_session", session_id=name)
        if a.rng.random() < 0.5:
            client.begin("execute_code", {"code": "import time\ntime.sleep(30)"})
    finally:
        client.kill() if a.rng.random() < 0.5 else client.close()


def mcp_post(a):
    """The transport over HTTP, without a session."""
    n = a.number()
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    body = {"jsonrpc": "2.0", "id": n, "method": "tools/call",
            "params": {"name": "execute_code", "arguments": {"code": "print(%d)" % n}, "_meta": meta}}
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28",
               "Mcp-Method": "tools/call", "Mcp-Name": "execute_code"}
    if a.rng.random() < 0.2:
        body["params"]["arguments"]["code"] += "\nimport time\ntime.sleep(30)"
        c = a.daemon.begin("POST", "/mcp", body, headers)
        time.sleep(a.rng.random() * 0.1)
        c.close()
        return
    r = a.post("/mcp", body, headers=headers)
    data = [line[5:] for line in r.body.decode().splitlines() if line.startswith("data:")] or [r.body.decode()]
    last = json.loads(data[-1])
    must(last["id"] == n and last["result"]["structuredContent"]["stdout"] == "%d\n" % n, n, r)


# ---- sessions ----


class Member:
    """A session or a fork: what its variable x has, and the guest that may be killed."""

    def __init__(self, actor, name, x, depth, origin=None):
        self.a, self.path, self.x, self.depth, self.undone = actor, "/v1/sessions/" + name, x, depth, 0
        self.stored = {}
        self.guest = actor.mixture.guests.new(origin)
        self.cell(self.guest.named, self.settled)
        actor.mixture.guests.expose(self.guest)

    def settled(self, r):
        must(r["success"], r)

    def ask(self, path, body, method="POST", status=(200,), **how):
        """None when its guest was killed, whatever the answer says then."""
        r = self.a.daemon.call(method, self.path + path, body, **how)
        if not self.guest.killed:
            must(r.status in status, self.path, path, r.status, r.body[-3000:])
        return None if self.guest.killed else r

    def cell(self, code, right, **fields):
        r = self.ask("/exec", {"code": code, "timeout_ms": LONG_MS, "no_check": True, **fields})
        if r:
            right(r.json)

    def add(self, **fields):
        n = self.a.number()

        def right(r):
            must(r["value"] == self.x + n and r["stdout"] == "%d\n" % n, self.x, n, r)
            self.x += n

        self.cell("x += %d\nprint(%d)\nx" % (n, n), right, **fields)

    def undo(self):
        if self.undone == UNDONE_MAX:
            return self.add()
        self.undone += 1
        end = self.a.rng.choice(("1 / 0", "import os\nos._exit(3)", "while True: pass"))
        fields = {"timeout_ms": SHORT_MS} if "while" in end else {}

        def right(r):
            must(r["cell"]["attempt"] == "dropped", r)

        self.cell("x = 'undone'\nopen('undone', 'w')\n" + end, right, attempt=True, **fields)
        self.same()

    def same(self):
        def right(r):
            must(r["value"] == [self.x, False], self.x, r)

        self.cell("import os\n[x, os.path.exists('undone')]", right)

    def too_long(self):
        def right(r):
            must(r["timed_out"] and r["cell"]["ended"] == "interrupted", r)

        self.cell("while True: pass", right, timeout_ms=SHORT_MS)
        self.same()

    def interrupted(self):
        c = self.a.daemon.begin("POST", self.path + "/exec", {
            "code": "import time\ntime.sleep(60)", "timeout_ms": LONG_MS, "no_check": True})
        try:
            until = time.monotonic() + LONG_MS / 1000
            while not self.guest.killed and time.monotonic() < until:
                r = self.ask("/interrupt", {})
                if not r or r.json["interrupted"]:
                    break
                time.sleep(0.01)
            answer = c.getresponse()
            text = answer.read()
            if not self.guest.killed:
                must(answer.status == 200 and json.loads(text)["cell"]["ended"] == "interrupted", text)
        finally:
            c.close()
        self.same()

    def abandoned(self):
        self.a.leave("POST", self.path + "/exec", {"code": "y = 1\nimport time\ntime.sleep(30)", "no_check": True},
                     lines=self.a.rng.random() < 0.5)
        self.same()

    def files(self):
        n, name = self.a.number(), "f%d" % self.a.rng.randrange(3)
        text = b"%d" % n * self.a.rng.randrange(1, 3000)
        if not self.ask("/files/" + name, text, "PUT", (200, 201, 204),
                        headers={"Content-Type": "application/octet-stream"}):
            return
        self.stored[name] = text + b"!"

        def right(r):
            must(r["value"] == len(text), r)

        self.cell("d = open(%r).read()\nopen(%r, 'a').write('!')\nlen(d)" % (name, name), right)
        self.fetch()

    def fetch(self):
        for name, text in self.stored.items():
            r = self.ask("/files/" + name, None, "GET")
            if r:
                must(r.body == text, name, len(text), r)

    def values(self):
        n = self.a.number()
        if self.ask("/set", {"values": {"z": [n, {"n": n}]}}):
            r = self.ask("/get", {"names": ["z", "x"]})
            if r:
                must(r.json["values"] == {"z": [n, {"n": n}], "x": self.x}, n, self.x, r)

    def restart(self):
        if self.a.daemon.post(self.path + "/restart", {}).status != 200 and not self.guest.killed:
            raise Wrong("restart", self.path)
        if self.guest.killed:
            return
        self.x = self.a.number()
        self.cell(self.guest.named + "\nx = %d" % self.x, self.settled)
        self.fetch()

    def fork(self):
        if self.depth == DEEPEST:
            return None
        r = self.a.daemon.post(self.path + "/fork", {})
        if r.status != 201:
            must(self.guest.killed, self.path, r)
            return None
        fork = Member(self.a, r.json["id"], self.x, self.depth + 1, self.guest)
        fork.undone, fork.stored = self.undone, dict(self.stored)
        fork.same()
        fork.fetch()
        return fork

    def close(self):
        self.a.mixture.guests.hide(self.guest)
        r = self.a.daemon.call("DELETE", self.path)
        must(r.status == 200, self.path, r)


STEPS = ([Member.add] * 6 + [Member.fork] * 3 + [Member.undo] * 2 + [
    lambda m: m.add(attempt=True), Member.too_long, Member.interrupted, Member.abandoned, Member.files, Member.values,
    Member.restart])


def close_at_once(members):
    wrong = []

    def close(m):
        try:
            m.close()
        except Exception as e:
            wrong.append(e)

    threads = [threading.Thread(target=close, args=(m,)) for m in members]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    must(not wrong, *wrong)


def open_session(a, **fields):
    r = a.post("/v1/sessions", {"forks": 30, "grace_ms": GRACE_MS, "timeout_ms": LONG_MS, **fields})
    return r.json["id"]


def first(a):
    x = a.number()
    name = open_session(a, data={"x": x})
    return Member(a, name, x, 0)


def family(a):
    """A session with forks, whose relatives are closed in any order, some at the same time."""
    members = [first(a)]
    try:
        for _ in range(a.rng.randrange(4, 16)):
            made = a.rng.choice(STEPS)(a.rng.choice(members))
            if isinstance(made, Member):
                members.append(made)
            if len(members) > 1 and a.rng.random() < 0.1:
                members.pop(a.rng.randrange(len(members))).close()
            if a.mixture.over():
                break
    finally:
        a.rng.shuffle(members)
        close_at_once(members)


def relatives(a):
    """Forks of each other, all closed at once."""
    members = [first(a)]
    for _ in range(3):
        made = a.rng.choice(members).fork()
        members += [made] if made else []
    if a.rng.random() < 0.5:
        members.pop(a.rng.randrange(len(members))).close()
    close_at_once(members)


def idle(a):
    """A session that its client forgets: the daemon closes it."""
    name = open_session(a, idle_ms=a.rng.choice((300, 1000)))
    a.daemon.post("/v1/sessions/%s/exec" % name, {"code": "x = 1"})
    a.mixture.forgotten.append(name)


def abandoned_opening(a):
    a.leave("POST", "/v1/sessions", {"forks": 3, "idle_ms": 1000})


def languages(a):
    """A session in another language, a cell of it too long."""
    language, code, want = a.rng.choice((("bash", "x=$((x + %d)); echo $x", "%d\n"),
                                         ("javascript", "globalThis.x = (globalThis.x ?? 0) + %d; console.log(x)", "%d\n")))
    name = a.post("/v1/sessions", {"language": language, "timeout_ms": LONG_MS}).json["id"]
    n = a.rng.randrange(1 << 20)
    for i in range(3):
        r = a.post("/v1/sessions/%s/exec" % name, {"code": code % n, "no_check": True}).json
        must(r["stdout"] == want % (n * (i + 1)), language, n, i, r)
    must(a.daemon.call("DELETE", "/v1/sessions/" + name).status == 200)


ACTIONS = {plain: 8, shell: 3, raises: 2, too_long: 2, too_large: 1, refused: 1, files: 3, stream: 3, batch: 2, test: 2,
           check: 1, look: 2, victim_run: 3, abandoned_run: 3, command: 2, mcp_lines: 1, mcp_post: 3, family: 8,
           relatives: 4, idle: 1, abandoned_opening: 1, languages: 1}


def act(a):
    """One thing, at random. Its name, for the record."""
    action = a.rng.choices(list(ACTIONS), ACTIONS.values())[0]
    action(a)
    return action.__name__
