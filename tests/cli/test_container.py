# SPDX-License-Identifier: Apache-2.0
"""Where a wall can only be had in part: in a chroot, and under a container's system call filter."""

import json
import os
import pty
import re
import select
import subprocess
import tempfile

from box import HERE, PATH, PATIENCE, ROOT, once

FORBID = os.path.join(HERE, "forbid.py")
MAKES_A_JAIL = set("""clone clone3 unshare setns mount umount2 pivot_root open_tree move_mount fsopen
    fsconfig fsmount fspick mount_setattr sethostname setdomainname chroot keyctl seccomp kcmp
    landlock_create_ruleset landlock_add_rule landlock_restrict_self pidfd_open capset""".split())
FOR_NO_CONTAINER = set("""init_module finit_module kexec_load reboot bpf perf_event_open swapon iopl
    clock_settime open_by_handle_at userfaultfd io_uring_setup syslog acct""".split())
LAYOUT = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "etc")


def in_chroot(t, *args, script='run "$@"'):
    """glovebox in a root that is a folder and no mount point, with the host's programs in it."""
    root = t.path("root")
    places = [("/" + name, name) for name in LAYOUT]
    places += [("/dev", "dev"), ("/proc", "proc"), (os.path.dirname(t.glovebox), "gb")]
    lines = ["set -e", "run() { chroot %s /gb/glovebox \"$@\"; }" % root]
    os.makedirs(os.path.join(root, "tmp"), exist_ok=True)
    for source, name in places:
        at = os.path.join(root, name)
        if os.path.islink(source):
            os.path.lexists(at) or os.symlink(os.readlink(source), at)
        elif os.path.isdir(source):
            os.makedirs(at, exist_ok=True)
            lines.append("mount --rbind %s %s" % (source, at))
    env = {"TMPDIR": None, "HOME": "/tmp", "PATH": PATH + ":/usr/sbin:/sbin"}
    return t.command(["unshare", "-m", "sh", "-c", "\n".join([*lines, script]), "sh", *args], env=env)


def forbidding(t, calls, *args, **how):
    return t.command([FORBID, *calls.split(), "--", t.glovebox, *args], **how)


def needs_root(t):
    if t.who == "root" and t.has("mountns", "root"):
        return True
    t.skip("a chroot", "needs root and the layer root")
    return False


@once
def test_chroot(t):
    if not needs_root(t):
        return
    done = in_chroot(t, "run", "--json", "-c", "import os; print(os.path.exists('/gb'), os.listdir('/box'))")
    t.ok(done.code == 0 and done.json["stdout"].startswith("False "), "a private root in it", done)
    if done.code == 0:
        missing = {m["layer"] for m in done.json["missing"]} - {"memory", "pids", "cpu"}
        t.equal(missing, {"userns"}, "with all but userns, where no cgroups are seen")
        t.equal(done.json["attempts"], 1, "at once")
    done = in_chroot(t, "doctor", "--json")
    states = {l["name"]: l["state"] for l in done.json["layers"]}
    t.ok(done.json["holds"] and states["root"] == states["seccomp"] == "present", "doctor", states)


@once
def test_chroot_shared(t):
    """What is mounted for a guest stays in its own namespace, also where mounts are shared."""
    if not needs_root(t):
        return
    count = "wc -l < /proc/self/mountinfo"
    script = "mount --make-rshared /; %s; run \"$@\" | { read up; echo $up; %s; cat; }" % (count, count)
    code = "import time; print('up', flush=True); time.sleep(1)"
    done = in_chroot(t, "run", "-q", "-c", code, script=script)
    words = done.out.split()
    t.ok(len(words) == 3 and words[1] == b"up" and words[0] == words[2], "no mount outside", done)


def test_no_pivot(t):
    if not t.has("mountns", "root"):
        t.skip("a root without pivot_root", "no layer root")
        return
    doc = forbidding(t, "pivot_root", "run", "--json", "-c",
                     "import os; print(os.path.exists(%r), sorted(os.listdir('/'))[:3])" % t.base).json
    t.ok(doc["success"] and doc["stdout"].startswith("False "), "it runs, and sees no host", doc)
    t.ok("root" in doc["isolation"] and "mountns" in doc["isolation"], "in a private root", doc)


def test_no_namespaces(t):
    doc = forbidding(t, "namespaces", "run", "--json", "-c", "print(1)").json
    t.ok(doc["success"] and "landlock" in doc["isolation"] and "root" not in doc["isolation"],
         "Landlock alone", doc)


