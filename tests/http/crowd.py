# SPDX-License-Identifier: Apache-2.0
"""Many at once: the queue, its ceiling, deadlines, a thousand connections."""

import json
import os
import re
import signal
import time
from concurrent.futures import ThreadPoolExecutor

from daemon import PATIENCE, SLEEP, Daemon, read_all, statuses
from procs import named, wait_for

GET = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST /v1/run HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n"  # its body, {}, follows


def together(n, function):
    with ThreadPoolExecutor(n) as pool:
        return list(pool.map(function, range(n)))


def test_queue(tap, d):
    answers = together(12, lambda i: d.run("import time; time.sleep(0.5)"))
    codes = sorted(a.status for a in answers)
    full = [a for a in answers if a.status == 429]
    tap.ok(set(codes) == {200, 429} and codes.count(200) >= 3, "a full queue is 429", codes)
    tap.ok(full and all(int(a.headers["Retry-After"]) >= 1 for a in full), "with Retry-After")
    tap.ok(d.figure('glovebox_refusals_total{reason="queue"}') >= len(full), "which is counted")
    tap.equal(d.run("print(1)").status, 200, "and afterwards there is room")


HOARDER = "hoard%d" % os.getpid()  # the name of a guest's process that has its hoard
HOARD = """
import array, ctypes, signal, socket
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
pairs = [socket.socketpair() for _ in range(40)]
message = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * 100))]
sent = 0
try:
    while True:
        for ours, theirs in pairs:
            ours.setblocking(False)
            ours.sendmsg([b"x"], message)
            sent += 100
except OSError as e:
    print(sent, e.errno, flush=True)
ctypes.CDLL(None).prctl(15, b'%s', 0, 0, 0)
signal.sigtimedwait([signal.SIGUSR1], 30)
""" % HOARDER


def hoard(d):
    """At once in a warm run and in a session: guests of one kind are one user."""
    d.run("print(1)")
    wait_for(lambda: d.figure("glovebox_pool_ready") > 0)
    session = d.post("/v1/sessions", {}).json["id"]
    pool = ThreadPoolExecutor(2)
    return [pool.submit(d.run, HOARD, no_check=True),
            pool.submit(d.post, "/v1/sessions/%s/exec" % session, {"code": HOARD, "no_check": True})]


def test_descriptors_in_flight(tap, d):
    """The kernel counts descriptors in messages that nobody received for each user, and several guests can be one."""
    origin = "/v1/sessions/" + d.post("/v1/sessions", {}).json["id"]
    hoards = hoard(d)
    guests = wait_for(lambda: len(found := named(d.pid, HOARDER)) == 2 and found)
    tap.ok(guests, "two hoard", guests)
    # More than can have been ready before.
    others = [d.run("print(%d)" % i, no_check=True) for i in range(30)]
    others += [d.run("print(1)", cold=True), d.run("console.log(1)", language="javascript")]
    tap.ok(all(r.status == 200 and r.json["success"] for r in others), "who hoards descriptors does not keep others from starting",
           [(r.status, r.json.get("error")) for r in others])
    opened = [d.post("/v1/sessions", {}).status for _ in range(3)]
    fork = d.post(origin + "/fork", {})
    tap.ok(opened == [201] * 3 and fork.status in (201, 501), "nor sessions from being opened and forked", opened, fork)
    tap.ok(not any(h.done() for h in hoards), "all while the hoards are there")
    for pid, _ in guests or ():
        os.kill(pid, signal.SIGUSR1)
    said = [h.result().json["stdout"] for h in hoards]
    tap.ok(all(768 < int(s.split()[0]) < 1024 for s in said), "and stays below what is usual for the host's own", said)


def test_deadline(tap, d):
    blocker = d.sleep(120)
    wait_for(d.guests)
    r = d.run("print(1)", deadline_ms=200)
    tap.ok(r.status == 503 and r.json["error"]["kind"] == "timeout" and d.guests(),
           "a deadline in the queue", r)
    blocker.close()
    wait_for(lambda: d.figure("glovebox_workers_busy") == 0)
    r = d.run(SLEEP % 120, deadline_ms=1500, no_check=True)
    tap.equal(r.status, 504, "a deadline while it runs", r)
    tap.ok(wait_for(lambda: not d.guests()), "which ends it")
    r = d.run(SLEEP % 120, deadline_ms=1.5e3, no_check=True)
    tap.equal(r.status, 504, "as a number with a point, too", r)
    tap.equal(d.run("print(1)", deadline_ms=60000).status, 200, "a deadline that is kept")


