# SPDX-License-Identifier: Apache-2.0
"""Images that an engine gets from a registry, by the command docker: what it shows, the user's login, and what is said
when it cannot. The engine is made up."""

import base64
import json
import os
import shutil
import subprocess
import tempfile

import program
from pretence import honest
from pretender import Pretender

IMAGE = "registry.example:5000/team/python:3"
VARIABLE = "SECRET_OF_OURS"


def steps(*objects):
    return 200, b"".join(json.dumps(o).encode() + b"\n" for o in objects)


def environment(folder, pretender):
    env = {**os.environ, "HOME": folder + "/home", "DOCKER_HOST": pretender.host, VARIABLE: "1"}
    env.pop("DOCKER_CONFIG", None)
    return env


def decoded(headers, name):
    return [json.loads(base64.urlsafe_b64decode(h[name])) for h in headers if name in h]


def pull(folder, answer, image=IMAGE, quiet=False):
    """(the finished process, the logins that the engine got)"""
    missing, there = (404, b"{}"), (200, b'{"Id": "sha256:1"}')
    pretender = Pretender(folder, honest, {("GET", "3/json"): [missing, there], ("POST", "/images/create"): answer})
    words = [w for w in program.command("--image", image, "-c", "1") if quiet or w != "--quiet"]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, env=environment(folder, pretender))
    pretender.close()
    return done, [login for login in decoded(pretender.headers, b"x-registry-auth") if login]


def configure(folder, **config):
    os.makedirs(folder + "/home/.docker", exist_ok=True)
    with open(folder + "/home/.docker/config.json", "w") as f:
        json.dump(config, f)


def test_progress(tap, folder):
    answer = steps({"status": "Pulling from team/python", "id": "3"}, {"status": "Download complete", "id": "aa\x1b[2J"},
                   {"status": "Status: done"})
    done, logins = pull(folder, answer)
    tap.equal((done.returncode, done.stdout, logins), (0, b"done", []), "an image that comes", program.said(done))
    lines = done.stderr.decode().splitlines()
    tap.ok(lines[0] == "pulling image " + IMAGE and "Status: done" in lines and b"\x1b" not in done.stderr, "its progress", lines)
    done, _ = pull(folder, answer, quiet=True)
    tap.equal(done.stderr, b"", "with --quiet, nothing", program.said(done))


def test_failures(tap, folder):
    for answer, words in (
            (steps({"status": "Pulling"}, {"errorDetail": {"message": "no such host"}, "error": "no such host"}),
             ("no such host", "docker load", "--image")),
            ((500, b'{"message": "Get https://registry.example: unauthorized"}'), ("unauthorized", "docker login")),
            ((404, b'{"message": "pull access denied for x"}'), ("pull access denied", "docker login")),
            (steps({"errorDetail": {"message": 'a "quoted" \x1b reason'}, "error": "x"}), ('a "quoted"',)),
            (steps({"errorDetail": {"message": "long " * 100000}, "error": "x"}), ("long long",)),
            ((200, b'{"status":"' + b"x" * (2 << 20)), ("unexpected EOF",))):
        done, _ = pull(folder, answer, quiet=True)
        text = done.stderr.decode()
        tap.ok(done.returncode == 125 and all(w in text for w in words) and "\x1b" not in text and len(text.splitlines()) == 1,
               "a reason: %s" % words[0], program.said(done))
    done, _ = pull(folder, steps({"status": "done"}), image="-x/3", quiet=True)
    tap.ok(done.returncode == 0 or b"invalid reference" in done.stderr, "a name that looks like an option is a name", program.said(done))


def test_login(tap, folder):
    auth = base64.b64encode(b"me:pass:word?>~").decode()
    configure(folder, auths={"registry.example:5000": {"auth": auth}, "other.example": {"auth": "eDp5"}})
    done, logins = pull(folder, steps({"status": "done"}))
    tap.equal((done.returncode, [(one["username"], one["password"]) for one in logins]), (0, [("me", "pass:word?>~")]),
              "the user's login at this registry", program.said(done))
    tap.ok(b"pass" not in done.stdout + done.stderr, "which is not shown")
    _, logins = pull(folder, steps({"status": "done"}), image="team/python:3")
    tap.equal(logins, [], "and not sent for another one")


def test_build(tap, folder):
    """The older builder's request: nothing of the environment is in it."""
    missing, there = (404, b"{}"), (200, b'{"Id": "sha256:1"}')
    auth = base64.b64encode(b"me:word").decode()
    configure(folder, auths={"registry.example:5000": {"auth": auth}})
    pretender = Pretender(folder, honest, {("GET", "/containers/json"): (200, b"[]"), ("GET", "/json"): [missing, there],
                                           ("POST", "/build"): steps({"stream": "Step 1/1\n"})})
    with open(folder + "/Dockerfile", "w") as f:
        f.write("FROM registry.example:5000/base\n")
    done = subprocess.run(program.command("--dockerfile", folder + "/Dockerfile", "-c", "1"), stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=60, env=environment(folder, pretender))
    pretender.close()
    logins = decoded(pretender.headers, b"x-registry-config")
    tap.equal((done.returncode, [login["registry.example:5000"]["username"] for login in logins]), (0, ["me"]),
              "a build has the user's logins", program.said(done))
    tap.ok(b"word" not in done.stdout + done.stderr, "which are not shown")
    query = next(path for path in pretender.queries if "/build?" in path)
    tap.ok(VARIABLE not in query and "buildargs" not in query, "and no argument but those in the Dockerfile", query)


def test(tap):
    if not shutil.which("docker"):
        return tap.skip("images of registries", "needs the command docker (Debian: docker.io, docker-cli)")
    for name in ("progress", "failures", "login", "build"):
        with tempfile.TemporaryDirectory() as folder:
            globals()["test_" + name](tap, folder)
