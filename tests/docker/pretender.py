# SPDX-License-Identifier: Apache-2.0
"""An engine that is made up: it answers as one, and its container says whatever a test wants. It stands for a container
in which the guest has taken the helper over, and for engines that are old, broken or slow."""

import json
import os
import socket
import struct
import threading

from frames import FRAMES

NAMES = ("KILL FILES HELD STARTED OUT ERR CHANNEL_OUT CREDIT SHUT USAGE LIMIT ENDED OVER TREE LEFT_OUT "
         "KEPT DONE")
(KILL, FILES, HELD, STARTED, OUT, ERR, CHANNEL_OUT, CREDIT, SHUT, USAGE, LIMIT, ENDED, OVER, TREE,
 LEFT_OUT, KEPT, DONE) = (FRAMES[name] for name in NAMES.split())
VERSION = {"Version": "1", "ApiVersion": "1.41", "MinAPIVersion": "1.24"}
LAY_FILE, LAY_DIR, LAY_END = b"LAYF", b"LAYD", b"LAYE"


def frame(kind, payload=b"", length=None):
    return struct.pack("<II", kind, len(payload) if length is None else length) + payload


def piece(data, stream=1):
    return struct.pack(">BxxxI", stream, len(data)) + data


def record(kind, path, content=b"", size=None, mode=0o644):
    return kind + struct.pack("<IIQ", len(path), mode, len(content) if size is None else size) + path + content


def lay_end(records):
    return LAY_END + struct.pack("<IIQ", 0, 0, records)


class Pretender:
    """`speak(talk)` is the container, once it was started. `answers` replaces some of the engine's: {(method, path's
    end): (status, bytes)}; or all bytes of it, a function that returns one of these, or a list of them. It listens on a
    socket in the folder, or on a port of `address`, there with TLS if `tls` is a context."""

    def __init__(self, folder, speak=None, answers=None, version=None, address=None, tls=None):
        self.path = os.path.join(folder, "pretender.sock")
        self.tls = tls
        self.speak, self.answers = speak, answers or {}
        self.version = VERSION if version is None else version
        self.started = threading.Event()
        self.server = socket.create_server((address, 0)) if address else socket.socket(socket.AF_UNIX)
        self.port = self.server.getsockname()[1] if address else None
        self.host = "tcp://%s:%d" % (address, self.port) if address else "unix://" + self.path
        if not address:
            self.server.bind(self.path)
            self.server.listen(16)
        self.sockets, self.asked, self.headers, self.queries = [], [], [], []
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        for s in [self.server] + self.sockets:
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            s.close()
        if not self.port:
            os.unlink(self.path)

    def accept(self):
        while True:
            try:
                client = self.server.accept()[0]
            except OSError:
                return
            self.sockets.append(client)
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        try:
            if self.tls:
                client = self.tls.wrap_socket(client, server_side=True)
                self.sockets.append(client)
            stream = client.makefile("rb")
            while self.serve_one(client, stream):
                pass
        except (OSError, ValueError):
            pass

    def serve_one(self, client, stream):
        words = stream.readline().split()
        if len(words) < 2:
            return False
        method, path = words[0].decode(), words[1].decode().split("?")[0]
        headers = {}
        while (line := stream.readline().strip()):
            name, _, value = line.partition(b":")
            headers[name.lower()] = value.strip()
        stream.read(int(headers.get(b"content-length", 0)))
        self.headers.append(headers)
        self.queries.append(words[1].decode())
        self.asked.append((method, path))
        if path.endswith("/attach") and ("POST", "/attach") not in self.answers:
            client.sendall(b"HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n")
            self.started.wait(20)
            self.speak(Talk(client, stream))
            client.shutdown(socket.SHUT_RDWR)
            return False
        answer = self.answer(method, path)
        if isinstance(answer, bytes):
            client.sendall(answer)
            client.shutdown(socket.SHUT_RDWR)
            return False
        status, body = answer
        client.sendall(b"HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % (status, len(body))
                       if status != 204 else b"HTTP/1.1 204 X\r\n\r\n")
        client.sendall(body)
        return True

    def answer(self, method, path):
        for (of, end), answer in self.answers.items():
            if method == of and path.endswith(end):
                if isinstance(answer, list):  # one after the other; the last one stays
                    answer = answer.pop(0) if len(answer) > 1 else answer[0]
                return answer() if callable(answer) else answer
        if path.endswith("/version"):
            return 200, json.dumps(self.version).encode()
        if path.endswith("/start"):
            self.started.set()
            return 204, b""
        if path.endswith("/create"):
            return 201, b'{"Id": "c0ffee"}'
        if path.endswith("/containers/json"):
            return 200, b"[]"
        if "/images/" in path:
            return 200, b'{"Id": "sha256:1234"}'
        return (404, b'{"message": "gone"}') if method == "GET" else (204, b"")


class Talk:
    """The container's streams."""

    def __init__(self, client, stream):
        self.client, self.stream = client, stream

    def say(self, *frames):
        self.client.sendall(piece(b"".join(frames)))

    def raw(self, data):
        self.client.sendall(data)

    def begin(self):
        kind, length = struct.unpack("<II", self.stream.read(8))
        self.stream.read(length)
        self.say(frame(HELD, struct.pack("<I", 0xffffffff)), frame(STARTED))

    def end(self, status=0):
        self.say(frame(ENDED, struct.pack("<I", status)), frame(OVER))

    def wait_for(self, kind, length=0):
        """Skips the files, which are outside of frames, and frames of other kinds."""
        wanted, seen = struct.pack("<II", kind, length), b""
        while not seen.endswith(wanted):
            byte = self.stream.read(1)
            if not byte:
                raise OSError("the other side is gone")
            seen = (seen + byte)[-8:]

    def files(self, *frames):
        self.wait_for(FILES, 1)
        self.say(*frames)
