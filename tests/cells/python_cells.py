#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Python's side of sessions (src/wall/guests/cells_*.py). $PYTHONS: interpreters, separated by colons."""

import os
import signal
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "python")]

import python_odd  # noqa: E402
import python_values  # noqa: E402
from driver import LIMITS, Guest, interpreters, source  # noqa: E402
from tap import Tap  # noqa: E402

PARTS = ("judge_codec", "cells_charts", "cells_rich", "cells_hooks", "cells_values", "cells_frames",
         "cells_decode", "cells_compile", "cells_tools", "packages", "cells_process", "cells_python")


def program_text():
    return source(*[part + ".py" for part in PARTS])


class Python(Guest):
    """A session in a folder of its own, after hello."""

    # For the end of a cell that is to last until mark().
    AWAIT = "import os, time\nwhile not os.path.exists('mark'): time.sleep(0.01)\nos.remove('mark')"

    def __init__(self, path, **options):
        self.folder = tempfile.TemporaryDirectory()
        Guest.__init__(self, [path, "-S", "-c", source("cells_boot.py").decode()], program_text(), cwd=self.folder.name,
                       env={"PATH": os.environ["PATH"], "HOME": self.folder.name, "PYTHONUNBUFFERED": "1",
                            "LC_ALL": "C.UTF-8"})
        if options.pop("greet", True):
            self.hello(**options)
        self.version = None

    def mark(self):
        with open(os.path.join(self.folder.name, "mark"), "w"):
            pass

    def close(self, timeout=2):
        status = Guest.close(self, timeout)
        self.folder.cleanup()
        return status


def version_of(guest):
    return guest.run("import sys; sys.version_info[:2]").value["items"]


# ---- state, values ----

def test_state(tap, path):
    with Python(path) as g:
        cell = g.run("x = 5\nprint('hi')")
        tap.equal((cell.ok, cell.value, cell.out, cell.err, cell.results), (True, None, "hi\n", "", []), "a cell")
        tap.equal(g.run("x + 1").value, 6, "variables stay")
        tap.equal(g.run("x + 1").results[0]["data"], {"text/plain": "6"}, "the value has a bundle")
        cell = g.run("y = 1\n1/0\ny = 2")
        tap.equal((cell.ok, g.run("y").value), (False, 1), "what was assigned before an error stays")
        g.run("import os\nos.mkdir('d')\nos.chdir('d')\nf = open('t', 'w')\ndef twice(v): return 2 * v")
        tap.equal(g.run("f.write('abc')\nf.flush()\nos.path.basename(os.getcwd()), open('t').read(), twice(4)").value,
                  {"$type": "tuple", "items": ["d", "abc", 8]}, "imports, functions, open files and the folder stay")
        g.run("import threading, time\nticks = []\ndef tick():\n    while not ticks or ticks[-1] < 30:\n"
              "        ticks.append(len(ticks)); time.sleep(0.002)\nt = threading.Thread(target=tick)\nt.start()")
        tap.equal(g.run("t.join(60)\nlen(ticks)").value, 31, "threads go on")
        tap.equal(g.run("sorted(n for n in globals() if n not in ('f', 'x', 'y', '_', 't', '__warningregistry__', '__annotations__'))").value,
                  ["__builtins__", "__doc__", "__loader__", "__name__", "__package__", "__spec__", "os", "threading",
                   "tick", "ticks", "time", "twice"], "no names but the program's")
        tap.equal(g.run("import sys\n(__name__, sys.modules['__main__'].twice is twice, sys.argv)").value["items"],
                  ["__main__", True, [""]], "__main__ is the program's")
        cell = g.run("import pickle, dataclasses\n@dataclasses.dataclass\nclass P:\n    a: int\n"
                     "if __name__ == '__main__':\n    q = pickle.loads(pickle.dumps(P(3)))\nq == P(3)")
        tap.equal(cell.value, True, "pickle and dataclasses find __main__")
        tap.equal(g.run("import inspect\nprint(inspect.getsource(twice))").out, "def twice(v): return 2 * v\n\n",
                  "inspect knows the source of cells")
        cell = g.run("exit")
        tap.equal(g.run("from __future__ import annotations\n1").ok and
                  g.run("def late(a: NotThere): pass\n1").ok, True, "a __future__ import holds for later cells")


