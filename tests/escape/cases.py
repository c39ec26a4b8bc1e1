# SPDX-License-Identifier: Apache-2.0
"""One attack as one user with one set of layers: run it, say what was wrong with the outcome."""
import ctypes
import fcntl
import glob
import json
import os
import pty
import re
import secrets
import shlex
import shutil
import socket
import subprocess
import termios
import time

import headers

PR_SET_CHILD_SUBREAPER = 36
GIVE_UP_S = 120
VERDICT = re.compile(r"^(HELD|ESCAPED)(?: (.*))?$", re.M)
LIMIT_LAYERS = ("memory", "pids", "cpu")  # their limits hold without them too, by other means


class Host:
    """What all cases share: the program, the users, the neighbours, and what was started."""

    def __init__(self, scratch, glovebox, unprivileged, backend=None):
        self.backend = backend
        self.scratch, self.proved, self.neighbours, self.pids = scratch, 0, {}, []
        os.makedirs(os.path.join(scratch, "bin"))
        zygote = os.path.join(os.path.dirname(glovebox), "glovebox-zygote.so")
        for name in (glovebox, glovebox + "-jail", zygote):  # the build may lie in a private home
            shutil.copy(name, os.path.join(scratch, "bin"))
        self.glovebox = os.path.join(scratch, "bin", os.path.basename(glovebox))
        self.is_root = os.geteuid() == 0
        self.modes = (["root"] if backend else ["root", "user"]) if self.is_root else ["user"]
        self.uids = {"root": 0, "user": unprivileged if self.is_root else os.geteuid()}
        self.homes, self.daemons = {}, {}
        for mode in self.modes:
            self.homes[mode] = tempfile_home(scratch, mode, self.uids[mode])
        # What outlives its run becomes our child, and is found in the end.
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)

    def start(self, mode, arguments, prefix=(), env=None, **popen):
        """Popen of glovebox as the mode's user."""
        if self.is_root and mode == "user":
            popen.update(user=self.uids[mode], group=self.uids[mode], extra_groups=[])
        # An interpreter in root's own home is out of the guest's reach once the root layer is off.
        path = "/usr/local/bin:/usr/bin:/bin" if self.is_root else os.environ.get("PATH", "")
        env = {"PATH": path, "HOME": self.homes[mode], "TMPDIR": self.homes[mode] + "/tmp",
               "GLOVEBOX_SOCKET": "unix:/nowhere/glovebox.sock", **(env or {})}
        if self.backend:
            env["DOCKER_HOST"] = os.environ["DOCKER_HOST"]
        popen.setdefault("cwd", "/")
        process = subprocess.Popen([*prefix, self.glovebox, *arguments], env=env, **popen)
        self.pids.append(process.pid)
        return process

    def start_daemons(self):
        """From now on runs that may are warm."""
        for mode in self.modes:
            path = os.path.join(self.homes[mode], "daemon")
            process = self.start(mode, ["serve", "--listen", "unix:" + path],
                                 stderr=subprocess.DEVNULL)
            end = time.monotonic() + 60
            while not os.path.exists(path) and time.monotonic() < end:
                time.sleep(0.02)
            self.daemons[mode] = (path, process)

    def stop_daemons(self):
        """What they say of their pools."""
        for mode, (path, process) in self.daemons.items():
            said = ask(path, b"GET /metrics HTTP/1.1\r\nHost: daemon\r\nConnection: close\r\n\r\n")
            process.terminate()
            process.wait(60)
            yield mode, {m[0]: int(m[1]) for m in re.findall(r'pool_starts_total{from="(.*)"} (\d+)', said)}

    def descendants(self):
        """All that was ours or became so, and still lives; call it when nothing is waited for."""
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        with open("/proc/self/task/%d/children" % os.getpid()) as f:
            for pid in f.read().split():
                with open("/proc/%s/status" % pid) as status:
                    yield "%s (%s)" % (pid, " ".join(status.read().split("\n")[:3]))

    def control_groups(self):
        ours = {str(pid) for pid in self.pids}
        for path in glob.glob("/sys/fs/cgroup/**/glovebox-*", recursive=True):
            if os.path.basename(path).split("-")[1] in ours:
                yield path


