# SPDX-License-Identifier: Apache-2.0
"""Broken, slow and hostile clients."""

import json
import select
import signal
import socket
import subprocess
import time

from daemon import GLOVEBOX, PATIENCE, Daemon, read_all, statuses
from procs import settle, still_there, wait_for

GET = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"


def post(body, extra=b"", path=b"/v1/run"):
    return (b"POST " + path + b" HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" + extra +
            b"Content-Length: %d\r\n\r\n" % len(body) + body)


RUN = post(b'{"code": "print(1)"}')

MALFORMED = [
    ("no version", b"GET /healthz\r\n\r\n", 400),
    ("another version", b"GET /healthz HTTP/2.0\r\nHost: x\r\n\r\n", 505),
    ("no host", b"GET /healthz HTTP/1.1\r\n\r\n", 400),
    ("two hosts", b"GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400),
    ("line ends of LF", b"GET /healthz HTTP/1.1\nHost: x\n\n", 400),
    ("a folded header", b"GET /healthz HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n", 400),
    ("a blank before the colon", b"GET /healthz HTTP/1.1\r\nHost : x\r\n\r\n", 400),
    ("a header without a colon", b"GET /healthz HTTP/1.1\r\nHost: x\r\nabc\r\n\r\n", 400),
    ("NUL in a header", b"GET /healthz HTTP/1.1\r\nHost: x\r\nA: \0\r\n\r\n", 400),
    ("no path", b"GET healthz HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    ("a giant address", b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 414),
    ("a giant header", b"GET / HTTP/1.1\r\nHost: x\r\nA: " + b"a" * 20000 + b"\r\n\r\n", 431),
    ("many headers", b"GET / HTTP/1.1\r\nHost: x\r\n" + b"A: b\r\n" * 150 + b"\r\n", 431),
    ("one endless line", b"G" * 20000, 414),
    ("two lengths", b"POST /v1/run HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n"
     b"Content-Length: 2\r\n\r\nab", 400),
    ("length and chunks", b"POST /v1/run HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n"
     b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    ("a length that is none", b"POST /v1/run HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\na", 400),
    ("another encoding", b"POST /v1/run HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
     501),
    ("bad chunks", b"POST /v1/run HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
    ("NUL behind a chunk's size", b"POST /v1/run HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
     b"13\0\r\n{\"code\":\"print(1)\"}\r\n0\r\n\r\n", 400),
    ("NUL in a chunk's extension", b"POST /v1/run HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
     b"13;a\0\r\n{\"code\":\"print(1)\"}\r\n0\r\n\r\n", 400),
    ("text behind a chunk's size", b"POST /v1/run HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
     b"13 zz\r\n{\"code\":\"print(1)\"}\r\n0\r\n\r\n", 400),
    ("a chunk without its end", b"POST /v1/run HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
     b"2\r\n{}xx", 400),
    ("another expectation", b"POST /v1/run HTTP/1.1\r\nHost: x\r\nExpect: 200-ok\r\n"
     b"Content-Length: 2\r\n\r\n{}", 417),
    ("bad percent signs", b"GET /v1/sessions/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 400),
    ("NUL in an address", b"GET /v1/sessions/%00 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 400),
    ("a body that is too large", b"POST /v1/run HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n",
     413),
    ("a TLS greeting", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n\n", 400),
]


def test_malformed(tap, d):
    for name, data, status in MALFORMED:
        got = d.say(data, end=name in ("bad chunks",))
        tap.equal(statuses(got), [status], name, got[:300])
        body = got.partition(b"\r\n\r\n")[2]
        tap.ok(b'"error"' in body and b'"message"' in body, name + ": says why", got[:300])


def test_forms(tap, d):
    close = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    tap.equal(statuses(d.say(close)), [200], "Connection: close")
    got = d.say(b"GET /healthz HTTP/1.0\r\n\r\n")
    tap.equal(statuses(got), [200], "HTTP/1.0", got)
    got = d.say(b"GET http://x/healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    tap.equal(statuses(got), [200], "an absolute address", got)
    got = d.say(b"HEAD /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    tap.ok(got.startswith(b"HTTP/1.1 200") and got.endswith(b"\r\n\r\n"), "HEAD has no body", got)
    got = d.say(b"OPTIONS /v1/run HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    tap.ok(b" 204 " in got and b"Allow: POST, OPTIONS" in got, "OPTIONS", got)
    r = d.call("GET", "/v1/run")
    tap.equal((r.status, r.headers["Allow"]), (405, "POST, OPTIONS"), "a wrong method", r)
    tap.equal(d.post("/v1/sessions/x/files/a").message, "this address does not take POST; it takes "
              "GET, HEAD, PUT, DELETE, OPTIONS", "and the methods that the address has")
    for method in ("BREW", "PATCH", "B" * 9000):
        r = d.call(method, "/v1/run")
        tap.ok(r.status == 405 and r.message == "this address does not take %s; it takes POST, OPTIONS" % method[:40], method[:9] + " is not done", r)
    r = d.get("/v1/rnu")
    tap.ok(r.status == 404 and "/v1/run" in r.message, "an unknown address, and its nearest", r)
    r = d.get("/x")
    tap.ok(r.status == 404 and "/openapi.json" in r.message, "one that is near to nothing", r)
    r = d.get("/")
    tap.ok(r.json["name"] == "glovebox" and r.json["version"] == d.get("/v1/status").json["version"],
           "/ names the program and its version", r)
    shown = subprocess.run([GLOVEBOX, *r.json["help"].split()[1:]], capture_output=True, timeout=PATIENCE)
    tap.ok(shown.returncode == 0 and b"/v1/run" in shown.stdout, "and the help that there is", shown)
    got = d.say(b"\r\n" + close)
    tap.equal(statuses(got), [200], "an empty line before")


def test_bodies(tap, d):
    body = b'{"code": "print(1)"}'
    chunked = (b"POST /v1/run HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
               b"5 \t;a=b\r\n" + body[:5] + b"\r\n%x\r\n" % (len(body) - 5) + body[5:] +
               b"\r\n0\r\nTrailer: x\r\n\r\n")
    tap.equal(statuses(d.say(chunked)), [200], "a chunked body")
    with d.raw() as s:
        for i in range(0, len(chunked), 7):
            s.sendall(chunked[i:i + 7])
            time.sleep(0.001)
        tap.equal(statuses(read_all(s)), [200], "a chunked body, a few bytes at a time")
    with d.raw() as s:
        s.sendall(b"POST /v1/run HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\n"
                  b"Content-Length: %d\r\n\r\n" % len(body))
        first = s.recv(1000)
        tap.ok(first.startswith(b"HTTP/1.1 100 "), "Expect: 100-continue", first)
        s.sendall(body)
        tap.equal(statuses(read_all(s)), [200], "and then the answer")
    r = d.post("/v1/run", b'{"code":\n  "x",}')
    tap.ok(r.status == 400 and "line 2" in r.message and "column" in r.message, "bad JSON", r)
    for name, body in (("an array", b"[]"), ("twice the same", b'{"code":"1","code":"2"}'),
                       ("not UTF-8", b'{"code":"\xff"}'), ("deep", b"[" * 100000)):
        tap.equal(d.post("/v1/run", body).status, 400, "JSON: " + name)
    r = d.post("/v1/run", b"{}", headers={"Content-Encoding": "gzip"})
    tap.equal(r.status, 415, "gzip", r)
    form = {"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"}
    for name, body in (("a form", b"code=1"), ("a form that begins as a list", b"[1]"), ("a text", b'"x"')):
        r = d.post("/v1/run", body, headers=form)
        tap.ok(r.status == 415 and "application/json" in r.message, name, r)
    r = d.post("/v1/run", b' {"code": "print(1)"}', headers=form)
    tap.equal((r.status, r.json.get("stdout")), (200, "1\n"), "JSON with the type of a form, as curl -d sends it", r)
    r = d.post("/v1/run", b'{"code": 1', headers=form)
    tap.ok(r.status == 400 and "line 1" in r.message, "broken JSON with it", r)
    r = d.post("/v1/run", b'{"code": "print(1)"}', headers={"Content-Type": "multipart/form-data; boundary=x"})
    tap.ok(r.status == 415 and "'multipart/form-data'" in r.message, "the other type of forms", r)
    r = d.post("/v1/run", b'{"code":"print(1)"}', headers={"Content-Type": "application/foo+json"})
    tap.equal(r.status, 200, "JSON by another name", r)
    big = json.dumps({"code": "print(len(open('a').read()))", "files": {"a": "x" * (3 << 20)}})
    tap.equal(d.post("/v1/run", big.encode()).json["stdout"], "%d\n" % (3 << 20), "a large body")


def test_pipelining(tap, d):
    last = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    got = d.say(GET + RUN + GET * 20 + RUN + last)
    tap.equal(statuses(got), [200] * 24, "requests one after the other on one connection")
    got = d.say(RUN + b"GET / HTTP/9.0\r\n\r\n" + GET)
    tap.equal(statuses(got), [200, 505], "after a malformed one there is nothing", got)
    with d.raw() as s:
        s.settimeout(1)
        try:
            s.sendall(post(b'{"code":"import time; time.sleep(60)"}') + GET * 200000)
            sent_all = True
        except TimeoutError:
            sent_all = False
        tap.ok(not sent_all, "who sends ahead without end is not read")
    tap.ok(wait_for(lambda: d.figure("glovebox_workers_busy") == 0), "and its run ends with it")


ANSWERED = 'glovebox_requests_total{status="200"}'


def test_turns(tap, d):
    """Who sends many requests at once does not have them all answered before another's first."""
    with d.raw() as many, d.raw() as other:
        for s in many, other:
            s.sendall(GET)
            s.recv(1000)
        before = d.figure(ANSWERED)
        d.process.send_signal(signal.SIGSTOP)
        many.sendall(GET * 999 + GET.replace(b"Host", b"Connection: close\r\nHost"))
        other.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        d.process.send_signal(signal.SIGCONT)
        line = next(x for x in read_all(other).decode().splitlines() if x.startswith(ANSWERED))
        answered = int(line.split()[1]) - before
        tap.ok(answered < 10, "another has its answer among those of a thousand requests", answered)
        tap.equal(statuses(read_all(many)), [200] * 1000, "which all have theirs")
    for tcp in (False, True):
        got = d.say(GET.replace(b": x", b": localhost") * 200, end=True, tcp=tcp)
        tap.equal(statuses(got), [200] * 200, "so do those of a client that only reads then")


def test_half_closed(tap, d):
    got = d.say(post(b'{"code":"import time; time.sleep(0.3); print(5)"}'), end=True)
    tap.ok(statuses(got) == [200] and b'"stdout":"5\\n"' in got, "a half-closed socket is answered", got)
    tap.equal(d.say(b"POST /v1/run HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{", end=True), b"",
              "half a request is none")


def sleeping(d, tcp=False):
    """A connection whose guest runs, and the guest's processes."""
    c = d.sleep(60, tcp)
    return c, wait_for(d.guests)


def test_gone(tap, d):
    for tcp in (False, True):
        c, guests = sleeping(d, tcp)
        c.sock.close()
        left = wait_for(lambda: not still_there(guests))
        tap.ok(guests and left, "client gone, guest gone (%s)" % ("TCP" if tcp else "Unix"), guests)
    c, guests = sleeping(d)
    c.sock.shutdown(socket.SHUT_WR)
    time.sleep(0.3)
    alive = bool(still_there(guests))
    c.sock.close()
    tap.ok(alive and wait_for(lambda: not still_there(guests)), "half-closed, then gone")


def test_slow(tap, d):
    began = time.monotonic()
    head, body = d.raw(), d.raw()
    head.sendall(b"GET /healthz HT")
    body.sendall(b"POST /v1/run HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
    idle = d.raw()
    idle.sendall(GET)
    tap.equal(statuses(read_all(head)), [408], "a slow head")
    tap.equal(statuses(read_all(body)), [408], "a slow body")
    tap.equal(statuses(read_all(idle)), [200], "an idle connection is closed")
    tap.ok(time.monotonic() - began < 30, "all of that in time")
    with d.raw() as s:
        try:
            for byte in GET:
                s.sendall(bytes([byte]))
                time.sleep(0.05)
        except OSError:
            pass
        tap.equal(statuses(read_all(s))[:1], [408], "a byte at a time is not patience enough")


def closes(s, seconds):
    """Whether the daemon closes a connection that sends nothing."""
    s.settimeout(seconds)
    try:
        return s.recv(1) == b""
    except TimeoutError:
        return False


def test_silent(tap, d):
    """The time for a head begins with its first byte: a client may be busy between connect and send."""
    local, tcp, begun = d.raw(), d.raw(tcp=True), d.raw()
    began = time.monotonic()
    begun.sendall(b"G")
    tap.ok(closes(tcp, PATIENCE) and time.monotonic() - began > 1.9, "a silent connection over TCP lasts as long as an idle one")
    tap.equal(statuses(read_all(begun)), [408], "one that has begun does not")
    tap.ok(not closes(local, 1), "a silent one on the Unix socket stays")
    local.sendall(GET)
    tap.equal(statuses(read_all(local)), [200], "... and has its answer")
    tcp.close()


def test_slow_reader(tap, d):
    c = d.begin("POST", "/v1/run", {"code": "print('x' * 20000000)", "output_limit_bytes": 32 << 20},
                lines=True)
    select.select([c.sock], [], [], PATIENCE)
    settle(d.process.pid)
    data = c.getresponse().read()
    lines = [json.loads(line) for line in data.splitlines()]
    n = sum(len(e["text"]) for e in lines if e["event"] == "stdout")
    tap.equal(n, 20000001, "who reads late gets everything")


def test_slow_batch(tap, d):
    """Who does not read the lines of a batch does not have the daemon keep them all."""
    run = {"code": "print('x' * 4000000)", "output_limit_bytes": 8 << 20}
    done = 'glovebox_runs_total{kind="run",language="python",outcome="ok"}'
    before = d.figure(done) or 0
    c = d.begin("POST", "/v1/batch", {"runs": [run] * 60}, lines=True)
    wait_for(lambda: (d.figure(done) or 0) - before > 2)
    last = None
    while last != (last := d.figure(done)):
        time.sleep(2)
    tap.ok(last - before < 40, "a batch waits for its reader", last - before)
    lines = [json.loads(line) for line in c.getresponse().read().splitlines()]
    good = [x["index"] for x in lines if x["result"]["stdout_bytes"] == 4000001]
    tap.equal(sorted(good), list(range(60)), "and goes on when it reads")


def test(tap):
    with Daemon(tcp=True) as d:
        for part in (test_malformed, test_forms, test_bodies, test_pipelining, test_turns, test_half_closed,
                     test_gone, test_slow_reader, test_slow_batch):
            part(tap, d)
        tap.equal(d.figure("glovebox_queue_length"), 0, "nothing is left in the queue")
    with Daemon("--header-timeout", "1s", "--body-timeout", "1s", "--idle-timeout", "1s") as d:
        test_slow(tap, d)
    with Daemon("--header-timeout", "1s", "--idle-timeout", "2s", tcp=True) as d:
        test_silent(tap, d)
