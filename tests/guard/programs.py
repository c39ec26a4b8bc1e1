# SPDX-License-Identifier: Apache-2.0
"""The programs of this folder and what is expected of them.

A file holds many, divided by lines of dashes; what stands before the first is its head. A line may
say what is found there: `# expect: shell-command, hidden-name`. Comments on lines of their own, in the
head for all of a file's programs or in one of them: `# profile: strict`, `# allowed`,
`# refused: imports`.
"""

import glob
import json
import os
import re
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
EXPECT = re.compile(r"#\s*expect:\s*([a-z0-9, -]+)")
SAYS = re.compile(r"^# (profile|allowed|refused)(?::\s*(\S+))?\s*$", re.M)


def glovebox():
    return os.path.abspath(os.environ.get("GLOVEBOX") or os.path.join(ROOT, "build", "glovebox"))


class Program:
    def __init__(self, name, head, text):
        self.name, self.text = name, text
        said = dict(SAYS.findall(head))
        said.update(SAYS.findall(text))
        self.profile = said.get("profile", "standard")
        self.refused = said.get("refused")
        self.allowed = "allowed" in said
        self.expected = {}
        for number, line in enumerate(text.split("\n"), 1):
            found = EXPECT.search(line)
            if found:
                self.expected[number] = {rule.strip() for rule in found.group(1).split(",")}
        self.verdict = None

    def unexpected(self):
        """Findings on lines where nothing is expected."""
        return [f for f in self.verdict["findings"] if f["line"] not in self.expected]

    def missing(self):
        """Pairs of line and rules that were not found there."""
        lines = {}
        for f in self.verdict["findings"]:
            lines.setdefault(f["line"], set()).add(f["rule"])
        pairs = [(n, rules - lines.get(n, set())) for n, rules in self.expected.items()]
        return [(n, rules) for n, rules in pairs if rules]


def read(folder):
    found = []
    for path in sorted(glob.glob(os.path.join(HERE, folder, "*.py"))):
        with open(path, encoding="utf-8") as f:
            head, *texts = re.split(r"(?m)^# ----\n", f.read())
        name = os.path.basename(path)[:-3]
        found += [Program("%s %d" % (name, i), head, t) for i, t in enumerate(texts, 1)]
    return found


def check(texts, *options):
    """The verdicts of `glovebox check --json` for some texts (str or bytes), all in one call."""
    with tempfile.TemporaryDirectory(prefix="glovebox-guard-") as folder:
        paths = []
        for i, text in enumerate(texts):
            paths.append(os.path.join(folder, "%05d.py" % i))
            with open(paths[-1], "wb") as f:
                f.write(text if isinstance(text, bytes) else text.encode())
        command = [glovebox(), "check", "--json", "--target", "3.14", *options, *paths]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            doc = json.loads(done.stdout)
        except ValueError:
            raise RuntimeError(
                "status %d: %r %r" % (done.returncode, done.stdout[-500:], done.stderr[-500:])
            ) from None
        by_path = {os.path.basename(f["path"]): f["verdict"] for f in doc["files"]}
        return [by_path[os.path.basename(p)] for p in paths]


def judge(programs):
    """Fills in the verdict of each."""
    for profile in sorted({p.profile for p in programs}):
        own = [p for p in programs if p.profile == profile]
        for program, verdict in zip(own, check([p.text for p in own], "--profile", profile)):
            program.verdict = verdict
