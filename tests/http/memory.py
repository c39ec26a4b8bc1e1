# SPDX-License-Identifier: Apache-2.0
"""The daemon's own memory: what many sessions and large answers leave behind, what unread answers hold, and large
requests that wait for room instead of being refused."""

import json
import re
import socket
import time
from concurrent.futures import ThreadPoolExecutor

from daemon import GLOVEBOX, Daemon
from procs import sanitized, wait_for

LARGE = "print('x' * (8 << 20))"
LIMIT = 16 << 20
BODIES_MIB = 256  # BODIES_MAX of src/doors/server/server.c


def mib(d, key="VmRSS"):
    with open("/proc/%d/status" % d.pid) as f:
        return int(re.search(key + r":\s+(\d+)", f.read())[1]) >> 10


def together(n, function, at_once=4):
    with ThreadPoolExecutor(at_once) as pool:
        return list(pool.map(function, range(n)))


def test_sessions(tap, d):
    def one(i):
        s = "/v1/sessions/" + d.post("/v1/sessions", {}).json["id"]
        done = d.post(s + "/exec", {"code": "x = %d" % i}).status
        return done, d.call("DELETE", s).status

    tap.equal(set(together(50, one)), {(200, 200)}, "sessions that come and go")
    before = mib(d)
    together(200, one)
    tap.ok(wait_for(lambda: mib(d) <= before + 8), "leave nothing in the daemon", (before, mib(d)))


def test_answers(tap, d):
    before = mib(d)
    got = together(20, lambda i: d.run(LARGE, output_limit_bytes=LIMIT), 20)
    tap.equal({(r.status, r.json["stdout_bytes"]) for r in got}, {(200, (8 << 20) + 1)}, "20 large answers at once")
    tap.ok(wait_for(lambda: mib(d) < before + 40), "leave nothing", (before, mib(d)))
    tap.ok(mib(d, "VmHWM") < before + 350, "and take no more than a few copies meanwhile", mib(d, "VmHWM"))


def test_unread(tap, d):
    """Readers that take nothing: what does not fit into the memory waits on the disk."""
    before, unread = mib(d), []
    for _ in range(24):
        unread.append(d.begin("POST", "/v1/run", {"code": LARGE, "output_limit_bytes": LIMIT}))
        time.sleep(0.1)
    for c in unread:
        c.sock.recv(1, socket.MSG_PEEK)  # its answer has begun
    tap.ok(wait_for(lambda: mib(d) < before + 165), "24 unread answers of 8 MiB hold 128 MiB", (before, mib(d)))
    whole = 0
    for c in unread:
        answer = json.loads(c.getresponse().read())
        whole += answer["stdout"] == "x" * (8 << 20) + "\n"
        c.close()
    tap.equal(whole, 24, "and all are whole")
    tap.ok(wait_for(lambda: mib(d) < before + 40), "afterwards nothing is left", mib(d))


def test_waiting(tap, d):
    """A large request waits until others are read."""
    body = json.dumps({"code": "print(1)", "files": {"a": "x" * (30 << 20)}}).encode()
    head = b"POST /v1/run HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
    held = []
    for _ in range(BODIES_MIB // 30):
        s = d.raw()
        s.sendall(head)
        s.sendall(memoryview(body)[:-1])
        held.append(s)
    with ThreadPoolExecutor(2) as pool:
        late = [pool.submit(d.call, "POST", "/v1/run", body, {"Content-Type": "application/json"}) for _ in range(2)]
        time.sleep(1)
        tap.ok(not any(f.done() for f in late), "large requests wait for room")
        tap.equal(d.run("print(2)").json["stdout"], "2\n", "others do not")
        held.pop().sendall(body[-1:])
        codes = [f.result().status for f in late]
    tap.equal(codes, [200, 200], "and run when there is some")
    for s in held:
        s.close()


def test_stalled(tap, d):
    """Room that is reserved and not used is for others."""
    head = b"POST /v1/run HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % (30 << 20)
    idle = [d.raw() for _ in range(BODIES_MIB // 30)]
    for s in idle:
        s.sendall(head + b"{")
    body = {"code": "print(1)", "files": {"a": "x" * (30 << 20)}}
    tap.equal(d.post("/v1/run", body).status, 200, "clients that announce bodies and send none hold nobody up")
    for s in idle:
        s.close()


def test(tap):
    if sanitized(GLOVEBOX):
        return  # it keeps what is freed
    with Daemon() as d:
        for part in (test_sessions, test_answers, test_unread):
            part(tap, d)
    with Daemon() as d:
        test_waiting(tap, d)
        test_stalled(tap, d)