def ask(path, request):
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(path)
        s.sendall(request)
        return b"".join(iter(lambda: s.recv(65536), b"")).decode()


def tempfile_home(scratch, mode, uid):
    home = os.path.join(scratch, "home-" + mode)
    os.makedirs(home + "/tmp")
    for path in (home, home + "/tmp"):
        os.chown(path, uid, uid)
    os.chmod(home + "/tmp", 0o1777)  # like /tmp: there may be a guest's folder in it
    return home


def alive_with(marker):
    """Processes that carry the marker in their environment."""
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            with open(path, "rb") as f:
                if marker in f.read():
                    yield path.split("/")[2]
        except OSError:
            pass


class Case:
    """`without` layers of the attack's own list are left out, and the next one must hold."""

    def __init__(self, attack, mode, without=0, bare=False):
        self.attack, self.mode, self.bare = attack, mode, bare
        self.without, self.step = attack.layers[:without], without
        self.wall = attack.layers[without]
        how = ", without any wall" if bare else \
            ", without " + " and ".join(self.without) if without else ""
        self.title = "%s as %s%s" % (attack.name, mode, how)

    # ---- starting ----

    def options(self, host, canaries, marker, number):
        told = dict(canaries.environment(), RUN=marker, NUMBER=str(number),
                    WITHOUT=",".join(self.without))
        for prefix, neighbour in zip(("NEIGHBOUR", "ROOTLESS"), host.neighbours[self.mode]):
            told.update(neighbour.environment(prefix))
            if self.bare:  # it would succeed, and a neighbour must stay untouched
                told[prefix + "_PID"] = told["PID"]
        told.update(NEIGHBOUR_TMP=host.homes[self.mode] + "/tmp", HOSTNAME=os.uname().nodename)
        yield from ("run", "--retries", "0", "--no-check")
        if not host.daemons:  # a log of its own would keep a run from the daemon
            yield from ("--log", "off")
        if self.attack.get("plain") is None:
            yield "--json"
        if "--timeout" not in (self.attack.get("args") or ""):
            yield from ("--timeout", "10s")
        yield from ("--out", canaries.path("out"))
        for name, value in told.items():
            yield from ("--env", "CANARY_%s=%s" % (name, value))
        for layer in self.without:
            yield from ("--without", layer, "--allow-unsafe")
        if self.bare:
            yield from ("--backend", "host", "--allow-unsafe")
        view = canaries.path("view")
        named = not self.bare and "root" not in self.without  # else only by the host's name
        for word in shlex.split(self.attack.get("args") or ""):
            yield word.format(view=view, data=view + ":/data" if named else view, work=canaries.path("work"),
                              folder=canaries.folder)

    def program(self):
        if self.attack.binary:
            return ["--file", self.attack.binary, "--lang", "sh",
                    "-c", "exec ./" + self.attack.name]
        if self.attack.extension != ".py":
            return [self.attack.path]
        return ["--file", os.path.join(os.path.dirname(self.attack.path), "kit.py"), self.attack.path]

    def run_once(self, host, canaries, marker, number):
        """Status, what came on standard output and error, and what was typed into the terminal."""
        command = [*self.options(host, canaries, marker, number), *self.program()]
        popen = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                 "stderr": subprocess.PIPE, "env": {"HOST_SECRET": canaries.token}}
        if host.daemons:
            popen["env"]["GLOVEBOX_SOCKET"] = host.daemons[self.mode][0]
        master = slave = leaked = None
        if self.attack.get("runs"):
            popen["cwd"] = canaries.path("work")
        if self.attack.get("stdin"):
            popen["stdin"] = subprocess.PIPE
        if self.attack.get("leaks-descriptor"):
            leaked = [os.open(canaries.path("private"), os.O_RDONLY),
                      os.open(canaries.path("private", "secret"), os.O_RDWR)]
            popen["pass_fds"] = leaked
        if self.attack.get("terminal"):
            master, slave = pty.openpty()
            popen.update(stdin=slave, prefix=["setsid", "-c"])
        process = host.start(self.mode, command, **popen)
        try:
            text = (self.attack.get("stdin") or "").encode() or None
            out, err = process.communicate(text, GIVE_UP_S)
            typed = waiting_input(slave) if slave else 0
        finally:
            process.kill()
            for fd in (leaked or []) + [fd for fd in (master, slave) if fd is not None]:
                os.close(fd)
        return process.returncode, out.decode(errors="replace"), err.decode(errors="replace"), typed

    def run(self, host, canaries):
        """(problems, None), or ([], why it was skipped)."""
        if self.attack.why_not:
            missing = self.attack.why_not.startswith("no ")
            return ([], self.attack.why_not) if missing else ([self.attack.why_not], None)
        skip = self.lacks(canaries)
        if skip:
            return [], skip
        marker = secrets.token_hex(8)
        start = time.monotonic()
        try:
            for number in range(1, int(self.attack.get("runs") or 1) + 1):
                ended = self.run_once(host, canaries, marker, number)
        except subprocess.TimeoutExpired:
            return ["did not end within %d s" % GIVE_UP_S], None
        return self.judge(host, canaries, marker, ended, time.monotonic() - start)

    def lacks(self, canaries):
        for need in self.attack.words("needs"):
            if need in ("x86_64", "aarch64"):
                if os.uname().machine != need:
                    return "for %s only" % need
            elif need == "setuid-program":
                if not canaries.has_setuid:
                    return "only root can make a setuid program"
            elif not shutil.which(need):
                return "no %s on this machine" % need
        return None

    # ---- judging ----

    def judge(self, host, canaries, marker, ended, seconds):
        status, out, err, typed = ended
        result = {}
        if self.attack.get("plain") is None:
            try:
                result = json.loads(out)
            except ValueError:
                return ["no result: exit status %d\n%s%s" % (status, out[-500:], err[-500:])], None
            if result["error"] and not result["exit_code"] and not result["stdout"]:
                return ["it did not run: " + result["error"]["message"]], None
        text = result.get("stdout", out)
        if self.bare:
            return self.judge_bare(host, text, list(alive_with(marker.encode())))
        skip = result and self.missing_layer(set(result["isolation"]))
        problems = [*self.verdict(text), *self.fields(result), *self.ending(result),
                    *self.containment(canaries, host, out, err), *canaries.touched()]
        problems += ["process %s outlived the run" % pid for pid in alive_with(marker.encode())]
        if typed:
            problems.append("%d bytes were typed into the terminal" % typed)
        if seconds > self.timeout() * int(self.attack.get("runs") or 1) + 30:
            problems.append("took %.1f s" % seconds)
        if problems and not skip:
            problems.append("stdout: %s\nstderr: %s\ndenied: %s" % (
                text[-600:].strip(), (result.get("stderr") or err)[-600:].strip(),
                [d["name"] for d in result.get("denied", [])]))
        empty(canaries.path("out"))
        empty(canaries.path("work"))
        return ([], skip) if skip else (problems, None)

    def judge_bare(self, host, text, alive):
        escaped = VERDICT.search(text)
        problems = ["process %s outlived the run" % pid for pid in alive]
        if not escaped or escaped[1] != "ESCAPED":
            problems.append("this attack attacks nothing: %s" % text[-300:])
        host.proved += not problems
        return problems, None

    def missing_layer(self, layers):
        for layer in self.without:
            if layer in layers:
                return "needs a host where %s can be left out" % layer
        # A limit must hold also where the kernel's own is not to be had.
        if self.wall in headers.OTHERS | layers or (self.wall in LIMIT_LAYERS and not self.step):
            return None
        return "needs " + self.wall

    def expected(self, field):
        """The field for this step; a further wall that says nothing is like the first."""
        steps = (self.attack.get(field + "-then") or "").split(";")
        own = steps[self.step - 1].strip() if 0 < self.step <= len(steps) else None
        return own or (None if field == "denied" and self.step else self.attack.get(field))

    def verdict(self, text):
        found = VERDICT.findall(text)
        expect = self.expected("expect")
        if any(kind == "ESCAPED" for kind, _ in found):
            yield "ESCAPED: " + text[-500:]
        elif not expect:
            return
        elif not found and self.attack.get("ends"):
            return  # it was ended before it could say something
        elif len(found) != 1:
            yield "%d verdicts, not one" % len(found)
        elif not set(found[0][1].split()) <= set(expect.split()):
            yield "held by '%s', expected '%s'" % (found[0][1], expect)

    def fields(self, result):
        if not result:
            return
        told = {d["name"] for d in result["denied"]}
        denied = self.expected("denied") if "seccomp" not in self.without else None
        for name in filter(None, (denied or "").split(",")):
            if name.strip() not in told:
                yield "'%s' is not told in 'denied'" % name.strip()
        for name in (self.attack.get("limits") or "").split():
            if name not in result["limits"]:
                yield "'%s' is not told in 'limits': %s" % (name, result["limits"])

    def ending(self, result):
        """`ends:` has one or more of: timed_out, oom_killed, exit N, signal N; '|' between them."""
        ends = self.attack.get("ends")
        if not ends or not result:
            return
        for end in (word.strip() for word in ends.split("|")):
            kind, _, number = end.partition(" ")
            if {"timed_out": result["timed_out"], "oom_killed": result["oom_killed"],
                    "exit": str(result["exit_code"]) == number and not result["signal"],
                    "signal": str(result["signal"]) == number}[kind]:
                return
        yield "ended by exit code %s, signal %s, timed out %s, out of memory %s; expected %s" % (
            result["exit_code"], result["signal"], result["timed_out"], result["oom_killed"], ends)

    def containment(self, canaries, host, out, err):
        """Secrets that came out, and things in the output folder that must not be there."""
        secret = [canaries.token] + [n.token for n in host.neighbours[self.mode]]
        if any(token in out or token in err for token in secret):
            yield "a secret is in the result"
        if self.attack.get("plain") is not None and re.search(r"[\x00-\x08\x0b-\x1f\x7f]", err):
            yield "control characters on the terminal: %r" % err
        for folder, _, files in os.walk(canaries.path("out")):
            for name in files:
                path = os.path.join(folder, name)
                st = os.lstat(path)
                if st.st_mode & 0o170000 != 0o100000 or st.st_mode & 0o6000:
                    yield "%s came out with mode %o" % (path, st.st_mode)
                elif st.st_size < 65536:
                    with open(path, "rb") as f:
                        content = f.read()
                    if any(token.encode() in content for token in secret):
                        yield "a secret came out as " + path

    def timeout(self):
        found = re.search(r"--timeout (\d+)s", self.attack.get("args") or "")
        return int(found[1]) if found else 10


def waiting_input(fd):
    """How many bytes wait to be read from a terminal, whether a line is complete or not."""
    attributes = termios.tcgetattr(fd)
    attributes[3] &= ~termios.ICANON
    termios.tcsetattr(fd, termios.TCSANOW, attributes)
    return int.from_bytes(fcntl.ioctl(fd, termios.FIONREAD, bytes(4)), "little")


def empty(folder):
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)


def cases_of(attack):
    for mode in attack.words("only") or ["root", "user"]:
        for without in range(len(attack.layers)):
            yield Case(attack, mode, without)
    if attack.get("bare"):
        yield Case(attack, "user", bare=True)
