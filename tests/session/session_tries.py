# SPDX-License-Identifier: Apache-2.0
"""Cells that are tried: kept, or undone."""

import os
import re
import signal
import time
from concurrent.futures import ThreadPoolExecutor

from feed import Session, ended, events
from session_ends import STUBBORN
from session_forks import Fork, must, where_forks_are


SIDE_BY_SIDE = 4  # sessions


def fate(result):
    return result["cell"]["attempt"]


def test_kept(t, feed):
    with Session(feed, forks=9) as s:
        s.run("x = 1; import os; here = os.getpid()")
        r = s.run("x = 2; open('f', 'w').write('f'); print('out'); x", attempt="done")
        t.equal((fate(r), ended(r), r["value"], r["stdout"]), ("kept", "done", 2, "out\n"), "a cell that succeeds", r)
        t.equal([f["path"] for f in r["files"]], ["f"], "its files are told")
        t.equal((s.run("x")["value"], s.run("open('f').read()")["value"]), (2, "f"), "what it did is kept")
        t.equal(fate(s.run("x")), None, "of other cells nothing is said")
        for i in range(40):
            r = s.run("x += 1", attempt="done")
            if fate(r) != "kept":
                break
        t.equal((i, s.run("(x, here == os.getpid())")["value"]["items"]), (39, [42, True]), "again and again", r)
        t.equal(s.ask("info")["id"], r["cell"]["session"], "in the same session")


def test_undone(t, feed):
    with Session(feed, forks=9) as s:
        s.run("import os, sys\nx = [1]; os.mkdir('d'); w = open('d/log', 'w'); w.write('a'); w.flush()")
        name = s.ask("info")["id"]
        r = s.run("x.append(2); y = 3; w.write('b'); w.flush(); os.chdir('d'); open('new', 'w').write('n')\n"
                  "print('said')\n1 / 0", attempt="done")
        t.equal((fate(r), ended(r), r["exception"]["type"], r["stdout"]), ("dropped", "failed", "ZeroDivisionError", "said\n"),
                "a cell that fails", r)
        t.equal(r["files"], [], "left no files")
        t.ok(r["feedback"][0].startswith("The cell failed. Nothing of it is kept"), "which is told", r["feedback"])
        r = s.run("(x, 'y' in globals(), os.path.exists('d/log'), os.listdir('d'), open('d/log').read())")
        t.equal(r["value"]["items"], [[1], False, True, ["log"], "a"], "all is as it was", r)
        s.run("w.write('c'); w.flush()")
        t.equal(s.run("open('d/log').read()")["value"], "ac", "open files too")
        t.equal(s.run("1")["cell"]["number"], 6, "cells are counted all the same")
        t.equal(s.ask("info")["id"], name, "it is the same session")
        r = s.run("import os as hidden\nhidden.nothing", attempt="done")
        t.equal((fate(r), ended(r)), ("dropped", "failed"), "a name that is undone")
        r = s.run("exit(3)", attempt="done")
        t.equal((fate(r), r["exit_code"]), ("dropped", 3), "an exit with a status", r)
        r = s.run("x = = 2", attempt="done")
        t.equal((fate(r), ended(r)), (None, "refused"), "what is refused is not tried", r)
        r = s.run("open('d/log', 'a').write('z')")
        t.equal([(f["path"], f["change"]) for f in r["files"]], [("d/log", "modified")], "later changes are told", r)


