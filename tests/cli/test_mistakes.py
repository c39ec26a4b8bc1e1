# SPDX-License-Identifier: Apache-2.0
"""What people type because other programs have it, and the line that says what to type here."""

from box import once


@once
def test_commands(t):
    t.write("hello.py", "print(1)")
    for words, want in (
            (["hello.py"], r"no command 'hello.py'; did you mean 'glovebox run hello.py'\?"),
            (["./hello.py"], r"did you mean 'glovebox run ./hello.py'\?"),
            (["python", "hello.py"], r"glovebox run FILE.py"), (["-c", "print(1)"], r"glovebox run -c"),
            (["eval", "1+1"], r"glovebox math"), (["exec"], r"glovebox session exec"), (["shell"], r"repl --lang bash"),
            (["ps"], r"session list"), (["status"], r"serve --status"), (["stop"], r"serve --stop"), (["start"], r"serve --background"), (["restart"], r"serve --stop"),
            (["daemon"], r"glovebox serve"), (["pip"], r"packages"), (["lint"], r"glovebox check"),
            (["config"], r"--print-config"), (["--json"], r"options come after a command"),
            (["python3.12", "hello.py"], r"glovebox run FILE.py"), (["pip3"], r"packages"), (["npm"], r"node_modules"),
            (["R"], r"repl --lang r"), (["Rscript"], r"repl --lang r"), (["list"], r"session list"),
            (["top"], r"session list"), (["rm"], r"session close"), (["new"], r"session new"),
            (["ruby"], r"glovebox run FILE.rb"), (["info"], r"glovebox doctor"), (["serv"], r"did you mean 'serve'\?"),
            (["run:"], r"did you mean 'run'\?"), (["logs"], r"did you mean 'log'\?"), (["Run"], r"did you mean 'run'\?"),
            (["runn"], r"did you mean 'run'\?"), (["none\x1b"], r"'glovebox help' lists them")):
        t.refused(t.box(*words), 2, want, " ".join(words))
    for word in ("version", "-v", "-V", "--version"):
        t.match(rb"^glovebox \d", t.box(word).out, word)


@once
def test_options(t):
    for words, want in (
            (["--network"], r"--net host"), (["--no-network"], r"unless you give --net host"),
            (["--language", "python"], r"did you mean --lang\?"), (["--mount", "a:b"], r"--ro SRC"),
            (["--volume", "a:b"], r"--ro SRC"), (["-v", "a:b"], r"unknown option -v; --ro SRC"),
            (["--image", "x"], r"no images"), (["--e2b-template", "x"], r"--e2b-template needs --backend=e2b"), (["--packages", "x"], r"packages come with --pip"),
            (["--venv", "x"], r"did you mean --python"), (["--verbose"], r"--trace-time"),
            (["-u", "x"], r"user of their own"), (["--user", "x"], r"user of their own"), (["-i"], r"standard input already"),
            (["-it"], r"standard input already"), (["-d"], r"session new"), (["--detach"], r"session new"),
            (["--name", "x"], r"has no name"), (["--cpu", "1"], r"did you mean --cpus\?"),
            (["--ram", "1"], r"did you mean --memory\?"), (["--mem", "1"], r"did you mean --memory\?"),
            (["--mem-limit", "1"], r"did you mean --memory\?"), (["--memory-limit", "1"], r"did you mean --memory\?"),
            (["--output", "x"], r"did you mean --out\?"), (["--input", "x"], r"did you mean --stdin"),
            (["--args", "x"], r"come after --"), (["--env-file", "x"], r"--env K=V"), (["--port", "1"], r"from outside"),
            (["--no-net"], r"unless you give --net host"), (["--offline"], r"unless you give --net host"),
            (["--no-timeout"], r"did you mean --timeout 0\?"), (["--time", "1"], r"did you mean --timeout\?"),
            (["--max-time", "1"], r"did you mean --timeout\?"), (["--timeout-ms", "1"], r"--timeout 500ms"),
            (["--privileged"], r"help layers"), (["--dry-run"], r"glovebox check"), (["--js"], r"--lang js"),
            (["--shell"], r"--lang bash"), (["--version"], r"glovebox --version"), (["--gpus", "1"], r"graphics"),
            (["--workspace", "x"], r"--work-dir"), (["--format", "x"], r"--json"), (["--color"], r"option --color$"),
            (["--requirements", "x"], r"packages come with --pip"), (["--pull"], r"--backend docker has images"), (["--rm"], r"not needed"),
            (["--cwd", "x"], r"the workspace has no such folder"), (["--workdir", "x"], r"--work-dir, or --cwd"), (["--timout", "1s"], r"did you mean --timeout\?"),
            (["--timeout-sec", "1"], r"did you mean --timeout\?"), (["--memory-mb", "1"], r"did you mean --memory\?"), (["--env-vars", "1"], r"did you mean --env\?"),
            (["--langauge", "python"], r"did you mean --lang\?"), (["--volumes", "a:b"], r"--ro SRC"),
            (["--jsonlines"], r"did you mean --json\?"), (["--outline"], r"option --outline$")):
        t.refused(t.run(*words, "-c", "print(1)"), 2, want, " ".join(words))
    t.refused(t.box("check", "--langauge", "js", "x"), 2, r"did you mean --lang\?", "check --langauge")
    t.refused(t.box("math", "--network"), 2, r"unknown option --network$", "a command without --net gives no such advice")
    for words in (["--memory", "512Mi"], ["--memory", "1GB"], ["--timeout", "0.5min"], ["--timeout", "20sec"]):
        t.exits(t.run(*words, "-c", "print(1)"), 0, " ".join(words), b"1\n")
    for text in ("print(1)", "x+1", "1 + 1"):
        t.refused(t.run(text), 2, r"is not a file; write the text of a program after -c", text)
    t.refused(t.run("nope.py"), 2, r"nope.py: No such file", "a file that is not there")


