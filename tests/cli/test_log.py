# SPDX-License-Identifier: Apache-2.0
"""The run log: what is written, how it is read, and what happens where it cannot be written."""

import hashlib
import json
import os
import time


def runs(t, *args, **how):
    done = t.box("log", "list", "--json", *args, **how)
    doc = done.json
    return doc["runs"] if isinstance(doc, dict) else doc


def test_written(t):
    t.write("good.py", "print('x')")
    t.run("good.py")
    t.run("-c", "raise ValueError('told')")
    t.run("--timeout", "200ms", "-c", "while 1: pass")
    t.run("--lang", "sh", "-c", "kill -9 $$")
    t.run("--lang", "nothing", "-c", "1")
    t.run("--json", "-c", "import sys; sys.exit(3)")
    rows = runs(t)
    if not t.equal(len(rows), 6, "every run is a row", rows):
        return
    rows.reverse()
    t.equal(
        [r["outcome"] for r in rows],
        ["ok", "failed", "timeout", "signal", "error", "failed"],
        "how each ended",
        rows,
    )
    t.equal([r["exit_code"] for r in rows], [0, 1, 124, 137, -1, 3], "with what")
    good = rows[0]
    t.equal(
        (
            good["language"],
            good["backend"],
            good["program"],
            good["stdout_bytes"],
            good["attempts"],
        ),
        ("python", "jail", "good.py", 2, 1),
        "the first",
        good,
    )
    t.equal(
        good["source_sha256"], hashlib.sha256(b"print('x')").hexdigest(), "the hash of its source"
    )
    t.match("ValueError: told", json.dumps(rows[1]), "the first line of an error")
    t.ok("print('x')" not in json.dumps(rows), "the code is not kept")
    path = t.box("log", "path").out.decode().strip()
    t.ok(path.startswith(t.home) and os.path.exists(path), "in the user's own folder", path)
    t.equal(oct(os.stat(path).st_mode & 0o077), "0o0", "for nobody else to read")
    with open(path, "rb") as f:
        t.ok(b"print('x')" not in f.read(), "nor anywhere in the file")


def test_denied(t):
    """The log has the same rows as the result's document."""
    code = "import ctypes; l = ctypes.CDLL(None); [l.unshare(0x10000000) for _ in range(3)]"
    doc = t.run("--json", "--memory", "300m", "-c", code).json
    row = t.box("log", "show", doc["id"], "--json").json
    t.ok(doc["denied"] or not t.has("seccomp"), "a system call was refused", doc)
    t.equal((row["denied"], row["isolation"], row["limits"]), (doc["denied"], doc["isolation"], doc["limits_set"]),
            "denied, isolation and limits")
    code = "import socket\ntry: socket.create_connection(('127.0.0.1', 80), 5).recv(1)\nexcept OSError: pass"
    doc = t.run("--json", "--net", "allow:127.0.0.1:9", "-c", code).json
    row = t.box("log", "show", doc["id"], "--json").json
    t.equal((row["network"], row["denied"]), (doc["network"], doc["denied"]), "network", doc)
    t.ok(not t.has("netns") or [(r["host"], r["allowed"]) for r in row["network"]] == [("127.0.0.1", False)], "with the refusal", row)


