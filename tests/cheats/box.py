# SPDX-License-Identifier: Apache-2.0
"""A folder to work in, and `glovebox test` in it."""

import json
import os
import shutil
import subprocess
import tempfile

import elsewhere

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Box:
    def __init__(self):
        self.program = os.path.abspath(os.environ.get("GLOVEBOX") or os.path.join(ROOT, "build", "glovebox"))

    def __enter__(self):
        # Not below /tmp, which is another folder inside.
        places = [p for p in ("/home", "/srv", os.path.expanduser("~")) if os.access(p, os.W_OK)]
        self.folder = tempfile.mkdtemp(prefix="glovebox-cheats-", dir=(places or [None])[0])
        return self

    def __exit__(self, *args):
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def write(self, name, data):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as f:
            f.write(data)
        return path

    def call(self, *args, timeout=300, **more):
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": self.folder, "LANG": "C.UTF-8",
               "GLOVEBOX_SOCKET": "unix:" + self.path("nowhere.sock"), **elsewhere.variables()}
        return subprocess.run([self.program, *args], cwd=self.folder, env=env, stdin=subprocess.DEVNULL, timeout=timeout,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)

    def suite(self, tasks, *args, timeout=600):
        """The results, and how it ended."""
        self.write("suite.jsonl", "".join(json.dumps(t) + "\n" for t in tasks))
        done = self.call("test", "--suite", "suite.jsonl", "--json", "--no-check", "--log", "off", "-j", "2", *args, timeout=timeout)
        docs = [json.loads(line) for line in done.stdout.splitlines()]
        return [d for d in docs if "summary" not in d], (done.returncode, done.stderr)

    def test(self, code, cases, *args, name="candidate.py", timeout=300):
        """The document of `glovebox test --json`, and the exit status."""
        self.write(name, code)
        self.write("cases.json", json.dumps(cases))
        done = self.call("test", name, "--cases", "cases.json", "--json", "--no-check", "--log", "off", *args, timeout=timeout)
        try:
            return json.loads(done.stdout), done.returncode
        except ValueError:
            return {"test_results": [], "failed": (done.stdout[-2000:], done.stderr[-2000:])}, done.returncode

    def has_numpy(self):
        done = self.call("run", "--log", "off", "-c", "import numpy")
        return done.returncode == 0
