# SPDX-License-Identifier: Apache-2.0
"""--json, --events, and the words in them."""

import base64
import datetime
import hashlib
import json
import os
import re
import time

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "runs", "result", "result.def")
STREAM = ("%s", "%s_bytes", "%s_truncated", "%s_head_bytes", "%s_tail_bytes")
with open(TABLE, encoding="utf-8") as table:
    ROWS = re.findall(r"^RESULT_(FIELD|SHOWN|STREAM)\((\w+), ", table.read(), re.M)
FIELDS = [part % name if row == "STREAM" else name for row, name in ROWS
          for part in (STREAM if row == "STREAM" else ("%s",))]
CODE = "import sys; print('out'); print('err', file=sys.stderr)"
ODD = ["stdout_base64", "stderr_base64"]  # only where the text is not UTF-8
TYPES = {
    "id": str,
    "started_at": str,
    "code_sha256": str,
    "backend": str,
    "language": str,
    "success": bool,
    "exit_code": int,
    "timed_out": bool,
    "oom_killed": bool,
    "stdout": str,
    "stderr": str,
    "stdout_bytes": int,
    "stderr_bytes": int,
    "stdout_truncated": bool,
    "stderr_truncated": bool,
    "results": list,
    "is_final_answer": bool,
    "duration_ms": int,
    "cpu_ms": int,
    "max_memory_mb": float,
    "files": list,
    "verdict": dict,
    "denied": list,
    "isolation": list,
    "attempts": int,
    "feedback": list,
    "usage": dict,
    "skipped": list,
    "limits": list,
    "missing": list,
    "warnings": list,
    "limits_set": dict,
}


def check_shape(t, doc, name, odd=()):
    t.equal(sorted(set(doc) ^ set(FIELDS + list(odd))), [], "fields of " + name)
    wrong = [k for k, kind in TYPES.items() if type(doc.get(k)) is not kind]
    t.equal(wrong, [], "types in " + name, doc)
    t.equal(
        sorted(doc["verdict"]),
        ["allowed", "findings", "reason", "risk", "stage"],
        "verdict of " + name,
    )


def test_every_field(t):
    programs = {
        "success": ("print(1)", ()),
        "an exception": ("1/0", ()),
        "a timeout": ("while 1: pass", ("--timeout", "200ms")),
        "a signal": ("import os; os.kill(os.getpid(), 9)", ()),
        "no interpreter": (
            "1",
            ("--config", t.write("c", "[language.python]\ncommand = nowhere\n")),
        ),
        "a wrong language": ("1", ("--lang", "nothing")),
        "a refusal": ("1", ("--backend", "host")),
        "a file too many": ("1", ("--file", "/no/such/file")),
    }
    for name, (code, options) in programs.items():
        done = t.run("--json", *options, "-c", code)
        check_shape(t, done.json, name)
        t.ok(done.out.endswith(b"\n") and b"\n" not in done.out[:-1], "one line for " + name, done)
        t.equal(
            done.json["error"] is None,
            name in ("success", "an exception", "a timeout", "a signal"),
            "error of " + name,
            done,
        )


def began_ms(doc):
    return round(datetime.datetime.fromisoformat(doc["started_at"]).timestamp() * 1000)


def test_beginning(t):
    """One clock: the result, the log and the caller agree; of a cell and of tests, too."""
    t.write("f.py", "def f(x): return x\n")
    t.write("cases.json", json.dumps({"func": "f", "cases": [{"args": [1], "expected": 1}]}))
    t.write("n.ipynb", json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {},
                                   "cells": [{"cell_type": "code", "id": "a", "metadata": {}, "outputs": [],
                                              "execution_count": None, "source": ["1 + 1"]}]}))
    for name, code, args in (
        ("a run", "print(1)", ("run", "--json", "-c", "print(1)")),
        ("a refusal", "x =", ("run", "--json", "-c", "x =")),
        ("a run with a prelude", "print(1)", ("run", "--json", "--prelude", "f.py", "-c", "print(1)")),
        ("a cell", "1 + 1", ("run", "--json", "n.ipynb")),
        ("tests", "def f(x): return x\n", ("test", "f.py", "--cases", "cases.json", "--json")),
    ):
        before = int(time.time() * 1000)
        doc = t.box(*args).json
        doc = doc["cells"][0]["result"] if "cells" in doc else doc
        t.ok(before <= began_ms(doc) <= time.time() * 1000, "when %s began" % name, doc)
        t.equal(doc["code_sha256"], hashlib.sha256(code.encode()).hexdigest(), "the code of " + name)
        row = t.box("log", "--json", "--limit", "1").json["runs"][0]
        t.equal((row["id"], row["time_ms"], row["source_sha256"]),
                (doc["id"], began_ms(doc), doc["code_sha256"]), "in the log: " + name)


