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
            (["--image", "x"], r"no images"), (["--packages", "x"], r"packages of the interpreter"),
            (["--python", "x"], r"first python3 in"), (["--verbose"], r"--trace-time"), (["--rm"], r"not needed"),
            (["--cwd", "x"], r"--work-dir"), (["--timout", "1s"], r"did you mean --timeout\?")):
        t.refused(t.run(*words, "-c", "print(1)"), 2, want, " ".join(words))
    t.refused(t.box("math", "--network"), 2, r"unknown option --network$", "a command without --net gives no such advice")
    for words in (["--memory", "512Mi"], ["--memory", "1GB"], ["--timeout", "0.5min"], ["--timeout", "20sec"]):
        t.exits(t.run(*words, "-c", "print(1)"), 0, " ".join(words), b"1\n")
    for text in ("print(1)", "x+1", "1 + 1"):
        t.refused(t.run(text), 2, r"is no file; the text of a program comes after -c", text)
    t.refused(t.run("nope.py"), 2, r"nope.py: No such file", "a file that is not there")


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
    r = t.command(["bash", "-c", "%s run --file <(echo one) -c 1" % t.glovebox])
    t.refused(r, 2, r"a pipe has no file name; write SRC:NAME", "a pipe without a name")
    r = t.command(["bash", "-c", "%s run --file <(head -c 300m /dev/zero):a -c 1" % t.glovebox])
    t.refused(r, 2, r"a pipe has at most 256 MiB", "a pipe with too much")
    r = t.command(["bash", "-c", "echo 'print(input())' > p.py; %s run p.py --stdin <(echo typed)" % t.glovebox])
    t.exits(r, 0, "standard input from a process", b"typed\n")


@once
def test_languages(t):
    for name, want in (("a.rb", "Ruby"), ("a.go", "Go"), ("a.html", "HTML"), ("a.sql", "SQL"), ("a.ts", "TypeScript")):
        t.write(name, "print(1)\n")
        t.refused(t.run(name), 2, name + ": .*" + want, name)
    t.exits(t.run("--lang", "python", "a.rb"), 0, "unless --lang says what it is", b"1\n")
    t.write("plain", "print(1)\n")
    t.exits(t.run("plain"), 0, "a name without an end is looked into", b"1\n")
    t.config('[language.ruby]\ncommand = ["cat"]\nextensions = [".rb"]\n')
    r = t.run("a.rb")
    t.ok(b"Ruby is not run here" not in r.err, "or the config file has it", r)
