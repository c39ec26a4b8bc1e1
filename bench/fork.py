# SPDX-License-Identifier: Apache-2.0
"""Forks of live sessions against the size of their state and of their workspace, beside a bare fork with the same
state."""

import common
import others
from daemon import Daemon

STATES, PLACES = (0, 16, 64, 256), (1, 16)
FORKS = max(5, common.ROUNDS // 10)


def reason(status, doc):
    """Why there is no fork, in a few words."""
    message = doc["error"]["message"]
    return "not in this version" if "in this version" in message else "%d %.50s" % (status, message)


class Original:
    """A session with that much state, asked for one fork after the other."""

    def __init__(self, daemon, state, place):
        self.daemon, self.state, self.place = daemon, state, place
        self.session, self.forked, self.first, self.why = None, [], [], ""

    def open(self):
        self.session = self.daemon.session(forks=1, memory_bytes=1 << 30)
        self.daemon.cell(self.session, "held = [bytearray(b'x') * (1 << 20) for _ in range(%d)]\n"
                         "import os\nfor i in range(%d): open('f%%d' %% i, 'wb').write(os.urandom(1 << 20))"
                         % (self.state, self.place))

    def close(self):
        if self.session:
            self.daemon.ask("DELETE", self.session)
        self.session = None

    def once(self):
        """Fork, a first cell in the fork, away with it. Another original is opened where one gives no more."""
        if self.why:
            return []
        if not self.session:
            self.open()
        status, doc, took = self.daemon.ask("POST", self.session + "/fork", {})
        if status != 201:
            self.close()
            self.open()
            status, doc, took = self.daemon.ask("POST", self.session + "/fork", {})
        if status != 201:
            self.why = reason(status, doc)
            return []
        fork = "/v1/sessions/" + doc["id"]
        self.forked.append(took)
        answer, cell = self.daemon.cell(fork, "len(held)")
        self.first.append(cell)
        if answer["value"] != self.state:
            raise SystemExit("bench: a fork has lost its state: %s" % answer["value"])
        self.daemon.ask("DELETE", fork)
        return [took]


def fork():
    table = common.Table("Fork of a live Python session, by POST /fork (%d each, in turn with bare forks of that "
                         "state)" % FORKS, "p50 ms", "p99 ms", "first cell", "bare p50", "bare p99", "budget")
    with Daemon() as daemon:
        for state, place in [(s, 0) for s in STATES] + [(64, p) for p in PLACES]:
            original = Original(daemon, state, place)
            with others.Bare() as bare:
                bare.tell("state", state)
                samples = common.in_turns(FORKS, {"fork": original.once, "bare": lambda: bare.ms("alive", 3)})
            original.close()
            name = "%d MiB of state, %d MiB of workspace" % (state, place)
            goal = 2 + 0.35 * place
            alone = (common.p50(samples["bare"]), common.p99(samples["bare"]))
            if original.why:
                table.row(name, None, None, None, *alone, "%.2f" % goal, note=original.why)
            else:
                table.row(name, common.p50(original.forked), common.p99(original.forked), common.p50(original.first),
                          *alone, "%.2f" % goal)
            summary(state, place, goal, original, alone)
    table.remark("budget: 2 ms with up to 64 MiB of state, and 0.35 ms for each MiB of workspace")


def summary(state, place, goal, original, alone):
    if state != 64:
        return
    name = "fork of a session, 64 MiB" if place == 0 else "  and %d MiB of workspace" % place
    rest = "bare fork %s / %s" % tuple(map(common.figure, alone))
    if original.why:
        common.budget(name, "%.2f ms" % goal, "none: " + original.why, None, rest)
    else:
        common.budget(name, "%.2f ms" % goal, common.pair(original.forked), common.p50(original.forked) <= goal, rest)
