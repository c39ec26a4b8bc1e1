# SPDX-License-Identifier: Apache-2.0
"""`glovebox mcp --daemon`, which passes a client's lines to the daemon's /mcp: what is sent, what comes back, how calls
are cancelled, and what happens when the daemon is not there, does not answer, or ends."""

import json
import os
import re
import resource
import signal
import socket
import subprocess
import tempfile
import threading
import time

import calls
import eras
import hostile
import resources
from client import GLOVEBOX, MODERN, NEWEST_OLD, PATIENCE, Client, environment, modern, over, texts
from http_client import TOKENS, Daemon
from proxy import Proxy, head_of
from procs import wait_for

SLEEP = "import time\ntime.sleep(%s)\nprint('slept')"
ERAS = ("2024-11-05", "2025-06-18", MODERN)


def counted(daemon):
    """The runs that the daemon's metrics count."""
    return sum(int(n) for n in re.findall(r"^glovebox_runs_total\{.*\} (\d+)$", daemon.get("/metrics"), re.M))


def nothing_runs(daemon):
    return wait_for(lambda: not any(daemon.status()[key] for key in ("running", "waiting")))


def a_client(version, *options):
    return Client(*options, version=None if version == MODERN else version)


def send(client, version, tool, **arguments):
    params = {"name": tool, "arguments": arguments}
    return client.send("tools/call", modern(params) if version == MODERN else params)


def error_of(answer):
    return (answer or {}).get("error", {}).get("message", "")


# ---- work ----


def test_work(tap, daemon):
    """Two clients at one daemon, and one without it."""
    before = counted(daemon)
    with Client() as one, Client() as two:
        marks = [f"mark-{n}-{os.getpid()}" for n in range(2)]
        results = [client.tool("execute_code", code=f"print('{mark}')") for client, mark in zip((one, two), marks)]
        tap.equal([r.get("stdout") for r in results], [mark + "\n" for mark in marks], "two clients run programs")
        tap.ok(not one.guests() and not two.guests(), "... not in their processes")
        tap.equal(counted(daemon) - before, 2, "... but in the daemon, which counts them")
        log = json.loads(daemon.get("/v1/runs"))["runs"]
        tap.ok({r["run_id"] for r in results} <= {row["id"] for row in log}, "... and has them in its log", results, log)
        session = one.tool("create_session")["session_id"]
        tap.equal(two.tool("execute_code", session_id=session, code="6 * 7").get("value"), 42, "a session is its owner's, as at /mcp")
        long = one.tool("execute_code", code="print('x' * 100000)")["stdout_uri"]
        tap.ok("result" in one.ask("resources/read", {"uri": long}), "a long output is kept")
    tap.equal(daemon.status()["sessions"], 1, "a session stays when its client ends")
    with Client() as client:
        tap.ok(client.tool("close_session", session_id=session).get("closed"), "... until it is closed")


def test_own_pool(tap, daemon):
    """Without the option no daemon is asked, even where the other commands find one."""
    before = counted(daemon)
    with tempfile.TemporaryDirectory() as folder:
        line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "execute_code", "arguments": {"code": "print(1)"}}})
        done = subprocess.run([GLOVEBOX, "mcp"], input=line, capture_output=True, text=True, timeout=PATIENCE, check=False,
                              env=environment(folder, GLOVEBOX_SOCKET=daemon.socket))
    tap.ok("1\\n" in done.stdout and not done.stderr and counted(daemon) == before, "without --daemon, the program has its own sandboxes", done)


def test_at_once(tap):
    with Client() as client:
        ids = [client.begin("execute_code", {"code": f"print({n})"}) for n in range(50)]
        results = [client.wait(id)["result"]["structuredContent"]["stdout"] for id in ids]
        tap.equal(results, [f"{n}\n" for n in range(50)], "50 calls at once")
        session = client.tool("create_session")["session_id"]
        first = [client.begin("execute_code", {"session_id": session, "code": f"# {'x' * size}\nseen = [*globals().get('seen', []), {size}]"})
                 for size in (100000, 10, 200000, 1)]
        tap.ok(all(map(client.wait, first)), "cells of one session")
        tap.equal(client.tool("execute_code", session_id=session, code="seen").get("value"), [100000, 10, 200000, 1], "... run in their order")
        tap.equal(client.tool("write_file", session_id=session, path="big", content="x" * (20 << 20)).get("size"), 20 << 20, "a message of 20 MiB")
        client.tool("close_session", session_id=session)


