# SPDX-License-Identifier: Apache-2.0
"""Relatives that are closed at once: whichever of them ends last, the daemon and other families live on. Memory that
is freed is overwritten in this daemon, so that a use of it is seen."""

import threading
import time

from family import Families, nothing_left, side_by_side

SECONDS = 6
THREADS = 6
# glibc fills what is freed (the program of `make`); AddressSanitizer and ThreadSanitizer report by themselves.
OVERWRITE = {"GLIBC_TUNABLES": "glibc.malloc.perturb=165"}


def line(d, depth):
    """A session and its fork, the fork of that, and so on."""
    family = [d.open()]
    while len(family) <= depth:
        family.append(family[-1].fork())
    return family


def fan(d, width):
    """A session and its forks."""
    origin = d.open()
    return [origin] + [origin.fork() for _ in range(width)]


def close_at_once(family):
    ready = threading.Barrier(len(family))

    def close(s):
        ready.wait()
        return s.close()

    return side_by_side(*[lambda s=s: close(s) for s in family])


def middle_first(d):
    """The middle one's end leaves its jail to its relatives, and takes longest."""
    origin, fork, below = line(d, 2)
    return [fork.close()] + close_at_once([below, origin])


SHAPES = [
    middle_first,
    lambda d: close_at_once(line(d, 3)),
    lambda d: close_at_once(fan(d, 3)),
    middle_first,
]


def families(d, until, first):
    count, wrong = 0, []
    while time.monotonic() < until and not wrong:
        answers = SHAPES[(first + count) % len(SHAPES)](d)
        wrong += [a for a in answers if a != 200]
        count += 1
    return count, wrong


def test(tap):
    with Families(env=OVERWRITE) as d:
        other = d.open()
        other.run("x = 1")
        until = time.monotonic() + SECONDS
        answers = side_by_side(*[lambda i=i: families(d, until, i) for i in range(THREADS)])
        counts = [a for a in answers if isinstance(a, tuple)]
        tap.note("%d families" % sum(count for count, _ in counts))
        if not tap.ok(d.process.poll() is None, "the daemon lives when relatives are closed at once",
                      d.process.poll(), d.words()[-3000:]):
            return
        tap.equal([a if isinstance(a, Exception) else a[1] for a in answers], [[]] * THREADS, "each is closed")
        tap.equal(other.value("x"), 1, "a session of another family has what it had")
        nothing_left(tap, d, "relatives")
        tap.ok("Sanitizer" not in d.words(), "no report of a sanitizer", d.words()[-3000:])
