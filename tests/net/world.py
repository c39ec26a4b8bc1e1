# SPDX-License-Identifier: Apache-2.0
"""A network of our own in namespaces that the test makes: public, private and metadata addresses, a name server whose
answers a test chooses, and servers that count what reaches them. Nothing here leaves the machine."""

import json
import os
import socket
import struct
import subprocess
import tempfile
import threading
import time

PUBLIC, OTHER, PRIVATE, METADATA = "203.0.113.10", "203.0.113.20", "10.77.0.1", "169.254.169.254"
PUBLIC6, PRIVATE6 = "2001:db8::10", "fd77::1"
CANARIES = [(PRIVATE, 80), (PRIVATE, 443), (METADATA, 80), (PRIVATE6, 80), ("127.0.0.1", 80), ("127.0.0.1", 9999), (OTHER, 443)]
USER = 12345


def make():
    """Sets the new namespaces up, which we are in."""
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    for address in (PUBLIC, OTHER, PRIVATE, METADATA):
        subprocess.run(["ip", "address", "add", address + "/32", "dev", "lo"], check=True)
    for address in (PUBLIC6, PRIVATE6):
        subprocess.run(["ip", "-6", "address", "add", address + "/128", "dev", "lo", "nodad"], check=True)
    for path, text in (("/etc/resolv.conf", "nameserver 127.0.0.1\noptions timeout:2 attempts:1\n"),
                       ("/etc/hosts", "127.0.0.1 localhost\n"), ("/etc/nsswitch.conf", "hosts: files dns\n")):
        with tempfile.NamedTemporaryFile("w", delete=False) as f:
            f.write(text)
        os.chmod(f.name, 0o644)
        if not os.path.exists(path):
            open(path, "w").close()
        subprocess.run(["mount", "--bind", f.name, path], check=True)


def labels(message, at):
    words = []
    while message[at]:
        words.append(message[at + 1:at + 1 + message[at]].decode())
        at += 1 + message[at]
    return ".".join(words).lower(), at + 1


class Names:
    """The name server outside: {name: [addresses], or a function that returns them}."""

    def __init__(self):
        self.table, self.asked, self.silent = {}, [], set()
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 53))
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            message, sender = self.socket.recvfrom(2000)
            name, end = labels(message, 12)
            kind = struct.unpack(">H", message[end:end + 2])[0]
            if kind == 1:
                self.asked.append(name)
            if name in self.silent:
                continue
            found = self.table.get(name)
            found = found() if callable(found) and kind == 1 else [] if callable(found) else found
            family = {1: socket.AF_INET, 28: socket.AF_INET6}.get(kind)
            records = []
            for address in found or []:
                if (":" in address) == (family == socket.AF_INET6):
                    raw = socket.inet_pton(family, address)
                    records.append(b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, 0, len(raw)) + raw)
            head = message[:2] + struct.pack(">HHHHH", 0x8180 | (3 if found is None else 0), 1, len(records), 0, 0)
            self.socket.sendto(head + message[12:end + 4] + b"".join(records), sender)


