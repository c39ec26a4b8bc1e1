# SPDX-License-Identifier: Apache-2.0
"""Names that lead elsewhere, connections that mean another server, and peers that do not behave."""

import os
import signal
import subprocess
import time

from world import METADATA, OTHER, PRIVATE, PRIVATE6, PUBLIC, probes, row


def test_rebinding(t, world):
    turns = iter([[PUBLIC], [PRIVATE], [METADATA]] + [["127.0.0.1"]] * 50)
    world.names.table["rebind.example.com"] = lambda: next(turns)
    for name, addresses in {"private": [PRIVATE], "metadata": [METADATA], "loopback": ["127.0.0.1"], "private6": [PRIVATE6], "mapped": ["::ffff:" + PRIVATE],
                            "loopback6": ["::1"], "zero": ["0.0.0.0"], "nat64": ["64:ff9b::a4d:1"], "both": [PRIVATE, PUBLIC]}.items():
        world.names.table[name + ".example.com"] = addresses
    got, done = probes(world, "allow:*.example.com", r'''
names = ["private", "metadata", "loopback", "private6", "mapped", "loopback6", "zero", "nat64"]
report(rebind=[probe(lambda: dial("rebind.example.com", 443)) for _ in range(4)], both=probe(lambda: dial("both.example.com", 443)),
       **{n: probe(lambda: get("http://%s.example.com/" % n)) for n in names})
''')
    t.equal(got.get("rebind", [None])[0], "hello", "a name is resolved when a connection comes", got)
    t.ok(all(str(r).startswith("error") for r in got.get("rebind", "x")[1:]), "and again for the next one: a private answer is refused", got)
    for name in ("private", "metadata", "loopback", "private6", "mapped", "loopback6", "zero", "nat64"):
        t.ok(isinstance(got.get(name), list) and got[name][0] == 403 and "leads to" in got[name][1], f"a name that leads to a {name} address is refused", got.get(name))
    t.equal(got.get("both"), "hello", "of several addresses only the public one is connected")
    t.equal(world.untouched(), {}, "no private server was reached")
    t.equal(row(done, "both.example.com")["address"], PUBLIC, "the result has the address that was connected")


def test_redirects(t, world):
    got, done = probes(world, "allow:api.example.com", rf'''
report(private=probe(lambda: get("http://api.example.com/to/http://{PRIVATE}/")), metadata=probe(lambda: get("http://api.example.com/to/http://{METADATA}/x")),
       loopback=probe(lambda: get("http://api.example.com/to/http://127.0.0.1/")))
''')
    for name in ("private", "metadata", "loopback"):
        t.ok(isinstance(got.get(name), list) and got[name][0] == 403, f"a redirect to a {name} address ends in a refusal", got)
    t.equal(world.untouched(), {}, "nothing was reached")