def test_cancel(tap, daemon):
    for version in ERAS:
        for progress in (False, True):
            with a_client(version) as client:
                params = {"name": "execute_code", "arguments": {"code": SLEEP % 60}}
                token = {"progressToken": "tok"} if progress else {}
                params = modern(params, **token) if version == MODERN else {**params, "_meta": token}
                running = client.send("tools/call", params)
                what = f"{version}, {'a stream' if progress else 'JSON'}: "
                tap.ok(wait_for(lambda: client.notes if progress else daemon.status()["running"]), what + "a call runs", client.notes)
                began = time.monotonic()
                client.note("notifications/cancelled", {"requestId": running})
                tap.ok(nothing_runs(daemon) and time.monotonic() - began < 4, "... and is cancelled before its stream begins, or goes on", time.monotonic() - began)
                at_once = client.send("tools/call", params)
                client.note("notifications/cancelled", {"requestId": at_once})
                tap.ok(nothing_runs(daemon) and not any(client.answers.values()), "... also at once; neither has an answer", client.answers)


def test_message_limit(tap):
    with Client("--message-limit", "64k") as client:
        error = error_of(client.ask("tools/call", {"name": "execute_code", "arguments": {"code": "print('x' * 30000, end='')\n" * 3}}))
        tap.ok("limit of a message" in error, "the size of an answer", error)
        tap.ok(client.ask("ping"), "... and the next one")


# ---- what is sent ----


def test_heads(tap, daemon):
    """The headers of the protocol, the token, and the end of the conversation."""
    with Proxy(daemon.port, None) as proxy, tempfile.NamedTemporaryFile("w") as token:
        token.write(TOKENS["ann"] + "\n")
        token.flush()
        with Client("--daemon", f"127.0.0.1:{proxy.port}", "--token-file", token.name) as client:
            client.ask("tools/list")
            client.send("tools/call", modern({"name": "nothing\r\nEvil: 1", "arguments": {}}), id="odd")
            tap.ok("there is no tool" in error_of(client.wait("odd")), "a name of two lines")
            running = client.begin("execute_code", {"code": SLEEP % 1})
            client.process.stdin.close()
            tap.ok("result" in (client.wait(running) or {}), "the end of the input waits for the answer")
        heads = [dict(line.split(": ", 1) for line in head.split("\r\n")[1:]) | {"": head.split(" ")[0]} for head in proxy.heads]
        tap.ok(len(heads) >= 6 and all(h["Authorization"] == "Bearer " + TOKENS["ann"] for h in heads), "each request has the token", heads)
        listed, last = heads[3], heads[-1]
        tap.ok(len(listed.get("Mcp-Session-Id", "")) == 32 and listed.get("MCP-Protocol-Version") == "2025-11-25", "... the session and the version", listed)
        odd = next(h for h in heads if h.get("Mcp-Name", "").startswith("=?base64?"))
        tap.ok("Evil" not in odd and odd["MCP-Protocol-Version"] == MODERN and odd["Mcp-Method"] == "tools/call" and "Mcp-Session-Id" not in odd,
               "... or the version, the method and the name", odd)
        tap.ok(last[""] == "DELETE" and last["Mcp-Session-Id"] == listed["Mcp-Session-Id"], "the session is ended", last)


# ---- options ----


