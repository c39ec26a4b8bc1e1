# SPDX-License-Identifier: Apache-2.0
"""A pool with runs in it, in a process of its own (feed.c)."""

import json
import os
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Feed:
    def __init__(self, forks=0, env=None, ready=0, memory=0, path="/usr/bin:/bin", program=None, launcher=()):
        program = program or os.environ.get("WARM_FEED") or os.path.join(ROOT, "build", "tests", "warm-feed")
        jail = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(program))), "glovebox-jail")
        env = dict(env or os.environ, GLOVEBOX_JAIL=jail, PATH=path + ":" + os.environ.get("PATH", ""))
        self.process = subprocess.Popen([*launcher, program, str(forks), str(ready), str(memory)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, env=env, text=True)

    def ask(self, **line):
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError("the feed ended with %s" % self.process.wait(10))
        return json.loads(answer)

    def run(self, code, warm=True, **more):
        return self.ask(code=code, warm=warm, **more)

    def stats(self):
        return self.ask(stats=True)

    def warm_up(self, seconds=90, **more):
        """Until one waits for such runs."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.run("pass", **more)["taken"] != "cold":
                return True
            time.sleep(0.05)
        return False

    def close(self):
        self.process.stdin.close()
        return self.process.wait(30)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.close()
