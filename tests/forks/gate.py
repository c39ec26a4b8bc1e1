# SPDX-License-Identifier: Apache-2.0
"""setns(2) by who was not asked to: without an open gate, and through one that is open for another."""

from family import Families, nothing_left
from procs import wait_for
from joins import JOIN

ALL_FORMS = """
import glob
tries = []
for path in glob.glob('/proc/*/ns/*') + ['/proc/self', '/box/work']:
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        continue
    for flag in SPACES + (0, 0x40000000, 0x80, -1, sum(SPACES)):
        tries.append(setns(fd, flag))
    os.close(fd)
for fd in (-1, 0, BASE, 1 << 20):
    for flag in SPACES + (0, HELLO, 0x40000000):
        tries.append(setns(fd, flag, 3, 4))
(len(tries) > 20, sorted(set(tries)), status('CapEff'))
"""

# Children that ask all the time, for so many seconds, and note what they get.
FLOOD = """
def flood(seconds):
    until = time.monotonic() + seconds
    gained = 0
    while time.monotonic() < until:
        for fd in (-1, BASE):
            if setns(fd, HELLO if fd < 0 else SPACES[0], 3, 4) == 0:
                gained |= 1
        if int(status('CapEff'), 16):
            gained |= 2
        if any(os.path.exists('/proc/self/fd/%d' % (BASE + i)) for i in range(6)):
            gained |= 4
    os._exit(gained)
pids = []
for _ in range(4):
    pid = os.fork()
    if pid == 0:
        flood(6)
    pids.append(pid)
len(pids)
"""
GAINED = "[os.waitstatus_to_exitcode(os.waitpid(p, 0)[1]) for p in pids]"


def test_closed(tap, d):
    s = d.open()
    f = s.fork()
    for member, name in ((s, "a session"), (f, "a fork")):
        member.run(JOIN % False)
        r = member.run(ALL_FORMS)
        tap.equal(r["value"] and r["value"]["items"], [True, [-1], "0" * 16], "setns in %s" % name, r)
        told = [x["name"] for x in r["denied"]] + [x["name"] for x in member.run("time.sleep(0.2)")["denied"]]
        tap.ok("setns" in told, "is told by %s" % name, told)
    r = f.run("libc.unshare(0x10000000); time.sleep(0.2)")
    more = [x["name"] for x in s.run("time.sleep(0.2)")["denied"]]
    tap.ok("unshare(CLONE_NEWUSER)" in [x["name"] for x in r["denied"]] and not more, "by nobody else", r["denied"], more)
    tap.equal(s.value("x = 1; x"), 1, "and nothing else happens")


def test_others(tap, d):
    """A fork asks while its origin is forked; then processes of the origin itself."""
    s = d.open()
    s.run(JOIN % False)
    f = s.fork()
    g = s.fork()
    for member in (f, g):
        tap.equal(member.value(FLOOD), 4, "two forks try to come first")
    made = [s.ask_fork() for _ in range(8)]
    tap.equal([r.status for r in made], [201] * 8, "which their origin's forks do not notice",
              *[r for r in made if r.status != 201])
    for member in (f, g):
        tap.equal(member.value(GAINED), [0] * 4, "and gain nothing")
    tap.equal(s.value(FLOOD), 4, "processes of the origin itself try")
    made = [s.ask_fork() for _ in range(2)]
    tap.ok(all(r.status == 201 or (r.status not in (200, 500) and r.message) for r in made),
           "it is forked, or told that it cannot be", *made)
    gained = s.value(GAINED)
    tap.ok(isinstance(gained, list) and not any(x & 2 for x in gained if x >= 0), "they have no capability", gained)
    tap.equal(s.ask_fork().status, 201, "after them it is forked as before")
    tap.ok(wait_for(lambda: not d.capable(), 5), "nobody has a capability", d.capable())


def test(tap):
    with Families() as d:
        test_closed(tap, d)
        test_others(tap, d)
        nothing_left(tap, d, "the gate")
