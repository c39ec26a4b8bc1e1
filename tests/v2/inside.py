# SPDX-License-Identifier: Apache-2.0
"""What the virtual machine runs: glovebox on cgroup v2 as root, as a user who was given nothing, and as a
user who was given a group of his own.

Nothing here is exact about time: the machine is emulated and ten to thirty times slower than a real one.
"""
import importlib
import os
import random
import re
import subprocess
import sys
import threading
import time
import traceback

sys.dont_write_bytecode = True
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(TESTS, "limits"), os.path.join(TESTS, "python")]

import harness  # noqa: E402
import memory  # noqa: E402
import pids  # noqa: E402
from harness import Events, Sandbox, Tap, Tree, User  # noqa: E402

GROUPS = "/sys/fs/cgroup"
DELEGATED = GROUPS + "/deleg"
LAYERS = {"userns", "pidns", "mountns", "netns", "ipcns", "utsns", "cgroupns", "root", "proc", "capabilities",
          "no_new_privs", "seccomp", "landlock", "rlimits"}
HELD = {"memory", "pids", "cpu"}
LONG = 120

# Starts a program as a user in a group: argv is the group, the user, the program and its arguments.
ENTER = """
import os, sys
with open(sys.argv[1] + '/cgroup.procs', 'w') as f: f.write('0')
os.setgroups([]); os.setgid(int(sys.argv[2])); os.setuid(int(sys.argv[2]))
os.execv(sys.argv[3], sys.argv[3:])
"""


class SlowUser(User):
    """One who waits longer, and whose runs may start in a group that only root can put them in."""

    def __init__(self, sandbox, name, group=None):
        launcher = ["as-root", sys.executable, "-ISc", ENTER, group, str(harness.USER_ID)] if group else ()
        super().__init__(sandbox, name, launcher)

    def run(self, code, *args, lang="python", timeout=LONG, **options):
        slow = () if "--timeout" in args else ("--timeout", f"{timeout}s")
        return super().run(code, *slow, *args, lang=lang, timeout=2 * timeout, **options)


def write(path, text):
    with open(path, "w") as f:
        f.write(text)


def read(path):
    try:
        with open(path) as f:
            return f.read().strip()
    except OSError:
        return ""


def delegate(path, uid):
    """Hands a group to a user, as cgroups(7), "Cgroups delegation", says."""
    os.mkdir(path)
    for name in ("", "cgroup.procs", "cgroup.subtree_control", "cgroup.threads"):
        os.chown(os.path.join(path, name), uid, uid)


def own_groups():
    """The groups of runs, finished or not."""
    return [os.path.join(top, name) for top, names, _ in os.walk(GROUPS) for name in names
            if re.match(r"glovebox-\d+-", name)]


def inside_groups():
    """The processes in them."""
    return [pid for group in own_groups() for pid in read(group + "/cgroup.procs").split()]


def wait_until(condition, seconds=20):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def test_machine(tap):
    tap.note(" ".join(os.uname()[2:4]))
    mounts = [line.split()[2] for line in read("/proc/mounts").splitlines()]
    tap.ok("cgroup2" in mounts and "cgroup" not in mounts, "the machine has cgroup v2 and nothing else", mounts)


def test_runs(tap, user, held):
    for lang, code in [("python", "print(6 * 7)"), ("sh", "echo $((6 * 7))"), ("bash", "echo $((6 * 7))")]:
        r = user.run(code, lang=lang)
        tap.ok(r.success and r.stdout == "42\n" and r.status == 0, f"{user.name}: {lang} runs", r)
        tap.equal(set(r.isolation or ()), LAYERS | held, f"{user.name}: {lang} has these layers", r)
    r = user.run("print(1)", "--require", "memory,pids,cpu")
    if held:
        tap.ok(r.success and r.stdout == "1\n", f"{user.name}: requiring all three is no failure", r)
    else:
        tap.ok(r.status == 125 and not r.stdout, f"{user.name}: requiring all three refuses", r)


def test_doctor(tap, user, held, home):
    r = user.command("doctor", "--json", timeout=LONG)
    layers = {layer["name"]: layer for layer in r.json.get("layers", ())}
    whole = held and layers.get("landlock", {}).get("state") == "present"  # partial before Linux 6.7
    tap.ok(r.status == (0 if whole else 1) and r.json.get("holds") is True,
           f"{user.name}: doctor: the default policy holds, and every layer where a group is", r.out, r.err)
    tap.equal(r.json.get("limits"), {"memory": "group", "pids": "group", "cpu": "group"} if held else
              {"memory": "watched", "pids": "rlimit", "cpu": "none"}, f"{user.name}: doctor: what holds each limit")
    for name in sorted(HELD):
        detail = layers.get(name, {}).get("detail", "")
        if name in held:
            tap.equal((layers.get(name, {}).get("state"), detail), ("present", f"cgroup v2, in {home}"),
                      f"{user.name}: doctor: {name} is held by v2")
        else:
            tap.ok(layers.get(name, {}).get("state") != "present" and detail,
                   f"{user.name}: doctor: {name} is missing, and why", layers.get(name))
            tap.note(detail)


