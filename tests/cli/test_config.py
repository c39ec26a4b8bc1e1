# SPDX-License-Identifier: Apache-2.0
"""Where settings come from: defaults, the user's file, the project's, variables, options."""

import os
import re


def settings(t, *args, **how):
    """{name: (value, source)} of --print-config."""
    done = t.run(*args, "--print-config", **how)
    found = {}
    for line in done.out.decode().splitlines():
        match = re.match(r"(?:# )?([a-z-]+) =(.*?)  +# (.*)$", line)
        if match:
            found[match[1]] = (match[2].strip(), match[3])
    return found, done


def test_defaults(t):
    found, done = settings(t)
    want = {
        "lang": "auto",
        "backend": "jail",
        "net": "none",
        "timeout": "30s",
        "cpu-time": "0s",
        "memory": "512m",
        "cpus": "1.0",
        "pids": "64",
        "disk": "256m",
        "open-files": "768",
        "output-limit": "1m",
        "retries": "2",
        "retry-delay": "1s",
        "log-code": "false",
        "ro": "[]",
        "writable": "[]",
        "require": "[]",
        "profile": "standard",
        "env": "[]",
        "file": "[]",
        "work-dir": "",
        "optimize-data": "false",
    }
    t.equal({k: found.get(k, ("",))[0] for k in want}, want, "built-in defaults", done)
    fixed = {k: found.pop(k) for k in ("stateful", "result-delimiters")}
    t.equal({source for _, source in found.values()}, {"default"}, "all of them from nowhere else")
    t.equal(fixed["stateful"][0], "false", "a run keeps no state")
    t.ok("tool_output" in fixed["result-delimiters"][0], "how a result is delimited", fixed)
    for opener in ("tool_code", "python", "go", "javascript", "bash"):
        t.ok(b'"```%s\\n..\\n```"' % opener.encode() in done.out, "how code is delimited: " + opener, done)
    t.ok(found["log"][0].endswith("/glovebox/log.db"), "the log that is in effect", found["log"])


def test_no_keys(t):
    """What is no key of a config file is shown too, with its source, and without secrets."""
    found, done = settings(t, "--env", "TOKEN=s3cret", "-e", "LANG", "--work-dir", "w", "--file", "a b.csv:x",
                           "--without", "ipcns", "--allow-unsafe", "--data", "d=d.json", "--backend", "host",
                           env={"GLOVEBOX_LOG": "off"})
    want = {"env": ('["TOKEN=***", LANG]', "command line"), "work-dir": ("w", "command line"),
            "file": ('["a b.csv:x"]', "command line"), "without": ("[ipcns]", "command line"),
            "allow-unsafe": ("true", "command line"), "data": ("[d=d.json]", "command line"),
            "out": ("", "default"), "profile": ("host", "default"), "log": ("off", "environment GLOVEBOX_LOG")}
    t.equal({k: found.get(k) for k in want}, want, "options that are no keys", done)
    t.ok(b"s3cret" not in done.out + done.err, "a variable's value is not printed", done)
    many = [word for i in range(30) for word in ("--env", "NAME_%02d=x" % i)]
    done = t.run(*many, "--print-config")
    lines = done.out.decode().splitlines()
    t.ok(all(l.startswith("# ") for l in lines if "NAME_" in l), "a long list is all comment", done)
    t.equal((done.code, done.err), (0, b""), "and nothing is run")