def test_judged(t):
    """What was judged has its verdict in the log, and a failure of ours is an error there."""
    t.write("f.py", "def f(x):\n    return x\n")
    t.write("broken.py", "1 / 0")
    cases = {"good": [{"args": [1], "expected": 1}], "bad": [{"args": [1], "expected": 2}, {"args": [2], "expected": 2}]}
    for name, what in cases.items():
        t.write(name + ".json", json.dumps(what))
    t.box("test", "f.py", "--cases", "good.json")
    t.box("test", "f.py", "--cases", "bad.json")
    t.box("test", "f.py", "--cases", "good.json", "--setup", "broken.py")
    tests = [["assert f(1) == 1"], ["assert f(1) == 1", "assert f(1) == 2"], ["import no_such_module_here"]]
    tasks = [{"task_id": i, "code": "def f(x): return x\n", "test_list": text} for i, text in enumerate(tests)]
    t.write("suite.jsonl", "".join(json.dumps(task) + "\n" for task in tasks))
    t.box("test", "--suite", "suite.jsonl", "-j", "1")
    rows = runs(t)[::-1]
    t.equal([r["outcome"] for r in rows], ["ok", "failed", "error"] * 2, "each has its outcome", rows)
    t.equal([r["error"] for i, r in enumerate(rows) if i in (1, 4)], ["tests: 1/2 passed"] * 2, "how many passed", rows)
    t.match("The setup failed: ZeroDivisionError", json.dumps(rows[2]), "why there is no verdict on cases")
    t.match("no_such_module_here", json.dumps(rows[-1]), "nor on test code")
    hashes = {hashlib.sha256(b"def f(x): return x\n").hexdigest()}
    t.equal({r["source_sha256"] for r in rows[3:]}, hashes, "and the candidate's hash, not the test's")
    t.equal([r["exit_code"] for r in rows[3:5]], [0, 1], "no signal of ours is told as the candidate's end", rows)


def test_read(t):
    for code in ("print(1)", "1/0", "print(3)"):
        t.run("-c", code)
    t.run("--lang", "sh", "-c", "exit 4")
    rows = runs(t)
    done = t.box("log")
    t.ok(
        done.code == 0 and done.out.count(b"\n") == 5 and b"OUTCOME" in done.out,
        "log lists them",
        done,
    )
    t.equal(t.box("log", "list").out, done.out, "log list does")
    ident = rows[0]["id"]
    shown = t.box("log", "show", ident)
    t.ok(shown.code == 0 and ident.encode() in shown.out and b"sh" in shown.out, "log show", shown)
    t.equal(
        t.box("log", "show", ident[:14], "--json").json["id"],
        ident,
        "the beginning of an id is enough",
    )
    done = t.box("log", "show", "zzzz")
    t.ok(
        done.code not in (0, 2) and done.err.count(b"\n") == 1 and not done.out,
        "one that is not there",
        done,
    )
    t.refused(t.box("log", "show"), 2, "name the run", "log show without an id")
    done = t.box("log", "show", "0")
    t.ok(done.code and done.err.count(b"\n") == 1, "an id that several begin with", done)
    stats = t.box("log", "stats", "--json").json
    t.equal(stats["runs"], 4, "log stats", stats)
    t.equal(sum(row["runs"] for row in stats["languages"]), 4, "all of them have a language", stats)
    t.exits(t.box("log", "stats"), 0, "for people")
    t.equal(len(runs(t, "--outcome", "failed")), 2, "--outcome")
    t.equal(len(runs(t, "--lang", "sh")), 1, "--lang")
    t.equal(len(runs(t, "--limit", "2")), 2, "--limit")
    t.equal(len(runs(t, "--since", "1h")), 4, "--since")
    t.equal(len(runs(t, "--until", "1h")), 0, "--until")
    t.equal(len(runs(t, "--text", "ZeroDivision")), 1, "--text")
    t.equal(len(runs(t, "--sha256", rows[0]["source_sha256"][:8])), 1, "--sha256")
    for args, pattern in (
        (("--since", "yesterday"), "--since"),
        (("--outcome", "good"), "not one of"),
        (("--limit", "x"), "whole number"),
        (("prune",), "give the runs to delete"),
        (("prune", "--older-than", "30"), "--older-than"),
        (("list", "x"), "takes no arguments"),
        (("prune", "--since", "1h"), "does not apply"),
        (("stats", "--limit", "2"), "does not apply"),
    ):
        t.refused(t.box("log", *args), 2, pattern, "log " + " ".join(args))


