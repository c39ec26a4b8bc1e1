# SPDX-License-Identifier: Apache-2.0
"""Many forks: deep, wide, one after the other."""

from daemon import GLOVEBOX
from family import Families, nothing_left, side_by_side
from procs import descriptors, groups, sanitized, wait_for

DEEPEST = 40


def test_depth(tap, d):
    line, why = [d.open()], None
    while len(line) <= DEEPEST and not why:
        line[-1].run("depth = globals().get('depth', 0) + 1")
        r = line[-1].ask_fork()
        if r.status == 201:
            line.append(type(line[0])(d, r.json["id"]))
        else:
            why = r
    tap.ok(why is not None and why.status not in (200, 500) and len(line) > 20 and why.message,
           "forks of forks: %d, then %s" % (len(line) - 1, why and why.message))
    tap.equal([s.value("depth") for s in line], list(range(1, len(line) + 1)), "all of them live")
    for s in line[::2]:
        s.close()
    tap.equal([s.value("depth") for s in line[1::2]], list(range(2, len(line) + 1, 2)), "also when every other is closed")
    nothing_left(tap, d, "a deep family")


def figures(d):
    return d.figure("process_resident_memory_bytes"), descriptors(d.pid)


def test_wide(tap, d):
    s = d.open(memory_bytes=128 << 20, disk_bytes=4 << 20)
    s.run("x = 1")
    s.fork().close()
    before = figures(d)
    forks = [s.fork() for _ in range(100)]
    for i, f in enumerate(forks):
        f.run("x = %d" % i)
    tap.equal([f.value("x") for f in forks], list(range(100)), "a hundred forks")
    side_by_side(*[lambda part=forks[i::8]: [f.close() for f in part] for i in range(8)])
    tap.ok(wait_for(lambda: len(d.guests()) == 1), "are closed", len(d.guests()))
    tap.ok(wait_for(lambda: figures(d)[1] <= before[1] + 4, 15), "and leave no descriptor", before, figures(d))
    tap.equal(s.value("x"), 1, "their origin has what it had")


def test_rounds(tap, d):
    s = d.open(disk_bytes=4 << 20)
    s.run("x = 1")
    for _ in range(20):
        s.fork().close()
    before, kept = figures(d), len(groups(d.pid))
    for _ in range(300):
        s.fork().close()
    tap.ok(wait_for(lambda: figures(d)[1] <= before[1] + 4, 15), "300 rounds leave no descriptor", before, figures(d))
    tap.ok(figures(d)[0] < before[0] + (8 << 20) or sanitized(GLOVEBOX), "nor memory", before, figures(d))
    tap.ok(len(groups(d.pid)) <= kept + 32, "nor control groups", kept, len(groups(d.pid)))
    tap.equal(s.fork().value("x"), 1, "and it can be forked")


def test(tap):
    with Families() as d:
        test_depth(tap, d)
        test_wide(tap, d)
        test_rounds(tap, d)
        nothing_left(tap, d, "crowds")