def test_sources(t):
    user = t.config("timeout = 20s\nmemory = 300m\npids = 50\ncpus = 0.9\n")
    t.project("timeout = 19s\nmemory = 200m\npids = 40\n")
    found, done = settings(t, "--pids", "7", env={"GLOVEBOX_MEMORY": "100m", "GLOVEBOX_PIDS": "30"})
    t.equal(found.get("cpus"), ("0.9", "user config %s:4" % user), "the user's file", done)
    t.equal(
        found.get("timeout"), ("19s", "project config glovebox.conf:1"), "the project's before it"
    )
    t.equal(
        found.get("memory"), ("100m", "environment GLOVEBOX_MEMORY"), "the environment before that"
    )
    t.equal(found.get("pids"), ("7", "command line"), "the command line before all")
    done = t.run("-c", "import resource; print(1)")
    if t.has("cpu"):
        t.exits(done, 0, "a run with all of them", b"1\n")
    else:
        t.refused(done, 125, "needs layer cpu", "a share that was set and cannot be held is refused")
    other = t.write("other.conf", "timeout = 60s\n")
    found, _ = settings(t, "--config", other)
    t.equal(
        (found["timeout"], found["memory"][0]),
        (("1m", "user config %s:1" % other), "512m"),
        "--config instead of both files",
    )
    found, _ = settings(t, env={"GLOVEBOX_CONFIG": other})
    t.equal(
        (found["timeout"], found["memory"]),
        (("19s", "project config glovebox.conf:1"), ("200m", "project config glovebox.conf:2")),
        "GLOVEBOX_CONFIG instead of the user's",
    )
    os.makedirs(t.path("xdg/glovebox"))
    t.write(t.path("xdg/glovebox/glovebox.conf"), "cpus = 0.7\n")
    found, _ = settings(t, env={"XDG_CONFIG_HOME": t.path("xdg")})
    t.equal(found["cpus"][0], "0.7", "XDG_CONFIG_HOME")
    found, done = settings(t, env={"HOME": None})
    t.equal((done.code, found["timeout"][0]), (0, "19s"), "without a HOME", done)


def test_round_trip(t):
    options = [
        "--timeout",
        "90s",
        "--memory",
        "1537k",
        "--cpus",
        "0.125",
        "--pids",
        "0",
        "--ro",
        "/usr/share/a b:/x",
        "--ro",
        "/etc",
        "--require",
        "seccomp",
        "--log",
        "/x/y \"z\" #\n\x01.db",
        "--lang",
        "js",
        "--net",
        "host",
        "--no-daemon",
        "--quiet",
        "--cpu-time",
        "1h",
    ]
    first = t.run(*options, "--print-config")
    path = t.write("printed.conf", first.out)
    second = t.run("--config", path, "--print-config")
    values = [re.sub(rb"  +# .*", b"", d.out) for d in (first, second)]
    t.ok(
        first.code == second.code == 0 and values[0] == values[1],
        "what is printed reads back the same",
        "%s\n%s" % (first, second),
    )


def test_effect(t):
    t.config("timeout = 300ms\nquiet = true\n")
    done = t.run("-c", "while 1: pass")
    t.equal(
        (done.code, done.err), (124, b""), "a limit from the user's file holds, and quiet is quiet"
    )
    t.exits(t.run("--timeout", "0", "-c", "print(1)"), 0, "the command line lifts it", b"1\n")
    t.config("lang = sh\n")
    t.exits(t.run("-c", "echo $0"), 0, "a language", b"/box/work/main.sh\n")
    t.config("timeout = 1s\n[language.perl]\ncommand = perl\nextension = .pl\n")
    for command in (("doctor",), ("log",), ("log", "stats"), ("help",), ("help", "run")):
        t.exits(
            t.box(*command, timeout=60),
            0 if command[0] != "doctor" or t.has("memory", "pids", "cpu") else 1,
            "'glovebox %s' beside keys of other commands" % " ".join(command),
        )
    t.config("quiet = true\nlog = off\nlog-code = true\nno-daemon = true\nretries = 0\n")
    for command in (("doctor",), ("log",)):
        code = 0 if command[0] != "doctor" or t.has("memory", "pids", "cpu") else 1
        t.exits(t.box(*command, timeout=60), code, "'glovebox %s' beside more of them" % command[0])


def test_keys_of_others(t):
    """One file serves all commands: each skips the keys that only others have."""
    t.config("model = some-model\nlisten = 127.0.0.1:0\nmax_timeout = 5s\nretries = 1\n")
    for verb in (("run", "-c", "1"), ("check", "-c", "1"), ("log", "list"), ("session", "list"), ("doctor",)):
        done = t.box(*verb)
        t.ok(b"unknown key" not in done.err, "%s takes the file" % verb[0], done)
    t.config("modell = some-model\n")
    for verb in (("run", "-c", "1"), ("log", "list"), ("session", "list")):
        t.ok(b"unknown key 'modell'" in t.box(*verb).err, "%s refuses a key that no command has" % verb[0])
    t.config("")


