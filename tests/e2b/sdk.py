# SPDX-License-Identifier: Apache-2.0
"""E2B's own packages against the stand-in: what they accept, it answers rightly. They are installed from the registries:
by name, with a network."""

import os
import shutil
import subprocess
import sys
import tempfile

import product
from standin import Standin

HERE = os.path.dirname(os.path.abspath(__file__))
PATIENCE = 300


def run(standin, folder, *words):
    env = {**product.environment(standin), "HOME": folder}
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, env=env)


def report(tap, name, done):
    lines = [line for line in done.stdout.splitlines() if line.startswith(("ok ", "not ok "))]
    for line in lines:
        tap.ok(line.startswith("ok "), "%s: %s" % (name, line.split("ok ", 1)[1]))
    tap.ok(done.returncode == 0 and lines, name + " goes to its end", done.stdout[-300:], done.stderr[-600:])


def test_python(tap, standin, folder):
    python = os.path.join(folder, "venv", "bin", "python")
    made = run(standin, folder, sys.executable, "-m", "venv", "venv")
    done = run(standin, folder, python, "-m", "pip", "install", "-q",
               "e2b") if not made.returncode else made
    if tap.ok(done.returncode == 0, "the Python package can be installed", done.stderr):
        report(tap, "Python", run(standin, folder, python, os.path.join(HERE, "sdk_checks.py")))


def test_node(tap, standin, folder):
    if not shutil.which("npm"):
        return tap.skip("the JavaScript package", "npm is missing")
    done = run(standin, folder, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts",
               "e2b")
    if tap.ok(done.returncode == 0, "the JavaScript package can be installed", done.stderr):
        shutil.copy(os.path.join(HERE, "sdk_checks.mjs"), folder)
        report(tap, "JavaScript", run(standin, folder, "node", "sdk_checks.mjs"))


def test(tap):
    with Standin() as standin, tempfile.TemporaryDirectory() as folder:
        test_python(tap, standin, folder)
        test_node(tap, standin, folder)
        tap.equal(standin.living, [], "they leave no sandbox")
