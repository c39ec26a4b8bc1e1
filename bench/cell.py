# SPDX-License-Identifier: Apache-2.0
"""A cell in a session, over HTTP and through the library, beside a bare pipe to a live interpreter."""

import json
import subprocess

import common
import others
from daemon import Daemon

TURNS = 10


class Library:
    """A session of the library, by the service that tests/session has."""

    def __init__(self):
        self.feed = subprocess.Popen([common.program("tests/session-feed")], env=common.ENV, text=True,
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.tell(do="open", lang="python")

    def tell(self, **what):
        self.feed.stdin.write(json.dumps({"as": "a", **what}) + "\n")
        self.feed.stdin.flush()
        answer = json.loads(self.feed.stdout.readline())
        if "error" in answer:
            raise SystemExit("bench: a session of the library: %s" % answer)
        return answer

    def ms(self, count):
        answer = self.tell(do="time", code="x = 1", times=count)
        return [us / 1e3 for us in next(v for v in answer.values() if isinstance(v, list) and len(v) == count)]

    def close(self):
        self.tell(do="close")
        self.feed.stdin.close()
        self.feed.stdout.close()
        self.feed.wait()


def cell():
    count = common.ROUNDS
    library = Library()
    with Daemon() as daemon, others.Bare() as bare:
        place = daemon.session() + "/exec"
        plain = daemon.body(place, {"code": "x = 1"})
        talks = daemon.body(place, {"code": "print(x)\nx + 1"})
        samples = common.in_turns(TURNS, {
            "x = 1, through the library": lambda: library.ms(count),
            "x = 1, over HTTP, log on": lambda: daemon.runs(plain, count=count)["ms"],
            "print(x); x + 1, over HTTP, log on": lambda: daemon.runs(talks, count=count)["ms"],
            "x = 1, a bare pipe to an interpreter": lambda: bare.ms("cell", count)})
    library.close()
    table = common.Table("A cell in a Python session, one after the other, all in turn", "p50 ms", "p99 ms")
    for name, ms in samples.items():
        table.row(name, common.p50(ms), common.p99(ms))
    through = samples["x = 1, through the library"]
    rest = "bare pipe " + common.pair(samples["x = 1, a bare pipe to an interpreter"])
    common.budget("a cell, through the library", "0.15 ms", common.pair(through), common.p50(through) <= 0.15, rest)
    http = samples["x = 1, over HTTP, log on"]
    common.budget("  over HTTP", "0.15 ms", common.pair(http), common.p50(http) <= 0.15)
