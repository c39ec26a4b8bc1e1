#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for E2B's service: one port with the control plane and the sandboxes behind it.

    tests/e2b/standin.py --port N [--key KEY] [--plain] [--inhabitant PROGRAM]

E2B_API_URL and E2B_SANDBOX_URL are then both http://127.0.0.1:N. PROGRAM FOLDER LISTENER is what runs in a sandbox: by
default what E2B_INHABITANT names, or inside.py. With a program that starts the real envd, all of these tests ask that.
Tests use `with Standin() as s`: `s.requests` is all that was asked, `s.faults` is what shall go wrong."""

import argparse
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import control  # noqa: E402
from wire import Refused, accept_all, pieces_of_body, read_head, whole_answer  # noqa: E402

KEY = control.KEY
ENVD = 49983
KEPT = 1 << 20  # bytes of a body that are kept for assertions
PATIENCE = 120
KINDS = {ENVD: "envd"}


class Place:
    """The process of one sandbox, and how it is reached."""

    def __init__(self, folder, inhabitant, words=()):
        listener = socket.socket(socket.AF_UNIX)
        self.path, self.open = os.path.join(folder, "socket"), []
        listener.bind(self.path)
        listener.listen(64)
        self.process = subprocess.Popen(["/usr/bin/python3", inhabitant, folder, str(listener.fileno()), *words],
                                        pass_fds=(listener.fileno(),), stdin=subprocess.PIPE, start_new_session=True)
        listener.close()

    def connect(self, port):
        """A connection to one of its ports; None when that is closed."""
        s = socket.socket(socket.AF_UNIX)
        try:
            s.settimeout(PATIENCE)
            s.connect(self.path)
            s.sendall(b"%d\n" % port)
            word = b""
            while not word.endswith(b"\n") and (byte := s.recv(1)):
                word += byte
            if word == b"open\n":
                self.open.append(s)
                return s
        except OSError:
            pass
        s.close()
        return None

    def call(self, port, method, path, body):
        s = self.connect(port)
        if not s:
            raise Refused(500, {"code": 500, "message": "Failed to place sandbox"})
        with s:
            data = json.dumps(body).encode()
            s.sendall(b"%s %s HTTP/1.1\r\nHost: sandbox\r\nConnection: close\r\nContent-Type: application/json\r\n"
                      b"Content-Length: %d\r\n\r\n" % (method.encode(), path.encode(), len(data)) + data)
            s.recv(65536)

    def cut(self):
        """All connections break."""
        for s in self.open:
            close_hard(s)
        del self.open[:]

    def end(self):
        self.process.stdin.close()
        self.process.kill()
        self.process.wait()


class NoPlace:
    """Of a stand-in that only has answers: nothing runs in its sandboxes."""

    def __init__(self, folder):
        pass

    def connect(self, port):
        return None

    def call(self, port, method, path, body):
        pass

    def cut(self):
        pass

    def end(self):
        pass


class Request:
    def __init__(self, kind, head, sandbox):
        self.kind, self.head, self.sandbox = kind, head, sandbox
        self.method, self.path, self.headers, self.query = head.method, head.path, head.headers, head.query
        self.body, self.status, self.at = b"", 0, time.time()
        self.answer = b""

    @property
    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return "%s %s %s" % (self.kind, self.method, self.head.target)


class Fault:
    """What goes wrong with requests of `method` whose path has the pattern `path` in it. `answer` is bytes instead of
    the real answer, or a function(request) that gives them; `shape` is a function of the pieces of the real answer. It
    happens `times` times, after `skip` requests. `then` says what becomes of the connection: "close", "keep", "reset"
    or "hold"."""

    def __init__(self, method, path, answer=None, shape=None, times=None, then="close", skip=0):
        self.method, self.pattern, self.answer, self.shape = method, re.compile(path), answer, shape
        self.left, self.then, self.skip = times, then, skip

    def takes(self, request):
        if self.method not in ("*", request.method) or not self.pattern.search(request.path) or self.left == 0:
            return False
        if self.skip:
            self.skip -= 1
            return False
        self.left = self.left and self.left - 1
        return True


class Standin:
    def __init__(self, port=0, key=KEY, inhabitant=None, bare=False, plain=False):
        self.bare = bare
        self.inhabitant = inhabitant or os.environ.get("E2B_INHABITANT") or os.path.join(HERE, "inside.py")
        self.words = ["plain"] if plain else []
        self.requests, self.faults, self.errors = [], [], []
        self.lock, self.released = threading.Lock(), threading.Event()
        self.open, self.listener = set(), socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(("127.0.0.1", port))
        self.port, self.key = self.listener.getsockname()[1], key

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="glovebox-e2b-")
        make = NoPlace if self.bare else lambda folder: Place(folder, self.inhabitant, self.words)
        self.control = control.Control(self.folder, make, self.key)
        self.listener.listen(128)
        threading.Thread(target=accept_all, args=(self.listener, self.serve), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.released.set()
        self.listener.close()
        self.control.close()
        for s in list(self.open):
            close_hard(s)
        for _ in range(20):  # a request that is still on its way may make a folder
            shutil.rmtree(self.folder, ignore_errors=True)
            if not os.path.exists(self.folder):
                break
            time.sleep(0.1)

    @property
    def url(self):
        return "http://127.0.0.1:%d" % self.port

    @property
    def living(self):
        return [r.id for r in self.control.records.values()]

    def variables(self):
        return {"E2B_API_URL": self.url, "E2B_SANDBOX_URL": self.url, "E2B_API_KEY": self.key}

    def asked(self, kind, method="", path=""):
        with self.lock:
            return [r for r in self.requests if r.kind == kind and r.method.startswith(method) and path in r.path]

    def serve(self, client):
        self.open.add(client)
        client.settimeout(PATIENCE)
        try:
            with client, client.makefile("rb") as stream:
                while (head := read_head(stream)) and self.serve_one(client, stream, head):
                    pass
        except (OSError, ValueError, IndexError) as error:
            self.errors.append(repr(error))
        finally:
            self.open.discard(client)

    def serve_one(self, client, stream, head):
        port, name = self.where(head)
        request = Request("control" if port is None else KINDS.get(port, "port %d" % port), head, name)
        with self.lock:
            self.requests.append(request)
            fault = next((f for f in self.faults if f.takes(request)), None)
        if head.get("expect", "").lower() == "100-continue":
            client.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        if fault and fault.answer is not None:
            keep(request, pieces_of_body(head, stream))
            return self.send(client, request, fault.answer, fault.then)
        try:
            if port is None:
                keep(request, pieces_of_body(head, stream))
                status, body, pairs = self.control.answer(head, request.body)
                return self.send(client, request, whole_answer(status, body, pairs=pairs), "keep")
            return self.forward(client, stream, request, port, fault)
        except Refused as refusal:
            for _ in () if request.body else pieces_of_body(head, stream):
                pass
            return self.send(client, request, whole_answer(refusal.status, refusal.body, refusal.kind), "keep")

    def where(self, head):
        """(port, sandbox) that the headers or the host's name say; (None, None) for the control plane."""
        host = head.get("host", "")
        named = re.match(r"(\d+)-([a-z0-9_]+)\.", host)
        if named and not re.match(r"[0-9.]+(:\d+)?$", host):
            return int(named[1]), named[2]
        if "e2b-sandbox-id" in head.headers:
            text = head.get("e2b-sandbox-port", "")
            if not text.isdigit() or not 0 < int(text) < 65536:
                raise ValueError("no port in E2b-Sandbox-Port")
            return int(text), head.get("e2b-sandbox-id")
        if head.path == "/files":
            return ENVD, ""
        return None, None

    def send(self, client, request, answer, then):
        answer = answer(request) if callable(answer) else answer
        for piece in [answer] if isinstance(answer, bytes) else answer:
            request.status = request.status or (int(piece[9:12]) if piece[9:12].isdigit() else 0)
            client.sendall(piece)
        if then == "hold":
            hold(client, self.released)
        elif then == "reset":
            close_hard(client, reset=True)
        return then == "keep"

    def forward(self, client, stream, request, port, fault):
        record = self.control.records.get(request.sandbox)
        if not record or record.state != "running":
            raise Refused(502, {"sandboxId": request.sandbox, "message": "The sandbox was not found", "code": 502})
        upstream = record.place.connect(port)
        if not upstream:
            if record.state != "running":
                raise Refused(502, {"sandboxId": request.sandbox, "message": "The sandbox was not found", "code": 502})
            raise Refused(502, {"sandboxId": request.sandbox, "port": port, "code": 502,
                                "message": "The sandbox is running but port is not open"})
        with upstream:
            send_request(upstream, request, stream)
            return self.send_back(client, request, upstream, fault)

    def send_back(self, client, request, upstream, fault):
        pieces = answer_of(client, upstream)
        if fault and fault.shape:
            pieces = fault.shape(pieces)
        for piece in pieces:
            request.status = request.status or int(piece[9:12] or 0)
            request.answer += piece[: max(0, KEPT - len(request.answer))]
            client.sendall(piece)
        if fault and fault.shape and not request.status:  # it arrived, and nobody hears of it
            close_hard(client, reset=True)
            return False
        if not request.status:  # the sandbox went in the middle
            raise Refused(502, {"sandboxId": request.sandbox, "message": "The sandbox was not found", "code": 502})
        if fault and fault.then == "hold":
            hold(client, self.released)
        if fault and fault.then == "reset":
            close_hard(client, reset=True)
        return not fault and whole(request)