def test_keys_of_backends(t):
    """What is for containers and clouds does not stop a run elsewhere, unless the command asks for it."""
    t.config("image = x\ndockerfile = .\nruntime = runsc\n")
    done = t.run("-c", "print('ran')")
    t.equal((done.code, done.out), (0, b"ran\n"), "keys of other backends", done)
    t.config("e2b-template = mine\n")
    done = t.run("-c", "print('ran')")
    t.equal((done.code, done.out), (0, b"ran\n"), "a template", done)
    done = t.run("-c", "print('ran')", env={"GLOVEBOX_IMAGE": "x"})
    t.equal((done.code, done.out), (0, b"ran\n"), "and variables", done)
    t.refused(t.run("--image", "x", "-c", "1"), 2, "--image needs --backend=docker", "an option is refused")
    t.refused(t.run("--backend", "docker", "--e2b-template", "x", "-c", "1"), 2,
              "--e2b-template needs --backend=e2b; this is backend docker", "a template is no image")


def test_errors(t):
    for text, pattern in [
        ("timeout = soon\n", ":1: timeout: 'soon' is not a duration"),
        ("\n\nmemroy = 1m\n", ":3: unknown key 'memroy'; did you mean 'memory'"),
        ("timeout\n", ":1: "),
        ("timeout = \n", ":1: "),
        ("timeout = 1s\ntimeout = 2s\n", ":2: key 'timeout' is already in line 1"),
        ("timeout = [1s, 2s]\n", ":1: timeout: takes one value, not 2"),
        ("quiet = maybe\n", ":1: quiet: 'maybe' is neither true nor false"),
        ("log = \"open\n", ":1: "),
        ("require = [seccomp\n", ":2: the array of line 1 is not closed"),
        ("code = 1\n", ":1: code: can be given on the command line only"),
        ("json = true\n", ":1: json: can be given on the command line only"),
        ("allow-unsafe = true\n", ":1: allow-unsafe: can be given on the command line only"),
        ("env = [A=1]\n", ":1: env: can be given on the command line only"),
        ("[nothing]\nx = 1\n", r":2: there is no section \[nothing\]"),
        ("x = \x1b[31m\n", ":1: "),
        (b"timeout = \xff\n", ":1: "),
        (b"\0", ":1: "),
    ]:
        t.config(text)
        t.refused(
            t.run("-c", "print('ran')"), 2, "^glovebox run: .*glovebox.conf" + pattern, "%r" % text
        )
    t.config("x = " + "y" * 300000)
    t.refused(t.run("-c", "print('ran')"), 2, "glovebox.conf", "a file that is too large")
    t.config("")
    t.refused(
        t.run("-c", "1", env={"GLOVEBOX_TIMEOUT": "soon"}),
        2,
        "GLOVEBOX_TIMEOUT: 'soon' is not a duration",
        "in the environment",
    )
    done = t.run("-c", "print(1)", env={"GLOVEBOX_TIMOUT": "1s", "GLOVEBOX_FORBID_IMPORT": "os", "GLOVEBOX_SOCKT": "x",
                                        "GLOVEBOX_OF_ANOTHER_PROGRAM": "1", "GLOVEBOX_MEMROY": ""})
    t.exits(done, 0, "a misspelt variable stops nothing", b"1\n")
    t.equal(sorted(done.err.decode().splitlines()),
            ["glovebox: GLOVEBOX_%s is an unknown setting; did you mean GLOVEBOX_%s?" % names
             for names in (("FORBID_IMPORT", "FORBID_IMPORTS"), ("SOCKT", "SOCKET"), ("TIMOUT", "TIMEOUT"))],
            "it is reported; one that is empty or another program's is not")
    t.refused(
        t.run("-c", "1", env={"GLOVEBOX_CONFIG": "/no/such"}),
        2,
        "/no/such",
        "GLOVEBOX_CONFIG that is not there",
    )
    os.remove(os.path.join(t.home, ".config/glovebox/glovebox.conf"))
    os.mkdir(os.path.join(t.home, ".config/glovebox/glovebox.conf"))
    done = t.run("-c", "print('ran')")
    t.refused(
        done,
        done.code if done.code in (2, 125) else 2,
        "glovebox.conf",
        "a folder where the file should be",
    )


