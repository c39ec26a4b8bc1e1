# SPDX-License-Identifier: Apache-2.0
"""serve --background, --status and --stop: the daemon as a service without a service manager."""

import json
import os
import resource
import re
import select
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import threading

from daemon import GLOVEBOX, PATIENCE, Unix, free_port
from procs import wait_for


class Place:
    """A folder with a socket, and `glovebox serve` in it; at the end nothing of it runs."""

    def __init__(self):
        self.kept = tempfile.TemporaryDirectory(prefix="glovebox-background-")
        self.folder = self.kept.name
        self.socket = self.folder + "/g.sock"
        self.env = {**os.environ, "HOME": self.folder, "XDG_STATE_HOME": self.folder + "/state",
                    "GLOVEBOX_SOCKET": "unix:" + self.socket, "GLOVEBOX_LOG": "off"}
        self.env.pop("XDG_RUNTIME_DIR", None)
        self.pids = set()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pid in self.pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        wait_for(lambda: not any(alive(pid) for pid in self.pids))
        self.kept.cleanup()

    def glovebox(self, *args, env=None):
        return subprocess.run([GLOVEBOX, *args], env={**self.env, **(env or {})}, cwd=self.folder, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=2 * PATIENCE)

    def serve(self, *args, **how):
        done = self.glovebox("serve", *args, **how)
        if "--background" in args and "--json" in args and done.returncode == 0:
            self.pids.add(json.loads(done.stdout)["pid"])
        return done

    def background(self, *args, **how):
        done = self.serve("--background", "--json", *args, **how)
        return json.loads(done.stdout) if done.returncode == 0 else done

    def begin(self, code, lines=False, **fields):
        """The answer to a run, which may still be running."""
        c = Unix(self.socket)
        c.request("POST", "/v1/run", json.dumps({"code": code, "no_check": True, **fields}),
                  {"Content-Type": "application/json", **({"Accept": "application/x-ndjson"} if lines else {})})
        return c.getresponse()


def wait_for_line(answer, event):
    while True:
        e = json.loads(answer.readline() or '{"event": "nothing more"}')
        if e["event"] in (event, "nothing more"):
            return e


def alive(pid):
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def said(done):
    return done.returncode, done.stdout, done.stderr


def test_life(tap):
    with Place() as p:
        done = p.serve("--status")
        tap.ok(done.returncode == 1 and "no daemon answers at unix:" + p.socket in done.stderr and "ADDRESS" not in done.stderr, "there is none", said(done))
        done = p.serve("--status", env={"GLOVEBOX_SOCKET": "", "XDG_RUNTIME_DIR": p.folder})
        tap.ok(done.returncode == 1 and p.folder + "/glovebox.sock" in done.stderr and "; --listen ADDRESS names" in done.stderr,
               "nor at the usual socket: how to name another", said(done))
        done = p.serve("--stop")
        tap.ok(done.returncode == 1 and "no daemon answers at unix:" + p.socket in done.stderr, "none to stop", said(done))
        done = p.serve("--background")
        tap.ok(done.returncode == 0 and p.socket in done.stdout and "process " in done.stdout and ".log" in done.stdout,
               "it starts, at GLOVEBOX_SOCKET, and its address, process and log are printed", said(done))
        status = json.loads(p.serve("--status", "--json").stdout)
        p.pids.add(status["pid"])
        tap.ok(str(status["pid"]) in done.stdout and alive(status["pid"]), "the process it named", status)
        tap.equal(json.loads(p.begin("print(6*7)").read())["stdout"], "42\n", "it answers at once")
        session = p.glovebox("session", "new").stdout.strip()
        status = json.loads(p.serve("--status", "--json").stdout)
        tap.ok(status["running"] == 0 and status["sessions"] == 1 and status["runs"] >= 1 and status["version"] and
               status["uptime_ms"] >= 0 and status["listening"] == ["unix:" + p.socket] and status["state"] == "serving",
               "--status --json", session, status)
        done = p.serve("--status")
        tap.ok(done.returncode == 0 and "process %d" % status["pid"] in done.stdout and status["version"] in done.stdout
               and "1 session" in done.stdout and re.search(r"(?m)^started (\d+ min )?\d+ s ago$", done.stdout),
               "--status for people", said(done))
        second = p.serve("--background")
        tap.ok(second.returncode == 2 and "process %d" % status["pid"] in second.stderr and second.stdout == "",
               "a second one does not start, and says why", said(second))
        done = p.serve("--stop")
        tap.ok(done.returncode == 0 and "process %d" % status["pid"] in done.stdout and not alive(status["pid"]),
               "--stop waits for its end", said(done))
        tap.ok(not os.path.exists(p.socket), "and the socket is gone")
        with open(p.folder + "/state/glovebox/serve.log") as f:
            text = f.read()
        tap.ok("ending" in text, "its messages are in the log", text)


