# SPDX-License-Identifier: Apache-2.0
"""Sessions in a container: the servers of cells that run in jails, over the same channel."""

import json
import os
import subprocess
import tempfile
import time

import differences
import program
import suites
from ends import wait_for
from warm import daemon


def repl(host, cells, *words, lang="python"):
    done = subprocess.run([program.GLOVEBOX, "repl", "--no-daemon", "--log", "off", "--no-check", "--quiet", "--backend", "docker",
                           "--lang", lang, *words], input="\n%%\n".join(cells).encode(), capture_output=True,
                          timeout=program.SECONDS, env=program.environment(host))
    return done.stdout.decode(), done.stderr.decode()


def test_state(tap, docker):
    out, err = repl(docker.host, ["x = 41\ndef f(): return x + 1", "f()", "print('out')\nimport sys\nprint('err', file=sys.stderr)",
                                  "1/0", "x"])
    tap.equal(out, "42\nout\n41\n", "variables stay between cells", err)
    tap.ok("err\n" in err and "ZeroDivisionError" in err, "errors are those of a cell", err)
    out, err = repl(docker.host, ["x=(4 2)", "echo ${x[0]}${x[1]}"], lang="bash")
    tap.equal(out, "42\n", "in Bash as well", err)


def test_interrupted(tap, docker):
    out, err = repl(docker.host, ["x = 5", "while True: pass", "import time\ntime.sleep(60)", "x + 1"], "--timeout", "1s")
    tap.equal((out, err.count("KeyboardInterrupt")), ("6\n", 2), "a cell that takes too long is interrupted, the session lives", err)


def test_memory(tap, docker):
    out, err = repl(docker.host, ["open('kept', 'w').write('text')\nNone", "x = bytearray(10 ** 9)", "2", ":reset", "open('kept').read()"],
                    "--memory", "64m")
    tap.ok(out.endswith("'text'\n") and "memory" in err and "2\n" not in out,
           "one that takes too much memory ends it; a new one has its files", out, err)


def test_files(tap, docker):
    out, err = repl(docker.host, ["import os\nos.mkdir('d')\nopen('d/a.txt', 'w').write('one')\nos.symlink('/etc/passwd', 'link')",
                                  ":files"])
    tap.ok(out.split()[-2:] == ["3", "d/a.txt"] and "link" not in out, "files are listed, links are not", out, err)


def check_paused(tap, docker, put, folder):
    """A file for a container that a user has paused by hand."""
    one = "/containers/" + docker.containers()[-1]["Id"]  # the oldest: others may wait
    with open(folder + "/large", "wb") as f:
        f.write(bytes(20 << 20))
    docker.ask("POST", one + "/pause")
    began = time.monotonic()
    done = put(folder + "/large")
    tap.ok(done.returncode == 0 and time.monotonic() - began < 15, "a container that was paused by hand continues", done)


def test_daemon(tap, docker):
    """Sessions of a daemon: cells, files put and read, tools of the program around it, and nothing left."""
    with tempfile.TemporaryDirectory() as folder:
        env = {**program.environment(docker.host), "GLOVEBOX_SOCKET": "unix:%s/daemon.sock" % folder, "XDG_CONFIG_HOME": folder}
        daemon = subprocess.Popen([program.GLOVEBOX, "serve", "--listen", "unix:%s/daemon.sock" % folder, "--log", "off"],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env)
        try:
            daemon.stdout.readline()

            def session(*words, stdin=b""):
                return subprocess.run([program.GLOVEBOX, "session", *words], input=stdin, capture_output=True, env=env, timeout=120)

            done = session("new", "--backend", "docker", "--json")
            tap.ok(done.returncode == 0, "a session of a daemon", done)
            name = json.loads(done.stdout)["id"] if done.returncode == 0 else "none"
            session("exec", name, "-c", "open('made', 'w').write('inside'); y = 6")
            done = session("exec", name, "--json", "-c", "open('more', 'w').write('x'); y * 7")
            r = json.loads(done.stdout or b"{}")
            tap.equal((r.get("backend"), [f["path"] for f in r.get("files", [])]), ("docker", ["more"]),
                      "a cell's result names what it changed", done)
            session("get", name, "made", folder + "/got")
            with open(folder + "/got") as f:
                tap.equal(f.read(), "inside", "a file comes out")
            with open(folder + "/in.txt", "w") as f:
                f.write("outside")
            session("put", name, folder + "/in.txt:deep/in.txt")
            done = session("exec", name, "-c", "print(open('deep/in.txt').read())")
            tap.equal(done.stdout, b"outside\n", "a file goes in", done)
            check_paused(tap, docker, lambda path: session("put", name, path + ":late"), folder)
            tap.ok(len(docker.containers()) <= 2, "it has one container, and another may wait", docker.containers())
            session("close", name)
            tap.ok(wait_for(lambda: len(docker.containers()) <= 1), "and none when it is closed", docker.containers())
            done = session("new", "--backend", "docker", "--image", "debian:bookworm-slim")
            tap.ok(done.returncode != 0 and b"there is no python3 in the image" in done.stderr, "an image that the user names, without a Python", done)
            done = session("new", "--backend", "docker", "--image", "python:3.11-slim")
            tap.equal(done.returncode, 0, "one with it", done)
        finally:
            daemon.terminate()
            daemon.communicate(timeout=60)
        tap.ok(wait_for(lambda: not docker.containers()), "nor when the daemon ends", docker.containers())


