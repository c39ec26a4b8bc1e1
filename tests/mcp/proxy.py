# SPDX-License-Identifier: Apache-2.0
"""A proxy that adds a token, if it has one, to each request of clients that cannot send one, and keeps the heads that it saw."""

import socket
import threading


def head_of(connection):
    """The head of a request, and what came behind it; None at the end."""
    read = b""
    while b"\r\n\r\n" not in read:
        piece = connection.recv(65536)
        if not piece:
            return None
        read += piece
    head, rest = read.split(b"\r\n\r\n", 1)
    return head, rest


def copy(source, target):
    try:
        while piece := source.recv(65536):
            target.sendall(piece)
    except OSError:
        pass
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


class Proxy:
    """Listens on `port` until the end of the `with`. A connection has one request."""

    def __init__(self, to_port, token):
        self.to_port, self.token, self.heads = to_port, token, []
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.forward, args=(connection,), daemon=True).start()

    def forward(self, connection):
        with connection:
            read = head_of(connection)
            if not read:
                return
            self.heads.append(read[0].decode())
            lines = [line for line in read[0].split(b"\r\n") if not line.lower().startswith(b"connection:")]
            lines += [b"Authorization: Bearer " + self.token.encode()] if self.token else []
            lines.append(b"Connection: close")
            with socket.create_connection(("127.0.0.1", self.to_port)) as daemon:
                daemon.sendall(b"\r\n".join(lines) + b"\r\n\r\n" + read[1])
                back = threading.Thread(target=copy, args=(connection, daemon), daemon=True)
                back.start()
                copy(daemon, connection)
                back.join()
