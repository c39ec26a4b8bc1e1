# SPDX-License-Identifier: Apache-2.0
"""What explains the program: help, the man page, completion, suggestions."""

import os
import re
import shutil

import box

COMMANDS = ["run", "session", "repl", "check", "test", "blocks", "format", "math", "generate", "fix", "transform", "solve", "analyze", "review", "tool-schema", "tool-call", "context", "serve", "mcp", "doctor", "env", "log", "usage", "help"]
TOPICS = [
    "install",
    "python",
    "packages",
    "network",
    "docker",
    "exit-status",
    "limits",
    "config",
    "languages",
    "layers",
    "results",
    "events",
    "profiles",
    "secrets",
    "security",
    "containers",
]


@box.once
def test_overview(t):
    done = t.box("--help")
    for name in COMMANDS + TOPICS:
        t.match(rb"\n  %s  " % name.encode(), done.out, "--help lists " + name)
    t.equal(
        (done.code, t.box("-h").out, t.box("help").out),
        (0, done.out, done.out),
        "three ways to ask",
    )
    done = t.box()
    t.ok(
        done.code == 2 and b"Usage:" in done.err and not done.out,
        "without a command: usage, on standard error",
        done,
    )
    done = t.box("--version")
    t.ok(done.code == 0 and re.fullmatch(rb"glovebox \d+\.\d+\.\d+\n", done.out), "--version", done)
    t.equal(t.box("-V").out, done.out, "-V")


@box.once
def test_commands(t):
    for name in COMMANDS:
        done = t.box(name, "--help")
        t.ok(
            done.code == 0
            and done.out.startswith(b"Usage: glovebox " + name.encode())
            and not done.err,
            name + " --help",
            done,
        )
        whole = t.box("help", name)
        t.equal(
            (t.box(name, "-h").out, t.box(name, "--help-all").out),
            (done.out, whole.out),
            "two ways to ask about %s, and two to ask for all of it" % name,
        )
        t.ok(len(done.out.splitlines()) <= 80, name + " --help fits on two screens", done.out)
        short = set(re.findall(r"--[a-z][a-z-]+", done.out.decode()))
        options = set(re.findall(r"(?m)^  (?:-\w, |    )(--[a-z][a-z-]+)", whole.out.decode()))
        t.equal(sorted(options - short), [], name + " --help names every option")
        wide = [l for l in whole.out.decode().splitlines() if len(l) > 80]
        t.equal(wide, [], name + " --help-all fits 80 columns")
        wide = [l for l in done.out.decode().splitlines() if len(l) > 80]
        t.equal(wide, [], name + " --help fits 80 columns")
        t.ok(not re.search(rb"[ \t]\n", done.out), name + " --help has no blanks at line ends")
        narrow = t.box(name, "--help", env={"COLUMNS": "50"}).out.decode()
        t.ok(
            len(narrow.splitlines()) > len(done.out.splitlines()), name + " --help follows COLUMNS"
        )
    text = t.box("run", "--help-all").out.decode()
    for option in (
        "backend",
        "lang",
        "timeout",
        "cpu-time",
        "memory",
        "cpus",
        "pids",
        "disk",
        "output-limit",
        "file",
        "out",
        "env",
        "stdin",
        "net",
        "ro",
        "retries",
        "require",
        "json",
        "events",
        "quiet",
        "work-dir",
        "print-config",
        "log",
        "log-code",
        "no-daemon",
        "allow-unsafe",
        "trace-time",
        "config",
    ):
        t.match("--%s[ \n]" % option, text, "run --help has --" + option)
    t.match(r"--timeout TIME +.*\(default 30s\)", text, "with its default")
    t.exits(t.run("--help", "--memory", "lots"), 2, "a wrong value beside --help is still wrong")
    t.config("nonsense\n")
    t.exits(t.run("--help"), 0, "--help with a broken config file")


