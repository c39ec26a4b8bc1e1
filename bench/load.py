# SPDX-License-Identifier: Apache-2.0
"""wrk, a public load generator, on the daemon. It speaks TCP only, so the daemon listens there too, with a token;
over the Unix socket the same load comes from bench/clients.c."""

import json
import os
import resource
import shutil
import subprocess

import common
from daemon import Daemon

RUN = json.dumps({"code": "print(1)"})
COLUMNS = "answers/s", "p50 ms", "p99 ms", "max ms", "200", "429", "other", "broken"


def wrk(daemon, path, clients, seconds, body=RUN):
    """What bench/wrk.lua says at its end."""
    env = dict(common.ENV, WRK_TOKEN=daemon.token, WRK_BODY=body)
    command = ["wrk", "-t", "1", "-c", str(clients), "-d", "%ds" % seconds, "--timeout", "60s", "-s",
               os.path.join(common.HERE, "wrk.lua"), "http://127.0.0.1:%d%s" % (daemon.port, path)]
    said = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, preexec_fn=many_descriptors).stdout
    for line in said.splitlines():
        if line.startswith("RESULT "):
            return json.loads(line[7:])
    raise SystemExit("bench: wrk said nothing: " + said)


def many_descriptors():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def row(table, name, said):
    """A table's row; returns how many were neither answered well nor told to come again."""
    statuses = dict(said["statuses"])
    total = sum(statuses.values())
    good, later = statuses.pop("200", 0), statuses.pop("429", 0)
    broken = said["connect"] + said["read"] + said["write"] + said["timeout"] + said["odd"]
    table.row(name, total / said["seconds"], said["p50"], said["p99"], said["max"], str(good), str(later),
              str(sum(statuses.values())), str(broken))
    return sum(statuses.values()) + broken


def unix(table, daemon, clients, seconds, where=""):
    """The same from bench/clients.c, over the Unix socket."""
    answer = daemon.clients(daemon.body("/v1/run", {"code": "print(1)"}), clients=clients, seconds=seconds)
    return row(table, "runs, %d clients, Unix socket%s" % (clients, where), {
        "seconds": answer["seconds"], "statuses": answer["statuses"], "p50": common.p50(answer["ms"]),
        "p99": common.p99(answer["ms"]), "max": max(answer["ms"]), "connect": 0, "write": 0, "timeout": 0,
        "read": answer["dropped"], "odd": answer["statuses"].get("200", 0) - answer["succeeded"]})


def load():
    table = common.Table("Load: wrk over TCP with a token, and as many clients on the Unix socket", *COLUMNS)
    has_wrk = shutil.which("wrk")
    with Daemon(tcp=True) as daemon:
        run = daemon.body("/v1/run", {"code": "print(1)"})
        daemon.warm_up(run)
        before = daemon.resident(), daemon.descriptors()
        lost = 0
        if has_wrk:
            row(table, "GET /healthz, 64 clients", wrk(daemon, "/healthz", 64, 3, body=""))
            for clients in (1, 8, 64):
                row(table, "runs, %d client%s" % (clients, "s" * (clients > 1)), wrk(daemon, "/v1/run", clients, 3))
            lost += row(table, "runs, 1000 clients", wrk(daemon, "/v1/run", 1000, 8))
        lost += unix(table, daemon, 1000, 5)
        common.wait_for(lambda: daemon.figures()["workers_busy"] == 0)
        after = daemon.resident(), daemon.descriptors()
        table.remark("daemon before and after: %.1f and %.1f MiB, %d and %d descriptors" % (
            before[0] / 2**20, after[0] / 2**20, before[1], after[1]))
    lost += short_queue(table, has_wrk)
    if not has_wrk:
        table.remark("no wrk on this machine: tools/setup bench installs it")
    table.remark("over the Unix socket: bench/clients.c")
    table.remark("broken: connections refused, cut or timed out, and results of runs that failed")
    common.budget("1000 clients", "none lost", "%d lost" % lost, lost == 0)


def short_queue(table, has_wrk):
    """Who finds the queue full is told 429, and nothing else."""
    with Daemon("--queue", "100", tcp=True) as daemon:
        daemon.warm_up(daemon.body("/v1/run", {"code": "print(1)"}))
        lost = unix(table, daemon, 1000, 3, ", a queue of 100")
        if has_wrk:
            lost += row(table, "runs, 1000 clients, TCP, a queue of 100", wrk(daemon, "/v1/run", 1000, 5))
    return lost