def test_ends(t, feed):
    with Session(feed, forks=9, grace_ms=3000, memory=96 << 20) as s:
        s.run("x = 1; open('kept', 'w').write('k')")
        r = s.run("x = 2\nwhile True: pass", wall_ms=700, attempt="done")
        t.equal((fate(r), ended(r), r["timed_out"], r["exit_status"]), ("dropped", "interrupted", True, 124), "too long", r)
        t.ok("interrupted after 700ms. Nothing of it is kept" in r["feedback"][0], "which is told", r["feedback"])
        t.equal(s.run("x")["value"], 1, "and undone")
        r = s.run("x = 3\n" + STUBBORN, wall_ms=1500, attempt="done", no_check=True)
        t.equal((fate(r), ended(r), r["exit_code"]), ("dropped", "killed", 124), "killed", r)
        t.ok("was killed. Nothing of it is kept" in r["feedback"][0], "which is told", r["feedback"])
        t.equal((s.run("x")["value"], s.ask("info")["state"], s.ask("info")["why"]), (1, 0, ""), "and costs no session")
        r = s.run("x = 4; open('kept', 'w').write('no')\nb = bytearray(400 << 20)\nfor i in range(0, len(b), 4096): b[i] = 1",
                  attempt="done")
        t.equal((fate(r), ended(r), r["oom_killed"], r["exit_code"]), ("dropped", "died", True, 137), "out of memory", r)
        t.equal((s.run("x")["value"], s.run("open('kept').read()")["value"]), (1, "k"), "nor does that")
        r = s.run("import os; os._exit(7)", attempt="done", no_check=True)
        t.equal((fate(r), ended(r), r["exit_code"]), ("dropped", "died", 7), "the guest ends itself", r)
        t.ok("exited with status 7" in r["feedback"][0], "which is told", r["feedback"])
        r = s.run("x = 5; import time; time.sleep(30)", attempt="done", cancel_after_ms=700)
        t.equal((fate(r), ended(r), r["exit_status"]), ("dropped", "interrupted", 130), "cancelled", r)
        t.equal(s.run("x")["value"], 1, "after all of that")
        t.ok(s.ask("restart").get("ok") and s.run("open('kept').read()")["value"] == "k", "it can be restarted")
        r = s.run("z = 1", attempt="done")
        t.equal((fate(r), s.run("z")["value"]), ("kept", 1), "and tried again", r)


def test_drop(t, feed):
    with Session(feed, forks=9, tools=["add"], grace_ms=3000) as s:
        s.run("x = 1")
        r = s.run("import time\nx = add(x, 1); open('f', 'w').write('f'); print('out'); time.sleep(3); display(7); x", attempt="drop")
        t.equal((fate(r), ended(r), r["value"], r["stdout"], r["success"]), ("dropped", "done", 2, "out\n", True), "a cell to look at", r)
        t.ok(events(r, "progress") and events(r, "display") and r["files"] == [], "with all that happens", r["events"])
        t.equal((s.run("x")["value"], s.ask("files")["files"]), (1, []), "of which nothing stays")
        for i in range(40):
            r = s.run("x += 1; x", attempt="drop")
            if r["value"] != 2:
                break
        t.equal(i, 39, "again and again", r)
        r = s.run("import os; os._exit(1)", attempt="drop", no_check=True)
        t.equal((fate(r), ended(r), s.run("x")["value"]), ("dropped", "died", 1), "also when it dies", r)
        for _ in range(20):  # one that comes while the fork is made ends that
            tag = s.start("exec", code="import time; time.sleep(60)", attempt="drop")
            s.busy()
            time.sleep(0.1)
            while not s.ask("interrupt")["ok"]:
                time.sleep(0.01)
            r = feed.wait(tag)
            if ended(r) != "refused":
                break
        t.equal((fate(r), ended(r)), ("dropped", "interrupted"), "an interrupt reaches it", r)
        t.equal(s.run("x")["value"], 1, "and all is as it was")


def test_alive(t, feed):
    with Session(feed, forks=9, grace_ms=3000) as s:
        s.run("x = 1")
        r = s.run("x = 2\n1 / 0", attempt="alive")
        t.equal((fate(r), s.run("x")["value"]), ("kept", 2), "a failure is kept", r)
        r = s.run("x = 3; import os; os._exit(1)", attempt="alive", no_check=True)
        t.equal((fate(r), ended(r), s.run("x")["value"]), ("dropped", "died", 2), "an end is not", r)


def test_many_undone(t, feed):
    """Each deepens the session, until it says so."""
    with Session(feed, forks=9) as s:
        s.run("x = 1")
        for count in range(60):
            r = s.run("x = 2; raise ValueError", attempt="done")
            if fate(r) != "dropped":
                break
        t.ok(count >= 10, "%d cells are undone" % count, r)
        t.ok(count == 59 or r["error"]["kind"] == "limit" and ended(r) == "refused", "then that is told", r["error"])
        t.equal(s.run("x")["value"], 1, "and the session goes on")


