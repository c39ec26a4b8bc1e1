# SPDX-License-Identifier: Apache-2.0
"""Talks to tests/session-feed, which holds the sessions."""

import itertools
import json
import os
import subprocess
import threading
import time

GLOVEBOX = os.environ.get("GLOVEBOX", "build/glovebox")
FOLDER = os.path.dirname(os.path.abspath(GLOVEBOX))
DEADLINE = 120


def state(task):
    try:
        with open(os.path.join(task, "stat")) as f:
            return f.read().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "gone"


class Feed:
    def __init__(self, *args):
        env = dict(os.environ)
        env.setdefault("GLOVEBOX_JAIL", os.path.join(FOLDER, "glovebox-jail"))
        self.process = subprocess.Popen(
            [os.path.join(FOLDER, "tests", "session-feed"), *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env
        )
        self.answers, self.tags = {}, 0
        self.changed = threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            answer = json.loads(line)
            with self.changed:
                self.answers[answer["tag"]] = answer
                self.changed.notify_all()

    def start(self, do, thread=True, **more):
        """Asks, and gives what wait() takes."""
        with self.changed:
            self.tags += 1
            tag = self.tags
        line = json.dumps({"do": do, "tag": tag, "thread": thread, **more})
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        return tag

    def wait(self, tag, seconds=DEADLINE):
        with self.changed:
            if not self.changed.wait_for(lambda: tag in self.answers, seconds):
                raise TimeoutError("no answer from session-feed")
            return self.answers.pop(tag)

    def ask(self, do, **more):
        return self.wait(self.start(do, thread=False, **more))

    def settled(self):
        """Waits until whatever was started has gone as far as it can: nothing in there wants the processor."""
        end, calm, folder = time.monotonic() + DEADLINE, 0, "/proc/%d/task" % self.process.pid
        while calm < 5 and time.monotonic() < end:
            calm = calm + 1 if all(state(os.path.join(folder, name)) == "S" for name in os.listdir(folder)) else 0
            time.sleep(0.002)

    def close(self):
        self.process.stdin.close()
        return self.process.wait(DEADLINE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        status = self.close()
        if status != 0:
            raise RuntimeError("session-feed ended with status %d" % status)


class Session:
    """One session of a feed."""

    numbers = itertools.count(1)

    def __init__(self, feed, **options):
        self.feed, self.name = feed, "s%d" % next(Session.numbers)
        self.opened = self.ask("open", **options)

    def ask(self, do, **more):
        return self.feed.ask(do, **{"as": self.name}, **more)

    def start(self, do, **more):
        return self.feed.start(do, **{"as": self.name}, **more)

    def busy(self):
        """Waits until a cell runs."""
        end = time.monotonic() + DEADLINE
        while self.ask("info")["state"] != 1 and time.monotonic() < end:
            time.sleep(0.01)

    def run(self, code, **more):
        return self.ask("exec", code=code, **more)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.opened.get("ok"):
            self.ask("close")


def ended(result):
    return result["cell"] and result["cell"]["ended"]


def events(result, *names):
    return [e for e in result["events"] if e["event"] in names]
