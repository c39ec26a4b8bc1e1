# SPDX-License-Identifier: Apache-2.0
"""Where a Python may be: below /tmp, which is each guest's own inside, below a folder that only its user may enter, in a
home. Virtual environments, and whole Pythons as pyenv and uv install them. As root, and as a user to whom control groups were handed."""

import os
import shutil
import subprocess
import sys
import tempfile
import time

from feed import ROOT, Feed
from modules import PYTHON, make_python

USER = 63778  # nobody's
CODE = "import sys\nfrom numpy import x\nprint(sys.prefix, sys.base_prefix, x)\nimport colorsys\nprint(colorsys.rgb_to_hsv(1, 1, 1))\n"
# Enters the groups, becomes the user and begins.
ENTER = """
import os, sys
user, count = int(sys.argv[1]), int(sys.argv[2])
for group in sys.argv[3:3 + count]:
    with open(group + "/cgroup.procs", "w") as f:
        f.write("0")
os.setgroups([]); os.setgid(user); os.setuid(user)
os.execv(sys.argv[3 + count], sys.argv[3 + count:])
"""


def version():
    return subprocess.run([PYTHON, "-c", "import sys; print('python%d.%d' % sys.version_info[:2])"], capture_output=True, text=True).stdout.strip()


def make_whole_python(folder):
    """A Python with its own library, as a program that needs no installation has it."""
    name = version()
    os.makedirs(os.path.join(folder, "bin"))
    shutil.copy(os.path.realpath(PYTHON), os.path.join(folder, "bin", name))
    os.symlink(name, os.path.join(folder, "bin", "python3"))
    shutil.copytree("/usr/lib/" + name, os.path.join(folder, "lib", name), symlinks=True,
                    ignore=lambda _, names: [n for n in names if n in ("test", "idlelib", "dist-packages", "ensurepip", "sitecustomize.py")])
    with open(os.path.join(folder, "lib", name, "numpy.py"), "w") as f:
        f.write("x = 'whole'\n")


def make_environment_of(folder, base):
    make_python(folder, {"numpy": "x = 'environment'\n"})
    link = os.path.join(folder, "bin", "python3")
    os.unlink(link)
    os.symlink(os.path.join(base, "bin", "python3"), link)
    with open(os.path.join(folder, "pyvenv.cfg"), "w") as f:
        f.write(f"home = {base}/bin\ninclude-system-site-packages = false\n")


def make_all(top):
    """The Pythons below this folder, by what they are."""
    shown = {"an environment": os.path.join(top, "environment"), "a whole Python": os.path.join(top, "whole"),
             "an environment of that": os.path.join(top, "environment-of-whole")}
    make_python(shown["an environment"], {"numpy": "x = 'environment'\n"})
    make_whole_python(shown["a whole Python"])
    make_environment_of(shown["an environment of that"], shown["a whole Python"])
    return shown


class Folder:
    """A folder of the user's, removed at the end."""

    def __init__(self, above, mode, user):
        self.above, self.mode, self.user = above, mode, user

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="gbplaces-", dir=self.above)
        self.pythons = make_all(self.path)
        for top, folders, files in os.walk(self.path):
            for name in (top, *(os.path.join(top, n) for n in folders + files)):
                os.lchown(name, self.user, self.user)
        os.chmod(self.path, self.mode)
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path)


