# SPDX-License-Identifier: Apache-2.0
"""`glovebox check`, and the same verdict before `glovebox run`."""

import base64
import fcntl
import json
import os
import pty
import re
import select
import shutil
import stat
import struct
import subprocess
import termios
import time

import box
import sarif

GOOD = "print('fine')\n"
BROKEN = "x = (\n"
EVAL = "value = eval(input())\n"
FINDING = (
    "call column end_column end_line excerpt excerpt_column hint label line message module name points "
    "prelude_line refuses rule severity"
).split()
SEVERITIES = ["info", "low", "medium", "high", "critical"]


def verdict(t, *args, **how):
    """The one verdict of check --json."""
    done = t.box("check", "--json", *args, **how)
    try:
        return done.json["files"][0]["verdict"] or {}
    except (ValueError, LookupError):
        return {"failed": str(done)}


def rules(v):
    return [f["rule"] for f in v.get("findings", [])]


def lines(data):
    return data.decode("utf-8", "backslashreplace").splitlines()


# ---- for people ----


@box.once
def test_people(t):
    t.write("good.py", GOOD)
    t.exits(
        t.box("check", "good.py"),
        0,
        "nothing to say",
        b"1 program: allowed\n".replace(b": a", b": 1 a"),
    )
    t.write("broken.py", "# one\nif x\n    pass\n")
    done = t.box("check", "broken.py")
    t.equal(done.code, 1, "a program that does not compile", done)
    out = lines(done.out)
    t.match(
        r"^broken\.py:2:5: error: .*expected ':'.* \[syntax\]$", out[0], "its place and message"
    )
    t.equal(out[1:3], ["    2 | if x", "      |     ^"], "the line, the place marked", done)
    t.equal(out[-1], "1 program: 1 refused (1 error)", "the count")
    t.equal(done.err, b"", "all of it on standard output")
    t.write("eval.py", "\n" + EVAL)
    done = t.box("check", "eval.py")
    t.equal(done.code, 0, "what is told and does not refuse", done)
    t.match(
        r"eval\.py:2:9: warning: .* \[eval-call\]\n    2 \| value = eval\(input\(\)\)\n      \|         \^~~~",
        done.out,
        "is a warning, marked all along",
    )
    t.match(r"\n1 program: 1 allowed \(\d+ warnings?\)\n$", done.out, "and counted as one")
    done = t.box("check", "--profile", "strict", "eval.py")
    t.equal(done.code, 1, "a profile that refuses it", done)
    t.match(r"eval\.py:2:9: error: .* \[eval-call\]", done.out, "makes it an error")
    t.match(r"\n      = hint: \S", done.out, "with a hint")
    done = t.box("check", "good.py", "broken.py", "eval.py")
    t.equal(done.code, 1, "several, one refused", done)
    t.match(
        r"\n3 programs: 2 allowed, 1 refused \(1 error, \d+ warnings?\)\n$", done.out, "counted"
    )


@box.once
def test_marks(t):
    for name, text, want in [
        ("a tab", "\tx\n", None),
        ("tabs", "if 1:\n\tx = eval('1')\n", "        "),
        ("wide characters", "s = '漢字'; eval('1')\n", " " * 12),
        ("combining ones", "s = 'e\u0301'; eval('1')\n", " " * 9),
        ("emoji", "s = '🙂'; eval('1')\n", " " * 10),
        ("Latin", "s = 'é'; eval('1')\n", " " * 9),
    ]:
        t.write("marks.py", text)
        out = lines(t.box("check", "marks.py").out)
        if want is None:
            t.match("^marks.py:1:", out[0], name + ": an error in it")
            continue
        marks = [l for l in out if re.match(r" +\| +\^~~~$", l)]
        t.equal(marks, ["      | " + want + "^~~~"], name + " before the place", "\n".join(out))
    t.write("cut.py", "x = [" + "1, " * 20000 + "eval('1')]\n")
    out = lines(t.box("check", "cut.py").out)
    t.ok(max(map(len, out)) < 1000, "a very long line is cut", max(map(len, out)))
    t.match(r"cut\.py:1:60006: ", "\n".join(out), "its column is the true one")
    at = [i for i, l in enumerate(out) if "^~~~" in l]
    t.ok(
        at and out[at[0] - 1][out[at[0]].index("^") :].startswith("eval"),
        "and the mark is below it",
        out,
    )
    t.write("hostile.py", "s = '\x1b[31m\u202e\x9b'; eval('\x07')\n")
    done = t.box("check", "hostile.py")
    t.ok(
        b"\x1b" not in done.out and "\u202e".encode() not in done.out and b"\x07" not in done.out,
        "control characters are shown, not obeyed",
        done,
    )
    out = lines(done.out)
    at = [i for i, l in enumerate(out) if "^~~~" in l]
    t.ok(
        at and out[at[0] - 1][out[at[0]].index("^") :].startswith("eval"),
        "and the mark is right behind them",
        done,
    )
    t.write("odd\x1b[31m\nname.py", BROKEN)
    done = t.box("check", "odd\x1b[31m\nname.py")
    t.ok(b"\x1b" not in done.out and done.code == 1, "neither does a file's name", done)
    t.write("multi.py", "x = f('''\n\n''', eval(\n  '1'))\n")
    t.equal(t.box("check", "multi.py").code, 0, "a finding over several lines")


@box.once
def test_amount(t):
    t.write("many.py", "eval('1')\n" * 300)
    done = t.box("check", "many.py")
    t.equal(done.out.count(b"[eval-call]"), 50, "of many findings 50 are shown", done)
    t.match(
        r"many\.py: note: 250 more findings\n300|many\.py: note: \d+ more findings\n",
        done.out,
        "and the rest counted",
    )
    t.equal(
        t.box("check", "--max-findings", "3", "many.py").out.count(b"[eval-call]"),
        3,
        "--max-findings 3",
    )
    t.equal(
        t.box("check", "--max-findings", "0", "many.py").out.count(b"[eval-call]"),
        300,
        "--max-findings 0",
    )
    t.equal(len(verdict(t, "many.py")["findings"]), 300, "--json has them all")
    t.write("more.py", "eval('1')\n" * 1200)
    v = verdict(t, "more.py")
    t.equal((len(v["findings"]), v.get("findings_left_out")), (1000, 200), "up to a thousand")
    t.write("broken.py", BROKEN)
    done = t.box("check", "-q", "many.py", "broken.py")
    t.ok(
        b"eval-call" not in done.out
        and b"[syntax]" in done.out
        and b"program" not in done.out
        and done.code == 1,
        "--quiet shows what refuses, and nothing else",
        done,
    )
    t.exits(t.box("check", "--quiet", "many.py"), 0, "--quiet with nothing that refuses", b"")


