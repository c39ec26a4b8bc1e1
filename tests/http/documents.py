# SPDX-License-Identifier: Apache-2.0
"""The code of docs/http.md runs as it stands there, and prints what stands there.

A block of code that begins ```LANGUAGE runs, or ```LANGUAGE runs NEEDED where a library may be absent, is a whole
program. If a block ```json prints follows, it is what the program prints, with ... for what was left out."""

import json
import os
import re
import shutil
import subprocess

from daemon import PATIENCE, Daemon

HERE = os.path.dirname(os.path.abspath(__file__))
DOCUMENT = os.path.join(HERE, "..", "..", "docs", "http.md")
BLOCK = re.compile(r"^```(\w+) runs ?([\w-]*)\n(.*?)^```\n(?:\n```json prints\n(.*?)^```\n)?", re.M | re.S)
PROGRAMS = {"sh": ["sh", "-eu"], "python": ["python3", "-"], "js": ["node", "-"]}
PRESENT = {"httpx": ["python3", "-c", "import httpx"], "undici": ["node", "-e", "require('undici')"]}


def blocks():
    with open(DOCUMENT, encoding="utf-8") as f:
        return BLOCK.findall(f.read())


def absent(language, needed):
    """Why a block cannot run here; or None."""
    program = {"sh": "curl", "js": "node"}.get(language)
    if program and not shutil.which(program):
        return "needs " + program
    if needed and subprocess.run(PRESENT[needed], capture_output=True, timeout=PATIENCE).returncode:
        return "no " + needed
    return None


def run(d, language, code):
    return subprocess.run(PROGRAMS[language], input=code, capture_output=True, text=True, timeout=2 * PATIENCE,
                          cwd=d.folder, env=dict(os.environ, XDG_RUNTIME_DIR=d.folder))


def shape(line):
    """Of a line of a stream, or of an answer: what it is and its members, at any depth."""
    kind = re.match(r'\{"event":"(\w+)"', line)
    return kind[1] if kind else "answer", set(re.findall(r'"([\w$]+)":', line))


def same_form(tap, name, shown, printed):
    """On a slow machine there are lines of progress, and a text may come in two pieces."""
    want = [shape(line) for line in shown.splitlines()]
    got = [shape(line) for line in printed.splitlines() if '"event":"progress"' not in line]
    got = [one for i, one in enumerate(got) if one[0] != "stdout" or got[i - 1][0] != "stdout"]
    if tap.equal([kind for kind, _ in got], [kind for kind, _ in want], name + ": the lines that are shown", printed):
        left = [(kind, shows - has) for (kind, has), (_, shows) in zip(got, want) if shows - has]
        tap.equal(left, [], name + ": with the members that are shown")


def test_block(tap, d, language, needed, code, shown):
    name = "%s: %s" % (language, needed or " ".join(code.split()[:3]))
    why = absent(language, needed)
    if why:
        tap.skip(name, why)
        return
    done = run(d, language, code)
    good = tap.ok(done.returncode == 0 and done.stdout and '{"error":{' not in done.stdout, name, done.stdout, done.stderr)
    if good and shown:
        same_form(tap, name, shown, done.stdout)


def test_blocks(tap, d):
    found = blocks()
    tap.ok({(language, needed) for language, needed, _, _ in found} >=
           {("sh", ""), ("python", ""), ("python", "httpx"), ("js", ""), ("js", "undici")},
           "there is a program for each way to connect", found)
    tap.ok(sum(bool(shown) for *_, shown in found) >= 2, "and two whole streams")
    for language, needed, code, shown in found:
        test_block(tap, d, language, needed, code, shown)
    tap.equal(d.get("/v1/sessions").json["sessions"], [], "they close the sessions that they opened")


def test_values(tap, d):
    """The stream's value has the form that the text explains."""
    with open(DOCUMENT, encoding="utf-8") as f:
        explained = re.search(r"`(\{\"\$type\": \"tuple\", .*?\})`", f.read())
    s = "/v1/sessions/" + d.post("/v1/sessions", {}).json["id"]
    value = d.post(s + "/exec", {"code": "['red', 'blue'], 2"}).json["value"]
    tap.equal(explained and json.loads(explained[1]), value, "a tuple's $type is explained where it is met")
    d.call("DELETE", s)


def test(tap):
    d = Daemon()
    d.command += ["--listen", "unix:" + os.path.join(d.folder, "glovebox.sock")]
    with d:
        test_blocks(tap, d)
        test_values(tap, d)