def whole(request):
    """Whether the answer went to its end, so that the connection can be used again."""
    head, _, body = request.answer.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
    if len(request.answer) >= KEPT:
        return False
    return request.status == 204 or body.endswith(b"0\r\n\r\n") or bool(length) and len(body) == int(length[1])


def keep(request, pieces):
    for piece in pieces:
        request.body += piece[: max(0, KEPT - len(request.body))]


def send_request(upstream, request, stream):
    head = request.head
    lines = ["%s %s HTTP/1.1" % (head.method, re.sub("^/+", "/", head.target))]
    lines += ["%s: %s" % pair for pair in head.pairs if pair[0].lower() not in ("connection", "expect", "host")]
    upstream.sendall("\r\n".join(lines + ["Host: localhost", "Connection: close", "", ""]).encode("latin-1"))
    chunked = "transfer-encoding" in head.headers
    try:
        for piece in pieces_of_body(head, stream):
            request.body += piece[: max(0, KEPT - len(request.body))]
            upstream.sendall(b"%x\r\n%s\r\n" % (len(piece), piece) if chunked else piece)
        upstream.sendall(b"0\r\n\r\n" if chunked else b"")
    except (BrokenPipeError, ConnectionResetError):  # an answer came early, or the sandbox has gone
        pass


def answer_of(client, upstream):
    """The head of the answer, then what follows, until either side goes."""
    head = b""
    for piece in pieces_until_gone(client, upstream):
        if b"\r\n\r\n" in head:
            yield piece
            continue
        head += piece
        if b"\r\n\r\n" in head:
            yield re.sub(rb"(?i)\r\nconnection: [^\r]*", b"", head)


