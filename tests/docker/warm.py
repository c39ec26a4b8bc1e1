# SPDX-License-Identifier: Apache-2.0
"""Containers that wait: a guest that takes one gets what it would get in a container made for it, nothing of another
guest, and nothing stays. `same` compares the programs of tests/warm, each cold and warm."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time

import program
from ends import alive, wait_for

sys.path[:0] = [os.path.join(program.ROOT, "tests", "warm"), os.path.join(program.ROOT, "tests")]

import same as programs  # noqa: E402
from feed import Feed  # noqa: E402

DOCKER = {"backend": "docker"}
CHOSEN = ("input", "exit text", "exception", "arguments", "main", "modules of its own", "as deep as it goes", "another program",
          "descriptors", "signals are free", "files", "out of memory")
OWN = {"process ids", "host name", "control group", "environment"}  # a container's own


def compare(tap, feed, names):
    for name in names:
        code, more = programs.PROGRAMS[name], {**programs.arguments(name), **DOCKER}
        cold, warm = feed.run(code, warm=False, **more), programs.run_warm(feed, code, **more)
        a, b = programs.comparable(cold), programs.comparable(warm)
        tap.ok(warm["taken"] == "ready" or not cold["verdict"]["allowed"], "%s: warm" % name, feed.stats())
        tap.ok(a == b or name in OWN, "%s: the same" % name, *[(k, a[k], b[k]) for k in a if a[k] != b[k]])


def feed_of(docker, **more):
    return Feed(env=program.environment(docker.host), **more)


def test_same(tap, docker):
    with feed_of(docker) as feed:
        compare(tap, feed, CHOSEN)


def same(tap, docker):
    """All of them; some minutes."""
    with feed_of(docker) as feed:
        compare(tap, feed, programs.PROGRAMS)


def test_apart(tap, docker):
    """A container serves one guest; other limits have other containers."""
    code = "import os\nprint(os.listdir('/tmp'), os.listdir('/dev/shm'), os.listdir())\nfor f in ('/tmp/x', '/dev/shm/x', 'x'): open(f, 'w')"
    with feed_of(docker) as feed:
        said = [programs.run_warm(feed, code, **DOCKER) for _ in range(3)]
        tap.equal({(r["taken"], r["stdout"]) for r in said}, {("ready", "[] [] ['main.py']\n")}, "no guest finds files of another", said)
        limit = "print(open('/sys/fs/cgroup/memory/memory.limit_in_bytes' if __import__('os').path.exists('/sys/fs/cgroup/memory') " \
                "else '/sys/fs/cgroup/memory.max').read())"
        got = [programs.run_warm(feed, limit, memory=m << 20, **DOCKER)["stdout"].strip() for m in (96, 128, 96)]
        tap.equal(got, [str(m << 20) for m in (96, 128, 96)], "limits are those of the run")
        for language, text in (("bash", "echo $((6 * 7))"), ("python", "import sys; print(42)")):
            r = programs.run_warm(feed, text, language=language, **DOCKER)
            tap.equal((r["taken"], r["stdout"]), ("ready", "42\n"), "%s: a container waits" % language, r["error"])
        r = programs.run_warm(feed, "while True: pass", timeout_ms=20000, cpu_ms=300, **DOCKER)
        tap.ok(r["timed_out"] and r["cpu_ms"] < 2000, "the time before a run is not the run's", r["cpu_ms"], r["limits"])


def test_lost(tap, docker):
    """Containers that end while they wait."""
    with feed_of(docker) as feed:
        feed.warm_up(**DOCKER)
        wait_for(lambda: feed.stats()["ready"])
        for container in docker.containers():
            docker.ask("POST", "/containers/%s/kill" % container["Id"])
        r = feed.run("print(1)", **DOCKER)
        tap.equal((r["stdout"], r["error"]), ("1\n", None), "a run does without them", r["taken"])


def test_bounded(tap, docker):
    with feed_of(docker, ready=2) as feed:
        for memory in (64, 65, 66):
            programs.run_warm(feed, "pass", memory=memory << 20, **DOCKER)
        wait_for(lambda: feed.stats()["ready"] == 2)
        tap.ok(feed.stats()["ready"] <= 2 and wait_for(lambda: len(docker.containers()) <= 2), "no more wait than may",
               feed.stats(), docker.containers())
    tap.ok(wait_for(lambda: not docker.containers()), "and none when the pool is closed", docker.containers())


@contextlib.contextmanager
def daemon(docker, *words):
    with tempfile.TemporaryDirectory() as folder:
        env = {**program.environment(docker.host), "GLOVEBOX_SOCKET": "unix:%s/s" % folder, "XDG_CONFIG_HOME": folder}
        process = subprocess.Popen([program.GLOVEBOX, "serve", "--listen", env["GLOVEBOX_SOCKET"], "--log", "off", *words],
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env)
        process.stdout.readline()
        try:
            yield process, env
        finally:
            process.kill()
            process.communicate(timeout=60)


def ask(env, *words):
    done = subprocess.run([program.GLOVEBOX, *words], capture_output=True, timeout=120, env=env)
    return done.stdout.decode() or done.stderr.decode()


def test_daemon(tap, docker):
    with daemon(docker, "--backend", "docker") as (process, env):
        run = ["run", "--daemon", env["GLOVEBOX_SOCKET"], "-c", "print(1)"]
        tap.equal(ask(env, *run), "1\n", "a daemon's first run")
        tap.ok(wait_for(lambda: len(docker.containers()) == 1), "a container waits for the next", docker.containers())
        tap.equal(ask(env, *run), "1\n", "which takes it")
        session = json.loads(ask(env, "session", "new", "--json"))
        tap.equal(ask(env, "session", "exec", session["id"], "-c", "6 * 7"), "42\n", "a session beside it")
        tap.ok(wait_for(lambda: len(docker.containers()) >= 3), "more wait", docker.containers())
        process.kill()
        tap.ok(wait_for(lambda: not alive(docker)), "kill -9 of the daemon: none lives on", docker.containers())
    with daemon(docker, "--backend", "docker") as (process, env):
        ask(env, "run", "--daemon", env["GLOVEBOX_SOCKET"], "-c", "print(1)")
        process.terminate()
        process.wait(60)
        tap.equal(docker.containers(), [], "none is left when a daemon ends")


def test(tap, docker):
    for name, function in sorted(globals().items()):
        if name.startswith("test_"):
            began = time.monotonic()
            function(tap, docker)
            tap.note("%s: %.0f s" % (name, time.monotonic() - began))
    tap.ok(wait_for(lambda: not docker.containers()), "no container is left", docker.containers())
