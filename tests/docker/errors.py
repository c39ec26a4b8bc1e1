# SPDX-License-Identifier: Apache-2.0
"""No engine, or none that may be used: one line each, with what to do."""

import os
import socket
import tempfile

import program


def error_of(host, *words, **more):
    done = program.run(host, *(words or ("-c", "print(1)")), **more)
    return done.returncode, done.stdout, done.stderr.decode()


def check(tap, got, status, words, name):
    code, out, err = got
    tap.ok(code == status and not out and len(err.splitlines()) == 1 and all(w in err for w in words), name, got)


def test_nowhere(tap, folder):
    check(tap, error_of("unix://%s/none.sock" % folder), 125, ("no container engine runs at", "DOCKER_HOST"), "no socket")
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(folder + "/dead.sock")
    dead.close()
    check(tap, error_of("unix://%s/dead.sock" % folder), 125, ("no container engine runs at",), "a dead one")
    check(tap, error_of("tcp://127.0.0.1:1"), 125, ("tcp://127.0.0.1:1: ", "connection refused"), "a port without an engine")


def test_words(tap):
    check(tap, error_of("carrier-pigeon"), 2, ("unix:///PATH",), "a place that is none")
    check(tap, error_of("tcp://127.0.0.1:x"), 125, ("invalid port",), "a port that is none")
    check(tap, error_of("unix:///x", "--image", "../../x", "-c", "1"), 125, ("no container engine",), "an image, without an engine")


def test_permission(tap, folder):
    if os.geteuid() != 0:
        tap.skip("no permission", "needs root, to be another user")
        return
    server = socket.socket(socket.AF_UNIX)
    server.bind(folder + "/locked.sock")
    os.chmod(folder + "/locked.sock", 0o600)
    server.listen()
    done = program.subprocess.run(program.command("-c", "1"), capture_output=True, timeout=60, user=65534, group=65534,
                                  extra_groups=[], env={"DOCKER_HOST": "unix://%s/locked.sock" % folder, "HOME": "/tmp"})
    got = done.returncode, done.stdout, done.stderr.decode()
    check(tap, got, 125, ("no permission for the socket", "usermod -aG docker"), "no permission")
    server.close()


def test(tap):
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        test_nowhere(tap, folder)
        test_words(tap)
        test_permission(tap, folder)
