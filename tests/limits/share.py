# SPDX-License-Identifier: Apache-2.0
"""A share of the processors: over a while, no more than that is used."""

from wall import slowness

BUSY = """
import os, time
end = time.monotonic() + 2
os.fork()
while time.monotonic() < end: pass
if PID != os.getpid(): os._exit(0)
os.wait()
"""


def test(tap, user):
    has_group = "cpu" in (user.run("").isolation or ())
    if not has_group:
        r = user.run("print(1)", "--require", "cpu")
        tap.ok(r.status == 125 and "cpu" in r.err and r.stdout in ("", None),
               f"{user.name}: where no group is to be had, --require cpu refuses", r)
        return
    for share in (0.5, 0.25):
        slow = slowness()
        r = user.run("import os\nPID = os.getpid()" + BUSY, "--cpus", str(share))
        used = (r.cpu_ms or 0) / (r.duration_ms or 1)
        slow = max(slow, slowness())  # others may leave them less
        tap.ok(r.success and 0.75 * share / slow <= used <= 1.25 * share,
               f"{user.name}: two busy processes use {share} of a processor", used, slow, r)
        tap.note(f"{used:.2f}")
