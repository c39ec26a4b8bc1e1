# SPDX-License-Identifier: Apache-2.0
"""A session whose interpreter was started before somebody asked is as one that was started cold."""

import os
import shutil
import signal
import time

from feed import Feed, Session, ended, state

LANGUAGES = {
    "javascript": ("node", "const fs = require('fs'); console.log(fs.readdirSync('.').join(), process.env.WORD, process.env.A_B)",
                   "x = 41", "console.log(x + 1)", "while (true) {}", "process.kill(process.pid, 'SIGKILL')"),
    "r": ("Rscript", "cat(list.files(), Sys.getenv('WORD'), Sys.getenv('A_B'), '\\n')", "x <- 41", "cat(x + 1, '\\n')",
          "repeat {}", "tools::pskill(Sys.getpid(), 9)"),
    "bash": ("bash", "echo $(ls) $WORD $(env | sed -n 's/^A_B=//p')", "x=41", "echo $((x + 1))", "while :; do :; done", "exit 3"),
}
GIVEN = {"inputs": {"a.txt": "a"}}
ENV = {"env": ["WORD=one", "A_B=two words"]}


def hits(feed):
    return feed.ask("pool")["hits"]


def until_ready(feed, seconds=90):
    """Until all that the pool wants to have waiting waits."""
    end = time.monotonic() + seconds
    while feed.ask("pool")["ready"] < 1 and time.monotonic() < end:
        time.sleep(0.05)


def session(feed, lang, warm=True, **more):
    """One that was ready, if that comes to be."""
    end = time.monotonic() + 90
    while True:
        before = hits(feed)
        s = Session(feed, lang=lang, **more)
        if not warm or hits(feed) > before or time.monotonic() > end:
            s.ready = hits(feed) > before
            return s
        s.ask("close")
        until_ready(feed)


def told(s, cells):
    """What its cells do, in every way that can be compared."""
    found = []
    for code in cells:
        r = s.run(code, wall_ms=1500 if code == cells[3] else 20000)
        found.append((ended(r), r["exit_code"], r["stdout"], [f["path"] for f in r["files"]]))
    return found


def test_language(t, lang, program, *cells):
    if not shutil.which(program, path="/usr/bin:/usr/local/bin:/bin"):
        t.skip(lang, "needs " + program)
        return
    given = dict(GIVEN) if lang == "r" else dict(GIVEN, **ENV)  # R reads too many of them when it starts
    with Feed() as feed:
        with Session(feed, lang=lang, **given) as s:
            t.ok(s.opened.get("ok"), lang + ": opens", s.opened)
            cold = told(s, cells)
            t.ok("a.txt" in cold[0][2] and cold[2][2].strip() == "42", lang + ": works", cold)
    with Feed("warm") as feed:
        s = session(feed, lang, **given)
        t.ok(s.ready, lang + ": was ready", feed.ask("pool"))
        warm = told(s, cells)
        t.equal(warm, cold, lang + ": the same")
        t.equal(s.ask("restart").get("ok"), True, lang + ": restarts")
        t.equal(s.run(cells[0])["stdout"], cold[0][2], lang + ": with its environment and files")
        s.ask("close")
        test_early(t, feed, lang, cells)
        test_deaths(t, feed, lang, cells)


def test_early(t, feed, lang, cells):
    """What an interpreter reads at its start cannot come later."""
    before = hits(feed)
    with Session(feed, lang=lang, env=["LANG=C"]) as s:
        t.equal((s.run(cells[1])["success"], hits(feed)), (True, before), lang + ": with LANG it starts cold")


def children(pid):
    found, more = set(), {pid}
    while more:
        below = set()
        for name in os.listdir("/proc"):
            if name.isdigit():
                try:
                    with open("/proc/%s/stat" % name) as f:
                        if int(f.read().rpartition(")")[2].split()[1]) in more:
                            below.add(int(name))
                except (OSError, IndexError):
                    pass
        more = below - found
        found |= below
    return found


