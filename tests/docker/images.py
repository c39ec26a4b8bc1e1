# SPDX-License-Identifier: Apache-2.0
"""Images that are built for a run: from a Dockerfile, and with packages."""

import json
import os
import signal
import subprocess
import tempfile
import time

import engine
import program
from ends import wait_for

class Folder:
    """A build's context, and runs in it."""

    def __init__(self, docker):
        self.docker = docker

    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.path = self.temporary.name
        return self

    def __exit__(self, *args):
        self.temporary.cleanup()

    def write(self, name, text):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)
        return path

    def run(self, *words, **more):
        command = [word for word in program.command() if word != "--quiet"]
        return subprocess.run([*command, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=program.SECONDS, cwd=self.path,
                              env={**program.environment(self.docker.host), **more})

    def start(self, *words):
        return subprocess.Popen(program.command(*words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, cwd=self.path, env=program.environment(self.docker.host))


def built(docker):
    """The tags of images that were built for runs."""
    tags = {tag for i in docker.get("/images/json") for tag in i["RepoTags"] or []}
    return {tag for tag in tags if "glovebox-build:" in tag}


def built_ids(docker):
    """The images themselves: one may have several of these tags."""
    return {i["Id"] for i in docker.get("/images/json") if any("glovebox-build:" in tag for tag in i["RepoTags"] or [])}


def refused(tap, done, words, name, status=125):
    last = done.stderr.decode().splitlines()[-1:] or [""]
    tap.ok(done.returncode == status and not done.stdout and all(w in last[0] for w in words), name, program.said(done))


# ---- Dockerfiles ----


def test_dockerfile(tap, docker):
    with Folder(docker) as folder:
        folder.write("Dockerfile", "FROM %s\nCOPY . /data\nRUN echo built > /made\nENV COLOR=green\nUSER 4711\nENTRYPOINT [\"false\"]\n"
                     % engine.IMAGE)
        folder.write("deep/a.txt", "one")
        folder.write("secret", "no")
        folder.write(".dockerignore", "secret\n")
        os.symlink(folder.path + "/secret", os.path.join(folder.path, "link"))
        code = "import os; print(sorted(os.listdir('/data')), open('/data/deep/a.txt').read(), open('/made').read(), " \
               "os.environ['COLOR'], os.path.islink('/data/link'), os.path.exists('/data/link'), os.getuid())"
        done = folder.run("--dockerfile", ".", "-c", code)
        tap.equal(done.stdout, b"['.dockerignore', 'Dockerfile', 'deep', 'link'] one built\n green True False 65534\n",
                  "an image from a Dockerfile and its folder; no link is followed", program.said(done))
        tap.ok(b"step 2/" in done.stderr.lower() and b"COPY" in done.stderr, "its steps are shown", program.said(done))
        images = built(docker)
        done = folder.run("--dockerfile", "Dockerfile", "-c", "print(1)")
        tap.equal((done.stdout, done.stderr, built(docker)), (b"1\n", b"", images), "the second run builds nothing")
        ids = built_ids(docker)
        folder.write("secret", "changed")
        folder.run("--dockerfile", ".", "-c", "1")
        tap.equal(built_ids(docker), ids, "a change of what is left out is no other image")
        folder.write("deep/a.txt", "two")
        done = folder.run("--dockerfile", ".", "-c", "print(open('/data/deep/a.txt').read())")
        tap.equal((done.stdout, len(built_ids(docker))), (b"two\n", len(ids) + 1), "another byte, another image", program.said(done))
        done = folder.run("--dockerfile", ".", "--lang", "bash", "-c", "cat /data/deep/a.txt")
        tap.equal(done.stdout, b"two", "in other languages as well", program.said(done))


def test_file_alone(tap, docker):
    with Folder(docker) as folder:
        folder.write("sub/My.Dockerfile", "FROM %s\nRUN echo alone > /made\n" % engine.OTHER_IMAGE)
        with open(folder.path + "/sub/large", "wb") as f:
            f.truncate(2 << 30)
        done = folder.run("--dockerfile", "sub/My.Dockerfile", "--lang", "bash", "-c", "cat /made")
        tap.equal(done.stdout, b"alone\n", "a file that copies nothing goes without its folder", program.said(done))


def test_config(tap, docker):
    with Folder(docker) as folder:
        path = folder.write("Dockerfile", "FROM %s\nRUN echo configured > /made\n" % engine.IMAGE)
        folder.write("glovebox/glovebox.conf", "backend = docker\ndockerfile = %s\n" % path)
        done = folder.run("-c", "print(open('/made').read())", XDG_CONFIG_HOME=folder.path)
        tap.equal(done.stdout, b"configured\n\n", "a key of the config file", program.said(done))
        folder.write("glovebox/glovebox.conf", "e2b-template = absent\n")
        done = folder.run("-c", "print(1)", XDG_CONFIG_HOME=folder.path)
        tap.equal(done.stdout, b"1\n", "the template of another backend is no image", program.said(done))


def test_failed(tap, docker):
    with Folder(docker) as folder:
        folder.write("Dockerfile", "FROM %s\nRUN echo first; echo 'the end' >&2; exit 7\n" % engine.OTHER_IMAGE)
        done = folder.run("--dockerfile", ".", "-c", "1")
        refused(tap, done, ("--dockerfile .", "Step 2/3", "exit 7", "its last output: ", "the end"), "a step that fails")
        folder.write("Dockerfile", "FRO x\n")
        refused(tap, folder.run("--dockerfile", ".", "-c", "1"), ("unknown instruction",), "a file that is no Dockerfile")
        folder.write("Dockerfile", "FROM no-such-image-here:1\n")
        refused(tap, folder.run("--dockerfile", ".", "-c", "1"), ("no-such-image-here",), "a base that is missing")
        folder.write("Dockerfile", "FROM %s\nRUN --mount=type=cache,target=/x true\n" % engine.OTHER_IMAGE)
        refused(tap, folder.run("--dockerfile", ".", "-c", "1"), ("docker-buildx",), "one that needs BuildKit")
        folder.write("Dockerfile", "FROM %s\nRUN <<EOF\necho x\nEOF\n" % engine.OTHER_IMAGE)
        refused(tap, folder.run("--dockerfile", ".", "-c", "1"), ("docker-buildx",), "one with a document in it")
        refused(tap, folder.run("--dockerfile", "glovebox", "-c", "1"), ("--dockerfile glovebox: No such file",), "no file", 2)
        refused(tap, folder.run("--dockerfile", ".", "--image", "x", "-c", "1"), ("exclude each other",), "an image, too", 2)
        refused(tap, folder.run("--backend", "jail", "--dockerfile", ".", "-c", "1"), ("builds no images",), "another backend", 2)


def test_events(tap, docker):
    with Folder(docker) as folder:
        folder.write("Dockerfile", "FROM %s\nRUN echo event\n" % engine.IMAGE)
        done = folder.run("--dockerfile", ".", "--events", "-c", "1")
        events = [json.loads(line) for line in done.stdout.splitlines()]
        steps = [e["message"] for e in events if e["event"] == "preparing"]
        tap.ok("event" in steps and not done.stderr, "the steps are events", steps, done.stderr)
        folder.write("Dockerfile", "FROM %s\nRUN echo quiet\n" % engine.IMAGE)
        done = folder.run("--dockerfile", ".", "--quiet", "-c", "1")
        tap.equal((done.returncode, done.stderr), (0, b""), "--quiet shows none")


def test_side_by_side(tap, docker):
    with Folder(docker) as folder:
        folder.write("Dockerfile", "FROM %s\nRUN sleep 1; echo together > /made\n" % engine.IMAGE)
        runs = [folder.start("--dockerfile", ".", "-c", "print(open('/made').read())") for _ in range(3)]
        tap.equal([run.communicate(timeout=60)[0] for run in runs], [b"together\n\n"] * 3, "three builds of one context at once")


def test_stopped(tap, docker):
    """The engine ends a build whose client is gone."""
    with Folder(docker) as folder:
        for number, status in ((signal.SIGINT, 130), (signal.SIGKILL, -9)):
            folder.write("Dockerfile", "FROM %s\nRUN sleep 60; echo %d\n" % (engine.IMAGE, number))
            run = folder.start("--dockerfile", ".", "-c", "1")
            wait_for(lambda: [c for c in docker.containers() if c["State"] == "running"])
            began = time.monotonic()
            run.send_signal(number)
            run.communicate(timeout=60)
            tap.ok(run.returncode == status and time.monotonic() - began < 10, "signal %d ends a build" % number, run.returncode)
            tap.ok(wait_for(lambda: not docker.containers()), "and its container", docker.containers())


# ---- packages (more in packages.py) ----


def test_packages_refused(tap, docker):
    with Folder(docker) as folder:
        refused(tap, folder.run("--pip", "numpy", "-c", "1"), ("--pip: the image has no pip",), "an image without pip")
        refused(tap, folder.run("--pip", "numpy", "--lang", "bash", "-c", "1"), ("packages for Python", "bash"), "another language", 2)


def derive(docker, base, name):
    """What `docker build` of FROM base makes: the labels are inherited."""
    made = json.loads(docker.ask("POST", "/containers/create", json.dumps({"Image": base, "Cmd": ["true"]}))[1])["Id"]
    docker.ask("POST", "/commit?container=%s&repo=%s&tag=1" % (made, name))
    docker.ask("DELETE", "/containers/%s?force=1" % made)


def test_clean(tap, docker):
    base = sorted(built(docker))[0]
    derive(docker, base, "mine/app")
    docker.ask("POST", "/images/%s/tag?repo=registry.example/glovebox-build&tag=1" % base)
    docker.ask("POST", "/images/%s/tag?repo=mine/second&tag=name" % sorted(built(docker))[-1])
    mine = {"mine/app:1", "registry.example/glovebox-build:1", "mine/second:name"}
    done = subprocess.run([program.GLOVEBOX, "doctor", "--clean"], capture_output=True, timeout=60, env=program.environment(docker.host))
    left = {name for i in docker.get("/images/json") if "io.glovebox.owner" in (i["Labels"] or {}) for name in i["RepoTags"] or []}
    tap.ok(done.returncode == 0 and left - {"<none>:<none>"} == mine, "doctor --clean removes all names of ours, and no other", program.said(done), left)
    for name in mine:
        tap.equal(docker.ask("DELETE", "/images/%s?force=1" % name)[0], 200, "a user's image is whole: " + name)


def test(tap, docker):
    for function in (test_dockerfile, test_file_alone, test_config, test_failed, test_events, test_side_by_side, test_stopped,
                     test_packages_refused, test_clean):
        function(tap, docker)
    tap.equal(docker.containers(), [], "no container is left")
