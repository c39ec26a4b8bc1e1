# SPDX-License-Identifier: Apache-2.0
"""Ends in the middle: of glovebox, of the engine. Nothing is left."""

import os
import signal
import subprocess
import time

import engine
import program

MINUTE = "print('up', flush=True)\nimport time; time.sleep(60)"


def begin(docker, *words):
    process = subprocess.Popen(program.command(*words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=program.environment(docker.host))
    return process, process.stdout.readline()


def wait_for(condition, seconds=30):
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.05)
    return condition()


def alive(docker):
    """Without a container that was made and not yet started: the next process removes it."""
    return [c for c in docker.containers() if c["State"] != "created"]


def test_killed(tap, docker):
    process, first = begin(docker, "-c", MINUTE)
    tap.ok(first == b"up\n" and len(docker.containers()) == 1, "a run has one container", first)
    process.kill()
    process.wait()
    tap.ok(wait_for(lambda: not docker.containers()), "kill -9 of glovebox removes it", docker.containers())


def test_interrupted(tap, docker):
    process, first = begin(docker, "-c", MINUTE)
    process.send_signal(signal.SIGINT)
    process.wait(60)
    tap.ok(first == b"up\n" and process.returncode == 130, "Ctrl-C ends a run", process.returncode)
    tap.equal(docker.containers(), [], "and nothing is left")


def test_leftover(tap, docker):
    """A container that was created and not started, by a process that is dead."""
    with open("/proc/sys/kernel/random/boot_id") as f:
        boot = f.read().strip()
    child = subprocess.Popen(["true"])
    child.wait()
    place = "%s %s" % (boot, os.readlink("/proc/self/ns/pid"))
    dead = "%d %s" % (child.pid, place)
    ours = "glovebox-%d-" % child.pid + "%016x"
    for n, (owner, name) in enumerate(((dead, ours), ("%d %s" % (os.getpid(), place), "glovebox-%d-%%016x" % os.getpid()),
                                       ("%d elsewhere" % child.pid, ours), (dead, "users-%d"), (dead, "glovebox-%d"))):
        body = program.json.dumps({"Image": engine.IMAGE, "Cmd": ["true"], "Labels": {"io.glovebox.owner": owner}})
        status, answer = docker.ask("POST", "/containers/create?name=" + name % n, body)
        tap.equal(status, 201, "a container is made", answer)
    program.run(docker.host, "-c", "1")
    left = sorted(c["Names"][0] for c in docker.containers())
    tap.equal(left, sorted(["/glovebox-%d-%016x" % (os.getpid(), 1), "/" + ours % 2, "/users-3", "/glovebox-4"]),
              "the next run removes that of the dead owner alone, not one that inherited its label")
    for container in docker.containers():
        docker.ask("DELETE", "/containers/%s?force=1" % container["Id"])


def images_of_ours(docker):
    return sorted(i["Id"] for i in docker.get("/images/json") if "io.glovebox.owner" in (i["Labels"] or {}))


def test_side_by_side(tap, docker):
    program.run(docker.host, "-c", "1")
    before = images_of_ours(docker)
    processes = [begin(docker, "-c", "print(%d)" % i) for i in range(8)]
    tap.equal([(p.wait(60), first) for p, first in processes], [(0, b"%d\n" % i) for i in range(8)],
              "eight runs side by side")
    for i in range(10):
        program.run(docker.host, "-c", "1")
    tap.equal(docker.containers(), [], "and ten after each other leave nothing")
    tap.equal(images_of_ours(docker), before, "and make no image again")


def test_clean(tap, docker):
    def images():
        return [i for i in docker.get("/images/json") if "io.glovebox.owner" in (i["Labels"] or {})]

    done = subprocess.run([program.GLOVEBOX, "doctor", "--clean"], capture_output=True, timeout=60,
                          env=program.environment(docker.host))
    tap.ok(done.returncode == 0 and b"removed 0 containers and" in done.stdout and not images(),
           "doctor --clean removes the images that we made", program.said(done), images())
    names = {name for i in docker.get("/images/json") for name in i["RepoTags"] or []}
    tap.ok({engine.IMAGE, engine.OTHER_IMAGE} <= names, "and no other", names)


def test_engine_killed(tap, docker):
    process, first = begin(docker, "-c", MINUTE)
    docker.process.kill()
    docker.process.wait()
    out, err = process.communicate(timeout=60)
    tap.ok(first == b"up\n" and process.returncode == 125 and b"engine" in err, "kill -9 of the engine: an error of ours",
           process.returncode, err)
    docker.kill_children()
    docker.start()
    done = program.run(docker.host, "-c", "print(2)")
    tap.equal(done.stdout, b"2\n", "a new engine runs programs again", program.said(done))
    tap.ok(wait_for(lambda: not docker.containers()), "and has nothing left", docker.containers())


def test(tap, docker):
    for function in (test_killed, test_interrupted, test_leftover, test_side_by_side, test_clean, test_engine_killed):
        function(tap, docker)
