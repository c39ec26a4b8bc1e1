# SPDX-License-Identifier: Apache-2.0
"""The official SDKs as clients, installed from the registries: half a minute, and a network. By name, before a release."""

import os
import shutil
import subprocess
import sys
import tempfile

from client import GLOVEBOX, HERE, environment

NODE = ("@modelcontextprotocol/sdk@1", "@modelcontextprotocol/client@2")
PATIENCE = 300


def run(folder, *words):
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False,
                          env=environment(folder))


def report(tap, name, done):
    lines = [line.split("ok ", 1) for line in done.stdout.splitlines() if line.startswith(("ok ", "not ok "))]
    for before, what in lines:
        tap.ok(not before, what, done.stderr)
    tap.ok(done.returncode == 0 and lines, name + ": goes to its end", done.stdout, done.stderr)


def test_node(tap):
    if not shutil.which("npm"):
        tap.skip("the TypeScript SDKs", "npm is missing")
        return
    with tempfile.TemporaryDirectory() as folder:
        done = run(folder, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", *NODE)
        if not tap.ok(done.returncode == 0, "the TypeScript SDKs can be installed", done.stderr):
            return
        for name in ("sdk_checks.mjs", "sdk_v1.mjs", "sdk_v2.mjs"):
            shutil.copy(os.path.join(HERE, name), folder)
        for name in ("sdk_v1.mjs", "sdk_v2.mjs"):
            report(tap, name, run(folder, "node", name, GLOVEBOX))


def test_python(tap):
    with tempfile.TemporaryDirectory() as folder:
        python = os.path.join(folder, "venv", "bin", "python")
        made = run(folder, sys.executable, "-m", "venv", "venv")
        done = run(folder, python, "-m", "pip", "install", "-q", "mcp") if made.returncode == 0 else made
        if tap.ok(done.returncode == 0, "the Python SDK can be installed", done.stderr):
            report(tap, "sdk_python.py", run(folder, python, os.path.join(HERE, "sdk_python.py"), GLOVEBOX))


def test(tap):
    test_node(tap)
    test_python(tap)
