# SPDX-License-Identifier: Apache-2.0
"""The network: none, except one's own loopback; the host's where asked."""

import socket
import threading


def serve(t):
    """A server on the host's loopback; returns its port."""
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(60)

    def work():
        try:
            while True:
                peer, _ = server.accept()
                peer.sendall(b"from the host")
                peer.close()
        except OSError:
            pass

    threading.Thread(target=work, daemon=True).start()
    return server, server.getsockname()[1]


CONNECT = "import socket\ntry: print(socket.create_connection(('127.0.0.1', %d), 5).recv(99))\nexcept OSError as e: print(type(e).__name__)"


def test_none(t):
    server, port = serve(t)
    done = t.run("-c", CONNECT % port)
    t.ok(
        done.code == 0 and b"Error" in done.out and b"host" not in done.out,
        "the host's loopback is not there",
        done,
    )
    for what in (
        "socket.create_connection(('1.1.1.1', 53), 3)",
        "socket.create_connection(('2606:4700:4700::1111', 53), 3)",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('1.1.1.1', 53))",
        "socket.getaddrinfo('example.com', 80)",
        "socket.socket(socket.AF_PACKET, socket.SOCK_RAW)",
    ):
        done = t.run(
            "-c",
            "import socket\ntry:\n  %s\n  print('open')\nexcept OSError as e: print('closed')"
            % what,
        )
        t.exits(done, 0, what, b"closed\n")
    done = t.run(
        "-c",
        "import socket\ns = socket.socket(socket.AF_UNIX)\ntry: s.connect('\\0/tmp/.X11-unix/X0'); print('open')\nexcept OSError: print('closed')",
    )
    t.exits(done, 0, "an abstract socket of the host's", b"closed\n")
    server.close()


def test_loopback(t):
    code = """import socket, threading
server = socket.create_server(('127.0.0.1', 0))
def work():
    peer, _ = server.accept(); peer.sendall(b'pong')
threading.Thread(target=work).start()
print(socket.create_connection(server.getsockname()).recv(9))
"""
    t.exits(t.run("-c", code), 0, "TCP on its own loopback", b"b'pong'\n")
    code = "import socket\na = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); a.bind(('127.0.0.1', 0)); a.sendto(b'x', a.getsockname()); print(a.recv(9))"
    t.exits(t.run("-c", code), 0, "UDP on its own loopback", b"b'x'\n")
    t.exits(
        t.run("-c", "import socket; print(socket.gethostbyname('localhost'))"),
        0,
        "localhost has an address",
        b"127.0.0.1\n",
    )
    code = "import socket\ns = socket.socket(socket.AF_UNIX); s.bind('sock'); s.listen(); c = socket.socket(socket.AF_UNIX); c.connect('sock'); print('unix')"
    t.exits(t.run("-c", code), 0, "a socket in the workspace", b"unix\n")
    code = "const http = require('http'); const s = http.createServer((q, r) => r.end('web')).listen(0, '127.0.0.1', () => http.get({port: s.address().port, host: '127.0.0.1'}, r => { r.on('data', d => console.log(String(d))); r.on('end', () => s.close()) }))"
    t.exits(t.run("--lang", "js", "-c", code), 0, "a web server and its client", b"web\n")


def test_host(t):
    server, port = serve(t)
    t.exits(
        t.run("--net", "host", "-c", CONNECT % port),
        0,
        "--net host: the host's loopback",
        b"b'from the host'\n",
    )
    done = t.run("--net", "host", "--json", "-c", "print(1)")
    t.ok("netns" not in done.json["isolation"], "the result says so", done)
    t.exits(
        t.run("--net", "host", "-c", "import socket; print(socket.gethostbyname('localhost'))"),
        0,
        "names are looked up",
        b"127.0.0.1\n",
    )
    t.exits(t.run("--net=none", "-c", "print(1)"), 0, "--net none", b"1\n")
    server.close()
