# SPDX-License-Identifier: Apache-2.0
"""What servers answer, good and bad, in each protocol, through `glovebox generate`."""

import email.utils
import json
import os
import socket
import subprocess
import tempfile
import time

from models import CODE, KEY, PROTOCOLS, REPLY, OpenAI, Place, asked, events, sse
from server import Answer, Server, make_certificate

CODE_LINE = CODE.encode() + b"\n"


def good(tap, protocol, name, answers, *args, requests=1, **more):
    done, seen = asked(protocol, answers, *args, tap=tap, **more)
    tap.ok(done.returncode == 0 and done.stdout == CODE_LINE, "%s: %s" % (protocol.name, name), done)
    tap.equal(len(seen), requests, "%s: %s: requests" % (protocol.name, name), done.stderr)
    return done, seen


def bad(tap, protocol, name, answers, words, code=None, requests=1, args=(), **more):
    done, seen = asked(protocol, answers, *args, tap=tap, **more)
    said = done.stderr.decode()
    tap.ok(done.returncode not in (0, 1) and done.stdout == b"" and all(w in said for w in words) and
           (code is None or done.returncode == code), "%s: %s" % (protocol.name, name), done)
    tap.equal(len(seen), requests, "%s: %s: requests" % (protocol.name, name), said)
    ours = [line for line in said.splitlines() if line.startswith("glovebox")]
    tap.ok(len(ours) == requests and "\x1b" not in said and ("--stream" in args or ours == said.splitlines()),
           "%s: %s: a line each" % (protocol.name, name), said)
    return done


def bytewise(data):
    return [data[i:i + 1] for i in range(len(data))]


def test_good(tap):
    for p in PROTOCOLS:
        done, seen = good(tap, p, "whole", [Answer(body=p.whole())])
        tap.equal(seen[0].target, p.path, p.name + ": the address")
        tap.equal(p.key_of(seen[0]), KEY, p.name + ": the key")
        tap.ok(b"100 + 20 tokens, cost unknown" in done.stderr, p.name + ": tokens", done)
        done, seen = good(tap, p, "streamed", [events(p.stream())], "--stream")
        tap.equal(seen[0].target, p.stream_path, p.name + ": the address of a stream")
        tap.ok(b"100 + 20 tokens" in done.stderr and REPLY.encode() in done.stderr, p.name + ": shown as it came", done)
        good(tap, p, "a byte at a time", [events(None, bytewise(p.stream()))], "--stream", "--quiet")
        good(tap, p, "with CR", [events(p.stream().replace(b"\r\n", b"\n").replace(b"\n", b"\r"))], "--stream")
        good(tap, p, "comments and no spaces", [events(b": ping\n\n" + p.stream().replace(b"data: ", b"data:"))], "--stream")
        good(tap, p, "no empty line at the end", [events(p.stream().rstrip())], "--stream")
        good(tap, p, "whole, though a stream was asked for", [Answer(body=p.whole())], "--stream")
        many = "".join("```python\nx = %d\n```\n" % i for i in range(1000)) + REPLY
        good(tap, p, "a thousand blocks", [Answer(body=p.whole(many))])
    good(tap, OpenAI, "without [DONE]", [events(sse(OpenAI.events(), done=False))], "--stream")
    parts = OpenAI.whole([{"type": "text", "text": REPLY[:20]}, {"type": "text", "text": REPLY[20:]}])
    good(tap, OpenAI, "a text in parts", [Answer(body=parts)])
    no_usage = {k: v for k, v in OpenAI.whole().items() if k != "usage"}
    done, _ = good(tap, OpenAI, "no usage", [Answer(body=no_usage)])
    tap.ok(b"tokens unknown, cost unknown" in done.stderr, "unknown tokens are said to be unknown", done)


def error(protocol, words, status=400):
    if protocol.name == "anthropic":
        return {"type": "error", "error": {"type": "invalid_request_error", "message": words}}
    return {"error": {"message": words, "code": status}}


