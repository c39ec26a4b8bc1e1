# SPDX-License-Identifier: Apache-2.0
"""A warm run gives what a cold one gives."""

import os
import tempfile
import time

from feed import Feed

PROGRAMS = {
    "a line": "print(1)",
    "nothing": "",
    "standard output detached": "import sys, io\nsys.stdout = io.TextIOWrapper(sys.stdout.detach(), encoding='utf-8')\nprint('hello')",
    "detached, with a status": "import sys, io\nsys.stdout = io.TextIOWrapper(sys.stdout.detach())\nprint('hello')\nsys.exit(3)",
    "detached and left": "import sys\nout = sys.stdout.detach()\nout.write(b'raw')",
    "a file that hangs on a module": "import json\njson.f = open('x.txt', 'w')\njson.f.write('hello')",
    "as deep as it goes": "def f(n):\n    global d\n    d = n\n    return f(n + 1)\ntry: f(0)\nexcept Exception: print(d)",
    "an interrupt's kind": "class Stop(KeyboardInterrupt): pass\nraise Stop('x')",
    "paths of the streams": "print(open('/dev/stdin').read(), file=open('/dev/stdout', 'w')); open('/dev/stderr', 'w').write('e')",
    "standard error": "import sys; print('a'); print('b', file=sys.stderr)",
    "input": "import sys; print(sys.stdin.read().upper())",
    "input line by line": "print(input()); print(input())",
    "no input left": "input(); input(); input()",
    "exit status": "raise SystemExit(7)",
    "exit text": "import sys; sys.exit('so it ends')",
    "exit at once": "import os; print('x', flush=True); os._exit(9)",
    "exception": "def f(x):\n    return 1 / x\nprint('before')\nf(0)",
    "a status beyond a byte": "import os; os._exit(300)",
    "exit beside a thread": "import os, threading, time\nthreading.Thread(target=time.sleep, args=(9,)).start()\nos._exit(5)",
    "exit before a child": "import os, time\nif os.fork(): os._exit(6)\ntime.sleep(0.3); print('late')",
    "exit of a thread": "import os, threading, time\nthreading.Thread(target=lambda: os._exit(4)).start()\ntime.sleep(9)",
    "another program": "import os; os.execv('/bin/sh', ['sh', '-c', 'echo sh; exit 7'])",
    "exit(2) alone": "import ctypes, os; ctypes.CDLL(None).syscall(60 if os.uname().machine == 'x86_64' else 93, 8)",
    "exception in a thread": "import threading\nt = threading.Thread(target=lambda: 1 / 0)\nt.start(); t.join()",
    "syntax error": "print(1\n",
    "unicode": "print('äöü', '\\U0001f600')",
    "bytes": "import sys; sys.stdout.buffer.write(bytes(range(256)))",
    "arguments": "import sys; print(sys.argv)",
    "environment": "import os; print(sorted((k, v) for k, v in os.environ.items() if k not in ('PATH', '_')))",
    "environment of a child": "import subprocess; print(subprocess.run(['env'], capture_output=True, text=True).stdout.count('WORD=1'))",
    "folder": "import os; print(os.getcwd(), os.listdir())",
    "main": "if __name__ == '__main__': print(__name__, __file__, sorted(globals()))",
    "path": "import sys; print(sys.path[0], sys.executable, sys.flags.no_site)",
    "modules of its own": "import helper; print(helper.__file__, helper.f())",
    "a module that is missing": "import nothing_of_this_name",
    "a package": "import numpy; print(numpy.arange(3).sum())",
    "pickle of a class": "import pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))).__name__)",
    "dataclass": "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int = 1\nprint(P())",
    "threads": "import threading, time\ndef f(): time.sleep(0.1); print('late')\nthreading.Thread(target=f).start()\nprint('early')",
    "atexit": "import atexit\natexit.register(print, 'end')\nprint('begin')",
    "fork": "import os\np = os.fork()\nif not p: os._exit(3)\nprint(os.waitstatus_to_exitcode(os.waitpid(p, 0)[1]))",
    "children": "import subprocess; print(subprocess.run(['sh', '-c', 'echo $((1+1))'], capture_output=True, text=True).stdout)",
    "multiprocessing": "import multiprocessing as m\ndef f(x): return x * x\nif __name__ == '__main__':\n    with m.Pool(2) as p: print(p.map(f, range(4)))",
    "asyncio": "import asyncio\nasync def f(): await asyncio.sleep(0.01); return 5\nprint(asyncio.run(f()))",
    "signal of its own": "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
    "killed by itself": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "abort": "import os; os.abort()",
    "interrupted": "import os, signal; os.kill(os.getpid(), signal.SIGINT)",
    "signals are free": "import signal; print(signal.pthread_sigmask(signal.SIG_BLOCK, []), signal.getsignal(signal.SIGCHLD), signal.getsignal(signal.SIGPIPE))",
    "descriptors": "import os; print(sorted(os.listdir('/proc/self/fd'))[:3], len(os.listdir('/proc/self/fd')))",
    "kinds of descriptors": "import os, stat\nprint([stat.S_ISFIFO(os.fstat(i).st_mode) for i in (1, 2)])",
    "process ids": "import os; print(os.getpid(), os.getsid(0) == os.getpid(), sorted(p for p in os.listdir('/proc') if p.isdigit()))",
    "rights": "print([l for l in open('/proc/self/status') if l.startswith(('Cap', 'NoNewPrivs', 'Seccomp:', 'Uid', 'Gid', 'Groups'))])",
    "limits": "import resource as r; print([r.getrlimit(x) for x in (r.RLIMIT_CORE, r.RLIMIT_NOFILE, r.RLIMIT_FSIZE, r.RLIMIT_MEMLOCK)])",
    "mounts": "print(sorted(set(l.split()[4] for l in open('/proc/self/mountinfo'))))",
    "the root": "import os; print(sorted(os.listdir('/')), sorted(os.listdir('/dev')), sorted(os.listdir('/etc')))",
    "host name": "import socket; print(socket.gethostname())",
    "control group": "print(open('/proc/self/cgroup').read())",
    "loopback": "import socket\ns = socket.create_server(('127.0.0.1', 0))\nc = socket.create_connection(s.getsockname())\nprint('connected')",
    "no way out": "import socket\ntry: socket.create_connection(('192.0.2.1', 80), 2)\nexcept OSError as e: print(e.errno)",
    "a refused call": "import ctypes, os\nl = ctypes.CDLL(None, use_errno=True)\nprint(l.mount(b'a', b'/tmp', b'tmpfs', 0, None), ctypes.get_errno())",
    "a refused namespace": "import ctypes\nl = ctypes.CDLL(None, use_errno=True)\nprint(l.unshare(0x10000000), ctypes.get_errno())",
    "reading what is not there": "open('/root/.ssh/id_rsa')",
    "writing to the system": "open('/usr/x', 'w')",
    "a full disk": "f = open('big', 'wb')\ntry:\n    while True: f.write(bytes(1 << 20))\nexcept OSError as e: print(e.errno)",
    "too many processes": "import os, time\nn = 0\ntry:\n    while n < 200:\n        if not os.fork(): time.sleep(3); os._exit(0)\n        n += 1\nexcept OSError as e: print(e.errno)\n"
    "time.sleep(0.5)  # without groups, a watcher has to see them",
    "out of memory": "x = []\nwhile True: x.append(bytearray(1 << 22))",
    "out of time": "while True: pass",
    "asleep": "import time; time.sleep(100)",
    "frames": "import sys; print(sys._getframe(0).f_back)",
    "deep recursion": "def f(n): return 0 if n == 0 else 1 + f(n - 1)\nprint(f(900))",
    "random bytes": "import os; print(len(os.urandom(8)))",
    "site": "import site; print(site.getsitepackages())",
    "time zone": "import time; print(time.tzname)",
    "encoding": "import sys, locale; print(sys.stdout.encoding, sys.getfilesystemencoding(), locale.getpreferredencoding())",
    "buffers": "import sys; print(sys.stdout.line_buffering, sys.stdout.write_through, sys.stdin.isatty(), sys.stdout.seekable())",
    "files": "open('new.txt', 'w').write('n'); open('data.csv', 'a').write('x'); import os; os.makedirs('deep/er'); open('deep/er/f', 'wb').write(bytes(10))",
}
DIFFERENT = {"duration_ms", "cpu_ms", "max_memory_mb", "id", "started_at", "taken"}
ODD = {"process ids": "which pids are there", "frames": "nothing of it"}


