# SPDX-License-Identifier: Apache-2.0
"""Python's sessions: programs that change what is below them. The session must go on as if nothing had been."""

import os
import subprocess
import tempfile
import time


def start(path, **options):
    from python_cells import Python

    return Python(path, **options)


# Each in a cell; then all of CHECKS must hold. A new session for each.
ODD = (
    "import builtins\nbuiltins.print = builtins.len = builtins.isinstance = None\ndel builtins.repr",
    "import builtins\nbuiltins.open = builtins.compile = builtins.exec = builtins.__import__ = None",
    "import builtins\nfor n in list(vars(builtins)):\n    if n.islower() and n not in ('display',): delattr(builtins, n)",
    "globals().clear()", "del __builtins__", "del __name__", "__builtins__ = {}",
    "import sys\nsys.modules.clear()", "import sys\nsys.modules = {}", "import sys\ndel sys.modules['__main__']",
    "import sys\nsys.modules['__main__'] = None", "import sys\nfor n in ('json', 'traceback', 'io', 'linecache'): sys.modules[n] = None",
    "import sys\nsys.meta_path.clear(); sys.path.clear(); sys.path_hooks.clear()",
    "import sys\nsys.setrecursionlimit(60)", "import sys\nsys.setrecursionlimit(100000)",
    "import os\nos.closerange(3, 1000)", "import gc\ngc.disable()", "import gc\ngc.set_threshold(1)",
    "import locale\nlocale.setlocale(locale.LC_ALL, 'C')", "import os\nos.environ.clear(); os.chdir('/')",
    "import sys\nsys.settrace(lambda *a: None)", "import sys\nsys.setprofile(lambda *a: None)",
    "import threading, sys\nthreading.settrace(lambda *a: None)\nsys.settrace(lambda f, e, a: None)",
    "import json\njson.dumps = json.loads = None\nimport json.encoder\njson.encoder.JSONEncoder = None",
    "import traceback, linecache\ntraceback.format_exception = linecache.getline = None",
    "import signal\nfor s in (signal.SIGINT, signal.SIGALRM, signal.SIGTERM): signal.signal(s, signal.SIG_IGN)",
    "import signal\nsignal.signal(signal.SIGINT, lambda *a: None)\nsignal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])",
    "import sys\nsys.excepthook = sys.displayhook = None", "import sys\ndel sys.excepthook, sys.stdin, sys.stderr",
    "import sys\nsys.stdout = sys.stderr = sys.stdin = object()",
    "import os\nos.write = os.read = os.getpid = None\nimport posix\nposix.write = posix.read = None",
    "import threading, time\nfor i in range(20): threading.Thread(target=time.sleep, args=(0.5,), daemon=True).start()",
    "import warnings\nwarnings.simplefilter('error')", "import asyncio\nasyncio.set_event_loop_policy(None)",
    "import asyncio\nloop = asyncio.new_event_loop()\nasyncio.set_event_loop(loop)\nloop.close()",
    "class M(type):\n    def __getattribute__(c, n): raise ValueError\nclass E(Exception, metaclass=M): pass\nraise E",
    "class E(BaseException): pass\nraise E", "raise GeneratorExit", "import _thread\n_thread.interrupt_main()\nwhile 1: pass",
    "class S(str):\n    def __str__(self): raise ValueError\nraise Exception(S('x'))",
    "class D:\n    def __del__(self): raise ValueError('del')\nx = D()\ndel x\nD()",
    "class V:\n    def __eq__(self, o): raise ValueError\n    __hash__ = None\n    __class__ = int\nV()",
    "class V:\n    def __getattr__(self, n): return self\n    def __call__(self, *a, **k): return self\nV()",
    "e = ValueError()\ne.__cause__ = e\ne.__context__ = e\nraise e", "import os\nos.dup2(2, 1)\nos.close(0)",
    "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))",
    "x = []\nfor i in range(100000): x = [x]\nx", "x = {}\nx['x'] = x\nx", "_ = display = exit = None",
    "import sys\nclass T:\n    def write(self, s): raise OSError\n    def flush(self): raise OSError\nsys.stderr = sys.stdout = T()\n1/0",
    "import atexit, os\natexit.register(os._exit, 3)", "raise SystemExit(SystemExit(3))", "raise SystemExit([1] * 100000)",
    "import codecs\ncodecs.lookup = None\nimport encodings\nencodings.search_function = None",
    "import sys\nsys.exc_info = sys._getframe = sys.gettrace = None", "import select, posix\nselect.poll = None",
    "import contextvars\nv = contextvars.ContextVar('v')\nv.set(1)", "import faulthandler\nfaulthandler.enable()",
    "def f():\n    f()\nimport threading\nt = threading.Thread(target=f)\nt.start()\nt.join()", "\0", "x = '\\",
    "import sys\nsys.flags = None\nsys.version_info = None", "\ufeffx = 1", "def f(:\n", "\tx = 1\n  y = 2",
    "import os\nos.setsid() if os.getpgid(0) != os.getpid() else 0",
    "import ctypes\nctypes.pythonapi.PyErr_SetInterrupt()\nfor i in range(1000000): pass")
