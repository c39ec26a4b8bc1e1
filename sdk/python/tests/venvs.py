# SPDX-License-Identifier: Apache-2.0
"""Virtual environments for the tests, and pytest in them, told in TAP."""

import glob
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

SDK = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(os.path.dirname(SDK))
# What lies below /tmp is not shown to a guest before it starts, so sessions with such a Python cannot be forked.
VENVS = os.path.join(os.path.expanduser("~/.cache/glovebox") if ROOT.startswith("/tmp/") else os.path.join(ROOT, "build"),
                     "sdk-venvs")
INSTALL_S, TEST_S = 600, 600
SMALL_PACKAGE = "iniconfig==2.1.0"
_NOT_OURS = re.compile(r"GLOVEBOX_|XDG_|PYTHON|VIRTUAL_ENV|.*API_KEY")


def run(argv, limit=TEST_S, **more):
    """The exit status and the output of a program. One that takes too long is stopped with all that it started."""
    process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, errors="replace", start_new_session=True, **more)
    try:
        output, _ = process.communicate(timeout=limit)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return None, process.communicate()[0] + "\nstopped after %d s" % limit


def pip(python, *words):
    return run([python, "-m", "pip", "--disable-pip-version-check", *words], INSTALL_S)


def interpreter_of(version):
    """Also one of pyenv, whose names in $PATH start nothing unless it was chosen."""
    for path in (*sorted(glob.glob(os.path.expanduser(f"~/.pyenv/versions/{version}.*/bin/python"))),
                 shutil.which("python" + version) or ""):
        if path and run([path, "-c", "import venv"], 30)[0] == 0:
            return path
    return None


def environment(tap, name, requirements, interpreter=sys.executable):
    """The Python of a virtual environment with these packages, which is kept. None, said in TAP, if
    the index of packages cannot be reached or the packages cannot be installed."""
    with open(requirements, "rb") as file:
        wanted = file.read() + interpreter.encode() + sys.version.encode()
    folder = os.path.join(VENVS, name)
    python, complete = os.path.join(folder, "bin", "python"), os.path.join(
        folder, "complete-" + hashlib.sha256(wanted).hexdigest()[:16])
    if os.path.exists(complete):
        return python
    shutil.rmtree(folder, ignore_errors=True)
    status, output = run([interpreter, "-m", "venv", folder], INSTALL_S)
    if not tap.ok(status == 0, f"{name}: a virtual environment can be made", output):
        return None
    if not index_answers(python):
        tap.skip(name, "the package index cannot be reached")
        return None
    status, output = pip(python, "install", "-q", "-r", requirements)
    if not tap.ok(status == 0, f"{name}: the packages can be installed", output):
        return None
    with open(complete, "w", encoding="ascii"):
        return python


def index_answers(python):
    """Whether a small package can be fetched. If not, nothing is wrong with what is tested."""
    with tempfile.TemporaryDirectory() as folder:
        return pip(python, "download", "-q", "--retries", "1", "--timeout", "20", "--no-deps", "-d", folder,
                   SMALL_PACKAGE)[0] == 0


def settings(home, **more):
    """The environment of the tests: our program, a home of their own, nothing of the user's."""
    kept = {name: value for name, value in os.environ.items() if not _NOT_OURS.match(name)}
    program = os.environ.get("GLOVEBOX", os.path.join(ROOT, "build/glovebox"))
    return {**kept, "HOME": home, "GLOVEBOX_PROGRAM": program, "PYTHONPATH": os.path.join(SDK, "src"),
            "PYTHONDONTWRITEBYTECODE": "1", **more}


def pytest(tap, name, python, *arguments, cwd=SDK, **more):
    """Runs pytest and tells each of its tests."""
    with tempfile.TemporaryDirectory(prefix="glovebox-sdk-") as home:
        report = os.path.join(home, "report.xml")
        status, output = run([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml", report, *arguments],
                             cwd=cwd, env=settings(home, **more))
        for case in xml.parse(report).iter("testcase") if os.path.exists(report) else ():
            tell(tap, name, case)
        tap.ok(status == 0, f"{name}: the tests go to their end", output[-8000:])


def tell(tap, name, case):
    what = f"{name}: {case.get('classname')} {case.get('name')}"
    bad = [found for found in (case.find("failure"), case.find("error")) if found is not None]
    skipped = case.find("skipped")
    if bad:
        tap.ok(False, what, bad[0].text or "")
    elif skipped is not None:
        tap.skip(what, (skipped.get("message") or "").replace("\n", " "))
    else:
        tap.ok(True, what)