def comparable(result):
    kept = {k: v for k, v in result.items() if k not in DIFFERENT}
    # The feedback of a run that was killed tells how long it took.
    if result["timed_out"]:
        kept.pop("feedback")
    return kept


def arguments(name):
    more = {"args": ["one", "", "ä b"], "env": ["WORD=1", "EMPTY="], "files": {"data.csv": "a,b\n1,2\n", "helper.py": "def f(): return 4\n"},
            "input": "first\nsecond\n", "pids": 40, "disk": 32 << 20, "memory": 128 << 20}
    if name in ("out of time", "asleep"):
        more["timeout_ms"] = 700
    return more


def run_warm(feed, code, seconds=90, **more):
    """The first result that is not cold: what a program needs may make it one of another kind."""
    end = time.monotonic() + seconds
    while True:
        result = feed.run(code, **more)
        if result["taken"] != "cold" or not result["verdict"]["allowed"] or time.monotonic() > end:
            return result
        time.sleep(0.05)


def test_programs(tap, feed):
    more = arguments("")
    if not tap.ok(feed.warm_up(30, **more), "one becomes ready", feed.stats()):
        return
    for name, code in PROGRAMS.items():
        cold = feed.run(code, warm=False, **arguments(name))
        warm = run_warm(feed, code, **arguments(name))
        if cold["verdict"]["allowed"]:
            tap.ok(warm["taken"] != "cold", name + ": warm", feed.stats())
        a, b = comparable(cold), comparable(warm)
        tap.ok(a == b, name + ": the same", *["%s: cold %r" % (k, a[k]) for k in a if a[k] != b[k]],
               *["%s: warm %r" % (k, b[k]) for k in a if a[k] != b[k]])