@once
def test_meant_for_the_program(t):
    """An option behind the program that is unknown here is the program's own."""
    t.write("hello.py", "import sys; print(sys.argv[1:])")
    for words, want in (
            (["-x"], r"unknown option -x; for the program: after --$"), (["--foo=1"], r"option --foo; for the program: after --$"),
            (["-n", "3"], r"option -n; for the program: after --$"),
            (["--timout", "1s"], r"did you mean --timeout\? For the program: after --$"),
            (["--verbose"], r"each phase; for the program: after --$"),
            (["--memory", "x"], r"is not a size; write it like 64k, 256m or 1.5g$")):
        t.refused(t.run("hello.py", *words), 2, want, "hello.py " + " ".join(words))
    t.refused(t.run("-x", "hello.py"), 2, r"unknown option -x$", "before the program it is ours")
    t.refused(t.run("hello.py", "a", "b"), 2, r"arguments for the program come after --", "operands")
    t.exits(t.run("hello.py", "--", "-x", "a"), 0, "after --", b"['-x', 'a']\n")
    t.exits(t.run("hello.py", "--timeout", "20s"), 0, "options of ours may stand there", b"[]\n")


@once
def test_values(t):
    for words, want in (
            (["--memory", "128"], r"limit of 128 bytes is less than the jail itself needs; did you mean 128m\?"),
            (["--disk", "100"], r"limit of 100 bytes is too small for any file; did you mean 100m\?"),
            (["--timeout", "abc"], r"write it like 500ms, 30s or 1h30m"), (["--timeout", "-5s"], r"write it like 500ms"),
            (["--timeout", "1h30"], r"'1h30' is not a duration"), (["--timeout", "30m1"], r"is not a duration"),
            (["--memory", "lots"], r"write it like 64k, 256m or 1.5g"), (["--cpus", "-1"], r"write it like 1, 0.5"),
            (["--pids", "1k"], r"'1k' is not a whole number"), (["--net", "on"], r"'on' is no network: none, host, or allow:HOST"),
            (["--lang", "python2"], r"--python=3.12"), (["--lang", "pyhton"], r"did you mean 'python'\?"),
            (["--lang", "javscript"], r"did you mean 'javascript'\?"), (["--lang", "vb"], r"help languages"), (["--lang", "cobol"], r"help languages"),
            (["-c"], r"--code needs a value")):
        t.refused(t.run("-c", "print(1)", *words), 2, want, " ".join(words))
    for words in (["--memory", "512Mi"], ["--memory", "1TB"], ["--memory", "1.5GiB"], ["--memory", "536870912 bytes"],
                  ["--timeout", "5 sec"], ["--timeout", "1h30m"], ["--timeout", "5m 30s"], ["--timeout", "1min"],
                  ["--timeout", "20 seconds"], ["--timeout", "1d"], ["--timeout", "90"]):
        t.exits(t.run(*words, "-c", "print(1)"), 0, " ".join(words), b"1\n")
    t.match(rb"(?m)^timeout = 90m ", t.run("--timeout", "1h30m", "--print-config").out, "1h30m is 90 minutes")
    t.refused(t.run("https://example.org/x.py"), 2, r"is not fetched; curl URL \| glovebox run -", "a URL")