def test_notebook(tap, path):
    with Python(path) as g:
        for text, want in (("1;", None), ("1 ; # one", None), ("1 # ;", 1), ("x = 1", None), ("(2)", 2), ("", None),
                           ("'a;b'", "a;b"), ("3\n\n# end", 3), ("1; 2", 2), ("if 1: 2", None), ("'''d'''", "d"),
                           ("(y := 4)", 4), ("f'{1}'\\\n'x'", "1x"), ("# nothing", None), ("x = 'é'; x;", None),
                           ("[i for i in range(2)]", [0, 1]), ("5\r\n", 5), ("def f(): pass", None),
                           ("None", None), ("1,", {"$type": "tuple", "items": [1]})):
            cell = g.run(text)
            tap.ok(cell.ok and cell.value == want, "value of %r" % text, cell)
        tap.equal([g.run("41").value, g.run("_ + 1").value, g.run("_").value], [41, 42, 42], "_ is the last value")
        tap.equal([g.run("_ = 7").value, g.run("8").value, g.run("_").value], [None, 8, 7], "... unless it is theirs")


def test_last(tap, path):
    with Python(path, value="last") as g:
        for text, want in (("x = 5", 5), ("if True: 7", 7), ("a = b = 3", 3), ("x += 2", 7), ("z: int = 4", 4),
                           ("for i in range(3): i * 2", 4), ("if True:\n    1\n    None", 1),
                           ("for i in range(2):\n    if i: y = 'in'\n    else: 9", "in"), ("import os", None),
                           ("1;", 1), ("if False: 1", None), ("w: int", None), ("del w_ if 0 else x", None),
                           ("while True:\n    5\n    break", None), ("x = 1, 2", {"$type": "tuple", "items": [1, 2]}),
                           ("q = []\nq.append(1)", None), ("if 0: 1\nelif 1: 2\nelse: 3", 2)):
            cell = g.run(text)
            tap.ok(cell.value == want and (cell.ok or "del" in text), "last: value of %r" % text, cell)
        tap.equal(g.run("def f(): pass").value["$type"], "other", "last: a function is its own value")
        tap.equal(g.run("class C: pass").value["$type"], "other", "last: a class, too")
        tap.equal(g.run("'<value>' in globals() or '<part>' in globals()").value, False, "nothing is left of it")


# ---- async ----