def test_words(t):
    """In the fall-back the folders have other names, and feedback has to fit."""
    for code, said in (
        ("open('/tmp/glovebox-no-x', 'w')", "Temporary files belong below $TMPDIR"),
        ("import multiprocessing; multiprocessing.Lock()", "Use threads (concurrent.futures."),
        ("open('/etc/shadow')", "Read and write in the working folder and $TMPDIR only."),
    ):
        doc = forbidding(t, "namespaces", "run", "--json", "-c", code).json
        t.ok(not doc["success"] and said in str(doc["feedback"]), code, doc["feedback"])
    code = "import os; open(os.environ['TMPDIR'] + '/x', 'w'); open('y', 'w'); print(1)"
    t.exits(forbidding(t, "namespaces", "run", "-q", "-c", code), 0, "both can be written", b"1\n")


def test_tmpdir(t):
    """The program's files lie below $TMPDIR, if the program's user can reach it."""
    code = "import os; print(os.getcwd())"
    env = {"TMPDIR": tempfile.mkdtemp(prefix="glovebox-cli-", dir="/var/tmp")}
    for mode, found in ((0o1777, True), (0o700, t.who == "user")):
        os.chmod(env["TMPDIR"], mode)
        done = forbidding(t, "namespaces", "run", "-q", "-c", code, env=env)
        t.ok(done.code == 0 and done.out.startswith(env["TMPDIR"].encode()) == found,
             "a folder with mode %o" % mode, done)
    t.equal(os.listdir(env["TMPDIR"]), [], "nothing is left there")
    os.rmdir(env["TMPDIR"])


@once
def test_tmp_read_only(t):
    if not needs_root(t):
        return
    root = t.path("root")
    closed = "for i in %s/tmp %s/dev/shm; do mount -t tmpfs -o ro none $i; done; " % (root, root)
    confined = closed + FORBID + " namespaces -- chroot " + root + " %s /gb/glovebox \"$@\""
    script = "mkdir -m 1777 %s; " % t.path("root/scratch") + confined % "env TMPDIR=/scratch"
    done = in_chroot(t, "run", "-q", "-c", "import os; print(os.getcwd())", script=script)
    t.ok(done.code == 0 and done.out.startswith(b"/scratch/glovebox-"), "TMPDIR is used", done)
    done = in_chroot(t, "run", "-q", "-c", "1", script=confined % "")
    t.ok(done.code == 125 and done.seconds < 1.5 and b"attempts" not in done.err
         and re.search(rb"make /tmp/glovebox-\S+ for the program's files .*TMPDIR.*: Read-only", done.err),
         "without it the folder is named, at once", done)


def test_once(t):
    """A failure that the next attempt would meet again is reported at once."""
    done = forbidding(t, "namespaces landlock_create_ruleset", "run", "--json", "-c", "1")
    t.ok(done.code == 125 and done.json["attempts"] == 1 and done.seconds < 1, "no wall at all", done)
    doc = forbidding(t, "namespaces landlock_create_ruleset", "doctor", "--json").json
    states = {l["name"]: l["state"] for l in doc["layers"]}
    t.equal((doc["runs"], states["seccomp"], states["no_new_privs"]), (False, "untried", "untried"),
            "doctor does not call a layer absent that it did not try")
    out = forbidding(t, "namespaces landlock_create_ruleset", "doctor").out.decode()
    t.match(r"seccomp +not tried", out, "in its text, too")


def test_hint(t):
    """What would bring the layers is said once a day, where a person reads it."""
    said = rb"without userns .*: this is .*To get the whole wall: .*comes once a day\.\n"
    quiet = t.path("elsewhere")
    for how in (("-q",), ("--json",), ("--events",)):
        done = forbidding(t, "namespaces", "run", *how, "-c", "1", env={"XDG_STATE_HOME": quiet})
        t.ok(done.code == 0 and not done.err, "not with %s" % how, done)
    first = forbidding(t, "namespaces", "run", "-c", "1")
    t.ok(first.code == 0 and re.fullmatch(b"glovebox: " + said, first.err), "at first", first)
    t.equal(forbidding(t, "namespaces", "run", "-c", "1").err, b"", "not again")
    note = t.path("home", ".local/state/glovebox/wall_hint")
    os.utime(note, (1, os.stat(note).st_mtime - 86401))
    t.equal(forbidding(t, "namespaces", "run", "-c", "1").err, first.err, "again a day later")
    if t.who == "user" or t.has("root"):
        done = forbidding(t, "fsopen", "run", "-c", "1")
        t.ok(done.err and done.err != first.err, "other layers are other news", done)