class Delegated:
    """Control groups of version 1 that are the user's, and a copy of the program that the user may start."""

    def __enter__(self):
        with open("/proc/self/cgroup") as f:
            own = {name: path for _, names, path in (line.strip().split(":", 2) for line in f) for name in names.split(",")}
        self.groups, self.folder = [], tempfile.mkdtemp(prefix="gbplaces-")
        for name in ("memory", "pids", "cpu"):
            above = f"/sys/fs/cgroup/{name}{own.get(name, '/')}".rstrip("/")
            group = f"{above}/gbplaces-{os.getpid()}"
            if name not in own or not os.access(above, os.W_OK):
                return None
            os.mkdir(group)
            self.groups.append(group)
            for top, _, files in os.walk(group):
                for path in (top, *(os.path.join(top, n) for n in files)):
                    os.chown(path, USER, USER)
        program = os.environ.get("WARM_FEED") or os.path.join(ROOT, "build", "tests", "warm-feed")
        build = os.path.dirname(os.path.dirname(os.path.abspath(program)))
        os.makedirs(os.path.join(self.folder, "tests"))
        os.chmod(self.folder, 0o755)
        self.program = shutil.copy(program, os.path.join(self.folder, "tests"))
        for name in ("glovebox-jail", "glovebox-zygote.so"):
            shutil.copy(os.path.join(build, name), self.folder)
        home = os.path.join(self.folder, "home")
        os.mkdir(home, 0o700)
        os.chown(home, USER, USER)
        self.env = dict(os.environ, HOME=home, WARM_FEED=self.program)
        return self

    def launcher(self):
        return [sys.executable, "-ISc", ENTER, str(USER), str(len(self.groups)), *self.groups]

    def __exit__(self, *_):
        end = time.monotonic() + 20
        for group in self.groups:
            while time.monotonic() < end:
                try:
                    os.rmdir(group)
                    break
                except OSError:
                    time.sleep(0.1)
        shutil.rmtree(self.folder)


def check(tap, feed, name, python):
    cold = feed.run(CODE, warm=False, python=python)
    if not tap.ok(cold["success"] and os.path.dirname(os.path.dirname(python)) in cold["stdout"], f"{name}: it runs", cold):
        return
    feed.run(CODE, python=python)
    end = time.monotonic() + 60
    warm = feed.run(CODE, python=python)
    while warm["taken"] == "cold" and time.monotonic() < end:
        time.sleep(0.1)
        warm = feed.run(CODE, python=python)
    tap.ok(warm["taken"] != "cold", f"{name}: ... and is warm", feed.stats())
    tap.equal([warm["success"], warm["stdout"], warm["stderr"]], [True, cold["stdout"], cold["stderr"]], f"{name}: ... with the same result")


def test_places(tap, who, user, home, **how):
    places = {"below /tmp": ("/tmp", 0o755), "below /var/tmp": ("/var/tmp", 0o755), "in a folder of its user's alone below /tmp": ("/tmp", 0o700),
              "in its user's home": (home, 0o700)}
    for place, (above, mode) in places.items():
        with Folder(above, mode, user) as folder, Feed(**how) as feed:
            for name, path in folder.pythons.items():
                check(tap, feed, f"{who}: {name} {place}", os.path.join(path, "bin", "python3"))


def test_shown(tap):
    """Other views below the guest's own folders."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder, Feed() as feed:
        os.chmod(folder, 0o755)
        with open(os.path.join(folder, "file"), "w") as f:
            f.write("shown")
        ro = [folder, folder + ":/box/work/in", folder + ":/box/data", folder + "/file:/tmp/deep/er/file"]
        code = f"import os\nfor p in ({folder!r} + '/file', 'in/file', '/box/data/file', '/tmp/deep/er/file'): print(open(p).read())\n" \
               f"print(sorted(os.listdir('.')), sorted(os.listdir('/box')))\nfor p in ({folder!r}, 'in', '/box/data'):\n" \
               "    try: open(p + '/new', 'w')\n    except OSError as e: print(e.strerror)\nopen('/tmp/own', 'w').close(); open('made', 'w').close()\n"
        cold = feed.run(code, warm=False, ro=ro)
        feed.warm_up(ro=ro)
        for _ in range(3):
            warm = feed.run(code, ro=ro)
            tap.ok(warm["taken"] != "cold" and warm["stdout"] == cold["stdout"] and warm["stdout"].count("shown") == 4 and warm["stdout"].count("Read-only") == 3,
                   "folders and a file of the host", warm, cold)
            tap.equal([f["path"] for f in warm["files"]], ["made"], "... of which none is collected")
        tap.equal(os.listdir(folder), ["file"], "... nor changed")


def test(tap):
    root = os.geteuid() == 0
    test_places(tap, "root" if root else "user", os.geteuid(), os.path.expanduser("~"))
    test_shown(tap)
    if not root:
        tap.skip("a user with control groups", "needs root")
        return
    with Delegated() as delegated:
        if not delegated:
            tap.skip("a user with control groups", "needs control groups of version 1 that root may write")
            return
        home = os.path.join(delegated.folder, "home")
        test_places(tap, "user", USER, home, program=delegated.program, launcher=delegated.launcher(), env=delegated.env)
