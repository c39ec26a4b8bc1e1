# SPDX-License-Identifier: Apache-2.0
"""The line editor of `glovebox repl`, on a terminal that can move its cursor."""

import os
import re
import select
import subprocess
import time

from box import once
from test_daemon_run import Daemon
from test_repl import Terminal

UP, LEFT, HOME = "\x1b[A", "\x1b[D", "\x1b[H"


class Editor(Terminal):
    def __init__(self, t, *args, env=None):
        super().__init__(t, "--quiet", *args, env=dict({"TERM": "xterm"}, **(env or {})))
        self.begin = self.read(r">>> ")
        self.asks = "\x1b[?2004h" in self.raw

    def read(self, pattern, seconds=20):
        """As a reader sees it, without what moves the cursor and switches modes."""
        self.raw, text, until = "", "", time.monotonic() + seconds
        while not re.search(pattern, text, re.S) and time.monotonic() < until:
            if select.select([self.master], [], [], 0.1)[0]:
                try:
                    self.raw += os.read(self.master, 65536).decode("utf-8", "replace")
                except OSError:
                    break
            text = re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", self.raw)
        return text

    def enter(self, text, pattern):
        """Types it and Enter; all that comes until the pattern and a new prompt."""
        self.type(text + "\r")
        return self.read(pattern + r".*>>> ")


def leave(t, term, name="Ctrl-D"):
    term.type("\x03")
    term.read(">>> ", 3)
    for _ in range(5):  # a key that is pressed while the editor handles Ctrl-C may be lost
        term.type("\x04")
        try:
            term.p.wait(4)
            break
        except subprocess.TimeoutExpired:
            pass
    t.equal(term.end(), 0, name + " ends it")


@once
def test_editing(t):
    term = Editor(t)
    t.ok(term.asks, "pastes are asked for in brackets", term.begin)
    t.match(r"\r\n42\r\n", term.enter("6 * 7", "\r\n42\r\n"), "a value")
    t.match(r"\r\n13\r\n", term.enter("+ 1" + HOME + "12 ", "\r\n13\r\n"), "Home")
    t.match(r"\r\n123\r\n", term.enter("13" + LEFT + "2", "\r\n123\r\n"), "an arrow")
    t.match(r"\r\n123\r\n", term.enter(UP, "\r\n123\r\n"), "Up has the last line")
    t.match(r"\r\n42\r\n", term.enter("\x12" + "6 *" , "\r\n42\r\n"), "Ctrl-R searches")
    t.match("\r\n'h\u00fc\u2713'\r\n", term.enter("'h\u00fc\u2713'", "\r\n'h\u00fc\u2713'\r\n"), "letters of any kind")
    term.type("def f(n):\r")
    term.type("return n + 1\r\r")
    term.read(r"\+ 1.*>>> ")
    t.match(r"\r\n8\r\n", term.enter("f(7)", "\r\n8\r\n"), "a block, indented for one")
    t.match(r"\r\n9\r\n", term.enter(UP + UP + "\r\r" + "f(8)", "\r\n9\r\n"), "and again from the history")
    term.type("half a line")
    term.read("half a line")  # the terminal throws away what was not read before Ctrl-C
    term.type("\x03")
    term.read(r"\r\n.*>>> ")
    t.match(r"\r\n5\r\n", term.enter("5", "\r\n5\r\n"), "Ctrl-C drops a line")
    leave(t, term)
    again = Editor(t)
    t.match(r"\r\n5\r\n", again.enter(UP, "\r\n5\r\n"), "the history outlives the prompt")
    t.match(r"def f\(n\):\r\n", again.enter("\x12def\r", "def f"), "cells of several lines, too")
    leave(t, again)


@once
def test_continuation(t):
    """Lines after the first have a prompt, which is no part of the cell."""
    term = Editor(t)
    t.ok("\x1b[1;32m>>>" in term.raw, "the prompt has a colour", term.raw)
    term.type("def f(n):\r")
    t.match(r"f\(n\):\s+\.\.\.", term.read(r"\.\.\."), "an open block")
    term.type('return """\r')
    term.read(r'""".*\.\.\.')
    term.type('x""" + n\r\r')
    term.read(r"n.*>>> ")
    t.match(r"\r\n'\\n    xq'\r\n", term.enter("f('q')", r"q'\r\n"), "is what was typed, indented")
    term.type("(1,\r")
    term.read(r"\.\.\.")
    t.match(r"\r\n\(12, 3\)\r\n", term.enter("\x7f\x7f2,\r3)", r"12, 3\)\r\n"), "Backspace joins two lines")
    term.type("(4,\r5)")
    term.read(r"\.\.\. 5\)")
    t.match(r"\r\n\(46, 75\)\r\n", term.enter(LEFT * 2 + "7" + LEFT * 3 + "6", r"46, 75\)\r\n"), "arrows step over it")
    t.match(r"\r\n\[Ellipsis, 8\]\r\n", term.enter("\x1b[200~[\r... , 8]\x1b[201~", r"8\]\r\n"), "three dots of the cell stay")
    leave(t, term)
    for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        plain = Editor(t, env=variables)
        t.ok("\x1b[1;32m" not in plain.raw and ">>> " in plain.raw, "no colours with %s" % variables, plain.raw)
        leave(t, plain)


