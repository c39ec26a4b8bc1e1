# SPDX-License-Identifier: Apache-2.0
"""Which language a program is in: by hint, extension, first line, then text."""

# What the language says of itself, for any of these.
SAYS = {"python": "Python", "javascript": "JavaScript", "bash": "Bash", "sh": "POSIX sh", "r": "R"}

# (text, language); the text alone decides.
CONTENT = [
    ("print('x')", "python"),
    ("import os\nos.getcwd()", "python"),
    ("def f():\n    return 1\nf()", "python"),
    ("if __name__ == '__main__':\n    x = 1", "python"),
    ("x = 1\ny = x + 1", "python"),
    ("", "python"),
    ("# only a comment", "python"),
    ("from math import pi\nx = pi", "python"),
    ("class A:\n    pass", "python"),
    ("x = [i for i in range(3)]", "python"),
    ("echo = 'ls '\nprint(echo)", "python"),
    ("const = 1\nprint(const)", "python"),
    ("s = 'console.log(1)'\nprint(s)", "python"),
    ("def f():\n    '''const let function'''\n", "python"),
    ("x = 'function '\nprint(x)", "python"),
    ("lambda: 0", "python"),
    ("console.log(1)", "javascript"),
    ("const x = 1;", "javascript"),
    ("let x = 1;\nx + 1;", "javascript"),
    ("function f() { return 1; }\nf();", "javascript"),
    ("const fs = require('fs');\nfs.existsSync('/');", "javascript"),
    ("import fs from 'fs';\nconsole.log(fs.existsSync('/'));", "javascript"),
    ("[1].map(x => { return x });\nconsole.log('x')", "javascript"),
    ("process.stdout.write('x')", "javascript"),
    ("async function main() { await 1; }\nmain();", "javascript"),
    ("export const x = 1;", "javascript"),
    ("echo hello", "bash"),
    ("ls -l /usr", "bash"),
    ("cd /tmp\npwd", "bash"),
    ("for i in 1 2; do echo $i; done", "bash"),
    ("x=1; echo $x", "bash"),
    ("echo 'def'", "bash"),
    ("if true; then echo yes; fi", "bash"),
    ("#!/bin/bash\ntrue", "bash"),
    ("#!/usr/bin/env bash\ntrue", "bash"),
    ("#!/bin/sh\ntrue", "sh"),
    ("#! /bin/sh -e\ntrue", "sh"),
    ("#!/usr/bin/env python3\nx = 1", "python"),
    ("#!/usr/bin/python3.11 -u\nx = 1", "python"),
    ("#!/usr/bin/env -S python3 -u\nx = 1", "python"),
    ("#!/usr/bin/env node\nx = 1", "javascript"),
    ("#!/usr/bin/node\nvar x = 1", "javascript"),
    ("#!/usr/bin/env Rscript\nx = 1", "r"),
    ("#!/usr/local/bin/Rscript --vanilla\nx = 1", "r"),
    ("#!/usr/bin/env python3\nconsole = 1", "python"),
    ("#!/bin/bash\nprint() { true; }\nprint x", "bash"),
    ("x <- c(1, 2, 3)\nmean(x)", "r"),
    ("library(stats)\nx <- rnorm(3)", "r"),
    ("#!/bin/bash\r\n#\r\n", "bash"),
    ("#!/no/such/interpreter\nprint(1)", "python"),
]

# (--lang, language)
HINTS = [
    ("python", "python"),
    ("py", "python"),
    ("python3", "python"),
    ("Python", "python"),
    ("PY", "python"),
    ("tool_code", "python"),
    ("javascript", "javascript"),
    ("js", "javascript"),
    ("node", "javascript"),
    ("JavaScript", "javascript"),
    ("r", "r"),
    ("R", "r"),
    ("rscript", "r"),
    ("bash", "bash"),
    ("shell", "bash"),
    ("sh", "sh"),
    ("posix", "sh"),
]

# (file name, text, language): an extension comes before the text, but a .sh may say.
FILES = [
    ("a.py", "echo = 1", "python"),
    ("a.pyw", "x = 1", "python"),
    ("A.PY", "x = 1", "python"),
    ("a.js", "var print = 1", "javascript"),
    ("a.cjs", "require('fs')", "javascript"),
    ("a.mjs", "import 'fs'; var def = 1", "javascript"),
    ("a.r", "print(1)", "r"),
    ("a.R", "print(1)", "r"),
    ("a.bash", "true # import x", "bash"),
    ("a.sh", "true", "bash"),
    ("b.sh", "#!/bin/sh\ntrue", "sh"),
    ("c.sh", "#!/usr/bin/env bash\ntrue", "bash"),
    ("a.py.sh", "true", "bash"),
    ("a.txt", "print(1)", "python"),
    ("a.unknown", "echo hello", "bash"),
    ("py", "echo hello", "bash"),
    (".py", "x = 1", "python"),
    ("archive.tar.py", "x = 1", "python"),
    ("b.py", "#!/bin/sh\nx = 1", "python"),
]


def language_of(t, *args, **how):
    done = t.run("--json", "--timeout", "20s", *args, **how)
    try:
        return done.json["language"], done
    except ValueError:
        return None, done


def test_by_content(t):
    for text, want in CONTENT:
        got, done = language_of(t, "-c", text)
        t.equal(got, want, "%r" % text, done)
        if got == want:
            t.ok(done.json["success"], "%r runs" % text, done)


