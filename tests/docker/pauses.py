# SPDX-License-Identifier: Apache-2.0
"""Sessions that are not used: the engine pauses their containers, and the next use continues them."""

import json
import subprocess
import time

import program
from ends import wait_for
from warm import daemon

COUNTER = """
import threading, time
n = 0
def count():
    global n
    while True:
        n += 1
        time.sleep(0.05)
threading.Thread(target=count, daemon=True).start()"""


def paused(docker):
    return len([c for c in docker.containers() if c["State"] == "paused"])


class Sessions:
    def __init__(self, env):
        self.env = env

    def ask(self, *words):
        done = subprocess.run([program.GLOVEBOX, "session", *words], capture_output=True, timeout=120, env=self.env)
        return (done.stdout + done.stderr).decode()

    def new(self, *words):
        said = self.ask("new", "--backend", "docker", "--json", *words)
        return json.loads(said)["id"] if said.startswith("{") else said

    def cell(self, name, code):
        return self.ask("exec", name, "-c", code).strip()


def check_chosen(tap, docker, box):
    name = box.new("--pause-after", "300ms")
    box.cell(name, COUNTER)
    open_file = "open('f.txt', 'w').write('text'); before = n"
    box.cell(name, open_file)
    tap.ok(wait_for(lambda: paused(docker) == 1), "a session is paused after the chosen time, whatever runs in it", docker.containers())
    time.sleep(4)
    counted = int(box.cell(name, "n - before"))
    tap.ok(counted < 40, "and its threads stand still meanwhile", counted)
    tap.ok(wait_for(lambda: paused(docker) == 1), "it is paused again")
    tap.ok("f.txt" in box.ask("files", name), "its files are listed")
    wait_for(lambda: paused(docker) == 1)
    began = time.monotonic()
    box.ask("close", name)
    tap.ok(wait_for(lambda: not paused(docker), 5) and time.monotonic() - began < 5, "it is closed in time", docker.containers())


def check_usual(tap, docker, box, quiet, busy, since):
    """Ten seconds after the last use, if nothing runs in it."""
    tap.ok(wait_for(lambda: paused(docker) == 1, 14) and time.monotonic() - since > 8, "a session in which nothing runs is paused",
           docker.containers(), time.monotonic() - since)
    before = int(box.cell(busy, "n"))
    tap.ok(before > 60, "one in which a thread runs is not", before)
    began = time.monotonic()
    tap.equal(box.cell(quiet, "x + 1"), "42", "the next cell continues it")
    tap.note("a cell in a paused session: %.0f ms" % ((time.monotonic() - began) * 1000))


def test_paused(tap, docker):
    with daemon(docker) as (_, env):
        box = Sessions(env)
        quiet, busy = box.new(), box.new()
        box.cell(busy, COUNTER)
        box.cell(quiet, "x = 41")
        since = time.monotonic()
        check_chosen(tap, docker, box)
        check_usual(tap, docker, box, quiet, busy, since)
        check_never(tap, docker, box)
        check_killed(tap, docker, box)


def check_never(tap, docker, box):
    said = box.ask("new", "--pause-after", "1s")
    tap.ok("backend jail pauses no sessions" in said and "--pause-after" in said, "a jail is not paused", said)
    never = box.new("--pause-after", "never")
    tap.equal(box.cell(never, "6 * 7"), "42", "'never' is a time")
    box.ask("close", never)


def check_killed(tap, docker, box):
    """A paused container outlives a killed owner; the next run removes it."""
    box.env["GLOVEBOX_PAUSE_AFTER"] = "100ms"
    box.new()
    tap.ok(wait_for(lambda: paused(docker) >= 1), "one is paused when the daemon is killed", docker.containers())


def test_nothing_stays(tap, docker):
    program.run(docker.host, "-c", "print(1)")
    tap.ok(wait_for(lambda: not docker.containers()), "the next run removes a paused container of a dead owner", docker.containers())


def test(tap, docker):
    for function in (test_paused, test_nothing_stays):
        function(tap, docker)
    tap.equal(docker.containers(), [], "no container is left")