def test_memory(tap, user, held):
    for name, code, watched in memory.CASES:
        if not held and not watched:
            continue
        r = user.run(code, "--memory", "64m", "--disk", "1g", "--open-files", "4096", "--timeout", "90s")
        tap.ok(memory.out_of_memory(r), f"{user.name}: memory: {name}: oom_killed, exit_code 137", r)
    memory.test_text(tap, user)
    r = user.run("x = b'x' * (80 << 20); print(len(x))", "--memory", "128m")
    tap.ok(r.success and 80 <= (r.max_memory_mb or 0) <= 128, f"{user.name}: memory: what fits is left alone", r)
    memory.test_report(tap, user)
    if held:
        memory.test_tiny(tap, user)
        memory.test_no_swap(tap, user)


def test_pids(tap, user, held):
    r = user.run(pids.FORK, "--pids", "16", "--timeout", "90s")
    tap.ok(r.stdout == "16\n" and "pids" in (r.limits or ()), f"{user.name}: 16 processes, no more", r)
    most, done = [0], threading.Event()

    def watch():
        while not done.is_set():
            for group in own_groups():
                most.append(int(read(group + "/pids.current") or 0))
            time.sleep(0.02)

    watcher = threading.Thread(target=watch)
    watcher.start()
    r = user.run(pids.BOMB.replace("1.5", "4"), "--pids", "40", "--timeout", "60s")
    done.set()
    watcher.join()
    tap.ok(r.json and "pids" in (r.limits or ()), f"{user.name}: a fork bomb ends", r)
    if held:
        tap.ok(20 < max(most) <= 41, f"{user.name}: of at most 40 processes, and init", max(most), r)


def test_cpu(tap, user, held):
    if held:
        r = user.run("import time\nend = time.monotonic() + 4\nwhile time.monotonic() < end: pass", "--cpus", "0.5",
                     "--timeout", "90s")
        used = (r.cpu_ms or 0) / (r.duration_ms or 1)
        tap.ok(r.success and 0.3 <= used <= 0.7, f"{user.name}: half a processor is about that", used, r)
        tap.note(f"{used:.2f}")
    r = user.run("while True: pass", "--cpu-time", "1s", "--timeout", "90s")
    tap.ok(r.timed_out and r.exit_code == 124 and "cpu_time" in (r.limits or ()) and (r.cpu_ms or 0) >= 950,
           f"{user.name}: processor time is limited", r)


def test_others(tap, user):
    r = user.run("import time\nwhile True: time.sleep(1)", "--timeout", "3s")
    tap.ok(r.timed_out and r.exit_code == 124 and r.status == 124 and "timeout" in (r.limits or ()) and r.seconds < 60,
           f"{user.name}: wall clock is limited", r)
    r = user.run("f = open('f', 'wb', buffering=0)\ntry:\n    while True: f.write(b'x' * 65536)\n"
                 "except OSError as e: print(e.strerror)", "--disk", "8m", "--timeout", "90s")
    tap.ok(r.stdout == "No space left on device\n" and "disk" in (r.limits or ()), f"{user.name}: disk is limited", r)


def test_killed(tap, user):
    """kill -9 of glovebox: nothing lives on, and the next run removes the group."""
    process = user.start("run", "--events", "--timeout", "90s", "-c", """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True: time.sleep(0.01)
    os._exit(0)
print('here', flush=True)
while True: time.sleep(1)
""")
    events, tree = Events(process), Tree(process.pid)
    here = events.wait("stdout", LONG)
    for _ in range(5):
        time.sleep(0.1)
        tree.look()
    process.kill()
    died = tree.wait(20)
    process.wait()
    tap.ok(here and len(tree.fds) >= 3 and died, f"{user.name}: kill -9 of glovebox ends the whole tree",
           len(tree.fds), tree.alive())
    user.run("", lang="sh")
    tap.equal(own_groups(), [], f"{user.name}: and the next run removes its group")