def test_tls(t, world):
    before = len(world.servers.received[PUBLIC, 443])
    got, done = probes(world, "allow:api.example.com,*.wild.example.org,api.example.com:8443", r'''
good, other, none = hello("api.example.com"), hello("evil.example.net"), hello(None)
def ech(h):
    """The same hello with an extension more."""
    body = bytearray(h[5:]); end = 4 + 2 + 32; end += 1 + body[end]; end += 2 + int.from_bytes(body[end:end+2], "big"); end += 1 + body[end]
    more = b"\xfe\x0d\x00\x05\x00\x01\x02\x03\x04"; size = int.from_bytes(body[end:end+2], "big") + len(more)
    body[end:end+2] = size.to_bytes(2, "big"); body += more; body[1:4] = (len(body) - 4).to_bytes(3, "big")
    return h[:3] + len(body).to_bytes(2, "big") + bytes(body)
def pieces(h):
    with socket.create_connection(("api.example.com", 443), 10) as s:
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for i in range(0, len(h), 40): s.sendall(h[i:i+40]); time.sleep(0.005)
        return s.recv(100).decode("latin-1")[:1]
def split(h):
    """The same message in several records."""
    return b"".join(h[:3] + len(h[5+i:5+i+50]).to_bytes(2, "big") + h[5+i:5+i+50] for i in range(0, len(h) - 5, 50))
report(good=probe(lambda: dial("api.example.com", 443, good, 1)), pieces=probe(lambda: pieces(good)), split=probe(lambda: dial("api.example.com", 443, split(good), 1)),
       other=probe(lambda: dial("api.example.com", 443, other)), other_split=probe(lambda: dial("api.example.com", 443, split(other))), other_pieces=probe(lambda: pieces(other)),
       other_port=probe(lambda: dial("api.example.com", 8443, other)), other_80=probe(lambda: dial("api.example.com", 80, other, 12)),
       neighbour=probe(lambda: dial("a.wild.example.org", 443, hello("b.wild.example.org"))), none=probe(lambda: dial("api.example.com", 443, none, 1)),
       none_wild=probe(lambda: dial("a.wild.example.org", 443, none)), ech=probe(lambda: dial("api.example.com", 443, ech(good))),
       broken=probe(lambda: dial("api.example.com", 443, b"\x16\x03\x01\xff\xff" + b"x" * 500)), wild=probe(lambda: dial("a.wild.example.org", 443, hello("a.wild.example.org"), 1)))
''')
    for name in ("good", "pieces", "split", "none", "wild"):
        t.equal(got.get(name), "\x16", f"TLS passes ({name})", got)
    for name in ("other", "other_split", "other_pieces", "other_port", "neighbour", "none_wild", "ech", "broken"):
        t.ok(str(got.get(name)).startswith("error"), f"TLS is refused ({name})", got)
    t.equal(got.get("other_80"), "HTTP/1.1 403", "at port 80 with a page")
    seen = world.servers.received[PUBLIC, 443][before:]
    t.ok(b"evil.example.net" not in seen and b"b.wild" not in seen, "no byte of a refused hello has left")
    reasons = {r["reason"] for r in done["network"] if not r["allowed"]}
    t.ok({"TLS names another server", "TLS hides which server is meant (ECH)"} <= reasons, "the result says why", reasons)


def test_proxy(t, world):
    got, done = probes(world, f"allow:api.example.com,api.example.com:8443,{PRIVATE}:5432", rf"""
def proxy(head, more=b"", size=12):
    with socket.create_connection(("proxy.glovebox", 80), 10) as s:
        s.settimeout(10); s.sendall(head.encode()); got = s.recv(2000)
        if more and b" 200 " in got: s.sendall(more); got += s.recv(2000)
        while not more and (part := s.recv(2000)): got += part
        return got.decode("latin-1")
c = "CONNECT %s HTTP/1.1\r\nHost: x\r\n\r\n"
report(up=probe(lambda: proxy(c % "api.example.com:8443", b"hello")), address=probe(lambda: proxy(c % "{PRIVATE}:5432", b"hello")),
       other=probe(lambda: proxy(c % "evil.example.net:443")), private=probe(lambda: proxy(c % "{PRIVATE}:443")), metadata=probe(lambda: proxy(c % "{METADATA}:80")),
       mapped=probe(lambda: proxy(c % "[::ffff:{PRIVATE}]:443")), loopback=probe(lambda: proxy(c % "127.0.0.1:9999")), number=probe(lambda: proxy(c % "0x7f.1:9999")),
       mail=probe(lambda: proxy(c % "api.example.com:25")), smuggled=probe(lambda: proxy(c % "api.example.com:8443" + "GET / HTTP/1.1\r\n\r\n")),
       fronted=probe(lambda: proxy(c % "api.example.com:443", hello("evil.example.net"))), plain=probe(lambda: proxy("GET http://api.example.com/p HTTP/1.1\r\nHost: api.example.com\r\n\r\n")),
       plain_other=probe(lambda: proxy("GET http://evil.example.net/ HTTP/1.1\r\nHost: evil.example.net\r\n\r\n")), long=probe(lambda: proxy("GET http://api.example.com/" + "x" * 9000)))
""")
    t.ok(got.get("up", "").startswith("HTTP/1.1 200 ") and got["up"].endswith("hello"), "CONNECT to an allowed host", got)
    t.ok(got.get("address", "").endswith("hello"), "and to an allowed address", got)
    for name in ("other", "private", "metadata", "mapped", "loopback", "number", "mail", "smuggled", "plain_other", "long"):
        t.ok(str(got.get(name)).startswith("HTTP/1.1 403"), f"the proxy refuses ({name})", got.get(name))
    t.ok("ConnectionReset" in str(got.get("fronted")) or str(got.get("fronted")).endswith("established\r\n\r\n"), "TLS to another server is cut off", got.get("fronted"))
    t.ok("page /p" in str(got.get("plain")), "plain HTTP to an allowed host", got.get("plain"))
    t.equal(world.untouched(), {}, "nothing else was reached")
    done = world.run("allow:api.example.com", "curl -sS -m 10 http://api.example.com/c", "--env", "http_proxy=http://proxy.glovebox:80", lang="bash")
    t.equal(done["stdout"], "page /c", "curl with http_proxy", done["stderr"])


