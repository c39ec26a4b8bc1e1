# SPDX-License-Identifier: Apache-2.0
"""From start to end: sockets, signals, systemd, SIGKILL."""

import glob
import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import threading
import time

from daemon import GLOVEBOX, PATIENCE, SLEEP, Daemon, free_port
from procs import descendants, groups, mounts, still_there, wait_for


def start_run(d, seconds):
    """A thread that runs something, and where its answer will be."""
    answers = []
    t = threading.Thread(target=lambda: answers.append(d.run(SLEEP % seconds, no_check=True)))
    t.start()
    wait_for(d.guests)
    return t, answers


def test_socket_is_ready(tap):
    """A client that waits for the socket's file can connect: it has its name only when it listens."""
    if not shutil.which("strace"):
        return tap.skip("the socket is there when it listens", "no strace here")
    with Daemon() as d:
        path, log = d.folder + "/second", d.folder + "/calls"
        with socket.socket(socket.AF_UNIX) as killed:
            killed.bind(path + ".new")
        tracer = subprocess.Popen(["strace", "-f", "-e", "trace=bind,listen,/^rename", "-o", log, GLOVEBOX, "serve", "--listen", "unix:" + path],
                                  env=d.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        wait_for(lambda: os.path.exists(path) or tracer.poll() is not None)
        stopped = subprocess.run([GLOVEBOX, "serve", "--stop", "--listen", "unix:" + path], env=d.env, capture_output=True, timeout=PATIENCE)
        tracer.communicate(timeout=PATIENCE)
        with open(log) as f:
            calls = [line.split(" ", 1)[1].strip() for line in f]
        listens = next((i for i, call in enumerate(calls) if call.startswith("listen(")), -1)
        named = next((i for i, call in enumerate(calls) if f'"{path}"' in call), -1)
        tap.ok(stopped.returncode == 0 and 0 <= listens < named, "the socket is there when it listens, also after one that was killed before", calls, stopped)
        tap.equal(glob.glob(path + "*"), [], "and leaves nothing")


def is_refused(d):
    try:
        d.raw().close()
        return False
    except OSError:
        return True


def test_sockets(tap):
    with Daemon() as d:
        mode = stat.S_IMODE(os.stat(d.socket).st_mode)
        tap.equal(mode, 0o600, "the socket is its owner's")
        second = subprocess.run(d.command, capture_output=True, text=True, env=d.env, timeout=PATIENCE)
        tap.ok(second.returncode == 2 and "process %d" % d.pid in second.stderr,
               "a second daemon on the same socket", second.stderr)
        tap.equal(d.get("/healthz").status, 200, "does the first no harm")
        d.process.kill()
        d.process.wait()
        tap.ok(os.path.exists(d.socket), "a daemon that was killed leaves its socket")
        d.start()
        tap.equal(d.get("/healthz").status, 200, "and the next one takes it over")
        d.process.terminate()
        tap.equal((d.ended(), glob.glob(d.socket + "*")), (0, []), "at its end nothing is left")
    with Daemon() as d:
        pass
    with Daemon(listen=False, env={}) as d:
        d.process.kill()
        d.process.wait()
        d.env["XDG_RUNTIME_DIR"] = d.folder
        d.start()
        tap.ok(stat.S_ISSOCK(os.stat(d.folder + "/glovebox.sock").st_mode), "where it is by default")
    with Daemon(listen=False) as d:
        pass


def test_drain(tap):
    with Daemon() as d:
        t, answers = start_run(d, 4)
        d.process.send_signal(signal.SIGTERM)
        ending = wait_for(lambda: d.run("1").status == 503)
        tap.ok(ending and not answers, "at SIGTERM nothing is begun", answers)
        r = d.get("/readyz")
        tap.equal((r.status, r.headers["Connection"]), (503, "close"), "which who asks is told", r)
        t.join()
        tap.ok(answers[0].status == 200 and answers[0].json["stdout"] == "slept\n",
               "what runs is finished", answers)
        tap.equal(answers[0].headers["Connection"], "close", "and its connection closed")
        tap.equal((d.ended(), is_refused(d)), (0, True), "then it ends")
    with Daemon() as d:
        t, answers = start_run(d, 60)
        lines = d.begin("POST", "/v1/run", {"code": SLEEP % 60, "no_check": True}, lines=True)
        batch = d.begin("POST", "/v1/batch", {"runs": [{"code": SLEEP % 60, "no_check": True}] * 50})
        wait_for(lambda: len(d.guests()) >= 18)
        guests = d.children()
        d.process.send_signal(signal.SIGTERM)
        wait_for(lambda: "ending" in d.words())
        d.process.send_signal(signal.SIGTERM)
        began = time.monotonic()
        tap.ok(d.ended() == 0 and time.monotonic() - began < 20, "a second SIGTERM waits for nothing")
        t.join()
        tap.equal(still_there(guests), [], "and no guest is left")
        tap.equal((answers[0].status, answers[0].message), (503, "the daemon is stopping"), "who waited is told")
        last = json.loads(lines.getresponse().read().splitlines()[-1])
        tap.equal(last["result"]["error"]["message"], "the daemon is stopping", "also in lines", last)
        parts = json.loads(batch.getresponse().read())["results"]
        tap.equal({p["error"]["message"] for p in parts}, {"the daemon is stopping"}, "and in a batch", parts)
    with Daemon("--drain", "1s") as d:
        t, answers = start_run(d, 60)
        s = d.post("/v1/sessions", {})
        guests = d.children()
        d.process.send_signal(signal.SIGTERM)
        began = time.monotonic()
        tap.ok(d.ended() == 0 and 0.5 < time.monotonic() - began < 25, "--drain has an end", s)
        t.join()
        tap.equal(still_there(guests), [], "no guest is left after it")


def test_drain_tools(tap):
    """A cell that waits for a tool's answer can be finished, by who has kept a connection and who has not."""
    with Daemon() as d:
        s = "/v1/sessions/" + d.post("/v1/sessions", {"tools": [{"name": "ask"}]}).json["id"]
        kept = d.begin("GET", "/healthz")
        kept.getresponse().read()
        cell = d.begin("POST", s + "/exec", {"code": "[ask(), ask()]"}, lines=True)
        answer = cell.getresponse()
        for line in iter(answer.readline, b""):
            e = json.loads(line)
            if e["event"] != "tool":
                continue
            if e["call"] == 1:
                d.process.send_signal(signal.SIGTERM)
                wait_for(lambda: d.get("/readyz").status == 503)
                kept.request("POST", s + "/answers/1", json.dumps({"ok": 1}))
                tap.equal(kept.getresponse().status, 200, "a kept connection lives on")
            else:
                tap.equal(d.get(s).json["state"], "busy", "a session is looked at while the daemon ends")
                d.post(s + "/answers/2", {"ok": 2})
        tap.equal(e["result"]["value"], [1, 2], "tools are answered while the daemon ends", e)
        tap.equal(d.ended(10), 0, "then it ends")
        kept.close()


def test_reload(tap):
    before = "[serve]\nmax-timeout = 10s\naccess-format = json\n"
    with Daemon(config=before) as d:
        log = os.path.join(d.folder, "access")
        d.command += ["--access-log", log]
        d.process.terminate()
        d.ended()
        d.start()
        tap.equal(d.run("1", timeout_ms=20000).status, 403, "a ceiling of the config file")
        os.rename(log, log + ".1")
        d.write(d.config, before.replace("10s", "30s"))
        d.process.send_signal(signal.SIGHUP)
        tap.ok(wait_for(lambda: d.run("1", timeout_ms=20000).status == 200), "SIGHUP reads it again")
        d.write(d.config, "[serve]\nmax-timeout = often\n")
        d.process.send_signal(signal.SIGHUP)
        tap.ok(wait_for(lambda: "stay as they were" in d.words()), "a mistake in it is said", d.words())
        tap.equal(d.run("1", timeout_ms=20000).status, 200, "and changes nothing")
        d.write(d.config, before + "listen = unix:/nowhere/x\n")
        d.process.send_signal(signal.SIGHUP)
        wait_for(lambda: d.words().count("read again") > 1)
        tap.ok(d.words().count("next start") <= 1, "what needs a start is said", d.words())
        d.process.terminate()
        d.ended()
        with open(log) as f:
            lines = [json.loads(line) for line in f]
        tap.ok(any(x["path"] == "/v1/run" and x["status"] == 200 for x in lines) and
               os.path.getsize(log + ".1") > 0, "the access log goes on in a new file", lines)


def test_systemd(tap):
    with Daemon(listen=False) as d:
        d.process.terminate()
        d.ended()
        with socket.socket(socket.AF_UNIX) as listener, \
                socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(d.folder + "/notify")
            manager.settimeout(PATIENCE)
            listener.bind(d.socket)
            listener.listen()
            d.env.update(LISTEN_FDS="1", NOTIFY_SOCKET=d.folder + "/notify")
            # The process that is started must be the one that LISTEN_PID names.
            script = 'exec 3<&%d; export LISTEN_PID=$$; exec "$@"' % listener.fileno()
            d.command = ["bash", "-c", script, "bash"] + d.command
            d.start(pass_fds=[listener.fileno()])
            tap.ok(b"READY=1" in manager.recv(1000), "systemd is told that it is ready", d.words())
            tap.equal(d.get("/healthz").status, 200, "a socket of systemd's")
            d.process.send_signal(signal.SIGHUP)
            tap.ok(b"RELOADING=1" in manager.recv(1000) and b"READY=1" in manager.recv(1000),
                   "that it reads its settings again")
            d.process.terminate()
            tap.ok(b"STOPPING=1" in manager.recv(1000), "and that it ends")
            tap.equal(d.ended(), 0, "which it does")
            tap.ok(os.path.exists(d.socket), "the socket stays systemd's")
    with Daemon("--listen", "127.0.0.1:%d" % free_port(), listen=False) as d:
        tap.equal(d.ended(), 2, "TCP without a token does not start", d.words())


def test_kill(tap):
    before = mounts()
    with Daemon() as d:
        connections = [d.sleep(60) for _ in range(8)]
        for _ in range(3):
            d.post("/v1/sessions", {})
        c = d.begin("POST", "/v1/run", {"code": "while True: print('x' * 1000)", "timeout_ms": 60000},
                    lines=True)
        wait_for(lambda: len(d.guests()) >= 8)
        guests = d.children()
        d.process.kill()
        d.process.wait()
        gone = wait_for(lambda: not still_there(guests))
        tap.ok(len(guests) >= 11 and gone, "after SIGKILL no guest lives", len(guests),
               still_there(guests))
        subprocess.run([GLOVEBOX, "run", "--no-daemon", "--log", "off", "-c", "print(1)"], env=d.env, timeout=PATIENCE,
                       stdout=subprocess.DEVNULL)
        tap.equal(groups(d.pid), [], "the next run sweeps its control groups away")
        tap.equal(mounts(), before, "and there is no mount")
        for c in connections + [c]:
            c.close()
    tap.equal(descendants(os.getpid()), set(), "no process of these tests is left")


def test_flat(tap):
    """Nothing grows with the number of requests."""
    with Daemon() as d:
        for _ in range(50):
            d.run("print(1)")
        before = (d.figure("process_resident_memory_bytes"), d.figure("process_open_fds"))
        c = d.connection()
        for _ in range(300):
            c.request("POST", "/v1/run", json.dumps({"code": "print(1)"}))
            c.getresponse().read()
        c.close()
        # What has run is closed by other threads, and a busy machine lets them wait.
        wait_for(lambda: d.figure("process_open_fds") <= before[1] + 100, 10)
        after = (d.figure("process_resident_memory_bytes"), d.figure("process_open_fds"))
        with open("/proc/%d/maps" % d.pid) as f:
            padded = "libasan" in f.read()  # which keeps what is freed
        tap.ok((padded or after[0] < before[0] + (8 << 20)) and after[1] <= before[1] + 100,
               "memory and descriptors stay as they were", before, after)


def test(tap):
    for part in (test_sockets, test_socket_is_ready, test_drain, test_drain_tools, test_reload, test_systemd, test_kill, test_flat):
        part(tap)
