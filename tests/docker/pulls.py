# SPDX-License-Identifier: Apache-2.0
"""Images that an engine gets from a registry: progress, logins, and what is said when it cannot. The engine is made up."""

import base64
import json
import os
import stat
import subprocess
import tempfile

import program
from pretence import honest
from pretender import Pretender

IMAGE = "registry.example:5000/team/python:3"
HELPER = """#!/usr/bin/python3
import json, os, sys
asked = sys.stdin.read()
here = os.path.dirname(os.path.abspath(__file__))
open(here + "/asked", "w").write(" ".join(sys.argv[1:]) + " " + asked)
answer = json.load(open(here + "/answer"))
sys.exit(1) if answer is None else print(json.dumps(answer))
"""


def steps(*objects):
    return 200, b"".join(json.dumps(o).encode() + b"\n" for o in objects)


def pull(folder, answer, image=IMAGE, quiet=False, **variables):
    """(the finished process, the login that the engine got)"""
    missing, there = (404, b"{}"), (200, b'{"Id": "sha256:1"}')
    pretender = Pretender(folder, honest, {("GET", "3/json"): [missing, there], ("POST", "/images/create"): answer})
    env = {**os.environ, "HOME": folder + "/home", "DOCKER_HOST": pretender.host, **variables}
    env.pop("DOCKER_CONFIG", None)
    words = [w for w in program.command("--image", image, "-c", "1") if quiet or w != "--quiet"]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, env=env)
    pretender.close()
    login = [h[b"x-registry-auth"] for h in pretender.headers if b"x-registry-auth" in h]
    return done, json.loads(base64.urlsafe_b64decode(login[0])) if login else None


def configure(folder, **config):
    os.makedirs(folder + "/home/.docker", exist_ok=True)
    with open(folder + "/home/.docker/config.json", "w") as f:
        json.dump(config, f)


def test_progress(tap, folder):
    def layer(name, status, here=0, of=0):
        return {"status": status, "id": name, "progressDetail": {"current": here, "total": of} if of else {}}

    answer = steps({"status": "Pulling from team/python", "id": "3"}, layer("aa", "Downloading", 1000000, 30000000),
                   layer("bb", "Downloading", 1, 15600000), layer("aa", "Download complete"), layer("aa", "Extracting", 5, 7),
                   layer("bb", "Downloading", 1 << 62, 15600000), {"status": "odd", "id": 7}, {"progressDetail": []},
                   layer("cc", "Downloading", -5, 1 << 62), layer("\x1b[2J", "Downloading", 5, 10), {"status": "Status: done"})
    done, login = pull(folder, answer)
    tap.equal((done.returncode, done.stdout, login), (0, b"done", None), "an image that comes", program.said(done))
    lines = done.stderr.decode().splitlines()
    tap.equal(lines, ["pulling image " + IMAGE, "pulled image %s: 45.6 of 45.6 MB" % IMAGE], "its progress and size")
    done, login = pull(folder, answer, quiet=True)
    tap.equal(done.stderr, b"", "with --quiet, nothing", program.said(done))


def test_failures(tap, folder):
    for answer, words in (
            (steps({"status": "Pulling"}, {"errorDetail": {"message": "m"}, "error": "dial tcp: lookup registry.example: no such host"}),
             ("no such host", "docker load", "--image")),
            ((500, b'{"message": "Get https://registry.example: unauthorized"}'), ("unauthorized", "docker login")),
            ((404, b'{"message": "pull access denied for x"}'), ("pull access denied", "docker login")),
            ((200, b'{"error":"a \\"quoted\\" \\u001b reason"}'), ('a "quoted"',)),
            ((200, b'{"status":"' + b"x" * (2 << 20)), ("too long",))):
        done, _ = pull(folder, answer, quiet=True)
        text = done.stderr.decode()
        tap.ok(done.returncode == 125 and all(w in text for w in words) and "\x1b" not in text, "a reason: %s" % words[0],
               program.said(done))


def test_logins(tap, folder):
    good = steps({"status": "done"})
    auth = base64.b64encode(b"me:pass:word?>~").decode()
    want = {"username": "me", "password": "pass:word?>~", "serveraddress": "registry.example:5000"}
    configure(folder, auths={"https://registry.example:5000/v2/": {"auth": auth}, "other.example": {"auth": "eDp5"}})
    done, login = pull(folder, good)
    tap.equal((done.returncode, login), (0, want), "a login in the configuration", program.said(done))
    tap.ok(b"pass" not in done.stdout + done.stderr, "which is not shown")
    _, login = pull(folder, good, image="team/python:3")
    tap.equal(login, None, "is not sent for another registry")
    configure(folder, auths={"https://index.docker.io/v1/": {"identitytoken": "t", "auth": auth}})
    _, login = pull(folder, good, image="team/python:3")
    tap.equal(login, {"identitytoken": "t", "serveraddress": "https://index.docker.io/v1/"}, "a token, of Docker's own registry")
    _, login = pull(folder, good)
    tap.equal(login, None, "is not sent to others")
    for odd in ({"auth": "%%%"}, {"auth": base64.b64encode(b"nocolon").decode()}, {"auth": 7}, {}, 7):
        configure(folder, auths={"registry.example:5000": odd})
        done, login = pull(folder, good)
        tap.equal((done.returncode, login), (0, None), "a login that is none: %r" % odd, program.said(done))