def test_success(t):
    done = t.run("--json", "-c", CODE)
    doc = done.json
    want = {
        "backend": "jail",
        "language": "python",
        "success": True,
        "exit_code": 0,
        "signal": None,
        "timed_out": False,
        "oom_killed": False,
        "stdout": "out\n",
        "stderr": "err\n",
        "stdout_bytes": 4,
        "stderr_bytes": 4,
        "stdout_truncated": False,
        "stderr_truncated": False,
        "stdout_head_bytes": 4,
        "stdout_tail_bytes": 0,
        "stderr_head_bytes": 4,
        "stderr_tail_bytes": 0,
        "value": None,
        "results": [],
        "final_answer": None,
        "is_final_answer": False,
        "cell": None,
        "exception": None,
        "files": [],
        "skipped": [],
        "denied": [],
        "limits": [],
        "attempts": 1,
        "feedback": [],
        "usage": {},
        "error": None,
        "error_type": None,
        "cancelled": False,
        "exit_status": 0,
        "summary": "",
        "notes": [],
        "verdict": {
            "allowed": True,
            "stage": "patterns",
            "reason": None,
            "risk": 0,
            "findings": [],
        },
    }
    t.equal({k: doc[k] for k in want}, want, "a good run")
    t.match("^[0-9a-hjkmnp-tv-z]{26}$", doc["id"], "an id")
    t.match(r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$", doc["started_at"], "when it began")
    t.equal(doc["code_sha256"], hashlib.sha256(CODE.encode()).hexdigest(), "the sum of its code")
    t.ok(
        0 < doc["duration_ms"] < 5000
        and 0 < doc["cpu_ms"] < 5000
        and 1 < doc["max_memory_mb"] < 200,
        "its cost",
        doc,
    )
    t.ok("seccomp" in doc["isolation"] or not t.has("seccomp"), "the layers that held", doc)
    t.equal(done.err, b"", "--json keeps what the program prints to itself")
    ids = {t.run("--json", "-c", "1").json["id"] for _ in range(5)}
    t.equal(len(ids), 5, "every run has its own id")


def test_failures(t):
    doc = t.run("--json", "-c", "import sys; sys.exit(3)").json
    t.equal(
        (doc["success"], doc["exit_code"], doc["signal"], doc["error"], doc["exception"]),
        (False, 3, None, None, None),
        "exit 3",
    )
    doc = t.run("--json", "-c", "import os; os.kill(os.getpid(), 11)").json
    t.equal((doc["success"], doc["exit_code"], doc["signal"]), (False, 139, 11), "a signal")
    doc = t.run("--json", "--timeout", "2s", "-c", "print('x', flush=True)\nwhile 1: pass").json
    t.equal(
        (
            doc["success"],
            doc["exit_code"],
            doc["timed_out"],
            doc["oom_killed"],
            doc["limits"],
            doc["stdout"],
        ),
        (False, 124, True, False, ["timeout"], "x\n"),
        "a timeout",
    )
    doc = t.run("--json", "--memory", "64m", "-c", "x = b'x' * (1 << 30)").json
    t.ok(
        not doc["success"] and (doc["oom_killed"] and doc["exit_code"] == 137 or doc["exception"]),
        "memory",
        doc,
    )
    doc = t.run("--json", "--lang", "nothing", "-c", "1").json
    t.equal(
        (doc["success"], doc["exit_code"], doc["error"]["kind"], sorted(doc["error"])),
        (False, -1, "usage", ["kind", "message"]),
        "our own failure",
    )
    doc = t.run("--json", "-c", "import warnings; warnings.warn('careful')").json
    t.equal(
        (doc["success"], doc["exception"]), (True, None), "a warning on stderr does not fail a run"
    )


EXCEPTIONS = [
    # code, type, message, line
    (
        "import sys; sys.stderr.write('Traceback (most recent call last):\\n  File \"/box/work/main.py\", line 99, in f\\nKeyError: 9\\n'); sys.exit(1)",
        "KeyError",
        "9",
        None,  # the program has no such line
    ),
    ("1/0", "ZeroDivisionError", "division by zero", 1),
    ("x = 1\n\nraise ValueError('a: b')", "ValueError", "a: b", 3),
    ("raise ValueError", "ValueError", "", 1),
    ("raise ValueError('')", "ValueError", "", 1),
    ("raise ValueError('two\\nlines')", "ValueError", "two\nlines", 1),
    (
        "raise ValueError('Traceback (most recent call last):\\n  File \"/box/work/main.py\", line 99\\nKeyError: 9')",
        "ValueError",
        None,
        1,
    ),
    ("import json\njson.loads('{')", "json.decoder.JSONDecodeError", None, 2),
    ("def f():\n    return g()\ndef g():\n    return {}['k']\nf()", "KeyError", "'k'", 4),
    ("x = (", "SyntaxError", "'(' was never closed", 1),
    ("if 1:\nx", "IndentationError", None, 2),
    ("import nowhere", "ModuleNotFoundError", "No module named 'nowhere'", 1),
    (
        "try:\n    1/0\nexcept ZeroDivisionError as e:\n    raise RuntimeError('second') from e",
        "RuntimeError",
        "second",
        4,
    ),
    ("class E(Exception): pass\nraise E('own')", "E", "own", 2),
    ("class odd(Exception): pass\nraise odd('small letters')", "odd", "small letters", 2),
    (
        "raise ExceptionGroup('many', [ValueError(1), KeyError(2)])",
        "ExceptionGroup",
        "many (2 sub-exceptions)",
        1,
    ),
    ("e = ValueError('x')\ne.add_note('a note')\nraise e", "ValueError", "x\na note", 3),
    ("raise KeyboardInterrupt", "KeyboardInterrupt", "", 1),
    ("raise ValueError('café')", "ValueError", "café", 1),
    ("assert 1 == 2", "AssertionError", "", 1),
    ("def f(): f()\nf()", "RecursionError", None, 1),
    ("open('/nowhere')", "FileNotFoundError", "[Errno 2] No such file or directory: '/nowhere'", 1),
    (
        "import sys\nsys.stderr.write('noise: here\\n')\n[][1]",
        "IndexError",
        "list index out of range",
        3,
    ),
    (
        "import asyncio\nasync def f():\n    raise ValueError('task')\nasyncio.run(f())",
        "ValueError",
        "task",
        3,
    ),
]


def test_exceptions(t):
    for code, kind, message, line in EXCEPTIONS:
        done = t.run("--json", "-c", code)
        e = done.json["exception"]
        if not t.ok(e, "%r is read" % code[:60], done):
            continue
        t.equal(
            sorted(e),
            ["cell", "column", "file", "hint", "line", "message", "statement", "traceback", "type"],
            "fields for %r" % code[:60],
        )
        got = (e["type"], e["message"] if message is not None else None, e["line"])
        t.equal(got, (kind, message, line), "%r" % code[:60], e)
        t.ok(e["type"] in e["traceback"], "the traceback of %r" % code[:60], e)
    for code in (
        "import sys; sys.stderr.write('ValueError: not raised\\n')",
        "import sys; sys.exit('KeyError: just text')",
        "import sys; sys.exit(1)",
        "import traceback\ntry: 1/0\nexcept Exception: traceback.print_exc()",
    ):
        t.equal(t.run("--json", "-c", code).json["exception"], None, "no exception in %r" % code)


def test_bytes(t):
    done = t.run(
        "--json", "-c", "import os; os.write(1, b'a\\xff\\x00b'); os.write(2, bytes(range(256)))"
    )
    doc = done.json
    check_shape(t, doc, "bytes that are no text", ODD)
    t.equal(doc["stdout"], "a\ufffd\0b", "replacement characters")
    t.equal(base64.b64decode(doc["stdout_base64"]), b"a\xff\0b", "the bytes of stdout")
    t.equal(base64.b64decode(doc["stderr_base64"]), bytes(range(256)), "the bytes of stderr")
    t.equal((doc["stdout_bytes"], doc["stderr_bytes"]), (4, 256), "their number")
    done = t.run("-c", "import os; os.write(1, bytes(range(256)))")
    t.exits(done, 0, "without --json bytes pass as they are", bytes(range(256)))


def test_truncation(t):
    code = "import sys; sys.stdout.write(''.join('%07d\\n' % i for i in range(1000)))"
    doc = t.run("--json", "--output-limit", "100", "-c", code).json
    t.equal(
        (doc["stdout_bytes"], doc["stdout_truncated"], doc["limits"], doc["success"]),
        (8000, True, ["output"], True),
        "8000 bytes where 100 are kept",
    )
    t.ok(
        doc["stdout"].startswith("0000000\n0000001\n")
        and doc["stdout"].endswith("0000998\n0000999\n"),
        "head and tail",
        doc["stdout"],
    )
    t.match(
        r"\.\.\.\(truncated: 7900 of 8000 bytes left out\)\.\.\.",
        doc["stdout"],
        "and how much there was",
    )
    whole = b"".join(b"%07d\n" % i for i in range(1000))
    head, tail = doc["stdout_head_bytes"], doc["stdout_tail_bytes"]
    kept = doc["stdout"].encode()
    t.equal((head, tail), (50, 50), "each half of the limit")
    t.ok(kept[:head] == whole[:head] and kept[-tail:] == whole[-tail:], "as data", doc["stdout"])
    done = t.run("--output-limit", "100", "-c", code)
    t.exits(done, 0, "what is streamed is complete", whole)
    for n in (1, 2, 10, 11):
        doc = t.run("--json", "--output-limit", str(n), "-c", "print('é' * 100, end='')").json
        t.ok(
            doc["stdout_truncated"]
            and "stdout_base64" not in doc
            and "\ufffd" not in doc["stdout"],
            "characters stay whole at %d bytes" % n,
            doc,
        )
    doc = t.run("--json", "--output-limit", "8000", "-c", code).json
    t.equal(
        (doc["stdout_truncated"], len(doc["stdout"]), doc["limits"]),
        (False, 8000, []),
        "exactly as much as is kept",
    )
    doc = t.run("--json", "--output-limit", "7999", "-c", code).json
    t.equal((doc["stdout_truncated"], doc["stdout_bytes"]), (True, 8000), "one byte more")
    done = t.run(
        "--json", "--output-limit", "1k", "--timeout", "80s", "-c", "print('x' * 100000000)"
    )
    t.equal(
        (done.code, done.json["stdout_bytes"]),
        (0, 100000001),
        "100 MB of output are counted, not kept",
    )
    done = t.run("--output-limit", "0", "-c", "print('x' * 3000000)")
    t.equal((done.code, len(done.out)), (0, 3000001), "--output-limit 0 keeps all of it")


def test_files(t):
    code = """import os, json
open('a.txt', 'w').write('text'); open('b.json', 'w').write('[]'); open('c.png', 'wb').write(b'\\x89PNG\\r\\n\\x1a\\n')
os.makedirs('d/e'); open('d/e/f.csv', 'w').write('1,2\\n'); open('given.txt', 'a').write('more'); open('bin', 'wb').write(b'\\0\\1')
open('same.txt').read(); os.remove('gone.txt'); os.mkdir('empty'); open('none', 'w').close()
os.symlink('/etc/passwd', 'link'); os.mkfifo('fifo')
"""
    for name in ("given.txt", "same.txt", "gone.txt"):
        t.write(name, name)
    done = t.run(
        "--json", "--file", "given.txt", "--file", "same.txt", "--file", "gone.txt", "-c", code
    )
    files = {f["path"]: f for f in done.json["files"]}
    t.equal(
        sorted(
            (f["path"], f["size"], f["mime"], f["change"]) for f in files.values() if f["sha256"]
        ),
        [
            ("a.txt", 4, "text/plain", "new"),
            ("b.json", 2, "application/json", "new"),
            ("bin", 2, "application/octet-stream", "new"),
            ("c.png", 8, "image/png", "new"),
            ("d/e/f.csv", 4, "text/csv", "new"),
            ("given.txt", 13, "text/plain", "modified"),
            ("none", 0, "text/plain", "new"),
        ],
        "new and changed files",
        done,
    )
    t.equal(files["a.txt"]["sha256"], hashlib.sha256(b"text").hexdigest(), "their sum")
    t.ok(
        "same.txt" not in files and "main.py" not in files,
        "not what stayed the same",
        sorted(files),
    )
    t.equal(
        sorted(set(files["a.txt"])),
        ["change", "mime", "path", "sha256", "size"],
        "fields of a file",
    )
    t.equal(
        sorted(s["path"] for s in done.json["skipped"]),
        ["fifo", "link"],
        "what is no file is skipped and said",
        done,
    )
    done = t.run("--json", "-c", "import os; open(b'\\xff\\n', 'w').write('x')")
    f = done.json["files"][0]
    t.equal(
        (f["path"], base64.b64decode(f["path_base64"])),
        ("\ufffd\n", b"\xff\n"),
        "a name that is not UTF-8",
    )


def test_denied(t):
    if not t.has("seccomp"):
        return t.skip("refused system calls", "needs seccomp")
    code = "import ctypes, os; l = ctypes.CDLL(None, use_errno=True)\nfor i in range(3): print(l.unshare(0x10000000), os.strerror(ctypes.get_errno()))"
    done = t.run("--json", "-c", code)
    doc = done.json
    t.ok(
        doc["success"] and doc["stdout"].startswith("-1 Operation not permitted\n"),
        "a refused call returns an error",
        done,
    )
    t.equal(
        [(d["name"], d["count"]) for d in doc["denied"] if d["name"].startswith("unshare")],
        [("unshare(CLONE_NEWUSER)", 3)],
        "and is counted",
        doc["denied"],
    )
    done = t.run("-c", code + "\nraise SystemExit(1)")
    t.match(b"refused system calls: .*unshare", done.err, "and told when the program fails")


def test_events(t):
    code = "import sys, time\nprint('one'); sys.stderr.write('two\\n'); time.sleep(0.2); open('f.txt', 'w').write('x'); print('three')"
    done = t.run("--events", "-c", code)
    events = done.events
    names = [e["event"] for e in events]
    t.equal(
        (names[:2], names[-1], names.count("finished"), names.count("started")),
        (["verdict", "started"], "finished", 1, 1),
        "the first and the last",
        done,
    )
    t.equal(
        "".join(e["text"] for e in events if e["event"] == "stdout"),
        "one\nthree\n",
        "stdout in order",
    )
    t.equal("".join(e["text"] for e in events if e["event"] == "stderr"), "two\n", "stderr")
    times = [e["time_ms"] for e in events]
    t.ok(times == sorted(times) and times[-1] - times[0] >= 150, "times rise", times)
    t.ok(
        names.index("file") > max(i for i, n in enumerate(names) if n == "stdout"),
        "files come after output",
        names,
    )
    f = [e for e in events if e["event"] == "file"][0]
    t.equal(
        (f["path"], f["size"], f["change"], f["mime"]), ("f.txt", 1, "new", "text/plain"), "a file"
    )
    started = events[1]
    t.equal(
        (started["language"], started["backend"], started["id"]),
        ("python", "jail", events[-1]["result"]["id"]),
        "what started says",
    )
    check_shape(t, events[-1]["result"], "the result of events")
    t.equal(events[-1]["result"]["stdout"], "one\nthree\n", "the whole result is in the last")
    events = t.run("--events", "--timeout", "200ms", "-c", "while 1: pass").events
    t.ok(
        [e["limit"] for e in events if e["event"] == "limit"] == ["timeout"]
        and events[-1]["result"]["timed_out"],
        "a limit",
        events,
    )
    events = t.run("--events", "--output-limit", "10", "-c", "print('x' * 100)").events
    t.equal(
        [e["limit"] for e in events if e["event"] == "limit"], ["output"], "the limit of output"
    )
    done = t.run("--events", "--lang", "nothing", "-c", "1")
    t.ok(
        done.code == 2
        and [e["event"] for e in done.events] == ["finished"]
        and done.events[0]["result"]["error"],
        "a run that did not start",
        done,
    )
    done = t.run("--events", "-c", "import os; os.write(1, b'\\xff\\x00')")
    t.equal(
        [e["text"] for e in done.events if e["event"] == "stdout"],
        ["\ufffd\0"],
        "bytes that are no text",
    )
    code = "import os, time\nfor b in '日本'.encode(): os.write(1, bytes([b])); time.sleep(0.02)"
    texts = [e["text"] for e in t.run("--events", "-c", code).events if e["event"] == "stdout"]
    t.equal("".join(texts), "日本", "characters that arrive in pieces", texts)
    code = "import os\nfor i in range(2000): os.write(1 + i % 2, b'x' * 999 + b'\\n')"
    done = t.run("--events", "-c", code)
    t.equal(sum(len(e.get("text", "")) for e in done.events), 2000000, "2 MB of events", done)


def test_pretty(t):
    """On a terminal the document is indented."""
    import os
    import pty
    import subprocess

    master, slave = pty.openpty()
    p = subprocess.Popen(
        [t.glovebox, "run", "--json", "-c", "1"],
        env=t.env(),
        cwd=t.dir,
        stdin=subprocess.DEVNULL,
        stdout=slave,
    )
    os.close(slave)
    data = b""
    try:
        while True:
            more = os.read(master, 65536)
            if not more:
                break
            data += more
    except OSError:
        pass
    os.close(master)
    t.equal(p.wait(10), 0, "it ends")
    t.ok(
        data.startswith(b"{\r\n  \"") and json.loads(data)["success"],
        "indented on a terminal",
        data,
    )