def run(*words, **more):
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([GLOVEBOX, "mcp", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              env=environment(folder, **more), timeout=PATIENCE, check=False)


def test_options(tap, daemon):
    there = ("--daemon", "unix:" + daemon.socket)
    for words in (["--memory", "100m"], ["--profile", "strict"], ["--ro", "/usr"], ["--languages", "python"], ["--sessions", "3"],
                  ["--idle", "1m"], ["--log", "off"], ["--net", "host"]):
        for more in ([], ["--install", "claude"]):
            done = run(*there, *words, *more)
            tap.ok(done.returncode == 2 and f"{words[0]} has no effect with --daemon" in done.stderr, f"{words[0]} is the daemon's {more}", done)
    done = run("--token-file", "/dev/null")
    tap.ok(done.returncode == 2 and "requires --daemon" in done.stderr, "--token-file without --daemon", done)
    tap.equal(run(*there, GLOVEBOX_MEMORY="100m").returncode, 0, "what other commands have in their configuration is left to them")


def test_demanded(tap, daemon):
    with tempfile.TemporaryDirectory() as folder:
        for words, why in ((["--daemon", folder + "/none"], "no daemon answers"), (["--daemon", f"127.0.0.1:{daemon.port}"], "tokens")):
            done = run(*words)
            tap.ok(done.returncode and why in done.stderr and words[1] in done.stderr and done.stderr.count("\n") == 1, f"{why}: it does not start", done)
        with open(os.path.join(folder, "token"), "w") as f:
            f.write(TOKENS["ann"])
        with Client("--daemon", f"127.0.0.1:{daemon.port}", "--token-file", f.name) as client:
            tap.equal(client.tool("execute_code", code="print(1)").get("stdout"), "1\n", "over TCP, with a token")
    for text, why in ((b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}", "another version"), (b"220 mail.example ESMTP\r\n\r\n", "did not send a valid HTTP answer")):
        with Stranger(text) as place:
            done = run("--daemon", "unix:" + place)
            tap.ok(done.returncode and why in done.stderr, f"{why}: it does not start", done)


class Stranger:
    """A socket at which the first request gets this answer."""

    def __init__(self, text):
        self.folder = tempfile.TemporaryDirectory()
        self.place = os.path.join(self.folder.name, "s")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.place)
        self.listener.listen()
        threading.Thread(target=self.answer, args=(text,), daemon=True).start()

    def answer(self, text):
        connection, _ = self.listener.accept()
        connection.recv(1 << 16)
        connection.sendall(text)
        connection.recv(1)
        connection.close()

    def __enter__(self):
        return self.place

    def __exit__(self, *_):
        self.listener.close()
        self.folder.cleanup()


class Fake:
    """A daemon that answers each POST with the pieces that `answer` gives for its method, each a chunk. None: it waits
    for the end of the connection; the end of the pieces closes the connection, unless the last one is empty."""

    def __init__(self, answer):
        self.folder, self.answer, self.seen = tempfile.TemporaryDirectory(), answer, []
        self.socket = os.path.join(self.folder.name, "s")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.socket)
        self.listener.listen()
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()
        self.folder.cleanup()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.talk, args=(connection,), daemon=True).start()

    def talk(self, connection):
        with connection:
            head, body = head_of(connection)
            while len(body) < int(re.search(rb"(?i)content-length: (\d+)", head)[1]):
                body += connection.recv(1 << 16)
            message = json.loads(body) if body else {}
            method = message.get("method") if isinstance(message, dict) else "batch"
            self.seen.append((head.split(b" ")[0].decode(), method))
            status, pieces = self.answer(message, method)
            connection.sendall(f"HTTP/1.1 {status} -\r\nMcp-Session-Id: {len(self.seen):032}\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
            for piece in pieces:
                if piece is None:
                    connection.recv(1)
                    return
                connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))


def fake_answer(message, method):
    """What a daemon says before a test's own messages."""
    result = {"protocolVersion": NEWEST_OLD} if method == "initialize" else {}
    return (200, [json.dumps({"jsonrpc": "2.0", "id": message.get("id"), "result": result}).encode(), b""]) if "id" in message else (202, [b""])


def test_answered_once(tap):
    """A connection that breaks, or an answer that goes on, after a request was answered."""
    event = 'data: {"jsonrpc": "2.0", "id": %d, "result": {}}\n\n'
    for name, more in (("the connection breaks", []), ("a line is too long", [b"x" * 100000 + b"\n", b""])):
        with Fake(lambda m, how, more=more: (200, [(event % m["id"]).encode(), *more]) if how == "ping" else fake_answer(m, how)) as fake, over(fake):
            client = Client("--message-limit", "64k")
            first = client.send("ping")
            tap.equal(client.wait(first), {"jsonrpc": "2.0", "id": first, "result": {}}, f"an answer, after which {name}")
            status = client.close()
            tap.ok(status == (0, []) and not any(client.answers.values()) and not client.said, "... is the only one", client.answers, client.said)


def test_response(tap):
    """A response of the client's may have parameters of any generation."""
    with Fake(fake_answer) as fake, over(fake):
        client = Client()
        client.write(json.dumps({"jsonrpc": "2.0", "id": 7, "result": {}, "params": modern()}) + "\n")
        tap.ok("result" in (client.ask("ping") or {}) and client.close() == (0, []), "a response with the parameters of a request")
        tap.ok(("POST", None) in fake.seen, "... is passed on", fake.seen)


