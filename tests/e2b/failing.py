# SPDX-License-Identifier: Apache-2.0
"""A service that refuses, breaks, delays or lies: one line of error in bounded time, and no sandbox that is left."""

import concurrent.futures
import json
import subprocess
import time

import product
from client import raw_envelope
from rpc import END, envelope
from standin import KEY, Fault, Standin
from wire import whole_answer

HANDS = 8  # runs at the same time
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: application/connect+json\r\nTransfer-Encoding: chunked\r\n\r\n"
CALLS = {"create": ("POST", "^/v2/sandboxes$"), "upload": ("POST", "^/files$"), "start": ("POST", "/Start$"),
         "input": ("POST", "/SendInput$")}
STATUSES = (400, 401, 403, 404, 409, 422, 429, 500, 502, 503, 504, 507)


def error_body(status):
    return json.dumps({"code": status, "message": "template refused \x1b[31m\n\x07 by a test %s" % KEY}).encode()


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


def streamed(*pieces, whole=True):
    return STREAM + b"".join(map(chunk, pieces)) + (b"0\r\n\r\n" if whole else b"")


def message(**event):
    return envelope({"event": event})


STARTED = message(start={"pid": 7})
ENDED = message(end={"exited": True, "status": "exit status 0"})
LAST = raw_envelope(END, b"{}")
# Streams that are none of envd's, or none that our helper would give.
STREAMS = {
    "no envelope": streamed(b"hello, this is no envelope"),
    "half an envelope": streamed(STARTED[:7]),
    "a length of 4 GB": streamed(b"\0\xff\xff\xff\xff{}"),
    "a compressed envelope": streamed(raw_envelope(1, b"{}")),
    "unknown flags": streamed(raw_envelope(64, b"{}")),
    "no JSON": streamed(raw_envelope(0, b"{nothing")),
    "JSON that is too deep": streamed(raw_envelope(0, b"[" * 100000)),
    "a list": streamed(raw_envelope(0, b"[1, 2]"), LAST),
    "text that is no base64": streamed(STARTED, message(data={"stdout": "\u00e9\u00e9\u00e9!"})),
    "another type of output": streamed(STARTED, message(data={"stdout": {"a": 1}}), LAST),
    "an event that is null": streamed(envelope({"event": None}), LAST),
    "a NUL in a name": streamed(raw_envelope(0, b'{"ev\\u0000ent": {}}'), LAST),
    "a negative pid": streamed(message(start={"pid": -5}), message(end={"exitCode": -(2 ** 70)}), LAST),
    "output that our helper does not give": streamed(STARTED, message(data={"stdout": "////////////"}), ENDED, LAST),
    "a megabyte of it": streamed(STARTED, message(data={"stdout": "/" * (1 << 20)}), ENDED, LAST),
    "an end before the start": streamed(ENDED, LAST),
    "an end at once": streamed(LAST),
    "no end frame": streamed(STARTED),
    "two end frames": streamed(STARTED, LAST, LAST),
    "an end frame that is a list": streamed(STARTED, raw_envelope(END, b"[]")),
    "an error in the end frame": streamed(raw_envelope(END, json.dumps(
        {"error": {"code": "invalid_argument", "message": "no \x1b[2J\n such thing " + KEY}}).encode())),
    "an error of another type": streamed(raw_envelope(END, b'{"error": 7}')),
    "a cut in the middle": streamed(STARTED, whole=False),
    "another content type": whole_answer(200, b"<html>", "text/html"),
    "an empty answer": whole_answer(200, b"", "application/connect+json"),
    "a redirect": whole_answer(302, b"", pairs=[("Location", "http://127.0.0.1:1/")]),
    "no HTTP": b"SSH-2.0-OpenSSH_9\r\n",
    "nothing": b"",
}
SANDBOXES = {
    "no JSON": b"{nothing", "a list": b"[]", "null": b"null", "no name": b'{"templateID": "x"}', "nothing": b"",
    "a name of another type": b'{"sandboxID": 7}', "a name with a slash": b'{"sandboxID": "../../x"}',
    "a name with a line": b'{"sandboxID": "a\\r\\nX-Evil: 1"}', "an empty name": b'{"sandboxID": ""}',
    "a long name": json.dumps({"sandboxID": "a" * 100000}).encode(),
    "a domain with a slash": b'{"sandboxID": "abc", "domain": "evil/../x"}',
    "a token with a line": b'{"sandboxID": "abc", "envdAccessToken": "a\\r\\nX-Evil: 1"}',
    "JSON that is too deep": b"[" * 200000, "a NUL": b'{"sandboxID": "a\\u0000b"}',
}


