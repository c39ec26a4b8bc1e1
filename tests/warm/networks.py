# SPDX-License-Identifier: Apache-2.0
"""Network namespaces that warm runs use one after the other: only as long as nothing was ever done in one that the
kernel could remember."""

from feed import Feed

# The kernel's number of the namespace, of which no two are the same (Linux 5.14). A pair of sockets leaves nothing.
COOKIE = """
import socket
def cookie():
    a, b = socket.socketpair()
    return int.from_bytes(a.getsockopt(socket.SOL_SOCKET, 71, 8), 'little')
"""

# Whoever answers late is remembered as slow, by address, for whoever connects next (TCP's metrics). A bit an address.
ROUND = """
import socket, struct, time
def connect(address):
    s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.bind((address, 2121)); s.listen()
    c = socket.create_connection((address, 2121)); a, _ = s.accept()
    s.close()
    return c, a
def timeout(c):
    return struct.unpack_from('I', c.getsockopt(6, 11, 192), 8)[0]
"""
SLOW = COOKIE + ROUND + """
for i, bit in enumerate('10110010'):
    if bit == '0': continue
    c, a = connect('127.9.0.%d' % (i + 1))
    for turn in range(4):
        a.setsockopt(6, 12, 0)  # TCP_QUICKACK off: it answers after 40 ms
        c.send(b'x'); a.recv(1)
        while struct.unpack_from('I', c.getsockopt(6, 11, 192), 24)[0]: time.sleep(0.002)
    c.close(); a.close()
print(cookie())
"""
WHO_IS_SLOW = COOKIE + ROUND + """
def is_slow(address):
    c, a = connect(address)
    slow = timeout(c) > 215000
    c.close(); a.close()
    return '1' if slow else '0'
print(''.join(is_slow('127.9.0.%d' % i) for i in range(1, 9)))
"""

# What a network that nobody used yet says. IPv6 has a word or two with itself when the loopback comes up.
COUNTERS = """
def odd(name):
    lines = open('/proc/net/' + name).read().splitlines()
    for names, values in zip(lines[::2], lines[1::2]):
        for key, value in list(zip(names.split(), values.split()))[1:]:
            if value not in ('0', '-1') and key not in ('Forwarding', 'DefaultTTL', 'RtoAlgorithm', 'RtoMin', 'RtoMax'):
                yield names.split()[0] + key + '=' + value
print([*odd('snmp'), *odd('netstat')])
"""

TOUCHES = {
    "IPv4": "socket.socket()",
    "IPv6": "socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)",
    "netlink": "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)",
    "a call that fails": "import ctypes; print(ctypes.CDLL(None).syscall(41, 2, 2, 6) if __import__('os').uname().machine == 'x86_64' else 0)",
    "garbage above the family": "import ctypes; print(ctypes.CDLL(None).syscall(41 if __import__('os').uname().machine == 'x86_64' else "
                                "198, ctypes.c_ulong(0xdead00000002), 1, 0))",
    "a child": "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import socket; socket.socket()'])",
    "a thread": "import threading; t = threading.Thread(target=socket.socket); t.start(); t.join()",
}
# How it ends after that.
ENDS = {
    "out of time": ("import time; time.sleep(60)", {"timeout_ms": 1500}),
    "killed": ("import os; os.kill(os.getpid(), 9)", {}),
    "out of memory": ("x = []\nwhile True: x.append(bytearray(1 << 22))", {}),
    "beside a child": ("import os\nif os.fork() == 0: import time; time.sleep(9)", {}),
}
UNTOUCHED = {
    "nothing": "",
    "asyncio": "import asyncio\nasync def f(): await asyncio.sleep(0.001)\nasyncio.run(f())",
    "Unix sockets": "s = socket.socket(socket.AF_UNIX); s.bind('\\0a-name'); s.listen(); c = socket.socket(socket.AF_UNIX)\n"
                    "c.connect('\\0a-name'); c.send(b'x'); s.accept()[0].recv(1)",
    "a refused socket": "try: socket.socket(socket.AF_PACKET, socket.SOCK_RAW)\nexcept OSError: pass",
}


def said(result):
    return result["stdout"].split("\n")[0]


def test_metrics(tap, feed):
    """What one guest writes into TCP's metrics, others after it read."""
    wrote = [feed.run(SLOW) for _ in range(4)]
    tap.ok(all(r["success"] and r["taken"] != "cold" for r in wrote), "slow peers are made", *[r["stderr"][-300:] for r in wrote])
    read = [feed.run(WHO_IS_SLOW) for _ in range(8)]
    tap.equal([said(r) for r in read], ["00000000"] * 8, "no later guest knows who was slow", *[r["stderr"][-300:] for r in read])


def test_counters(tap, feed):
    for _ in range(4):
        feed.run("import socket\na = socket.socket(2, 2); a.bind(('127.0.0.1', 0))\nfor i in range(500): a.sendto(b'x', a.getsockname())\n"
                 "for i in range(30):\n    try: socket.create_connection(('127.0.0.1', 9))\n    except OSError: pass")
    tap.equal([said(feed.run(COUNTERS)) for _ in range(8)], ["[]"] * 8, "no later guest sees what was sent")


def cookies(feed, code="", count=8, **more):
    """Those of the namespaces that runs of it are in."""
    return [int(said(feed.run(COOKIE + "print(cookie(), flush=True)\n" + code, **more)) or 0) for _ in range(count)]


def test_touched(tap, feed):
    seen = set()
    for name, code in TOUCHES.items():
        seen.update(cookies(feed, code, 3))
    for name, (code, more) in ENDS.items():
        feed.warm_up(30, **more)
        before = set(cookies(feed, "socket.socket()\n" + code, 2, **more))
        seen |= before
        tap.equal(before & set(cookies(feed, "", 6, **more)), set(), "a network is not used again after a socket, " + name)
    for name, code in TOUCHES.items():
        mine = cookies(feed, code, 3)
        tap.ok(0 not in mine and not seen & set(mine) and len(set(mine)) == 3, "nor after " + name, mine)
        seen.update(mine)
    tap.equal(seen & set(cookies(feed)), set(), "nor any of them later")


def test_untouched(tap, feed):
    for name, code in UNTOUCHED.items():
        mine = cookies(feed, code, 12)
        tap.ok(0 not in mine and len(set(mine)) < 12, "one is used again after " + name, mine)


def test_many(tap, feed):
    answer = feed.ask(many=200, threads=8, code="import socket\ns = socket.create_server(('127.0.0.1', 8080))\n"
                                               "socket.create_connection(('127.0.0.1', 8080))")
    tap.equal(answer["failed"], 0, "200 runs with sockets, eight at a time", feed.stats())


def test(tap):
    with Feed() as feed:
        if not tap.ok(feed.warm_up(30), "one becomes ready", feed.stats()):
            return
        test_metrics(tap, feed)
        test_counters(tap, feed)
        test_untouched(tap, feed)
        test_touched(tap, feed)
        test_many(tap, feed)
