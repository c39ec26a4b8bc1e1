# SPDX-License-Identifier: Apache-2.0
"""What tests and bench see of processes: who lives below one, whether they only wait; and waiting for conditions."""

import ctypes
import glob
import os
import time

import elsewhere

PATIENCE = 90  # seconds, for anything that should take far less


def sanitized(program):
    """Whether a sanitizer was built into it, which keeps what is freed and maps terabytes."""
    return os.path.basename(os.path.dirname(program)) in ("build-asan", "build-tsan")


def wait_for(condition, seconds=PATIENCE):
    """Its first true answer, or the last."""
    until = time.monotonic() + seconds
    while True:
        answer = condition()
        if answer or time.monotonic() > until:
            return answer
        time.sleep(0.02)


def parents():
    """Of each process, its parent and when it started."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % name, errors="replace") as f:  # a guest names itself as it likes
                fields = f.read().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] != "Z":
            found[int(name)] = (int(fields[1]), fields[19])
    return found


def descendants(pid):
    """{(pid, start)} of all below a process; those that are dead already left out."""
    all_of_them = parents()
    found, grew = {pid}, True
    while grew:
        more = {p for p, (parent, _) in all_of_them.items() if parent in found} - found
        found |= more
        grew = bool(more)
    return {(p, all_of_them[p][1]) for p in found - {pid}}


def still_there(processes):
    now = parents()
    return [p for p, start in processes if p in now and now[p][1] == start]


def started_with(tag):
    """The processes whose command line has this in it."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % pid, "rb") as f:
                if tag.encode() in f.read():
                    found.append(int(pid))
        except OSError:
            pass
    return found


def named(pid, name):
    """{(pid, start)} of those below it that bear a name. Guests of a container engine are below that, so then all count."""
    found = set()
    everywhere = {(p, start) for p, (_, start) in parents().items()}
    for p, start in everywhere if elsewhere.variables() else descendants(pid):
        try:
            with open("/proc/%d/comm" % p, errors="replace") as f:
                if f.read().strip() == name:
                    found.add((p, start))
        except OSError:
            pass
    return found


def children(pid):
    """Those that its threads have started, as numbers."""
    found = []
    try:
        for task in os.listdir("/proc/%d/task" % pid):
            with open("/proc/%d/task/%s/children" % (pid, task)) as f:
                found += map(int, f.read().split())
    except (FileNotFoundError, ProcessLookupError):
        pass  # it has just ended
    return found


def tasks(pid):
    """(state, ticks of the processor) of each thread of a process and of those that it started."""
    found = []
    try:
        for task in os.listdir("/proc/%d/task" % pid):
            with open("/proc/%d/task/%s/stat" % (pid, task)) as f:
                words = f.read().rpartition(")")[2].split()
            found.append((words[0], int(words[11]) + int(words[12])))
    except (FileNotFoundError, ProcessLookupError):
        pass
    for child in children(pid):
        found += tasks(child)
    return found


def settle(pid, seconds=PATIENCE, busy_ticks=None):
    """Waits until a process and all that it started only wait, or have been busy for so many ticks. False when that
    does not come to pass."""
    calm, until = 0, time.monotonic() + seconds
    begin = sum(ticks for _, ticks in tasks(pid))
    while calm < 5:
        now = tasks(pid)
        if busy_ticks is not None and sum(ticks for _, ticks in now) >= begin + busy_ticks:
            break
        calm = calm + 1 if all(state in "SZ" for state, _ in now) else 0
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def own_mounts():
    """From now on this process and those that it starts have a mount namespace of their own, in which nobody else
    mounts, shared among them as the host's is, so that a mount which gets out of a jail is seen. Only root may; a
    user's jails cannot mount in the host's."""
    newns, rec, private, shared = 0x20000, 0x4000, 1 << 18, 1 << 20
    c = ctypes.CDLL(None)
    if os.geteuid() == 0 and c.unshare(newns) == 0:
        for kind in (private, shared):
            if c.mount(None, b"/", None, ctypes.c_ulong(rec | kind), None):
                raise OSError("mount / with propagation of our own")


def mounts():
    """Without the numbers, which another process's mounts change. An ordinary user's: of the kinds that jails make."""
    with open("/proc/self/mountinfo") as f:
        lines = [line.split(" ", 4)[4] for line in f]
    if os.geteuid():
        lines = [m for m in lines if m.partition(" - ")[2].split(" ")[0] in ("tmpfs", "proc", "mqueue")]
    return sorted(lines)


def descriptors(pid):
    """How many are open, but for files of control groups and the eventfds that hang on them: how many groups are kept for
    later is never the same twice, and counted by groups()."""
    count = 0
    for number in os.listdir("/proc/%d/fd" % pid):
        try:
            path = os.readlink("/proc/%d/fd/%s" % (pid, number))
        except FileNotFoundError:
            continue
        count += "/sys/fs/cgroup" not in path and path != "anon_inode:[eventfd]"
    return count


def groups(pid):
    """The control groups that a process of ours has made and not removed: they bear its pid."""
    return glob.glob("/sys/fs/cgroup/**/glovebox-%d-*" % pid, recursive=True)
