# SPDX-License-Identifier: Apache-2.0
"""glovebox-fetch alone: frames in, frames out (src/base/net/fetch_wire.h)."""

import os
import resource
import signal
import socket
import struct
import subprocess
import tempfile

from server import PATIENCE, Answer, Server, gzipped, make_certificate

HERE = os.path.dirname(os.path.abspath(__file__))
GLOVEBOX = os.path.abspath(os.environ.get("GLOVEBOX") or os.path.join(HERE, "..", "..", "build", "glovebox"))
PROGRAM = os.path.join(os.path.dirname(GLOVEBOX), "glovebox-fetch")
KEY = "sk-a-key-of-the-tests-0123456789"
HEAD, BODY, END, FAILED = 1, 2, 3, 4
NOT_CONNECTED, NOT_TRUSTED, TIMED_OUT, TOO_LARGE, BROKEN, BAD_REQUEST = range(1, 7)


def text(data):
    data = data if isinstance(data, bytes) else data.encode()
    return struct.pack("<I", len(data)) + data


class Got:
    def __init__(self):
        self.status, self.headers, self.body, self.ended, self.failure, self.words = None, {}, b"", False, None, ""

    def __repr__(self):
        return "status %r, %d bytes %r, failure %r %s" % (self.status, len(self.body), self.body[:80], self.failure, self.words)


class Fetch:
    def __init__(self, **env):
        ours, theirs = socket.socketpair()
        ours.settimeout(PATIENCE)
        self.socket = ours
        self.process = subprocess.Popen([PROGRAM], stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL, env=env,
                                        preexec_fn=allow_cores)
        theirs.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        self.process.wait(PATIENCE)

    def send(self, url, body=b"", method="POST", headers=(), path="", connect=0, idle=0, whole=0, most=0):
        lines = b"".join(map(text, headers))
        record = (struct.pack("<I", 1) + text(method) + text(url) + text(path) + struct.pack("<I", len(headers)) +
                  text(lines) + struct.pack("<QQQQ", connect, idle, whole, most) + text(body))
        self.socket.sendall(text(record))

    def read(self, n):
        data = b""
        while len(data) < n:
            piece = self.socket.recv(n - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data

    def frame(self):
        record = self.read(struct.unpack("<I", self.read(4))[0])
        return struct.unpack("<I", record[:4])[0], record[4:]

    def receive(self):
        got = Got()
        while not got.ended:
            kind, rest = self.frame()
            if kind == HEAD:
                assert got.status is None, "two heads"
                got.status = struct.unpack("<I", rest[:4])[0]
                lines = [line.split(":", 1) for line in rest[8:].decode("latin-1").split("\r\n") if ":" in line]
                got.headers = {name.lower(): value.strip() for name, value in lines}
            elif kind == BODY:
                got.body += rest[4:]
            else:
                got.ended = True
                if kind == FAILED:
                    got.failure, got.words = struct.unpack("<I", rest[:4])[0], rest[8:].decode()
        return got

    def ask(self, *args, **more):
        self.send(*args, **more)
        return self.receive()


def allow_cores():
    resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)


def test_requests(tap):
    answers = [Answer(body=b"one", headers=[("X-Two", "2")]), Answer(404, b"none"), Answer(204, b""),
               Answer(pieces=[b"a" * 70000, b"b" * 70000], chunked=True), gzipped(b"packed " * 1000),
               Answer(raw=b"HTTP/1.1 103 Early\r\nX-Early: 1\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")]
    with Server(answers) as server, Fetch() as fetch:
        got = fetch.ask(server.url + "/v1/x?y=1", b"the body", headers=["Authorization: Bearer " + KEY, "X-A: b"])
        tap.equal((got.status, got.body, got.headers["x-two"], got.failure), (200, b"one", "2", None), "an answer", got)
        request = server.requests[0]
        tap.equal((request.method, request.target, request.body), ("POST", "/v1/x?y=1", b"the body"), "as it was sent")
        tap.equal((request.headers["authorization"], request.headers["x-a"]), ("Bearer " + KEY, "b"), "its headers")
        tap.ok("expect" not in request.headers, "no pause before the body", request.headers)
        got = fetch.ask(server.url + "/none", method="GET")
        tap.equal((got.status, got.body, server.requests[1].method), (404, b"none", "GET"), "a 404 is an answer", got)
        tap.equal(fetch.ask(server.url, method="DELETE").status, 204, "no body")
        tap.equal(server.requests[2].method, "DELETE", "another method")
        got = fetch.ask(server.url)
        tap.ok(got.body == b"a" * 70000 + b"b" * 70000, "a body in chunks, over one frame", got)
        tap.ok(fetch.ask(server.url).body == b"packed " * 1000, "a compressed body")
        got = fetch.ask(server.url)
        tap.ok(got.body == b"ok" and "x-early" not in got.headers, "an early head is no head", got.headers)
        tap.equal(server.connections, 1, "one connection for all")


