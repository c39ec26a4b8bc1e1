# SPDX-License-Identifier: Apache-2.0
"""A backend that does not exist is refused at every door; the host says what it is and holds."""

import json

from test_daemon_run import Daemon

ABSENT = ("inproc", "builtin")
SAID = r"this build has no backend %s, only jail, host, docker and e2b"


def test_absent(t):
    t.write("cases.json", '[{"call": "f()", "expected": 1}]')
    t.write("suite.jsonl", '{"task_id": "a/1", "prompt": "", "canonical_solution": "x = 1",'
            ' "test": "", "entry_point": "f"}\n')
    for name in ABSENT:
        said = SAID % name
        t.refused(t.run("--backend", name, "-c", "print(1)"), 125, said, "run, %s" % name)
        t.refused(t.box("repl", "--backend", name, stdin=b"print(1)"), 125, said, "repl, %s" % name)
        done = t.box("test", "--backend", name, "--cases", "cases.json",
                     t.write("p.py", "def f(): return 1\n"))
        t.ok(done.code == 125 and b"this build has no backend" in done.err, "test, %s" % name, done)
        doc = t.run("--json", "--backend", name, "-c", "print(1)").json
        t.equal((doc["error"]["kind"], doc["success"], doc["attempts"], doc["verdict"]["allowed"]),
                ("unsupported", False, 0, False), "as JSON, %s" % name)
    done = t.run("--backend", "wasm", "-c", "1")
    t.refused(done, 2, r"Unsupported code execution env: wasm; this build has jail, host, docker and e2b$", "no such name")
    t.refused(t.run("--backend", "hots", "-c", "1"), 2, r"has jail, host, docker and e2b; did you mean host\?$", "a typing error")
    t.refused(t.run("--backend", "host", "-c", "1"), 2, r"backend host has no wall.*add --allow-unsafe", "the host alone")
    for alias in ("container", "JAIL"):
        doc = t.run("--json", "--backend", alias, "-c", "print(1)").json
        t.equal((doc["backend"], doc["success"]), ("jail", True), "%s is the jail" % alias)


def test_daemon(t):
    with Daemon(t, "--allow", "host-backend") as d:
        for name in ABSENT:
            done = t.box("session", "new", "--backend", name, env=d.env)
            t.refused(done, 125, SAID % name, "session new, %s" % name)
            done = t.box("session", "new", env=dict(d.env, GLOVEBOX_BACKEND=name))
            t.refused(done, 125, SAID % name, "session new, %s from the environment" % name)
        done = t.box("session", "list", "--json", env=d.env)
        t.ok(done.code == 0 and b'"id"' not in done.out, "no session was opened", done)


def test_host_session(t):
    t.refused(t.box("repl", "--backend", "host", stdin=b"1"), 2, "backend host has no wall",
              "without the word")
    done = t.box("repl", "--backend", "host", "--allow-unsafe", "--no-check",
                 stdin=b"import os; print(os.getuid() == %d, os.path.exists(%r))"
                 % (__import__("os").geteuid(), t.base))
    t.ok(done.code == 0 and done.out == b"True True\n", "a session on the host is on the host", done)


WARNING = "You are running LLM-generated code on your host."
HOST = ("--backend", "host", "--allow-unsafe", "--no-check")


def test_host_limits(t):
    code = "x = bytearray(300 << 20)\nimport time\ntime.sleep(1)\nprint(len(x))"
    done = t.run(*HOST, "--memory", "64m", "-c", code)
    t.ok(done.code == 137 and b"Memory limit exceeded" in done.err and not done.out,
         "the memory limit holds", done)
    done = t.run(*HOST, "--json", "--memory", "64m", "-c", code)
    t.equal((done.json["oom_killed"], done.json["limits"]), (True, ["memory"]), "in the result, too")
    done = t.run(*HOST, "--disk", "1m", "-c", "open('x', 'wb').write(b'x' * (2 << 20))")
    t.ok(done.code == 1 and b"File too large" in done.err, "and that of a file's size", done)
    done = t.run(*HOST, "--cpu-time", "500ms", "-c", "while True: pass")
    t.equal(done.code, 124, "processor time", done)
    t.refused(t.run("-q", *HOST, "--inodes", "100", "-c", "1"), 125, "number of files", "files cannot")
    t.refused(t.run("-q", *HOST, "--net", "none", "-c", "1"), 125, "close the network", "the network cannot")
    forks = ("import os, time\nfor i in range(30):\n  if not os.fork():\n    time.sleep(1)\n"
             "    os._exit(0)\nprint('all')")
    done = t.run(*HOST, "--pids", "8", "-c", forks)
    if t.has("pids"):
        t.ok(done.code == 1 and b"all" not in done.out, "processes", done)
    else:
        t.ok(done.code == 125 and b"layer pids" in done.err, "processes cannot be counted here", done)
    done = t.run(*HOST, "--cpus", "0.5", "-c", "print(1)")
    t.equal((done.code, done.out), (0, b"1\n") if t.has("cpu") else (125, b""), "processors", done)


