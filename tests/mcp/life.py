# SPDX-License-Identifier: Apache-2.0
"""How the server ends: input closed, signals, a client that is killed, one that does not read."""

import json
import os
import resource
import signal
import subprocess
import tempfile
import time

from client import GLOVEBOX, PATIENCE, Client, environment, texts
from procs import descendants, still_there, wait_for

SLEEP = "import time\ntime.sleep(%s)\nprint('slept')"


def call(id, code):
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": "tools/call",
                       "params": {"name": "execute_code", "arguments": {"code": code}}}) + "\n"


def test_input_ends(tap):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([GLOVEBOX, "mcp"], input=call(1, "print(1)") + call(2, SLEEP % 1).strip(), capture_output=True,
                              text=True, env=environment(folder), timeout=PATIENCE, check=False)
        ids = sorted(json.loads(line)["id"] for line in done.stdout.splitlines())
        tap.equal((done.returncode, ids, done.stderr), (0, [1, 2], ""), "requests before the end of the input are answered")
        empty = subprocess.run([GLOVEBOX, "mcp"], stdin=subprocess.DEVNULL, capture_output=True, env=environment(folder), timeout=PATIENCE, check=False)
        tap.equal((empty.returncode, empty.stdout, empty.stderr), (0, b"", b""), "no request at all")
    client = Client()
    client.tool("create_session")
    began = time.monotonic()
    tap.equal(client.close(), (0, []), "nothing is left after the end")
    tap.ok(time.monotonic() - began < 5, "... which comes at once")
    client = Client()
    session = client.tool("create_session")["session_id"]
    ids = [client.begin("execute_code", {"code": SLEEP % 100, **more}) for more in ({}, {"session_id": session}, {"session_id": session})]
    wait_for(lambda: len(client.guests()) > 2)
    began = time.monotonic()
    status = client.close()
    tap.ok(status == (0, []) and 5 < time.monotonic() - began < 40, "a long call has 10 s to end", status, time.monotonic() - began)
    results = [(client.wait(id, 0) or {}).get("result", {}) for id in ids]
    tap.ok(all(r.get("isError") for r in results) and all(word in texts(r) for word, r in zip(("stopped", "KeyboardInterrupt", "stopped"), results)),
           "... and is answered, as are calls that wait", results)


def test_signals(tap):
    for number in (signal.SIGTERM, signal.SIGINT):
        client = Client()
        client.tool("create_session")
        running = client.begin("execute_code", {"code": SLEEP % 100})
        wait_for(lambda: len(client.guests()) > 2)
        below = client.guests()
        client.process.send_signal(number)
        try:
            status = client.process.wait(20)
        except subprocess.TimeoutExpired:
            status = "it runs on"
        tap.equal(status, 0, f"{signal.Signals(number).name} ends it")
        tap.ok(wait_for(lambda: not still_there(below)), "... and its guests")
        client.close()
        answer = client.wait(running, 0) or {}
        tap.ok("stopped" in texts(answer.get("result", {})), "... and its call is answered", answer)
    client = Client()
    client.tool("create_session")
    client.begin("execute_code", {"code": SLEEP % 100})
    wait_for(lambda: len(client.guests()) > 2)
    tap.ok(client.kill(), "SIGKILL leaves no guest")


def test_killed_client(tap):
    """The client's ends of both pipes are closed at once."""
    with tempfile.TemporaryDirectory() as folder:
        read_in, write_in = os.pipe()
        read_out, write_out = os.pipe()
        process = subprocess.Popen([GLOVEBOX, "mcp"], stdin=read_in, stdout=write_out, env=environment(folder))
        os.close(read_in)
        os.close(write_out)
        os.write(write_in, call(1, SLEEP % 100).encode())
        wait_for(lambda: len(descendants(process.pid)) > 1)
        below = descendants(process.pid)
        os.close(write_in)
        os.close(read_out)
        began = time.monotonic()
        try:
            status = process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            status = process.wait()
        tap.ok(status == 0 and time.monotonic() - began < 8, "a client that is killed: the server ends at once", status)
        tap.ok(wait_for(lambda: not still_there(below)), "... with its guests")


def test_slow_reader(tap):
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen([GLOVEBOX, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(folder))
        line = '{"jsonrpc":"2.0","id":%d,"method":"tools/list"}\n'
        for number in range(300):  # some 6 MiB of answers, none of which is read yet
            process.stdin.write((line % number).encode())
        process.stdin.close()
        time.sleep(2)
        ids = [json.loads(answer)["id"] for answer in process.stdout]
        tap.equal((process.wait(PATIENCE), ids == list(range(300))), (0, True), "a client that writes first and reads later")


def memory_of(process, field):
    with open(f"/proc/{process.pid}/status") as f:
        return next(int(line.split()[1]) for line in f if line.startswith(field)) << 10


def test_reads_nothing(tap):
    """A client that asks for 1 GiB, and reads nothing of it."""
    client = Client()
    session = client.tool("create_session")["session_id"]
    client.tool("execute_code", session_id=session, code="open('a', 'w').write('x' * (7 << 20))")
    client.process.send_signal(signal.SIGSTOP)  # all requests are there before the first is answered
    for number in range(150):
        client.send("resources/read", {"uri": f"sandbox://{session}/a"}, id=f"r{number}")
    with client.changed:  # the reader waits for this lock, and the server for the reader
        client.process.send_signal(signal.SIGCONT)
        time.sleep(4)
        held = memory_of(client.process, "VmRSS") >> 20
    tap.ok(held < 800 or "asan" in GLOVEBOX, f"answers that are not read are bounded: {held} MiB")
    tap.ok(all("result" in (client.wait(f"r{number}") or {}) for number in range(150)), "... and come when they are read")
    client.close()


def test_no_thread(tap):
    with Client() as client:
        client.ask("ping")
        room = memory_of(client.process, "VmSize") + (2 << 20)  # less than a thread's stack
        resource.prlimit(client.process.pid, resource.RLIMIT_AS, (room, resource.RLIM_INFINITY))
        result = client.call("check_code", {"code": "1"})
        tap.ok(result.get("isError") and "thread" in str(result), "without a thread for it, a call fails", result)
        resource.prlimit(client.process.pid, resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        tap.ok(client.tool("check_code", code="1").get("allowed"), "... and the next one need not")


def test_wrong_usage(tap):
    with tempfile.TemporaryDirectory() as folder:
        for words, message in ((["x"], "takes no argument"), (["--languages", "klingon"], "klingon"), (["--write"], "--install"),
                               (["--install", "emacs"], "emacs"), (["--out", "/tmp"], "--out"), (["--sessions", "0"], "sessions"),
                               (["--profile", "nope"], "nope")):
            done = subprocess.run([GLOVEBOX, "mcp", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  env=environment(folder), timeout=PATIENCE, check=False)
            tap.ok(done.returncode == 2 and message in done.stderr and not done.stdout and done.stderr.count("\n") == 1, " ".join(words), done)


def test(tap):
    test_input_ends(tap)
    test_signals(tap)
    test_killed_client(tap)
    test_slow_reader(tap)
    test_reads_nothing(tap)
    if "asan" not in GLOVEBOX:
        test_no_thread(tap)
    test_wrong_usage(tap)