def failing(tap, name, failure, answer, words="", **limits):
    with Server([answer]) as server, Fetch() as fetch:
        got = fetch.ask(server.url + "/?secret=" + KEY, headers=["X-Key: " + KEY], **limits)
        tap.ok(got.failure == failure and words in got.words, name, got)
        tap.ok(KEY not in got.words, name + ": no key in the words", got.words)
        if server.connections:
            server.answers.append(Answer(body=b"next"))
            tap.equal(fetch.ask(server.url).body, b"next", name + ": the next request is good")


def test_failures(tap):
    cut = {"then": "close", "length": 100}
    failing(tap, "cut in the middle", BROKEN, Answer(body=b"half", **cut))
    failing(tap, "cut in a chunk", BROKEN, Answer(pieces=[b"half"], chunked=True, then="close"))
    failing(tap, "reset", BROKEN, Answer(body=b"half", then="reset", length=100))
    failing(tap, "no head", BROKEN, Answer(raw=b"", then="close"))
    failing(tap, "no HTTP", BROKEN, Answer(raw=b"hello\r\nthis is SMTP\r\n", then="close"))
    failing(tap, "half a head", BROKEN, Answer(raw=b"HTTP/1.1 200 OK\r\nContent-Le", then="close"))
    failing(tap, "no gzip", BROKEN, Answer(body=b"plain", headers=[("Content-Encoding", "gzip")]))
    failing(tap, "silent", TIMED_OUT, Answer(body=b"half", then="hold", length=100), "sends nothing", idle=1000)
    failing(tap, "too long", TIMED_OUT, Answer(raw=b"", then="hold"), "took too long", whole=1000)
    failing(tap, "too large", TOO_LARGE, Answer(body=b"x" * 2000), most=1000)
    failing(tap, "too large when unpacked", TOO_LARGE, gzipped(b"x" * 10000000), most=1000000)
    headers = [("X-%d" % i, "x" * 1000) for i in range(400)]
    with Server([Answer(headers=headers)]) as server, Fetch() as fetch:
        tap.ok(fetch.ask(server.url).failure in (TOO_LARGE, BROKEN), "a head without end")
    with socket.socket() as s, Fetch() as fetch:
        s.bind(("127.0.0.1", 0))  # nobody listens
        tap.equal(fetch.ask("http://127.0.0.1:%d/" % s.getsockname()[1]).failure, NOT_CONNECTED, "refused")
        for url in ("file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/", "nonsense://x", "http://"):
            tap.equal(fetch.ask(url).failure, BAD_REQUEST, url + " is refused")


def test_redirects(tap):
    with Server([Answer(body=b"stolen")]) as thief, Fetch() as fetch:
        for status in (301, 302, 307, 308):
            with Server([Answer(status, headers=[("Location", thief.url + "/steal")])]) as server:
                got = fetch.ask(server.url, headers=["Authorization: Bearer " + KEY])
                tap.equal((got.status, got.headers["location"]), (status, thief.url + "/steal"), "%d is shown" % status)
        tap.equal(thief.connections, 0, "no redirect was followed")


def test_tls(tap):
    with tempfile.TemporaryDirectory(prefix="glovebox-llm-") as folder:
        good, other = make_certificate(folder, "127.0.0.1"), make_certificate(folder, "other.example")
        with Server([Answer(body=b"secret")], tls=good) as server:
            for name, env in (("unknown certificate", {}), ("another's bundle", {"CURL_CA_BUNDLE": other[0]}),
                              ("missing bundle", {"SSL_CERT_FILE": folder + "/none"})):
                with Fetch(**env) as fetch:
                    got = fetch.ask(server.url, headers=["X-Key: " + KEY])
                    tap.equal(got.failure, NOT_TRUSTED, name, got)
            tap.equal(server.requests, [], "nothing was sent to it")
            for variable in ("CURL_CA_BUNDLE", "SSL_CERT_FILE"):
                with Fetch(**{variable: good[0]}) as fetch:
                    tap.equal(fetch.ask(server.url).body, b"secret", variable + " names who is trusted")
        with Server([Answer()], tls=other) as server, Fetch(CURL_CA_BUNDLE=other[0]) as fetch:
            tap.equal(fetch.ask(server.url).failure, NOT_TRUSTED, "a certificate for another host")
        with Server([Answer()]) as server, Fetch() as fetch:
            tap.equal(fetch.ask(server.url.replace("http:", "https:")).failure, NOT_TRUSTED, "a server without TLS")