def test_mcp(tap, docker):
    """The tools of MCP, in an image that the user names."""
    asks = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "execute_code", "arguments": {"code": "print(6 * 7)", "language": "python"}}}]
    server = subprocess.Popen([program.GLOVEBOX, "mcp", "--log", "off", "--backend", "docker", "--image", "python:3.11-slim",
                               "--runtime", "other"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=program.environment(docker.host))
    server.stdin.write("".join(json.dumps(a) + "\n" for a in asks).encode())
    server.stdin.flush()
    server.stdout.readline()
    answer = server.stdout.readline()
    server.stdin.close()
    server.wait(60)
    tap.ok(b"42" in answer, "a tool of MCP runs in it", answer, server.stderr.read())


def test_like_jails(tap, docker):
    """One part of them; the others by name alone (suites.py)."""
    suites.compare(tap, docker, "session files", differences.SUITES["session files"])


def test_large_workspace(tap, docker):
    """After a cell, only what is new comes out of the container."""
    code = """
import os
open('big', 'wb').write(os.urandom(60 << 20))
for i in range(500): open('f%d' % i, 'w').write(str(i))
time_of_cell = 1"""
    with daemon(docker) as (_, env):
        def ask(*words):
            began = time.monotonic()
            done = subprocess.run([program.GLOVEBOX, "session", *words, "--json"], capture_output=True, env=env, timeout=120)
            return json.loads(done.stdout or b"{}"), time.monotonic() - began

        name = ask("new", "--backend", "docker", "--disk", "128m")[0]["id"]
        r, first = ask("exec", name, "-c", code)
        tap.equal((len(r["files"]), r["error"]), (501, None), "many files come out")
        time.sleep(2.5)
        ask("exec", name, "-c", "0")
        r, later = ask("exec", name, "-c", "open('f7', 'a').write('!'); os.remove('f8')")
        tap.equal({f["path"]: f["change"] for f in r["files"]}, {"f7": "modified", "f8": "deleted"}, "a change and a removal")
        tap.ok(later < first / 2, "which take less time", first, later)


def test_many_files(tap, docker):
    """MCP reads the beginning of each file that it lists: they do not all come out of the container for each."""
    code = "for i in range(1500): open('file%d' % i, 'w').write(str(i))"
    asks = [("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}),
            ("tools/call", {"name": "create_session", "arguments": {}}),
            ("tools/call", {"name": "execute_code", "arguments": {"code": code, "session_id": "ID"}}),
            ("tools/call", {"name": "list_files", "arguments": {"session_id": "ID"}})]
    server = subprocess.Popen([program.GLOVEBOX, "mcp", "--log", "off", "--no-daemon", "--backend", "docker"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=program.environment(docker.host))
    name, answer = "", b"{}"
    for number, (method, params) in enumerate(asks):
        began = time.monotonic()
        ask = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        server.stdin.write(json.dumps(ask).replace('"ID"', json.dumps(name)).encode() + b"\n")
        server.stdin.flush()
        while b'"id":%d' % number not in (answer := server.stdout.readline()).replace(b" ", b"") and answer:
            pass
        name = name or json.loads(answer)["result"].get("structuredContent", {}).get("session_id", "")
    took = time.monotonic() - began
    server.stdin.close()
    server.wait(60)
    files = json.loads(answer)["result"]["structuredContent"]["files"]
    tap.ok(files and took < 10, "1500 files are listed in time", len(files), took, server.stderr.read())


def test_judged(tap, docker):
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/c.py", "w") as f:
            f.write("def add(a, b):\n    return a + b if a < 10 else 0\n")
        with open(folder + "/cases.json", "w") as f:
            json.dump([{"call": "add(1, 2)", "expected": 3}, {"call": "add(10, 2)", "expected": 12}], f)
        done = subprocess.run([program.GLOVEBOX, "test", "c.py", "--cases", "cases.json", "--json", "--backend", "docker"], cwd=folder,
                              capture_output=True, timeout=120, env=program.environment(docker.host))
        r = json.loads(done.stdout or b"{}")
        tap.equal((r.get("passed"), r.get("failed"), r.get("trustworthy")), (1, 1, True), "the judge runs candidates in containers", r, done.stderr)


def test(tap, docker):
    for name, function in sorted(globals().items()):
        if name.startswith("test_"):
            function(tap, docker)
    tap.equal(docker.containers(), [], "no container is left")