# The copy that waits, as the cell sees it: processes of namespaces below its own.
COPIES = """
import ctypes, mmap, os, resource, signal, threading, time
libc = ctypes.CDLL(None, use_errno=True)
def below():
    found = {}
    for p in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open('/proc/%s/status' % p) as f:
                line = next(l for l in f if l.startswith('NSpid:')).split()[1:]
        except (OSError, StopIteration):
            continue
        if len(line) > 1:
            found[int(p)] = int(line[-1])
    return found
copies = below()
init = [p for p, n in copies.items() if n == 1]
copy = [p for p, n in copies.items() if n != 1]
def each(do, *which):
    for p in which or copy:
        try:
            do(p)
        except OSError:
            pass
def files(do):
    for p in copies:
        for top in ('/proc/%d/cwd' % p, '/proc/%d/root/box/work' % p, '/proc/%d/root/tmp' % p):
            try:
                do(top)
            except OSError:
                pass
def mapped(top):
    fd = os.open(top + '/f', os.O_RDWR)
    mmap.mmap(fd, 7)[:7] = b'PLANTED'
def given(p):
    for n in range(40):
        try:
            os.write(os.open('/proc/%d/fd/%d' % (p, n), os.O_WRONLY | os.O_NONBLOCK), b'exec 77 5\\nx = 9')
        except OSError:
            pass
def by_descriptor(p):
    signal.pidfd_send_signal(os.open('/proc/%d' % p, os.O_RDONLY), signal.SIGKILL)
def queued(p):
    libc.syscall(ctypes.c_long({'x86_64': 129, 'aarch64': 138}[os.uname().machine]), p, 9, ctypes.byref(ctypes.create_string_buffer(128)))
"""

ATTACKS = {
    "writes": "files(lambda top: open(top + '/f', 'w').write('PLANTED'))",
    "writes by a map": "files(mapped)",
    "adds a file": "files(lambda top: open(top + '/planted', 'w').close())",
    "removes one": "files(lambda top: os.remove(top + '/f'))",
    "changes a mode": "files(lambda top: os.chmod(top + '/f', 0))",
    "kills it": "each(lambda p: os.kill(p, 9))",
    "kills its init": "each(lambda p: os.kill(p, 9), *init)",
    "kills all": "os.kill(-1, 9)",
    "kills its group": "each(lambda p: os.kill(-p, 9))",
    "kills its thread": "each(lambda p: libc.syscall(ctypes.c_long({'x86_64': 234, 'aarch64': 131}[os.uname().machine]), p, p, 9))",
    "queues a signal": "each(queued)",
    "kills it by a descriptor": "each(lambda p: signal.pidfd_send_signal(os.pidfd_open(p), 9))",
    "kills it by its folder": "each(by_descriptor)",
    "stops it": "each(lambda p: os.kill(p, signal.SIGSTOP))",
    "stops its init": "each(lambda p: os.kill(p, signal.SIGSTOP), *init)",
    "stops it for a moment": "each(lambda p: (os.kill(p, signal.SIGSTOP), os.kill(p, signal.SIGCONT)))",
    "interrupts it": "each(lambda p: os.kill(p, signal.SIGINT))",
    "signals all": "signal.signal(signal.SIGUSR1, lambda *_: None); os.kill(-1, signal.SIGUSR1)",
    "lowers its priority": "each(lambda p: os.setpriority(os.PRIO_PROCESS, p, 19)); each(lambda p: os.setpriority(os.PRIO_PGRP, p, 19))",
    "takes its processors": "each(lambda p: os.sched_setaffinity(p, {min(os.sched_getaffinity(0))}))",
    "makes it idle": "each(lambda p: os.sched_setscheduler(p, os.SCHED_IDLE, os.sched_param(0)))",
    "lowers a limit": "each(lambda p: resource.prlimit(p, resource.RLIMIT_NOFILE, (3, 3))); each(lambda p: resource.prlimit(p, resource.RLIMIT_CPU, (1, 1)))",
    "writes to its descriptors": "each(given, *copies)",
    "traces it": "each(lambda p: libc.ptrace(16, p, 0, 0))",
    "owns it by a socket": "import fcntl, socket; a, b = socket.socketpair(); each(lambda p: fcntl.fcntl(a, fcntl.F_SETOWN, p))\n"
                           "fcntl.fcntl(a, 10, 9); fcntl.fcntl(a, fcntl.F_SETFL, os.O_ASYNC); b.send(b'x'); time.sleep(0.1)",
    "owns its group": "import array, fcntl, socket; a, b = socket.socketpair()\n"
                      "each(lambda p: fcntl.ioctl(a, 0x8901, array.array('i', [-p])))\n"
                      "fcntl.fcntl(a, 10, 9); fcntl.fcntl(a, fcntl.F_SETFL, os.O_ASYNC); b.send(b'x'); time.sleep(0.1)",
    "fills its memory": "b = bytearray(400 << 20)",
}


