# SPDX-License-Identifier: Apache-2.0
"""Each limit ends a program in a container, and is reported as itself. Files of a program that met one come back."""

import json
import os
import subprocess
import sys
import tempfile
import time

import program
from ends import begin

sys.path.append(os.path.join(program.ROOT, "tests", "limits"))
import binds  # noqa: E402

STUBBORN = "trap '' TERM INT HUP; echo up; while :; do :; done"
FORKS = "f() { f | f & }; f; sleep 60"
MANY = "for i in range(300000): print('x' * 200)"


def test_time(tap, docker):
    began = time.monotonic()
    r = program.result(docker.host, "--lang", "bash", "--timeout", "1s", "-c", "echo text > file; " + STUBBORN)
    tap.equal((r.get("timed_out"), r.get("exit_code"), r.get("stdout")), (True, 124, "up\n"), "the deadline", r)
    tap.ok(time.monotonic() - began < 20, "soon after it")
    tap.equal([f["path"] for f in r.get("files", [])], ["file"], "and its files come back", r)


def test_processor(tap, docker):
    r = program.result(docker.host, "--cpu-time", "300ms", "--timeout", "60s", "-c", "while True: pass")
    tap.equal((r.get("timed_out"), r.get("limits")), (True, ["cpu_time"]), "processor time", r)


def test_memory(tap, docker):
    r = program.result(docker.host, "--memory", "64m", "-c", "x = bytearray(10 ** 9)")
    tap.equal((r.get("oom_killed"), r.get("exit_code"), r.get("timed_out")), (True, 137, False), "memory", r)
    r = program.result(docker.host, "--memory", "64m", "--disk", "200m", "-c",
                       "f = open('f', 'wb')\nwhile True: f.write(bytes(1 << 20))")
    tap.equal((r.get("oom_killed"), r.get("success")), (True, False), "files are memory, too", r)


def test_memory_of_a_child(tap, docker):
    """The engine kills one process of several. The others continue, and the result reports the limit."""
    r = program.result(docker.host, "--memory", "64m", "-c",
                       "import os\nif os.fork() == 0: x = bytearray(10 ** 9)\nprint(os.wait()[1])")
    tap.equal((r.get("oom_killed"), r.get("exit_code"), r.get("stdout")), (True, 137, "9\n"), "memory of a child process", r)


def test_processes(tap, docker):
    r = program.result(docker.host, "--pids", "1", "-c", "import os\ntry: os.fork()\nexcept OSError as e: print(e.strerror)")
    tap.equal((r.get("stdout"), r.get("limits")), ("Resource temporarily unavailable\n", ["pids"]), "fewer than the engine needs for a start", r)
    r = program.result(docker.host, "--lang", "bash", "--pids", "20", "--timeout", "3s", "-c", FORKS)
    tap.ok(r.get("timed_out") and r.get("exit_code") == 124, "a fork bomb ends at the deadline", r)


def test_disk(tap, docker):
    r = program.result(docker.host, "--disk", "4m", "-c", "open('f', 'wb').write(bytes(8 << 20))")
    tap.ok(r.get("exit_code") == 1 and "No space left" in r.get("stderr", ""), "the disk is full", r)
    for place in ("/tmp", "/dev/shm"):
        r = program.result(docker.host, "--disk", "4m", "-c",
                           "try: open('%s/f', 'wb').write(bytes(8 << 20))\nexcept OSError as e: print(e.strerror)" % place)
        tap.equal((r.get("stdout"), r.get("limits")), ("No space left on device\n", ["disk"]), "so is " + place, r)
    r = program.result(docker.host, "--disk", "0", "--memory", "0", "-c", "open('f', 'wb').write(b'x' * (300 << 20))")
    tap.equal((r.get("success"), [s["reason"] for s in r.get("skipped", [])]), (True, ["larger than the limit (300m)"]), "0 is no limit", r)