def test_refusals(tap):
    for p in PROTOCOLS:
        for status, advice, code in ((400, "", 2), (401, "check the key", 2), (403, "check the key", 2),
                                     (404, "the model's name", 2), (422, "", 2), (409, "", 2)):
            done = bad(tap, p, str(status), [Answer(status, error(p, "it is wrong: " + KEY, status))],
                       ["answered %d: it is wrong: [key]" % status, advice, "127.0.0.1"], code)
        bad(tap, p, "401 to a stream", [Answer(401, error(p, "it is wrong"))], ["answered 401: it is wrong", "check the key"], 2,
            args=["--stream"])
        part = "wrong key sk-a-key-of-the-t***6789, \x1b[31mred\u202e\r\nnext line " + "x" * 5000
        done = bad(tap, p, "a part of the key", [Answer(401, error(p, part))], ["[key]"])
        tap.ok(b"sk-a-key" not in done.stderr and len(done.stderr) < 1000, p.name + ": safe and short", done)
    temperature = [Answer(400, error(OpenAI, "temperature is not supported"))]
    bad(tap, OpenAI, "temperature", temperature, ["try --temperature none"])
    for name, body in (("text", {"error": "as text"}), ("detail", {"detail": "as text"}), ("message", {"message": "as text"}),
                       ("bare", "as text"), ("list", [{"error": {"message": "as text"}}])):
        bad(tap, OpenAI, "an error as " + name, [Answer(400, body)], ["as text"])
    bad(tap, OpenAI, "an error of wrong types", [Answer(400, {"error": [1, {"message": {}}]})], ["answered 400"])
    bad(tap, OpenAI, "an empty error", [Answer(418, "")], ["answered 418"])
    bad(tap, OpenAI, "a redirect", [Answer(307, "", headers=[("Location", "https://thief.example/")])],
        ["307", "https://thief.example/", "redirects are not followed"])


def test_retries(tap):
    for p in PROTOCOLS:
        fine = Answer(body=p.whole())
        for status in (429, 500, 503):
            done, _ = good(tap, p, "%d, then good" % status, [Answer(status, error(p, "busy")), fine], requests=2)
            tap.ok(b"answered %d: busy" % status in done.stderr and b"attempt 2 of 3" in done.stderr, "it is reported", done)
        bad(tap, p, "503 for ever", [Answer(503, error(p, "busy"))], ["after 3 attempts", "503: busy"], 125, requests=3)
        bad(tap, p, "--model-retries 0", [Answer(503, error(p, "busy"))], ["503: busy"], args=["--model-retries", "0"])
    fine = Answer(body=OpenAI.whole())
    for name, headers, waited in (
            ("seconds", [("Retry-After", "2")], b"in 2.0 s"),
            ("milliseconds", [("retry-after-ms", "1100"), ("Retry-After", "9")], b"in 1.1 s"),
            ("a date", [("Retry-After", "Fri, 31 Dec 1999 23:59:01 GMT"), ("Date", "Fri, 31 Dec 1999 23:58:59 GMT")], b"in 2.0 s"),
            ("a date that has passed", [("Retry-After", email.utils.formatdate(0, usegmt=True))], b"in 0.0 s")):
        began = time.monotonic()
        done, _ = good(tap, OpenAI, "Retry-After: " + name, [Answer(429, error(OpenAI, "slow down"), headers=headers), fine],
                       requests=2)
        tap.ok(waited in done.stderr, "the wait is the server's: " + name, done)
        if name == "seconds":
            tap.ok(time.monotonic() - began >= 2, "it is waited for")
    late = error(OpenAI, "quota", 429)
    late["error"]["details"] = [{"@type": "RetryInfo", "retryDelay": "1.2s"}]
    done, _ = good(tap, OpenAI, "RetryInfo", [Answer(429, late), fine], requests=2)
    tap.ok(b"in 1.2 s" in done.stderr, "the wait in the body", done)
    bad(tap, OpenAI, "too long a wait", [Answer(429, error(OpenAI, "no"), headers=[("Retry-After", "3600")])], ["3600 s", "too long"])
    bad(tap, OpenAI, "nonsense as wait", [Answer(429, error(OpenAI, "no"), headers=[("Retry-After", "soon -1e999")])],
        ["after 2 attempts"], requests=2, args=["--model-retries", "1"])
    spent = {"error": {"message": "pay", "type": "insufficient_quota", "code": "insufficient_quota"}}
    bad(tap, OpenAI, "a quota that is used up", [Answer(429, spent)], ["429: pay"])
    bad(tap, OpenAI, "x-should-retry", [Answer(500, error(OpenAI, "no"), headers=[("x-should-retry", "false")])], ["500"])
    for name, answer in (("reset", Answer(raw=b"", then="reset")), ("half a head", Answer(raw=b"HTTP/1.1 200", then="close")),
                         ("half a body", Answer(body=b"{", length=100, then="close"))):
        good(tap, OpenAI, name + ", then good", [answer, fine], requests=2)
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))

        class Nobody:
            url = "http://127.0.0.1:%d" % s.getsockname()[1]
        done = Place(tap).generate(OpenAI, Nobody, "--model-retries", "1")
        tap.ok(done.returncode == 125 and b"cannot be reached" in done.stderr and b"after 2 attempts" in done.stderr, "refused", done)


