# SPDX-License-Identifier: Apache-2.0
"""A session's limits hold between its cells as well: its threads may go on when no cell runs."""
import os
import time

from procs import named, wait_for

# name, what a thread of the session does
CASES = [
    ("memory", """
def work():
    for i in range(60):
        hold.append(bytearray(b'x' * (4 << 20)))
        time.sleep(0.05)
"""),
    ("buffers of sockets", """
import socket, struct
ask = struct.pack('=IHHIIBxHiII', 32, 18, 1, 1, 0, 0, 0, 1, 0, 0)
def work():
    for i in range(600):
        hold.append(socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0))
        hold[-1].setblocking(False)
        try:
            for k in range(150): hold[-1].send(ask)
        except OSError: pass
        time.sleep(0.005)
"""),
]

NAME = "idle%d" % os.getpid()  # of the guest's process, to be found by
BEGIN = "import ctypes, threading, time\nhold = []\nctypes.CDLL(None).prctl(15, b'" + NAME + "', 0, 0, 0)\n"
START = "threading.Thread(target=work, daemon=True).start()\n"


def end(process):
    process.terminate()
    process.communicate(timeout=30)


def test_case(tap, user, daemon, name, code):
    sid = user.command("session", "new", "--memory", "48m").out.split()
    if not tap.ok(len(sid) == 1, f"{user.name}: {name}: a session opens", sid):
        return
    r = user.command("session", "exec", sid[0], "-c", BEGIN + code)
    tap.ok(r.status == 0 and named(daemon.pid, NAME), f"{user.name}: {name}: a cell runs", r)
    r = user.command("session", "exec", sid[0], "-c", START)
    tap.equal(r.status, 0, f"{user.name}: {name}: another one leaves a thread behind", r)
    tap.ok(wait_for(lambda: not named(daemon.pid, NAME), 7), f"{user.name}: {name}: its process is gone")
    r = user.command("session", "exec", sid[0], "-c", "print(len(hold))")
    tap.ok(r.status == 137 and "emory limit exceeded" in r.err and not r.out,
           f"{user.name}: {name}: the session is over", r.status, r.out, r.err)
    user.command("session", "close", sid[0])


def test(tap, user):
    path = "unix:" + os.path.join(user.home, "idle.sock")
    usual, user.env["GLOVEBOX_SOCKET"] = user.env["GLOVEBOX_SOCKET"], path
    daemon = user.start("serve", "--listen", path, "--log", "off")
    try:
        deadline = time.monotonic() + 20
        while user.command("session", "list").status and time.monotonic() < deadline:
            time.sleep(0.1)
        for name, code in CASES:
            test_case(tap, user, daemon, name, code)
    finally:
        user.env["GLOVEBOX_SOCKET"] = usual
        end(daemon)