def test_large_deadline(tap, d):
    """The deadline of a large body is read by the worker."""
    blocker = d.sleep(120)
    wait_for(d.guests)
    c = d.begin("POST", "/v1/run", {"code": "print(1)" + " " * 100000, "deadline_ms": 200})
    wait_for(lambda: d.figure("glovebox_queue_length"))
    time.sleep(0.3)
    blocker.close()
    r = c.getresponse()
    body = r.read()
    tap.ok(r.status == 503 and b"waited for its turn" in body, "a large request's deadline in the queue",
           r.status, body)
    c.close()


def test_batch_deadline(tap, d):
    for whole, own in ((None, 1500), (1500, None), (1500, 90000), (90000, 1500)):
        began = time.monotonic()
        run = {"code": SLEEP % 20, "no_check": True, "deadline_ms": own}
        r = d.post("/v1/batch", {"runs": [run, {"code": "print(1)"}], "deadline_ms": whole}).json["results"]
        took = time.monotonic() - began
        tap.ok(took < 15 and not r[0].get("success") and wait_for(lambda: not d.guests()),
               "the earlier of a batch's and its run's deadline: %s, %s" % (whole, own), took, r[0])
        tap.ok(whole == 1500 or r[1].get("stdout") == "1\n", "and of this run alone", r[1])
    tap.equal((r[0]["error"]["kind"], r[0]["signal"]), ("timeout", 9), "the run says that it was the deadline", r[0])


def test_stream_deadline(tap, d):
    s = d.post("/v1/sessions", {}).json["id"]
    code = SLEEP % 60
    test = {"cases": [{"stdin": "", "expected_stdout": "x"}]}
    for path, fields in (("/v1/run", {}), ("/v1/test", test), ("/v1/sessions/%s/exec" % s, {})):
        r = d.post(path, dict(fields, code=code, no_check=True, deadline_ms=1500), lines=True).lines[-1]
        error = r.get("result", {}).get("error") or {}
        tap.ok(r["event"] == "finished" and error.get("kind") == "timeout" and "deadline" in error["message"],
               "lines of %s end with the deadline" % path, r)
    d.call("DELETE", "/v1/sessions/" + s)


def test_thousand(tap, d):
    before = d.figure("process_open_fds")
    began = time.monotonic()
    sockets = [d.raw() for _ in range(1000)]
    for s in sockets:
        s.sendall(GET)
    good = sum(s.recv(1000).startswith(b"HTTP/1.1 200") for s in sockets)
    tap.equal(good, 1000, "a thousand connections at once")
    tap.ok(wait_for(lambda: d.figure("glovebox_connections_open") == 1001), "which are counted",
           d.figure("glovebox_connections_open"))
    tap.equal(d.run("print(1)").status, 200, "and a run beside them")
    for s in sockets:
        s.close()
    gone = wait_for(lambda: d.figure("glovebox_connections_open") == 1)
    tap.ok(gone and wait_for(lambda: d.figure("process_open_fds") <= before + 40),
           "and nothing of them is left", before, d.figure("process_open_fds"))
    tap.ok(time.monotonic() - began < 60, "before long")


def test_thousand_runs(tap, d):
    """Each of a thousand clients has its own run asked for before the first answer is read."""
    body = json.dumps({"code": "print(1)", "language": "sh"}).encode()
    text = (b"POST /v1/run HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" %
            len(body)) + body
    sockets = [d.raw() for _ in range(300)]
    for s in sockets:
        s.sendall(text)
    answers = together(30, lambda i: [read_all(s) for s in sockets[i * 10:i * 10 + 10]])
    codes = [statuses(a) for ten in answers for a in ten]
    tap.equal(codes.count([200]), 300, "300 runs at once, all answered", codes[:5])
    for s in sockets:
        s.close()


