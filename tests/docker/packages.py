# SPDX-License-Identifier: Apache-2.0
"""Packages that pip installs for a run, from a folder in the image. Its start without compiled files takes long, so this
part runs by its name alone: tests/docker/run.py packages."""

import base64
import glob
import hashlib
import os
import zipfile

import engine
from images import Folder, built, refused
import program

PIP_WHEELS = "/usr/share/python-wheels/pip-*.whl", "/usr/lib/python3*/ensurepip/_bundled/pip-*.whl"
NO_INDEX = "[global]\nno-index = true\nfind-links = /wheels\n"


def make_wheel(folder, name, text):
    """A package of one module."""
    info = "%s-1.0.dist-info" % name
    files = {name + ".py": text, info + "/METADATA": "Metadata-Version: 2.1\nName: %s\nVersion: 1.0\n" % name,
             info + "/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    record = "".join("%s,sha256=%s,%d\n" % (path, base64.urlsafe_b64encode(hashlib.sha256(data.encode()).digest()).rstrip(b"=").decode(),
                                             len(data)) for path, data in files.items())
    os.makedirs(folder.path + "/wheels", exist_ok=True)
    with zipfile.ZipFile("%s/wheels/%s-1.0-py3-none-any.whl" % (folder.path, name), "w") as wheel:
        for path, data in {**files, info + "/RECORD": record + info + "/RECORD,,\n"}.items():
            wheel.writestr(path, data)


def with_pip(folder, wheel):
    """A Dockerfile of an image with pip, which finds its packages in /wheels."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder.path + "/pip")
    make_wheel(folder, "first_thing", "value = 41\n")
    make_wheel(folder, "other_thing", "value = 1\n")
    folder.write("pip.conf", NO_INDEX)
    folder.write("Dockerfile", "FROM %s\nCOPY pip /usr/lib/python3/dist-packages/\nCOPY wheels /wheels\nCOPY pip.conf /etc/\n" % engine.IMAGE)


def test_packages(tap, docker):
    wheels = [path for pattern in PIP_WHEELS for path in glob.glob(pattern)]
    if not wheels:
        tap.skip("packages", "needs a wheel of pip (Debian: python3-venv)")
        return
    with Folder(docker) as folder:
        with_pip(folder, wheels[0])
        folder.write("sum.py", "import first_thing, other_thing\nprint(first_thing.value + other_thing.value)\n")
        code = "import os; os.execlp('python3', 'python3', 'sum.py')"
        done = folder.run("--dockerfile", ".", "--pip", "first-thing, other_thing;", "--file", "sum.py", "-c", code)
        tap.ok(done.stdout == b"42\n" and b"Successfully installed" in done.stderr and b"ARG" not in done.stderr,
               "packages, installed for the run", program.said(done))
        images = built(docker)
        done = folder.run("--dockerfile", ".", "--pip", "other_thing first-thing", "--pip", "first-thing", "--file", "sum.py", "-c", code)
        tap.equal((done.stdout, done.stderr, built(docker)), (b"42\n", b"", images), "once, whatever their order")
        done = folder.run("--dockerfile", ".", "--pip", " ,; ", "-c", "print(1)")
        tap.equal((done.stdout, built(docker)), (b"1\n", images), "blank is none")
        done = folder.run("--dockerfile", ".", "--pip", "no-such-thing", "-c", "1")
        refused(tap, done, ("--pip: there is no such package", "no-such-thing"), "an unknown one")
        done = folder.run("--dockerfile", ".", "--pip", "x; rm -rf /", "-c", "1")
        refused(tap, done, ("'-rf' is not the name of a package",), "words for a shell", 2)


def packages(tap, docker):
    test_packages(tap, docker)
    tap.equal(docker.containers(), [], "no container is left")