def on_terminal(t, *args, env=None, seconds=box.PATIENCE):
    """What a terminal of 100 columns gets."""
    lead, follow = pty.openpty()
    fcntl.ioctl(follow, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    p = t.start(*args, env=env, stdin=follow, stdout=follow, stderr=follow)
    os.close(follow)
    out, until = b"", time.monotonic() + seconds
    while time.monotonic() < until:
        if not select.select([lead], [], [], 1)[0]:
            continue
        try:
            data = os.read(lead, 65536)
        except OSError:
            break
        if not data:
            break
        out += data
    os.close(lead)
    return p.wait(), out


@box.once
def test_colour(t):
    t.write("broken.py", BROKEN)
    code, out = on_terminal(t, "check", "broken.py", env={"TERM": "xterm"})
    t.ok(code == 1 and b"\x1b[1;31merror" in out, "colours on a terminal", out)
    code, out = on_terminal(t, "check", "broken.py", env={"TERM": "xterm", "NO_COLOR": "1"})
    t.ok(code == 1 and b"\x1b[" not in out, "NO_COLOR", out)
    code, out = on_terminal(t, "check", "broken.py", env={"TERM": "dumb"})
    t.ok(code == 1 and b"\x1b[" not in out, "a terminal without colours", out)
    t.ok(b"\x1b" not in t.box("check", "broken.py", env={"TERM": "xterm"}).out, "none in a pipe")
    t.write("wide.py", "x = '漢' +\n")
    code, out = on_terminal(t, "check", "--json", "wide.py", env={"TERM": "xterm"})
    t.ok("漢".encode() not in out and b"\\u6f22" in out.lower(), "JSON on a terminal is ASCII", out)


def test_progress(t):
    if not t.has("runs") or not shutil.which("node", path=box.PATH):
        return t.skip("a progress bar", "needs node in the jail")
    for i in range(60):
        t.write("js/%02d.js" % i, "1\n")
    code, out = on_terminal(t, "check", "js", env={"TERM": "xterm"})
    t.ok(
        code == 0 and re.search(rb"\rchecking \[#*\.+\] \d+ of 60", out),
        "what lasts has a progress bar",
        out,
    )
    t.match(rb"\r\x1b\[K60 programs: 60 allowed", out, "which is gone at the end")
    done = t.box("check", "js")
    t.equal((done.code, done.err), (0, b""), "and there is none without a terminal", done)


# ---- what is checked ----


@box.once
def test_operands(t):
    t.write("a.py", GOOD)
    t.write("-dash.py", GOOD)
    t.exits(t.box("check", "-c", GOOD), 0, "-c", b"1 program: 1 allowed\n")
    t.exits(t.box("check", "-c", ""), 0, "an empty program", b"1 program: 1 allowed\n")
    t.exits(
        t.box("check", "-", stdin=GOOD.encode()), 0, "standard input", b"1 program: 1 allowed\n"
    )
    done = t.box("check", "-", stdin=BROKEN.encode())
    t.match(rb"^<stdin>:1:5: error", done.out, "its name")
    t.match(rb"^<string>:1:5: error", t.box("check", "-c", BROKEN).out, "the name of -c")
    t.exits(
        t.box("check", "--", "-dash.py"),
        0,
        "a name with a dash, after --",
        b"1 program: 1 allowed\n",
    )
    t.exits(
        t.box("check", "./-dash.py", "a.py"), 0, "or with its folder", b"2 programs: 2 allowed\n"
    )
    for args, pattern in [
        ((), "nothing to check"),
        (("-c", "1", "a.py"), "not both"),
        (("-", "-"), "given only once"),
        (("--lang", "klingon", "a.py"), "'klingon' is not known"),
        (("--profile", "nope", "a.py"), "--profile: .*nope"),
        (("--profile", "./nope.conf", "a.py"), "--profile: .*nope.conf"),
        (("--target", "2.7", "a.py"), "--target: .*2.7"),
        (("--target", "3.10", "a.py"), "--target"),
        (("--stages", "smell", "a.py"), "--stages: .*smell"),
        (("--stages", "", "a.py"), "--stages"),
        (("--prelude", "nope.py", "a.py"), "--prelude: .*nope.py"),
        (("--json", "--sarif", "a.py"), "cannot be given together"),
        (("--json", "--dump-ast", "a.py"), "cannot be given together"),
        (("--no-attributes", "a.py"), "--dump-ast"),
        (("--max-findings", "-1", "a.py"), "--max-findings"),
        (("--no-check", "a.py"), "check does not apply to 'glovebox check'"),
        (("--timeout", "1s", "a.py"), "--timeout does not apply to 'glovebox check'"),
        (("--profil", "strict", "a.py"), "unknown option --profil; did you mean --profile"),
        (("--explain", "eval-cal"), "no rule 'eval-cal'; did you mean 'eval-call'"),
        (("--explain", "xyzzy-frobnicate"), "--list-rules"),
        (("--explain", "kodeagent"), "'kodeagent' is a profile; see 'glovebox check --show-profile kodeagent'"),
        (("--allow-imports", "a b", "a.py"), "--allow-imports"),
        (("--forbid-imports", "a..b", "a.py"), "--forbid-imports"),
    ]:
        t.refused(
            t.box("check", *args),
            2,
            "^glovebox check: .*" + pattern,
            " ".join(args) or "no operand",
        )


@box.once
def test_unreadable(t):
    t.write("good.py", GOOD)
    t.write("broken.py", BROKEN)
    os.mkdir(t.path("here/folder.py"))
    done = t.box("check", "nope.py", "good.py")
    t.equal(done.code, 125, "a missing file", done)
    t.match(rb"^glovebox check: cannot read nope.py: No such file or directory\n$", done.err, "is named")
    t.match(rb"2 programs: 1 allowed, 1 not read\n$", done.out, "the others are checked")
    t.equal(
        t.box("check", "nope.py", "broken.py").code,
        125,
        "a failure of ours counts more than a refusal",
    )
    done = t.box("check", "--json", "nope.py", "good.py")
    doc = done.json
    t.equal(
        (doc["files"][0]["verdict"], doc["allowed"], doc["files"][1]["verdict"]["allowed"]),
        (None, False, True),
        "in JSON",
        done,
    )
    t.equal(doc["files"][0]["error"]["kind"], "system", "with the error")
    t.equal(t.box("check", "folder.py").code, 0, "a folder named like a program is a folder")
    t.equal(t.box("check", "").code, 125, "an empty name")
    t.equal(t.box("check", "/dev/zero").code, 125, "a device")
    os.mkfifo(t.path("here/pipe.py"))
    t.equal(t.box("check", "pipe.py").code, 125, "a pipe")
    os.remove(t.path("here/pipe.py"))
    os.symlink("nowhere", t.path("here/dangling.py"))
    t.equal(t.box("check", "dangling.py").code, 125, "a link to nothing")
    with open(t.path("here/huge.py"), "wb") as f:
        f.truncate(17 << 20)
    done = t.box("check", "huge.py", "good.py")
    t.equal(done.code, 125, "a file beyond the ceiling", done)
    t.match(rb"huge.py: larger than 16 MiB|larger than 16 MiB", done.err, "says so")
    if os.geteuid() != 0:
        t.write("closed.py", GOOD, mode=0)
        t.equal(t.box("check", "closed.py").code, 125, "a file that may not be read")
        os.mkdir(t.path("here/closed"), 0)
        done = t.box("check", "closed", "good.py")
        t.match(b"closed: .*Permission denied", done.err, "a folder that may not be read")
        t.equal(done.code, 125, "fails", done)


@box.once
def test_folders(t):
    t.write("tree/b.py", GOOD)
    t.write("tree/a.py", GOOD)
    t.write("tree/sub/deep/er/c.py", BROKEN)
    t.write("tree/text.txt", BROKEN)
    t.write("tree/noend", BROKEN)
    t.write("tree/.hidden.py", GOOD)
    t.write("tree/gui.pyw", GOOD)
    for folder in (".git", "__pycache__", "node_modules", ".venv"):
        t.write("tree/%s/x.py" % folder, BROKEN)
    t.write("elsewhere/x.py", BROKEN)
    os.symlink("../elsewhere", t.path("here/tree/link"))
    os.symlink("../elsewhere/x.py", t.path("here/tree/linked.py"))
    os.symlink(".", t.path("here/tree/loop"))
    doc = t.box("check", "--json", "tree").json
    t.equal(
        [f["path"] for f in doc["files"]],
        [
            "tree/.hidden.py",
            "tree/a.py",
            "tree/b.py",
            "tree/gui.pyw",
            "tree/linked.py",
            "tree/sub/deep/er/c.py",
        ],
        "programs, in the order of their names",
    )
    t.equal(
        [f["verdict"]["allowed"] for f in doc["files"]],
        [True] * 4 + [False] * 2,
        "each with its verdict",
    )
    t.equal(doc["allowed"], False, "and one of all")
    doc = t.box("check", "--json", "tree/").json
    t.equal(doc["files"][0]["path"], "tree/.hidden.py", "a slash at the end")
    doc = t.box("check", "--json", ".", cwd=t.path("here/tree")).json
    t.equal(doc["files"][1]["path"], "a.py", "the current folder")
    doc = t.box("check", "--json", "tree/a.py", "tree/sub", "tree/text.txt").json
    t.equal(
        [f["path"] for f in doc["files"]],
        ["tree/a.py", "tree/sub/deep/er/c.py", "tree/text.txt"],
        "files and folders in the order given; a named file always",
    )
    os.mkdir(t.path("here/empty"))
    done = t.box("check", "empty")
    t.ok(done.code == 0 and b"there is no program" in done.err, "a folder without programs", done)
    t.equal(t.box("check", "--json", "empty").json, {"files": [], "allowed": True}, "in JSON")
    deep = t.path("here/deep")
    for i in range(1001):
        os.mkdir(deep + "/d" * i)
    t.write("deep" + "/d" * 1000 + "/x.py", GOOD)
    t.match(rb"1 program: 1 allowed", t.box("check", "deep").out, "a thousand folders deep")
    t.command(["rm", "-rf", deep])
    name = b"bytes\xff\xfe.py"
    t.write(b"odd/" + name, BROKEN)
    doc = t.box("check", "--json", "odd").json
    t.equal(
        base64.b64decode(doc["files"][0]["path_base64"]), b"odd/" + name, "a name that is not UTF-8"
    )
    t.match(rb"^odd/bytes\\xff\\xfe\.py:1:5: error", t.box("check", "odd").out, "for people")


@box.once
def test_many(t):
    for i in range(2000):
        t.write(
            "many/%d/%d.py" % (i % 40, i),
            "import os\n\n\ndef f%d(x):\n    return x + %d\n" % (i, i),
        )
    begin = time.monotonic()
    done = t.box("check", "many")
    t.ok(done.code == 0 and b"2000 programs: 2000 allowed" in done.out, "2000 files", done)
    t.ok(time.monotonic() - begin < 60, "fast")


@box.once
def test_odd_input(t):
    for name, data, allowed, rule in [
        ("nul.py", b"x = 1\n\0\n", False, "nul-character"),
        ("binary.py", bytes(range(256)) * 100, False, None),
        ("latin.py", b"x = 'caf\xe9'\n", False, None),
        ("cookie.py", b"# -*- coding: latin-1 -*-\nx = 'caf\xe9'\n", True, None),
        ("bom.py", b"\xef\xbb\xbfx = 1\n", True, None),
        ("crlf.py", b"if 1:\r\n    x = 1\r\n", True, None),
        ("empty.py", b"", True, None),
        ("blank.py", b"\n\n \n", True, None),
        ("noend.py", b"x = 1", True, None),
        ("elf.py", open("/bin/true", "rb").read(), False, None),
        ("nul.js", b"x\0", False, "nul-character"),
    ]:
        t.write(name, data)
        v = verdict(t, name)
        t.equal(v.get("allowed"), allowed, name, v)
        if rule:
            t.equal(
                (rules(v)[:1], v.get("stage")),
                ([rule], "input"),
                name + ": the rule and its stage",
                v,
            )
    t.write("big.py", "x = 'some text of a line'\n" * 400000)
    begin = time.monotonic()
    done = t.box("check", "big.py", timeout=120)
    t.ok(done.code in (0, 1) and time.monotonic() - begin < 100, "ten megabytes", done)


# ---- JSON ----


@box.once
def test_json(t):
    t.write("eval.py", EVAL)
    done = t.box("check", "--json", "eval.py")
    doc = done.json
    t.equal(sorted(doc), ["allowed", "files"], "the document", done)
    t.equal(sorted(doc["files"][0]), ["path", "verdict"], "a file")
    v = doc["files"][0]["verdict"]
    t.equal(sorted(v), ["allowed", "findings", "reason", "risk", "stage"], "a verdict")
    t.equal((v["allowed"], v["stage"]), (True, "patterns"), "the last stage that ran")
    finding = [f for f in v["findings"] if f["rule"] == "eval-call"][0]
    t.equal(sorted(finding), FINDING, "a finding")
    t.equal(
        [finding[k] for k in ("line", "column", "end_line", "end_column", "excerpt")],
        [1, 9, 1, 21, EVAL[:-1]] if finding["end_column"] == 21 else [1, 9, 1, 13, EVAL[:-1]],
        "its place",
        finding,
    )
    t.ok(finding["severity"] in SEVERITIES and isinstance(finding["points"], int), "its weight")
    t.write("long.py", "x = '%s'; eval(x)\n" % ("é" * 3000))
    finding = t.box("check", "--json", "long.py").json["files"][0]["verdict"]["findings"][0]
    at = finding["excerpt_column"]
    t.equal((finding["column"], finding["excerpt"][at - 1 :]), (3009, "eval(x)"), "in a part of its line", finding)
    t.write("odd.py", b"x = '\xff'\n")
    finding = t.box("check", "--json", "odd.py").json["files"][0]["verdict"]["findings"][0]
    t.equal(
        (finding["excerpt"], base64.b64decode(finding["excerpt_base64"])),
        ("x = '\ufffd'", b"x = '\xff'"),
        "a line that is not UTF-8",
    )
    t.equal(v["risk"], sum(f["points"] for f in v["findings"]), "the risk is the sum")
    v = verdict(t, "-c", "if 1:\nx = 1\n")
    t.equal((v["allowed"], v["stage"], rules(v)), (False, "syntax", ["syntax"]), "a refusal")
    t.match("expected an indented block after 'if' statement on line 1", v["reason"], "its reason")
    t.match("expected an indented block", v["findings"][0]["message"], "is the finding's message")
    v = verdict(t, "-c", "s = '漢字'; eval('1')")
    t.equal(v["findings"][0]["column"], 11, "columns are characters")
    v = verdict(t, "--stages", "input,syntax", "eval.py")
    t.equal((v["allowed"], v["stage"], rules(v)), (True, "syntax", []), "--stages")
    v = verdict(t, "--stages", "patterns", "-c", "import os, subprocess\neval('1')")
    t.ok("eval-call" in rules(v) and v["stage"] == "patterns", "patterns alone", v)
    v = verdict(t, "--stages", "input", "-c", BROKEN)
    t.equal((v["allowed"], v["stage"]), (True, "input"), "input alone does not look at syntax")
    t.equal(t.box("check", "--json", "-c", BROKEN).code, 1, "the exit status is the same")


# ---- SARIF ----


@box.once
def test_sarif(t):
    t.write("a b#.py", EVAL)
    t.write("broken.py", BROKEN)
    t.write("sub/n\xe4me.py", "def f(:\n")
    path = t.write("abs.py", "eval('1')\n")
    done = t.box(
        "check",
        "--sarif",
        "--profile",
        "strict",
        "a b#.py",
        "broken.py",
        "./broken.py",
        "sub",
        path,
        "nope.py",
        "-",
        stdin=b"exec(1)",
    )
    doc = done.json
    run = doc["runs"][0]
    t.equal(
        (doc["version"], len(doc["runs"]), run["columnKind"]),
        ("2.1.0", 1, "unicodeCodePoints"),
        "one run",
        done,
    )
    t.match("sarif-2.1.0", doc["$schema"], "its schema")
    t.equal(sarif.problems(doc), [], "what every viewer counts on")
    driver = run["tool"]["driver"]
    ids = [r["id"] for r in driver["rules"]]
    t.equal(
        (driver["name"], len(ids) == len(set(ids)), "eval-call" in ids),
        ("glovebox", True, True),
        "the rules",
    )
    t.ok(
        all(
            run["tool"]["driver"]["rules"][r["ruleIndex"]]["id"] == r["ruleId"]
            for r in run["results"]
        ),
        "results find theirs by number",
    )
    uris = [a["location"]["uri"] for a in run["artifacts"]]
    t.equal(
        uris,
        [
            "a%20b%23.py",
            "broken.py",
            "sub/n%C3%A4me.py",
            "file://" + path,
            "nope.py",
            "%3Cstdin%3E",
        ],
        "files, each once, escaped",
    )
    places = [r["locations"][0]["physicalLocation"] for r in run["results"]]
    t.ok(
        all(uris[p["artifactLocation"]["index"]] == p["artifactLocation"]["uri"] for p in places),
        "results find theirs",
    )
    first = [p for r, p in zip(run["results"], places) if r["ruleId"] == "eval-call"][0]
    t.equal(
        (
            first["region"]["startLine"],
            first["region"]["startColumn"],
            first["contextRegion"]["snippet"]["text"],
        ),
        (1, 9, EVAL[:-1]),
        "a place",
    )
    levels = {r["ruleId"]: r["level"] for r in run["results"]}
    t.equal((levels["syntax"], levels["eval-call"]), ("error", "error"), "what refuses is an error")
    t.equal(run["invocations"][0]["executionSuccessful"], False, "a file was not read")
    t.match(
        "nope.py", json.dumps(run["invocations"][0]["toolExecutionNotifications"]), "and is named"
    )
    t.equal(done.code, 125, "the exit status is the same")
    doc = t.box("check", "--sarif", "a b#.py").json
    t.equal(
        {r["level"] for r in doc["runs"][0]["results"] if r["ruleId"] == "eval-call"},
        {"warning"},
        "what is only told is a warning",
    )
    doc = t.box("check", "--sarif", "-c", "1").json
    t.equal((doc["runs"][0]["results"], sarif.problems(doc)), ([], []), "nothing found")
    os.mkdir(t.path("here/empty"))
    t.equal(sarif.problems(t.box("check", "--sarif", "empty").json), [], "nothing read")
    schema = sarif.schema()
    if not schema:
        return t.skip("the published schema", "no file in GLOVEBOX_SARIF_SCHEMA")
    t.equal(list(sarif.violations(schema, schema, done.json))[:5], [], "the published schema")


# ---- rules and profiles ----


@box.once
def test_own_lists(t):
    """What a policy lists is refused, whatever its base does; unless it says that it only tells."""
    code = "open('x')\neval('1')\n"
    t.write("lists.conf", "base = standard\nforbidden_calls = [open]\n")
    v = verdict(t, "--profile", "./lists.conf", "-c", code)
    reasons = [f["rule"] for f in v["findings"] if f["refuses"]]
    t.equal((v["allowed"], reasons), (False, ["call-forbidden"]), "a listed call, and it alone", v)
    t.ok("eval-call" in rules(v), "the base's rules only tell", v)
    t.write("told.conf", "base = standard\nstages = [input, syntax]\nforbidden_calls = [open]\n")
    v = verdict(t, "--profile", "./told.conf", "-c", code)
    t.equal((v["allowed"], "call-forbidden" in rules(v)), (True, True), "told, not refused", v)
    t.write("imports.conf", "base = standard\nforbidden_imports = [socket]\n")
    v = verdict(t, "--profile", "./imports.conf", "-c", "import socket")
    t.equal((v["allowed"], v["stage"]), (False, "imports"), "a listed import", v)


@box.once
def test_columns(t):
    """Columns are characters, also where the compiler counts bytes."""
    for code, column in (("'é'; return", 6), ("é = (1,", 5), ("'ééé'; break", 8)):
        f = verdict(t, "-c", code)["findings"][0]
        t.equal((f["rule"], f["column"]), ("syntax", column), code)
    t.equal(t.box("check", "--stages", "input,input", "-c", "x").code, 0, "a stage named twice")


@box.once
def test_lists(t):
    done = t.box("check", "--list-rules", "--json")
    doc = done.json["rules"]
    ids = [r["id"] for r in doc]
    t.ok(len(ids) > 50 and len(ids) == len(set(ids)), "rules", ids)
    t.equal(
        {tuple(sorted(r)) for r in doc},
        {("explanation", "id", "points", "severity", "stage", "summary")},
        "fields",
    )
    t.equal({r["stage"] for r in doc}, {"input", "syntax", "imports", "patterns", "review"}, "stages")
    t.equal(
        [r["id"] for r in doc if not r["summary"] or not r["explanation"]], [], "each is explained"
    )
    text = t.box("check", "--list-rules").out.decode()
    t.equal(len(text.splitlines()), len(ids) + 1, "for people, a line each")
    t.match("(?m)^RULE +STAGE +SEVERITY +POINTS +WHAT IT FINDS$", text, "under a head")
    for rule in ids:
        done = t.box("check", "--explain", rule)
        if (
            done.code
            or not done.out.startswith(rule.encode() + b": ")
            or max(map(len, lines(done.out))) > 80
        ):
            t.ok(False, "--explain " + rule, done)
    done = t.box("check", "--explain", "eval-call")
    t.ok(
        done.code == 0 and len(done.out) > 200 and b"Stage patterns, severity critical" in done.out,
        "--explain",
        done,
    )
    t.equal(
        t.box("check", "--explain", "eval-call", "--json").json["id"],
        "eval-call",
        "--explain as JSON",
    )
    names = {
        "standard",
        "strict",
        "kodeagent",
        "chapter",
        "restricted",
        "agentos",
        "smolagents",
        "host",
    }
    text = t.box("check", "--list-profiles").out.decode()
    t.ok(names <= {l.split()[0] for l in text.splitlines()}, "the profiles", text)
    t.equal(
        {l.split()[0] for l in text.splitlines()},
        {p["name"] for p in t.box("check", "--list-profiles", "--json").json["profiles"]},
        "as JSON",
    )
    topic = t.box("help", "profiles").out.decode()
    t.equal([n for n in names if n not in topic], [], "'help profiles' has them all")
    for name in sorted(names):
        t.exits(
            t.box("check", "--profile", name, "-c", "print(1 + 1)"),
            0,
            "an innocent program under " + name,
            b"1 program: 1 allowed\n",
        )
        t.equal(
            t.box("check", "--profile", name, "-c", BROKEN).code, 1, "a broken one under " + name
        )


@box.once
def test_imports(t):
    code = "import socket\n"
    t.equal(verdict(t, "-c", code)["allowed"], True, "standard lets imports pass")
    t.equal(
        verdict(t, "--forbid-imports", "socket", "-c", code)["allowed"], False, "--forbid-imports"
    )
    t.equal(verdict(t, "--forbid-imports", "os,socket", "-c", code)["allowed"], False, "several")
    t.equal(
        verdict(t, "--forbid-imports", "os", "--forbid-imports", "socket", "-c", code)["allowed"],
        False,
        "given twice",
    )
    t.equal(
        verdict(t, "--forbid-imports", " socket , os", "-c", code)["allowed"], False, "with blanks"
    )
    v = verdict(t, "--forbid-imports", "socket", "-c", "x = 1\n" + code)
    t.equal(
        (v["stage"], v["findings"][0]["rule"], v["findings"][0]["line"]),
        ("imports", "import-forbidden", 2),
        "the finding",
        v,
    )
    t.equal(
        verdict(t, "--profile", "kodeagent", "-c", "import re")["allowed"],
        True,
        "a profile's own list",
    )
    t.equal(
        verdict(t, "--profile", "kodeagent", "-c", code)["allowed"], False, "and what is not in it"
    )
    v = verdict(t, "--profile", "kodeagent", "--allow-imports", "json", "-c", "import json")
    t.equal(v["allowed"], True, "--allow-imports", v)


@box.once
def test_policy_file(t):
    t.write(
        "mine.conf",
        "base = standard\nstages = [input, syntax, imports]\nforbidden_imports = [socket]\n",
    )
    t.equal(
        verdict(t, "--profile", "mine.conf", "-c", "import socket")["allowed"],
        False,
        "a policy file",
    )
    t.equal(
        verdict(t, "--profile", "./mine.conf", "-c", "import json")["allowed"],
        True,
        "lets others pass",
    )
    t.write("bad.conf", "base = standard\nnonsense = 1\n")
    t.refused(
        t.box("check", "--profile", "bad.conf", "-c", "1"),
        2,
        r"--profile: .*bad\.conf:2: .*nonsense",
        "a mistake in it",
    )
    t.write("worse.conf", "base = nowhere\n")
    t.refused(
        t.box("check", "--profile", "worse.conf", "-c", "1"),
        2,
        r"worse\.conf",
        "one that starts from nothing known",
    )


@box.once
def test_targets(t):
    types = "type X = int\n"
    quotes = "x = f'{'a'}'\n"
    both = "try:\n    1\nexcept A, B:\n    2\n"
    for code, good, bad in [
        (types, ("3.12", "3.13", "3.14", "auto"), ("3.11",)),
        (quotes, ("3.12", "3.14"), ("3.11",)),
        (both, ("3.14", "auto"), ("3.11", "3.12", "3.13")),
        ("x = t'{y}'\n", ("3.14",), ("3.13", "3.12")),
    ]:
        for target in good + bad:
            t.equal(
                verdict(t, "--target", target, "-c", code).get("allowed"),
                target in good,
                "%r as Python %s" % (code, target),
            )


@box.once
def test_prelude(t):
    t.write(
        "tools.py",
        "from typing import *\nimport socket\n\ndef connect():\n    return socket.socket()\n",
    )
    t.equal(
        verdict(t, "--profile", "kodeagent", "--prelude", "tools.py", "-c", "connect()")["allowed"],
        False,
        "imports are looked at in both",
    )
    v = verdict(
        t,
        "--profile",
        "kodeagent",
        "--allow-imports",
        "typing,socket",
        "--prelude",
        "tools.py",
        "-c",
        "connect()",
    )
    t.equal(v["allowed"], True, "where the prelude's are allowed", v)
    t.write("bad.py", "def f(:\n")
    t.equal(
        verdict(t, "--prelude", "bad.py", "-c", "1")["stage"],
        "syntax",
        "a prelude that does not compile",
    )


# ---- --dump-ast ----


@box.once
def test_dump_ast(t):
    code = (
        "def f(a, *, b: int = 1) -> None:\n    return [x async for x in y] if a else f'{a!r:>{b}}'\n"
        * 3
    )
    t.write("a.py", "async " + code.replace("def", "def"))
    import ast

    want = ast.dump(ast.parse("async " + code), include_attributes=True)
    done = t.box("check", "--dump-ast", "--target", "3.11", "a.py")
    t.exits(done, 0, "as ast.dump prints it", want.encode() + b"\n")
    want = ast.dump(ast.parse("async " + code))
    t.exits(
        t.box("check", "--dump-ast", "--no-attributes", "--target", "3.11", "a.py"),
        0,
        "without attributes",
        want.encode() + b"\n",
    )
    t.write("b.py", "x = 1\n")
    t.write("broken.py", BROKEN)
    done = t.box("check", "--dump-ast", "b.py", "broken.py", "-", stdin=b"y\n")
    t.equal(
        (done.code, done.out.count(b"\n"), done.out.count(b"Module(")),
        (1, 2, 2),
        "one line each, in order",
        done,
    )
    t.match(
        rb"^broken\.py:1:5: error: .*was never closed.* \[syntax\]\n    1 \| x = \(\n      \|     \^",
        done.err,
        "errors on standard error",
    )
    t.exits(
        t.box("check", "--dump-ast", "-c", "return 1"),
        0,
        "what only the compiler refuses has a tree",
    )
    t.write("c.js", "1\n")
    done = t.box("check", "--dump-ast", "c.js", "b.py")
    t.ok(
        done.code == 125 and b"c.js: is in javascript" in done.err and b"Module" in done.out,
        "other languages have none",
        done,
    )
    t.write("large.py", "x = [" + "a.b(c, d=1), " * 100000 + "]\n")
    done = t.box("check", "--dump-ast", "large.py", timeout=60)
    t.ok(
        done.code == 0 and len(done.out) > 50000000 and done.out.endswith(b")\n"),
        "a large one",
        len(done.out),
    )


# ---- other languages ----

LANGUAGES = [
    # program, what runs it, good, bad, line
    ("node", "x.js", "const a = 1;\n", "const a = ;\n", 1),
    ("node", "x.mjs", "import fs from 'fs';\n", "export const a = (;\n", 1),
    ("node", "x.cjs", "require('fs');\n", "let a = {;\n", 1),
    ("bash", "x.sh", "if true; then echo; fi\n", "echo\nif true; then\n)\n", 3),
    ("bash", "x.bash", "a=(1 2)\n", "a=(1 2\n", None),
    ("sh", "x.dash", "echo $x\n", "case x in\n", None),
    ("Rscript", "x.R", "x <- function(a) a\n", "y <- 1\nx <- function(a {\n", 2),
]


def test_languages(t):
    for program, name, good, bad, line in LANGUAGES:
        if not t.has("runs") or not shutil.which(program, path=box.PATH):
            t.skip("syntax of " + name, "needs %s in the jail" % program)
            continue
        t.write(name, good)
        v = verdict(t, name)
        t.equal(
            (v.get("allowed"), v.get("stage"), v.get("findings")),
            (True, "syntax", []),
            name + ": a good program",
            v,
        )
        t.write(name, bad)
        v = verdict(t, name)
        t.equal(
            (v.get("allowed"), v.get("stage"), rules(v)),
            (False, "syntax", ["syntax"]),
            name + ": a broken one",
            v,
        )
        if line:
            t.equal(v["findings"][0]["line"], line, name + ": the line", v)
        t.ok(v["reason"] and "box" not in v["reason"], name + ": the tool's words", v)
    t.write("evil.sh", "touch ran\nrm -rf ~\n")
    if t.has("runs"):
        t.equal(t.box("check", "evil.sh").code, 0, "nothing of it runs")
        t.ok(not os.path.exists(t.path("here/ran")), "nowhere")
    t.write("x.sh", "if\n")
    v = verdict(t, "x.sh", env={"GLOVEBOX_JAIL": "/no/such/helper"})
    t.equal(
        (v["allowed"], rules(v), v["stage"]),
        (True, ["syntax-unchecked"], "syntax"),
        "without the jail it is not checked",
        v,
    )
    t.match("not checked: .*/no/such/helper", v["findings"][0]["message"], "and that is said")
    v = verdict(t, "x.sh", env={"PATH": "/nowhere"})
    t.equal(rules(v), ["syntax-unchecked"], "nor without the interpreter", v)
    v = verdict(t, "--stages", "input", "x.sh")
    t.equal(v["findings"], [], "nor when nobody asks")
    t.config("[language.perl]\ncommand = perl\nextension = .pl\n")
    t.write("x.pl", "if (\n")
    t.equal(
        rules(verdict(t, "x.pl")),
        ["syntax-unchecked"],
        "nor in a language that only the config file knows",
    )
    t.equal(t.box("check", "x.pl").code, 0, "which is no reason to refuse")
    t.equal(t.box("log", "--json").json["runs"], [], "checks are not in the run log")
    done = t.box("check", "--lang", "python", "x.sh")
    t.match(r"x\.sh:1:\d: error", done.out, "--lang decides")


# ---- glovebox run ----


def process_made(t, *args):
    """Whether a run came as far as starting the helper, which here does not exist."""
    return b"/no/such/helper" in t.run(*args, env={"GLOVEBOX_JAIL": "/no/such/helper"}).err


def test_run_refused(t):
    t.write("broken.py", BROKEN)
    done = t.run("broken.py")
    t.equal((done.code, done.out), (126, b""), "a program that does not compile is refused", done)
    out = lines(done.err)
    t.match(r"^broken\.py:1:5: error: .*'\(' was never closed \[syntax\]$", out[0], "the place")
    t.equal(out[1:3], ["    1 | x = (", "      |     ^"], "the line", done)
    t.match(
        r"^glovebox: refused at syntax: .*'\(' was never closed \(line 1\)$",
        out[-1],
        "and one line",
    )
    done = t.run("-q", "broken.py")
    t.refused(done, 126, "^glovebox: refused at syntax: ", "--quiet: the line alone")
    t.ok(not process_made(t, "broken.py"), "no process was made")
    t.ok(process_made(t, "-c", "print(1)"), "otherwise there is one")
    t.ok(process_made(t, "--no-check", "broken.py"), "also with --no-check")
    os.mkdir(t.path("here/work"))
    t.equal(
        t.run("--out", "out", "--work-dir", "work", "broken.py").code, 126, "with folders to come"
    )
    t.ok(
        not os.path.exists(t.path("here/out")) and not os.listdir(t.path("here/work")),
        "nothing was laid out",
    )
    doc = t.run("--json", "broken.py").json
    t.equal(
        (
            doc["success"],
            doc["exit_code"],
            doc["error"],
            doc["attempts"],
            doc["isolation"],
            doc["stderr"],
        ),
        (False, -1, None, 0, [], ""),
        "the result",
    )
    v = doc["verdict"]
    t.equal((v["allowed"], v["stage"], rules(v)), (False, "syntax", ["syntax"]), "its verdict")
    e = doc["exception"]
    t.equal(
        (e["type"], e["message"], e["line"], e["column"]),
        ("SyntaxError", "'(' was never closed", 1, 5),
        "its exception",
    )
    t.match(
        r"File \"broken\.py\", line 1\n    x = \(\n        \^\nSyntaxError: '\(' was never closed\n$",
        e["traceback"],
        "as Python shows it",
    )
    e = t.run("--json", "-c", "if 1:\nx").json["exception"]
    t.equal((e["type"], e["line"]), ("IndentationError", 2), "indentation")
    e = t.run("--json", "-c", "if 1:\n\tx\n        y").json["exception"]
    t.equal(e["type"], "TabError", "tabs")
    t.write("latin.py", b"x = 'caf\xe9'\n")
    doc = t.run("--json", "latin.py").json
    t.equal(
        (doc["verdict"]["stage"], doc["exception"]["type"]), ("input", "SyntaxError"), "an encoding"
    )
    events = t.run("--events", "broken.py").events
    t.equal([e["event"] for e in events], ["verdict", "finished"], "events of a refusal")
    t.equal(events[0]["verdict"], events[1]["result"]["verdict"], "with the same verdict")
    doc = t.box("log", "--json", "--outcome", "refused", "--limit", "1").json["runs"][0]
    t.equal(
        (doc["outcome"], doc["verdict"]["allowed"], doc["verdict"]["stage"]),
        ("refused", False, "syntax"),
        "in the log",
        doc,
    )
    t.match("never closed", doc["verdict"]["reason"], "with its reason")
    t.match(
        rb"refused by syntax: .*never closed", t.box("log", "show", doc["id"]).out, "shown there"
    )


def test_run_no_process(t):
    """The same, seen by the kernel."""
    if not shutil.which("strace"):
        return t.skip("system calls of a refusal", "needs strace")
    t.write("broken.py", BROKEN)
    done = t.command(
        [
            "strace",
            "-f",
            "-qq",
            "-E",
            "ASAN_OPTIONS=detect_leaks=0",  # which traces too
            "-e",
            "trace=clone,clone3,fork,vfork,execve",
            t.glovebox,
            "run",
            "broken.py",
        ]
    )
    if b"ptrace" in done.err or b"strace:" in done.err:
        return t.skip("system calls of a refusal", "strace may not trace here")
    calls = [
        l for l in lines(done.err) if re.match(r"(\[pid +\d+\] )?(clone|fork|vfork|execve)", l)
    ]
    t.equal((done.code, len(calls)), (126, 1), "one execve, its own", done)


def test_run_no_check(t):
    done = t.run("--no-check", "-c", BROKEN)
    t.ok(
        done.code == 1 and b"SyntaxError" in done.err and b"main.py" in done.err,
        "--no-check leaves it to the interpreter",
        done,
    )
    doc = t.run("--json", "--no-check", "-c", "print(1)").json
    t.equal(
        doc["verdict"],
        {"allowed": True, "stage": None, "reason": None, "risk": 0, "findings": []},
        "no verdict",
    )
    t.equal(
        [e["event"] for e in t.run("--events", "--no-check", "-c", "1").events][0],
        "started",
        "nor an event",
    )
    doc = t.run("--json", "-c", "eval('1')").json
    t.equal(
        (doc["success"], doc["verdict"]["allowed"], "eval-call" in rules(doc["verdict"])),
        (True, True, True),
        "what is found and does not refuse",
        doc,
    )
    t.exits(t.run("-c", "print(eval('1'))"), 0, "is not told to people who run", b"1\n")
    t.equal(t.run("-c", "print(eval('1'))").err, b"", "nor on standard error")
    events = t.run("--events", "-c", "print(1)").events
    t.equal([e["event"] for e in events][:2], ["verdict", "started"], "the verdict comes first")
    t.equal(events[0]["id"], events[1]["id"], "of the same run")
    t.exits(t.run("--lang", "sh", "-c", "if"), 2, "other languages tell themselves")


def test_run_profiles(t):
    done = t.run("--profile", "strict", "-c", EVAL)
    t.equal(done.code, 126, "a stricter profile", done)
    t.match(rb"eval-call", done.err, "says what it is")
    doc = t.run("--json", "--profile", "strict", "-c", EVAL).json
    t.equal(
        (doc["verdict"]["allowed"], doc["success"], doc["verdict"]["stage"]),
        (False, False, "patterns"),
        "in the result",
    )
    t.equal(t.run("--forbid-imports", "json", "-c", "import json").code, 126, "--forbid-imports")
    t.equal(t.run("--profile", "kodeagent", "-c", "import json").code, 126, "an allow-list")
    t.exits(
        t.run(
            "--profile",
            "kodeagent",
            "--allow-imports",
            "json",
            "-c",
            "import json; print(json.dumps(1))",
        ),
        0,
        "--allow-imports",
        b"1\n",
    )
    t.refused(
        t.run("--profile", "nope", "-c", "print(1)"),
        2,
        "^glovebox run: --profile: .*nope|^glovebox: --profile: .*nope",
        "a profile there never was",
    )
    t.equal(t.run("--target", "3.11", "-c", "type X = int").code, 126, "--target")
    doc = t.run("--json", "--profile", "kodeagent", "-c", "import json, socket").json
    t.equal(
        (doc["stdout"], doc["exit_code"], doc["stderr"]),
        (
            "",
            -1,
            "The following imports are disallowed:json\nsocket\nPlease only use the allowed modules for importing.",
        ),
        "a profile's own words (K10)",
        doc,
    )
    doc = t.run("--json", "--profile", "agentos", "-c", "import socket").json
    t.equal(
        (doc["stderr"], doc["exception"] and doc["exception"]["message"]),
        ("SECURITY VIOLATION: Forbidden import: socket", "Security check failed"),
        "another's (S5)",
        doc,
    )
    t.write(
        "mine.conf",
        "base = standard\nstages = [input, syntax, imports]\nforbidden_imports = [json]\n",
    )
    t.equal(t.run("--profile", "./mine.conf", "-c", "import json").code, 126, "a policy file")
    unsafe = ("--backend", "host", "--allow-unsafe")
    t.equal(
        t.run(*unsafe, "-c", "import os; os.system('true')").code,
        126,
        "on the host the profile is stricter",
    )
    t.exits(t.run("-q", *unsafe, "-c", "print(1)"), 0, "an innocent program", b"1\n")
    t.exits(
        t.run("-q", *unsafe, "--profile", "standard", "-c", "import os; os.system('echo 2')"),
        0,
        "unless another is named",
        b"2\n",
    )


def test_run_prelude(t):
    t.write("tools.py", "def tool(x):\n    return x * 2\n")
    t.exits(
        t.run("--prelude", "tools.py", "-c", "print(tool(21))"), 0, "a prelude runs first", b"42\n"
    )
    t.equal(t.run("--prelude", "tools.py", "-c", "print(tool(").code, 126, "both are checked")
    t.exits(
        t.run("--prelude", "tools.py", "--no-check", "-c", "print(tool(1))"),
        0,
        "also unchecked",
        b"2\n",
    )
    t.refused(
        t.run("--prelude", "nope.py", "-c", "print(1)"),
        2,
        "--prelude: .*nope.py",
        "one that is missing",
    )
    t.write("tools.sh", "greet() { echo hello; }\n")
    t.exits(
        t.run("--lang", "sh", "--prelude", "tools.sh", "-c", "greet"),
        0,
        "in another language",
        b"hello\n",
    )


def failure(t, prelude, code, *options):
    t.write("pre.py", prelude)
    return t.run("--json", "--prelude", "pre.py", *options, "-c", code).json


@box.once
def test_prelude_lines(t):
    doc = failure(t, "import re\nX = 1\n", "y = X\nif y:\n    1/0\n")
    e = doc["exception"]
    t.equal((e["line"], e["column"], e["file"]), (3, 5, None), "the program's lines count from its first", e)
    t.equal(e["statement"], "if y:\n    1/0", "its statement at the top level", e)
    t.match(br'main\.py", line 3, in <module>\n    1/0', e["traceback"].encode(), "also in the traceback")
    t.match(br'main\.py", line 7, in <module>\n    1/0', doc["stderr"].encode(), "stderr is as it was printed")
    told = t.box("format", stdin=json.dumps(doc).encode()).out
    t.match(rb"division by zero \(line 3\)", told, "and in what a model is told")
    e = failure(t, "def tool(x):\n    raise ValueError(x)\n", "a = 1\nb = 2; tool(a)\n")["exception"]
    t.equal((e["line"], e["column"], e["file"], e["statement"]), (2, 8, None, "tool(a)"), "of a tool that fails, the call", e)
    t.match(br'"<prelude>", line 2, in tool\n', e["traceback"].encode(), "whose frame names the prelude")
    e = failure(t, "def tool(f):\n    return f()\n", "def g():\n    1 / 0\ntool(g)\n")["exception"]
    t.equal((e["line"], e["file"], e["statement"]), (2, None, "tool(g)"), "of a function that a tool calls, its line", e)
    doc = failure(t, "\nimport nosuchmod\n", "print(1)")
    e = doc["exception"]
    t.equal((e["line"], e["file"]), (2, "<prelude>"), "a prelude that fails", e)
    told = t.box("format", stdin=json.dumps(doc).encode()).out
    t.match(rb"\(line 2 of <prelude>\)", told, "by its name")
    t.write("helper.py", "x = 1\n1/0\n")
    t.write("pre.py", "Y = 1\n")
    e = t.run("--json", "--prelude", "pre.py", "--file", "helper.py", "-c", "\n\nimport helper").json["exception"]
    t.equal((e["line"], e["file"], e["statement"]), (2, "helper.py", "import helper"), "a file of the user's", e)


@box.once
def test_prelude_syntax(t):
    for options in (), ("--no-check",):
        doc = failure(t, "x = 1\ndef tool(:\n", "print(1)", *options)
        e = doc["exception"]
        t.equal((e["type"], e["line"], e["file"]), ("SyntaxError", 2, "<prelude>"), "a syntax error in a prelude", e)
        t.match(br'File "<prelude>", line 2\n    def tool\(:\n +\^', e["traceback"].encode(), "with the line")
        doc = failure(t, "x = 1\n", "y = 2\nx = = 3\n", *options)
        t.equal((doc["exception"]["line"], doc["exception"]["file"]), (2, None), "or behind one", doc["exception"])
    doc = failure(t, "x = 1\ndef tool(:\n", "print(1)")
    t.match(rb"SyntaxError: invalid syntax \(line 2 of the prelude\)", doc["verdict"]["reason"].encode(), "the reason")
    t.equal([f["prelude_line"] for f in doc["verdict"]["findings"]], [2], "the finding's line", doc["verdict"])
    t.write("a.py", "print(1)")
    for command in "run", "check", "test":
        done = t.box(command, "--prelude", "pre.py", "a.py")
        t.match(rb"(^|\n)pre\.py:2: error: SyntaxError.*\n    2 \| def tool\(:\n", done.err + done.out, command + " names the prelude's file")


@box.once
def test_prelude_note(t):
    t.write("pre.py", "def tool(x):\n    return 1 / x\n")
    t.write("bad.py", "a = 1\n1 / 0\n")
    for prelude, code, want in (
            ("bad.py", "print(1)", rb"\nglovebox: ZeroDivisionError in line 2 of the prelude bad\.py\n$"),
            ("pre.py", "a = 1\ntool(0)", rb"\nglovebox: ZeroDivisionError in line 2 of <string>\n$")):
        t.match(want, t.run("--prelude", prelude, "-c", code, env={"GLOVEBOX_HINTS": "0"}).err, "the line of " + prelude)
        t.ok(b"glovebox:" not in t.run("-q", "--prelude", prelude, "-c", code).err, "not with --quiet")
    t.ok(b"ZeroDivisionError in line" not in t.run("-c", "1/0").err, "not without a prelude")


@box.once
def test_config_keys(t):
    from test_config import settings

    found, done = settings(t)
    t.equal(
        {
            k: found.get(k, ("missing",))[0]
            for k in ("profile", "allow-imports", "forbid-imports", "target", "prelude", "check")
        },
        {
            "profile": "standard",
            "allow-imports": "[]",
            "forbid-imports": "[]",
            "target": "auto",
            "prelude": "",
            "check": "true",
        },
        "--print-config shows the keys",
        done,
    )
    t.config("profile = strict\ntarget = 3.12\n")
    found, _ = settings(t)
    t.equal((found["profile"][0], found["target"][0]), ("strict", "3.12"), "from the user's file")
    t.equal(t.run("-c", EVAL).code, 126, "and they hold")
    t.equal(t.box("check", "-c", EVAL).code, 1, "for check as well")
    t.equal(
        t.box("check", "--profile", "standard", "-c", EVAL).code, 0, "the command line is stronger"
    )
    t.config("no-check = true\n")
    t.equal(t.run("-c", BROKEN).code, 1, "no-check in the user's file")
    t.equal(t.run("--check", "-c", BROKEN).code, 126, "--check against it")
    t.equal(t.box("check", "-c", BROKEN).code, 1, "which is nothing to check")
    t.config("")
    for text in (
        "profile = standard",
        "no-check = true",
        "check = false",
        "allow-imports = [os]",
        "prelude = x.py",
    ):
        t.project(text + "\n")
        for command in ("run", "check"):
            t.refused(
                t.box(command, "-c", "print('ran')"),
                2,
                r"^glovebox %s: glovebox.conf:1: .*weakens the sandbox" % command,
                "a project's file may not say %s to %s" % (text, command),
            )
    t.project("forbid-imports = [json]\n")
    t.equal(t.run("-c", "import json").code, 126, "but it may forbid imports")
    t.config("forbid-imports = [socket]\n")
    t.equal(
        (t.run("-c", "import json").code, t.run("-c", "import socket").code),
        (126, 126),
        "beside the user's",
    )
    t.project("target = 3.11\n")
    t.equal(t.run("-c", "type X = int").code, 126, "and name a target")
    os.remove(t.path("here/glovebox.conf"))
    done = t.box("check", "-c", "import json", env={"GLOVEBOX_FORBID_IMPORTS": "json"})
    t.equal(done.code, 1, "the environment", done)


# ---- where it writes ----


@box.once
def test_streams(t):
    t.write("many.py", "eval('1')\n" * 1000)
    if os.path.exists("/dev/full"):
        with open("/dev/full", "wb") as full:
            p = t.start("check", "many.py", stdout=full)
            _, err = p.communicate(timeout=box.PATIENCE)
        t.ok(
            p.returncode == 125 and b"standard output: No space left" in err,
            "a full disk is told",
            err,
        )
    done = t.command(["sh", "-c", '"$0" check many.py >&-; echo $?', t.glovebox])
    t.equal(done.out, b"0\n", "closed standard output", done)
    done = t.command(
        [
            "bash",
            "-c",
            '"$0" check --max-findings 0 --json many.py many.py many.py | head -c 100; echo ${PIPESTATUS[0]}',
            t.glovebox,
        ]
    )
    t.ok(lines(done.out)[-1].endswith(("141", "125")), "a reader that goes away", done)
    done = t.command(["sh", "-c", '"$0" check - <&-; echo $?', t.glovebox])
    t.match(rb"(0|125)\n$", done.out, "closed standard input")


# ---- languages ----


def says(v):
    return "%s at %s: %s" % (v.get("allowed"), v.get("stage"), v.get("reason"))


@box.once
def test_profile_languages(t):
    for profile in ("strict", "kodeagent", "chapter", "restricted", "agentos", "smolagents"):
        words = "False at input: language bash is not allowed by profile %s" % profile
        v = verdict(t, "--profile", profile, "--lang", "bash", "-c", "echo hi")
        t.equal(says(v), words, profile + " refuses Bash")
        t.equal([(f["rule"], f["name"]) for f in v["findings"]], [("language-not-read", "bash")], "by its rule")
        v = verdict(t, "--profile", profile, "-", stdin=b"#!/bin/bash\necho hi\n")
        t.equal(says(v), words, profile + " refuses a shebang")
        v = verdict(t, "--profile", profile, "-c", "echo hi; id -u")
        t.equal((v["allowed"], v["stage"]), (False, "syntax"), "and what is no Python")
        t.equal(verdict(t, "--profile", profile, "-c", "print(1)")["allowed"], True, "not print(1)")
    t.write("a.sh", "echo hi\n")
    t.exits(t.box("check", "--profile", "strict", "a.sh"), 1, "an extension says the language")
    t.exits(t.box("check", "a.sh"), 0, "standard lets any run")
    t.write("own.conf", '[language.mine]\ncommand = "bash"\nargs = ["{file}"]\nextension = ".mine"\n')
    t.write("a.mine", "print(1)\n")
    done = t.box("check", "--config", "own.conf", "--profile", "strict", "a.mine")
    t.exits(done, 1, "languages of the user's are not read")
    t.write("bash.conf", "base = strict\nlanguages = [python, bash]\n")
    t.exits(t.box("check", "--profile", "./bash.conf", "a.sh"), 0, "a policy may name it")


@box.once
def test_run_languages(t):
    host = ("run", "--backend", "host", "--allow-unsafe")
    for args in (
        ("run", "--profile", "restricted", "--lang", "bash", "-c", "touch ran"),
        ("run", "--profile", "kodeagent", "-c", "touch ran; id -u"),
        (*host, "-c", "touch '%s'" % t.path("ran")),
        (*host, "--lang", "bash", "-c", "touch '%s'" % t.path("ran")),
        (*host, "--profile", "standard", "--lang", "sh", "-c", "touch '%s'" % t.path("ran")),
    ):
        done = t.box(*args)
        t.equal(done.code, 126, " ".join(args), done)
    t.ok(not os.path.exists(t.path("ran")), "and none ran")
    done = t.box(*host, "--no-check", "--lang", "bash", "-c", "echo unread")
    t.equal((done.code, done.out), (0, b"unread\n"), "who wants it unread says so", done)
    t.write("tools.py", "def tool(): pass\n")
    done = t.box("run", "--prelude", "tools.py", "-c", "const = 1; x = 1 === 1")
    t.match(b"SyntaxError", done.err, "a prelude's name says the language")


@box.once
def test_show_profile(t):
    names = [p["name"] for p in t.box("check", "--list-profiles", "--json").json["profiles"]]
    t.ok(len(names) >= 9, "profiles", names)
    for name in names:
        text = t.box("check", "--show-profile", name).out
        t.write("shown.conf", text.decode())
        again = t.box("check", "--show-profile", "./shown.conf").out
        t.equal(again, text, name + " printed and read again is the same")
    shown = t.box("check", "--show-profile", "strict", "--allow-imports", "numpy").out
    t.match(rb"allowed_imports = \[numpy\]", shown, "with what is allowed besides")
    t.exits(t.box("check", "--show-profile", "strickt"), 2, "no such profile")


@box.once
def test_fields(t):
    v = verdict(t, "--profile", "chapter", "-c", "import os.path\neval('1')\nf = x.gi_frame\n")
    by = {f["rule"]: [f[k] for k in ("name", "module", "call", "label")] for f in v["findings"]}
    t.equal(by["import-forbidden"], ["os.path", "os.path", None, "OS module import"], "an import")
    t.equal(by["eval-call"], ["eval", "builtins", "eval", "Eval usage"], "a call")
    t.equal(by["generator-frame"], ["gi_frame", None, None, None], "an attribute")
    done = t.box("check", "--profile", "kodeagent", "--sarif", "-c", "import os")
    found = done.json["runs"][0]["results"][0]["properties"]
    t.equal((found["name"], found["module"]), ("os", "os"), "in SARIF")
    done = t.box("run", "--profile", "kodeagent", "--json", "-c", "import os\nf = eval")
    t.equal(done.json["exception"]["line"], 2, "the line of the builtin that is named", done)
    t.equal(done.json["verdict"]["findings"][0]["module"], "os", "in a run's result")


@box.once
def test_help(t):
    text = t.box("check", "--help-all").out.decode()
    for option in (
        "profile",
        "allow-imports",
        "forbid-imports",
        "stages",
        "target",
        "lang",
        "prelude",
        "json",
        "sarif",
        "dump-ast",
        "list-rules",
        "explain",
        "list-profiles",
        "show-profile",
        "quiet",
        "max-findings",
        "no-attributes",
    ):
        t.match("--%s[ \n]" % option, text, "check --help-all has --" + option)
    words = " ".join(text.split())
    t.ok("node --check" in words and "bash -n" in words, "and says what other languages get")
    text = t.box("run", "--help-all").out.decode()
    for option in ("profile", "allow-imports", "forbid-imports", "target", "prelude", "no-check"):
        t.match("--%s[ \n]" % option, text, "run --help-all has --" + option)
