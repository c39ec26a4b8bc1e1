# SPDX-License-Identifier: Apache-2.0
"""What to run: a file, -c, standard input; and what the program is called with."""

import json
import os
import subprocess

SHOW = "import sys, json; print(json.dumps([a.encode('utf-8', 'surrogateescape').hex() for a in sys.argv[1:]]))"


def test_file(t):
    t.write("hello.py", "print('hello')")
    t.exits(t.run("hello.py"), 0, "a file in this folder", b"hello\n")
    t.exits(t.run(t.path("here/hello.py")), 0, "a file by its whole path", b"hello\n")
    t.write("deep/er/x.py", "print(__file__)")
    t.exits(t.run("deep/er/x.py"), 0, "a file keeps its name, not its folder", b"/box/work/x.py\n")
    t.exits(t.run("./deep/../hello.py"), 0, "a path with dots", b"hello\n")
    os.symlink("hello.py", t.path("here/link.py"))
    t.exits(t.run("link.py"), 0, "a symbolic link to a file", b"hello\n")
    t.write("-x.py", "print('dash')")
    t.exits(t.run("./-x.py"), 0, "a name with a dash", b"dash\n")
    t.write("no_extension", "#!/bin/sh\necho shell $0\n")
    t.exits(
        t.run("no_extension"), 0, "a file without an extension", b"shell /box/work/no_extension\n"
    )


def test_odd_names(t):
    for name in (
        b"with space.py",
        b"new\nline.py",
        b"bytes\xff\xfe.py",
        "日本.py".encode(),
        b"%s%n.py",
        b"a:b.py",
        b".hidden.py",
        b"x" * 250 + b".py",
        b"..py",
        b"~.py",
        b"$(id).py",
        b"a\\b.py",
        b"tab\t.py",
    ):
        t.write(name, b"import sys, os; print(os.fsencode(os.path.basename(sys.argv[0])).hex())")
        t.exits(
            t.run(os.path.join(b".", name)),
            0,
            "a file called %r" % name[:20],
            name.hex().encode() + b"\n",
        )


def test_code(t):
    t.exits(t.run("-c", "print(1)"), 0, "-c CODE", b"1\n")
    t.exits(t.run("--code", "print(1)"), 0, "--code CODE", b"1\n")
    t.exits(t.run("--code=print(1)"), 0, "--code=CODE", b"1\n")
    t.exits(t.run("-cprint(1)"), 0, "-cCODE", b"1\n")
    t.exits(t.run("-c", ""), 0, "an empty program", b"")
    t.exits(t.run("-c", "-"), 126, "a dash is a program too, which does not compile")
    t.exits(t.run("-c", "--help"), 1, "what looks like an option is the value of -c")
    t.exits(
        t.run("-c", "print('''it's \"quoted\" $HOME `id` \\\\ %s''')"),
        0,
        "quotes survive",
        b"it's \"quoted\" $HOME `id` \\ %s\n",
    )
    t.exits(t.run("-c", b"print('caf\xc3\xa9')"), 0, "-c with UTF-8", "café\n".encode())
    t.exits(
        t.run("-c", b"# -*- coding: latin-1 -*-\nprint('caf\xe9')"),
        0,
        "-c with other bytes",
        "café\n".encode(),
    )
    t.exits(t.run("-c", "x = 1\n" * 15000 + "print(x)"), 0, "-c with 90 kB", b"1\n")


def test_standard_input(t):
    t.exits(t.run("-", stdin=b"print('from stdin')"), 0, "- reads the program", b"from stdin\n")
    t.exits(
        t.run(stdin=b"print('from a pipe')"),
        0,
        "nothing named: a pipe is the program",
        b"from a pipe\n",
    )
    t.exits(t.run("-", stdin=b""), 0, "an empty standard input", b"")
    t.exits(
        t.run("-", "--", "a", stdin=b"import sys; print(sys.argv)"),
        0,
        "with arguments",
        b"['/box/work/main.py', 'a']\n",
    )
    t.exits(t.run("-", stdin=b"print(repr(input()))"), 1, "the program's own input is empty then")
    t.exits(
        t.run("-", "--stdin", t.write("in.txt", "data\n"), stdin=b"print(input())"),
        0,
        "--stdin beside a program from a pipe",
        b"data\n",
    )
    t.exits(
        t.run("-", stdin=b"x = 1\n" * 200000 + b"print('end')"), 0, "1.2 MB of program", b"end\n"
    )
    with open("/dev/null") as null:
        t.exits(t.run(stdin=null), 0, "nothing named, /dev/null: an empty program", b"")