def is_as_before(s):
    r = s.run("(x, sorted(os.listdir()), open('f').read(), os.getpriority(0, 0), os.sched_getscheduler(0),\n"
              " resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 3, os.sched_getaffinity(0) == processors)", wall_ms=5000)
    return r["value"] and r["value"]["items"] == [1, ["f"], "before\n", 0, 0, True, True], r


def attacked(feed, attack):
    with Session(feed, forks=9, memory=96 << 20) as s:
        s.run("import os, resource; x = 1; processors = os.sched_getaffinity(0); open('f', 'w').write('before\\n')")
        r = s.run(COPIES + attack + "\n1 / 0", attempt="done", no_check=True, wall_ms=20000)
        same, after = is_as_before(s) if fate(r) == "dropped" else (False, None)
        return same, (fate(r), r, after)


def test_hostile(t, feed):
    """A cell does nothing to the copy from before it."""
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        for name, (same, found) in zip(ATTACKS, pool.map(lambda attack: attacked(feed, attack), ATTACKS.values())):
            t.ok(same, "a cell that %s: nothing comes of it" % name, *found)


def test_hostile_before(t, feed):
    """A process that an earlier cell left."""
    with Session(feed, forks=9) as s:
        s.run("import os, resource; x = 1; processors = os.sched_getaffinity(0); open('f', 'w').write('before\\n')")
        s.run(COPIES + """
def plant(p):
    for top in ('/proc/%d/cwd' % p, '/proc/%d/root/box/work' % p):
        try:
            held.append(os.open(top + '/f', os.O_RDWR))
        except OSError:
            pass
if os.fork() == 0:
    held, until = [], time.monotonic() + 20
    os.setsid()
    while time.monotonic() < until:
        each(plant, *below())
        if held and os.path.exists('/box/work/now'):
            mmap.mmap(held[0], 7)[:7] = b'PLANTED'
            os._exit(0)
    os._exit(0)
""", no_check=True)
        s.run("0")
        r = s.run("open('now', 'w').close(); import time; time.sleep(1); 1 / 0", attempt="done", no_check=True)
        same = fate(r) == "dropped" and is_as_before(s)
        t.ok(fate(r) == "lost" or same and same[0], "a process that held a file of the copy, and wrote by a map (%s)" % fate(r), r, same)
        if fate(r) == "lost":
            check_lost(t, s, r)


def check_lost(t, s, r):
    after, info = s.run("x"), s.ask("info")
    t.ok(not r["success"] and ended(r) == "died" and after["error"] and "cannot be undone" in info["why"],
         "the copy is lost, and that is told", r, after, info)
    t.ok("cannot be undone" in r["feedback"][0] and "Restart the session" in r["feedback"][0], "with advice", r["feedback"])
    t.ok(s.ask("restart").get("ok") and s.run("1")["value"] == 1, "and the session can be restarted")


def test_killed_from_outside(t, feed):
    """As the kernel may, when memory is out for all guests together."""
    for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGUSR1):
        with Session(feed, forks=9) as s:
            s.run("x = 1")
            tag = s.start("exec", code="import subprocess; subprocess.run(['/bin/sleep', '60']); 1 / 0", attempt="done")
            sleeper = await_process(feed, lambda pid: read_proc(pid, "comm") == "sleep\n")
            copy = await_process(feed, lambda pid: is_copy(pid, sleeper))
            os.kill(copy, number)
            os.kill(sleeper, signal.SIGKILL)
            r = feed.wait(tag)
            t.equal(fate(r), "lost", "a copy that got signal %d from outside" % number, r)
            if fate(r) == "lost":
                check_lost(t, s, r)


def read_proc(pid, name):
    try:
        with open("/proc/%d/%s" % (pid, name)) as f:
            return f.read()
    except OSError:
        return ""


def numbers(pid):
    """Of a process, from our namespace down to its own."""
    return re.findall(r"\d+", "".join(re.findall("^NSpid:.*", read_proc(pid, "status"), re.M)))


def is_copy(pid, of):
    """In a namespace below its session's, and not the init there, which is the helper's."""
    found = numbers(pid)
    return len(found) == len(numbers(of)) + 1 and found[-1] != "1"


def await_process(feed, wanted):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        for pid in descendants(feed.process.pid):
            if wanted(pid):
                return pid
        time.sleep(0.01)
    raise TimeoutError("no such process")


