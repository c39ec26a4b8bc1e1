# SPDX-License-Identifier: Apache-2.0
"""The attacks in containers (run.py --backend docker): as root, with the wall that the engine builds. No layer of it can
be left out, it refuses with errors of its own, and `denied` has no list of them."""
import os
import re

from cases import Case
from neighbours import Neighbour

ERRNO = re.compile(r"E[A-Z0-9]+$")


class ContainedCase(Case):
    def __init__(self, attack, mode, without=0):
        super().__init__(attack, mode, without)
        self.wall = "supervisor"  # one of those that are always there
        self.title = "%s in a container" % attack.name

    def options(self, host, canaries, marker, number):
        command, *rest = super().options(host, canaries, marker, number)
        return [command, "--backend", "docker", *rest]

    def verdict(self, text):
        known = set((self.attack.get("expect") or "").split() + (self.attack.get("expect-then") or "").replace(";", " ").split())
        for problem in super().verdict(text):
            words = re.match(r"held by '(.*)', expected", problem)
            if not words or any(w not in known and not ERRNO.match(w) for w in words[1].split()):
                yield problem

    def fields(self, result):
        return (problem for problem in super().fields(result) if "'denied'" not in problem)


class ContainedNeighbour(Neighbour):
    options, kind = ("--backend", "docker"), "in a container "

    def find_pid(self):
        """It is no descendant of glovebox."""
        for name in os.listdir("/proc"):
            try:
                with open("/proc/%s/environ" % name, "rb") as f:
                    if name.isdigit() and b"TOKEN=" + self.token.encode() in f.read():
                        return int(name)
            except OSError:
                pass
        raise RuntimeError("the neighbour's process is not found")