@box.once
def test_often(t):
    """The options used most come first, once; a command with few options has no such part."""
    head, _, rest = t.run("--help-all").out.decode().partition("\n\nRuns a program")
    part = head.partition("Most used:\n")[2]
    names = re.findall(r"(?m)^ +(?:-\w, )?--([\w-]+)", part)
    t.equal(names, ["code", "lang", "python", "file", "out", "env", "pip", "environment", "net", "timeout", "memory",
                    "json"],
            "most used")
    again = [n for n in names if re.search(r"(?m)^ +(-\w, )?--%s " % n, rest)]
    t.equal(again, [], "each of them is listed once")
    for name in ("session", "test", "repl"):
        t.match(rb"\n\nMost used:\n", t.box(name, "--help").out, name + " has such a part")
    for name in ("generate", "fix", "transform", "solve", "analyze", "math", "review"):
        head, _, rest = t.box(name, "--help-all").out.decode().partition("Most used:\n")[2].partition("\n\n")
        names = re.findall(r"(?m)^ +(?:-\w, )?--([\w-]+)", head)
        t.ok(names[:1] == ["model"] and 5 < len(names) <= 10, name + " shows the model and up to nine others first", names)
        t.equal([n for n in names if re.search(r"(?m)^ +(-\w, )?--%s " % n, rest)], [], name + " lists each once")
    for name in ("doctor", "help", "format"):
        t.ok(b"Most used" not in t.box(name, "--help").out, name + " has not")
    t.ok(len(t.box("help", env={"COLUMNS": "80"}).out.splitlines()) < 60, "the overview is short")
    done = t.command(["script", "-qec", t.glovebox + " run", "/dev/null"])
    t.ok(b"nothing to run" in done.out and b"Most used:" in done.out and b"--help-all' has all options" in done.out,
         "'glovebox run' alone on a terminal shows them", done)
    done = t.run(stdin=b"raise SystemExit(2)")
    t.ok(done.code == 2 and b"Most used" not in done.err, "a program that exits with 2 does not", done)


@box.once
def test_topics(t):
    for name in TOPICS:
        done = t.box("help", name)
        t.ok(done.code == 0 and len(done.out) > 200 and not done.err, "help " + name, done)
    results = t.box("help", "results").out.decode()
    from test_result import FIELDS, ODD

    missing = [f for f in FIELDS + ODD if not re.search(r"\b%s\b" % f, results)]
    t.equal(missing, [], "'help results' has every field")
    events = t.box("help", "events").out.decode()
    t.equal(
        [
            e
            for e in ("verdict", "started", "stdout", "stderr", "denied", "limit", "file", "display", "tool", "progress",
                      "preparing", "finished")
            if e not in events
        ],
        [],
        "'help events' has every event",
    )
    status = t.box("help", "exit-status").out.decode()
    t.equal(
        [n for n in ("124", "125", "126", "137", "128+N", " 2 ") if n not in status],
        [],
        "'help exit-status' has every number",
    )
    config = t.box("help", "config").out.decode()
    stricter = re.search("only make stricter: ([^.]*)\\.", config)
    t.ok(
        stricter and {"memory", "timeout", "require"} <= set(re.split(r",\s+", stricter[1])),
        "'help config' says what a project may",
        config,
    )
    t.exits(t.box("help", "run", "config"), 0, "several at once")
    t.refused(t.box("help", "confg"), 2, "did you mean 'config'", "a topic mistyped")
    t.refused(t.box("help", "xyzzy"), 2, "'glovebox help' lists", "one there never was")


@box.once
def test_texts(t):
    """Every command and topic has a text in docs/help, no text is left over, and each is printed."""
    folder = os.path.join(os.path.dirname(__file__), "../../docs/help")
    names = re.findall(r"(?m)^  (\S+)  ", t.box("help", env={"COLUMNS": "200"}).out.decode())
    t.equal(sorted(f[:-4] for f in os.listdir(folder) if f.endswith(".txt")), sorted(names), "a text for each name, and no other")
    for name in names:
        with open(os.path.join(folder, name + ".txt")) as f:
            words = re.sub(r"(?m)^\* (.*?) \| ", r"\1 ", f.read()).split()
        printed = t.box("help", name).out.decode().split()
        missing = [w for w in words if w not in printed]
        t.equal(missing, [], "'help %s' prints its whole text" % name)
        t.ok(len(words) > 10, "which says something", words)


