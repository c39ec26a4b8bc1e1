# SPDX-License-Identifier: Apache-2.0
"""What a program reaches by name and by address, and how the rest is refused."""

import shutil

from world import METADATA, OTHER, PRIVATE, PUBLIC, PUBLIC6, probes, row


def test_names(t, world):
    got, done = probes(world, "allow:api.example.com,six.example.com,*.wild.example.org:8443", r'''
report(fake=probe(lambda: socket.gethostbyname("api.example.com")), up=probe(lambda: dial("API.example.com.", 443)),
       page=probe(lambda: get("http://api.example.com/x")), six=probe(lambda: dial("six.example.com", 443)),
       wild=probe(lambda: dial("a.wild.example.org", 8443)), wild_port=probe(lambda: dial("a.wild.example.org", 443)),
       parent=probe(lambda: dial("wild.example.org", 8443)), other=probe(lambda: dial("evil.example.net", 443)),
       port=probe(lambda: dial("api.example.com", 8443, b"x")), closed=probe(lambda: dial("api.example.com", 25)))
''')
    t.ok(got.get("fake", "").startswith("198.18."), "a name has an address of ours", got)
    t.equal(got.get("up"), "hello", "and leads to its server")
    t.equal(got.get("page"), "page /x", "the web")
    t.equal(got.get("six"), "hello", "to IPv6 outside")
    t.equal(got.get("wild"), "hello", "a name below a domain")
    t.ok("error" in got.get("wild_port", ""), "not at another port", got)
    t.equal(got.get("parent"), "error gaierror", "*.x does not allow x")
    t.equal(got.get("other"), "error gaierror", "another name does not exist")
    t.ok("error" in got.get("port", ""), "a port of another rule is refused", got)
    t.equal(got.get("closed"), "error ConnectionRefusedError", "a port of no rule refuses the connection")
    t.equal([done["network"] and row(done, "api.example.com", 443)[k] for k in ("allowed", "address", "count", "bytes_in", "bytes_out")],
            [True, PUBLIC, 1, 5, 5], "the result has the connection", done["network"])
    t.equal(row(done, "evil.example.net")["reason"], "no rule allows this name", "and the refused name")
    t.equal(row(done, "api.example.com", 8443)["reason"], "no rule allows this port", "and the refused port")
    t.ok({"name": "network", "count": sum(r["count"] for r in done["network"] if not r["allowed"])} in done["denied"], "and `denied`", done["denied"])
    t.ok("evil.example.net" not in world.names.asked, "a refused name is not looked up outside")
    _, quiet = probes(world, "allow:*.quiet.example.org", 'report(x=probe(lambda: socket.gethostbyname("secret.quiet.example.org")))')
    t.ok(not [n for n in world.names.asked if n.startswith("secret")], "a lookup alone carries nothing out", quiet["network"])


def test_variable(t, world):
    """Every option has a variable, and this one's is no path of a program."""
    done = world.run(None, "import socket; print(socket.gethostbyname('api.example.com'))", variables={"GLOVEBOX_NET": "allow:api.example.com"})
    t.ok(done["stdout"].startswith("198.18."), "GLOVEBOX_NET=allow:HOST is --net allow:HOST", done["stderr"], done.get("error"))
    done = world.run("allow:api.example.com", "1", variables={"GLOVEBOX_NET_PROGRAM": "/no/such/program"})
    t.ok("/no/such/program" in str(done.get("error")) + done["stderr"], "GLOVEBOX_NET_PROGRAM names glovebox-net", done["stderr"], done.get("error"))


def test_addresses(t, world):
    net = f"allow:{PRIVATE}:5432,{PUBLIC}:443,[{PUBLIC6}]:443,127.0.0.1:8443,api.example.com"
    got, done = probes(world, net, rf'''
report(private=probe(lambda: dial("{PRIVATE}", 5432)), v4=probe(lambda: dial("{PUBLIC}", 443)), mapped=probe(lambda: dial("::ffff:{PUBLIC}", 443)),
       v6=probe(lambda: dial("{PUBLIC6}", 443)), other_port=probe(lambda: dial("{PRIVATE}", 443)), other=probe(lambda: dial("{OTHER}", 443)),
       metadata=probe(lambda: get("http://{METADATA}/latest/")), loopback=probe(lambda: dial("127.0.0.1", 9999)), web=probe(lambda: get("http://127.0.0.1/")),
       mapped_private=probe(lambda: dial("::ffff:{PRIVATE}", 443)), mapped_loopback=probe(lambda: dial("::ffff:127.0.0.1", 80)),
       zero=probe(lambda: dial("0.0.0.0", 80, b"GET / HTTP/1.0\r\n\r\n", 12)), fake=probe(lambda: dial("198.18.200.1", 443)))
''')
    for name in ("private", "v4", "mapped", "v6"):
        t.equal(got.get(name), "hello", f"an address that a rule writes ({name})", got)
    for name in ("other_port", "other", "loopback", "mapped_private", "fake"):
        t.ok(str(got.get(name)).startswith("error"), f"no other one ({name})", got)
    for name in ("metadata", "web"):
        t.ok(isinstance(got.get(name), list) and got[name][0] == 403 and "no rule allows this" in got[name][1] and ("--net allow:" in got[name][1]) == (name == "web"),
             f"port 80 answers with the reason ({name})", got)
    t.ok(max(got.get("took", [9999])) < 2000, "refusals come at once", got)
    t.equal(world.untouched(), {}, "nothing has reached another server")
    t.equal(row(done, METADATA, 80)["allowed"], False, "the result has the attempt")