def test_host_warning(t):
    done = t.run(*HOST, "--json", "-c", "print(1)")
    doc = done.json
    t.ok(doc["warnings"] and doc["warnings"][0].startswith(WARNING), "the warning in the result", doc)
    t.ok("seccomp" not in doc["isolation"] and "seccomp" in [m["layer"] for m in doc["missing"]],
         "and the layers that are not there", doc)
    events = t.run(*HOST, "--events", "-c", "print(1)").events
    first = [e["event"] for e in events].index("warning")
    t.ok(events[first]["message"].startswith(WARNING)
         and "started" not in [e["event"] for e in events[:first]], "an event before the start", events)
    t.match(WARNING.encode(), t.run(*HOST, "-c", "1").err, "and on the terminal")


def test_missing(t):
    """Layers that are left out stand in for those that a host lacks."""
    unsafe = ("--without", "landlock,netns", "--allow-unsafe")
    doc = t.run("--json", *unsafe, "-c", "print(1)").json
    missing = {m["layer"]: m["why"] for m in doc["missing"]}
    t.ok({"landlock", "netns"} <= set(missing) and all(missing.values())
         and not set(missing) & set(doc["isolation"]), "missing layers, each with why", doc)
    t.equal([missing["landlock"], missing["netns"]],
            ["it was left out: --without", "it was left out: --without, or --net host"], "the options that left them out")
    doc = t.run("--json", "--without", "root", "--allow-unsafe", "--lang", "sh", "-c", ":").json
    t.ok([m["why"] for m in doc["missing"] if m["layer"] == "root" and "can be read" in m["why"]],
         "what remains readable without a private root", doc["missing"])
    doc = t.run("--json", *HOST, "-c", "1").json
    t.ok("backend host never has it" in [m["why"] for m in doc["missing"]], "layers that a backend never has", doc["missing"])
    events = t.run("--events", *unsafe, "-c", "print(1)").events
    started = next(e for e in events if e["event"] == "started")
    t.ok("landlock" in [m["layer"] for m in started["missing"]], "in the event as well", started)
    t.write("p.py", "def f(): return 1\n")
    doc = t.box("test", "--json", *unsafe, "--cases", "-", "p.py",
                stdin=b'[{"call": "f()", "expected": 1}]').json
    t.ok("landlock" in [m["layer"] for m in doc["missing"]], "of tests, too", doc)
    lacking = [x for x in ("cpu", "memory", "pids") if not t.has(x)]
    for layer in lacking:
        done = t.run("--json", "--require", layer, "-c", "print(1)")
        doc = done.json
        t.equal((done.code, doc["error"]["kind"], doc["success"], doc["stdout"],
                 [m["layer"] for m in doc["missing"]]), (125, "unsupported", False, "", [layer]),
                "--require %s" % layer)
    for group in ("all", "default"):
        want = 125 if group == "all" and lacking else 0
        t.equal(t.run("--require", group, "-c", "1").code, want, "--require " + group)
    done = t.run("--json", "--backend", "host", "--allow-unsafe", "--require", "default", "-c", "1")
    t.equal((done.code, done.json["error"]["kind"]), (125, "unsupported"), "there is no wall on the host")
    done = t.box("doctor", "--json")
    doc = done.json
    t.equal((done.code, doc["complete"], sorted(m["layer"] for m in doc["missing"])),
            (1 if lacking else 0, not lacking, sorted(lacking)), "doctor says the same")