# What a project's file may not do: the key, what it is refused with.
LOOSER = [
    ("memory = 0", "may only lower this limit, and it is 512m"),
    ("memory = 513m", "512m"),
    ("timeout = 31s", "30s"),
    ("timeout = 0", "30s"),
    ("cpus = 1.001", "1.0"),
    ("cpus = 0", "1.0"),
    ("pids = 65", "64"),
    ("pids = 0", "64"),
    ("disk = 1g", "256m"),
    ("disk = 0", "256m"),
    ("inodes = 0", "65536"),
    ("inodes = 65537", "65536"),
    ("open-files = 769", "768"),
    ("open-files = 0", "768"),
    ("output-limit = 0", "1m"),
    ("output-limit = 2m", "1m"),
    ("net = host", "weakens the sandbox"),
    ("net = none", "weakens the sandbox"),
    ("ro = [/etc]", "weakens"),
    ("backend = host", "weakens"),
    ("log = /tmp/x.db", "weakens"),
    ("log = off", "weakens"),
    ("log-code = true", "weakens"),
    ("quiet = true", "weakens"),
    ("profile = standard", "weakens"),
    ("check = false", "weakens"),
    ("no-check = true", "weakens"),
    ("allow-imports = [os]", "weakens"),
    ("prelude = x.py", "weakens"),
    ("lang = bash", "weakens"),
    ("lang = python", "weakens"),
    ("writable = [/app]", "weakens"),
    ("no-daemon = true", "weakens"),
]
STRICTER = [
    "memory = 512m",
    "memory = 100m",
    "timeout = 5s",
    "cpu-time = 10s",
    "cpus = 0.5",
    "pids = 20",
    "disk = 10m",
    "inodes = 1000",
    "open-files = 100",
    "output-limit = 1k",
    "require = [rlimits]",
    "retries = 5",
    "retry-delay = 2s",
    "forbid-imports = [socket]",
    "target = 3.12",
]


# Keys that neither the wall nor the guard depends on; those from `listen` on are the daemon's, which reads no project's file.
HARMLESS = """cold target retries retry-delay model provider model-retries no-review-cache pause-after temperature""".split()


def test_project_keys(t):
    """Of each key it is decided what a project's file may do with it."""
    text = re.sub(r"\s+", " ", t.box("help", "config").out.decode())
    looser, stricter, keys = (re.search(head + r": ([^.]*)\.", text)[1].split(", ")
                              for head in ("Keys that weaken the sandbox", "may only make stricter", "All keys"))
    found = set(keys[: keys.index("listen")]) - set(looser) - set(stricter)
    t.equal(sorted(found), sorted(HARMLESS), "keys that a project's file may set to any value")


def test_project(t):
    for text, pattern in LOOSER:
        t.project("# a stranger's\n" + text + "\n")
        key = text.split(" ")[0]
        t.refused(
            t.run("-c", "print('ran')"),
            2,
            r"^glovebox run: glovebox.conf:2: %s: .*%s.*command line" % (key, re.escape(pattern)),
            "refused: " + text,
        )
    for text in STRICTER:
        t.project(text + "\n")
        done = t.run("-c", "print('ran')")
        if text.startswith("cpus") and not t.has("cpu"):
            t.refused(done, 125, "needs layer cpu", "allowed, and cannot be held here: " + text)
        else:
            t.exits(done, 0, "allowed: " + text, b"ran\n")

    t.config("memory = 1g\ntimeout = 0\ncpu-time = 5s\n")
    t.project("memory = 1g\ntimeout = 2h\n")
    t.exits(t.run("-c", "print('ran')"), 0, "measured by the user's own limits", b"ran\n")
    t.project("memory = 2g\n")
    t.refused(t.run("-c", "1"), 2, "it is 1g", "which may be higher than the defaults")
    t.project("cpu-time = 0\n")
    t.refused(t.run("-c", "1"), 2, "cpu-time: .*it is 5s", "no limit is higher than any")
    t.project("memory = 2g\n")
    found, done = settings(t, "--memory", "64m")
    t.equal(
        (done.code, found.get("memory")),
        (0, ("64m", "command line")),
        "what the command line decides is decided",
    )

    t.config("require = [seccomp]\n")
    t.project("require = []\n")
    found, done = settings(t)
    t.match("seccomp", found.get("require", ("",))[0], "a project cannot take a demand away")
    t.project("require = [landlock]\n")
    found, done = settings(t)
    t.match("seccomp.*landlock", found.get("require", ("",))[0], "but add one")