def test_what_stays_cold(tap, feed):
    for name, more in {"an environment that Python reads": {"env": ["PYTHONHASHSEED=0"]}}.items():
        for _ in range(3):
            result = feed.run("print(hash('a'))", **more)
        tap.equal(result["taken"], "cold", name)


def test_time_of_children(tap, feed):
    """Of a guest that leaves alone its init tells the time, which knows nothing of children."""
    feed.warm_up()
    result = feed.run("import os, time\nif not os.fork():\n    while time.process_time() < 0.3: pass\n    os._exit(0)\nos.wait()")
    tap.ok(result["taken"] != "cold" and result["cpu_ms"] >= 280, "the time of children counts", result)
    result = feed.run("import os, signal, time\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\nif not os.fork():\n"
                      "    if not os.fork():\n        while time.process_time() < 0.3: pass\n    os._exit(0)\n"
                      "while len([p for p in os.listdir('/proc') if p.isdigit()]) > 2: time.sleep(0.05)\ntime.sleep(0.05)")
    tap.ok(result["taken"] != "cold" and result["cpu_ms"] >= 280, "so does that of orphans", result)
    result = feed.run("import time\nwhile time.process_time() < 0.3: pass")
    tap.ok(result["taken"] != "cold" and result["cpu_ms"] >= 280, "as its own does", result)


def test_long_words(tap, feed):
    """Short arguments go along with the message that starts a run (up to WORDS_INLINE bytes), longer ones in a file."""
    programs = {"python": "import os, sys; print(*map(len, sys.argv[1:]), len(os.environ['LONG']), sys.argv[-1])",
                "bash": "echo ${#1} ${#2} ${#LONG} $2"}
    for language, code in programs.items():
        wrong = []
        for size in (0, 1, 1500, *range(1850, 2060, 3), 4000, 4096, 70_000, 130_000):
            said = run_warm(feed, code, language=language, args=["x" * size, "the end"], env=["LONG=" + "y" * (size // 2000)])
            if said["taken"] == "cold" or said["stdout"] != "%d 7 %d the end\n" % (size, size // 2000):
                wrong.append((size, said["taken"], said["stdout"], said["stderr"][-200:]))
        tap.equal(wrong, [], "%s: arguments of every length" % language)


def test_output_folder(tap, feed):
    with tempfile.TemporaryDirectory() as out:
        feed.warm_up()
        result = feed.run("open('a.bin', 'wb').write(bytes(range(256)))", out=out)
        tap.equal(open(os.path.join(out, "a.bin"), "rb").read(), bytes(range(256)), "files are brought out", result["files"])


def test(tap):
    with Feed() as feed:
        test_programs(tap, feed)
        test_what_stays_cold(tap, feed)
        test_time_of_children(tap, feed)
        test_long_words(tap, feed)
        test_output_folder(tap, feed)
