# SPDX-License-Identifier: Apache-2.0
import socket

a, b = socket.socketpair()
a.sendall(b"ping")
print(b.recv(10))
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname())
peer, _ = server.accept()
client.sendall(b"loop")
print(peer.recv(10))
