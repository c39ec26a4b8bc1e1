# SPDX-License-Identifier: Apache-2.0
"""The comments at the top of an attack, which say what must become of it (README.md)."""
import os
import re

KNOWN = {
    "source", "stopped-by", "then", "alone", "expect", "expect-then", "denied", "denied-then",
    "args", "needs", "only", "runs", "ends", "limits", "bare", "stdin", "terminal", "plain",
    "leaks-descriptor", "checks",
}
LAYERS = {
    "userns", "pidns", "mountns", "netns", "ipcns", "utsns", "cgroupns", "root", "proc",
    "capabilities", "no_new_privs", "seccomp", "landlock", "memory", "pids", "cpu", "rlimits",
}
# What stops an attack and is no layer that could be left out: it must not be left out either.
OTHERS = {"supervisor", "collector", "descriptors", "kernel", "config", "environment"}
LINE = re.compile(r"^(?:#|//|/?\*+)\s?\s*([a-z-]+):\s*(.*?)\s*(?:\*/)?$")


class Attack:
    def __init__(self, path):
        self.path = path
        self.file = os.path.basename(path)
        self.name, self.extension = os.path.splitext(self.file)
        self.fields = {}
        self.binary = None  # of a C attack, once built
        self.why_not = None  # it cannot be built here
        self.read()
        self.check()

    def read(self):
        """The first block of comments; an indented line goes on with the field above it."""
        last = None
        with open(self.path) as f:
            for line in f:
                if not re.match(r"\s*(#|//|/?\*)", line):
                    break
                found = LINE.match(line.strip())
                if found and found[1] in KNOWN:
                    last = found[1]
                    self.fields[last] = found[2]
                elif last and re.match(r"\s*(#|//|\*)\s{2,}\S", line):
                    self.fields[last] += " " + line.strip().lstrip("#/* ").rstrip()
                elif found:
                    raise ValueError("%s: unknown field '%s'" % (self.file, found[1]))
                else:
                    last = None

    def check(self):
        for field in ("source", "stopped-by"):
            if not self.get(field):
                raise ValueError("%s: has no '%s:'" % (self.file, field))
        for field in ("stopped-by", "then"):
            for layer in self.words(field):
                if layer not in LAYERS | OTHERS:
                    raise ValueError("%s: '%s' is not a layer" % (self.file, layer))
        if not self.get("then") and not self.get("alone"):
            raise ValueError("%s: needs 'then:', or 'alone:' and why" % self.file)
        if not self.get("expect") and not self.get("ends"):
            raise ValueError("%s: needs 'expect:' or 'ends:'" % self.file)

    def get(self, field):
        return self.fields.get(field)

    def words(self, field):
        return (self.get(field) or "").replace(",", " ").split()

    @property
    def layers(self):
        """The walls in order: the next is asked when those before it are left out."""
        return self.words("stopped-by")[:1] + self.words("then")


def load(folder, names):
    found = []
    for file in sorted(os.listdir(folder)):
        path = os.path.join(folder, file)
        if os.path.splitext(file)[1] in (".py", ".c", ".sh", ".js"):
            if not names or any(name in file for name in names):
                found.append(Attack(path))
    return found