CHECKS = (
    ("x_ = 20 + 1\nx_", lambda c: c.ok and c.value == 21),
    ("1 / 0", lambda c: c.exception["type"] == "ZeroDivisionError" and c.exception["line"] == 1 and "division" in c.err),
    ("import os\n_n = os.write(1, b'out')" , lambda c: c.out == "out" or c.exception is not None))


def test_odd(tap, path):
    for text in ODD:
        with start(path) as g:
            try:
                first = g.run(text)
                bad = []
                for check, holds in CHECKS:
                    cell = g.run(check)
                    if not holds(cell):
                        bad += [check, cell]
                g.run("import sys; sys.settrace(None)")
            except Exception as e:
                bad, first = [repr(e), "alive: %s %s" % (g.alive(), g.status)], None
            tap.ok(not bad, "odd: %r" % text[:70], *bad, first)


FIND = "LAST = 10 ** 6\ndef most(n):\n    try:\n        return most(n + 1)\n    except RecursionError:\n        return n\n" \
       "print(most(0))\n"


def test_depth(tap, path):
    """As deep as a program that was started as python3 FILE."""
    script = subprocess.run([path, "-"], input=FIND.encode(), stdout=subprocess.PIPE).stdout.decode()
    with start(path) as g:
        tap.equal(g.run(FIND).out, script, "depth")
        g.run("import sys\nsys.setrecursionlimit(200)")
        tap.ok(int(g.run(FIND).out) < 200 and g.run("sys.getrecursionlimit()").value == 200, "a limit of its own")
        cell = g.run("def f(): f()\nf()")
        tap.equal(cell.exception["type"], "RecursionError", "... and its end")


def test_alike(tap, path):
    """What a program sees of itself is what `python3 -c` shows."""
    text = ("import sys, builtins\nnames = sorted(n for n in dir(builtins) if n not in ('display', '_'))\n"
            "print(names, sys.flags.optimize, sorted(sys.modules['__main__'].__dict__)[:6])\n"
            "import signal, os\nprint(signal.getsignal(signal.SIGINT), os.getcwd() != '/', sys.gettrace())\n")
    plain = subprocess.run([path, "-c", text], stdout=subprocess.PIPE, cwd="/tmp").stdout.decode()
    with start(path) as g:
        cell = g.run("import site\n" + text)
        tap.equal(cell.out, plain, "builtins, flags, signals", cell.err)
        tap.equal(g.run("import threading, gc, inspect\nthreading.current_thread() is threading.main_thread(), "
                        "threading.active_count(), any('Server' in str(type(o)) for o in gc.get_objects())").value["items"],
                  [True, 1, False], "one thread; nothing of ours among its objects")
        got = g.run("import inspect\n[f.filename for f in inspect.stack() if 'cell' in f.filename]").value
        tap.equal(got, ["<cell 3>"], "the stack")
        tap.equal(g.run("import os\nos.listdir('/proc/self/fd').sort() or len([f for f in os.listdir('/proc/self/fd') "
                        "if 2 < int(f) < 900])").value, 1, "low descriptors are free")