def test_descriptors(tap):
    """Five are what the loop waits for: poll() refuses more than the limit."""
    least, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(256, most - 1), most))
    with Fake(fake_answer) as fake, over(fake), Client() as client:
        resource.setrlimit(resource.RLIMIT_NOFILE, (least, most))
        limits = resource.prlimit(client.process.pid, resource.RLIMIT_NOFILE)
        tap.equal(limits, (most, most), "the limit of descriptors is raised")
        wait_for(lambda: ("POST", "notifications/initialized") in fake.seen)
        client.ask("ping")
        resource.prlimit(client.process.pid, resource.RLIMIT_NOFILE, (5, most))
        error = error_of(client.wait(client.send("ping"), 20))
        resource.prlimit(client.process.pid, resource.RLIMIT_NOFILE, limits)
        tap.ok("too few descriptors" in error and "result" in client.ask("ping"), "a call that cannot have its own gets an error", error)


def test_refused_batch(tap):
    refusal = {"jsonrpc": "2.0", "id": None, "error": {"code": -32603, "message": "busy"}}
    with Fake(lambda m, how: (503, [json.dumps(refusal).encode(), b""]) if how == "batch" else fake_answer(m, how)) as fake, over(fake):
        client = Client(version="2025-03-26")
        client.write(json.dumps([{"jsonrpc": "2.0", "id": id, "method": "ping"} for id in ("a", "b")]) + "\n")
        tap.equal([error_of(client.wait(id, 20)) for id in ("a", "b")], ["busy", "busy"], "a batch that is refused: each of its requests gets the error")
        client.close()