def test_protocols(t, world):
    got, _ = probes(world, "allow:api.example.com", rf'''
def udp(address, port):
    s = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM); s.connect((address, port)); s.send(b"x"); time.sleep(0.05); s.send(b"y"); s.settimeout(0.2); return s.recv(9).decode()
report(udp=probe(lambda: udp("{PUBLIC}", 53)), udp6=probe(lambda: udp("{PUBLIC6}", 443)), named=probe(lambda: udp("api.example.com", 443)),
       raw=probe(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1) and "open"), ping=probe(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM, 1).sendto(b"\x08\0\0\0\0\0\0\0", ("{PUBLIC}", 0))),
       packet=probe(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW) and "open"), vsock=probe(lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM) and "open"),
       netlink=probe(lambda: __import__("subprocess").run(["ip", "route", "del", "local", "default", "table", "local"]).returncode))
''')
    for name in ("udp", "udp6", "named", "raw", "packet", "vsock"):
        t.ok(str(got.get(name)).startswith("error"), f"{name} does not leave", got)
    t.ok(got.get("netlink") != 0, "the guest cannot change its routes", got)
    t.equal(world.untouched(), {}, "nothing has reached another server")


def test_advice(t, world):
    done = world.run("allow:api.example.com", "import urllib.request\nurllib.request.urlopen('http://evil.example.net/')")
    texts = [done["exception"]["hint"], *done["feedback"], done["advice"]]
    t.ok(all("evil.example.net" in x and "no rule allows this name" in x for x in texts), "advice names the host and the reason", texts)
    t.ok(all("(--net allow:evil.example.net)" in x for x in texts[:2]), "and the rule that is missing", texts)
    for url, port in (("http://none.example.com/", 80), ("https://none.example.com/", 443)):
        done = world.run("allow:none.example.com", f"import urllib.request\nurllib.request.urlopen('{url}')")
        want = f"allows none.example.com, but could not reach it at port {port}: the name cannot be resolved: "
        for x in (done["exception"]["hint"], *done["feedback"]):
            t.ok(want in x and ("there is no such name" in x or "no name server answered" in x) and "no network" not in x, f"{url}: the reason of a failed lookup", x)
    for port in (80, 8443):
        done = world.run("allow:api.example.com:443" if port == 80 else "allow:api.example.com", f"import urllib.request\nurllib.request.urlopen('http://api.example.com:{port}/')")
        for x in (done["exception"]["hint"], *done["feedback"]):
            t.ok("no network" not in x and ("no rule allows this port" in x or "the hosts and ports that --net allows" in x), f"port {port} is not open", x)
    for backend in ("host", "docker", "e2b"):
        done = world.run("allow:api.example.com", "1", "--backend", backend, "--allow-unsafe")
        t.ok("cannot restrict the network to hosts by name" in done["error"]["message"], f"backend {backend} refuses in words", done["error"])


CLIENTS = {
    "curl": ("bash", "curl -sS -m 10 http://api.example.com/c"),
    "node": ("javascript", "require('http').get('http://api.example.com/c', r => r.on('data', d => process.stdout.write(d)))"),
    "fetch of node": ("javascript", "fetch('http://api.example.com/c').then(r => r.text()).then(t => process.stdout.write(t))"),
    "bash": ("bash", r"exec 3<>/dev/tcp/api.example.com/80; printf 'GET /c HTTP/1.0\r\n\r\n' >&3; tail -n 1 <&3"),
}


def test_clients(t, world):
    for name, (lang, code) in CLIENTS.items():
        if not shutil.which("node" if "node" in name else name):
            t.skip(name, f"needs {name}")
            continue
        done = world.run("allow:api.example.com", code, lang=lang)
        t.equal(done["stdout"], "page /c", f"{name} works unchanged", done["stderr"])