def test_drain(tap):
    """--stop lets current work finish; --drain bounds the wait."""
    with Place() as p:
        pid = p.background()["pid"]
        answers = []
        run = p.begin("import time; print('on', flush=True); time.sleep(4); print('slept')", lines=True)
        wait_for_line(run, "stdout")
        thread = threading.Thread(target=lambda: answers.append(p.serve("--stop")))
        thread.start()
        last = wait_for_line(run, "finished")["result"]
        thread.join()
        tap.ok(last["stdout"] == "on\nslept\n" and answers[0].returncode == 0 and not alive(pid),
               "what runs is finished", last, said(answers[0]))
        pid = p.background()["pid"]
        run = p.begin("print('on', flush=True)\nwhile True: pass", lines=True, timeout_ms=600000)
        wait_for_line(run, "stdout")
        done = p.serve("--stop", "--drain", "0s")
        tap.ok(done.returncode == 0 and not alive(pid), "--drain 0s waits for nothing", said(done))
        run.close()


def test_kill(tap):
    with Place() as p:
        pid = p.background()["pid"]
        os.kill(pid, signal.SIGKILL)
        wait_for(lambda: not alive(pid))
        tap.ok(os.path.exists(p.socket), "a killed daemon leaves its socket")
        tap.equal([p.serve(word).returncode for word in ("--status", "--stop")], [1, 1], "which is no daemon")
        again = p.background()
        tap.ok(again["pid"] != pid and p.serve("--status").returncode == 0, "the next one takes it over", again)
        tap.equal(p.serve("--stop").returncode, 0, "and stops")


def test_apart(tap):
    """It keeps nothing of the program that started it: no descriptor, no session of its terminal."""
    with Place() as p:
        ours, theirs = os.pipe()
        done = subprocess.run([GLOVEBOX, "serve", "--background", "--json"], env=p.env, cwd=p.folder, pass_fds=[theirs],
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=2 * PATIENCE)
        os.close(theirs)
        pid = json.loads(done.stdout)["pid"]
        p.pids.add(pid)
        tap.ok(select.select([ours], [], [], PATIENCE)[0] and os.read(ours, 1) == b"", "a descriptor of the caller is closed")
        os.close(ours)
        tap.equal(os.getsid(pid), pid, "its session is its own")
        tap.equal(p.serve("--stop").returncode, 0, "and it stops")


def ask_as(user, socket, path, body):
    """The status of the answer to another user, who has access to the socket."""
    code = ("import os, socket, sys; os.setgid(%d); os.setuid(%d); s = socket.socket(socket.AF_UNIX); s.settimeout(%d)\n"
            "s.connect(sys.argv[1]); s.sendall(('POST %%s HTTP/1.1\\r\\nHost: x\\r\\nContent-Type: application/json\\r\\n'\n"
            "'Content-Length: %%d\\r\\n\\r\\n%%s' %% (sys.argv[2], len(sys.argv[3]), sys.argv[3])).encode())\n"
            "print(s.recv(65536).split()[1].decode())" % (user, user, PATIENCE))
    return subprocess.run(["python3", "-c", code, socket, path, body], capture_output=True, text=True, timeout=2 * PATIENCE)


def test_other_user(tap):
    if os.geteuid():
        tap.skip("another user", "only root can act as another user")
        return
    with Place() as p:
        pid = p.background()["pid"]
        os.chmod(p.folder, 0o755)
        os.chmod(p.socket, 0o666)
        done = ask_as(31415, p.socket, "/v1/stop", "{}")
        tap.ok(done.stdout == "403\n" and alive(pid), "another user with access to the socket cannot stop it", said(done))
        for field, value in (("pip", '"numpy"'), ("dockerfile", '"FROM x"'), ("image", '"any:1"')):
            body = '{"code": "1", "backend": "docker", "%s": %s}' % (field, value)
            asked = [ask_as(user, p.socket, "/v1/run", body).stdout for user in (31415, os.geteuid())]
            tap.ok(asked[0] == "403\n" and asked[1] in ("200\n", "501\n"), "nor ask for '%s', as its own user may" % field, asked)
        p.serve("--stop")