def test_daemon_says(t):
    with Daemon(t, "--allow", "host-backend", "--allow", "without") as d:
        done = t.box("session", "new", "--json", env=d.env)
        doc = done.json
        t.ok(doc["backend"] == "jail" and isinstance(doc["missing"], list)
             and isinstance(doc["warnings"], list), "a session says where it is", doc)
        doc = t.box("session", "exec", "--json", doc["id"], "-c", "1", env=d.env).json
        t.ok(doc["backend"] == "jail" and isinstance(doc["missing"], list), "so do its cells", doc)


def test_wrong(t):
    for args in (("--lang", "nothing"), ("--file", "/no/such"), ("--backend", "host")):
        doc = t.run("--json", *args, "-c", "1").json
        t.equal((doc["verdict"]["allowed"], doc["error"]["kind"]), (False, "usage"),
                "what was never started was not allowed: %s" % " ".join(args))


def test_own_limits(t):
    """A client asks for what its user set, and for nothing else."""
    with Daemon(t, "--timeout", "2s", "--memory", "100m", "--max-timeout", "10s") as d:
        done = t.run("--daemon", d.env["GLOVEBOX_SOCKET"], "-c", "import time; time.sleep(9)")
        t.ok(done.code == 124 and b"not done after 2s" in done.err, "run: the daemon's clock", done)
        i = t.box("session", "new", env=d.env)
        t.equal(i.code, 0, "a ceiling below the client's default", i)
        i = i.out.decode().strip()
        done = t.box("session", "exec", i, "-c", "import time; time.sleep(9)", env=d.env)
        t.ok(done.code == 124 and b"not done after 2s" in done.err, "a cell: the daemon's clock", done)
        doc = t.box("session", "exec", "--json", i, "-c", "1", env=d.env).json
        t.equal((doc["limits_set"]["timeout_ms"], doc["limits_set"]["memory_bytes"]),
                (2000, 100 << 20), "and the result says so")
        done = t.run("--daemon", d.env["GLOVEBOX_SOCKET"], "--timeout", "1s", "-c",
                     "import time; time.sleep(9)")
        t.ok(b"not done after 1s" in done.err, "what was set is sent", done)
        done = t.run("--daemon", d.env["GLOVEBOX_SOCKET"], "-c", "import time; time.sleep(9)",
                     env={"GLOVEBOX_TIMEOUT": "1500ms"})
        t.ok(b"not done after 1500ms" in done.err or b"not done after 1.5s" in done.err,
             "in the environment, too", done)
        i = t.box("session", "new", "--disk", "1m", env=d.env).out.decode().strip()
        done = t.box("session", "exec", i, "-c",
                     "open('x', 'wb').write(b'x' * (4 << 20))", env=d.env)
        t.match(rb"Disk limit reached: 1m and 65536 files", done.err, "the limits of a session")


def test_judged(t):
    """A run that was judged is what its tests say, in the log as well."""
    t.write("p.py", "def f(): return 1\ndef g():\n  while True: pass\n")
    for cases, outcome, said in (
        ('[{"call": "f()", "expected": 2}, {"call": "f()", "expected": 1}]', "failed", "tests: 1/2 passed"),
        ('[{"call": "g()", "expected": 2}]', "failed", "tests: 0/1 passed"),
        ('[{"call": "f()", "expected": 1}]', "ok", None),
    ):
        t.box("test", "--timeout", "1s", "--cases", "-", "p.py", stdin=cases.encode())
        rows = json.loads(t.box("log", "list", "--json").out)
        rows = rows["runs"] if isinstance(rows, dict) else rows
        t.equal((rows[0]["outcome"], rows[0]["error"]), (outcome, said), "the log says " + outcome)
    t.equal(len(rows), 3, "one row a test")
    done = t.box("test", "--json", "--cases", "-", "p.py", stdin=b'[{"call": "f()", "expected": 2}]')
    text = t.box("format", stdin=done.out).out
    t.match(rb"Expected 2, got 1", text, "format tells of the cases that failed")
