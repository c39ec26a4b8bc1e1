# SPDX-License-Identifier: Apache-2.0
"""Sessions that are opened while the host is busy can be forked like any other. Where the order of a nest and its
child decides, it shows only in one of a hundred."""

import time

from family import Families, Member, nothing_left, side_by_side

SECONDS = 8
OPENERS, RUNNERS = 6, 6


def open_and_fork(d, until):
    refused, count = [], 0
    while time.monotonic() < until:
        s = Member(d, d.post("/v1/sessions", {"forks": 3}).json["id"])
        r = s.ask_fork()
        if r.status == 201:
            Member(d, r.json["id"]).close()
        else:
            refused.append((r.status, r.message))
        s.close()
        count += 1
    return count, refused


def run(d, until):
    while time.monotonic() < until:
        d.run("print(1)")


def test(tap):
    with Families() as d:
        d.open().close()
        until = time.monotonic() + SECONDS
        answers = side_by_side(*[lambda: open_and_fork(d, until)] * OPENERS, *[lambda: run(d, until)] * RUNNERS)
        counts = answers[:OPENERS]
        wrong = [a for a in answers if isinstance(a, Exception)]
        tap.equal(wrong, [], "sessions are opened and forked under load")
        opened = sum(c[0] for c in counts if isinstance(c, tuple))
        refused = sum((c[1] for c in counts if isinstance(c, tuple)), [])
        tap.ok(opened > 20 and not refused, "each of them can be forked", opened, refused)
        print("# %d sessions" % opened)
        nothing_left(tap, d, "load")