@once
def test_verbs(t):
    for words, want in (("run", "exec"), ("start", "new"), ("open", "new"), ("stop", "close"), ("kill", "close"),
                        ("delete", "close"), ("ls", "list"), ("upload", "put"), ("shw", "show")):
        t.refused(t.box("session", words, "x"), 2, "did you mean '%s'" % want, "session " + words)
    for words, want in (("ls", "list"), ("last", "list"), ("rm", "prune"), ("sho", "show")):
        t.refused(t.box("log", words), 2, "did you mean '%s'" % want, "log " + words)
    t.refused(t.box("session", "zzz"), 2, r"restart, close$", "a verb that is like none")


@once
def test_pipes(t):
    r = t.command(["bash", "-c", "%s run <(echo 'print(3 * 5)')" % t.glovebox])
    t.exits(r, 0, "a program from a process", b"15\n")
    t.write("twice.py", "def twice(x):\n    return 2 * x\n")
    case = '[{"call": "twice(2)", "expected": 4}]'
    r = t.command(["bash", "-c", "%s test twice.py --cases <(echo '%s')" % (t.glovebox, case)])
    t.exits(r, 0, "cases from a process")
    code = "import os; print(sorted(os.listdir()), open('b').read(), end='')"
    r = t.command(["bash", "-c", "%s run --file <(echo one):a --file <(echo two):b -c \"%s\"" % (t.glovebox, code)])
    t.exits(r, 0, "files from processes", b"['a', 'b', 'main.py'] two\n")
    code = "import os; print(open('a').read(), oct(os.stat('a').st_mode & 0o777))"
    r = t.command(["bash", "-c", "exec 9< <(echo one); %s run --file /proc/self/fd/9:a -c \"%s\"" % (t.glovebox, code)])
    t.exits(r, 0, "a pipe by its other name", b"one\n 0o644\n")
    r = t.command(["bash", "-c", "%s run --file <(echo one) -c 1" % t.glovebox])
    t.refused(r, 2, r"a pipe has no file name; write SRC:NAME", "a pipe without a name")
    r = t.command(["bash", "-c", "%s run --file <(head -c 300m /dev/zero):a -c 1" % t.glovebox])
    t.refused(r, 2, r"a pipe has at most 256 MiB", "a pipe with too much")
    r = t.command(["bash", "-c", "echo 'print(input())' > p.py; %s run p.py --stdin <(echo typed)" % t.glovebox])
    t.exits(r, 0, "standard input from a process", b"typed\n")


@once
def test_languages(t):
    for name, want in (("a.scala", "Scala"), ("a.html", "HTML"), ("a.dart", "Dart"), ("a.ex", "Elixir")):
        t.write(name, "print(1)\n")
        t.refused(t.run(name), 2, name + ": .*" + want, name)
        t.refused(t.box("test", name), 2, name + ": .*" + want, "test " + name)
    for name in ("a.csv", "a.tsv", "a.json", "a.jsonl"):
        t.write(name, "1\n")
        t.refused(t.run(name), 2, name + ": is data, not a program; --file " + name, name)
    t.write("a.ipynb", "{}")
    t.refused(t.box("test", "a.ipynb"), 2, "a.ipynb: is a notebook; 'glovebox run' runs its cells", "test a.ipynb")
    t.exits(t.run("--lang", "python", "a.scala"), 0, "unless --lang says what it is", b"1\n")
    t.write("plain", "print(1)\n")
    t.exits(t.run("plain"), 0, "a name without an end is looked into", b"1\n")
    t.config('[language.scala]\ncommand = ["cat"]\nextensions = [".scala"]\n')
    r = t.run("a.scala")
    t.ok(b"is not a known language" not in r.err, "or the config file has it", r)