def test_each(tap, docker):
    """Every row of limits.def that the backend says it has."""
    said = subprocess.run([program.GLOVEBOX, "doctor", "--json"], capture_output=True, timeout=program.SECONDS,
                          env=program.environment(docker.host))
    binds.test_rows(tap, "docker", json.loads(said.stdout), "docker",
                    lambda code, *options: program.result(docker.host, *options, "-c", code))


def test_full_host(tap, docker):
    """The copy of the files has no place here."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["unshare", "--mount", "sh", "-c", 'mount -t tmpfs -o size=64k none "$TMPDIR" && exec "$@"', "sh",
                               *program.command("-c", "open('f', 'wb').write(bytes(300000))")], capture_output=True,
                              timeout=program.SECONDS, env={**program.environment(docker.host), "TMPDIR": folder})
    said = done.stderr.decode()
    tap.ok(done.returncode == 125 and said.count("\n") == 1 and "No space left on device in " + folder in said and "set TMPDIR" in said,
           "a full folder of this machine", program.said(done))


def test_inodes(tap, docker):
    code = "n = 0\ntry:\n  for n in range(100): open('%s/%d' % (PLACE, n), 'w')\nexcept OSError: print(n)"
    got = [program.result(docker.host, "--inodes", "50", "-c", "PLACE = %r\n" % place + code).get("stdout")
           for place in (".", "/tmp", "/dev/shm")]
    tap.equal(got, ["48\n", "49\n", "49\n"], "files are counted, with the folders and the program")
    r = program.result(docker.host, "--inodes", "50", "-c", "for i in range(100): open(str(i), 'w')")
    tap.ok(r.get("exit_code") == 1 and "No space left" in r.get("stderr", ""), "so is the number of files", r)


def test_output(tap, docker):
    r = program.result(docker.host, "--output-limit", "10k", "-c", MANY)
    tap.equal((r.get("stdout_bytes"), r.get("stdout_truncated"), r.get("exit_code")), (300000 * 201, True, 0),
              "all output is counted, the limit's share is kept", r.get("broken"))


def test_streams(tap, docker):
    """Output arrives while the program runs, not at its end."""
    process = program.subprocess.Popen(program.command("-c", "print(1, flush=True)\ninput()"), stdin=program.subprocess.PIPE,
                                       stdout=program.subprocess.PIPE, env=program.environment(docker.host))
    first = process.stdout.readline()
    process.stdin.write(b"end\n")
    process.stdin.close()
    tap.equal((first, process.wait(60)), (b"1\n", 0), "output comes as it is printed, and input goes in later")


def test_large_input(tap, docker):
    done = program.run(docker.host, "-c", "import sys, time; time.sleep(1); print(len(sys.stdin.buffer.read()))",
                       stdin=bytes(5 << 20))
    tap.equal(done.stdout, b"%d\n" % (5 << 20), "5 MB of input to a slow reader", program.said(done))


def test_processes_of_a_runtime(tap, docker):
    """It starts with room for threads of its own; a runtime without them then has the limit itself."""
    process, first = begin(docker, "--runtime", "other", "--pids", "30", "-c", "print('up', flush=True)\nimport time; time.sleep(60)")
    limits = [docker.get("/containers/%s/json" % c["Id"])["HostConfig"]["PidsLimit"] for c in docker.containers()]
    process.terminate()
    process.communicate()
    tap.equal((first, limits), (b"up\n", [31]), "processes, with another runtime")


def test_required(tap, docker):
    done = program.run(docker.host, "--require", "landlock", "-c", "print(1)")
    tap.ok(done.returncode == 125 and not done.stdout and b"landlock" in done.stderr, "a layer that it has not", program.said(done))
    done = program.run(docker.host, "--require", "seccomp,memory,netns", "-c", "print(1)")
    tap.equal((done.returncode, done.stdout), (0, b"1\n"), "layers that it has", program.said(done))


def test(tap, docker):
    for name, function in sorted(globals().items()):
        if name.startswith("test_"):
            function(tap, docker)
    tap.equal(docker.containers(), [], "no container is left")
