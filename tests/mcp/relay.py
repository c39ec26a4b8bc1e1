# SPDX-License-Identifier: Apache-2.0
"""`glovebox mcp` with a daemon that runs: the work is done there, with the settings of the command line; and what
happens when the daemon refuses, is stopped, or ends."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import types
from contextlib import ExitStack

import eras
from client import GLOVEBOX, MODERN, PATIENCE, Client, environment, modern, over, server, texts
from http_client import TOKENS, Daemon
from life import memory_of
from procs import wait_for

SLEEP = "import time\ntime.sleep(%s)\nprint('slept')"
HERE = b"the sandboxes are in this process"


def counted(daemon):
    """The runs that the daemon's metrics count."""
    return sum(int(n) for n in re.findall(r"^glovebox_runs_total\{.*\} (\d+)$", daemon.get("/metrics"), re.M))


def nothing_left(daemon):
    return wait_for(lambda: not any(daemon.status()[key] for key in ("sessions", "running", "waiting")))


def test_work(tap, daemon):
    """Two clients at one daemon."""
    before = counted(daemon)
    with Client() as one, Client() as two:
        marks = [f"mark-{n}-{os.getpid()}" for n in range(2)]
        results = [client.tool("execute_code", code=f"print('{mark}')") for client, mark in zip((one, two), marks)]
        tap.equal([r.get("stdout") for r in results], [mark + "\n" for mark in marks], "two clients run programs")
        tap.ok(not one.guests() and not two.guests(), "... not in their servers")
        tap.equal(counted(daemon) - before, 2, "... but in the daemon, which counts them")
        log = json.loads(daemon.get("/v1/runs"))["runs"]
        tap.ok({r["run_id"] for r in results} <= {row["id"] for row in log}, "... and has them in its log", results, log)
        session = one.tool("create_session")["session_id"]
        tap.equal(daemon.status()["sessions"], 1, "a session is the daemon's")
        tap.equal(one.tool("execute_code", session_id=session, code="6 * 7").get("value"), 42, "... and has cells")
        tap.ok("there is no session" in texts(two.call("execute_code", {"session_id": session, "code": "1"})), "... for its client alone")
        uri = one.tool("write_file", session_id=session, path="a.txt", content="mine")["uri"]
        listed = [r["uri"] for r in two.ask("resources/list")["result"]["resources"]]
        tap.ok(uri not in listed and two.ask("resources/read", {"uri": uri}).get("error"), "... as are its files", listed)
        long = one.tool("execute_code", code="print('x' * 100000)")["stdout_uri"]
        tap.ok("result" in one.ask("resources/read", {"uri": long}), "a long output is kept")
        tap.ok("error" in two.ask("resources/read", {"uri": long}), "... for its client alone")
    tap.ok(nothing_left(daemon), "a client that ends closes its sessions")


def test_at_once(tap):
    with Client() as client:
        ids = [client.begin("execute_code", {"code": f"print({n})"}) for n in range(50)]
        results = [client.wait(id)["result"]["structuredContent"]["stdout"] for id in ids]
        tap.equal(results, [f"{n}\n" for n in range(50)], "50 calls at once")
        session = client.tool("create_session")["session_id"]
        tap.equal(client.tool("write_file", session_id=session, path="big", content="x" * (20 << 20)).get("size"), 20 << 20, "a message of 20 MiB")
        first = client.begin("execute_code", {"code": "# " + "x" * (1 << 20) + "\nprint(1)"})
        second = client.send("ping")
        tap.ok(client.wait(second) and client.wait(first), "a short message behind a long one")