def test_broken(tap):
    for p in PROTOCOLS:
        one = ["--model-retries", "0"]
        stream = p.stream()
        letter = stream.index("\u00e9".encode()) + 1 if "\u00e9".encode() in stream else stream.index(b"caf")
        for name, n in (("inside a letter", letter), ("inside a line", len(stream) // 2), ("after an event", stream.index(b"\n\n") + 2
                        if b"\n\n" in stream else stream.index(b"\r\n\r\n") + 4)):
            bad(tap, p, "a stream cut " + name, [events(None, [stream[:n]], then="close")], ["broke"], args=[*one, "--stream", "--quiet"])
            done, seen = asked(p, [events(stream[:n])], *one, "--stream", "--quiet", tap=tap)
            tap.ok(done.returncode == 125 and len(seen) == 1, p.name + ": a stream that ends " + name, done)
        done, seen = asked(p, [events(None, [stream[:-60]], then="close")], "--stream", "--quiet", tap=tap)
        tap.ok(len(seen) == 1 and done.returncode == 125, p.name + ": no further attempt once something was shown", done)
        for name, body in (("garbage", b"\xff\xfe\x00garbage"), ("a page", b"<html>hello</html>"), ("nothing", b""), ("a list", b"[]"),
                           ("a number", b"7"), ("half a document", json.dumps(p.whole()).encode()[:-9]),
                           ("a deep document", b"[" * 100000)):
            bad(tap, p, name, [Answer(body=body)], ["127.0.0.1"], 125)
            bad(tap, p, "streamed " + name, [events(b"data: " + body.replace(b"\n", b" ") + b"\n\n")], ["127.0.0.1"],
                args=[*one, "--stream"])
        for body in (b"null", b"7", b'"text"', b"true", b"[]"):
            bad(tap, p, "JSON of another type", [Answer(body=body)], ["the answer has no list"], 125)
        bad(tap, p, "an error in a stream", [events(sse([error(p, "broke: " + KEY)], done=False))], ["reports: broke: [key]"], 125,
            args=["--stream"])
        bad(tap, p, "silence", [Answer(raw=b"", then="hold")], ["too slow", "took too long"], args=["--model-timeout", "1s"])
        bad(tap, p, "a slow end", [events(None, [stream[:50]], then="hold")], ["too slow"], args=["--model-timeout", "1s", "--stream", "--quiet"])


def wrong(value, depth=0):
    """The document with one value replaced, in each place."""
    if isinstance(value, dict):
        for key in value:
            for other in wrong(value[key], depth + 1):
                yield {**value, key: other}
            yield {k: v for k, v in value.items() if k != key}
    elif isinstance(value, list):
        for i, item in enumerate(value):
            for other in wrong(item, depth + 1):
                yield value[:i] + [other] + value[i + 1:]
    for other in (None, 7, -1e300, "text", [], [None], {}, {"x": []}):
        if depth and type(other) is not type(value):
            yield other