class Servers:
    """Each counts its connections and keeps what it received."""

    def __init__(self):
        self.connections, self.received, self.lock = {}, {}, threading.Lock()

    def listen(self, address, port, work):
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        server = socket.create_server((address, port), family=family, backlog=2000)
        key = address, port
        self.connections[key], self.received[key] = 0, b""

        def accept():
            while True:
                peer, _ = server.accept()
                with self.lock:
                    self.connections[key] += 1
                threading.Thread(target=self.handle, args=(key, peer, work), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()

    def handle(self, key, peer, work):
        try:
            with peer:
                work(lambda: self.read(key, peer), peer)
        except OSError:
            pass

    def read(self, key, peer):
        data = peer.recv(65536)
        with self.lock:
            if len(self.received[key]) < 1 << 20:
                self.received[key] += data
        return data


def echo(read, peer):
    while data := read():
        peer.sendall(data)


def web(read, peer):
    head = b""
    while b"\r\n\r\n" not in head:
        data = read()
        if not data:
            return
        head += data
    path = head.split()[1].decode()
    if path.startswith("/to/"):
        peer.sendall(b"HTTP/1.1 302 Found\r\nLocation: " + path[4:].encode() + b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    elif path == "/endless":
        peer.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            peer.sendall(b"x" * 65536)
    elif path == "/slow":
        peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        while True:
            peer.sendall(b"x")
            time.sleep(0.5)
    else:
        body = b"page " + path.encode()
        peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(body) + body)


def silent(read, peer):
    while read():
        pass


class World:
    def __init__(self, glovebox):
        self.glovebox = glovebox
        self.names, self.servers = Names(), Servers()
        self.servers.listen(PUBLIC, 80, web)
        for port in (443, 5432, 8443):
            self.servers.listen(PUBLIC, port, echo)
        self.servers.listen(PUBLIC6, 443, echo)
        self.servers.listen(PRIVATE, 5432, echo)
        for address, port in CANARIES:
            self.servers.listen(address, port, silent)
        self.names.table.update({"api.example.com": [PUBLIC], "a.wild.example.org": [PUBLIC], "b.wild.example.org": [PUBLIC],
                                 "six.example.com": [PUBLIC6]})
        self.as_user = False

    def environment(self, **more):
        keep = {k: v for k, v in os.environ.items() if k in ("PATH", "GLOVEBOX_NET_PROGRAM", "ASAN_OPTIONS")}
        return {**keep, "HOME": "/tmp", "GLOVEBOX_LOG": "off", **more}

    def become(self):
        if self.as_user:
            os.setgroups([])
            os.setgid(USER)
            os.setuid(USER)

    def popen(self, *args, **more):
        return subprocess.Popen([self.glovebox, *args], env=self.environment(), preexec_fn=self.become, cwd="/", **more)

    def run(self, net, code, *args, lang="python", timeout=60, variables=None):
        """The result's document. Without `net`, the variables or the defaults say what it is."""
        options = [] if net is None else ["--net", net]
        done = subprocess.run([self.glovebox, "run", "--json", *options, "--lang", lang, *args, "-c", code], cwd="/", env=self.environment(**(variables or {})),
                              preexec_fn=self.become, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout)
        try:
            return json.loads(done.stdout)
        except ValueError:
            return {"stdout": "", "stderr": done.stderr.decode(), "network": [], "denied": [], "exit_code": done.returncode, "notes": []}

    def untouched(self):
        return {k: self.servers.connections[k] for k in CANARIES if self.servers.connections[k]}


PROBES = r'''
import json, socket, ssl, sys, time, urllib.request, urllib.error
def probe(f):
    begin = time.monotonic()
    try: value = f()
    except urllib.error.HTTPError as e: value = [e.code, e.read().decode()]
    except urllib.error.URLError as e: value = "error " + type(e.reason).__name__
    except Exception as e: value = "error " + type(e).__name__
    took.append(round((time.monotonic() - begin) * 1000))
    return value
took = []
def dial(host, port, text=b"hello", size=5):
    with socket.create_connection((host, port), 10) as s:
        s.sendall(text)
        return s.recv(100).decode("latin-1")[:size]
def get(url):
    return urllib.request.urlopen(url, timeout=10).read().decode()
def hello(name):
    """The first message of TLS that names this server."""
    context = ssl.create_default_context(); context.check_hostname = False; context.verify_mode = ssl.CERT_NONE
    out = ssl.MemoryBIO(); tls = context.wrap_bio(ssl.MemoryBIO(), out, server_hostname=name)
    try: tls.do_handshake()
    except ssl.SSLWantReadError: pass
    return out.read()
def report(**values): print(json.dumps({**values, "took": took}))
'''


def probes(world, net, body, *args, **more):
    """(what the program reports, the document)"""
    done = world.run(net, PROBES + body, *args, **more)
    try:
        return json.loads(done["stdout"].splitlines()[-1]), done
    except (ValueError, IndexError):
        return {"failed": done["stdout"] + done["stderr"] + str(done.get("error"))}, done


def row(done, host, port="any", allowed="any"):
    for r in done["network"]:
        if r["host"] == host and port in ("any", r["port"]) and allowed in ("any", r["allowed"]):
            return r
    return {"allowed": None, "count": 0, "reason": "", "address": None, "bytes_in": 0, "bytes_out": 0}
