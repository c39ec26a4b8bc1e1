# SPDX-License-Identifier: Apache-2.0
"""What runs may leave on a host: mounts, control groups, files, System V objects."""

import os
import re
import tempfile
import time

from procs import PATIENCE, mounts


def is_dead(name):
    """Whether the owner in glovebox-PID-START-... is; somebody else's live run is not our concern."""
    try:
        _, pid, start, _ = name.split("-", 3)
        with open(f"/proc/{int(pid)}/stat") as f:
            return f.read().rpartition(")")[2].split()[19] != start
    except OSError:
        return True
    except ValueError: # not a run's
        return False


def cgroups():
    found = set()
    for top, folders, _ in os.walk("/sys/fs/cgroup"):
        found |= {os.path.join(top, f) for f in folders if f.startswith("glovebox-") and is_dead(f)}
    return found


def temporary():
    """Boxes on the host's disk and the like; other tests have folders with longer names."""
    places = {"/tmp", tempfile.gettempdir(), "/dev/shm"}
    box = re.compile(r"glovebox-\d+-[0-9a-f]{16}$")
    return {os.path.join(p, n) for p in places for n in os.listdir(p) if box.match(n)}


def ipc():
    found = []
    for kind in ("shm", "msg", "sem"):
        try:
            with open(f"/proc/sysvipc/{kind}") as f:
                found += f.readlines()
        except OSError:
            pass
    return found


def state():
    return {"mounts": mounts(), "cgroups": cgroups(), "temporary files": temporary(),
            "System V objects": ipc()}


def left_over(before):
    """What is there and was not; other tests may be at work, whose things come and go."""
    for _ in range(2 * PATIENCE):
        after = state()
        new = {what: [x for x in after[what] if x not in before[what]] for what in before}
        if not any(new.values()):
            break
        time.sleep(0.5)
    return new
