# SPDX-License-Identifier: Apache-2.0
"""HTTP/1.1 for both halves of the stand-in: requests are read as they come, answers are written with a known end."""

import json
import threading
import urllib.parse

LINE = 65536  # the longest line of a head
HEADERS = 200


def accept_all(listener, serve):
    """Each connection in a thread of its own, until the listener is closed."""
    while True:
        try:
            client = listener.accept()[0]
        except OSError:
            return
        threading.Thread(target=serve, args=(client,), daemon=True).start()


class Refused(Exception):
    """An answer instead of the one that was asked for."""

    def __init__(self, status, body, kind="application/json"):
        super().__init__(status)
        self.status, self.body, self.kind = status, body, kind


def refused(status, message, **more):
    return Refused(status, {"code": status, "message": message, **more}, "application/json; charset=utf-8")


class Head:
    def __init__(self, method, target, pairs):
        self.method, self.target, self.pairs = method, target, pairs
        path, _, query = target.partition("?")
        self.path = "/" + urllib.parse.unquote(path).lstrip("/")
        self.query = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
        self.headers = {name.lower(): value for name, value in pairs}

    def get(self, name, default=None):
        return self.headers.get(name, default)

    def has_body(self):
        return "transfer-encoding" in self.headers or self.get("content-length", "0") != "0"


def read_head(stream):
    """None when the client has nothing more to ask."""
    line = stream.readline(LINE)
    while line in (b"\r\n", b"\n"):
        line = stream.readline(LINE)
    words = line.decode("latin-1").split()
    if len(words) != 3:
        return None
    return Head(words[0], words[1], read_pairs(stream))


def read_pairs(stream):
    pairs = []
    while len(pairs) < HEADERS:
        line = stream.readline(LINE)
        if not line:
            raise OSError("the head has no end")
        if line in (b"\r\n", b"\n"):
            return pairs
        name, _, value = line.decode("latin-1").partition(":")
        pairs.append((name.strip(), value.strip()))
    raise OSError("the head has too many lines")


def pieces_of_body(head, stream):
    """The body in pieces, without its framing."""
    if head.get("transfer-encoding", "").lower() == "chunked":
        yield from chunks(stream)
        return
    left = int(head.get("content-length", 0))
    while left:
        piece = stream.read1(min(left, 65536))
        if not piece:
            raise OSError("the body ends early")
        left -= len(piece)
        yield piece


def chunks(stream):
    while True:
        size = int(stream.readline(LINE).split(b";")[0], 16)
        while size:
            piece = stream.read1(min(size, 65536))
            if not piece:
                raise OSError("the body ends early")
            size -= len(piece)
            yield piece
            if not size:
                stream.readline(LINE)
                break
        else:
            read_pairs(stream)
            return


def head_of_answer(status, pairs):
    lines = ["HTTP/1.1 %d %s" % (status, "OK" if status < 300 else "Refused")] + ["%s: %s" % p for p in pairs]
    return "\r\n".join(lines + ["", ""]).encode("latin-1")


def whole_answer(status, body=None, kind="application/json", pairs=()):
    """Bytes of an answer; `body` is bytes, text, or what becomes JSON."""
    if not isinstance(body, (bytes, type(None))):
        body = (body if isinstance(body, str) else json.dumps(body)).encode()
    if body is None:
        return head_of_answer(status, [*pairs] + ([] if status == 204 else [("Content-Length", 0)]))
    return head_of_answer(status, [("Content-Type", kind), ("Content-Length", len(body)), *pairs]) + body


class Talk:
    """One request with its connection, inside a sandbox."""

    def __init__(self, socket, stream, head):
        self.socket, self.stream, self.head = socket, stream, head
        self.begun = False

    def body(self):
        return b"".join(pieces_of_body(self.head, self.stream))

    def json(self):
        """The body's object. `Refused` when it is none."""
        try:
            body = json.loads(self.body() or b"{}")
        except ValueError as error:
            raise refused(400, "invalid JSON: %s" % error) from None
        if not isinstance(body, dict):
            raise refused(400, "the body is no object")
        return body

    def answer(self, status, body=None, kind="application/json", pairs=()):
        self.begun = True
        self.socket.sendall(whole_answer(status, body, kind, pairs))

    def begin(self, status, kind=None, pairs=()):
        self.begun = True
        pairs = [("Content-Type", kind), *pairs] if kind else pairs
        self.socket.sendall(head_of_answer(status, [*pairs, ("Transfer-Encoding", "chunked")]))

    def piece(self, data):
        if data:
            self.socket.sendall(b"%x\r\n%s\r\n" % (len(data), data))

    def end(self):
        self.socket.sendall(b"0\r\n\r\n")
