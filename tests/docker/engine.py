# SPDX-License-Identifier: Apache-2.0
"""A Docker engine of the tests' own: on a private socket, with a private data folder, without a bridge or firewall
rules, and with an image made of this machine's files. Nothing is downloaded.

    with engine.started() as docker:
        docker.host                     # for $DOCKER_HOST
        docker.containers()             # all, as the engine lists them
    engine.why_not()                    # why there can be none here, or None
"""

import contextlib
import glob
import http.client
import io
import json
import os
import shutil
import signal
import socket
import subprocess
import tarfile
import tempfile
import time

IMAGE = "python:3.11-slim"
OTHER_IMAGE = "debian:bookworm-slim"
PROGRAMS = ("/bin/sh", "/bin/bash", "/usr/bin/env", "/usr/bin/head", "/usr/bin/cat", "/usr/bin/sleep", "/usr/bin/id",
            "/usr/bin/ls", "/usr/bin/mkfifo", "/usr/bin/ln", "/usr/bin/touch", "/usr/bin/mkdir", "/usr/bin/chmod",
            "/usr/bin/true", "/usr/bin/seq", "/usr/bin/wc", "/usr/bin/echo", "/usr/bin/yes", "/usr/bin/truncate", "/usr/bin/setsid", "/usr/bin/tr", "/usr/bin/sort",
            "/usr/bin/tty")
DATA = ("/usr/lib/locale/C.utf8", "/usr/share/zoneinfo/Asia/Tokyo")
START_SECONDS = 60
# Podman's own are more than many hosts permit.
LIMITS = [{"Name": name, "Soft": 1024, "Hard": 1024} for name in ("nofile", "nproc")]
SBIN = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


def why_not(programs=("dockerd", "containerd", "runc", "docker")):
    if os.geteuid() != 0:
        return "root, to start a container engine"
    for program in programs:
        if not shutil.which(program, path=SBIN):
            return "the program %s (Debian: docker.io, podman)" % program
    return None


class NoEngine(Exception):
    """An engine is installed, and this machine does not let it start itself or a container."""


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=120)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Engine:
    def __init__(self, folder):
        self.folder = folder
        self.path = os.path.join(folder, "engine.sock")
        self.host = "unix://" + self.path
        self.process = None

    def command(self):
        more = ["--add-runtime", "runsc=" + self.make_gvisor()] if shutil.which("runsc", path=SBIN) else []
        return ["dockerd", *more, "--host", self.host, "--data-root", self.folder + "/data", "--exec-root", self.folder + "/exec",
                "--pidfile", self.folder + "/pid", "--add-runtime", "other=" + self.make_runtime(), "--bridge=none",
                "--iptables=false", "--ip6tables=false", "--ip-forward=false", "--ip-masq=false"]

    def start(self):
        log = open(os.path.join(self.folder, "log"), "ab")
        self.process = subprocess.Popen(
            self.command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            env={**os.environ, "PATH": SBIN})
        log.close()
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until and self.process.poll() is None:
            with contextlib.suppress(OSError):
                if self.ask("GET", "/_ping")[0] == 200:
                    return
            time.sleep(0.1)
        raise NoEngine(self.words().strip().rpartition("\n")[2] or "the engine is silent")

    def make_runtime(self):
        """A second runtime, which notes that it was used."""
        path = self.folder + "/other-runtime"
        with open(path, "w") as f:
            f.write('#!/bin/sh\n: > "%s.used"\nexec "%s" "$@"\n' % (path, shutil.which("runc", path=SBIN)))
        os.chmod(path, 0o755)
        return path

    def make_gvisor(self):
        """Without the network of its own, which older versions cannot set up on newer kernels."""
        path = self.folder + "/gvisor"
        with open(path, "w") as f:
            f.write('#!/bin/sh\nexec "%s" --network=none "$@"\n' % shutil.which("runsc", path=SBIN))
        os.chmod(path, 0o755)
        return path

    def used_runtime(self):
        """Whether it was used since the last call."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.folder + "/other-runtime.used")
            return True
        return False

    def words(self):
        with open(os.path.join(self.folder, "log"), errors="replace") as f:
            return f.read()[-600:]

    def stop(self):
        """With everything it started: its containerd and the shims of its containers are in its session."""
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.kill_children()

    def kill_children(self):
        """Processes that name our folder on their command line: what a killed engine left."""
        for path in glob.glob("/proc/[0-9]*/cmdline"):
            with contextlib.suppress(OSError, ValueError):
                with open(path, "rb") as f:
                    words = f.read()
                if self.folder.encode() in words and int(path.split("/")[2]) != os.getpid():
                    os.kill(int(path.split("/")[2]), signal.SIGKILL)
        with contextlib.suppress(OSError):  # else the next engine waits for that containerd, if nobody reaped it
            os.unlink(self.folder + "/exec/containerd/containerd.pid")

    def ask(self, method, path, body=None, kind="application/json"):
        connection = Connection(self.path)
        try:
            connection.request(method, path, body, {"Content-Type": kind})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def get(self, path):
        status, body = self.ask("GET", path)
        if status != 200:
            raise RuntimeError("%s: %d %r" % (path, status, body[:300]))
        return json.loads(body)

    def try_container(self):
        body = json.dumps({"Image": IMAGE, "Cmd": ["python3", "-c", ""], "HostConfig": {"NetworkMode": "none", "Ulimits": LIMITS}})
        status, answer = self.ask("POST", "/containers/create", body)
        if status == 201:
            one = "/containers/" + json.loads(answer)["Id"]
            status, answer = self.ask("POST", one + "/start")
            self.ask("DELETE", one + "?force=1")
        if status >= 400:
            raise NoEngine(answer.decode(errors="replace").strip())

    def containers(self):
        return self.get("/containers/json?all=1")

    def add_image(self, name, archive):
        repository, tag = name.rsplit(":", 1)
        status, body = self.ask("POST", "/images/create?fromSrc=-&repo=%s&tag=%s" % (repository, tag), archive,
                                "application/x-tar")
        if status != 200 or b'"error"' in body:
            raise RuntimeError("no image %s: %r" % (name, body[-300:]))

    def add_more_images(self):
        """Those of Node.js and R, where this machine has them. Once."""
        known = {name for image in self.get("/images/json") for name in image["RepoTags"] or ()}
        for name, paths in MORE_IMAGES.items():
            if name not in known and os.path.exists(paths[0]):
                self.add_image(name, make_archive(paths))


class Podman(Engine):
    """Podman's service, with storage of its own."""

    def command(self):
        return ["podman", "--root", self.folder + "/data", "--runroot", self.folder + "/exec", "--cgroup-manager", "cgroupfs",
                "--events-backend", "none", "system", "service", "--time", "0", self.host]

    def add_image(self, name, archive):
        repository, tag = name.rsplit(":", 1)
        status, body = self.ask("POST", "/images/create?fromSrc=-&repo=" + repository, archive, "application/x-tar")
        if status == 200:  # it takes no tag with the archive
            status, body = self.ask("POST", "/images/%s:latest/tag?repo=%s&tag=%s" % (repository, repository, tag))
        if status != 201:
            raise RuntimeError("no image %s: %r" % (name, body[-300:]))