def test_types(tap):
    """Every value of a good answer, once of each wrong type: an error or an answer, and never a crash."""
    for p in PROTOCOLS:
        for stream in (False, True):
            documents = [json.dumps(d) for d in wrong(p.whole())] if not stream else [
                sse(p.events()[:i] + [other] + p.events()[i + 1:]) for i in (0, len(p.events()) // 2, len(p.events()) - 1)
                for other in wrong(p.events()[i], 1)]
            documents = documents[::max(1, len(documents) // 40)]
            answers = [events(d) if stream else Answer(body=d) for d in documents]
            with Server(answers) as server:
                place, codes = Place(tap), set()
                for _ in documents:
                    done = place.generate(p, server, "--model-retries", "0", "--quiet", *(["--stream"] if stream else []))
                    codes.add(done.returncode)
                    if done.returncode not in (0, 1, 125):
                        tap.ok(False, "an answer of wrong types", done)
                tap.ok(codes <= {0, 1, 125} and len(codes) > 1 and len(server.requests) == len(documents),
                       "%s: %d answers of wrong types%s" % (p.name, len(documents), ", streamed" if stream else ""), codes)


def test_giants(tap):
    one = ["--model-retries", "0"]
    for p in PROTOCOLS:
        bad(tap, p, "a giant answer", [Answer(body=p.whole("x" * (9 << 20)))], ["sends too much"], 125)
        bad(tap, p, "a giant error", [Answer(400, error(p, "x" * (2 << 20)))], ["400: xxx"], 2)
        bad(tap, p, "a giant event", [events(b"data: " + b"x" * (9 << 20))], ["too long"], 125, args=[*one, "--stream"])
    endless = Answer(pieces=[b"data: {}\n"] * 1 + [b": nothing\n" * 100000] * 80, chunked=True, kind="text/event-stream", then="close")
    bad(tap, OpenAI, "a stream without end", [endless], ["sends too much"], 125, args=[*one, "--stream"])
    bad(tap, OpenAI, "many values", [Answer(body=b"[" + b"[]," * 1000000 + b"[]]")], ["too large"], 125)
    text = "x" * 100000
    chunks = sse(OpenAI.events(text * 90, size=100000))
    bad(tap, OpenAI, "a text without end", [events(chunks)], ["too large"], 125, args=[*one, "--stream", "--quiet"])


def test_tls(tap):
    with tempfile.TemporaryDirectory(prefix="glovebox-llm-") as folder:
        cert = make_certificate(folder, "127.0.0.1")
        with Server([Answer(body=OpenAI.whole())], tls=cert) as server:
            done = Place(tap).generate(OpenAI, server)
            tap.ok(done.returncode == 125 and b"cannot be trusted" in done.stderr, "an unknown certificate", done)
            tap.equal(server.requests, [], "and nothing was sent")
            done = Place(tap).generate(OpenAI, server, env={"SSL_CERT_FILE": cert[0]})
            tap.equal(done.stdout, CODE_LINE, "a certificate that the user trusts", done)
            number = subprocess.run(["openssl", "x509", "-hash", "-noout", "-in", cert[0]], capture_output=True, text=True, check=True)
            os.symlink(cert[0], os.path.join(folder, number.stdout.strip() + ".0"))
            done = Place(tap).generate(OpenAI, server, env={"SSL_CERT_DIR": folder})
            tap.equal(done.stdout, CODE_LINE, "a folder of certificates that the user trusts", done)
    with tempfile.TemporaryDirectory(prefix="glovebox-llm-") as folder:
        cert = make_certificate(folder, "models.example")
        with Server([Answer(body=OpenAI.whole())], tls=cert) as server, Server(proxy=server.port) as proxy:
            done = Place(tap).run("generate", "--model", "gpt-test", "x", env={
                "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "https://models.example/v1", "https_proxy": proxy.url,
                "CURL_CA_BUNDLE": cert[0]})
            tap.ok(done.stdout == CODE_LINE and proxy.tunnels == ["models.example:443"], "through a proxy", done)


def test(tap):
    for part in (test_good, test_refusals, test_retries, test_broken, test_types, test_giants, test_tls):
        part(tap)