def test_deaths(t, feed, lang, cells):
    """One that is killed while it waits is nobody's trouble."""
    session(feed, lang).ask("close")
    until_ready(feed)
    waiting = children(feed.process.pid)
    for pid in waiting:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    end = time.monotonic() + 90
    while time.monotonic() < end and any(state("/proc/%d" % p) not in ("gone", "Z") for p in waiting):
        time.sleep(0.05)
    t.ok(waiting, lang + ": somebody waited")
    with Session(feed, lang=lang) as s:
        t.ok(s.opened.get("ok") and s.run(cells[1])["success"], lang + ": killed while it waited, another is started", s.opened)


# What a program can see of the interpreter: its own names, how deep it may go, what streams it has, what it began with.
STATE = """import gc, linecache, os, signal, sys
said = [sys.argv, sys.orig_argv, sys.path, [f if isinstance(f, type) else type(f) for f in sys.meta_path], sys.flags, dir(),
        sorted(vars(sys.modules['builtins'])), sys.getrecursionlimit(), signal.getsignal(2), sorted(linecache.cache),
        sorted(os.listdir('/proc/self/fd')), sorted(k for k in vars(sys) if 'last' in k), gc.isenabled(), gc.get_threshold(),
        [[f.name, f.mode, f.encoding, f.errors, f.line_buffering, f.seekable(), f.isatty(), f.fileno()]
         for f in (sys.stdin, sys.stdout, sys.stderr)],
        sys.stdout is sys.__stdout__, sys.stdin is sys.__stdin__, dict(os.environ), os.getcwd(), sys.modules['__main__'].__dict__ is globals()]
print(*map(repr, said), sep='\\n')"""


PRIVATE = """import sys
with open('/proc/self/smaps_rollup') as f:
    kib = sum(int(line.split()[1]) for line in f if line.startswith('Private_'))
kib, kib / (1 if sys.version_info >= (3, 11) else 1.6)"""


def test_python(t):
    """Its server was made in the zygote that it was forked from."""
    def seen(s):
        return s.run(STATE)["stdout"].replace("'<cell 1>', ", "").splitlines()

    with Feed() as feed, Session(feed, cold=True) as s:
        cold = seen(s)
    with Feed("warm") as feed:
        Session(feed, forks=1).ask("close")
        with Session(feed, forks=1) as s:
            warm = seen(s)
            t.ok(len(cold) > 15, "python: says what it sees", cold)
            t.equal([pair for pair in zip(warm, cold) if pair[0] != pair[1]], [], "python: the same")
        with Session(feed, forks=1) as s:
            kib, usual = s.run(PRIVATE)["value"]["items"]  # older interpreters write more into their code
            t.ok(0 < usual < 1800, "python: little memory of its own", kib)


def test_preload(t):
    """What cannot be loaded before, as what wants a folder to write to, is loaded then; and what can, works as ever."""
    plots = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()"
    with Feed("warm") as feed:
        with Session(feed) as s:
            has_plots = s.run("from importlib.util import find_spec\nbool(find_spec('matplotlib') and find_spec('pandas'))")["value"]
        for names in (["logging"], ["matplotlib.pyplot"], ["numpy", "pandas", "matplotlib.pyplot"]):
            if "matplotlib.pyplot" in names and not has_plots:
                t.skip("preload %s" % names, "this Python does not have them")
                continue
            for _ in range(2):
                with Session(feed, forks=1, preload=names) as s:
                    t.ok(s.opened.get("ok"), "preload %s: opens" % names, s.opened)
                    t.equal(s.run("import sys\n[n for n in %r if n in sys.modules]" % names)["value"], names, "has them")
                    r = s.run(plots if "matplotlib.pyplot" in names else "import logging\nlogging.getLogger('a').name")
                    t.ok(r["success"] and r["results"], "which work", r)


def test(t):
    test_python(t)
    test_preload(t)
    for lang, more in LANGUAGES.items():
        test_language(t, lang, *more)