def test_no_language(t):
    t.run("-c", "print(1)")
    t.run("--backend", "nothing", "-c", "1")
    languages = t.box("log", "stats", "--json").json["languages"]
    t.equal(sorted(row["language"] for row in languages), ["python", "unknown"], "a run without a language", languages)
    t.match(rb"\nlanguages .*unknown 1", t.box("log", "stats").out, "for people")


def test_prune(t):
    for i in range(5):
        t.run("-c", "print(%d)" % i)
    t.equal(t.box("log", "prune", "--keep", "3", "--json").json, {"deleted": 2}, "prune --keep")
    t.equal(len(runs(t)), 3, "leaves so many")
    t.exits(
        t.box("log", "prune", "--older-than", "1h"), 0, "prune --older-than", b"deleted 0 runs\n"
    )
    time.sleep(0.05)
    t.exits(t.box("log", "prune", "--older-than", "0s"), 0, "all of them")
    t.equal(len(runs(t)), 0, "are gone")


def test_empty(t):
    for args in ((), ("list",), ("stats",), ("prune", "--keep", "1")):
        done = t.box("log", *args)
        t.ok(done.code == 0 and not done.err, "log %s before any run" % " ".join(args), done)
    t.equal(runs(t), [], "log list --json")
    t.ok(not os.path.exists(t.box("log", "path").out.strip()), "reading does not make the file")


def test_code(t):
    t.run("--log-code", "-c", "print('kept')")
    t.run("-c", "print('not kept')")
    rows = runs(t)
    codes = [t.box("log", "show", r["id"], "--json").json["code"] for r in rows]
    t.equal(codes, [None, "print('kept')"], "--log-code keeps the text, otherwise not")
    t.match(rb"print\('kept'\)", t.box("log", "show", rows[1]["id"]).out, "for people too")
    t.run("--log-code", t.write("odd.py", b"x = '\x1b[31m\xff\x00'\n"))
    done = t.box("log", "show", runs(t)[0]["id"])
    t.ok(
        b"\x1b" not in done.out and b"\xff" not in done.out and done.code == 0,
        "a text cannot write on the terminal",
        done,
    )


def test_elsewhere(t):
    for path in (t.path("here/deep/own log.db"), "deep/own.db", t.path("nope/x")):
        for words in (["run", "-c", "print(1)"], ["test", "--cases", "-", "-c", "1"], ["repl"], ["math", "1 + 1"]):
            done = t.box(*words, "--log", path, stdin=b"")
            t.refused(done, 2, "there is no folder '%s'" % os.path.dirname(path), "a folder that is not there: " + words[0])
        t.ok(not os.path.exists(os.path.join(t.path("here"), os.path.dirname(path))), "and is not made")
    t.refused(t.run("-c", "1", env={"GLOVEBOX_LOG": "deep/own.db"}), 2, "there is no folder 'deep'", "in a variable")
    path = t.path("here/own log.db")
    t.run("--log", path, "-c", "print(1)")
    t.equal((len(runs(t, "--log", path)), len(runs(t))), (1, 0), "--log")
    t.run("--log", "off", "-c", "print(1)")
    t.run("-c", "print(1)", env={"GLOVEBOX_LOG": "off"})
    t.equal(len(runs(t)), 0, "--log off")
    t.run("-c", "1", env={"XDG_STATE_HOME": t.path("state"), "XDG_DATA_HOME": t.path("state")})
    t.ok(os.path.isdir(t.path("state")), "XDG folders are honoured", os.listdir(t.base))


def test_no_home(t):
    """Where the environment is wrong, nothing is made: as root it would be at /."""
    missing = t.path("missing")
    env = {"HOME": missing}
    done = t.run("-c", "print(1)", env=env)
    words = b"there is no folder %s ($HOME)" % missing.encode()
    t.ok((done.code, done.out) == (0, b"1\n") and done.err.count(b"\n") == 1 and words in done.err, "one note", done)
    t.equal(t.run("-q", "-c", "print(1)", env=env).err, b"", "not even that with --quiet")
    t.box("repl", stdin=b"1\n", env=env)
    t.box("serve", "--background", "--listen", "unix:" + t.path("s"), env=env)
    t.ok(not os.path.exists(missing), "and nothing is made", os.listdir(t.base))
    done = t.run("-c", "print(1)", env={"XDG_STATE_HOME": missing + "/deep"})
    t.ok(not done.err and os.path.exists(missing + "/deep/glovebox/log.db"), "a state folder of its own is made", done)


