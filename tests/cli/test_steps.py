# SPDX-License-Identifier: Apache-2.0
"""tools/steps.py, which tools/check runs its steps with: what may run side by side does, and what may not never does."""

import os
import sys

from box import ROOT, once

PROGRAM = """
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, %r)
from steps import Runner, Step, closure, conflicts, shell_words
def sh(name, text, lane="wait", needs=(), **more):
    return Step(name, lane, needs, ["sh", "-c", text], **more)
def again(name, seeds):
    return shell_words({"MUST": "1", **seeds}, ["again", name])
def run(steps, apart={}, wait=2):
    runner = Runner(steps, {"work": 1, "wait": wait}, conflicts(apart), ".", again)
    print("good" if runner.run() else "bad", sorted(runner.failed), sorted(runner.totals.items()))
%s
"""
# Waits for the other's file: neither ends unless both run at once.
MEET = "touch %s; n=0; until [ -e %s ]; do n=$((n + 1)); [ $n -lt 3000 ] || exit 1; sleep 0.01; done"
# Fails when somebody else is at it.
HOLD = "mkdir lock && sleep 0.1 && rmdir lock"


def steps(t, text):
    return t.command([sys.executable, "-c", PROGRAM % (os.path.join(ROOT, "tools"), text)])


@once
def test_beside(t):
    done = steps(t, "run([sh('a', %r), sh('b', %r), sh('c', 'true')])" % (MEET % ("1", "2"), MEET % ("2", "1")))
    t.match(rb"^begins +a\nbegins +b\n(ok|begins +c\n).*good", done.out, "two that are independent run at once")
    done = steps(t, "run([sh('w', %r, 'work'), sh('a', %r)], wait=1)" % (MEET % ("3", "4"), MEET % ("4", "3")))
    t.match(rb"\ngood", done.out, "one of each lane runs at once")


@once
def test_apart(t):
    three = "[sh(n, %r) for n in 'abc']" % HOLD
    done = steps(t, "run(%s, {'a': (('b', 'c'), 'why'), 'b': (('c',), 'why')}, 3)" % three)
    t.match(rb"\ngood", done.out, "those that disturb each other are kept apart")
    done = steps(t, "run(%s, wait=1)" % three)
    t.match(rb"\ngood", done.out, "and so is what shares a lane for one")


@once
def test_needs(t):
    done = steps(t, "run([sh('a', 'true', needs=('b',)), sh('b', 'touch made', 'work'), sh('c', 'test -e made', needs=('b',))])")
    t.match(rb"^begins +b\nok [^\n]*\nbegins +a\nbegins +c\n.*good", done.out, "what is needed comes first")
    done = steps(t, "run([sh('b', 'false'), sh('a', 'true', needs=('b',)), sh('z', 'true', needs=('a',)), sh('c', 'true')])")
    t.match(rb"not run +a, which needs one that failed\nnot run +z[^\n]*\nbad \['b'\]", done.out, "without it, it does not run")
    done = steps(t, "print([s.name for s in closure([sh('a', ''), sh('b', '', needs=('a',)), sh('c', '')], ['b'])])")
    t.equal(done.out, b"['a', 'b']\n", "one that is named brings what it needs")


@once
def test_report(t):
    done = steps(t, "run([sh('a', 'echo ok 1; echo not ok 2 - x; echo seed 77; exit 1', seed=('SEED', 'seed (.*)'))])")
    t.match(rb"FAIL [^\n]* a [^\n]*\n    \| not ok 2 - x\n    \| seed 77\nagain alone:  MUST=1 SEED=77 again a\n", done.out,
            "what it said, and the command that repeats it")
    done = steps(t, "run([sh('a', 'echo 3 0 1 >> $TAP_TOTALS; echo 4 0 0 >> $TAP_TOTALS; echo skip it; echo no')])")
    t.match(rb"ok [^\n]* a [^\n]* 7 passed, 0 failed, 1 skipped\n       skip it\ngood \[\] \[\('a', \(7, 0, 1\)\)\]", done.out, "counts")
    done = steps(t, "run([sh('a', 'echo 3 0 1 >> $TAP_TOTALS; exit 1'), sh('b', 'exit 2'), sh('c', '')])")
    t.match(rb"bad \['a', 'b'\] \[\('a', \(3, 1, 1\)\), \('b', \(0, 1, 0\)\), \('c', \(1, 0, 0\)\)\]", done.out,
            "a status that no check explains counts, and a step that speaks no TAP is one check")


@once
def test_again(t):
    text = ("runner = Runner([sh('a', 'test -e made || { touch made; false; }'), sh('b', 'false'), sh('c', 'true')],\n"
            "                {'work': 1, 'wait': 3}, {}, '.', again)\n"
            "runner.run()\n"
            "runner.try_again([s for s in (sh('a', 'test -e made'), sh('b', 'false'))])\n"
            "print('unsteady', runner.unsteady, 'failed', runner.failed)")
    done = steps(t, text)
    t.match(rb"unsteady \['a'\] failed \['b'\]\n$", done.out, "a step that passes when it runs once more is unsteady")
    t.ok(os.path.exists(os.path.join(t.dir, "a.first.log")), "... and the log of its failure is kept")


@once
def test_who_runs_again(t):
    """Only where CHECK_AGAIN asks for it, and only one or two suites that have deadlines."""
    text = ("from importlib.machinery import SourceFileLoader\nfrom types import SimpleNamespace\n"
            "may = SourceFileLoader('check', %r).load_module().may_try_again\n"
            "print([may(SimpleNamespace(failed=f, left_out=l)) for f, l in ((['cli'], []), (['cli', 'http'], []), ([], []),\n"
            "    (['cli', 'http', 'warm'], []), (['lint'], []), (['cli', 'build-asan'], []), (['cli'], ['replay']))])" %
            os.path.join(ROOT, "tools", "check"))
    for asked, want in (("1", b"[True, True, False, False, False, False, False]"), ("", b"[" + b", ".join([b"False"] * 7) + b"]")):
        done = t.command([sys.executable, "-W", "ignore", "-c", PROGRAM % (os.path.join(ROOT, "tools"), text)],
                         env={"CHECK_AGAIN": asked})
        t.equal(done.out.strip(), want, "CHECK_AGAIN=%s" % asked, done)


@once
def test_stopped(t):
    """Also what hides in a process group of its own."""
    tag = "31%d" % os.getpid()
    text = ("import os, signal\nsignal.signal(14, lambda *_: sys.exit('stopped'))\nsignal.alarm(1)\n"
            "run([sh('a', 'timeout 60 sleep %s')])" % tag)
    done = steps(t, text)
    left = [p for p in filter(str.isdigit, os.listdir("/proc")) if tag.encode() in command_of(p)]
    t.ok(done.code == 1 and b"stopped" in done.err and not left, "when it is stopped its steps are", "%s %s" % (done, left))


def command_of(pid):
    try:
        with open("/proc/%s/cmdline" % pid, "rb") as f:
            return f.read()
    except OSError:
        return b""
