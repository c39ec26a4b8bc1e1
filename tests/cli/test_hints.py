# SPDX-License-Identifier: Apache-2.0
"""What a person at a terminal reads beside a program's output."""

import os
import pty

from box import once
from test_daemon_run import Daemon
from test_interpreter import make_venv


def on_terminal(t, *args, env=None):
    """Standard error of a run whose standard error is a terminal."""
    master, slave = pty.openpty()
    p = t.start("run", *args, stderr=slave, env=env)
    os.close(slave)
    text = b""
    while True:
        try:
            more = os.read(master, 65536)
        except OSError:
            break
        if not more:
            break
        text += more
    p.stdout.close()
    p.wait()
    os.close(master)
    return text.decode("utf-8", "replace").replace("\r\n", "\n")


@once
def test_hints(t):
    with Daemon(t) as d:
        for name, how in (("here", {}), ("from a daemon", {"env": d.env})):
            said = on_terminal(t, "-c", "import nosuchmod", **how)
            t.match(r"\nglovebox: hint: Module 'nosuchmod' is not installed", said, "advice after a failure, " + name)
            t.equal(said.count("hint:"), 1, "one line of it", said)
            said = on_terminal(t, "-c", "for c in 'abcd': open(c, 'w').close()", **how)
            t.equal(said, "glovebox: not kept: a, b, c and 1 more (--out DIR keeps new files)\n", "lost files, " + name)
    t.equal(on_terminal(t, "--out", "results", "-c", "open('a', 'w').close()"), "", "with --out nothing is lost")
    t.equal(on_terminal(t, "-q", "-c", "open('a', 'w').close()"), "", "-q hides it")
    t.ok("hint:" not in on_terminal(t, "-q", "-c", "1 / 0"), "and the advice")
    t.ok("hint:" not in on_terminal(t, "--json", "-c", "1 / 0"), "--json has it inside")
    for name, script in (("a", "if true; then\r\n echo a\r\nfi\r\n"), ("b", "echo a\r\nls\r\n")):
        t.write(name + ".sh", script)
        for language in ("bash", "sh"):
            said = on_terminal(t, "--lang", language, name + ".sh")
            t.match(r"hint: The script has the line ends of Windows", said, "line ends: %s in %s" % (name, language))
    said = on_terminal(t, "--lang", "js", "-c", "prompt('a')")
    if "not installed" not in said and "on this machine" not in said:
        t.match(r"hint: prompt\(\) is a function of browsers", said, "prompt() in JavaScript")
    said = on_terminal(t, "-c", "import only_in_venv")
    t.match(r"hint: Module 'only_in_venv' is not installed", said, "a module that is nowhere")
    make_venv(t, t.path("here", ".venv"))
    said = on_terminal(t, "-c", "import only_in_venv")
    t.match(r"hint: another Python has 'only_in_venv': --python .venv uses it\n$", said, "that another environment has")
    t.equal(said.count("hint:"), 1, "one line of it, too", said)
    for name in "../only_in_venv", "*", "only_in_venv.more":
        said = on_terminal(t, "-c", "raise ModuleNotFoundError(\"No module named %r\")" % name)
        t.ok("another Python" not in said, "not for " + name, said)
    t.write("d.sh", "echo a\nif\n")
    t.ok("Windows" not in on_terminal(t, "d.sh"), "not for other scripts")


HINTS = [
    ("import numpy_is_missing", r"hint: Module 'numpy_is_missing' is not installed.*--pip"),
    ("import urllib.request as u\nu.urlopen('http://a.example')", r"hint: There is no network inside.*--net=api"),
    ("from typing import Nope", r"hint: Module typing has no 'Nope' in this version.*--python names another"),
    ("import msvcrt", r"hint: Module 'msvcrt' is not in the library of this Python.*--python names another"),
    ("import urllib2", r"hint: Module 'urllib2' is of Python 2; in Python 3 it is urllib.request"),
    ("open('a', 'w').close()", r"glovebox: not kept: a \(--out DIR keeps new files\)"),
]


def test_without_terminal(t):
    """An agent, a CI job and a pipe get the same line as a person."""
    for code, words in HINTS:
        done = t.run("--no-daemon", "-c", code)
        last = done.err.decode().splitlines()[-1]
        t.match(words, last, "no terminal: %r" % code[:40])
        t.equal(done.err.decode().count("hint:") + done.err.decode().count("not kept:"), 1, "one line of it", done)
        for how, env in ((("-q",), {}), (("--json",), {}), (("--events",), {}), ((), {"GLOVEBOX_HINTS": "0"})):
            err = t.run("--no-daemon", *how, "-c", code, env=env).err
            t.ok(b"hint:" not in err and b"not kept" not in err, "not with %s" % (" ".join(how) or "GLOVEBOX_HINTS=0"), err)
    for word in ("no", "FALSE", "off", "Off"):
        t.ok(b"hint" not in t.run("-c", "1 / 0", env={"GLOVEBOX_HINTS": word}).err, "GLOVEBOX_HINTS=" + word)
    odd = t.run("-c", "1 / 0", env={"GLOVEBOX_HINTS": "x\x1b"}).err
    t.ok(odd.count(b"GLOVEBOX_HINTS is 'x") == 1 and b"; write 0 or 1" in odd and b"\x1b" not in odd and b"hint: The divisor" in odd, "another word", odd)
    t.match(b"did you mean GLOVEBOX_HINTS", t.run("-c", "1", env={"GLOVEBOX_HINT": "0"}).err, "a misspelt name")
    t.match(b"hint: The divisor", t.run("-c", "1 / 0", env={"GLOVEBOX_HINTS": "1"}).err, "GLOVEBOX_HINTS=1 is the default")
    t.write("own.py", "class Own(Exception): pass\nraise Own('x')\n")
    t.ok(b"hint" not in t.run("own.py").err, "an unknown error is not said twice")
    err = t.run("--net", "host", "-c", "import socket; socket.create_connection(('127.0.0.1', 9), 2)").err
    t.ok(b"Connection refused" in err and b"no network" not in err, "with a network, its absence is no reason", err)
    err = t.run("--timeout", "500ms", "-c", "while True: pass").err
    t.ok(b"--timeout" in err and b"hint" not in err, "the line about a limit has its option", err)
    err = t.run("--net", "host", "-c", "import aiohttp_is_missing").err
    t.match(b"hint: Module", err, "a missing module, with a network")


def test_other_version(t):
    """Syntax that the program's Python does not have, and a newer one does."""
    code = "def f[T](x: T) -> T: return x\nprint(f(1))"
    done = t.box("check", "--target", "3.11", "-c", code)
    t.match(rb"hint: Python 3\.12 has this syntax, and 3\.11 does not; --python names another version", done.out, "check")
    doc = t.box("check", "--json", "--target", "3.11", "-c", "x = = 1").json
    t.ok("3.12" not in str(doc), "not for what no Python reads", doc)


def test_of_tests(t):
    t.write("f.py", "def f(x):\n    import numpy_is_missing\n    return x\n")
    t.write("cases.json", '[{"args": [1], "expected": 1}]')
    done = t.box("test", "--func", "f", "--cases", "cases.json", "f.py")
    t.match(b"^glovebox: hint: Module 'numpy_is_missing' is not installed.*\n$", done.err, "a test has one, too")
    t.equal(t.box("test", "-q", "--func", "f", "--cases", "cases.json", "f.py").err, b"", "and none with -q")
    t.write("g.py", "def f(x): return x + 1\n")
    t.equal(t.box("test", "--func", "f", "--cases", "cases.json", "g.py").err, b"", "none for a wrong answer")
