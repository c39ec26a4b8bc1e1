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
    r = t.run("-c", "open('a', 'w').close(); 1 / 0")
    t.ok(b"glovebox: hint" not in r.err and b"not kept" not in r.err, "no terminal, no hints", r)
