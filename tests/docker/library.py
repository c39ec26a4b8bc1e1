# SPDX-License-Identifier: Apache-2.0
"""Runs through the library, whose handle keeps containers ready: libglovebox.so, called by a program with ctypes."""

import contextlib
import json
import os
import subprocess
import sys
import time
import urllib.parse

import program
from ends import alive, wait_for

LIBRARY = os.path.join(os.path.dirname(program.GLOVEBOX), "libglovebox.so")
# Reads lines of JSON: a program's text, or a list of an option's name and its value. Answers with the result and the
# milliseconds, or with the error's words. {"child": text} is a program that a child of this process runs, with the child's
# status on a line of its own. At the end of its input it closes the handle, and says so.
CALLER = r"""
import ctypes, json, os, sys, time
lib = ctypes.CDLL(sys.argv[1])
for name, kind in (("open", ctypes.c_void_p), ("run", ctypes.c_void_p), ("result_json", ctypes.c_char_p), ("error", ctypes.c_char_p)):
    getattr(lib, "glovebox_" + name).restype = kind
box = ctypes.c_void_p(lib.glovebox_open())
def run(code):
    begin = time.monotonic()
    result = ctypes.c_void_p(lib.glovebox_run(box, b"python", code, ctypes.c_size_t(len(code)), None))
    took = time.monotonic() - begin
    print(json.dumps([json.loads(lib.glovebox_result_json(result)), took * 1e3]), flush=True)
    lib.glovebox_result_free(result)
for line in sys.stdin:
    told = json.loads(line)
    if isinstance(told, dict):
        child = os.fork()
        if not child:
            run(told["child"].encode())
            lib.glovebox_close(box)
            os._exit(0)
        print(os.waitpid(child, 0)[1], flush=True)
    elif isinstance(told, list):
        lib.glovebox_set(box, told[0].encode(), told[1].encode())
        print(json.dumps(lib.glovebox_error(box).decode()), flush=True)
    else:
        run(told.encode())
lib.glovebox_close(box)
print(json.dumps("closed"), flush=True)
"""
WHERE = "import os; print(os.uname().nodename, os.listdir('/tmp')); open('/tmp/x', 'w')"


class Handle:
    def __init__(self, docker):
        self.process = subprocess.Popen([sys.executable, "-c", CALLER, LIBRARY], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=program.environment(docker.host), text=True)
        for name, value in (("backend", "docker"), ("log", "off"), ("timeout", "60s")):
            self.tell([name, value])

    def tell(self, what):
        self.process.stdin.write(json.dumps(what) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def run(self, code="print(1)"):
        return self.tell(code)[0]

    def run_in_child(self, code):
        """The output, and the child's status."""
        result = self.tell({"child": code})
        if isinstance(result, int):
            return None, result
        return result[0].get("stdout"), json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        return json.loads(self.process.stdout.readline() or "null")

    def kill(self):
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def handle(docker):
    box = Handle(docker)
    try:
        yield box
    finally:
        box.kill()


def takes_one(docker, box):
    """Whether the next program runs in a container that was there before it."""
    before = {c["Id"][:12] for c in alive(docker)}
    said = (box.run(WHERE).get("stdout") or "no no").split()
    return said[0] in before and said[1] == "[]"


def takes_one_soon(docker, box):
    """One of the next programs does: a container takes a while to make."""
    return any(takes_one(docker, box) or time.sleep(0.2) for _ in range(50))


def made_since(docker, began):
    query = {"since": "%.6f" % began, "until": "%.6f" % time.time(), "filters": json.dumps({"event": ["create"], "type": ["container"]})}
    return docker.ask("GET", "/events?" + urllib.parse.urlencode(query))[1].count(b'"Action":"create"')


def test_one_run(tap, docker):
    """A handle that runs one program makes one container."""
    program.run(docker.host, "-c", "1")  # makes the image
    with handle(docker) as box:
        began = time.time()
        r = box.run("import time; time.sleep(1); print(1)")
        tap.equal((r.get("stdout"), box.close()), ("1\n", "closed"), "one run", r.get("error"))
        tap.equal((made_since(docker, began), docker.containers()), (1, []), "pays for no other container")


def test_warm(tap, docker):
    with handle(docker) as box:
        tap.ok(not takes_one(docker, box), "the first run has a container made for it")
        for n in range(3):
            tap.ok(takes_one_soon(docker, box), "later ones take one that waits, in which no program ran")
        box.tell(["memory", "99m"])
        tap.ok(not takes_one(docker, box), "not with another limit")
        tap.equal((box.close(), docker.containers()), ("closed", []), "a closed handle leaves nothing")


def test_at_once(tap, docker):
    """Runs that come faster than containers are made."""
    with handle(docker) as box:
        said = [box.run("print(%d)" % n).get("stdout") for n in range(12)]
        tap.equal(said, ["%d\n" % n for n in range(12)], "twelve runs, one after the other")
        tap.ok(len(docker.containers()) <= 4, "few containers", len(docker.containers()))
        tap.equal((box.close(), docker.containers()), ("closed", []), "and none afterwards")


def test_forked(tap, docker):
    """The containers that wait are those of one process."""
    with handle(docker) as box:
        box.run()
        tap.ok(takes_one_soon(docker, box) and wait_for(lambda: alive(docker)), "a container waits")
        waiting = {c["Id"][:12] for c in alive(docker)}
        said, status = box.run_in_child(WHERE)
        tap.ok(status == 0 and said and said.split()[0] not in waiting, "a child of the process runs and closes, and takes none", said, status)
        tap.ok(takes_one_soon(docker, box), "one that waits is still there for its parent")
        tap.equal((box.close(), docker.containers()), ("closed", []), "a closed handle leaves nothing")


def test_killed(tap, docker):
    with handle(docker) as box:
        box.run()
        tap.ok(takes_one_soon(docker, box) and wait_for(lambda: alive(docker)), "a container waits")
        box.kill()
        tap.ok(wait_for(lambda: not alive(docker)), "kill -9 of the program: none lives on", docker.containers())


def test(tap, docker):
    for name, function in sorted(globals().items()):
        if name.startswith("test_"):
            function(tap, docker)
    program.run(docker.host, "-c", "1")  # sweeps
    tap.ok(wait_for(lambda: not docker.containers()), "no container is left", docker.containers())