def test_async(tap, path):
    with Python(path) as g:
        tap.equal(g.run("import asyncio\nawait asyncio.sleep(0.001, 5)").value, 5, "await at top level")
        cell = g.run("async def gen():\n    for i in range(3): yield i\nfound = []\nasync for i in gen():\n"
                     "    found.append(i)\nfound")
        tap.equal(cell.value, [0, 1, 2], "async for at top level")
        cell = g.run("import contextlib\n@contextlib.asynccontextmanager\nasync def here():\n    yield 'in'\n"
                     "async with here() as h:\n    pass\nh")
        tap.equal(cell.value, "in", "async with at top level")
        g.run("steps = []\nasync def work():\n    for i in range(3):\n        steps.append(i); await asyncio.sleep(0)\n"
              "task = asyncio.ensure_future(work()) if 0 else None\nasync def begin():\n"
              "    return asyncio.get_running_loop().create_task(work())\ntask = await begin()")
        tap.equal(g.run("await task\nsteps").value, [0, 1, 2], "a task goes on in a later cell")
        tap.equal(g.run("async def f(): return 3\nasyncio.run(f())").value, 3, "asyncio.run in a cell")
        tap.equal(g.run("await f()").value, 3, "... and await after it")
        tap.equal(g.run("loop = asyncio.get_event_loop()\nloop.run_until_complete(f())").value, 3,
                  "the session's loop is the current one")
        g.run("seen = []\nasync def note(n):\n    seen.append(n); await asyncio.sleep(0); seen.append(-n)")
        cell = g.run("one = asyncio.create_task(note(1))\nmore = [asyncio.create_task(note(n)) for n in (2, 3)]\n"
                     "asyncio.get_running_loop() is asyncio.get_event_loop(), len(asyncio.all_tasks())")
        tap.ok(cell.ok and cell.value["items"] == [True, 4] and not cell.err, "a task of a cell without await", cell)
        tap.equal(g.run("seen").value, [1, 2, 3], "... gets as far as its own first one")
        tap.equal(g.run("await one\nsorted(seen)").value, [-3, -2, -1, 1, 2, 3], "... and goes on in the next that waits")
        cell = g.run("def begin_one():\n    return asyncio.create_task(note(4))\nlater = begin_one()\n1 / 0")
        tap.ok(cell.exception["line"] == 4 and "glovebox" not in cell.err, "an exception of such a cell", cell)
        tap.equal(g.run("await later\nseen[-1]").value, -4, "... whose task is there all the same")
        cell = g.run("again = begin_one()")
        tap.ok(cell.ok and g.run("await again\nseen[-2:]").value == [4, -4], "a function of another cell wants a loop", cell)
        cell = g.run("async def whole():\n    await asyncio.create_task(note(5))\n    return asyncio.current_task() is not None\n"
                     "asyncio.run(whole())")
        tap.equal(cell.value, True, "a cell that starts a loop of its own is in none", cell)
        g.run("def start(coroutine): return asyncio.run(coroutine)\nsync = [start]")
        for text in ("start(begin_one())", "sync[0](whole())"):
            cell = g.run("async def whole():\n    return await asyncio.create_task(f())\n"
                         "async def begin_one(): return await whole()\n" + text)
            tap.equal(cell.value, 3, "... nor one whose coroutines alone want one: " + text, cell)
        number = g.begin("import time\nslow = asyncio.create_task(f())\nwhile True: time.sleep(0.01)")
        g.settle()
        g.interrupt()
        cell = g.finish(number)
        tap.ok(cell.interrupted and cell.exception["line"] == 3, "an interrupt of one in the loop", cell)
        cell = g.run("await f()\nawait asyncio.wait_for(asyncio.sleep(9), 0.01)")
        tap.ok(cell.exception["type"] == "TimeoutError" and cell.exception["line"] == 2 and cell.exception["cell"] == g.number
               and "glovebox" not in cell.err, "an exception of a coroutine", cell)
        cell = g.run("async def deep():\n    await asyncio.sleep(0)\n    raise KeyError('k')\nawait deep()")
        tap.ok(cell.exception["message"] == "'k'" and cell.exception["line"] == 3
               and cell.err.split("\n")[1].startswith('  File "<cell %d>", line 4' % g.number), "... deep in it", cell)
        number = g.begin("try:\n    await asyncio.sleep(60)\nfinally:\n    print('clean')")
        g.settle()
        g.interrupt()
        cell = g.finish(number)
        tap.ok(cell.interrupted and cell.out == "clean\n" and cell.exception["line"] == 2, "an interrupt of an await", cell)
        tap.equal(g.run("await f()").value, 3, "... and the loop works on")


# ---- warnings ----