def test_two(tap):
    with Place() as p:
        other = "unix:" + p.folder + "/other.sock"
        one, two = p.background(), p.background("--listen", other)
        tap.ok(one["pid"] != two["pid"] and two["listening"] == [other], "two daemons", one, two)
        done = p.serve("--stop", "--listen", other)
        tap.ok(done.returncode == 0 and not alive(two["pid"]) and alive(one["pid"]), "--listen chooses", said(done))
        p.serve("--stop")
        run = p.folder + "/run"
        os.mkdir(run, 0o700)
        env = {"GLOVEBOX_SOCKET": "", "XDG_RUNTIME_DIR": run}
        third = p.background(env=env)
        tap.equal(third["listening"], [run + "/glovebox.sock"], "without a word, the default socket")
        tap.equal([p.serve(w, env=env).returncode for w in ("--status", "--stop")], [0, 0], "where it is found", third)


def test_no_runtime_folder(tap):
    """A user whose login set no XDG_RUNTIME_DIR: su, cron, a container."""
    if os.geteuid():
        tap.skip("no runtime folder", "only root can act as another user")
        return
    user = 31415
    default = "/tmp/glovebox-%d" % user
    if os.path.lexists(default):
        tap.skip("no runtime folder", default + " is there already")
        return

    def serve(*words):
        return subprocess.run([GLOVEBOX, "serve", *words], env=env, cwd="/", user=user, group=user, extra_groups=[],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=2 * PATIENCE)
    with Place() as p:
        os.chown(p.folder, user, user)
        env = {**p.env, "GLOVEBOX_SOCKET": ""}
        os.mkdir(default, 0o700)
        try:
            done = serve("--background")
            tap.ok(done.returncode == 2 and "XDG_RUNTIME_DIR" in done.stderr, "another user's folder is refused", said(done))
            os.chown(default, user, user)
            os.chmod(default, 0o755)
            done = serve("--background")
            tap.ok(done.returncode == 2 and default in done.stderr, "and one that others can look into", said(done))
            os.rmdir(default)
            done = serve("--background", "--json")
            started = json.loads(done.stdout)
            p.pids.add(started["pid"])
            tap.equal(started["listening"], [default + "/glovebox.sock"], "the socket is in a folder in /tmp")
            tap.equal(stat.S_IMODE(os.stat(default).st_mode), 0o700, "which is the user's alone")
            tap.equal([serve(word).returncode for word in ("--status", "--stop")], [0, 0], "where it is found")
        finally:
            shutil.rmtree(default, ignore_errors=True)


def test_tcp(tap):
    with Place() as p:
        tokens = p.folder + "/tokens"
        with open(tokens, "w") as f:
            f.write("a-token-of-the-tests-0123456789\n")
        os.chmod(tokens, 0o600)
        port = "127.0.0.1:%d" % free_port()
        at = ("--listen", port, "--token-file", tokens)
        d = p.background(*at)
        tap.equal(d["listening"], [port], "TCP")
        tap.equal(p.serve("--status", *at).returncode, 0, "is asked with the token")
        done = p.serve("--status", "--listen", port)
        tap.ok(done.returncode == 1 and "token" in done.stderr, "and not without", said(done))
        done = p.serve("--stop", *at)
        tap.ok(done.returncode == 1 and "Unix socket" in done.stderr and alive(d["pid"]), "a token cannot stop it", said(done))
    with Place() as p:
        port = "127.0.0.1:%d" % free_port()
        with open(p.folder + "/tokens", "w") as f:
            f.write("a-token-of-the-tests-0123456789\n")
        os.chmod(p.folder + "/tokens", 0o600)
        both = ("--listen", port, "--token-file", p.folder + "/tokens", "--listen", "unix:" + p.socket)
        pid = p.background(*both)["pid"]
        done = p.serve("--stop", *both)
        tap.ok(done.returncode == 0 and not alive(pid), "of several addresses, the Unix socket stops it", said(done))


