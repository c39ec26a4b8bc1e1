# SPDX-License-Identifier: Apache-2.0
"""TCP connections that no process holds: not accepted, or closed with data in flight (orphans). The kernel counts
orphans and the memory of both for the whole machine. And servers as programs write them, which must notice none of it.
"""

# Each attack would take a quarter of the machine's orphans. It waits longer than a slow machine needs to notice it.
ORPHANS = """
import socket, time
listeners = []
for i in range(%d):
    l = socket.socket()
    l.bind(('127.0.0.1', 0))
    l.listen(4096)
    listeners.append(l)
made = 0
for i in range(9000):
    s = socket.socket()
    s.settimeout(0.2)
    try:
        s.connect(listeners[i %% len(listeners)].getsockname())
        s.setblocking(False)
        s.send(b'x' * %d)
        made += 1
    except OSError:
        pass
    s.close()
time.sleep(20)
print(made)
"""

# A quarter of the limit, and none of it charged.
UNACCEPTED = """
import socket, time
hold = []
for i in range(6):
    l = socket.socket()
    l.bind(('127.0.0.1', 0))
    l.listen(100)
    for k in range(100):
        s = socket.socket()
        s.connect(l.getsockname())
        s.setblocking(False)
        try: s.send(b'x' * 300000)
        except OSError: pass
        hold.append(s)
    hold.append(l)
time.sleep(1)
print('held')
"""

# Behind 6 000 sockets that were never connected, which are in no list of the kernel's: data that nobody accepts.
BEHIND = """
import os, socket, time
for i in range(8):
    there, here = os.pipe()
    if os.fork() == 0:
        hidden = [socket.socket() for i in range(750)]
        os.write(here, b'x')
        time.sleep(60)
        os._exit(0)
    os.read(there, 1)
    os.close(there)
    os.close(here)
sent, kept, blob = 0, [], bytes(65536)
while sent < 200 << 20 and len(kept) < 100:
    l = socket.socket()
    l.bind(('127.0.0.1', 0))
    l.listen(128)
    kept.append(l)
    for i in range(129):
        s = socket.socket()
        s.settimeout(0.5)
        try: s.connect(l.getsockname())
        except OSError: break
        s.setblocking(False)
        try:
            while True: sent += s.send(blob)
        except OSError: pass
        s.close()
        if sent >= 200 << 20: break
time.sleep(3)
print(sent >> 20)
"""

HONEST = {
    "a backlog of 128": """
import socket
l = socket.socket(); l.bind(('127.0.0.1', 0)); l.listen(128)
made = [socket.create_connection(l.getsockname()) for i in range(128)]
for s in made: s.sendall(b'a' * 1000)
print(sum(len(l.accept()[0].recv(1000)) for s in made))
""",
    "a backlog of 500": """
import socket
l = socket.socket(); l.bind(('127.0.0.1', 0)); l.listen(500)
made = [socket.create_connection(l.getsockname()) for i in range(500)]
for s in made: s.sendall(b'a')
print(sum(len(l.accept()[0].recv(1000)) for s in made))
""",
    "500 connections one after the other": """
import socket, threading
l = socket.socket(); l.bind(('127.0.0.1', 0)); l.listen()
def serve():
    for i in range(500):
        with l.accept()[0] as s: s.sendall(s.recv(100))
t = threading.Thread(target=serve); t.start()
n = 0
for i in range(500):
    with socket.create_connection(l.getsockname()) as s:
        s.sendall(b'hello'); n += len(s.recv(100))
t.join(); print(n)
""",
    "an asyncio server with 300 clients": """
import asyncio
async def handle(reader, writer):
    writer.write(await reader.readexactly(1000)); await writer.drain(); writer.close()
async def client(port):
    reader, writer = await asyncio.open_connection('127.0.0.1', port)
    writer.write(b'x' * 1000); data = await reader.read(-1); writer.close(); return len(data)
async def main():
    server = await asyncio.start_server(handle, '127.0.0.1', 0)
    port = server.sockets[0].getsockname()[1]
    print(sum(await asyncio.gather(*[client(port) for i in range(300)])))
asyncio.run(main())
""",
    "an HTTP server": """
import http.server, threading, urllib.request
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), http.server.SimpleHTTPRequestHandler)
server.RequestHandlerClass.log_message = lambda *a: None
threading.Thread(target=server.serve_forever, daemon=True).start()
n = 0
for i in range(200):
    n += urllib.request.urlopen('http://127.0.0.1:%d/' % server.server_port).status
print(n)
""",
    "3000 connections that are closed at once": """
import socket, threading
l = socket.socket(); l.bind(('127.0.0.1', 0)); l.listen(128)
def serve():
    for i in range(3000): l.accept()[0].close()
t = threading.Thread(target=serve); t.start()
for i in range(3000): socket.create_connection(l.getsockname()).close()
t.join(); print('done')
""",
}
WANTED = ["128000\n", "500\n", "2500\n", "300000\n", "40000\n", "done\n"]

BACKLOG = """
import socket
l = socket.socket(); l.bind(('127.0.0.1', 0)); l.listen(4096)
hold, made = [], 0
for i in range(700):
    s = socket.socket(); s.settimeout(0.1); hold.append(s)
    try: s.connect(l.getsockname()); made += 1
    except OSError: break
print(made)
"""


def ended(r, *limits):
    return bool({"connections", *limits} & set(r.limits or ())) and r.exit_code == 137 and not r.timed_out and not r.success


def test(tap, user):
    own_network = "netns" in (user.run("").isolation or ())
    if not own_network:
        tap.skip(f"{user.name}: connections", "needs a network of its own")
        return
    options = ("--no-check", "--timeout", "60s")
    for name, code, more in (("that are closed with data in flight", ORPHANS % (64, 100000), ()),
                             ("that are closed, with a small limit", ORPHANS % (64, 100), ("--memory", "64m")),
                             ("that are closed, without a limit of memory", ORPHANS % (64, 100), ("--memory", "0")),
                             ("behind sockets that are not connected", BEHIND, ("--memory", "64m")),
                             ("that are not accepted", UNACCEPTED, ("--memory", "128m"))):
        r = user.run(code, *options, *more)
        # The group of a small limit may count the sockets first.
        small = ("memory",) if "64m" in more else ()
        tap.ok(ended(r, *small), f"{user.name}: connections {name} end the run", r)
    r = user.run(BACKLOG, *options)
    tap.ok(int(r.stdout or 999) <= 513, f"{user.name}: a listener has a backlog of 512 at most", r)
    for (name, code), wanted in zip(HONEST.items(), WANTED):
        r = user.run(code, *options)
        tap.ok(r.stdout == wanted and r.success and not r.limits, f"{user.name}: {name} works", r)