def test_arguments(t):
    odd = [
        b"",
        b" ",
        b"a b",
        b"-x",
        b"--",
        b"--help",
        b"-c",
        b"--memory=1",
        b"\xff\xfe",
        b"new\nline",
        b"'\"\\$`",
        "日本".encode(),
        b"*",
        b"%s%n",
        b"=",
        b"x" * 100000,
    ]
    done = t.run("-c", SHOW, "--", *odd)
    if t.ok(done.code == 0, "odd arguments are taken", done):
        t.equal(
            [bytes.fromhex(a) for a in json.loads(done.out)],
            odd,
            "every byte of every argument arrives",
        )
    t.exits(t.run("-c", SHOW), 0, "no arguments", b"[]\n")
    t.exits(t.run("-c", SHOW, "--"), 0, "none after --", b"[]\n")
    many = ["x%d" % i for i in range(5000)]
    done = t.run("-c", "import sys; print(len(sys.argv))", "--", *many)
    t.exits(done, 0, "5000 arguments", b"5001\n")
    for lang, code in (
        ("sh", 'for a; do printf "<%s>" "$a"; done'),
        ("bash", 'printf "<%s>" "$@"'),
        ("js", 'process.stdout.write(process.argv.slice(2).map(a => `<${a}>`).join(""))'),
        ("r", 'cat(paste0("<", commandArgs(TRUE), ">"), sep = "")'),
    ):
        done = t.run("--lang", lang, "-c", code, "--", "a b", "-x", "--y", "'", timeout=60)
        t.exits(done, 0, "arguments of " + lang, b"<a b><-x><--y><'>")
    t.exits(
        t.run("--lang", "sh", "-c", "echo $0 $#", "--", ""),
        0,
        "an empty argument counts",
        b"/box/work/main.sh 1\n",
    )


def test_pipelines(t):
    script = 'printf "b\\na\\n" | "$G" run -c "import sys; print(*sorted(sys.stdin), sep=\'\', end=\'\')" | cat -n'
    done = t.command(["sh", "-c", script], env={"G": t.glovebox})
    t.exits(done, 0, "in the middle of a pipeline", b"     1\ta\n     2\tb\n")
    done = t.command(
        ["sh", "-c", '"$G" run -c "print(open(0).read())" < "$F"'],
        env={"G": t.glovebox, "F": t.write("data", "from a file")},
    )
    t.exits(done, 0, "standard input from a file", b"from a file\n")
    done = t.command(
        [
            "sh",
            "-c",
            '"$G" run -c "import sys; print(1); sys.stderr.write(\'e\')" > o 2> e; cat e o',
        ],
        env={"G": t.glovebox},
    )
    t.exits(done, 0, "both outputs into files", b"e1\n")
    done = t.command(
        [
            "sh",
            "-c",
            '"$G" run -c "print(1)" <&- ; "$G" run -c "print(2)" >&- ; "$G" run -c "print(3)" 2>&-',
        ],
        env={"G": t.glovebox},
    )
    t.match(rb"^1\n(.*\n)?3\n$", done.out, "with each of the three streams closed")
    for lang, code in (
        ("python", "import sys; print(sys.stdin.read())"),
        ("sh", "cat; echo"),
        ("bash", "cat; echo"),
        (
            "js",
            "process.stdin.on('data', d => process.stdout.write(d)).on('end', () => console.log())",
        ),
        ("r", "cat(readLines('stdin', warn = FALSE)); cat('\\n')"),
    ):
        t.exits(
            t.run("--lang", lang, "-c", code, stdin=b"data", timeout=60),
            0,
            "standard input of " + lang,
            b"data\n",
        )


def test_large_stdin(t):
    data = os.urandom(1 << 20) * 5
    code = "import sys, hashlib; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())"
    import hashlib

    t.exits(
        t.run("-c", code, stdin=data),
        0,
        "5 MiB of standard input",
        hashlib.sha256(data).hexdigest().encode() + b"\n",
    )
    t.exits(
        t.run("-c", "print('not read')", stdin=data), 0, "input that nobody reads", b"not read\n"
    )
    t.exits(
        t.run("-c", "import os; os.close(0); print('closed')", stdin=data),
        0,
        "input that is closed",
        b"closed\n",
    )
    p = t.start("run", "-c", "print(input())", stdin=subprocess.PIPE)
    p.stdin.write(b"one line\n")
    p.stdin.flush()
    out = p.stdout.read()
    t.equal((p.wait(10), out), (0, b"one line\n"), "ends while its input stays open")
    for stream in (p.stdin, p.stdout, p.stderr):
        stream.close()