def test_second_hello(tap):
    with Fake(fake_answer) as fake, over(fake):
        client = Client()
        client.ask("ping")
        wait_for(lambda: ("POST", "notifications/initialized") in fake.seen)
        hello = {"protocolVersion": NEWEST_OLD, "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}}
        tap.ok("result" in client.ask("initialize", hello) and wait_for(lambda: fake.seen[-1][0] == "DELETE"),
               "a second initialize ends the first conversation", fake.seen)
        status = client.close()
        tap.equal((status, [how for how, _ in fake.seen].count("DELETE")), ((0, []), 2), "... and the end of the input, the second")


def test_no_hello(tap):
    """A daemon that begins to answer `initialize`, and sends nothing more."""
    with Fake(lambda m, how: (200, [b"{", None]) if how == "initialize" else fake_answer(m, how)) as fake, over(fake):
        for number in (None, signal.SIGTERM):
            client = Client(version=None)
            asked = client.send("initialize", {"protocolVersion": NEWEST_OLD, "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}})
            wait_for(lambda: ("POST", "initialize") in fake.seen)
            began = time.monotonic()
            if number:
                client.process.send_signal(number)
            status = client.close()
            tap.ok(status == (0, []) and time.monotonic() - began < 20, f"no answer to initialize: it ends {number}", status, client.said)
            tap.ok(number or "does not answer" in error_of(client.wait(asked, 0)), "... after an error", client.answers)
            fake.seen.clear()


# ---- a daemon that ends, and one that does not answer ----


def test_lost(tap):
    """Calls get one error, and are not repeated; a daemon at the same place is asked again."""
    for version in ERAS:
        with tempfile.TemporaryDirectory() as folder:
            place = os.path.join(folder, "s")
            with Daemon(place=place) as daemon, over(daemon):
                client = a_client(version)
                session = client.wait(send(client, version, "create_session"))["result"]["structuredContent"]["session_id"]
                running = send(client, version, "execute_code", code=SLEEP % 100)
                wait_for(lambda: daemon.status()["running"])
                daemon.process.kill()
                error = error_of(client.wait(running, 20))
                tap.ok("not repeated" in error, f"{version}: the daemon is killed: a call on its way gets an error", error)
                daemon.process.wait()
                errors = {error_of(client.wait(send(client, version, "execute_code", code="1"), 20)) for _ in range(3)}
                tap.ok(len(errors) == 1 and "no daemon answers" in str(errors), "... the next ones, too", errors)
            with Daemon(place=place) as daemon:
                found = client.wait(send(client, version, "execute_code", code="print(1)"), 20)
                tap.ok(counted(daemon) == 1 and found["result"]["structuredContent"]["stdout"] == "1\n", "a daemon there is asked again", found)
                lost = client.wait(send(client, version, "execute_code", session_id=session, code="1"))["result"]
                tap.ok("there is no session" in texts(lost), "... but has none of the sessions", lost)
                tap.ok(not any(client.answers.values()), "... and no request has a second answer", client.answers)
                status = client.close()
                tap.ok(status == (0, []) and client.said.count(b"\n") == 2, "standard error has a line for each reason", status, client.said)


def test_drained(tap):
    with Daemon("--drain", "30s") as daemon, over(daemon):
        client = Client()
        running = client.begin("execute_code", {"code": SLEEP % 2})
        wait_for(lambda: daemon.status()["running"])
        daemon.process.send_signal(signal.SIGTERM)
        wait_for(lambda: daemon.status()["state"] != "serving")
        tap.ok("stopping" in error_of(client.ask("tools/call", {"name": "execute_code", "arguments": {"code": "1"}})), "a daemon that stops: a new call gets an error")
        tap.equal(client.wait(running)["result"]["structuredContent"]["stdout"], "slept\n", "... and the calls that run are answered")
        client.close()


def test_stopped(tap):
    with Daemon() as daemon, over(daemon):
        client = Client()
        running = client.begin("execute_code", {"code": SLEEP % 100})
        wait_for(lambda: daemon.status()["running"])
        daemon.process.send_signal(signal.SIGSTOP)
        try:
            done = run("--daemon", "unix:" + daemon.socket)
            tap.ok(done.returncode and "kill -CONT" in done.stderr, "a stopped daemon: it does not start, and says what to do", done)
            error = error_of(client.wait(client.send("ping"), 40))
            tap.ok("kill -CONT" in error and "not repeated" in error, "... in the middle: a call gets that as its error", error)
        finally:
            daemon.process.send_signal(signal.SIGCONT)
        client.note("notifications/cancelled", {"requestId": running})
        tap.ok(nothing_runs(daemon), "... and the client goes on when the daemon does")
        client.close()


def test_unread_lines(tap):
    """A message that the daemon does not read is answered, with the request's id."""
    with Daemon("--max-body", "1m") as daemon, over(daemon):
        client = Client()
        error = error_of(client.ask("tools/call", {"name": "execute_code", "arguments": {"code": "#" + "x" * (2 << 20)}}))
        tap.ok("larger than is allowed" in error, "a message over --max-body", error)
        client.write('{"jsonrpc": "2.0", "id": 2000, "method": "tools/call", "params": {"name": bad}}\n')
        tap.ok("not JSON" in error_of(client.wait(None, 20)), "one that is not JSON")
        tap.equal(client.tool("execute_code", code="print(1)").get("stdout"), "1\n", "... and the next call runs")
        client.close()


def test_ends(tap, daemon):
    for number in (signal.SIGKILL, signal.SIGTERM):
        for version in ERAS:
            client = a_client(version)
            send(client, version, "execute_code", code=SLEEP % 100)
            wait_for(lambda: daemon.status()["running"])
            client.process.send_signal(number)
            client.process.wait(PATIENCE)
            tap.ok(nothing_runs(daemon), f"{signal.Signals(number).name}, {version}: no run is left")
            client.close()
    client = Client()
    running = client.begin("execute_code", {"code": SLEEP % 100})
    wait_for(lambda: daemon.status()["running"])
    began = time.monotonic()
    tap.ok(client.close()[0] == 0 and 5 < time.monotonic() - began < 40 and nothing_runs(daemon), "at the end of the input, a call has 10 s to end")
    tap.ok("stopped" in error_of(client.wait(running, 0)), "... and is answered", client.answers)


def test_same(tap):
    """What a client sees is what the program itself would send."""
    for part in (eras.test_golden, eras.test_versions, eras.test_logging, resources.test_output, resources.test_files, calls.test_progress,
                 calls.test_cancel, hostile.test_lines, hostile.test_notifications, hostile.test_ids, hostile.test_batches):
        part(tap)


def test(tap):
    with Daemon() as daemon, over(daemon):
        test_same(tap)
    with Daemon(log="runs.db") as daemon:
        with over(daemon):
            test_work(tap, daemon)
            test_at_once(tap)
            test_cancel(tap, daemon)
            test_message_limit(tap)
            test_ends(tap, daemon)
        test_own_pool(tap, daemon)
        test_heads(tap, daemon)
        test_options(tap, daemon)
        test_demanded(tap, daemon)
    test_answered_once(tap)
    test_response(tap)
    test_refused_batch(tap)
    test_second_hello(tap)
    test_no_hello(tap)
    test_descriptors(tap)
    test_lost(tap)
    test_drained(tap)
    test_stopped(tap)
    test_unread_lines(tap)
