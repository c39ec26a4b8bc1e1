# SPDX-License-Identifier: Apache-2.0
"""Images of sessions: `session commit`."""

import os
import subprocess

import engine
import program
from builds import ask_as, served
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


def made(name, of="snapshot"):
    """The labels of a snapshot."""
    return {"io.glovebox.owner": of, "io.glovebox.name": name}


def labels(docker, name):
    return docker.get("/images/%s/json" % name)["Config"]["Labels"]


def check_image(tap, docker, box):
    first = box.new("--pause-after", "100ms")
    box.cell(first, FILL)
    tap.equal(box.ask("commit", first, "mine/box:v1"), "mine/box:v1\n", "a session becomes an image")
    tap.equal(labels(docker, "mine/box:v1"), made("mine/box:v1"), "which has our label")
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
        tap.equal((done.stdout, labels(docker, "mine/box:typed")), (b"mine/box:typed\n", made("mine/box:typed")),
                  "the prompt makes one %s" % where, program.said(done))
    docker.ask("DELETE", "/images/mine/box:typed?force=1")


def check_refused(tap, docker, box, first):
    docker.ask("POST", "/images/%s/tag?repo=others&tag=1" % engine.IMAGE)
    docker.ask("POST", "/images/mine/box:v1/tag?repo=mine/derived&tag=1")  # as an image made FROM it has its labels
    for name, why in (("python:3.11-slim", "programs in python"), ("docker.io/library/python:3.12-slim", "programs in python"),
                      ("node", "programs in javascript"), ("glovebox-run:x", "Glovebox's own"), ("library/glovebox-run:x", "Glovebox's own"),
                      ("docker.io/glovebox-build:" + "0" * 32, "Glovebox's own"), ("others:1", "not a snapshot"),
                      ("mine/derived:1", "not a snapshot"), ("Up Per", "not the name of an image"),
                      ("UPPER", "must be lowercase"), ("a@sha256:12", "NAME:TAG"), ("", "not the name of an image")):
        said = box.ask("commit", first, name)
        tap.ok(why in said and len(said) < 500, "the name '%s'" % name, said)
    jail = box.new("--backend", "jail")
    tap.ok("backend jail makes no images" in box.ask("commit", jail, "x"), "a session in a jail")
    tap.ok("no session" in box.ask("commit", "zzz", "x"), "no session")
    box.ask("close", jail)


def check_clean(tap, docker):
    subprocess.run([program.GLOVEBOX, "doctor", "--clean"], capture_output=True, timeout=60, env=program.environment(docker.host))
    tap.equal(labels(docker, "mine/box:v1"), made("mine/box:v1"), "doctor --clean keeps it")
    for name in ("derived:1", "box:v1"):
        tap.equal(docker.ask("DELETE", "/images/mine/%s?force=1" % name)[0], 200, "its user removes it")


NOT_OURS = ("redis:7", "postgres", "ubuntu:24.04", "docker.io/library/redis:7", "registry.example/team/tool:2", "team/tool", "alice/tool:1",
            "localhost/alice/tool:1", "localhost/tool:1", "localhost/bob", "localhost/bobby/tool", "localhost:5000/bob/tool", "LOCALHOST/bob/tool",
            "docker.io/localhost/bob/tool", "bob/tool:1", "registry.example/localhost/bob/tool:1", "localhost/bob/../alice/tool")


def test_owners(tap, docker):
    """A client's images have names that no other client, no registry and no operator's pattern has; the daemon's own user
    saves and replaces any."""
    tokens = {"alice": TOKEN, "bob": "another-token-of-the-tests-98765", "library": "a-third-token-of-the-tests-1234"}
    lines = ["%s %s" % token for token in tokens.items()] + ["a-token-without-a-name-56789"]
    with served(docker, "--allow", "commit", "--images", "registry.example/team/*,localhost/*", tcp=True, tokens="\n".join(lines)) as d:
        callers = {name: {"tcp": True, "headers": {"Authorization": "Bearer " + token}} for name, token in tokens.items()}
        callers["nameless"] = {"tcp": True, "headers": {"Authorization": "Bearer a-token-without-a-name-56789"}}
        callers["the own user"] = {}
        sessions = {who: "/v1/sessions/%s" % d.post("/v1/sessions", {"language": "python"}, **how).json["id"] for who, how in callers.items()}
        d.post(sessions["bob"] + "/exec", {"code": "open('from_bob', 'w').close()"}, **callers["bob"])

        def commit(who, name):
            return d.post(sessions[who] + "/commit", {"image": name}, **callers[who])

        for name in NOT_OURS:
            r = commit("bob", name)
            tap.ok(r.status == 400 and ("localhost/bob/NAME" in r.message or "not the name" in r.message), "bob does not get " + name, r)
        r = d.post("/v1/run", {"code": "import os; print(os.listdir())", "image": "registry.example/team/tool:2"}, **callers["alice"])
        tap.ok(b"from_bob" not in r.body, "nor does alice run bob's image", r)
        for who, name, wanted in (("alice", "localhost/alice/a:1", 201), ("alice", "localhost/alice/a:1", 201), ("the own user", "mine/b:1", 201),
                                  ("the own user", "localhost/bob/b", 201), ("bob", "localhost/bob/b", 400), ("the own user", "localhost/alice/a:1", 201),
                                  ("alice", "localhost/alice/a:1", 400), ("library", "localhost/library/redis:7", 400), ("nameless", "localhost/*/a", 403),
                                  ("nameless", "localhost/a/b", 403)):
            r = commit(who, name)
            tap.equal(r.status, wanted, "%s saves %s: %d" % (who, name, wanted))
        path, body = sessions["alice"] + "/commit", '{"image": "redis:7"}'
        for name in (d.folder, d.socket):
            os.chmod(name, 0o777)
        tap.equal(ask_as(31415, d.socket, path, body).stdout, "403\n", "another user at the Unix socket saves none")
    for name in ("localhost/alice/a:1", "mine/b:1", "localhost/bob/b:latest"):
        docker.ask("DELETE", "/images/%s?force=1" % name)


def snapshots(docker):
    """Names of all, as Docker writes them; [] of one without."""
    found = docker.get("/images/json?filters=%7B%22label%22:%5B%22io.glovebox.owner=snapshot%22%5D%7D")
    return sorted([name.removeprefix("docker.io/") for name in image["RepoTags"] or []] for image in found)


def test_replaced(tap, docker):
    """The image that had the name goes, but for one with another name."""
    with daemon(docker) as (_, env):
        check_replaced(tap, docker, Sessions(env))


def check_replaced(tap, docker, box):
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
    test_replaced(tap, docker)
    with daemon(docker, "--images", "python:*,mine/*") as (_, env):
        box = Sessions(env)
        first = check_image(tap, docker, box)
        check_refused(tap, docker, box, first)
        check_prompt(tap, docker, env)
        box.ask("close", first)
    check_clean(tap, docker)