def test_slow(t, world):
    world.names.silent.add("silent.example.com")
    world.names.table["nowhere.example.com"] = ["203.0.113.99"]
    begin = time.monotonic()
    got, done = probes(world, "allow:api.example.com,silent.example.com,gone.example.com", r'''
def first(path):
    with socket.create_connection(("api.example.com", 80), 10) as s:
        s.sendall(b"GET %s HTTP/1.0\r\n\r\n" % path); return s.recv(12).decode()
report(slow=probe(lambda: first(b"/slow")), endless=probe(lambda: first(b"/endless")), silent=probe(lambda: get("http://silent.example.com/")), gone=probe(lambda: get("http://gone.example.com/")))
''')
    t.equal((got.get("slow"), got.get("endless")), ("HTTP/1.1 200",) * 2, "slow and endless answers can be left", got)
    t.ok(isinstance(got.get("silent"), list) and got["silent"][0] == 502 and "no name server answered" in got["silent"][1], "a silent name server ends in words", got)
    t.ok(isinstance(got.get("gone"), list) and "cannot be resolved" in got["gone"][1], "a name that does not exist outside", got)
    t.ok(time.monotonic() - begin < 40, "in bounded time")
    world.names.silent.clear()
    done = world.run("allow:api.example.com", "import urllib.request\nf = urllib.request.urlopen('http://api.example.com/endless')\nwhile True: f.read(1 << 20)",
                     "--timeout", "2s")
    t.ok(done["timed_out"] and row(done, "api.example.com")["bytes_in"] > 1 << 20, "an endless answer ends with the time of the run", done["network"])


def test_questions(t, world):
    """The work of the name server is counted by none of the guest's own limits, so it has a ceiling, however it is asked."""
    got, done = probes(world, "allow:api.example.com", r'''
import threading
server = [line.split()[1] for line in open("/etc/resolv.conf") if line.startswith("nameserver")][0]
question = b"\x00\x01\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00" + b"\x03api\x07example\x03com\x00\x00\x01\x00\x01"
def ask(n):
    with socket.create_connection((server, 53), 10) as s:
        s.settimeout(10)
        threading.Thread(target=s.sendall, args=((len(question).to_bytes(2, "big") + question) * n,)).start()
        with s.makefile("rb") as f:
            for i in range(n): f.read(int.from_bytes(f.read(2), "big"))
    return n
def timed(f):
    begin = time.monotonic(); asked = f(); return asked, time.monotonic() - begin
report(one=probe(lambda: timed(lambda: ask(1))), many=probe(lambda: timed(lambda: ask(6000))), after=probe(lambda: get("http://api.example.com/c")))
''')
    t.equal(got.get("one", [0])[0], 1, "a question over TCP is answered", got)
    asked, seconds = got.get("many") if isinstance(got.get("many"), list) else (0, 0)
    t.ok(asked == 6000 and seconds > 1.5, "6 000 questions over one connection are answered, not more than 2 000 a second", got)
    t.equal(got.get("after"), "page /c", "and names work afterwards", got)