def descendants(pid):
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        stat = read_proc(int(name), "stat")
        if stat:
            found.append((int(name), int(stat.rpartition(")")[2].split()[1])))
    below, more = {pid}, True
    while more:
        more = {p for p, parent in found if parent in below} - below
        below |= more
    return below - {pid}


SIGNALS = """
import asyncio, ctypes, errno, fcntl, os, resource, signal, subprocess, sys, threading, time
def caught(do):
    got = []
    signal.signal(signal.SIGUSR1, lambda *_: got.append(1))
    do()
    time.sleep(0.01)
    return len(got)
def ends(do, **how):
    p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], **how)
    do(p)
    return p.wait(10)
def fails(do):
    try:
        do()
    except OSError as e:
        return e.errno == errno.ESRCH
def in_thread(do):
    end = threading.Event()
    other = threading.Thread(target=end.wait)
    other.start()
    try:
        return do(other.native_id) or 0
    finally:
        end.set()
        other.join()
def in_childs_thread(do):
    p = subprocess.Popen([sys.executable, '-c', 'import threading, time; t = threading.Thread(target=time.sleep, args=(60,))\\n'
                          't.start(); print(t.native_id, flush=True)'], stdout=subprocess.PIPE)
    do(int(p.stdout.readline()))
    p.kill()
    return p.wait()
tkill = ctypes.c_long({'x86_64': 200, 'aarch64': 130}[os.uname().machine])
sleeper = lambda: subprocess.Popen(['/bin/sleep', '60'])
def ordered(do):
    p = sleeper()
    do(p.pid)
    p.kill()
    return p.wait()
[caught(lambda: os.kill(os.getpid(), signal.SIGUSR1)), caught(lambda: signal.raise_signal(signal.SIGUSR1)),
 caught(lambda: signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)), caught(lambda: os.kill(0, signal.SIGUSR1)),
 caught(lambda: os.killpg(os.getpgrp(), signal.SIGUSR1)), ends(lambda p: p.terminate()), ends(lambda p: os.kill(p.pid, 9)),
 ends(lambda p: os.killpg(p.pid, 9), start_new_session=True), ends(lambda p: signal.pidfd_send_signal(os.pidfd_open(p.pid), 9)),
 ordered(lambda p: os.setpriority(os.PRIO_PROCESS, p, 5)), ordered(lambda p: os.sched_setaffinity(p, os.sched_getaffinity(0))),
 in_thread(lambda t: os.setpriority(os.PRIO_PROCESS, t, 5)), in_thread(lambda t: os.sched_setaffinity(t, os.sched_getaffinity(0))),
 in_thread(lambda t: os.sched_setscheduler(t, os.SCHED_BATCH, os.sched_param(0))),
 in_thread(lambda t: ctypes.CDLL(None).syscall(tkill, t, 0)),
 in_childs_thread(lambda t: os.setpriority(os.PRIO_PROCESS, t, 5)),
 fails(lambda: os.kill(30000, 0)), fails(lambda: os.killpg(30000, 9)), fails(lambda: os.pidfd_open(30000)),
 fcntl.fcntl(0, fcntl.F_GETOWN)]
"""


def test_own_signals(t, feed):
    """What a session may do to its own processes, it may do all the same; and so may its forks, and theirs."""
    with Session(feed, forks=9) as s:
        want = [1, 1, 1, 1, 1, -15, -9, -9, -9, -9, -9, 0, 0, 0, 0, -9, True, True, True, 0]
        f = must(Fork(s))
        g = must(Fork(f))
        for who, name in ((s, "a session"), (f, "its fork"), (g, "the fork's fork")):
            r = who.run(SIGNALS, no_check=True)
            t.equal(r["value"], want, "signals to its own: %s" % name, r)
        r = s.run("import os; os.kill(-1, 0)", no_check=True)
        t.equal((r["exception"] or {}).get("type"), "PermissionError", "but not to all, while it has forks", r)
        r = s.run("x = 1; os.kill(os.getpid(), 9)", attempt="done", no_check=True)
        t.equal((fate(r), ended(r)), ("dropped", "died"), "an end by its own signal is undone", r)
        for x in (g, f):
            x.ask("close")
        r = s.run("open('/proc/self/environ').read() != '' and os.listdir('/proc/self/fd') != []", no_check=True)
        t.equal(r["value"], True, "and a copy that is used again sees itself in /proc", r)


def test(t):
    where_forks_are(t, "tries", globals())
