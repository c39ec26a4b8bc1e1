# SPDX-License-Identifier: Apache-2.0
"""Images of sessions: `session commit`."""

import subprocess

import engine
import program
from builds import served
from daemon import TOKEN
from pauses import Sessions
from warm import daemon

FILL = """
import os
os.makedirs('deep/er')
open('deep/er/a.txt', 'w').write('one')
open('run.sh', 'w').write('#!/bin/sh')
os.chmod('run.sh', 0o700)
open('secret', 'w').write('two')
os.chmod('secret', 0o600)
open('\\u00e4 b', 'w').write('three')
os.symlink('/etc/passwd', 'link')
variable = 5"""
LOOK = "import os\nsorted(os.path.relpath(os.path.join(d, f)) for d, _, n in os.walk('.') for f in n)"


def labels(docker, name):
    return docker.get("/images/%s/json" % name)["Config"]["Labels"]


def check_image(tap, docker, box):
    first = box.new("--pause-after", "100ms")
    box.cell(first, FILL)
    tap.equal(box.ask("commit", first, "mine/box:v1"), "mine/box:v1\n", "a session becomes an image")
    tap.equal(labels(docker, "mine/box:v1"), {"io.glovebox.owner": "snapshot"}, "which has our label")
    tap.equal(box.cell(first, "variable"), "5", "and continues")
    second = box.new("--image", "mine/box:v1")
    tap.equal(eval(box.cell(second, LOOK)), ["deep/er/a.txt", "run.sh", "secret", "\u00e4 b"], "a session in it begins with its files")
    said = box.cell(second, "print(open('secret').read(), os.access('run.sh', os.X_OK), 'variable' in globals())")
    tap.equal(said, "two True False", "as they were, without variables")
    box.cell(second, "os.remove('secret'); open('deep/er/a.txt', 'a').write('!')")
    box.ask("commit", second, "mine/box:v1")
    done = program.run(docker.host, "--image", "mine/box:v1", "-c", "import os; print(open('deep/er/a.txt').read(), os.listdir())")
    tap.ok(b"one!" in done.stdout and b"secret" not in done.stdout, "a snapshot of a snapshot replaces it", program.said(done))
    return first


def check_prompt(tap, docker, env):
    for where in ([], ["--daemon", env["GLOVEBOX_SOCKET"]]):
        done = subprocess.run([program.GLOVEBOX, "repl", "--backend", "docker", *where], capture_output=True, timeout=120, env=env,
                              input=b"open('typed', 'w').close()\n%%\n:commit mine/box:typed\n")
        tap.equal((done.stdout, labels(docker, "mine/box:typed")), (b"mine/box:typed\n", {"io.glovebox.owner": "snapshot"}),
                  "the prompt makes one %s" % where, program.said(done))
    docker.ask("DELETE", "/images/mine/box:typed?force=1")


def check_refused(tap, docker, box, first):
    docker.ask("POST", "/images/%s/tag?repo=others&tag=1" % engine.IMAGE)
    for name, why in (("python:3.11-slim", "programs in python"), ("docker.io/library/python:3.12-slim", "programs in python"),
                      ("node", "programs in javascript"), ("glovebox-run:x", "Glovebox's own"), ("library/glovebox-run:x", "Glovebox's own"),
                      ("docker.io/glovebox-build:" + "0" * 32, "Glovebox's own"), ("others:1", "not a snapshot"), ("Up Per", "not the name of an image"),
                      ("UPPER", "must be lowercase"), ("a@sha256:12", "NAME:TAG"), ("", "not the name of an image")):
        said = box.ask("commit", first, name)
        tap.ok(why in said and len(said) < 500, "the name '%s'" % name, said)
    jail = box.new("--backend", "jail")
    tap.ok("backend jail makes no images" in box.ask("commit", jail, "x"), "a session in a jail")
    tap.ok("no session" in box.ask("commit", "zzz", "x"), "no session")
    box.ask("close", jail)


def check_clean(tap, docker):
    subprocess.run([program.GLOVEBOX, "doctor", "--clean"], capture_output=True, timeout=60, env=program.environment(docker.host))
    tap.equal(labels(docker, "mine/box:v1"), {"io.glovebox.owner": "snapshot"}, "doctor --clean keeps it")
    tap.equal(docker.ask("DELETE", "/images/mine/box:v1?force=1")[0], 200, "its user removes it")


def test_owners(tap, docker):
    """A client replaces its own images alone; the daemon's own user any."""
    other = "another-token-of-the-tests-98765"
    with served(docker, "--allow", "commit", tcp=True, tokens="alice %s\nbob %s" % (TOKEN, other)) as d:
        def commit(name, **who):
            s = "/v1/sessions/%s" % d.post("/v1/sessions", {"language": "python"}, **who).json["id"]
            answer = d.post(s + "/commit", {"image": name}, **who)
            d.call("DELETE", s, **who)
            return answer

        callers = {"alice": {"tcp": True}, "bob": {"tcp": True, "headers": {"Authorization": "Bearer " + other}}, "the own user": {}}
        for who, name, wanted in (("alice", "mine/a:1", 201), ("bob", "mine/a:1", 400), ("alice", "mine/a:1", 201),
                                  ("the own user", "mine/b:1", 201), ("bob", "mine/b:1", 400), ("the own user", "mine/a:1", 201),
                                  ("alice", "mine/a:1", 400)):
            r = commit(name, **callers[who])
            tap.ok(r.status == wanted and ("is not a snapshot" in r.message) == (wanted == 400), "%s saves %s: %d" % (who, name, wanted), r)
    for name in ("a", "b"):
        docker.ask("DELETE", "/images/mine/%s:1?force=1" % name)


def snapshots(docker):
    """Names of all; [] of one without."""
    found = docker.get("/images/json?filters=%7B%22label%22:%5B%22io.glovebox.owner=snapshot%22%5D%7D")
    return sorted(image["RepoTags"] or [] for image in found)


def test_replaced(tap, docker, box):
    """The image that had the name goes, but for one with another name."""
    s = box.new()
    for code in ("open('a', 'w').close()", "open('b', 'w').close()"):
        box.cell(s, code)
        box.ask("commit", s, "mine/twice:1")
    tap.equal(snapshots(docker), [["mine/twice:1"]], "the image that had the name is removed")
    docker.ask("POST", "/images/mine/twice:1/tag?repo=mine/kept&tag=1")
    box.ask("commit", s, "mine/twice:1")
    tap.equal(snapshots(docker), [["mine/kept:1"], ["mine/twice:1"]], "not one that has another name")
    for name in ("kept", "twice"):
        docker.ask("DELETE", "/images/mine/%s:1?force=1" % name)
    box.ask("close", s)


def test(tap, docker):
    test_owners(tap, docker)
    with daemon(docker, "--images", "python:*,mine/*") as (_, env):
        box = Sessions(env)
        test_replaced(tap, docker, box)
        first = check_image(tap, docker, box)
        check_refused(tap, docker, box, first)
        check_prompt(tap, docker, env)
        box.ask("close", first)
    check_clean(tap, docker)