@once
def test_modules(t):
    t.write("my_own_module.py", "my_name = 5")
    term = Editor(t, "--file", "my_own_module.py")
    t.match(r"\r\n'3", term.enter("import platf\t; platform.python_version()", r"\r\n'3"), "a module")
    t.match(r"\r\n5\r\n", term.enter("from my_own_m\t import my_name; my_name", r"\r\n5\r\n"), "one of the workspace")
    t.match(r"\r\n5\r\n", term.enter("from my_own_module import my_na\t as x; x", r"\r\n5\r\n"), "a name in a module that is loaded")
    t.match(r"\r\nTrue\r\n", term.enter("import os, email.mime.t\t; 'email.mime.text' in __import__('sys').modules", r"\r\nTrue\r\n"), "a module of a package")
    term.type("import ma\t")
    found = term.read(r"mailbox.*math.*>>> ")
    t.ok("mailbox" in found and "marshal" in found and " map" not in found, "modules alone", found)
    term.type("\x15")
    t.match(r"\r\nFalse\r\n", term.enter("'xml' in __import__('sys').modules", r"\r\n(True|False)\r\n"), "nothing is imported for it")
    term.type("import xml.s\t")
    term.read(r"xml\.sax")
    term.type("\x15")
    t.match(r"\r\nFalse\r\n", term.enter("'xml' in __import__('sys').modules", r"\r\n(True|False)\r\n"), "... nor a package for what is in it")
    leave(t, term)
    with Daemon(t) as d:
        there = Editor(t, "--daemon", "unix:" + d.socket)
        t.match(r"\r\n'3", there.enter("import platf\t; platform.python_version()", r"\r\n'3"), "in a daemon's session")
        leave(t, there)


@once
def test_paste(t):
    term = Editor(t)
    code = "def g():\n    a = 1\n\n    b = 2\n\n    return a + b\n\ng()\n"
    t.match(r"\r\n3\r\n", term.enter("\x1b[200~" + code.replace("\n", "\r") + "\x1b[201~", "\r\n3\r\n"), "is one cell")
    leave(t, term)


@once
def test_completion(t):
    t.write("table.csv", "1")
    term = Editor(t, "--file", "table.csv")
    term.enter("import os.path as where", r"\n")
    t.match(r"\r\nTrue\r\n", term.enter("where.isab\t('/')", "\r\nTrue\r\n"), "an attribute")
    term.enter("rather_long = 77", r"\n")
    t.match(r"\r\n77\r\n", term.enter("rather\t", "\r\n77\r\n"), "a variable")
    t.match(r"\r\n'1'\r\n", term.enter("open('tab\t').read()", "\r\n'1'\r\n"), "a file in quotes")
    term.type("where.is\t")
    t.match(r"where\.isabs .*where\.isfile", term.read("where.isfile.*>>> "), "several are listed")
    term.type("\x15")
    t.match(r"\r\n +1  table.csv\r\n", term.enter(":fil\t", "csv"), "a command")
    leave(t, term)
    for language, begin, ask, want in (("bash", "longer=5", "echo $longe\t", "5"),
                                       ("javascript", "let longer = 6", "longe\t", "6"),
                                       ("r", "longer.name <- 7", "longer.\t", r"\[1\] 7")):
        other = Editor(t, "--lang", language)
        if ">>> " not in other.begin:
            t.skip("in " + language, "no %s here" % language)
            other.end()
            continue
        other.enter(begin, r"\n")
        t.match(r"\r\n%s\r\n" % want, other.enter(ask, "\r\n%s\r\n" % want), "in " + language)
        leave(t, other, language)
    with Daemon(t) as d:
        there = Editor(t, "--daemon", "unix:" + d.socket)
        there.enter("rather_long = 78", r"\n")
        t.match(r"\r\n78\r\n", there.enter("rather\t", "\r\n78\r\n"), "in a daemon's session")
        leave(t, there)


@once
def test_blocks(t):
    """Cells of several lines, on a terminal without an editor."""
    for language, lines, want in (
            ("bash", ("for i in 1 2; do", "echo $i", "", "done"), "1\r\n2\r\n"),
            ("bash", ("if true", "then echo a", "else echo b", "fi"), "a\r\n"),
            ("bash", ("cat <<X", "if", "X"), "if\r\n"),
            ("bash", ("case a in", "a) echo 'it''s'", ";;", "esac"), "its\r\n"),
            ("bash", ("f() {", "echo \"in", "two\"", "}; f"), "in\r\ntwo\r\n"),
            ("bash", ("true &&", "echo yes"), "yes\r\n"),
            ("javascript", ("[1,", "2].map(x => {", "  return x + '{'", "}).join()"), "'1{,2{'\r\n"),
            ("javascript", ("`a", "b`.length"), "3\r\n"),
            ("r", ("x <- 1 +", "2; x"), "[1] 3\r\n"),
            ("r", ("f <- function(a) {", "  '('", "}; f(1)"), '[1] "("\r\n')):
        term = Terminal(t, "--lang", language, "--quiet")
        if ">>> " not in term.read(r">>> $|\n"):
            t.skip(lines[0], "no %s here" % language)
            term.end()
            continue
        said = "".join(term.ask(line + "\n", r"(\.\.\.|>>>) $", 20) for line in lines)
        t.equal(said, "... " * (len(lines) - 1) + want + ">>> ", "%s: %s" % (language, lines[0]))
        term.type("\x04")
        term.end()