def test_warnings(tap, path):
    with Python(path) as g:
        g.run("import warnings\nclass W:\n    def __repr__(self):\n        warnings.warn('looked at')\n        return '<W>'")
        cell = g.run("w = W()\n[w]")
        tap.equal((cell.err, cell.value[0]["repr"]), ("", "<W>"), "what a value's text warns of is not told", cell)
        cell = g.run("repr(w)")
        tap.ok("looked at" in cell.err, "... but where the cell looks at it", cell)
        for _ in range(2):
            cell = g.run("for i in range(3):\n    warnings.warn('same')")
            tap.equal(cell.err, "<cell %d>:2: UserWarning: same\n  warnings.warn('same')\n" % g.number, "each cell warns once", cell)
        g.run("async def f(): return 3")
        cell = g.run("1\n\nf()")
        tap.ok(cell.err.startswith("<cell %d>:3: RuntimeWarning: coroutine 'f' was never awaited\n  f()\n" % g.number),
               "a coroutine as the value, which nobody awaits, is told of with its cell", cell)
        cells = [g.run("c = f()\nc"), g.run("2"), g.run("await c")]
        tap.equal(([cell.err for cell in cells], cells[2].value), (["", "", ""], 3), "... but not one that has a name")
        g.run("def fail():\n    c = f()\n    1 / 0\nfail()")
        cell, failed = g.run("2 / 0"), g.number - 1
        tap.ok(cell.err.startswith("<cell %d>:3: RuntimeWarning: coroutine 'f' was never awaited\n" % failed),
               "one that an exception held is told of at that one's line", cell)


# ---- exceptions ----

def test_exceptions(tap, path):
    with Python(path) as g:
        new = tuple(version_of(g)) >= (3, 11)
        g.run("def f(v):\n    return 10 / v\n")
        cell = g.run("a = 1\nb = f(a - 1)\n")
        want = ['Traceback (most recent call last):', '  File "<cell 3>", line 2, in <module>', '    b = f(a - 1)',
                '  File "<cell 2>", line 2, in f', '    return 10 / v']
        lines = [line for line in cell.err.splitlines() if not line.strip(" ^~") == ""]
        tap.equal(lines[:5] + lines[-1:], want + ["ZeroDivisionError: division by zero"], "a traceback", cell.err)
        e = cell.exception
        tap.equal((e["type"], e["message"], e["line"], e["cell"], e["statement_line"], e["traceback"]),
                  ("ZeroDivisionError", "division by zero", 2, 2, 2, cell.err), "an exception")
        tap.equal((e["column"], "^" in cell.err), (12, True) if new else (None, False), "its column")
        e = g.run("x = 1\nif x\n    pass").exception
        tap.ok((e["type"], e["line"], e["cell"]) == ("SyntaxError", 2, 4) and e["column"] in (5, 6), "a SyntaxError", e)
        tap.ok("    if x\n" in e["traceback"] and 'File "<cell 4>", line 2' in e["traceback"]
               and "glovebox" not in e["traceback"], "... and its text", e)
        cell = g.run("try:\n    {}['k']\nexcept KeyError:\n    int('no')")
        tap.ok(cell.exception["type"] == "ValueError" and "During handling of the above" in cell.err
               and cell.err.count("Traceback") == 2 and "KeyError: 'k'" in cell.err, "a chained exception", cell.err)
        cell = g.run("try:\n    1/0\nexcept Exception as e:\n    raise RuntimeError('later') from e")
        tap.ok("direct cause" in cell.err and cell.exception["line"] == 4, "... with a cause", cell.err)
        cell = g.run("class Odd(Exception):\n    def __str__(self): raise ValueError('no')\nraise Odd")
        tap.ok("Odd: <" in cell.err and cell.exception["type"] == "Odd", "no text of its own", cell)
        cell = g.run("def deep(n):\n    return deep(n + 1)\ndeep(0)")
        tap.ok(cell.exception["type"] == "RecursionError" and "more times" in cell.err and cell.exception["line"] == 2,
               "too deep", cell.err[:500])
        tap.equal(g.run("def depth(n):\n    return depth(n - 1) if n else 'deep'\ndepth(960)").value, "deep", "nearly too deep")
        tap.equal(g.run("import sys\nsys.getrecursionlimit() >= 1000").value, True, "the limit")
        if new:
            cell = g.run("raise ExceptionGroup('two', [ValueError(1), TypeError(2)])")
            tap.ok("| ValueError: 1" in cell.err and "glovebox" not in cell.err, "a group", cell.err)
        cell = g.run("import json\njson.loads('{')")
        tap.ok(cell.exception["line"] == 2 and "json/decoder.py" in cell.err and "glovebox" not in cell.err,
               "the place is that in the cell", cell)
        cell = g.run("raise MemoryError")
        tap.equal((cell.exception["type"], cell.exception["message"]), ("MemoryError", ""), "MemoryError")
        cell = g.run("sys.excepthook = lambda *a: print('hook', a[0].__name__)\n1/0")
        tap.equal((cell.out, cell.err, cell.exception["type"]), ("hook ZeroDivisionError\n", "", "ZeroDivisionError"),
                  "sys.excepthook")
        cell = g.run("def bad(*a): raise OSError('worse')\nsys.excepthook = bad\n1/0")
        tap.ok("Error in sys.excepthook" in cell.err and "Original exception" in cell.err, "a hook that fails", cell.err)
        g.run("sys.excepthook = sys.__excepthook__")
        cell = g.run("import warnings\nwarnings.warn('old', DeprecationWarning)")
        tap.ok('<cell ' in cell.err and "warnings.warn('old'" in cell.err, "a warning shows its line", cell.err)
        cell = g.run("raise ValueError('x' * 500000)")
        tap.ok(len(cell.exception["message"]) < 2 * LIMITS["text"] and cell.exception["line"] == 1, "a long message")
        cell = g.run("raise ValueError('\\ud800 \\0')")
        tap.ok(cell.exception["type"] == "ValueError", "half a character in a message", cell.exception)
        cell = g.run("import threading\ndef lost():\n    raise ValueError('in a thread')\n"
                     "t = threading.Thread(target=lost, name='T')\nt.start(); t.join()")
        tap.ok(cell.ok and cell.err.startswith("Exception in thread T:\nTraceback") and "    raise ValueError('in a"
               in cell.err and "glovebox" not in cell.err, "an exception in a thread", cell.err)
        cell = g.run("x = 1\nif x is 1: y = '\\d'")
        tap.equal(cell.err.count("Warning"), 2 if tuple(version_of(g)) >= (3, 12) else 1, "warnings of the compiler", cell.err)
        cell = g.run("x = eval('1 +')")
        tap.ok(cell.exception["type"] == "SyntaxError" and cell.exception["line"] == 1, "a SyntaxError of eval", cell)
        cell = g.run("import nosuchmodule")
        tap.ok(cell.exception["type"] == "ModuleNotFoundError" and cell.err.count("File") == 1, "no such module", cell)
        cell = g.run("x = (" + "1 + " * 20000 + "1)")
        tap.ok(cell.ok or cell.exception["type"] in ("RecursionError", "MemoryError"), "a giant expression", cell)
        tap.equal(g.run("1").value, 1, "... and all is well")


