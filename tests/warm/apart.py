# SPDX-License-Identifier: Apache-2.0
"""Warm runs share nothing with each other, and cannot reach what made them."""

import threading

from feed import Feed

FRESH = {
    "random": "import random; print(random.random())",
    "numpy's random": "import numpy; print(numpy.random.rand(3))",
    "numpy's generator": "import numpy; print(numpy.random.default_rng().random())",
    "uuid": "import uuid; print(uuid.uuid4(), uuid.uuid1())",
    "secrets": "import secrets; print(secrets.token_hex(8))",
    "a temporary name": "import tempfile; print(tempfile.mktemp())",
    "TLS": "import ssl; print(ssl.RAND_bytes(8))",
    "the C library's": "import ctypes; print(ctypes.CDLL(None).arc4random())" ,
}


def test_fresh(tap, feed):
    for name, code in FRESH.items():
        said = [feed.run(code, memory=300 << 20) for _ in range(3)]
        texts = {r["stdout"] for r in said}
        tap.ok(len(texts) == 3 and all(r["success"] for r in said), name + " differs from run to run",
               *[r["stdout"] + r["stderr"] for r in said])


def test_nothing_stays(tap, feed):
    feed.run("open('/tmp/left', 'w').write('x'); open('left', 'w'); open('/dev/shm/left', 'w')\n"
             "import builtins; builtins.left = 1; import os; os.environ['LEFT'] = '1'")
    result = feed.run("import os, builtins\nprint(os.path.exists('/tmp/left'), os.listdir('.'), os.listdir('/dev/shm'), "
                      "hasattr(builtins, 'left'), 'LEFT' in os.environ)")
    tap.equal(result["stdout"], "False ['main.py'] [] False False\n", "files, names and environment of the run before are gone")
    tap.ok(result["taken"] != "cold", "and it was warm")


