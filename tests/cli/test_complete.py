# SPDX-License-Identifier: Apache-2.0
"""Completion: what is offered, and that bash, zsh and fish insert it when Tab is pressed."""

import fcntl
import os
import re
import select
import shutil
import signal
import subprocess
import termios
import time

from box import once
from test_daemon_run import Daemon
from test_help import COMMANDS, TOPICS

PATIENCE = 120


def offered(t, *words, **how):
    done = t.box("help", "--complete", "--", *words, **how)
    return [line.split("\t")[0] for line in done.out.decode().splitlines()]


@once
def test_words(t):
    t.equal(sorted(offered(t, "")), sorted(COMMANDS), "commands")
    t.equal(offered(t, "--v"), ["--version"], "options without a command")
    t.ok(set(COMMANDS + TOPICS) <= set(offered(t, "help", "")), "topics", offered(t, "help", ""))
    t.ok({"--timeout", "--json"} <= set(offered(t, "run", "--")), "options", offered(t, "run", "--"))
    t.equal(offered(t, "run", "--ne"), ["--net"], "those that begin so")
    for words, want in (
            (["run", "--net", ""], ["none", "allow:", "host"]), (["run", "--net=h"], ["--net=host"]),
            (["run", "-b", ""], ["jail", "host", "docker", "e2b"]), (["repl", "--lang", "pyth"], ["python"]),
            (["run", "--require", "landl"], ["landlock"]), (["test", "--without=ipc"], ["--without=ipcns"]),
            (["run", "-p", "stri"], ["strict", ":files"]), (["run", "--file", ""], [":files"]),
            (["run", "--out", "x"], [":dirs"]), (["run", ""], [":files"]), (["run", "--timeout", ""], []),
            (["run", "--timeout", "5s", "a"], [":files"]), (["run", "x.py", "--", "--ne"], [":files"]),
            (["math", ""], []), (["generate", "--provider", "o"], ["openai", "ollama"]), (["context", "re"], ["reset"]), (["context", "show", ""], [":files"]),
            (["session", "ex"], ["exec"]), (["session", "exec", "x", ""], [":files"]),
            (["session", "close", "--m"], []), (["session", "new", "--mem"], ["--memory"]),
            (["log", "sho"], ["show"]), (["log", "stats", ""], []), (["nonsense", ""], []), (["serve", "--list"], ["--listen"])):
        t.equal(offered(t, *words), want, " ".join(words))
    shown = t.box("help", "--complete", "--", "run", "--backend").out.decode()
    t.ok("jail (" in shown and "{" not in shown, "a description has the names, not their mark", shown)
    t.config('[language.ruby]\ncommand = ["cat"]\n')
    t.equal(offered(t, "run", "-l", "rub"), ["ruby"], "a language of the user's own")
    t.config("nonsense\n")
    t.equal(offered(t, "run", "--net", ""), ["none", "allow:", "host"], "with a broken config file")
    t.equal(offered(t, "run", "--environment", "", env={"XDG_DATA_HOME": t.path("none")}), ["data", "auto"], "environments without any")
    t.equal(offered(t, "env", "show", "", env={"XDG_DATA_HOME": t.path("none")}), [], "no environment to show")
    t.refused(t.box("help", "--completion", "tcsh"), 2, "'tcsh' is not one of bash, zsh, fish", "another shell")
    t.equal(t.box("help", "--completion").out, t.box("help", "--completion", "bash").out, "bash is the default")


@once
def test_ids(t):
    t.equal(offered(t, "log", "show", ""), [], "no log")
    t.run("-c", "1")
    run = t.box("log", "--json").json["runs"][0]["id"]
    t.equal(offered(t, "log", "show", run[:20]), [run], "a run's id")
    t.equal(offered(t, "session", "close", ""), [], "no daemon")
    with Daemon(t) as d:
        new = t.box("session", "new", "--name", "mine", env=d.env).out.decode().strip()
        t.equal(offered(t, "session", "exec", "", env=d.env), [new, "mine"], "a session's id and name")
        t.equal(offered(t, "session", "exec", "mine", "", env=d.env), [":files"], "then a file")
        t.equal(offered(t, "repl", "--session", "mi", env=d.env), ["mine"], "--session")


class Shell:
    """An interactive shell in a terminal. `glovebox` prints its arguments there, except for
    completion, so that it shows what Tab made of a line."""

    def __init__(self, t, argv, ready):
        self.t = t
        bin = t.path("bin")
        os.makedirs(bin, exist_ok=True)
        t.write(os.path.join(bin, "glovebox"),
                '#!/bin/sh\n[ "$2" = --complete ] && exec %s "$@"\nprintf "GOT<%%s>\\n" "$*"\n' % t.glovebox, 0o755)
        self.master, slave = os.openpty()
        env = t.env({"TERM": "xterm", "PATH": bin + ":" + t.env()["PATH"], "PS1": "$ ", "COLUMNS": "200"})
        self.p = subprocess.Popen(argv, env=env, cwd=t.dir, stdin=slave, stdout=slave, stderr=slave,
                                  start_new_session=True,
                                  preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(slave)
        self.seen = b""
        self.good = self.line(ready + "; echo REA''DY", rb"READY\r?\n")

    def line(self, text, want):
        """Types it, presses Enter, and waits for what is wanted."""
        os.write(self.master, text.encode() + b"\r")
        deadline = time.monotonic() + PATIENCE
        while not re.search(want, self.seen):
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.master], [], [], left)[0]:
                return False
            try:
                data = os.read(self.master, 65536)
            except OSError:
                return False
            if b"\x1b[c" in data or b"\x1b[0c" in data:  # fish asks the terminal what it is
                os.write(self.master, b"\x1b[?62c")
            self.seen += data
        return True

    def close(self):
        os.killpg(self.p.pid, signal.SIGKILL)
        self.p.wait()
        os.close(self.master)


SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "source script.bash"),
    "zsh": (["zsh", "-f", "-i"], "autoload -Uz compinit; compinit -u -D; source ./script.zsh"),
    "fish": (["fish", "--no-config", "-i"], "source script.fish"),
}


@once
def test_shells(t):
    t.write("hello.py", "print(1)")
    t.write("data dir/x.csv", "1")
    t.run("-c", "1")
    run = t.box("log", "--json").json["runs"][0]["id"]
    cases = (("glovebox sess\tx", "session x"), ("glovebox run --ne\thost", "run --net host"),
             ("glovebox run --net h\tx", "run --net host x"), ("glovebox run --net=h\tx", "run --net=host x"),
             ("glovebox run hel\tx", "run hello.py x"), ("glovebox help contai\t", "help containers"),
             ("glovebox run --require landl\t", "run --require landlock"), ("glovebox log sho\t" + run[:22] + "\t", "log show " + run),
             ("glovebox run -p kode\t", "run -p kodeagent"), ("glovebox run --file=hel\t", "run --file=hello.py"),
             ("glovebox run -o data\t", "run -o data dir"))
    for name, (argv, ready) in SHELLS.items():
        t.write("script." + name, t.box("help", "--completion", name).out)
        if not shutil.which(name):
            t.skip(name, "no file %s" % name)
            continue
        shell = Shell(t, argv, ready)
        t.ok(shell.good, name + " reads its script", shell.seen)
        for typed, want in cases:
            shell.seen = b""
            # zsh takes the slash after a folder back.
            good = shell.line(typed, rb"GOT<%s/?>" % re.escape(want.encode()))
            t.ok(good, "%s: %s" % (name, typed.replace("\t", "<Tab>")), shell.seen)
            if not good:
                break
        shell.close()