@box.once
def test_suggestions(t):
    t.refused(
        t.box("rnu"), 2, "there is no command 'rnu'; did you mean 'run'", "a command mistyped"
    )
    t.refused(t.box("doctr"), 2, "did you mean 'doctor'", "another")
    t.refused(t.box("frobnicate"), 2, "'glovebox help' lists them", "one there never was")
    t.refused(t.box(""), 2, "there is no command ''", "an empty one")
    t.refused(
        t.box("a\x1b[31m\n"), 2, r"'a\\x1b\[31m\\x0a'", "an odd one cannot write on the terminal"
    )
    t.refused(t.box(b"\xff" * 5000), 2, "there is no command", "a long one")
    t.refused(t.box("--verison"), 2, "--verison", "an option of no command")
    t.refused(t.box("hello.py"), 2, "there is no command 'hello.py'", "a file without 'run'")
    t.refused(
        t.box("doctor", "--jsn"),
        2,
        "unknown option --jsn; did you mean --json",
        "an option of doctor's",
    )
    t.refused(
        t.box("doctor", "--memory", "1m"),
        2,
        "--memory does not apply to 'glovebox doctor'",
        "an option of run's",
    )
    t.refused(t.box("doctor", "--clean", "--json"), 2, "--clean cannot be combined with --json", "two that do not go together")
    t.refused(t.box("doctor", "x"), 2, "x; this build has jail", "an operand that is no backend")
    t.refused(t.box("doctor", "jail", "--json"), 2, "cannot be combined with other options", "a backend and an option")
    t.refused(t.box("log", "lst"), 2, "did you mean 'list'", "a part of log mistyped")
    t.refused(t.box("help", "--mann"), 2, "did you mean --man", "an option of help's")


@box.once
def test_man(t):
    page = t.box("help", "--man")
    path = t.write("glovebox.1", page.out)
    t.ok(page.code == 0 and page.out.startswith(b".TH \"GLOVEBOX\" 1"), "the man page", page)
    paths = [path]
    for name in COMMANDS:
        escaped = name.replace("-", r"\\-")
        t.match(r"\\fBglovebox\\-%s\\fR\(1\)" % escaped, page.out, "names " + name)
        own = t.box("help", "--man", name)
        t.ok(own.code == 0 and own.out.startswith(b".TH \"GLOVEBOX\\-" + name.upper().replace("-", "\\-").encode()),
             "the man page of " + name, own)
        paths.append(t.write("glovebox-%s.1" % name, own.out))
    t.refused(t.box("help", "--man", "nothing"), 2, "--man takes the name of one command", "a page there is not")
    if shutil.which("man"):
        for path in paths:
            done = t.command(["man", "--warnings", "-l", path],
                             env={"MANPAGER": "cat", "MANWIDTH": "80", "LC_ALL": "C.UTF-8"})
            t.ok(done.code == 0 and not done.err and (b"--help" in done.out or path == paths[0]),
                 "man has no complaints about " + os.path.basename(path), done)
    else:
        t.skip("man has no complaints", "needs man")
    if shutil.which("groff"):
        done = t.command(["groff", "-man", "-Tutf8", "-ww", "-z", *paths])
        t.ok(done.code == 0 and not done.err, "nor has groff", done)
    else:
        t.skip("nor has groff", "needs groff")


@box.once
def test_plain_text(t):
    """Nothing that a terminal would obey, and colour only on one."""
    for args in (("--help",), ("help", "config"), ("doctor",), ("help", "--completion")):
        done = t.box(*args, timeout=60)
        t.ok(b"\x1b" not in done.out + done.err, "no colour in a pipe: " + " ".join(args), done)
    import pty
    import subprocess

    for env, want in (({"TERM": "xterm"}, True), ({"TERM": "xterm", "NO_COLOR": "1"}, False)):
        master, slave = pty.openpty()
        p = subprocess.Popen(
            [t.glovebox, "doctor"], env=t.env(env), stdin=subprocess.DEVNULL, stdout=slave
        )
        os.close(slave)
        data = b""
        try:
            while True:
                data += os.read(master, 65536)
        except OSError:
            pass
        p.wait(60)
        os.close(master)
        t.equal(b"\x1b[" in data, want, "colour on a terminal with %s" % env)