@once
def test_hint_without_state(t):
    """Where the hint cannot be remembered it does not repeat."""
    env = {"XDG_STATE_HOME": "/proc/none"}
    t.equal(forbidding(t, "namespaces", "run", "--log", "off", "-c", "1", env=env).err, b"", "no terminal, no hint")

    def said(**how):
        master, slave = pty.openpty()
        p = subprocess.Popen([FORBID, "namespaces", "--", t.glovebox, "run", "--log", "off", "-c", "1"], cwd=t.dir,
                             env=t.env(env), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=slave, **how)
        p.wait(PATIENCE)
        os.close(slave)
        text = b""
        while select.select([master], [], [], 0)[0]:
            try:
                text += os.read(master, 65536)
            except OSError:
                break
        os.close(master)
        return text

    t.match(b"To get the whole wall", said(), "a terminal reads it")
    t.equal(said(), b"", "once in its session")
    t.match(b"To get the whole wall", said(start_new_session=True), "another session reads it again")
    note = t.path("glovebox-%d-wall_hint" % os.geteuid())
    os.unlink(note)
    os.symlink("elsewhere", note)
    t.equal((said(start_new_session=True), os.path.lexists(t.path("elsewhere"))), (b"", False), "a link is not followed")


@once
def test_no_true(t):
    """The trial of doctor needs no program called true."""
    if t.who != "root" or not t.has("mountns"):
        t.skip("a host without /usr/bin/true", "needs root")
        return
    script = "mount --bind /dev/null /usr/bin/true && exec %s \"$@\"" % t.glovebox
    done = t.command(["unshare", "-m", "sh", "-c", script, "sh", "doctor", "--json"])
    t.ok(done.code == 0 and done.json["runs"], "doctor runs another", done)
    done = t.command(["unshare", "-m", "sh", "-c", script, "sh", "run", "--no-daemon", "--inodes", "99", "-c", "print(1)"])
    t.exits(done, 0, "so does a run that asks for a layer", b"1\n")


@once
def test_places(t):
    """Advice fits the place: no sysctl in a container or a chroot."""
    if not needs_root(t):
        return
    confined = "%s namespaces -- chroot %s /gb/glovebox \"$@\"" % (FORBID, t.path("root"))
    script = "KUBERNETES_SERVICE_HOST=10.0.0.1; export KUBERNETES_SERVICE_HOST; "
    doc = in_chroot(t, "doctor", "--json", script=confined).json
    t.equal(doc["place"], "chroot", "a chroot")
    t.ok("chroot" in next(l["how"] for l in doc["layers"] if l["name"] == "userns"), "its advice", doc)
    doc = in_chroot(t, "doctor", "--json", script=script + confined).json
    t.equal(doc["place"], "chroot", "a chroot in a pod")
    doc = forbidding(t, "namespaces", "doctor", "--json", env={"KUBERNETES_SERVICE_HOST": "10.0.0.1"}).json
    t.equal(doc["place"], "kubernetes", "a pod")
    text = forbidding(t, "namespaces", "doctor", env={"KUBERNETES_SERVICE_HOST": "10.0.0.1"}).out
    t.ok(b"sysctl" not in text and text.count(b"seccompProfile") == 1, "each advice is there once", text)
    t.match(rb"a pod of Kubernetes\)\n  userns pidns .* root\n    securityContext: seccompProfile", text,
            "with the layers that it brings")


@once
def test_profile(t):
    """The filter for containers is what its generator makes, and permits what the jail is made with."""
    with open(os.path.join(ROOT, "packaging/docker-seccomp.json"), "rb") as f:
        text = f.read()
    done = t.command([os.path.join(ROOT, "tools/make-docker-seccomp")])
    t.ok(done.code == 0 and done.out == text, "tools/make-docker-seccomp > packaging/docker-seccomp.json",
         done.err)
    names = {name for rule in json.loads(text)["syscalls"] for name in rule["names"]}
    t.equal(MAKES_A_JAIL - names, set(), "what makes a jail is permitted")
    t.equal(names & FOR_NO_CONTAINER, set(), "what acts on the whole machine is not")


@once
def test_bare_root(t):
    if t.who != "root":
        t.skip("a root without capabilities", "needs root")
        return
    bare = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", t.glovebox]
    code = "import os\nprint(os.getuid())\ntry: os.setuid(5)\nexcept OSError as e: print(e.errno)"
    done = t.command([*bare, "run", "--no-daemon", "--json", "-c", code])
    if not t.ok(done.code == 0 and done.json["stdout"] == "0\n1\n", "a root without capabilities runs programs", done):
        return
    held = done.json["isolation"]
    t.ok({"capabilities", "no_new_privs", "seccomp", "landlock"} <= set(held), "behind what an ordinary user has", held)
    warned = any("number of processes is not limited" in w for w in done.json["warnings"])
    t.equal(warned, "pids" not in held, "a warning that the kernel does not count its processes", done)
    done = t.command([*bare, "run", "--no-daemon", "--pids", "20", "-c", "1"])
    t.equal(done.code, 0 if "pids" in held else 125, "--pids is held or refused", done)