def test_progress_and_cancel(tap, daemon):
    with Client() as client:
        client.call("execute_code", {"code": SLEEP % 2.5}, progressToken="tok")
        got = [n["params"]["progressToken"] for n in client.notes if n["method"] == "notifications/progress"]
        tap.ok(got and set(got) == {"tok"}, "progress", client.notes)
        running = client.begin("execute_code", {"code": SLEEP % 60})
        wait_for(lambda: daemon.status()["running"])
        client.note("notifications/cancelled", {"requestId": running})
        tap.ok(nothing_left(daemon), "a call is cancelled")
        tap.ok(client.ask("ping") and not client.answers.get(json.dumps(running)), "... and gets no answer")


def test_killed(tap, daemon):
    for number in (signal.SIGKILL, signal.SIGTERM):
        client = Client()
        client.tool("create_session")
        client.begin("execute_code", {"code": SLEEP % 100})
        wait_for(lambda: daemon.status()["running"])
        client.process.send_signal(number)
        client.process.wait(PATIENCE)
        tap.ok(nothing_left(daemon), f"{signal.Signals(number).name} leaves no run and no session")
        client.close()
    client = Client()
    client.begin("execute_code", {"code": SLEEP % 100})
    wait_for(lambda: daemon.status()["running"])
    began = time.monotonic()
    tap.ok(client.close()[0] == 0 and 5 < time.monotonic() - began < 40 and nothing_left(daemon), "at the end of the input, a call has 10 s to end")


# ---- settings ----


def test_options(tap, daemon):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as f:
        f.write("given")
        f.flush()
        with Client("--memory", "123m", "--timeout", "7s", "--languages", "python", "--sessions", "1", "--env", "WHO=me",
                    "--file", f.name + ":a.txt", "--message-limit", "64k", "--preload", "json") as client:
            about = client.hello["result"]["instructions"]
            tap.ok("7s" in about and "123m" in about and "languages are: python" in about, "the description has the settings", about)
            code = "import os\nprint(open('a.txt').read(), os.environ['WHO'])"
            found = client.tool("execute_code", code=code)
            tap.equal(found.get("stdout"), "given me\n", "files and variables", found)
            tap.ok("not offered" in texts(client.call("run_command", {"command": "true"})), "languages")
            tap.ok(client.tool("execute_code", code="x = bytearray(200 << 20)").get("success") is False, "a limit")
            session = client.tool("create_session")
            found = client.tool("execute_code", session_id=session["session_id"], code=code)
            tap.equal(found.get("stdout"), "given me\n", "... in a session, too", found)
            tap.ok("the maximum" in texts(client.call("create_session", {})), "the number of sessions")
            error = client.ask("tools/call", {"name": "execute_code", "arguments": {"code": "print('x' * 30000, end='')\n" * 3}})
            tap.ok("limit of a message" in str(error), "the size of an answer", error)
    with Client("--profile", "standard", "--forbid-imports", "json") as client:
        tap.ok(client.call("execute_code", {"code": "import json"})["isError"], "what the guard refuses")
    tap.equal(nothing_left(daemon), True, "nothing is left")


def said(words, daemon, **more):
    """Whether the daemon ran a program of this server, and what the server said."""
    client = Client(*words)
    before = counted(daemon)
    found = client.tool("execute_code", code="print(1)", **more)
    client.close()
    return counted(daemon) - before if found.get("stdout") == "1\n" else found, client.said