def test_by_hint(t):
    text = {"python": "x = 1", "javascript": "var x", "r": "x = 1", "bash": "true", "sh": "true"}
    for hint, want in HINTS:
        got, done = language_of(t, "--lang", hint, "-c", text[want])
        t.equal(got, want, "--lang " + hint, done)
    got, done = language_of(t, "--lang", "auto", "-c", "echo hi")
    t.equal(got, "bash", "--lang auto looks at the text", done)
    t.write("x.py", "echo shell")
    got, done = language_of(t, "--lang", "sh", "x.py")
    t.equal((got, done.json["stdout"]), ("sh", "shell\n"), "a hint comes before the extension")
    for wrong in ("cobol", "", "pythn", "../python", "a" * 300):
        t.refused(
            t.run("--lang", wrong, "-c", "1"), 2, "language", "--lang %.20r is refused" % wrong
        )


def test_by_file(t):
    for name, text, want in FILES:
        t.write(name, text)
        got, done = language_of(t, name)
        t.equal(got, want, "%s with %r" % (name, text), done)
        t.ok(done.json["success"], "%s runs" % name, done)


def test_runs_as(t):
    programs = {
        "python": ("import sys; print(sys.version_info[0])", b"3\n"),
        "javascript": ("console.log(typeof require, [1, 2].at(-1))", b"function 2\n"),
        "bash": ('a=(x y); echo "${a[1]} ${BASH_VERSION:+bash}"', b"y bash\n"),
        "sh": ('echo "${BASH_VERSION:-no bash}"', b"no bash\n"),
        "r": ("cat(sum(1:10), exists('R.version'), '\\n')", b"55 TRUE \n"),
    }
    for lang, (code, out) in programs.items():
        t.exits(t.run("--lang", lang, "-c", code, timeout=60), 0, lang + " it is", out)
    t.exits(
        t.run("-c", "import { sep } from 'node:path';\nconsole.log(sep, await Promise.resolve(1))"),
        0,
        "a module of JavaScript by its import",
        b"/ 1\n",
    )
    t.exits(
        t.run("--lang", "js", "-c", "const p = require('path'); console.log(p.sep)"),
        0,
        "require",
        b"/\n",
    )
    t.exits(t.run("--lang", "js", "-c", "process.exit(3)"), 3, "exit of JavaScript", b"")
    t.exits(t.run("--lang", "r", "-c", "quit(status = 4)", timeout=60), 4, "exit of R", b"")
    t.exits(t.run("--lang", "sh", "-c", "exit 5"), 5, "exit of sh", b"")
    t.exits(t.run("--lang", "bash", "-c", "set -e; false; echo never"), 1, "set -e", b"")
    for lang, code in (
        ("js", "throw new Error('x')"),
        ("r", "stop('x')"),
        ("bash", "no_such_command"),
    ):
        done = t.run("--lang", lang, "-c", code, timeout=60)
        t.ok(done.code not in (0, 125) and done.err, "an error of " + lang, done)


def test_own_language(t):
    t.config(
        "[language.perl]\ncommand = perl\nextension = .pl\nargs = [\"-w\", \"{file}\"]\naliases = [pl, camel]\n"
    )
    t.write("x.pl", 'print "perl $^W @ARGV\\n";')
    t.exits(t.run("x.pl", "--", "a"), 0, "by its extension", b"perl 1 a\n")
    for name in ("perl", "pl", "camel", "PERL"):
        t.exits(t.run("--lang", name, "-c", 'print "p\\n"'), 0, "--lang " + name, b"p\n")
    t.exits(
        t.run("-", stdin=b"#!/usr/bin/env perl\nprint qq(she\\n)"), 0, "by its first line", b"she\n"
    )
    t.exits(
        t.run("-c", "#!/usr/bin/perl5.36 -w\nprint 5"), 0, "by its first line, with a version", b"5"
    )
    got, done = language_of(t, "--lang", "perl", "-c", "1")
    t.equal(got, "perl", "its name in the result", done)
    t.match(b"perl +present", t.box("doctor", "--all", timeout=60).out, "doctor tries it")

    t.config(
        "[language.tool]\ncommand = [no-such-tool, %s]\n"
        % t.write("bin/tool", "#!/bin/sh\necho tool; cat $1\n", 0o755)
    )
    t.exits(
        t.run("--lang", "tool", "-c", "the text"),
        0,
        "the second command; {file} is what it is called with",
        b"tool\nthe text",
    )
    t.config("[language.cat]\ncommand = cat\nextension = txt\n")
    t.write("y.txt", "plain\n")
    t.exits(t.run("y.txt"), 0, "an extension may be given without its dot", b"plain\n")
    t.config("[language.python]\nargs = [\"-S\", \"{file}\"]\n")
    t.exits(
        t.run("-c", "import sys; print(sys.flags.no_site)"),
        0,
        "other arguments for a language we know",
        b"1\n",
    )


def test_own_language_wrong(t):
    cases = [
        ("[language.x]\n", None, None),
        ("[language.x]\nextension = .x\n", 2, "needs a command"),
        ("[language.x]\ncommand = cat\ncolour = red\n", 2, ":3: .*has no 'colour'"),
        ("[language.]\ncommand = cat\n", 2, ":[12]: "),
        ("[languages.x]\ncommand = cat\n", 2, r":2: there is no section \[languages.x\]"),
        ("[language.x]\ncommand = []\n", 2, "needs a command"),
        ("[language.x]\ncommand = cat\nargs = [\"{flie}\"]\n", 2, "{file}"),
    ]
    for text, code, pattern in cases:
        t.config(text)
        done = t.run("-c", "print(1)")
        if code is None:
            t.exits(done, 0, "an empty section is nothing", b"1\n")
        else:
            t.refused(done, code, pattern, "%r" % text)
    t.config("[language.x]\ncommand = no-such-interpreter-anywhere\n")
    t.refused(
        t.run("--lang", "x", "-c", "1"),
        125,
        "no x on this machine .*no-such-interpreter",
        "a command that is not there",
    )