# Programs that fail; what python3 FILE prints is what a cell has to print.
FAILING = (
    "1/0", "def f():\n  g()\ndef g():\n  raise KeyError('a')\nf()", "x = {'a':1}\nprint(x['b']['c'])",
    "import json\njson.loads('{]')", "class A:\n  def __init__(s): s.q\nA()", "int('é')", "def f(n): return f(n+1)\nf(0)",
    "try:\n  1/0\nexcept Exception as e:\n  raise ValueError('x') from e", "try:\n  1/0\nfinally:\n  [][1]",
    "raise ExceptionGroup('g',[ValueError(1),ExceptionGroup('h',[TypeError('t')])])", "x = (1,\ny = 2", "print 'a'",
    "f(**{'a':1}, *b", "'abc", "def f(:\n pass", "a = 1\n  b = 2", "raise SystemExit('bye')", "import sys; sys.exit(4)",
    "assert 1 == 2, 'msg'", "e = ValueError('n')\ne.add_note('note')\nraise e", "import warnings; warnings.warn('w')",
    "lambda: (yield)\nreturn", "async def f():\n  await g()\nimport asyncio\nasyncio.run(f())", "raise KeyboardInterrupt",
    "import sys\nsys.stderr.write('no end')\n1/0", "exec('1/0')", "eval('a b')", "from os import nothere", "import os.nothere",
    "None.foo", "undefined_name_x", "pritn(1)", "'a'+1", "[1,2,3].foo", "(lambda: 1/0)()", "print(\n  1,\n  2/0,\n)",
    "def f():\n    x = 1\n    del x\n    return x\nf()", "class E(Exception): pass\nclass F(E): pass\nraise F(1, 2)",
    "for i in range(3):\n    print(i)\n    if i == 1: raise ValueError", "with open('/nonexistent') as f: pass",
    "import sys\ndef f(): raise ValueError\ntry: f()\nexcept ValueError:\n    import traceback\n    traceback.print_exc()")


def test_failing(tap, path):
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "program.py")
        for text in FAILING:
            with open(name, "w") as f:
                f.write(text + "\n")
            script = subprocess.run([path, name], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
            with start(path) as g:
                cell = g.run(text + "\n")
            want = script.stderr.decode().replace(name, "<cell 1>").replace("__main__.", ""), script.stdout.decode()
            tap.equal((cell.err, cell.out), want, "as a script: %r" % text[:60])


def test_memory(tap, path):
    """Many cells leave nothing behind."""
    with start(path) as g:
        rss = "int(open('/proc/self/statm').read().split()[1])"
        for _ in range(300):
            g.run("x = 'a' * 100; x")
        before = g.run(rss).value
        for n in range(3000):
            g.send("exec", g.number + n + 1, "x = 'a' * 1000; x")
            if n % 100 == 99:
                for _ in range(100):
                    g.receive()
        g.number += 3000
        grown = (g.run(rss).value - before) * 4
        tap.ok(grown < 3000, "3000 cells", "%d KiB" % grown)
        tap.ok(g.run("import gc\nlen(gc.get_objects()) < 20000").value, "few objects")


def test_speed(tap, path):
    """No proof of a budget, which bench/ measures; only that nothing is slow by a factor."""
    with start(path) as g:
        best = 1.0
        for _ in range(300):
            begin = time.perf_counter()
            g.run("x = 1")
            best = min(best, time.perf_counter() - begin)
        tap.ok(best < 0.005, "a cell takes %d us here" % (best * 1e6))


TESTS = (test_odd, test_depth, test_alike, test_failing, test_memory, test_speed)
