# SPDX-License-Identifier: Apache-2.0
"""What glovebox is measured beside: bare Python, bubblewrap, firejail, isolate, Docker. Each says why it is
missing where it is."""

import atexit
import glob
import os
import shutil
import subprocess
import tarfile
import tempfile

import common


class Bare:
    """bench/bare.py, kept running; on one processor where asked for."""

    def __init__(self, processor=None):
        def prepare():
            if processor is not None:
                os.sched_setaffinity(0, {processor})
        self.process = subprocess.Popen(
            [common.PYTHON, "-I", os.path.join(common.HERE, "bare.py")], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, preexec_fn=prepare)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    def tell(self, what, number):
        self.process.stdin.write("%s %d\n" % (what, number))
        self.process.stdin.flush()

    def cpu_ms(self):
        """Its own and its children's."""
        return common.cpu_ms(self.process.pid, with_children=True)

    def ms(self, what, number):
        self.tell(what, number)
        return [float(us) / 1e3 for us in self.process.stdout.readline().split()]


def bare(*flags):
    return [common.PYTHON, "-I", *flags, "-c", "print(1)"]


def bwrap():
    """The namespaces and the read-only view of glovebox; no filter, no limits, no log."""
    if not shutil.which("bwrap"):
        return None, "no bwrap on this machine"
    command = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--ro-bind", "/usr", "/usr",
               "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64", "--symlink", "usr/bin", "/bin",
               "--ro-bind", "/etc", "/etc", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", *bare()]
    return tried(command, "bwrap")


def firejail():
    if not shutil.which("firejail"):
        return None, "no firejail on this machine"
    return tried(["firejail", "--quiet", "--noprofile", "--net=none", "--private", "--seccomp", "--caps.drop=all",
                  *bare()], "firejail")


def isolate():
    if not shutil.which("isolate"):
        return None, "no isolate on this machine"
    if subprocess.run(["isolate", "--init"], capture_output=True).returncode:
        return None, "isolate cannot start here"
    return tried(["isolate", "--run", "--", *bare()], "isolate")


def tried(command, name):
    said = subprocess.run(command, capture_output=True, text=True)
    if said.returncode or said.stdout != "1\n":
        return None, "%s does not work here: %s" % (name, said.stderr.strip()[-100:])
    return command, ""


class Docker:
    """A dockerd of the bench's own, with everything of it in a folder, and an image of this machine's Python."""

    GROUP = "glovebox-bench-docker-%d" % os.getpid()
    IMAGE = "glovebox-bench"

    def __init__(self):
        self.why, self.process = self.missing(), None
        if self.why:
            return
        self.folder = tempfile.mkdtemp(prefix="docker-", dir=common.folder)
        self.host = "unix://" + os.path.join(self.folder, "docker.sock")
        self.had_run = os.path.isdir("/run/docker")
        atexit.register(self.stop)
        self.start()
        if not self.why:
            self.load()
        if self.why:
            self.stop()

    @staticmethod
    def missing():
        for name in ("docker", "dockerd", "containerd", "runc"):
            if not shutil.which(name):
                return "no %s on this machine" % name
        return "" if os.geteuid() == 0 else "no root for a dockerd of its own"

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self):
        said = open(self.path("said"), "w")
        self.process = subprocess.Popen(
            ["dockerd", "--data-root", self.path("data"), "--exec-root", self.path("exec"), "--pidfile",
             self.path("pid"), "-H", self.host, "--bridge=none", "--iptables=false", "--ip-forward=false",
             "--ip-masq=false"], stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True)
        if not common.wait_for(self.answers, 40):
            with open(self.path("said")) as f:
                self.why = "dockerd did not start: " + (f.read().splitlines() or [""])[-1][-120:]

    def docker(self, *words, **how):
        return subprocess.run(["docker", "-H", self.host, *words], capture_output=True, **how)

    def answers(self):
        return self.process.poll() is not None or self.docker("info").returncode == 0

    def load(self):
        """Without any registry: a file system of nothing but Python and the libraries it names."""
        load = subprocess.Popen(["docker", "-H", self.host, "import", "-", self.IMAGE], stdin=subprocess.PIPE,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with tarfile.open(fileobj=load.stdin, mode="w|") as tar:
            self.pack(tar)
        load.stdin.close()
        if load.wait() or self.docker(*self.words()[3:]).stdout != b"1\n":
            self.why = "Docker does not run here: %s" % self.docker(*self.words()[3:]).stderr.decode()[-120:]

    @staticmethod
    def pack(tar):
        python = os.path.realpath(common.PYTHON)
        needs = subprocess.run(["ldd", python], capture_output=True, text=True).stdout
        for library in {word for word in needs.split() if word.startswith("/")}:
            tar.add(os.path.realpath(library), library)
        tar.add(python, common.PYTHON)
        library = subprocess.run([python, "-I", "-c", "import sysconfig; print(sysconfig.get_path('stdlib'))"],
                                 capture_output=True, text=True).stdout.strip()
        without = ("/test", "/ensurepip", "/idlelib", "-packages")
        tar.add(library, filter=lambda i: None if any(w in i.name for w in without) else i)

    def words(self):
        return ["docker", "-H", self.host, "run", "--rm", "--network", "none", "--cgroup-parent", "/" + self.GROUP,
                self.IMAGE, *bare()]

    def stop(self):
        if not self.process:
            return
        common.stop(self.process, 30)
        self.process = None
        with open("/proc/self/mounts") as f:
            mounts = [line.split()[1] for line in f]
        for place in reversed([m for m in mounts if m.startswith(self.folder + "/")]):
            subprocess.run(["umount", "-l", place], capture_output=True)
        for group in glob.glob("/sys/fs/cgroup/*/" + self.GROUP) + glob.glob("/sys/fs/cgroup/" + self.GROUP):
            common.remove_empty(group)
        if not self.had_run:
            common.remove_empty("/run/docker")
        shutil.rmtree(self.folder, True)


started = []


def docker():
    """The command, or None and why; the daemon is started by who asks first, and stays to the end."""
    if os.environ.get("BENCH_DOCKER", "1") == "0":
        return None, "BENCH_DOCKER=0"
    if not started:
        started.append(Docker())
    return (None, started[0].why) if started[0].why else (started[0].words(), "")


def all_commands():
    """[(name, command or None, why, how often it takes part)]"""
    return [("bubblewrap, all namespaces, no filter", *bwrap(), 1), ("firejail", *firejail(), 1),
            ("isolate", *isolate(), 1), ("docker run --rm --network none", *docker(), 10)]