def try_one(fault, seconds):
    """(exit status, error, seconds, sandboxes left, requests) of a run while the fault holds."""
    with Standin(bare=True) as standin:
        standin.faults += [fault, Fault("POST", "^/files$", answer=whole_answer(200, b"[]"), then="keep"),
                           Fault("POST", "/Start$", answer=STREAM + chunk(STARTED), then="hold")]
        began = time.monotonic()
        try:
            done = product.run(standin, "--retries", "0", "-c", "print('done')")
        except subprocess.TimeoutExpired as error:
            done = subprocess.CompletedProcess(error.cmd, -1, b"", b"it does not end")
        took = time.monotonic() - began
        return done, took, standin.living, standin.requests, seconds


def check(tap, name, got, status=125, words=()):
    done, took, living, requests, seconds = got
    err = done.stderr.decode("utf-8", "replace")
    plain = all(c.isprintable() or c == "\n" for c in err)
    tap.ok(done.returncode == status and len(err.splitlines()) == 1 and plain and KEY not in err
           and KEY[4:24] not in err and not living and took < seconds and all(w in err for w in words),
           name, product.said(done), "%.1f s" % took, "left: %r" % living, requests[-3:])


def all_of(tap, cases, seconds=40):
    """{name: (fault, words)}, side by side."""
    with concurrent.futures.ThreadPoolExecutor(HANDS) as pool:
        futures = {name: pool.submit(try_one, fault, seconds) for name, (fault, _) in cases.items()}
        for name, future in futures.items():
            check(tap, name, future.result(), words=cases[name][1])


ADVICE = {400: ("does not accept",), 401: ("E2B_API_KEY", "E2B_SANDBOX_URL"), 403: ("account", "permit"),
          404: ("no template", "E2B_SANDBOX_URL"), 409: ("try again",), 429: ("limit",), 500: ("try again later",),
          502: ("service failed", "gone"), 503: ("busy",), 507: ("try again later", "write less")}


def advice(call, status):
    """What the error says: of the service, and of a sandbox."""
    words = ADVICE.get(status, ("template refused",))
    return words[0 if call == "create" else -1], "template refused"


def test_statuses(tap):
    all_of(tap, {"%s: status %d" % (call, status):
                 (Fault(*where, answer=whole_answer(status, error_body(status))), advice(call, status))
                 for call, where in CALLS.items() for status in STATUSES})
    limited = whole_answer(429, error_body(429), pairs=[("Retry-After", "3600")])
    all_of(tap, {"create: a long wait": (Fault(*CALLS["create"], answer=limited), ("again after 3600 s",)),
                 "create: a redirect": (Fault(*CALLS["create"], answer=whole_answer(302, b"")), ("E2B_API_URL",))})


def test_breaks(tap):
    all_of(tap, {"%s: the connection is %s" % (call, then): (Fault(*where, answer=b"", then=then), ())
                 for call, where in CALLS.items() for then in ("close", "reset")})
    all_of(tap, {"%s: half a head" % call: (Fault(*where, answer=b"HTTP/1.1 200 OK\r\nContent-Le"), ())
                 for call, where in CALLS.items()})


def test_streams(tap):
    all_of(tap, {"start: " + name: (Fault("POST", "/Start$", answer=answer), ()) for name, answer in STREAMS.items()})


def test_sandboxes(tap):
    all_of(tap, {"create: " + name: (Fault("POST", "/v2/sandboxes$", answer=whole_answer(201, body)), ())
                 for name, body in SANDBOXES.items()})


def test_endless(tap):
    """Answers that have no end are given up."""
    def endless(request):
        def pieces():
            yield b"HTTP/1.1 400 Bad\r\nContent-Type: application/json\r\n\r\n"
            while True:
                yield b"x" * 65536
        return pieces()

    def noise(request):
        def pieces():
            yield STREAM
            yield chunk(STARTED)
            while True:
                yield chunk(message(data={"stdout": "AAAAAAAAAAAA"})) * 1000
        return pieces()

    all_of(tap, {"create: an endless error": (Fault("POST", "/v2/sandboxes$", answer=endless), ()),
                 "upload: an endless error": (Fault("POST", "/files$", answer=endless), ()),
                 "start: an endless error": (Fault("POST", "/Start$", answer=endless), ()),
                 "start: endless noise": (Fault("POST", "/Start$", answer=noise), ())})