def test_strangers(tap):
    """Only a glovebox daemon is stopped: the process behind the socket is asked."""
    with Place() as p, socket.socket(socket.AF_UNIX) as s:
        s.bind(p.socket)
        s.listen()
        with open(p.socket + ".lock", "w") as f:
            f.write("%d\n" % os.getpid())

        def answer():
            for _ in range(2):
                c = s.accept()[0]
                c.recv(65536)
                c.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
                c.close()
        thread = threading.Thread(target=answer)
        thread.start()
        for word in ("--status", "--stop"):
            done = p.serve(word)
            tap.ok(done.returncode == 1 and "not a glovebox daemon" in done.stderr, word + ": another program", said(done))
        thread.join()


def test_hostile_strangers(tap):
    """Documents that nearly look like a daemon's."""
    good = {"pid": os.getpid(), "version": "1", "state": "serving", "listening": ["here"]}
    evil = "\x1b]0;evil\x07"
    with Place() as p, socket.socket(socket.AF_UNIX) as s:
        s.bind(p.socket)
        s.listen()
        answers = [{**good, "listening": [1]}, {**good, "listening": None}, {**good, "version": 5}, {**good, "state": None},
                   {**good, "pid": -1}, {**good, "pid": 2**40}, {**good, "version": evil, "state": evil, "listening": [evil]}]

        def answer():
            for document in answers:
                c = s.accept()[0]
                c.recv(65536)
                body = json.dumps(document).encode()
                c.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"
                          b"Connection: close\r\n\r\n%s" % (len(body), body))
                c.close()
        thread = threading.Thread(target=answer)
        thread.start()
        for document in answers[:-1]:
            done = p.serve("--status")
            tap.ok(done.returncode == 1 and "not a glovebox daemon" in done.stderr, "refused: %s" % document, said(done))
        done = p.serve("--status")
        tap.ok(done.returncode == 0 and "\x1b" not in done.stdout and done.stdout.count("\\x1b]0;evil") == 3,
               "what a stranger says is safe for a terminal", said(done))
        thread.join()


def test_mistakes(tap):
    with Place() as p:
        for args, words in ((("--background", "--listen", "127.0.0.1:%d" % free_port()), "--token-file"),
                            (("--background", "--max-timeout", "often"), "often"),
                            (("--background", "--stop"), "--background"),
                            (("--stop", "--status"), "--st"),
                            (("--background", "--output", p.folder + "/no/such/file"), "no/such/file"),
                            (("--output", p.folder + "/x.log"), "--output requires --background"),
                            (("--stop", "--output", p.folder + "/x.log"), "--output requires --background"),
                            (("--json",), "--json")):
            done = p.serve(*args)
            tap.ok(done.returncode not in (0, 1) and words in done.stderr and not os.path.exists(p.socket) and
                   len(done.stderr.splitlines()) == 1, "not started: " + " ".join(args), said(done))
        d = p.background("--output", p.folder + "/mine.log")
        tap.ok(d["output"] == p.folder + "/mine.log" and os.path.exists(d["output"]), "a log of its own", d)
        p.serve("--stop")


def few_descriptors():
    resource.setrlimit(resource.RLIMIT_NOFILE, (14, 14))


def test_descriptors(tap):
    """A daemon whose descriptors cannot be arranged does not start, and says so."""
    with Place() as p:
        done = subprocess.run([GLOVEBOX, "serve", "--background"], env=p.env, cwd=p.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=2 * PATIENCE, preexec_fn=few_descriptors)
        tap.ok(done.returncode == 125 and "the daemon's descriptors" in done.stderr and not os.path.exists(p.socket),
               "too few descriptors", said(done))


def test_end_with(tap):
    """--end-with: the daemon ends with another process, also when that is killed while a cell runs."""
    with Place() as place:
        other = subprocess.Popen(["sleep", "1000"])
        daemon = place.background("--end-with", str(other.pid), "--drain", "100ms")
        begun = place.begin("import time; time.sleep(1000)", lines=True)
        wait_for_line(begun, "started")
        other.kill()
        other.wait()
        wait_for(lambda: not alive(daemon["pid"]))
        begun.close()
        tap.ok(not os.path.exists(place.socket), "the daemon ended with the process, and removed its socket")
        gone = place.serve("--end-with", str(other.pid))
        tap.ok(gone.returncode == 2 and "--end-with %d: there is no such process" % other.pid in gone.stderr,
               "a process that has ended already is an error")


def test(tap):
    for part in (test_end_with, test_life, test_drain, test_kill, test_apart, test_other_user, test_two,
                 test_no_runtime_folder, test_tcp, test_strangers, test_hostile_strangers, test_mistakes, test_descriptors):
        part(tap)
