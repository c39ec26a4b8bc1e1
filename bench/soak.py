# SPDX-License-Identifier: Apache-2.0
"""RUNS (100 000) warm runs against one daemon, with failing ones, sessions, and clients that go away among them:
what it holds has to stay flat."""

import os
import socket
import statistics
import time

import common
from daemon import Daemon, request
from procs import groups

RUNS = int(os.environ.get("RUNS", "100000"))
STEPS, CLIENTS = 20, 8
# What may be more at the end than after the first twentieth: caches of libraries, a jail more that waits.
SLACK = {"MiB": 6, "descriptors": 24, "threads": 12, "processes": 30, "groups": 48, "mounts": 0}

KINDS = [{"code": "print(1)"}] * 8 + [
    {"code": "print('x' * 200_000)"},
    {"code": "import sys; print(sum(range(1000)), file=sys.stderr)"},
    {"code": "open('a.txt', 'w').write('a')", "collect": True},
    {"code": "import json; print(json.dumps([1, 2, 3]))"},
]


def look(daemon):
    pid = daemon.process.pid
    with open("/proc/self/mounts") as f:
        mounts = sum("glovebox" in line and "/docker-" not in line for line in f)
    return {"MiB": daemon.resident() / 2**20, "descriptors": daemon.descriptors(),
            "threads": len(os.listdir("/proc/%d/task" % pid)), "processes": len(daemon.descendants()),
            "groups": len(groups(pid)), "mounts": mounts}


def settle(daemon):
    """Nothing runs, and the pool has had time to become as small as it likes to be."""
    common.wait_for(lambda: daemon.figures()["workers_busy"] == 0)
    common.wait_for(lambda: daemon.figures()["log_queue"] == 0)


def sessions(daemon):
    opened = [daemon.session() for _ in range(4)]
    for place in opened:
        daemon.cell(place, "x = [1] * 100000\nlen(x)")
    for place in opened:
        daemon.ask("DELETE", place)


def go_away(daemon):
    """Clients that do not wait for their answer, and one that does not end its question."""
    text = request("POST", "/v1/run", {"code": "import time; time.sleep(5)"})
    for piece in [text] * 8 + [text[:60]]:
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(daemon.socket)
            s.sendall(piece)
            time.sleep(0.01)


def step(daemon, bodies, count):
    answer = daemon.runs(*bodies, clients=CLIENTS, count=count)
    sessions(daemon)
    go_away(daemon)
    settle(daemon)
    return answer


def soak():
    table = common.Table("Soak: %d runs on one daemon, %d clients" % (RUNS, CLIENTS), "runs", "runs/s", *SLACK)
    with Daemon() as daemon:
        bodies = [daemon.body("/v1/run", kind) for kind in KINDS]
        daemon.warm_up(bodies[0])
        done, seen, began = 0, [], time.monotonic()
        for i in range(STEPS):
            count = RUNS * (i + 1) // STEPS - done
            answer = step(daemon, bodies, count)
            done += count
            seen.append(look(daemon))
            if i in (0, STEPS // 4 - 1, STEPS // 2 - 1, STEPS * 3 // 4 - 1, STEPS - 1):
                table.row("after %d %%" % (100 * (i + 1) // STEPS), str(done), count / answer["seconds"],
                          *[str(round(v, 1)) for v in seen[-1].values()])
        figures = daemon.figures()
    table.remark("%.0f s; zygotes started %d, renewed %d, died %d; rows lost by the log %d" % (
        time.monotonic() - began, figures["pool_zygotes_started_total"], figures["pool_zygotes_renewed_total"],
        figures["pool_zygotes_died_total"], figures["log_lost_total"]))
    verdict(seen)


def verdict(seen):
    """From the first quarter's median to the last one's, which is three quarters of what grows steadily: in single
    moments there are now more jails that wait, now fewer."""
    quarter = max(1, len(seen) // 4)

    def usual(looks, what):
        return statistics.median(look[what] for look in looks)
    grown = {what: usual(seen[-quarter:], what) - usual(seen[:quarter], what) for what in SLACK}
    bad = ["%s by %.1f" % (what, by) for what, by in grown.items() if by > SLACK[what]]
    common.budget("%d runs" % RUNS, "nothing grows", ", ".join(bad) or "flat", not bad)
    if bad:
        raise SystemExit("grew: " + ", ".join(bad))