def test_proxies(tap):
    with tempfile.TemporaryDirectory(prefix="glovebox-llm-") as folder:
        cert = make_certificate(folder, "models.example")
        with Server([Answer(body=b"through")], tls=cert) as server, Server(proxy=server.port) as proxy:
            with Fetch(https_proxy=proxy.url, CURL_CA_BUNDLE=cert[0]) as fetch:
                got = fetch.ask("https://models.example/v1", headers=["X-Key: " + KEY])
                tap.equal((got.body, proxy.tunnels), (b"through", ["models.example:443"]), "https_proxy", got)
                tap.ok("x-proxy" not in got.headers, "the proxy's head is not the answer's", got.headers)
            tap.equal(server.requests[0].headers.get("x-key"), KEY, "the key is for the server")
    with Server([Answer(body=b"proxied")]) as proxy, Server([Answer(body=b"direct")]) as server:
        with Fetch(http_proxy=proxy.url, all_proxy=proxy.url) as fetch:
            tap.equal(fetch.ask("http://models.example/").body, b"proxied", "http_proxy")
            tap.equal(fetch.ask(server.url).body, b"direct", "not for plain HTTP to this machine")
        with Fetch(http_proxy=proxy.url, no_proxy="models.example") as fetch:
            tap.equal(fetch.ask("http://models.example/", connect=20000).failure, NOT_CONNECTED, "no_proxy")


def test_socket(tap):
    with tempfile.TemporaryDirectory(prefix="glovebox-llm-") as folder:
        path = os.path.join(folder, "s")
        with Server([Answer(body=b"local")], path=path), Fetch() as fetch:
            tap.equal(fetch.ask("http://docker/v1/info", method="GET", path=path).body, b"local", "a Unix socket")
            tap.equal(fetch.ask("http://docker/", path=path + "x").failure, NOT_CONNECTED, "a missing one")


def read(path):
    with open(path, "rb") as f:
        return f.read()


def test_life(tap):
    with Server([Answer(body=b"half", then="hold", length=100)]) as server:
        with Fetch(https_proxy="http://127.0.0.1:1") as fetch:
            fetch.send(server.url, headers=["Authorization: Bearer " + KEY])
            server.wait_request()
            place = "/proc/%d/" % fetch.process.pid
            for name in ("cmdline", "environ"):
                tap.ok(KEY.encode() not in read(place + name), "no key in " + name)
            tap.equal(int(read(place + "limits").decode().split("Max core file size")[1].split()[1]), 0, "no core files")
            fetch.socket.close()
            tap.equal(fetch.process.wait(PATIENCE), 0, "it ends when its input closes in the middle of an answer")
        with Fetch() as fetch:
            fetch.send(server.url)
            server.wait_request()
            os.kill(fetch.process.pid, signal.SIGABRT)
            status = os.waitid(os.P_PID, fetch.process.pid, os.WEXITED | os.WNOWAIT)
            tap.equal(status.si_code, os.CLD_KILLED, "a crash leaves no core")
        with Fetch() as fetch:
            fetch.send(server.url)
            server.wait_request()
            fetch.send(server.url)
            tap.equal(fetch.process.wait(PATIENCE), 0, "a second request at once is not of the protocol")
    for name, data in (("garbage", text(b"garbage")), ("another version", text(struct.pack("<I", 9) + b"x" * 60)),
                       ("a giant", b"\xff\xff\xff\xff")):
        with Fetch() as fetch:
            fetch.socket.sendall(data)
            tap.equal(fetch.process.wait(PATIENCE), 125, name + " ends it")
    done = subprocess.run([PROGRAM, "http://127.0.0.1/"], capture_output=True, stdin=subprocess.DEVNULL)
    tap.ok(done.returncode == 2 and b"part of glovebox" in done.stderr, "it is not for people", done)
    program = subprocess.run(["ldd", GLOVEBOX], capture_output=True, text=True).stdout
    library = subprocess.run(["ldd", os.path.join(os.path.dirname(GLOVEBOX), "libglovebox.so")], capture_output=True, text=True).stdout
    tap.ok("curl" not in program + library, "neither the program nor the library is linked with libcurl", library)


def test(tap):
    for part in (test_requests, test_failures, test_redirects, test_tls, test_proxies, test_socket, test_life):
        part(tap)