def test_exits(tap, path):
    with Python(path) as g:
        for text, code, ok in (("import sys; sys.exit()", 0, True), ("sys.exit(0)", 0, True), ("sys.exit(3)", 3, False),
                               ("exit(2)", 2, False), ("raise SystemExit", 0, True), ("sys.exit(-1)", 255, False)):
            cell = g.run(text)
            tap.ok((cell.ok, cell.exit, cell.exception, cell.err) == (ok, code, None, ""), text, cell)
        cell = g.run("sys.exit('why')")
        tap.equal((cell.ok, cell.exit, cell.err), (False, 1, "why\n"), "an exit with words")
        tap.equal(g.run("print(input() if 0 else 'on')").out, "on\n", "the session lives on")
        g.run("import atexit\natexit.register(lambda: open('ended', 'w').close())\nf = open('left', 'w')\nf.write('x')")
        os.close(g.to)
        g.to = -1
        g.wait()
        tap.equal(sorted(os.listdir(g.folder.name)), ["ended", "left"], "at the end of frames, the interpreter's end")
        with open(os.path.join(g.folder.name, "left")) as f:
            tap.equal(f.read(), "x", "... with files flushed")


# ---- interrupts ----

def interrupted(g, text):
    number = g.begin(text)
    g.settle()
    g.interrupt()
    return g.finish(number)