def libraries(program):
    done = subprocess.run(["ldd", program], capture_output=True, text=True)
    return [word for line in done.stdout.splitlines() for word in line.split() if word.startswith("/")]


PYTHON = ("/usr/bin/python3", "/usr/lib/" + os.path.basename(os.path.realpath("/usr/bin/python3")))
MORE_IMAGES = {  # a program, and folders: images that only some parts need
    "node:22-slim": ("/usr/bin/node", "/usr/share/nodejs"),
    "r-base:4.4.3": ("/usr/bin/Rscript", "/usr/bin/R", "/usr/lib/R", "/etc/R", "/usr/share/R", "/bin/uname", "/bin/sed",
                     "/bin/grep", "/bin/dirname", "/bin/rm", "/usr/bin/which"),
}
NOT_NEEDED = ("test", "__pycache__", "idlelib", "tkinter", "lib2to3", "ensurepip", "doc", "translations")


def files_below(root):
    """All but what no test uses, and compiled caches."""
    for folder, folders, files in os.walk(root):
        folders[:] = [f for f in folders if f not in NOT_NEEDED]
        for name in files:
            yield os.path.join(folder, name)


def with_libraries(paths):
    """The files of programs and folders, and the libraries of those files."""
    for path in paths:
        for file in files_below(path) if os.path.isdir(path) else [path]:
            yield file
            if file.endswith(".so") or os.access(file, os.X_OK):
                yield from libraries(os.path.realpath(file))


def make_archive(more):
    """A root folder with a shell, a few tools, and more programs and folders, as a tar archive."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", dereference=True) as tar:
        for folder in ("tmp", "etc", "proc", "sys", "dev", "root"):
            entry = tarfile.TarInfo(folder)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o1777 if folder == "tmp" else 0o755
            tar.addfile(entry)
        for path in sorted(set(with_libraries((*PROGRAMS, *DATA, *more)))):
            if os.path.isfile(path):
                tar.add(os.path.realpath(path), path.lstrip("/"), recursive=False)
    return out.getvalue()


@contextlib.contextmanager
def started(kind=Engine):
    folder = tempfile.mkdtemp(prefix="glovebox-engine-")
    engine = kind(folder)
    try:
        engine.start()
        engine.add_image(IMAGE, make_archive(PYTHON))
        engine.add_image(OTHER_IMAGE, make_archive(()))
        engine.try_container()
        yield engine
    finally:
        engine.stop()
        unmount(folder)
        shutil.rmtree(folder, ignore_errors=True)


def unmount(folder):
    with open("/proc/self/mounts") as f:
        places = [line.split()[1] for line in f]
    for place in sorted(places, reverse=True):
        if place.startswith(folder):
            subprocess.run(["umount", "-l", place], stderr=subprocess.DEVNULL)