def test_random_kills(tap, user, rounds):
    """Killed at any moment of its life: while it sets up, runs or cleans."""
    dice, killed = random.Random(7), 0
    for _ in range(rounds):
        process = user.start("run", "--lang", "sh", "-c", "sleep 100 & (sleep 0.3)", start_new_session=True)
        try:
            process.communicate(timeout=dice.uniform(0.02, 1.2))
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            killed += 1
    tap.ok(killed > rounds // 4, f"{user.name}: {rounds} runs, many of them killed", killed)
    tap.note(f"{killed} of {rounds} killed")
    tap.ok(wait_until(lambda: not inside_groups()), f"{user.name}: no process is left", inside_groups())
    r = user.run("echo fine", lang="sh")
    tap.ok(r.success and r.stdout == "fine\n", f"{user.name}: the next run is fine", r)
    tap.equal(own_groups(), [], f"{user.name}: and leaves no group of theirs")
    tap.ok(wait_until(lambda: not stray()), f"{user.name}: and no process anywhere", stray())
    tap.equal(harness.leftovers(user), [], f"{user.name}: and no file")


def stray():
    """Programs of runs, or glovebox itself, wherever they are."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        words = read(f"/proc/{pid}/cmdline").split("\0")
        if "glovebox" in words[0] or words[:2] == ["sleep", "100"]:
            found.append((pid, words))
    return found


def test_unit(tap, name):
    program = os.path.join(harness.ROOT, "build", "tests", name)
    done = subprocess.run([program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, cwd="/tmp")
    text = done.stdout.decode("utf-8", "replace")
    lines = text.splitlines()
    passed = sum(line.startswith("ok ") for line in lines)
    skipped = [line for line in lines if line.startswith("ok ") and "# SKIP" in line]
    tap.ok(done.returncode == 0 and f"1..{passed}" in lines and passed, f"{name}: all {passed} pass", done.returncode,
           "\n".join(line for line in lines if not line.startswith("ok ")))
    tap.equal(skipped, [], f"{name}: none was skipped")


def test_identity(tap, user, held, home):
    test_runs(tap, user, held)
    test_doctor(tap, user, held, home)
    test_memory(tap, user, held)
    test_pids(tap, user, held)
    test_cpu(tap, user, held)
    test_others(tap, user)
    test_killed(tap, user)


def test_alone(tap, sandbox):
    """The only process of a group that is its own: glovebox steps down and makes it the home. Who starts
    where it stepped down to finds the home above."""
    group = GROUPS + "/alone"
    delegate(group, harness.USER_ID)
    for name, start in [("alone in his group", group), ("beside glovebox", group + "/glovebox-supervisor")]:
        user = SlowUser(sandbox, name, start)
        r = user.run("x = b'x' * (1 << 30)", "--memory", "64m", "--require", "memory,pids,cpu")
        tap.ok(memory.out_of_memory(r) and HELD <= set(r.isolation or ()), f"{name}: v2 holds all three", r)
        tap.equal(own_groups(), [], f"{name}: no group of a run is left")


def test_delegated(tap, sandbox):
    """As systemd does it: the group is the user's, his shell is in one below."""
    delegate(DELEGATED, harness.USER_ID)
    delegate(DELEGATED + "/shell", harness.USER_ID)
    write(DELEGATED + "/cgroup.subtree_control", "+memory +pids +cpu")
    user = SlowUser(sandbox, "delegated", DELEGATED + "/shell")
    shell = subprocess.Popen([*user.launcher[1:], "/usr/bin/sleep", "1000000"])
    try:
        wait_until(lambda: read(DELEGATED + "/shell/cgroup.procs"))
        test_identity(tap, user, HELD, DELEGATED + "/glovebox")
        test_random_kills(tap, user, 50)
    finally:
        shell.kill()
        shell.wait()


def test_units(tap, sandbox):
    for name in ("test_cgroup", "test_cgroup_all", "test_cgroup_sweep", "test_filter_live"):
        test_unit(tap, name)


def test_root(tap, sandbox):
    root = SlowUser(sandbox, "root")
    test_identity(tap, root, HELD, GROUPS + "/glovebox")
    test_random_kills(tap, root, 50)


def test_user(tap, sandbox):
    test_identity(tap, SlowUser(sandbox, "user"), set(), None)


def limits(name):
    """The rows of docs/limits.md that tests/limits/NAME.py holds, as root on v2 and without groups."""
    def test(tap, sandbox):
        module = importlib.import_module(name)
        for who in ("root", "user"):
            module.test(tap, SlowUser(sandbox, who))
    return test


# What a row of docs/limits.md names as its test is here by the same name. Left out are wall, idle, ends and cpu, which
# measure time; pids, whose bombs and samples need a fast machine (test_pids above is in its place); and hosts.
PARTS = {"units": test_units, "root": test_root, "delegated": test_delegated, "alone": test_alone, "user": test_user,
         **{name: limits(name) for name in ("together", "kernel", "counted", "files", "hidden", "disk", "output", "share",
                                            "memory")}}


def wanted():
    for word in read("/proc/cmdline").split():
        name, _, value = word.partition("=")
        if name == "parts" and value:
            return value.split(",")
    return PARTS


def test_all(tap, sandbox):
    test_machine(tap)
    for name in wanted():
        tap.note(f"begins {name}")
        begin = time.monotonic()
        try:
            PARTS[name](tap, sandbox)
        except Exception as e:
            tap.ok(False, f"{name} goes to its end", traceback.format_exc(), e)
        tap.note(f"ends {name} after {time.monotonic() - begin:.0f} s")


def main():
    harness.USER_ID, harness.PATIENCE = 1000, 900
    tap, sandbox = Tap(), Sandbox()
    try:
        test_all(tap, sandbox)
    finally:
        sandbox.close()
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