def test_fair(tap, d):
    """Long ones do not keep short ones waiting."""
    stop = [d.sleep(120) for _ in range(20)]
    wait_for(lambda: d.figure("glovebox_workers_busy") >= 20)
    began = time.monotonic()
    r = d.run("print(1)")
    took = time.monotonic() - began
    tap.ok(r.status == 200 and took < 60, "twenty that sleep do not keep another waiting", took)
    for c in stop:
        c.close()
    tap.ok(wait_for(lambda: not d.guests()), "and are gone with their clients")


def test_full(tap, d):
    sockets = [d.raw() for _ in range(3)]
    for s in sockets:
        s.sendall(GET)
        s.recv(1000)
    got = d.say(GET)
    tap.equal(statuses(got), [503], "too many connections")
    head, body = re.split(rb"(?<=\r\n)\r\n", got, maxsplit=1)
    tap.ok(b"\r\nContent-Length: %d\r\n" % len(body) in head and b"\r\nDate: " in head and b"\r\nRetry-After: 1\r\n" in head and
           json.loads(body)["error"]["kind"] == "limit", "which is said in a whole answer", got)
    for s in sockets:
        s.close()
    tap.ok(wait_for(lambda: d.say(GET.replace(b"Host", b"Connection: close\r\nHost"))
                    .startswith(b"HTTP/1.1 200")), "until there are fewer")


def late_request(d, tcp):
    """A client that sends its request, with a body, when the daemon has already answered."""
    with d.raw(tcp) as s:
        time.sleep(0.3)
        try:
            s.sendall(b"POST /v1/run HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n" + b"x" * 200000)
            time.sleep(0.3)
            return statuses(s.recv(65536))
        except OSError as e:
            return e


def test_silent(tap, d):
    """Connections that send nothing, or a part of a head, take no other client's place."""
    silent = [d.raw() for _ in range(20)]
    tap.equal([d.get("/healthz").status for _ in range(5)], [200] * 5, "a table full of silent connections has room for others")
    silent[0].settimeout(PATIENCE)
    tap.equal(silent[0].recv(1), b"", "the oldest of them goes")
    silent[-1].sendall(GET)
    tap.equal(statuses(silent[-1].recv(1000)), [200], "the newest has its answer")
    begun = [d.raw() for _ in range(30)]
    for s in begun:
        s.sendall(b"GET /healthz HT")
    tap.equal([d.get("/healthz").status for _ in range(5)], [200] * 5, "a table full of parts of heads, too")
    begun[0].settimeout(PATIENCE)
    tap.equal(begun[0].recv(1), b"", "the oldest of these goes")
    begun[-1].sendall(b"TP/1.1\r\nHost: x\r\n\r\n")
    tap.equal(statuses(begun[-1].recv(1000)), [200], "the newest has its answer")
    silent[-1].sendall(GET)
    tap.equal(statuses(silent[-1].recv(1000)), [200], "one that has sent a request stays")
    asked = [d.raw() for _ in range(18)]  # with the two that have their answers, as many as there are places
    for s in asked:
        s.sendall(POST)
    tap.equal([late_request(d, tcp) for tcp in (True, False)], [[503], [503]], "a client that is too many reads its 503, not a reset")
    many = together(400, lambda i: statuses(d.say(GET))[:1])
    tap.equal(many, [[503]] * 400, "and so do 400 of them")
    for s in asked:
        s.sendall(b"{}")
    tap.equal([statuses(s.recv(1000)) for s in asked], [[400]] * 18, "those that have sent a head are served")
    for s in silent + begun + asked:
        s.close()
    tap.ok(wait_for(lambda: d.get("/healthz").status == 200), "all is as before")


def test(tap):
    with Daemon("--workers", "1", "--queue", "3") as d:
        test_queue(tap, d)
        test_deadline(tap, d)
        test_large_deadline(tap, d)
        test_batch_deadline(tap, d)
    with Daemon() as d:
        test_descriptors_in_flight(tap, d)
        test_stream_deadline(tap, d)
        test_thousand(tap, d)
        test_thousand_runs(tap, d)
        test_fair(tap, d)
    with Daemon("--connections", "3") as d:
        test_full(tap, d)
    with Daemon("--connections", "20", "--header-timeout", "60s", tcp=True) as d:
        test_silent(tap, d)
