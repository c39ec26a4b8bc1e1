# SPDX-License-Identifier: Apache-2.0
"""A server of HTTP that does what a script says, for tests: real connections over loopback, bytes as written."""

import gzip
import json
import os
import socket
import ssl
import subprocess
import threading

PATIENCE = 60  # seconds, for anything that should take far less


class Request:
    def __init__(self, method, target, headers, body):
        self.method, self.target, self.headers, self.body = method, target, headers, body

    @property
    def json(self):
        return json.loads(self.body)


class Answer:
    """Bytes of a whole answer. `pieces` are sent one by one; `then` says what follows: "keep" the connection, "close"
    it, "reset" it, or "hold" it until the client goes."""

    def __init__(self, status=200, body=b"", headers=(), pieces=None, then="keep", length=None, raw=None, chunked=False,
                 kind="application/json", wait=None):
        body = json.dumps(body).encode() if isinstance(body, (dict, list)) else body
        body = body.encode() if isinstance(body, str) else body
        self.then, self.wait = then, wait
        if raw is not None:
            self.pieces = [raw]
            return
        pieces = [body] if pieces is None else pieces
        lines = ["HTTP/1.1 %d Scripted" % status, "Content-Type: " + kind]
        if chunked:
            lines.append("Transfer-Encoding: chunked")
            pieces = [b"%x\r\n%s\r\n" % (len(p), p) for p in pieces if p]
            if then == "keep":
                pieces.append(b"0\r\n\r\n")
        else:
            lines.append("Content-Length: %d" % (sum(map(len, pieces)) if length is None else length))
        lines += ["%s: %s" % h for h in headers]
        self.pieces = ["\r\n".join(lines + ["", ""]).encode()] + pieces


def gzipped(body, **more):
    return Answer(body=gzip.compress(body), headers=[("Content-Encoding", "gzip")], **more)


class Server:
    """`with Server([answers]) as s`: each request gets the next answer, and the last one again after that. `path` is of
    a Unix socket; `tls` a pair of files; a `proxy` connects CONNECT requests to the port that it names."""

    def __init__(self, answers=(), path=None, tls=None, proxy=None):
        self.answers, self.requests, self.connections = list(answers), [], 0
        self.tls, self.proxy, self.tunnels = tls, proxy, []
        self.lock, self.arrived = threading.Lock(), threading.Semaphore(0)
        self.released = threading.Event()
        if path:
            self.listener = socket.socket(socket.AF_UNIX)
            self.listener.bind(path)
        else:
            self.listener = socket.socket()
            self.listener.bind(("127.0.0.1", 0))
            self.port = self.listener.getsockname()[1]
        self.listener.listen(64)
        self.open = []

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.released.set()
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()
        for s in self.open:
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    @property
    def url(self):
        return "%s://127.0.0.1:%d" % ("https" if self.tls else "http", self.port)

    def wait_request(self):
        assert self.arrived.acquire(timeout=PATIENCE), "no request came"

    def accept(self):
        while True:
            try:
                s, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self.serve_safely, args=(s,), daemon=True).start()

    def serve_safely(self, s):
        self.open.append(s)
        s.settimeout(PATIENCE)
        try:
            if self.tls:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(*self.tls)
                s = context.wrap_socket(s, server_side=True)
                self.open.append(s)
            self.serve(s)
        except (OSError, ValueError):
            pass
        finally:
            s.close()

    def serve(self, s):
        stream = s.makefile("rb")
        while True:
            line = stream.readline()
            if not line.strip():
                return
            method, target, _ = line.decode("latin-1").split(" ", 2)
            headers = {}
            for line in iter(stream.readline, b"\r\n"):
                if not line:
                    return
                name, value = line.decode("latin-1").split(":", 1)
                headers[name.lower()] = value.strip()
            if method == "CONNECT":
                return self.tunnel(s, target)
            body = stream.read(int(headers.get("content-length", 0)))
            with self.lock:
                self.requests.append(Request(method, target, headers, body))
                n = len(self.requests)
                answer = self.answers[min(n, len(self.answers)) - 1]
            self.arrived.release()
            if callable(answer):
                answer = answer(self.requests[-1])
            if not self.send(s, answer):
                return

    def send(self, s, answer):
        for piece in answer.pieces:
            if answer.wait:
                answer.wait()
            s.sendall(piece)
        if answer.then == "hold":
            self.released.wait(PATIENCE)
        elif answer.then == "reset":
            s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        return answer.then == "keep"

    def tunnel(self, s, target):
        self.tunnels.append(target)
        with socket.create_connection(("127.0.0.1", self.proxy), timeout=PATIENCE) as other:
            s.sendall(b"HTTP/1.1 200 Connected\r\nX-Proxy: yes\r\n\r\n")
            there = threading.Thread(target=pump, args=(s, other), daemon=True)
            there.start()
            pump(other, s)


def pump(source, target):
    try:
        while True:
            data = source.recv(65536)
            if not data:
                break
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def make_certificate(folder, name):
    """(certificate, key) that signs itself, for one host name."""
    cert, key = os.path.join(folder, name + ".pem"), os.path.join(folder, name + ".key")
    alt = "IP:" + name if name[0].isdigit() else "DNS:" + name
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out", cert,
                    "-subj", "/CN=" + name, "-addext", "subjectAltName=" + alt], check=True, capture_output=True)
    return cert, key
