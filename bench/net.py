# SPDX-License-Identifier: Apache-2.0
"""The network by name: what it adds to a run and to a connection, how fast it refuses, what glovebox-net needs. The
server is on the loopback; the guest connects to it directly (--net host) and through glovebox-net."""

import json
import os
import socket
import subprocess
import threading

import common

CONNECTIONS, MANY, MIB = 300, 1000, 256

GUEST = r'''
import json, resource, socket, sys, time
port, connections, many, mib = map(int, sys.argv[1:])
now = time.perf_counter
def once():
    begin = now(); s = socket.create_connection(("127.0.0.1", port)); s.sendall(b"x"); s.recv(1); s.close(); return (now() - begin) * 1e3
def refused(host, to):
    begin = now()
    try: socket.create_connection((host, to), 5).recv(1)
    except OSError: pass
    return (now() - begin) * 1e3
one = [once() for _ in range(connections)]
refusals = {"name": refused("refused.example", 80), "port": refused("192.0.2.1", 81), "address": refused("192.0.2.1", 443)}
def carry(order):
    s = socket.create_connection(("127.0.0.1", port)); s.sendall(order); begin = now(); n = 0; piece = bytearray(1 << 20)
    if order == b"d":
        while got := s.recv_into(piece): n += got
    else:
        for _ in range(mib): s.sendall(piece)
        s.shutdown(socket.SHUT_WR); s.recv(1)
    return mib / (now() - begin)
rates = {"down": carry(b"d"), "up": carry(b"u")}
held = []
for _ in range(many):
    s = socket.create_connection(("127.0.0.1", port)); s.sendall(b"x"); held.append(s)
good = sum(s.recv(1) == b"x" for s in held)
print(json.dumps({"one": sorted(one)[len(one) // 2], "refusals": refusals, "rates": rates, "good": good}), flush=True)
sys.stdin.read()
'''


def serve():
    server = socket.create_server(("127.0.0.1", 0), backlog=1024)

    def work(peer):
        with peer:
            order = peer.recv(1)
            if order == b"d":
                for _ in range(MIB):
                    peer.sendall(bytes(1 << 20))
            elif order == b"u":
                while peer.recv(1 << 20):
                    pass
                peer.sendall(b"x")
            else:
                peer.sendall(order)
                peer.recv(1)

    def accept():
        while True:
            peer, _ = server.accept()
            threading.Thread(target=work, args=(peer,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return server.getsockname()[1]


def carrier_of(pid):
    """The glovebox-net of this command: (resident KiB, milliseconds of processor)."""
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat") as f:
                text = f.read()
            if "(glovebox-net)" in text and int(text.rpartition(")")[2].split()[1]) == pid:
                with open(f"/proc/{entry}/status") as f:
                    size = [int(line.split()[1]) for line in f if line.startswith("VmRSS")]
                return size[0], common.cpu_ms(int(entry))
        except OSError:
            pass
    return None, None


def measure(port, mode):
    command = [common.BOX, "run", "--no-daemon", "--log", "off", "--no-check", "--net", mode, "--timeout", "60s", "--open-files", "4096",
               "-c", GUEST, "--", str(port), str(CONNECTIONS), str(MANY), str(MIB)]
    run = subprocess.Popen(command, env=common.ENV, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        found = json.loads(run.stdout.readline())
        found["resident"], found["cpu"] = carrier_of(run.pid)
    finally:
        run.communicate()
    return found


def net():
    port = serve()
    run = [common.BOX, "run", "--no-daemon", "--log", "off", "--net"]
    times = common.in_turns(common.ROUNDS, {mode: lambda mode=mode: [common.spawn([*run, mode, common.ONE])]
                                            for mode in ("none", "allow:127.0.0.1:%d" % port)})
    none, named = (common.p50(samples) for samples in times.values())
    direct, carried = measure(port, "host"), measure(port, "allow:127.0.0.1:%d" % port)
    refusal = max(carried["refusals"].values())
    beside = "direct %.3f ms, %.0f and %.0f MiB/s" % (direct["one"], direct["rates"]["down"], direct["rates"]["up"])
    for what, value, unit, budget in (("--net allow: on a cold run", named - none, "ms", 0.3), ("a connection by name", carried["one"] - direct["one"], "ms", 0.15),
                                      ("a refusal", refusal, "ms", 5),
                                      ("glovebox-net, %d connections" % carried["good"], carried["resident"] and carried["resident"] / 1024, "MiB", 4)):
        common.budget(what, "<= %g %s" % (budget, unit), common.figure(value, " " + unit), value and value <= budget, beside)
    for way in ("down", "up"):
        common.budget("bytes by name, " + way, ">= 1000 MiB/s", common.figure(carried["rates"][way], " MiB/s"), carried["rates"][way] >= 1000, beside)
