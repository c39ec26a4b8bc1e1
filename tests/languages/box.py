# SPDX-License-Identifier: Apache-2.0
"""glovebox with a home of its own."""
import hashlib
import json
import os
import shutil
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PATIENCE = 240  # seconds; Go compiles its standard library once


class Result:
    def __init__(self, done):
        self.status, self.out, self.err = done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")
        try:
            self.json = json.loads(done.stdout)
        except ValueError:
            self.json = {}

    def __getattr__(self, name):
        return self.json.get(name)

    def __str__(self):
        short = {k: v for k, v in self.json.items() if v not in (None, [], {}, False, "") and k not in ("limits_set", "isolation")}
        return f"exit status {self.status}\n{short}\nstderr: {self.err[-1500:]}"


class Box:
    """A folder with a home; its programs are compiled into its own cache."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="glovebox-languages-")
        self.cache = os.path.join(self.dir, "cache", "glovebox", "compiled")
        self.glovebox = os.path.abspath(os.environ.get("GLOVEBOX", os.path.join(ROOT, "build", "glovebox")))
        # rustup finds its toolchains from the home of the caller.
        rustup = os.environ.get("RUSTUP_HOME", os.path.expanduser("~/.rustup"))
        self.env = {"PATH": os.environ["PATH"], "HOME": self.dir, "XDG_CACHE_HOME": os.path.join(self.dir, "cache"),
                    "XDG_CONFIG_HOME": os.path.join(self.dir, "config"), "XDG_STATE_HOME": os.path.join(self.dir, "state"),
                    "RUSTUP_HOME": rustup}

    def close(self):
        for folder, _, _ in os.walk(self.dir):
            os.chmod(folder, 0o700)
        shutil.rmtree(self.dir)

    def write(self, name, text):
        path = os.path.join(self.dir, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)
        return path

    def config(self, text):
        self.write("config/glovebox/glovebox.conf", text)

    def command(self, *words, stdin=b"", env=None):
        return Result(subprocess.run([self.glovebox, *words], input=stdin, capture_output=True, timeout=PATIENCE, cwd=self.dir,
                                     env={**self.env, **(env or {})}))

    def start(self, *words):
        return subprocess.Popen([self.glovebox, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, cwd=self.dir, env=self.env)

    def run(self, file, text, *options, args=(), stdin=b"", env=None):
        self.write(file, text)
        words = ["--", *args] if args else []
        return self.command("run", "--json", *options, file, *words, stdin=stdin, env=env)

    # ---- the cache ----

    def entries(self):
        return sorted(n for n in os.listdir(self.cache) if len(n) == 64) if os.path.isdir(self.cache) else []

    def unfinished(self):
        return sorted(n for n in os.listdir(self.cache) if n.startswith("making-")) if os.path.isdir(self.cache) else []

    def content(self):
        """A hash of each path, mode and byte of the products."""
        sum_ = hashlib.sha256()
        for entry in self.entries():
            for folder, names, files in os.walk(os.path.join(self.cache, entry)):
                names.sort()
                for name in sorted(files):
                    path = os.path.join(folder, name)
                    sum_.update(f"{path} {os.lstat(path).st_mode:o}\n".encode())
                    with open(path, "rb") as f:
                        sum_.update(f.read())
        return sum_.hexdigest()

    def size(self):
        return sum(os.lstat(os.path.join(folder, n)).st_size for folder, _, files in os.walk(self.cache) for n in files)