def test_refused(tap, daemon):
    for words, why in ((["--ro", "/usr/share:/data"], b"--allow host-files"), (["--net", "host"], b"--allow net-host"),
                       (["--memory", "100g"], b"more than this daemon allows"), (["--log", "off"], b"--log"),
                       (["--message-limit", "100m"], b"64 MiB")):
        ran, line = said(words, daemon)
        tap.ok(ran == 0 and why in line and HERE in line and line.count(b"\n") == 1, f"{' '.join(words)}: its own sandboxes, with the reason", ran, line)
    tap.equal(said(["--no-daemon"], daemon), (0, b""), "--no-daemon: the same, as asked")
    with tempfile.TemporaryDirectory() as folder:
        for words, why in ((["--daemon", "unix:" + daemon.socket, "--net", "host"], "--allow net-host"),
                           (["--daemon", folder + "/none"], "no daemon answers"),
                           (["--daemon", f"127.0.0.1:{daemon.port}"], "tokens")):
            done = subprocess.run([GLOVEBOX, "mcp", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  env=environment(folder), timeout=PATIENCE, check=False)
            tap.ok(done.returncode and why in done.stderr and words[1] in done.stderr and done.stderr.count("\n") == 1, f"{' '.join(words[::2])}: demanded, refused", done)
        token = os.path.join(folder, "token")
        with open(token, "w") as f:
            f.write(TOKENS["ann"])
        tap.equal(said(["--daemon", f"127.0.0.1:{daemon.port}", "--token-file", token], daemon), (1, b""), "over TCP, with a token")


def test_policy_file(tap, daemon):
    """The daemon gets the text of a policy file."""
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as f:
        f.write("base = standard\nforbidden_imports = [json]")
        f.flush()
        tap.equal(said(["--profile", f.name], daemon), (1, b""), "a policy file")
        with Client("--profile", f.name) as client:
            tap.ok(client.call("execute_code", {"code": "import json"})["isError"], "... whose rules hold in a run")
            session = client.tool("create_session")["session_id"]
            tap.ok(client.call("execute_code", {"session_id": session, "code": "import json"})["isError"], "... and in a session")
        f.write("\nno_such_key = 1\n")
        f.flush()
        client = Client("--profile", f.name, version=None)
        client.close()
        tap.ok(b"no_such_key" in client.said, "a wrong policy file", client.said)


def test_own_python(tap):
    """A path of Python's, or the active environment, at a daemon that may use files of this machine."""
    found = shutil.which("python3", path="/usr/bin:/usr/local/bin")
    if not found:
        tap.skip("a path of Python's", "no file /usr/bin/python3")
        return
    prefix = os.path.dirname(os.path.dirname(found))
    for options, ran in ((("--allow", "host-files"), 1), ((), 0)):
        with Daemon(*options) as daemon, over(daemon):
            runs, line = said(["--python", found], daemon)
            tap.ok(runs == ran and (ran or b"--allow host-files" in line and HERE in line), f"--python PATH, daemon with {options}: {ran}", runs, line)
            server["VIRTUAL_ENV"] = prefix
            runs, line = said([], daemon)
            tap.ok(runs == ran and (ran or b"--allow host-files" in line and b"active environment" in line), f"an active environment: {ran}", runs, line)


def test_project(tap, daemon):
    """A config file of the project counts, whose folder the daemon does not know."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "glovebox.conf"), "w") as f:
            f.write('memory = "77m"\n')
        line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": modern()}) + "\n"
        done = subprocess.run([GLOVEBOX, "mcp"], input=line, capture_output=True, text=True, cwd=folder, env=environment(folder), timeout=PATIENCE, check=False)
        tap.ok("77m of memory" in done.stdout and not done.stderr, "glovebox.conf of the project", done)


# ---- clients that do not read ----

UPGRADE = (b"POST /mcp/lines HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: glovebox-mcp\r\n"
           b"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")


def lines_at(daemon):
    end = socket.socket(socket.AF_UNIX)
    end.connect(daemon.socket)
    end.sendall(UPGRADE)
    assert b" 101 " in end.recv(4096)
    end.setblocking(False)
    return end


def send_until_full(ends, data):
    """Until none of them has taken anything for a second."""
    rest, moved = dict.fromkeys(ends, data), time.monotonic()
    while time.monotonic() - moved < 1:
        for end in ends:
            try:
                rest[end] = rest[end][end.send(rest[end]):] or data
                moved = time.monotonic()
            except BlockingIOError:
                pass


def test_unread(tap, daemon):
    with ExitStack() as opened:
        ends = [opened.enter_context(lines_at(daemon)) for _ in range(8)]
        ask = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": modern()}) + "\n"
        send_until_full(ends, 20 * ask.encode())
        held = memory_of(daemon.process, "VmRSS") >> 20
        tap.ok(held < 560 or "asan" in GLOVEBOX, "eight clients that ask and do not read: their answers have one limit", held)
        with Client() as client:
            tap.equal(client.tool("execute_code", code="print('x' * 10)").get("stdout"), "x" * 10 + "\n", "... and another client is served")
    tap.ok(nothing_left(daemon), "... and nothing is left of them")


# ---- a daemon that ends ----


def test_lost(tap):
    for version in ("2025-06-18", MODERN):
        with Daemon() as daemon, over(daemon):
            client = Client(version=None if version == MODERN else version)
            more = modern() if version == MODERN else {}
            session = client.wait(client.send("tools/call", {"name": "create_session", "arguments": {}, **more}))["result"]["structuredContent"]["session_id"]
            running = client.send("tools/call", {"name": "execute_code", "arguments": {"code": SLEEP % 100}, **more})
            wait_for(lambda: daemon.status()["running"])
            daemon.process.kill()
            error = (client.wait(running, 20) or {}).get("error", {})
            tap.ok("not repeated" in error.get("message", ""), f"{version}: the daemon is killed: a call on its way gets an error", error)

            def call(tool, **arguments):
                return client.wait(client.send("tools/call", {"name": tool, "arguments": arguments, **more}))["result"]

            result = call("execute_code", code="open('a', 'w').write('x')\nprint(1)")
            tap.equal(result["structuredContent"]["stdout"], "1\n", "... and the next one runs")
            tap.equal("resultType" in result, version == MODERN, "... as the client's version has it")
            tap.ok("there is no session" in texts(call("execute_code", session_id=session, code="1")), "... but the sessions are lost")
            status = client.close()
            tap.ok(status == (0, []) and b"its sessions are lost" in client.said and client.said.count(b"\n") == 1, "... which one line says", status, client.said)
    with Daemon() as daemon, over(daemon):
        client = Client("--daemon", daemon.socket)
        daemon.process.kill()
        status = client.process.wait(PATIENCE)
        client.close()
        tap.ok(status and b"has ended" in client.said, "a daemon that was demanded: the server ends, too", status, client.said)
    with Daemon("--drain", "30s") as daemon, over(daemon):
        client = Client()
        running = client.begin("execute_code", {"code": SLEEP % 2})
        idle = Client()
        wait_for(lambda: daemon.status()["running"])
        daemon.process.send_signal(signal.SIGTERM)
        wait_for(lambda: daemon.status()["state"] != "serving")
        tap.equal(idle.tool("execute_code", code="print(1)").get("stdout"), "1\n", "a daemon that stops leaves an idle client at once")
        tap.equal(client.wait(running)["result"]["structuredContent"]["stdout"], "slept\n", "... and answers the calls that run")
        daemon.process.wait(PATIENCE)
        tap.equal(client.tool("execute_code", code="print(1)").get("stdout"), "1\n", "... before the client continues by itself")
        idle.close()
        client.close()


def test_escaped(tap):
    """JSON has several texts for one name."""
    with Daemon() as daemon, over(daemon):
        client = Client()
        names = (r"tools\/call", r"tools\u002fcall", r"\u0074ools/call")
        for id, name in enumerate(names, 1000):
            call = {"jsonrpc": "2.0", "id": id, "method": "NAME", "params": {"name": "execute_code", "arguments": {"code": SLEEP % 100}, **modern()}}
            client.write(json.dumps(call).replace("NAME", name) + "\n")
        wait_for(lambda: daemon.status()["running"] + daemon.status()["waiting"] == len(names))
        daemon.process.kill()
        errors = [(client.wait(id, 20) or {}).get("error", {}).get("message", "") for id in range(1000, 1000 + len(names))]
        tap.ok(all("not repeated" in error for error in errors), "a call whose method is written with escapes is not repeated", errors)
        client.close()


def test_escaped_keys(tap):
    """... and for the name of a member."""
    with Daemon() as daemon, over(daemon):
        client = Client()
        call = json.dumps({"jsonrpc": "2.0", "id": 1000, "method": "tools/call",
                           "params": {"name": "execute_code", "arguments": {"code": SLEEP % 100}, **modern()}})
        client.write(call.replace('"id"', r'"\u0069d"').replace('"method"', r'"\u006d\u0065tho\u0064"', 1) + "\n")
        wait_for(lambda: daemon.status()["running"])
        daemon.process.kill()
        error = (client.wait(1000, 20) or {}).get("error", {})
        tap.ok("not repeated" in error.get("message", ""), "a call whose keys are written with escapes gets its error", error)
        client.close()


def test_unread_lines(tap):
    """What the daemon does not read is answered, with the request's id, and is not waited for."""
    with Daemon("--max-body", "1m") as daemon, over(daemon):
        client = Client()
        client.ask("ping")
        long = {"name": "execute_code", "arguments": {"code": "#" + "x" * (2 << 20)}}
        error = (client.ask("tools/call", long) or {}).get("error", {})
        tap.ok("longer than 1 MiB" in error.get("message", "") and "data" not in error, "a message over --max-body gets an error", error)
        client.write('{"jsonrpc": "2.0", "id": 2000, "method": "tools/call", "params": {"name": bad}}\n')
        error = (client.wait(2000, 20) or {}).get("error", {})
        tap.ok("not JSON" in error.get("message", ""), "... and so does one that is not JSON", error)
        client.write('\n{"jsonrpc": "2.0", "id": "' + "i" * 2000 + '", "method": "ping"}\n')
        error = (client.wait("i" * 2000, 20) or {}).get("error", {})
        tap.ok("'id' must be" in error.get("message", ""), "... and one whose id is too long", error)
        tap.equal(client.tool("execute_code", code="print(1)").get("stdout"), "1\n", "the next call runs")
        began = time.monotonic()
        client.close()
        tap.ok(time.monotonic() - began < 5, "nothing is waited for at the end")


def test_later(tap):
    """A daemon that is started after the server, and another one after that has ended."""
    with tempfile.TemporaryDirectory() as folder:
        for version in ("2025-06-18", MODERN):
            place, more = os.path.join(folder, version), modern() if version == MODERN else {}
            with over(types.SimpleNamespace(socket=place)):
                client = Client(version=None if version == MODERN else version)

                def run():
                    arguments = {"name": "execute_code", "arguments": {"code": "print(1)"}, **more}
                    result = client.wait(client.send("tools/call", arguments))["result"]
                    return result["structuredContent"]["stdout"] == "1\n" and ("resultType" in result) == (version == MODERN)

                tap.ok(run(), f"{version}: without a daemon, the server works")
                for turn in range(2):
                    with Daemon(place=place) as daemon:
                        time.sleep(2.1)  # the server looks again after 1 s, and 2 s after a loss
                        tap.ok(run(), f"... daemon {turn + 1}: the next call is answered")
                        tap.ok(counted(daemon) == 1 and not client.guests(), "... by the daemon", counted(daemon))
                    tap.ok(run(), "... and when it has ended, by the server")
                client.close()
                tap.ok(client.said.count(b"the sandboxes are there now") == 2, "... which a line says each time", client.said)


def test_later_but_busy(tap):
    """What the server has stays with it, and so does its client."""
    with tempfile.TemporaryDirectory() as folder, over(types.SimpleNamespace(socket=os.path.join(folder, "s"))):
        client = Client()
        session = client.tool("create_session")["session_id"]
        with Daemon(place=os.path.join(folder, "s")) as daemon:
            time.sleep(1.1)
            tap.equal(client.tool("execute_code", session_id=session, code="6 * 7").get("value"), 42, "an open session keeps the server")
            client.tool("close_session", session_id=session)
            tap.ok(wait_for(lambda: client.tool("execute_code", code="print(1)").get("stdout") == "1\n" and counted(daemon)),
                   "... until it is closed: then the daemon serves")
            client.close()


def test_stopped(tap):
    with Daemon() as daemon, over(daemon):
        client = Client()
        running = client.begin("execute_code", {"code": SLEEP % 100})
        wait_for(lambda: daemon.status()["running"])
        daemon.process.send_signal(signal.SIGSTOP)
        try:
            began = time.monotonic()
            ran = Client()
            took = time.monotonic() - began
            tap.ok(1.5 < took < 10 and ran.tool("execute_code", code="print(1)").get("stdout") == "1\n", "a stopped daemon: the server begins without it", took)
            ran.close()
            tap.ok(b"kill -CONT" in ran.said and HERE in ran.said, "... and says what to do", ran.said)
            error = (client.wait(running, 40) or {}).get("error", {})
            tap.ok("not repeated" in error.get("message", ""), "a daemon that is stopped in the middle: a call gets an error", error)
            tap.equal(client.tool("execute_code", code="print(1)").get("stdout"), "1\n", "... and the next one runs")
            client.close()
            tap.ok(b"kill -CONT" in client.said, "... and one line says what to do", client.said)
        finally:
            daemon.process.send_signal(signal.SIGCONT)
        tap.ok(nothing_left(daemon), "... and nothing of it runs when the daemon continues")


class Stranger:
    """A socket at which the first request gets this answer."""

    def __init__(self, text):
        self.folder = tempfile.TemporaryDirectory()
        self.socket = os.path.join(self.folder.name, "s")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.socket)
        self.listener.listen()
        threading.Thread(target=self.answer, args=(text,), daemon=True).start()

    def answer(self, text):
        connection, _ = self.listener.accept()
        connection.recv(1 << 16)
        connection.sendall(text)
        connection.recv(1)
        connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()
        self.folder.cleanup()


