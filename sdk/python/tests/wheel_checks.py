# SPDX-License-Identifier: Apache-2.0
"""The wheel alone is enough: it is installed on a root that has Python and nothing else, and used there."""

import glob
import os
import platform
import re
import shutil
import sys
import tempfile
import zipfile

import clean_root
import venvs

USE = """
import os, shutil
from glovebox_sandbox import Sandbox, private
from glovebox_sandbox.core import Box
assert not any(map(shutil.which, ("gcc", "cc", "make", "curl")))
with Sandbox(memory="256m") as box:
    assert box.run("print(6 * 7)").stdout == "42\\n"
    box.exec("x = 1")
    assert box.exec("x + 1").value == 2
    with box.fork() as copy:
        assert copy.exec("x").value == 1
    print("layers:", " ".join(box.exec("1").isolation))
with Box() as box:
    assert box.exec("echo hi").stdout == b"hi\\n"
print(private._daemon.process.args[0])
"""


def wheel_in(tap, folder):
    status, output = venvs.run([os.path.join(venvs.SDK, "make-wheel"), os.path.join(venvs.ROOT, "build"), folder], 900)
    tap.ok(status == 0 and "manylinux" in output, "make-wheel makes a manylinux wheel", output)
    made = glob.glob(os.path.join(folder, "*.whl"))
    if made:
        check_content(tap, made[0])
    return made


def check_content(tap, path):
    tap.ok(path.endswith(f"_{platform.machine()}.whl"), "it is named after this machine's architecture", path)
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        info = next(name for name in names if name.endswith("/METADATA")).rpartition("/")[0]
        listed = re.findall(r"^License-File: (.+)$", wheel.read(info + "/METADATA").decode(), re.M)
    texts = [name.partition("/licenses/")[2] for name in names if name.startswith(info + "/licenses/")]
    tap.equal(sorted(texts), sorted(listed), "the metadata lists each licence text")
    libraries = {re.match(r"lib[a-z]+", os.path.basename(name))[0] for name in names if ".libs/lib" in name}
    tap.ok("libcurl" in libraries and {"libcurl4.txt", "libjansson-dev.txt", "LICENSE"} <= set(texts),
           "there is one for libraries that were copied or linked in", texts)


def test(tap):
    if os.geteuid() != 0:
        tap.skip("the wheel", "needs root")
        return
    with tempfile.TemporaryDirectory(prefix="glovebox-wheel-") as folder:
        root, wheels = os.path.join(folder, "root"), os.path.join(folder, "wheels")
        made = wheel_in(tap, wheels)
        status, output = venvs.pip(sys.executable, "download", "-q", "-d", wheels, *made, "pip")
        if not tap.ok(status == 0, "what it depends on can be fetched", output):
            return
        clean_root.make(root)
        shutil.copytree(wheels, root + "/wheels")
        python = os.path.realpath(sys.executable)
        inside = [sys.executable, clean_root.__file__, root, python]
        pip = os.path.basename(glob.glob(wheels + "/pip-*.whl")[0])
        install = [f"/wheels/{pip}/pip", "install", "-q", "--no-index", "--find-links", "/wheels", "glovebox-sandbox"]
        status, output = venvs.run([*inside, *install])
        tap.ok(status == 0, "pip installs the wheel alone", output)
        status, output = venvs.run([*inside, "-W", "error", "-c", USE])
        tap.ok(status == 0 and "/glovebox_sandbox/programs/glovebox" in output, "run, exec and fork work there", output)
        tap.note(output.strip().replace("\n", "; "))
        script = os.path.join(os.path.dirname(python), "glovebox")
        status, output = venvs.run([*inside[:-1], script, "run", "--lang", "bash", "-c", "echo 7"])
        tap.ok(status == 0 and "7" in output, "the command glovebox is there", output)