def pieces_until_gone(client, upstream):
    while True:
        ready, _, _ = select.select([client, upstream], [], [], 1)
        if upstream in ready:
            try:
                piece = upstream.recv(65536)
            except OSError:
                return
            if not piece:
                return
            yield piece
        elif client in ready:
            try:
                if not client.recv(1, socket.MSG_PEEK):
                    raise BrokenPipeError("the client has gone")
            except OSError:
                raise BrokenPipeError("the client has gone") from None
            time.sleep(0.02)  # the next request, early


def hold(client, released):
    """Until the client goes or the stand-in ends."""
    while not released.is_set():
        ready, _, _ = select.select([client], [], [], 0.2)
        if ready and not client.recv(1, socket.MSG_PEEK):
            return


def close_hard(s, reset=False):
    try:
        if reset:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            s.close()
        else:
            s.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


def main():
    parser = argparse.ArgumentParser(description="A stand-in for E2B's service, on loopback.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--key", default=KEY)
    parser.add_argument("--inhabitant")
    parser.add_argument("--plain", action="store_true", help="sandboxes are plain containers: no mounts, no namespaces")
    parser.add_argument("--verbose", action="store_true", help="print each request")
    args = parser.parse_args()
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: ended.set())
    with Standin(args.port, args.key, args.inhabitant, plain=args.plain) as standin:
        print("export " + " ".join("%s=%s" % pair for pair in standin.variables().items()), flush=True)
        seen = 0
        while not ended.wait(0.2):
            for request in standin.requests[seen:] if args.verbose else ():
                seen += 1
                print(request, flush=True)


if __name__ == "__main__":
    main()