def test_interrupts(tap, path):
    with Python(path) as g:
        cell = interrupted(g, "x = 1\nwhile True: pass")
        tap.ok(cell.interrupted and not cell.ok and cell.exception["type"] == "KeyboardInterrupt"
               and cell.exception["line"] == 2, "while True: pass", cell)
        tap.equal(g.run("x").value, 1, "... keeps what was")
        tap.ok(interrupted(g, "import time; time.sleep(60)").interrupted, "sleep")
        tap.ok(interrupted(g, "sum(range(10**12)) if 0 else [i for i in iter(int, 1)]").interrupted, "a C loop")
        tap.ok(interrupted(g, "import threading\nthreading.Event().wait()").interrupted, "a lock")
        tap.ok(interrupted(g, "class R:\n    def __repr__(self):\n        while True: pass\nR()").interrupted,
               "a repr() that hangs")
        cell = interrupted(g, "try:\n    time.sleep(60)\nexcept KeyboardInterrupt:\n    print('mine')\n7")
        tap.equal((cell.ok, cell.interrupted, cell.value, cell.out), (True, False, 7, "mine\n"), "caught by the program")
        for _ in range(20):
            g.interrupt()
        g.settle()
        tap.equal((g.run("1").value, g.alive()), (1, True), "between cells it is nothing")
        g.run("import signal\nhit = []\ndef mine(*a): hit.append(print('got it', flush=True))\nold = signal.signal(signal.SIGINT, mine)")
        cell = interrupted(g, "while not hit: time.sleep(0.01)\nsignal.getsignal(signal.SIGINT) is mine")
        tap.equal((cell.value, cell.out), (True, "got it\n"), "a handler of the program's")
        tap.equal(g.run("old is signal.default_int_handler, signal.signal(signal.SIGINT, old)").value["items"][0], True,
                  "the handler that it finds")
        cell = interrupted(g, "import subprocess\nsubprocess.run(['sleep', '60'])")
        tap.ok(cell.interrupted, "a child process", cell)
        for n in range(100):
            number = g.begin("while True: pass", stdin="x")
            g.interrupt()
            cell = g.finish(number)
            if not cell.interrupted:
                break
        tap.ok(cell.interrupted, "100 interrupts at once", cell)
        # At any moment, also in our own code: all must be answered, in order.
        bad, hit = [], 0
        for n in range(300):
            number = g.begin("x = %d; 'y' * 100" % n)
            spent = time.perf_counter() + (n % 100) * 2e-6
            while time.perf_counter() < spent:
                pass
            g.interrupt()
            cell = g.finish(number)
            hit += cell.interrupted
            if not (cell.interrupted or cell.value == "y" * 100):
                bad.append(cell)
        tap.ok(not bad, "300 interrupts at odd moments (%d of cells)" % hit, *bad[:3])
        for n in range(100):
            number = g.begin("display('%s')\nadd(2)\n1" % ("z" * 100000))
            time.sleep((n % 20) * 1e-4)
            g.interrupt()
            cell = g.finish(number)
        tap.equal(g.run("'well'").value, "well", "100 interrupts of long frames")
        g.run("def alarm(*a): raise TimeoutError('alarm')\nsignal.signal(signal.SIGALRM, alarm)")
        for n in range(100):
            g.run("signal.setitimer(signal.ITIMER_REAL, %f)" % (0.00005 + n * 2e-6))
            time.sleep(0.0005)
            cell = g.run("2")
        tap.equal(g.run("signal.setitimer(signal.ITIMER_REAL, 0)\n'well'").value, "well",
                  "handlers that raise between cells")
        cell = g.run("signal.setitimer(signal.ITIMER_REAL, 0.05)\ntime.sleep(5)")
        tap.equal(cell.exception["type"], "TimeoutError", "an alarm of the program's")


# ---- input and output ----