def test_retried(tap):
    """What is the service's fault is tried again."""
    limited = whole_answer(429, error_body(429), pairs=[("Retry-After", "1")])
    faults = {"429 with Retry-After": Fault("POST", "/v2/sandboxes$", answer=limited, times=2),
              "503": Fault("POST", "/v2/sandboxes$", answer=whole_answer(503, error_body(503)), times=1),
              "500 at creation": Fault("POST", "/v2/sandboxes$", answer=whole_answer(500, b"{}"), times=1),
              "a lost connection": Fault("POST", "/files$", answer=b"", times=1),
              "502 at the start": Fault("POST", "/Start$", answer=whole_answer(502, b"{}"), times=1),
              "500 at the kill": Fault("DELETE", "", answer=whole_answer(500, b"{}"), times=1),
              "a lost kill": Fault("DELETE", "", answer=b"", times=1),
              "429 at the kill": Fault("DELETE", "", answer=limited, times=1)}
    with concurrent.futures.ThreadPoolExecutor(HANDS) as pool:
        for name, (done, left, requests) in zip(faults, pool.map(try_again, faults.values())):
            tap.ok((done.returncode, done.stdout) == (0, b"done\n") and not left, "again: " + name, product.said(done),
                   left,
                   requests)


def try_again(fault):
    with Standin() as standin:
        standin.faults.append(fault)
        done = product.run(standin, "-c", "print('done')")
        return done, standin.living, standin.requests


def test_old_service(tap):
    with Standin() as standin:
        standin.faults.append(Fault("POST", "^/v2/sandboxes$",
                                    answer=whole_answer(404, b"404 page not found", "text/plain")))
        done = product.run(standin, "-c", "print('done')")
        tap.ok(done.stdout == b"done\n" and not standin.living, "a service that knows only the first version",
               product.said(done))
        tap.equal(standin.asked("control", "POST")[1].json.get("secure"), True, "is asked for a secure sandbox")


def test_another_service(tap):
    nothing = whole_answer(404, b"", "text/plain")
    done = try_again(Fault("POST", "sandboxes$", answer=nothing))[0]
    tap.ok(done.returncode == 125 and b"check E2B_API_URL" in done.stderr, "no service of E2B at the address",
           product.said(done))


def test_middle(tap):
    """The sandbox goes while the program runs: the run failed, and it is not repeated."""
    with Standin() as standin:
        process, first = product.begin(standin, "-c", "print('up', flush=True)\nimport time; time.sleep(60)")
        record = standin.control.made[0]
        standin.control.kill(record)
        out, err = process.communicate(timeout=60)
        tap.ok(first == b"up\n" and process.returncode == 125 and len(err.splitlines()) == 1 and b"sandbox" in err,
               "a sandbox that is killed by another", process.returncode, err)
        tap.equal(len(standin.control.made), 1, "no second sandbox was made")


def shaped(cut):
    """The real answer in pieces of `cut` bytes."""
    def shape(pieces):
        for piece in pieces:
            for i in range(0, len(piece), cut):
                yield piece[i : i + cut]
    return shape


def test_small_pieces(tap):
    text = "\u00e9\u20ac\U0001f600" * 50
    with Standin() as standin:
        standin.faults.append(Fault("POST", "/Start$", shape=shaped(1)))
        done = product.run(standin, "-c", "print(%r)" % text)
        tap.equal(done.stdout.decode(), text + "\n", "an answer byte by byte", product.said(done)[:300])


def slow(tap):
    """A sandbox that gives signs of life and no program, or nothing at all."""
    def alive(request):
        def pieces():
            yield STREAM
            while True:
                yield chunk(message(keepalive={}))
                time.sleep(1)
        return pieces()

    product.SECONDS = 150
    all_of(tap, {"start: signs of life alone": (Fault("POST", "/Start$", answer=alive), ("15 s", "sent no message")),
                 "input: it is lost": (Fault("POST", "/SendInput$", answer=whole_answer(200, {})), ("helper", "15 s")),
                 "start: silence": (Fault("POST", "/Start$", answer=STREAM, then="hold"), ()),
                 "start: no answer": (Fault("POST", "/Start$", answer=b"", then="hold"), ()),
                 "create: no answer": (Fault("POST", "/v2/sandboxes$", answer=b"", then="hold"), ())}, seconds=140)


def test(tap):
    for name, function in sorted(globals().items()):
        if name.startswith("test_"):
            function(tap)
