# SPDX-License-Identifier: Apache-2.0
"""The daemon's end is that of all forks."""

import subprocess

from daemon import GLOVEBOX, PATIENCE
from family import Families
from procs import groups, mounts, still_there, wait_for


def grow(d):
    s = d.open()
    s.run("open('f', 'w').write('x' * 100000)")
    forks = [s.fork() for _ in range(12)]
    forks += [f.fork() for f in forks[:4]]
    forks += [f.fork() for f in forks[-4:]]
    for f in forks[:6]:
        f.run("if os.fork() == 0:\n    time.sleep(100)\n    os._exit(0)")
    forks[0].close()
    s.close()
    return forks


def test_killed(tap):
    before = mounts()
    with Families() as d:
        grow(d)
        all_of_them = d.children()
        d.process.kill()
        d.process.wait()
        tap.ok(len(all_of_them) > 40 and wait_for(lambda: not still_there(all_of_them)),
               "after SIGKILL nobody lives", len(all_of_them), still_there(all_of_them))
        subprocess.run([GLOVEBOX, "run", "--no-daemon", "--log", "off", "-c", "print(1)"], env=d.env, timeout=PATIENCE,
                       stdout=subprocess.DEVNULL)
        tap.equal(groups(d.pid), [], "the next run sweeps its control groups away")
        tap.equal(mounts(), before, "and there is no mount")


def test_told(tap):
    before = mounts()
    with Families() as d:
        grow(d)
        all_of_them = d.children()
        d.process.terminate()
        d.process.terminate()
        tap.equal(d.ended(), 0, "a daemon that is told to end does")
        tap.equal((still_there(all_of_them), groups(d.pid)), ([], []), "with all of its forks")
        tap.equal(mounts(), before, "and no mount is left")


def test(tap):
    test_killed(tap)
    test_told(tap)
