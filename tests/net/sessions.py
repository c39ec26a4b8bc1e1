# SPDX-License-Identifier: Apache-2.0
"""Sessions and warm runs of a daemon: rules that change while a cell runs, forks, attempts, restarts; and what clients
may ask for."""

import contextlib
import http.client
import json
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time

from tricks import children_named, parent
from world import OTHER, PRIVATE, PUBLIC, USER

ECHO = """
import socket
def dial(host, port=5432):
    try:
        s = socket.create_connection((host, port), 5); s.settimeout(5); s.sendall(b"hello"); got = s.recv(9).decode(); s.close(); return got
    except OSError as e: return type(e).__name__
"""
DIAL = "%s\nprint(dial('api.example.com'))" % ECHO


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("daemon", timeout=60)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(60)
        self.sock.connect(self.path)


class Daemon:
    def __init__(self, world, *options):
        self.folder = tempfile.mkdtemp()
        os.chmod(self.folder, 0o777)
        self.path = os.path.join(self.folder, "s")
        self.process = world.popen("serve", "--listen", "unix:" + self.path, *options, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 30
        while not os.path.exists(self.path) and time.monotonic() < deadline and self.process.poll() is None:
            time.sleep(0.02)

    def ask(self, method, path, body=None):
        connection = Connection(self.path)
        with contextlib.closing(connection):
            connection.request(method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read()
            return answer.status, json.loads(text or b"null") if "json" in answer.headers["Content-Type"] else text.decode()

    def close(self):
        self.process.terminate()
        self.process.communicate(timeout=60)
        shutil.rmtree(self.folder, ignore_errors=True)


@contextlib.contextmanager
def daemon(world, *options):
    here = Daemon(world, *options)
    try:
        yield here
    finally:
        here.close()


def cell(d, session, code, **more):
    return d.ask("POST", f"/v1/sessions/{session}/exec", {"code": code, **more})[1]


def test_permits(t, world):
    with daemon(world, "--allow", "net:*.example.com:*,net:%s:5432" % PRIVATE) as d:
        def run(net):
            status, done = d.ask("POST", "/v1/run", {"code": DIAL, "language": "python", "net": net})
            return status, done.get("stdout") or done.get("error", {}).get("message", "")
        t.equal(run("allow:api.example.com:5432"), (200, "hello\n"), "a host that --allow net: covers")
        status, text = run("allow:a.wild.example.org")
        t.ok(status == 403 and "a.wild.example.org" in text and "--allow net:" in text, "no other one", status, text)
        t.equal(run("allow:*")[0], 403, "not every host")
        t.equal(run("host")[0], 403, "not the host's network")
        t.equal(run("allow:%s:443" % PRIVATE)[0], 403, "not another port of an address")
        t.equal(run("allow:https://x")[0], 400, "a mistake is one of the request")
        t.equal(run("none")[0], 200, "none is always permitted")
        schema = d.ask("GET", "/openapi.json")[1]
        t.ok("Connection" in schema["components"]["schemas"] and "/v1/sessions/{id}/network" in schema["paths"], "the description has it")
    with daemon(world) as d:
        t.equal(d.ask("POST", "/v1/run", {"code": "1", "language": "python", "net": "allow:api.example.com"})[0], 403, "without --allow, no host")


def test_warm(t, world):
    with daemon(world, "--allow", "net:*:*") as d:
        for turn in range(6):
            status, done = d.ask("POST", "/v1/run", {"code": DIAL, "language": "python", "net": "allow:api.example.com:5432"})
            t.equal((status, done["stdout"], done["network"][0]["count"]), (200, "hello\n", 1), f"run {turn} of a kind reaches its host", done["network"], done["stderr"])
            status, done = d.ask("POST", "/v1/run", {"code": DIAL, "language": "python", "net": "allow:other.example.com:5432"})
            t.equal(done["stdout"], "gaierror\n", f"and another run of the kind with other rules does not ({turn})", done["network"])
            status, done = d.ask("POST", "/v1/run", {"code": DIAL, "language": "python"})
            t.equal((done["stdout"], done["network"]), ("gaierror\n", []), f"nor one without a network ({turn})")
            time.sleep(0.2)
        figures = dict(line.rsplit(" ", 1) for line in d.ask("GET", "/metrics")[1].splitlines() if not line.startswith("#"))
        t.ok(sum(float(v) for k, v in figures.items() if "pool_starts_total" in k and "nothing" not in k) >= 9, "most of these runs were warm", figures)
        t.equal(len([p for p in children_named("glovebox-net") if parent(p) == d.process.pid]), 1, "one glovebox-net serves the daemon")


def opened(d, net, **more):
    status, answer = d.ask("POST", "/v1/sessions", {"language": "python", "net": net, **more})
    return answer.get("id") if status == 201 else (status, answer)


def test_changes(t, world):
    with daemon(world, "--allow", "net:*:*", "--allow", "net:%s:5432" % PRIVATE) as d:
        s = opened(d, "allow:api.example.com:5432")
        first = cell(d, s, DIAL)
        t.equal((first["stdout"], [r["count"] for r in first["network"]]), ("hello\n", [1]), "a cell reaches its host", first)
        t.equal(cell(d, s, "1")["network"], [], "the next cell's result has only its own connections")
        code = ECHO + """
s = socket.create_connection(("api.example.com", 5432)); s.sendall(b"x"); s.recv(1); print("open", flush=True); s.settimeout(20)
try: print(s.recv(1))
except OSError as e: print(type(e).__name__)
"""
        results = []
        running = threading.Thread(target=lambda: results.append(cell(d, s, code)))
        running.start()
        deadline = time.monotonic() + 20
        before = world.servers.connections[PUBLIC, 5432]
        while world.servers.connections[PUBLIC, 5432] == before and time.monotonic() < deadline:
            time.sleep(0.02)
        begin = time.monotonic()
        first_rules = d.ask("GET", f"/v1/sessions/{s}/network")
        t.ok(first_rules[0] == 200 and first_rules[1]["net"].startswith("allow:api.example.com"), "the rules are shown", first_rules)
        status, answer = d.ask("PUT", f"/v1/sessions/{s}/network", {"net": "none"})
        t.equal(d.ask("GET", f"/v1/sessions/{s}/network"), (200, {"id": s, "net": "none"}), "... and those that replace them, while a cell runs")
        t.ok(status == 200 and time.monotonic() - begin < 2, "the rules can be narrowed while a cell runs", status, answer)
        running.join(30)
        t.equal(results and results[0]["stdout"], "open\nConnectionResetError\n", "which ends the open connection", results)
        t.ok(any("taken back" in (r["reason"] or "") for r in results[0]["network"]), "the result says why", results[0]["network"])
        t.equal(cell(d, s, DIAL)["stdout"], "gaierror\n", "and nothing is reached afterwards")
        d.ask("POST", f"/v1/sessions/{s}/restart", {})
        t.equal(cell(d, s, DIAL)["stdout"], "gaierror\n", "nor after a restart")
        t.equal(d.ask("PUT", f"/v1/sessions/{s}/network", {"net": "allow:api.example.com:5432,%s:5432" % PRIVATE})[0], 200, "they can be widened")
        t.equal(cell(d, s, "%s\nprint(dial('api.example.com'), dial('%s'))" % (ECHO, PRIVATE))["stdout"], "hello hello\n", "which takes effect at once")
        status, answer = d.ask("PUT", f"/v1/sessions/{s}/network", {"net": "allow:api.example.com:8443"})
        t.ok(status == 400 and "8443" in answer["error"]["message"], "not at a port without a listener", status, answer)
        t.equal(d.ask("PUT", f"/v1/sessions/{s}/network", {"net": "host"})[0], 403, "not to the host's network")
        t.equal(d.ask("PUT", f"/v1/sessions/{s}/network", {"net": "allow:%s:5432" % OTHER})[0], 403, "not past what the operator allows")
        closed = opened(d, "none")
        status, answer = d.ask("PUT", f"/v1/sessions/{closed}/network", {"net": "allow:api.example.com"})
        t.ok(status == 400 and "opened without" in answer["error"]["message"], "a session without a network gets none", status, answer)


def test_slow_names(t, world):
    """Guests that ask for names whose servers do not answer keep no other guest from its own."""
    world.names.silent.add("silent.example.com")
    code = ECHO + """
import threading
for i in range(%d): threading.Thread(target=dial, args=("silent.example.com",), daemon=True).start()
time = __import__("time"); time.sleep(%d)
"""
    with daemon(world, "--allow", "net:*:*") as d:
        slow = [opened(d, "allow:silent.example.com:5432") for i in range(9)]
        last = opened(d, "allow:api.example.com:5432")
        threads = [threading.Thread(target=cell, args=(d, s, code % (20, 4))) for s in slow]
        for thread in threads:
            thread.start()
        time.sleep(1.5)
        begin = time.monotonic()
        done = cell(d, last, DIAL)
        took = time.monotonic() - begin
        t.ok(done.get("stdout") == "hello\n" and took < 1.5, "a name is resolved while nine guests wait for slow ones", round(took, 1), slow, done)
        for thread in threads:
            thread.join(30)
    world.names.silent.clear()


def test_forks(t, world):
    with daemon(world, "--allow", "net:*:*") as d:
        s = opened(d, "allow:api.example.com:5432")
        cell(d, s, ECHO)
        status, fork = d.ask("POST", f"/v1/sessions/{s}/fork", {})
        if status != 201:
            t.skip("forks", fork.get("error", {}).get("message", ""))
            return
        f, again = fork["id"], "print(dial('api.example.com'))"
        t.equal((cell(d, s, again)["stdout"], cell(d, f, again)["stdout"]), ("hello\n", "hello\n"), "a fork reaches what its origin does")
        t.equal(d.ask("PUT", f"/v1/sessions/{f}/network", {"net": "none"})[0], 200, "the rules of a fork are changed")
        t.equal((cell(d, s, again)["stdout"], cell(d, f, again)["stdout"]), ("gaierror\n",) * 2, "for its origin, too: they share a network")
        d.ask("PUT", f"/v1/sessions/{s}/network", {"net": "allow:api.example.com:5432"})
        d.ask("DELETE", f"/v1/sessions/{s}")
        t.equal(cell(d, f, again)["stdout"], "hello\n", "a fork keeps the network when its origin is closed")
        for how in ({"attempt": True, "attempt_drop": True}, {"attempt": True}):
            tried = cell(d, f, again, **how)
            t.equal((tried.get("stdout"), len(tried.get("network", []))), ("hello\n", 1), f"a cell that is tried reaches it as well {how}", tried)
        failed = cell(d, f, again + "\n1 / 0", attempt=True)
        t.equal((failed["stdout"], failed["cell"]["attempt"]), ("hello\n", "dropped"), "a dropped attempt has used the network", failed)
        t.equal(cell(d, f, again)["stdout"], "hello\n", "and the state before it has it still")


def test_user(t, world):
    world.as_user = True
    try:
        with daemon(world, "--allow", "net:*:*") as d:
            s = opened(d, "allow:api.example.com:5432")
            t.equal(cell(d, s, DIAL).get("stdout"), "hello\n", f"the same as the user {USER}", s)
    finally:
        world.as_user = False
