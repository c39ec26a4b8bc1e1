#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Text of ours before the program (--prelude): syntax and imports are checked on both together, input
and patterns on the program alone; lines are the program's own.
"""

import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "python")]

import programs  # noqa: E402
from tap import alone  # noqa: E402

TOOLS = "from typing import *\n\ndef tool(x):\n    import os\n    return os.system(x)\n"
FLAGGED = "while True:\n    x = 'rm -rf /'\n"

# name, profile, imports that are allowed beside, prelude, program, what must be said
ROWS = (
    (
        "a prelude may hold what a program may not",
        "kodeagent",
        "typing,os",
        TOOLS + FLAGGED,
        "x = 1",
        {"allowed": True, "risk": 0},
    ),
    (
        "the same in the program is refused",
        "kodeagent",
        "typing,os",
        TOOLS,
        "x = 'rm -rf /'",
        {"allowed": False, "stage": "patterns"},
    ),
    (
        "an import of the prelude counts",
        "kodeagent",
        "typing",
        TOOLS,
        "x = 1",
        {"allowed": False, "stage": "imports"},
    ),
    (
        "so does a builtin of the prelude",
        "kodeagent",
        "",
        "exec('1')",
        "x = 1",
        {"allowed": False, "stage": "imports", "reason": "Forbidden builtin: exec"},
    ),
    (
        "an error of the prelude is an error",
        "kodeagent",
        "",
        "x = (",
        "y = 1",
        {"allowed": False, "stage": "syntax"},
    ),
    (
        "an error of the program has the program's line",
        "chapter",
        "",
        "x = 1\ny = 2\n",
        "\nz = = 1\n",
        {"allowed": False, "stage": "syntax", "reason": "Syntax error: ['Line 2: invalid syntax']"},
    ),
    (
        "the size is the program's",
        "chapter",
        "",
        "#" * 9999 + "\n",
        "#" * 10000,
        {"allowed": True},
    ),
    (
        "names of the prelude are seen through",
        "strict",
        "",
        "from os import system as helper\n",
        "helper('ls')",
        {"allowed": False, "stage": "patterns"},
    ),
    (
        "a name the prelude has bound is not the builtin",
        "strict",
        "",
        "def eval(x):\n    return x\n",
        "eval('1')",
        {"allowed": True, "risk": 0},
    ),
)


def verdict(folder, profile, imports, prelude, code):
    paths = [os.path.join(folder, name) for name in ("prelude.py", "program.py")]
    for path, text in zip(paths, (prelude, code)):
        with open(path, "w") as f:
            f.write(text)
    command = [programs.glovebox(), "check", "--json", "--profile", profile]
    command += ["--allow-imports", imports] if imports else []
    command += ["--prelude", paths[0], paths[1]]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return json.loads(done.stdout)["files"][0]["verdict"]


def test_lines(tap, folder):
    v = verdict(folder, "standard", "", "a = 1\nb = 2\n", "\n\nimport os\nos.system('x')\n")
    lines = [f["line"] for f in v["findings"] if f["rule"] == "shell-command"]
    tap.ok(lines == [4], "lines are the program's own", "%r" % v["findings"])


def test(tap):
    with tempfile.TemporaryDirectory(prefix="glovebox-guard-") as folder:
        for name, profile, imports, prelude, code, want in ROWS:
            v = verdict(folder, profile, imports, prelude, code)
            got = {key: v[key] for key in want}
            tap.ok(got == want, "prelude: " + name, "%r" % got, json.dumps(v))
        test_lines(tap, folder)


if __name__ == "__main__":
    alone(test, __doc__)