def test_project_languages(t):
    t.project("[language.camel]\ncommand = perl\nextension = .camel\n")
    t.write("x.camel", "print 'perl'")
    t.exits(t.run("x.camel"), 0, "a project may add a language", b"perl")
    for text, pattern in [
        ("[language.python]\ncommand = perl\n", "may not change the command of 'python'"),
        ("[language.Python]\ncommand = perl\n", "may not change the command of 'Python'"),
        ("[language.py]\ncommand = perl\n", "may not change the command of 'py'"),
        ("[language.sh]\nargs = [\"{file}\"]\n", "may not change the command of 'sh'"),
        ("[language.x]\ncommand = perl\nextension = .py\n", "'.py' already means python"),
        ("[language.x]\ncommand = perl\nextension = py\n", "'py' already means python"),
        ("[language.x]\ncommand = perl\nextension = [.x, .SH]\n", "'.SH' already means bash"),
        ("[language.x]\ncommand = perl\naliases = [a, node]\n", "'node' already means javascript"),
        ("[language.x]\ncommand = ./perl\n", "names programs without a path"),
        ("[language.x]\ncommand = /usr/bin/perl\n", "names programs without a path"),
        ("[language.x]\ncommand = [perl, ../perl]\n", "names programs without a path"),
        ("[language.x]\ncompile = \"./cc -o {out} {file}\"\n", "names programs without a path"),
        ("[language.x]\ncommand = perl\nneeds = /etc/perl\n", "may not name folders of this host"),
        ("[language.ruby]\ncommand = perl\n", "may not change the command of 'ruby'"),
    ]:
        t.project(text)
        done = t.run("-c", "print('ran')")
        t.refused(
            done,
            2,
            r"^glovebox run: glovebox.conf:[23]: .*%s" % re.escape(pattern),
            "refused: %r" % text,
        )
    t.config("[language.camel]\ncommand = perl\nextension = .camel\naliases = [dromedary]\n")
    for text in (
        "[language.camel]\nargs = [\"-w\", \"{file}\"]\n",
        "[language.dromedary]\ncommand = sh\n",
        "[language.x]\ncommand = sh\nextension = .camel\n",
    ):
        t.project(text)
        t.refused(
            t.run("-c", "print('ran')"),
            2,
            "^glovebox run: glovebox.conf:",
            "nor the user's own: %r" % text,
        )


def test_guest_writes_project(t):
    """A guest cannot leave a glovebox.conf where the next run would read it."""
    work = t.path("here/work")
    os.mkdir(work)
    code = "open('glovebox.conf', 'w').write('timeout = 1s'); open('other.txt', 'w').write('x')"
    done = t.run("--work-dir", work, "--out", t.path("here/out"), "-c", code)
    t.equal(
        (done.code, os.listdir(work), os.listdir(t.path("here/out"))),
        (0, ["other.txt"], ["other.txt"]),
        "it stays inside",
        done,
    )
    t.match(b"left out: glovebox.conf", done.err, "and that is said")


def test_unreadable(t):
    """The file of a home that is closed: one line that says what to do."""
    if os.geteuid() == 0:
        return t.skip("a closed home", "root reads every home")
    folder = t.path("home", ".config", "glovebox")
    os.makedirs(folder)
    t.write("home/.config/glovebox/glovebox.conf", "timeout = 3s\n")
    env = {"HOME": t.path("home"), "XDG_CONFIG_HOME": ""}
    os.chmod(folder, 0)
    try:
        done = t.run("-c", "1", env=env)
        t.refused(done, 125, r"glovebox.conf: Permission denied; make it readable, or set HOME to another folder, or GLOVEBOX_CONFIG to a file that you can read$",
                  "a config file that cannot be read")
        t.exits(t.run("-c", "print(1)", env=dict(env, GLOVEBOX_CONFIG=t.write("own.conf", ""))), 0, "another file helps", b"1\n")
    finally:
        os.chmod(folder, 0o700)
    return None