def beside(feeds, codes):
    """Runs programs side by side, each in a thread with a feed of its own; the results."""
    results = [None] * len(codes)

    def one(i):
        results[i] = feeds[i].run(codes[i], timeout_ms=8000)
    threads = [threading.Thread(target=one, args=(i,)) for i in range(len(codes))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return results


def test_reach(tap, feed):
    """What a guest sees of the zygote and of the nest."""
    result = feed.run("import os\nprint(sorted(p for p in os.listdir('/proc') if p.isdigit()))\n"
                      "print([os.readlink('/proc/1/' + n) if os.access('/proc/1/' + n, os.R_OK) else 'no' for n in ('root', 'cwd', 'exe')])\n"
                      "print(sorted(os.listdir('/proc/self/fd'))[:3], os.getppid())")
    lines = result["stdout"].splitlines()
    tap.equal(lines[:1], ["['1', '2']"], "it sees its own pid 1 and itself", result["stderr"])
    result = feed.run("import os\nfor p in range(1, 300):\n"
                      "    try:\n        if p != os.getpid(): os.kill(p, 0); print('can signal', p)\n    except OSError: pass")
    tap.equal(result["stdout"], "", "it can signal nobody")
    result = feed.run("import os, ctypes\nl = ctypes.CDLL(None, use_errno=True)\n"
                      "for p in [1] + list(range(3, 50)):\n"
                      "    fd = l.syscall(434, p, 0)\n"
                      "    if fd >= 0: print(p, l.setns(fd, 0x00020000), ctypes.get_errno())\n")
    tap.ok(" 0 " not in result["stdout"], "it can enter no other namespace", result["stdout"])
    result = feed.run("import glob\nfor f in glob.glob('/proc/self/fd/*'):\n    pass\n"
                      "print([l.split()[-1] for l in open('/proc/self/maps') if 'zygote' in l])")
    maps = result["stdout"].strip()
    tap.ok("glovebox-zygote" not in maps or "/" in maps, "its maps name at most the code that locked it in", maps)
    result = feed.run("import ctypes\nlib = [l.split()[-1] for l in open('/proc/self/maps') if 'zygote' in l]\n"
                      "link = ctypes.CDLL(None)\n"
                      "import os\nfor fd in range(3, 200):\n"
                      "    try: os.fstat(fd); print('open', fd)\n    except OSError: pass")
    tap.equal(result["stdout"], "", "it has no descriptor but its own")


TERMINAL = """
import glob, os, sys, time
m, s = os.openpty()
os.write(s, b'secret of %s')
time.sleep(1)
print(sorted(glob.glob('/dev/pts/*')), os.read(m, 99))
"""


def test_terminals(tap, feeds, feed):
    """Two at a time, and one after the other."""
    said = beside(feeds, [TERMINAL % "one", TERMINAL % "two"])
    tap.equal([r["stdout"] for r in said], ["['/dev/pts/0', '/dev/pts/ptmx'] b'secret of %s'\n" % n for n in ("one", "two")],
              "each jail has pseudo-terminals of its own", *[r["stderr"] for r in said])
    tap.ok(all(r["taken"] != "cold" for r in said), "in warm runs")
    result = feed.run("import os\nprint(os.listdir('/dev/pts'), os.openpty()[0] > 0)")
    tap.equal(result["stdout"], "['ptmx'] True\n", "none of an earlier run", result["stderr"])


PORTS = "(5432, 8000, 8080)"
SQUAT = """
import socket
keep = []
for port in %s:
    s = socket.socket(); s.bind(('127.0.0.1', port)); s.listen()
    c = socket.create_connection(('127.0.0.1', port)); a, _ = s.accept()
    for end in (a, c):
        end.setsockopt(0, 21, 255)  # IP_MINTTL: neither receives anything from now on
        end.send(b'x' * 1000)
    keep.append((s, a, c))
print('done')
""" % PORTS
BIND = "import socket\nfor port in %s:\n    s = socket.socket(); s.bind(('127.0.0.1', port)); s.listen()\nprint('free')" % PORTS


def test_sockets_end(tap, feed):
    """Connections whose ends drop what they get outlive their process, and keep their ports."""
    said = [feed.run(SQUAT)["stdout"] for _ in range(3)]
    tap.equal(said, ["done\n"] * 3, "connections are left behind")
    said = [feed.run(BIND) for _ in range(8)]
    tap.ok(all(r["stdout"] == "free\n" for r in said), "no later run misses a port", [r["stderr"][-200:] for r in said])


def test_network(tap, feeds):
    """Two jails of one nest are in networks of their own, also one after the other."""
    listen = ("import socket, time\ns = socket.create_server(('127.0.0.1', 7777))\ns.settimeout(3)\n"
              "try: s.accept(); print('came')\nexcept OSError as e: print('nobody')")
    connect = ("import socket, time\nend = time.time() + 2\nwhile time.time() < end:\n"
               "    try: socket.create_connection(('127.0.0.1', 7777), 1); print('reached'); break\n"
               "    except OSError: time.sleep(0.1)\nelse: print('alone')")
    abstract = ("import socket, time\ns = socket.socket(socket.AF_UNIX); s.bind('\\0glove'); s.listen(); s.settimeout(2)\n"
                "try: s.accept(); print('came')\nexcept OSError: print('nobody')")
    call = ("import socket, time\nend = time.time() + 1.5\nwhile time.time() < end:\n"
            "    s = socket.socket(socket.AF_UNIX)\n    try: s.connect('\\0glove'); print('reached'); break\n"
            "    except OSError: time.sleep(0.1)\nelse: print('alone')")
    for name, pair in {"TCP": (listen, connect), "abstract sockets": (abstract, call)}.items():
        said = [r["stdout"] for r in beside(feeds, pair)]
        tap.equal(said, ["nobody\n", "alone\n"], "two at a time do not meet by " + name)


def test_many_at_once(tap, feed):
    answer = feed.ask(many=300, threads=8, code="import os\nassert os.getpid() == 2 and os.listdir('.') == ['main.py']\n"
                                               "open('x', 'w').write('1')")
    tap.equal(answer["failed"], 0, "300 runs, eight at a time, each in a folder of its own", feed.stats())


def test(tap):
    with Feed() as feed:
        if not tap.ok(feed.warm_up(30), "one becomes ready", feed.stats()):
            return
        feed.warm_up(30, memory=300 << 20)
        test_fresh(tap, feed)
        test_nothing_stays(tap, feed)
        test_reach(tap, feed)
        test_sockets_end(tap, feed)
        test_many_at_once(tap, feed)
        with Feed() as other:
            other.warm_up(30, timeout_ms=8000)
            feed.warm_up(30, timeout_ms=8000)
            test_network(tap, [feed, other])
            test_terminals(tap, [feed, other], feed)