def broken_log(t, name, path, pattern=rb"is not in the log", **env):
    done = t.run("--log", path, "-c", "print(1)", env=env)
    good = done.code == 0 and done.out == b"1\n" and done.err.count(b"\n") == 1
    t.ok(good and pattern in done.err, name + ": the run succeeds, one line says so", done)
    done = t.run("-q", "--log", path, "-c", "print(1)", env=env)
    t.ok(
        (done.code, done.out, done.err) == (0, b"1\n", b""),
        name + ": not even that with --quiet",
        done,
    )
    doc = t.run("--json", "--log", path, "-c", "print(1)", env=env).json
    t.equal((doc["success"], doc["error"]), (True, None), name + ": nor is the result a failure")


def test_broken(t):
    broken_log(t, "a full disk", "/dev/full")
    broken_log(t, "a folder", t.dir)
    broken_log(
        t,
        "no database",
        t.write("text.db", "this is not a database, but a text of some length" * 100),
    )
    os.mkfifo(t.path("here/fifo"))
    broken_log(t, "a FIFO", t.path("here/fifo"))
    broken_log(t, "a folder without", t.path("here/file/x.db") if t.write("file", "") else "")
    broken_log(t, "/proc", "/proc/x.db")
    if os.geteuid():
        os.mkdir(t.path("here/locked"), 0o500)
        broken_log(t, "a read-only folder", t.path("here/locked/x.db"))
        path = t.path("here/ro.db")
        t.run("--log", path, "-c", "1")
        os.chmod(path, 0o400)
        broken_log(t, "a read-only file", path)
    done = t.run("-c", "print(1)", env={"HOME": "/proc/nowhere"})
    t.ok(
        done.code == 0 and done.out == b"1\n" and done.err.count(b"\n") == 1,
        "a home that is not there",
        done,
    )
    done = t.run("-c", "print(1)", env={"HOME": None})
    t.ok(
        done.code == 0 and done.out == b"1\n" and done.err.count(b"\n") <= 1, "no home at all", done
    )
    import resource

    done = t.command(
        [t.glovebox, "run", "-c", "print(1)"],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
    )
    t.ok(
        done.code in (0, 125) and b"File too large" in done.err,
        "no file may grow: said, not killed by a signal",
        done,
    )


def test_closed_streams(t):
    """The log's file must not become somebody's standard output."""
    for redirect in (">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
        t.command(
            [
                "sh",
                "-c",
                '"$G" run -c "import sys; print(1); sys.stderr.write(str(2))" ' + redirect,
            ],
            env={"G": t.glovebox},
        )
    rows = runs(t)
    t.equal([r["outcome"] for r in rows], ["ok"] * 4, "four runs with closed streams", rows)


def test_concurrent(t):
    many = [t.start("run", "--timeout", "60s", "-c", "print(%d)" % i) for i in range(20)]
    codes = []
    for p in many:
        p.communicate(timeout=60)
        codes.append(p.returncode)
    t.equal((codes, len(runs(t))), ([0] * 20, 20), "twenty runs at the same time, twenty rows")
    t.equal(len({r["id"] for r in runs(t)}), 20, "each with its own id")


def test_interrupted(t):
    import signal

    p = t.start("run", "-c", "import time; print('up'); time.sleep(60)")
    p.stdout.readline()
    p.send_signal(signal.SIGINT)
    p.communicate(timeout=60)
    rows = runs(t)
    t.equal([r["outcome"] for r in rows], ["signal"], "a run that was stopped is there", rows)