def test_many(t, world):
    got, done = probes(world, "allow:api.example.com:5432", r'''
import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096)) if resource.getrlimit(resource.RLIMIT_NOFILE)[1] >= 4096 else None
open_ones, good = [], 0
for i in range(1000):
    s = socket.create_connection(("api.example.com", 5432), 20); s.settimeout(20); s.sendall(b"%4d" % i); open_ones.append(s)
for i, s in enumerate(open_ones): good += s.recv(9) == b"%4d" % i
report(good=good)
''', "--open-files", "4096", "--timeout", "50s", timeout=90)
    t.equal(got.get("good"), 1000, "1 000 connections at once are all answered", done["stderr"][-500:], done["network"])
    t.equal(row(done, "api.example.com")["count"], 1000, "and are one row")
    t.equal(done.get("limits"), [], "without a limit of the guest's")
    got, done = probes(world, "allow:api.example.com:5432", r'''
open_ones = []; refused = 0
for i in range(1100):
    try: s = socket.create_connection(("api.example.com", 5432), 20); s.settimeout(20); s.sendall(b"x"); open_ones.append(s)
    except OSError: refused += 1
for s in open_ones:
    try: refused += s.recv(9) != b"x"
    except OSError: refused += 1
report(refused=refused)
''', "--open-files", "4096", "--timeout", "50s", timeout=90)
    t.equal(got.get("refused"), 76, "more than 1 024 are refused", done["network"], done["stderr"][-500:])
    got, done = probes(world, "allow:api.example.com", r'''
for i in range(500): probe(lambda: socket.gethostbyname("n%d.example.net" % i))
report()
''')
    t.ok(len(done["network"]) <= 101 and row(done, "(others)")["count"] >= 300, "any number of refusals are at most 101 rows", len(done["network"]))


def children_named(name):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/comm") as f:
                if f.read().strip() == name and os.readlink(f"/proc/{pid}/ns/net") == os.readlink("/proc/self/ns/net"):
                    found.append(int(pid))
        except OSError:
            pass
    return found


def test_dies(t, world):
    code = r'''
import socket, time
s = socket.create_connection(("api.example.com", 5432)); s.sendall(b"x"); s.recv(1); print("up", flush=True)
try: print("end", s.recv(1), flush=True)
except OSError as e: print("end", type(e).__name__, flush=True)
try: socket.create_connection(("api.example.com", 5432), 5); print("again")
except OSError as e: print("refused", flush=True)
'''
    with world.popen("run", "--net", "allow:api.example.com:5432", "-c", code, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        t.equal(run.stdout.readline(), b"up\n", "a connection is open")
        ours = [p for p in children_named("glovebox-net") if parent(p) == run.pid]
        t.equal(len(ours), 1, "one glovebox-net carries it")
        held(t, ours[0])
        for pid in ours:
            os.kill(pid, signal.SIGKILL)
        rest = run.stdout.read()
        t.ok(rest.startswith(b"end") and rest.endswith(b"refused\n"), "when it is killed, the network is closed, not open", rest)
        said = run.stderr.read()
        t.ok(b"glovebox-net" in said, "and the result says so", said)
    run = world.popen("run", "--net", "allow:api.example.com:5432", "-c", code + "\ntime.sleep(60)", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    run.stdout.readline()
    ours = [p for p in children_named("glovebox-net") if parent(p) == run.pid]
    run.kill()
    run.communicate()
    deadline = time.monotonic() + 10
    while any(p in children_named("glovebox-net") for p in ours) and time.monotonic() < deadline:
        time.sleep(0.05)
    t.ok(ours and not any(p in children_named("glovebox-net") for p in ours), "it ends with the command, also after kill -9")


def parent(pid):
    with open(f"/proc/{pid}/stat") as f:
        return int(f.read().rsplit(")", 1)[1].split()[1])


def held(t, pid):
    with open(f"/proc/{pid}/status") as f:
        status = {line.partition(":")[0]: line.partition(":")[2].strip() for line in f}
    t.equal((status["CapEff"], status["NoNewPrivs"], status["Seccomp"]), ("0" * 16, "1", "2"), "it has no capabilities, no new privileges, and a filter")
    t.ok("0" not in status["Uid"].split(), "and is not root", status["Uid"])