def test_streams(tap, path):
    with Python(path) as g:
        cell = g.run("a = input('? ')\nb = input()\na, b", stdin="one\ntwo\n")
        tap.equal((cell.value["items"], cell.out), (["one", "two"], "? "), "input()")
        tap.equal(g.run("input()").exception["type"], "EOFError", "no input")
        tap.equal(g.run("input()", stdin="left\n").value, "left", "input again")
        tap.equal(g.run("import sys\nsys.stdin.read()").value, "", "what was left is gone")
        tap.equal(g.run("[l.strip() for l in sys.stdin]", stdin="a\nb").value, ["a", "b"], "lines of sys.stdin")
        tap.equal(g.run("sys.stdin.buffer.read()", stdin=b"\xff\0").value, {"$type": "bytes", "base64": "/wA="}, "bytes")
        tap.equal(g.run("open(0).read()", stdin="zero").value, "zero", "open(0)")
        tap.equal(g.run("import subprocess\nsubprocess.run('cat', shell=True)\nprint('x')", stdin="to cat ").out,
                  "to cat x\n", "a child reads it, and writes")
        tap.equal(g.run("len(sys.stdin.read())", stdin="x" * 3000000).value, 3000000, "much of it")
        tap.equal(g.run("print('a'); print('b', file=sys.stderr); import os; os.system('echo c'); print('d', end='')").out,
                  "a\nc\nd", "output in order")
        for text in ("sys.stdout.close()", "sys.stdout = None", "import io; sys.stdout = io.StringIO()", "os.close(1)",
                     "sys.stdout.detach()", "del sys.stdout", "os.dup2(os.open('/dev/null', 1), 1)", "sys.stdin.close()",
                     "sys.stderr.close(); os.close(2)", "os.close(0)", "sys.stdin = sys.__stdin__ = None"):
            g.run(text)
            cell = g.run("print('out'); print('err', file=sys.stderr); sys.stdin.read()")
            tap.ok((cell.out, cell.err, cell.value) == ("out\n", "err\n", ""), "after " + text, cell)
        tap.equal(g.run("class W:\n    def write(self, s): os.write(1, s.upper().encode())\n"
                        "    def flush(self): pass\nsys.stdout = W()\nprint('up')").out, "UP\n", "a stream of its own")
        tap.equal(g.run("print('\\ud800')").exception["type"], "UnicodeEncodeError", "what cannot be written")
        cell = g.run("print('x' * 300000)")
        tap.equal(len(cell.out), 300001, "much output")
        number = g.begin("print('early')\n" + g.AWAIT)
        g._pump(time.monotonic() + g.timeout)
        tap.equal(bytes(g.text[1]), b"early\n", "lines come as they are written")
        g.mark()
        g.finish(number)


# ---- processes ----

def test_children(tap, path):
    with Python(path) as g:
        cell = g.run("import os\npid = os.fork()\nif pid: os.waitpid(pid, 0)\nprint('me', bool(pid))")
        tap.equal((cell.ok, cell.out), (True, "me False\nme True\n"), "a child that falls out of the cell")
        cell = g.run("pid = os.fork()\nif not pid: 1/0\nos.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])")
        tap.equal((cell.value, cell.err.count("Traceback")), (1, 1), "... by an exception")
        cell = g.run("import sys\npid = os.fork()\nif not pid: sys.exit(7)\nos.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])")
        tap.equal(cell.value, 7, "... by an exit")
        cell = g.run("r, w = os.pipe()\npid = os.fork()\nif not pid:\n    try: add(1)\n    except BaseException as e: "
                     "os.write(w, type(e).__name__.encode())\n    os._exit(0)\nos.waitpid(pid, 0)\nos.read(r, 99).decode()")
        tap.equal(cell.value, "NameError", "a child has the program's names only")
        cell = g.run("import multiprocessing as mp\nctx = mp.get_context('fork')\ndef sq(x): return x * x\n"
                     "with ctx.Pool(2) as p: r = p.map(sq, range(5))\nr")
        tap.equal(cell.value, [0, 1, 4, 9, 16], "multiprocessing by fork")
        cell = g.run("q = ctx.Queue()\np = ctx.Process(target=lambda: (q.put(sum(range(9))), print('child')))\np.start()\n"
                     "v = q.get(timeout=50)\np.join()\nv")
        tap.equal((cell.value, cell.out), (36, "child\n"), "... a process and a queue")
        cell = g.run("from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor\nimport math\n"
                     "with ProcessPoolExecutor(2, mp_context=mp.get_context('spawn')) as e: r = list(e.map(math.sqrt, [4, 9]))\n"
                     "with ThreadPoolExecutor(2) as e: r += list(e.map(sq, [3]))\nr")
        tap.equal(cell.value, [2.0, 3.0, 9], "... by spawn, and threads", cell)
        cell = g.run("import subprocess\nsubprocess.run(['sh', '-c', 'ls /proc/self/fd | wc -l'], close_fds=False, "
                     "stdout=subprocess.PIPE).stdout.split()")
        tap.ok(cell.value and int(__import__("base64").b64decode(cell.value[0]["base64"])) <= 4,
               "the channel is not inherited", cell)
        cell = g.run("os.closerange(3, 1000)\nprint('closed')")
        tap.equal((cell.out, g.run("1").value), ("closed\n", 1), "os.closerange(3, 1000)")