def test_options_that_mean_nothing(t):
    """Tables are shared; an option that does not apply to a command is neither shown nor taken."""
    t.write("d.json", "1")
    for command in ("repl", "session"):
        text = t.box(command, "--help").out + t.box("help", "--complete", "--", command, "--").out
        for option in ("--data", "--context", "--invocation", "--optimize-data", "--execution-id"):
            t.ok(option.encode() not in text, "%s --help without %s" % (command, option), text)
    t.refused(t.box("repl", "--data", "a=d.json"), 2, "does not apply to 'glovebox repl'", "repl --data")
    for where, option in (("--daemon=unix:" + t.path("no.sock"), "--runtime=x"), ("--session=x", "--timeout=1s"),
                          ("--session=x", "--preload=json"), ("--daemon=unix:" + t.path("no.sock"), "--log=off")):
        name = where.partition("=")[0]
        t.refused(t.box("repl", where, option), 2, "does not apply to 'glovebox repl %s'" % name, name + " " + option)


def test_doctor(t):
    done = t.box("doctor", timeout=60)
    doc = t.box("doctor", "--json", timeout=60).json
    t.equal(
        sorted(doc),
        ["backends", "complete", "daemon", "early", "holds", "languages", "layers", "limits", "missing", "place",
         "problem", "pythons", "runs", "version"],
        "doctor --json",
    )
    t.equal(
        sorted(doc["layers"][0]),
        ["detail", "does", "essential", "how", "name", "state", "without"],
        "a layer",
    )
    t.equal(
        {l["state"] for l in doc["layers"]} - {"present", "absent", "partial"},
        set(),
        "states of layers",
    )
    t.equal(
        sorted(doc["languages"][0]), ["name", "path", "problem", "state", "version"], "a language"
    )
    t.equal(
        [l["name"] for l in doc["languages"]],
        ["python", "javascript", "r", "bash", "sh", "c", "cpp", "go", "rust", "java", "typescript", "csharp", "ruby", "php", "perl",
         "lua", "sql", "kotlin", "haskell", "julia", "swift", "powershell"],
        "languages",
    )
    t.equal(
        done.code, 0 if doc["complete"] else 1, "the exit status says whether every layer is present"
    )
    everything = t.box("doctor", "--all", timeout=60).out
    t.ok(b"without close-net" in everything and b"no capability in any set" in everything, "--all has all of it", everything)
    for layer in doc["layers"]:
        row = r"\n  %s +%s  " % (layer["name"], layer["state"])
        t.match(row, everything, "the table of --all has " + layer["name"])
        t.match(r"\n  present [^:]*\b%s\b" % layer["name"] if layer["state"] == "present" else row, done.out,
                "the short one has " + layer["name"])
        if layer["state"] != "present":
            t.ok(layer["without"] and layer["how"], "and how to get it", layer)
    daemon, few = doc["daemon"], dict(GLOVEBOX_WORKERS="2", GLOVEBOX_MEMORY="8m", GLOVEBOX_GUESTS_MEMORY="64m")
    t.equal(daemon["warning"] is None, daemon["workers"] * daemon["memory_bytes"] <= daemon["guests_memory_bytes"],
            "a warning where workers x memory is more than all guests may have")
    for more, words in [({}, None), ({"GLOVEBOX_WORKERS": "200"}, "200 workers with 8m each are 1600m"),
                        ({"GLOVEBOX_GUESTS_MEMORY": "900g"}, "the host's memory can end first"),
                        ({"GLOVEBOX_MEMORY": "0"}, "no memory limit")]:
        got = t.box("doctor", "--json", env={**few, **more}, timeout=60).json["daemon"]["warning"]
        t.ok(words in got if words else got is None, "of a daemon with %s: %s" % (more, words), got)
    t.match(r"\nMemory of a daemon \(glovebox serve\): ", done.out, "and the table has it")
    t.write("small.conf", "memory = 64m\n[serve]\nworkers = 4\nguests-memory = 1g\n")
    daemon = t.box("doctor", "--json", "--config", "small.conf").json["daemon"]
    t.equal((daemon["workers"], daemon["memory_bytes"], daemon["guests_memory_bytes"]), (4, 64 << 20, 1 << 30),
            "doctor reads the settings of that file", daemon)
    states = {a["name"]: a["state"] for a in doc["early"]}
    t.equal(sorted(states), ["forks", "network", "warm"], "what starts early")
    for a in doc["early"]:
        t.equal(sorted(a), ["detail", "does", "how", "name", "state", "without"], "each of it")
        t.ok(a["state"] == "present" or a["state"] == "absent" and a["detail"], "with a reason", a)
        t.match(r"\n  %s +%s  " % (a["name"], a["state"]), done.out, "the table has " + a["name"])
    t.equal([(b["name"], b["wall"]) for b in doc["backends"]], [("jail", True), ("host", False), ("docker", True), ("e2b", True)],
            "the backends that each machine has")
    for b in doc["backends"]:
        t.ok(all(a["can"] == (a["why_not"] is None) for a in b["abilities"].values()), "each ability, or why not", b)
        t.ok(all(a["can"] or a["how"] is None for a in b["abilities"].values()), "a way only where it can", b)
    t.equal(doc["backends"][1]["abilities"]["close-net"],
            {"can": False, "why_not": "cannot close the network", "how": None}, "in the words of the refusal")
    jail = doc["backends"][0]["abilities"]
    t.ok(jail["run"]["can"] == doc["runs"], "doctor and the table agree on whether anything runs", jail["run"])
    held = {l["name"]: l["state"] == "present" for l in doc["layers"]}
    grouped = held["memory"] and held["pids"] and held["cpu"]
    t.equal([jail[a]["can"] for a in ("limit-cpus", "warm", "forks")], [held["cpu"], True, True], "what needs control groups")
    t.equal([bool(jail[a]["how"]) for a in ("warm", "forks")], [not grouped] * 2, "what is watched without them", jail)
    t.equal(jail["limit-memory"]["how"].split()[0], "exact," if held["memory"] else "watched", "how memory is limited")
    shown = " ".join(t.box("run", "--help-all").out.decode().split())
    for b in doc["backends"]:
        t.ok("%s (%s)" % (b["name"], b["summary"]) in shown, "help lists the backend " + b["name"], shown)
    t.ok(len(done.out.splitlines()) <= 41, "it fits on a screen", done.out)
    host = t.box("doctor", "host", "jail")
    t.exits(host, 0, "a backend that is named")
    t.match("\n                 without close-net: cannot close the network\n.*\n  jail ", host.out, "its whole table")
    groups = [l["state"] for l in doc["layers"] if l["name"] in ("memory", "pids", "cpu")]
    if groups != ["present"] * 3:
        for name in ("warm", "forks"):
            t.match(r"\n  %s +present .*\(limits are watched from outside" % name, done.out, "without control groups: how")
    r = t.box("repl", "--quiet", stdin=b"x = 1\n%%\n:fork\n%%\nx\n")
    good = r.out == b"1\n" and not r.err
    t.ok(good == (states["forks"] == "present"), "what doctor says of forks is so", r)
    doc = t.box("doctor", "--json", env={"PATH": "/nonexistent"}, timeout=60).json
    t.equal({a["state"] for a in doc["early"]}, {"absent"}, "no Python, nothing early")
    t.ok(all("python" in a["detail"] for a in doc["early"]), "and why", doc["early"])
    t.equal({l["state"] for l in doc["languages"]}, {"absent"}, "without interpreters")
    t.ok(
        all("apt-get install" in l["problem"] or "https://" in l["problem"] for l in doc["languages"]),
        "and how to get them",
        doc["languages"],
    )
    result = t.run("--json", "-c", "1").json
    present = {l["name"] for l in doc["layers"] if l["state"] == "present"}
    t.ok(
        set(result["isolation"]) >= present,
        "what doctor promises, a run holds",
        (result["isolation"], present),
    )


def test_other_names(t):
    for name, begin in (("environments", b"A program has the packages"), ("pip", b"A program has the packages"), ("HumanEval", b"'glovebox test"),
                        ("secrets", b"A program sees none of your secrets"), ("api", b""), ("podman", b"'--backend docker'")):
        done = t.box("help", name)
        t.ok(done.code == 0 and done.out.startswith(begin) and done.out, "help " + name, done.out[:200])