def test_programs(tap, folder):
    good, path = steps({"status": "done"}), folder + "/bin:" + os.environ["PATH"]
    os.mkdir(folder + "/bin")
    with open(folder + "/bin/docker-credential-test", "w") as f:
        f.write(HELPER)
    os.chmod(folder + "/bin/docker-credential-test", stat.S_IRWXU)

    def answer(value):
        with open(folder + "/bin/answer", "w") as f:
            json.dump(value, f)

    answer({"ServerURL": "registry.example:5000", "Username": "me", "Secret": "s"})
    want = {"username": "me", "password": "s", "serveraddress": "registry.example:5000"}
    for config in ({"credsStore": "test"}, {"credHelpers": {"registry.example:5000": "test"}, "credsStore": "absent"}):
        configure(folder, **config)
        _, login = pull(folder, good, PATH=path)
        tap.equal(login, want, "a login in a program: %s" % sorted(config))
    with open(folder + "/bin/asked") as f:
        tap.equal(f.read(), "get registry.example:5000", "which is asked for the registry")
    answer({"Username": "<token>", "Secret": "t"})
    _, login = pull(folder, good, PATH=path)
    tap.equal(login, {"identitytoken": "t", "serveraddress": "registry.example:5000"}, "a token")
    answer(None)
    for name in ("test", "absent", "../bin/docker-credential-test", ""):
        configure(folder, credsStore=name)
        done, login = pull(folder, good, PATH=path)
        tap.equal((done.returncode, login), (0, None), "a program that knows none: '%s'" % name, program.said(done))


def build(folder, dockerfile):
    """(the finished process, the logins that the engine got for the build): no image but here.example/x:there is there."""
    missing, there = (404, b"{}"), (200, b'{"Id": "sha256:1"}')
    pretender = Pretender(folder, honest, {
        ("GET", "/containers/json"): (200, b"[]"), ("GET", "missing/json"): missing, ("GET", "there/json"): there, ("GET", "/json"): [missing, there],
        ("POST", "/build"): steps({"stream": "Step 1/1\n"})})
    with open(folder + "/Dockerfile", "w") as f:
        f.write(dockerfile)
    env = {**os.environ, "HOME": folder + "/home", "DOCKER_HOST": pretender.host}
    env.pop("DOCKER_CONFIG", None)
    done = subprocess.run(program.command("--dockerfile", folder + "/Dockerfile", "-c", "1"), stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=60, env=env)
    pretender.close()
    got = [h[b"x-registry-config"] for h in pretender.headers if b"x-registry-config" in h]
    assert all(b"x-registry-auth" not in h for h in pretender.headers)
    return done, [json.loads(base64.urlsafe_b64decode(g)) for g in got]


def test_builds(tap, folder):
    def row(user):
        return {"auth": base64.b64encode(user.encode() + b":word").decode()}

    def login(user, registry):
        return {registry: {"username": user, "password": "word", "serveraddress": registry}}

    hub = "https://index.docker.io/v1/"
    configure(folder, auths={"registry.example:5000": row("me"), hub: row("hub"), "here.example": row("here"), "other.example": row("other")})
    done, got = build(folder, "ARG R=registry.example:5000\nFROM $R/base:missing AS one\nFROM one\n")
    tap.equal((done.returncode, got), (0, [login("me", "registry.example:5000")]), "the login of a private base image", program.said(done))
    tap.ok(b"word" not in done.stdout + done.stderr, "which is not shown")
    _, got = build(folder, "FROM team/base:missing\nCOPY --from=registry.example:5000/x:missing /a /a\n")
    tap.equal(got, [{**login("hub", hub), **login("me", "registry.example:5000")}], "of several registries")
    done, got = build(folder, "FROM here.example/x:there\nFROM absent.example/x:missing\nFROM scratch\nRUN curl other.example\n")
    tap.equal((done.returncode, got), (0, []), "of none that the engine has, and of no other registry", program.said(done))


def test(tap):
    for name in ("progress", "failures", "logins", "programs", "builds"):
        with tempfile.TemporaryDirectory() as folder:
            globals()["test_" + name](tap, folder)