def test_older(tap):
    """A daemon that does not know the address, and a program that is no daemon."""
    for text, why in ((b'HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}', b"another version"), (b"220 mail.example ESMTP\r\n\r\n", b"not that of the daemon")):
        with Stranger(text) as stranger, over(stranger):
            client = Client()
            tap.ok(client.hello, why.decode() + ": the server works without it")
            client.close()
            tap.ok(why in client.said and HERE in client.said, "... and says why", client.said)


def test(tap):
    with Daemon(log="runs.db") as daemon, over(daemon):
        test_work(tap, daemon)
        test_at_once(tap)
        test_progress_and_cancel(tap, daemon)
        test_options(tap, daemon)
        test_refused(tap, daemon)
        test_policy_file(tap, daemon)
        test_project(tap, daemon)
        test_killed(tap, daemon)
        test_unread(tap, daemon)
        eras.test(tap)


def test_none(tap):
    """Where there is no daemon, and for a user without a folder for sockets, nothing is said."""
    ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
    with tempfile.TemporaryDirectory() as folder:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("GLOVEBOX", "XDG_", "VIRTUAL_ENV", "CONDA"))}
        for more, user in (({"XDG_RUNTIME_DIR": folder}, None), ({}, 65534 if os.geteuid() == 0 else None)):
            done = subprocess.run([GLOVEBOX, "mcp"], input=ping, capture_output=True, cwd="/", user=user,
                                  env={**kept, "HOME": "/", **more}, timeout=PATIENCE, check=False)
            tap.ok(done.returncode == 0 and done.stdout and not done.stderr, "no daemon: nothing is said of it", done)


def test_daemons(tap):
    test_none(tap)
    test_own_python(tap)
    test_lost(tap)
    test_escaped(tap)
    test_escaped_keys(tap)
    test_unread_lines(tap)
    test_later(tap)
    test_later_but_busy(tap)
    test_stopped(tap)
    test_older(tap)