def test_zygote(tap, path):
    """serve() after a fork of a process that has read the text, and modules."""
    boot = source("cells_boot.py").decode().replace('    names["serve"](3, 4, rest)\n', "    return names, rest\n")
    boot = boot.replace("\nstart()\n", "\nimport os, asyncio, linecache, threading, traceback\nnames, rest = start()\n"
                        "if os.fork():\n    os.close(3); os.close(4)\n    os._exit(os.wait()[1] >> 8)\n"
                        "names['serve'](3, 4, rest)\n")
    folder = tempfile.TemporaryDirectory()
    with Guest([path, "-S", "-c", boot], program_text(), cwd=folder.name) as g:
        g.hello(final_answer=True)
        tap.equal(g.run("import sys\nx = 3; x").value, 3, "a fork serves")
        cell = g.run("def f(): 1/0\nf()")
        tap.ok("    def f(): 1/0" in cell.err and cell.exception["line"] == 1, "... shows lines", cell)
        tap.equal(g.run("import asyncio\nawait asyncio.sleep(0, 4)").value, 4, "... waits")
        tap.equal(g.run("sorted(n for n in globals() if n[0] != '_')").value, ["asyncio", "f", "final_answer", "sys", "x"], "... is clean")
        os.close(g.to)
        g.to = -1
        tap.equal(g.wait(), 0, "... and ends")
    folder.cleanup()


TESTS = (test_state, test_notebook, test_last, test_async, test_warnings, test_exceptions, test_exits, test_interrupts, test_streams,
         test_children, test_zygote) + python_values.TESTS + python_odd.TESTS


class Named:
    """Names of checks begin with the interpreter's."""

    def __init__(self, tap, name):
        self.tap, self.name = tap, name

    def ok(self, condition, name, *details):
        return self.tap.ok(condition, "%s: %s" % (self.name, name), *details)

    def equal(self, got, want, name, *details):
        return self.tap.equal(got, want, "%s: %s" % (self.name, name), *details)

    def skip(self, name, why):
        self.tap.skip("%s: %s" % (self.name, name), why)


def test(tap, wanted=()):
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    found = interpreters(["/usr/bin/python3"], "PYTHONS")
    if not found:
        tap.skip("python", "there is no Python")
    for path in found:
        with Python(path) as g:
            name = "python%s" % ".".join(map(str, version_of(g)))
        for part in TESTS:
            if not wanted or part.__name__[len("test_"):] in wanted:
                try:
                    part(Named(tap, name), path)
                except Exception as e:
                    import traceback
                    tap.ok(False, "%s: %s" % (name, part.__name__), traceback.format_exc(), e)


if __name__ == "__main__":
    tap = Tap()
    test(tap, sys.argv[1:])
    sys.exit(tap.done())
