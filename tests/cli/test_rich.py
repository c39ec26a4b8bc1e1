# SPDX-License-Identifier: Apache-2.0
"""What a plain program shows: display(), figures of matplotlib, frames of pandas, with the distribution's own."""

import base64
import json
import os
import pty
import re
import select
import subprocess
import time

from box import once
from test_daemon_run import Daemon
from test_session import PNG as DOT

PNG = "image/png"
CHART = "application/vnd.glovebox.chart+json"
PLOT = """
import matplotlib.pyplot as plt
print("before")
plt.plot([1, 2, 3], [2, 4, 1], label="a"); plt.title("First")
plt.show()
print("between")
plt.bar(["x", "y"], [1, 2])
"""
# Writes into the pipe itself, as nobody should.
WRITE = "import os\ndisplay('good')\nos.write(744, %r)\ndisplay('more')\nprint('end')"


def has(t, module):
    """In the distribution's Python, which is what runs here."""
    return t.command(["python3", "-c", "import " + module], timeout=120).code == 0


def results(t, *args, **how):
    how.setdefault("timeout", 120)
    r = t.run("--no-daemon", "--json", *args, **how)
    try:
        return r.json, r.json["results"]
    except ValueError:
        t.ok(False, "a document", r)
        return {"stdout": "", "stderr": "", "exit_code": None}, []


def texts(made):
    return [m["data"].get("text/plain") for m in made]


def whys(made):
    return " ".join(d["why"] for m in made for d in m["dropped"])


def test_display(t):
    doc, made = results(t, "-c", "print('a')\ndisplay({'b': 1}, 'c')\nprint('d')")
    t.equal((doc["stdout"], doc["exit_code"], texts(made)), ("a\nd\n", 0, ["{'b': 1}", "'c'"]), "display()")
    t.equal(
        made[:1],
        [{"kind": "display", "data": {"text/plain": "{'b': 1}", "application/json": {"b": 1}},
          "metadata": {}, "dropped": []}],
        "as a session's cell shows it",
    )
    code = "class H:\n  def _repr_html_(self): return '<b>h</b>'\n  def _repr_png_(self): return 1 / 0\ndisplay(H())"
    _, made = results(t, "-c", code)
    t.equal(
        [(m["data"].get("text/html"), m["dropped"][0]["mime"]) for m in made],
        [("<b>h</b>", PNG)],
        "and what went wrong is said",
    )
    doc, made = results(t, "-c", "display(1)\nraise ValueError('x')")
    t.equal((doc["exit_code"], texts(made)), (1, ["1"]), "a program that fails")
    t.ok("glovebox" not in doc["stderr"] and 'main.py", line 2' in doc["stderr"], "has its own traceback", doc)
    doc, made = results(t, "--timeout", "2s", "-c", "display(1)\nwhile True: pass")
    t.equal((doc["timed_out"], texts(made)), (True, ["1"]), "and one that does not end")
    t.write("helper.py", "def show():\n    display('from a file')\n")
    _, made = results(t, "--file", "helper.py", "-c", "import helper\nhelper.show()")
    t.equal(texts(made), ["'from a file'"], "from a file of its own")
    _, made = results(t, "--data", "d=" + t.write("d.json", "[1]"), "-c", "display(d)")
    t.equal(texts(made), ["[1]"], "beside --data")
    _, made = results(t, "-c", "import os, inspect\ninspect.stack()\ndisplay(1)")
    t.equal(texts(made), ["1"], "of a program that looks at frames")
    _, made = results(t, "-c", "import sys\nprint(sys.flags)\ndisplay(1)")
    t.equal(texts(made), ["1"], "or at how it was started")
    doc, made = results(t, "--open-files", "20", "-c", "display(1)")
    t.equal((texts(made), doc["exit_code"]), (["1"], 0), "with few descriptors")


def test_nothing(t):
    """Programs that show nothing notice nothing."""
    code = "import os, builtins\nprint(sorted(os.listdir('/proc/self/fd')), hasattr(builtins, 'dis' + 'play'))"
    doc, made = results(t, "-c", code)
    t.equal((doc["stdout"], made), ("['0', '1', '2', '3'] False\n", []), "no descriptor, no name")
    doc, _ = results(t, "-c", "def display(x): print('mine', x)\ndisplay(1)")
    t.equal((doc["stdout"], doc["results"]), ("mine 1\n", []), "a display of its own")
    code = (
        "import os, subprocess, sys\nlook = 'import os; print(sorted(os.listdir(\"/proc/self/fd\")))'\n"
        "display(1)\nprint(open('/dev/null').fileno())\nsys.stdout.flush()\n"
        "subprocess.run([sys.executable, '-c', look], close_fds=False)\n"
        "if not os.fork():\n    display('child')\n    os._exit(0)\nos.wait()"
    )
    child = "import os\nif not os.fork():\n    display('child')\n    os._exit(0)\nos.wait()\ndisplay(1)"
    _, made = results(t, "-c", child)
    t.equal(texts(made), ["1"], "a child shows nothing")
    doc, made = results(t, "-c", code)
    t.equal((doc["stdout"], texts(made)), ("3\n['0', '1', '2', '3']\n", ["1"]), "nothing is inherited")
    doc, made = results(t, "-c", "import os\ndisplay(1)\nos.closerange(3, 1024)\ndisplay(2)\nprint('fine')")
    t.equal((doc["stdout"], texts(made), doc["exit_code"]), ("fine\n", ["1"], 0), "closing everything")
    doc, made = results(t, "-c", "import os\nos.closerange(3, 1024)\ndisplay(2)\nprint('fine')")
    t.equal((doc["stdout"], made, doc["exit_code"]), ("fine\n", [], 0), "before anything was shown")
    code = (
        "import os\nf = open('out', 'w+')\nfor i in range(4, 760): os.dup2(f.fileno(), i)\n"
        "display(1)\nprint(os.path.getsize('out'))"
    )
    doc, made = results(t, "-c", code)
    t.equal((doc["stdout"], made), ("0\n", []), "and what takes its place is the program's")


HOSTILE = {
    "garbage": (b"garbage, and much more of it than fits\n", ["'good'"], "not a frame"),
    "a message of another kind": (b"call 1 2\n{}", ["'good'", "'more'"], "another kind"),
    "what is not JSON": (b"display 0 3\nxyz", ["'good'", "'more'"], "cannot be read"),
    "text that is none": (b"display 0 8\n\xff\xfe{}{}{}", ["'good'", "'more'"], "cannot be read"),
    "a large promise": (b"display 0 4294967295\n", ["'good'"], "4294967295 bytes"),
    "a frame that swallows the next": (b"display 0 60000000\n", ["'good'"], "incomplete"),
    "control characters": (
        b'display 0 39\n{"data": {"text/plain": "\\u001b[31mx"}}',
        ["'good'", "\x1b[31mx", "'more'"],
        "",
    ),
}


def test_hostile(t):
    for name, (said, kept, why) in HOSTILE.items():
        doc, made = results(t, "-c", WRITE % said)
        found = [text for text in texts(made) if text is not None]
        t.equal((doc["stdout"], doc["exit_code"], doc["error"], found), ("end\n", 0, None, kept), name, made)
        t.ok(why in whys(made), name + ": it is said", made)
    code = "import os\nfor i in range(%d): display(i)\nprint('end')"
    doc, made = results(t, "-c", code % 100)
    t.equal((doc["stdout"], len(made)), ("end\n", 65), "more than 64")
    t.equal(whys(made), "36 more left out: a run may show 64 displays, with 32 MiB in total", "and what was not kept")
    code = (
        "import os\nframe = b'display 0 32\\n' + b'{\"data\": {\"text/plain\": \"more\"}}'\n"
        "display(1)\ntry:\n  while True: os.write(744, frame * 1000)\nexcept OSError as e: print(e.errno)"
    )
    doc, made = results(t, "-c", code)
    t.equal((doc["stdout"], doc["exit_code"], len(made)), ("32\n", 0, 65), "a flood ends", whys(made))
    code = (
        "import os\ndisplay(1)\nclass L:\n  def _repr_html_(self): return 'x' * 7000000\n"
        "for i in range(10): display(L())"
    )
    doc, made = results(t, "-c", code)
    t.equal((len(made), doc["exit_code"]), (6, 0), "7 MB ten times", whys(made))
    t.ok("6 more left out" in whys(made), "of which four fit", whys(made))
    _, made = results(t, "-c", "class L:\n  def _repr_html_(self): return 'x' * 9000000\ndisplay(L())")
    t.equal([(d["mime"], d["bytes"]) for d in made[0]["dropped"]], [("text/html", 9000000)], "9 MB once")
    # Nobody is left who could be waited for.
    code = "import os\ndisplay(1)\nif not os.fork():\n  import time; time.sleep(60)\n  os._exit(0)\nprint('end')"
    doc, made = results(t, "-c", code, timeout=40)
    t.equal((doc["stdout"], texts(made)), ("end\n", ["1"]), "a child that has the pipe")


def test_figures(t):
    if not has(t, "matplotlib"):
        return t.skip("figures", "needs matplotlib in the distribution's Python")
    doc, made = results(t, "-c", PLOT)
    t.equal((doc["stdout"], doc["stderr"], doc["exit_code"]), ("before\nbetween\n", "", 0), "a program that draws")
    t.equal([m["data"][CHART]["type"] for m in made], ["line", "bar"], "each figure once")
    t.equal(
        [base64.b64decode(m["data"][PNG])[:4] for m in made], [b"\x89PNG"] * 2, "as a picture"
    )
    t.equal(made[0]["data"][CHART]["title"], "First", "with its data")
    t.equal(doc["files"], [], "and no file is there because of it")
    r = t.run("--no-daemon", "--events", "-c", PLOT, timeout=120)
    names = [e["event"] for e in r.events]
    # A host without control groups has warnings as well.
    pieces = "".join(e["text"] if e["event"] == "stdout" else "<%s>" % e["event"] for e in r.events
                     if e["event"] not in ("warning", "progress"))
    t.match("<started>before\n<display>between\n<display>", pieces, "--events: when it happens")
    shown = [e["bundle"]["data"][CHART]["type"] for e in r.events if e["event"] == "display"]
    t.equal((shown, names[-1]), (["line", "bar"], "finished"), "what it is")
    t.equal([m["data"][CHART]["type"] for m in r.events[-1]["result"]["results"]], ["line", "bar"], "and at the end")


@once
def test_pandas(t):
    if not has(t, "matplotlib, pandas"):
        return t.skip("frames", "needs matplotlib and pandas in the distribution's Python")
    code = "import pandas as pd\nd = pd.DataFrame({'a': [1, 2]})\ndisplay(d)\nd.plot()\nraise SystemExit(3)"
    doc, made = results(t, "-c", code)
    t.equal(doc["exit_code"], 3, "a frame and its plot")
    t.ok("<table" in made[0]["data"]["text/html"] and PNG in made[1]["data"], "both are shown", made)
    t.write("d.csv", "a\n1\n5\n")
    doc, made = results(t, "--optimize-data", "--file", "d.csv", "-c", "d.plot()")
    t.ok([PNG in m["data"] for m in made] == [True], "of a frame that --optimize-data made", doc)


OUT = """
class P:
    def __init__(self, **made): self.made = made
    def __repr__(self): return '<P>'
    def _repr_mimebundle_(self, include=None, exclude=None): return self.made
display(P(**{'text/html': '<b>1</b>'}), P(**{'image/png': b'\\x89PNG', 'text/html': 'x'}), {'a': 1}, 'four')
display(P(**{'image/svg+xml': '<svg/>', 'application/../../x': 'odd', 'text/markdown': '*'}))
open('display-2.png', 'w').write('its own')
"""


def test_out(t):
    t.write("out/display-1.html", "was there")
    os.symlink("/nonexistent", t.path("here", "out", "display-5.svg"))
    for option in ((), ("--json",), ("--events",)):
        r = t.run("--no-daemon", "--out", "out", *option, "-c", OUT)
        t.ok(r.code == 0 and r.err.count(b"saved out/display-") == 5, "each is saved", r)
        if not option:
            t.equal(r.out, b"<P>\n{'a': 1}\n'four'\n", "text is printed, and a picture's is not", r)
    names = sorted(os.listdir(t.path("here", "out")))
    t.equal(
        names,
        sorted(["display-1.html", "display-1-2.html", "display-1-3.html", "display-1-4.html",
                "display-2.png", "display-2-2.png", "display-2-3.png", "display-2-4.png",
                "display-3.json", "display-3-2.json", "display-3-3.json",
                "display-4.txt", "display-4-2.txt", "display-4-3.txt",
                "display-5.svg", "display-5-2.svg", "display-5-3.svg", "display-5-4.svg"]),
        "in its best form, under a name that is free",
    )
    texts_of = [name for name in names if name != "display-5.svg" and ".png" not in name]
    held = {name: open(t.path("here", "out", name)).read() for name in texts_of}
    t.equal(
        (held["display-1.html"], held["display-1-2.html"], held["display-5-2.svg"],
         json.loads(held["display-3.json"])),
        ("was there", "<b>1</b>", "<svg/>", {"a": 1}),
        "and nothing is written over",
    )
    with open(t.path("here", "out", "display-2-2.png"), "rb") as f:
        t.equal(f.read(), b"\x89PNG", "the picture itself")
    t.equal(open(t.path("here", "out", "display-2.png")).read(), "its own", "beside a file of the program's")
    r = t.run("--no-daemon", "--quiet", "--out", "quiet", "-c", "display(1)")
    t.equal((r.err, os.listdir(t.path("here", "quiet"))), (b"", ["display-1.txt"]), "--quiet")
    r = t.run("--no-daemon", "--out", "none", "-c", "print(1)")
    t.equal((r.err, os.listdir(t.path("here", "none"))), (b"", []), "a program that shows nothing")


PICTURE = """
import base64
class P:
  def _repr_png_(self): return base64.b64decode(b'%s')
display(P()); display('\\x1b[31mred'); print('end')
"""


def on_terminal(t, *args, env=None, seconds=60):
    """All that `glovebox run` says there."""
    master, slave = pty.openpty()
    said, until = b"", time.monotonic() + seconds

    def own():
        import fcntl
        import termios

        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

    p = subprocess.Popen([t.glovebox, "run", "--no-daemon", *args], stdin=slave, stdout=slave, stderr=slave,
                         env=t.env(env), cwd=t.dir, preexec_fn=own)
    os.close(slave)
    while time.monotonic() < until:
        if select.select([master], [], [], 0.1)[0]:
            try:
                said += os.read(master, 65536)
            except OSError:
                break
    p.kill()
    p.wait()
    os.close(master)
    return said.decode("utf-8", "replace")


@once
def test_terminal(t):
    code = t.write("p.py", PICTURE % DOT)
    for env, pattern in (
        ({"TERM": "xterm-kitty"}, r"^\x1b_Ga=T,.*\x1b\\\r?\n'\\x1b\[31mred'\r\nend\r\n$"),
        ({"TERM": "dumb"}, r"^<__main__.P object.*>\r\n'\\x1b.*end\r\nglovebox: a picture could not be shown here;"),
    ):
        t.match(pattern, on_terminal(t, code, env=env), env["TERM"])
    r = t.run("--no-daemon", code)
    t.equal(r.out, b"'\\x1b[31mred'\nend\n", "no terminal: what is text")
    t.match("a picture could not be shown here; --out FOLDER saves it", r.err, "and a word about the picture")
    r = t.run("--no-daemon", "-c", WRITE % b"garbage, and much more of it than fits\n")
    t.match("glovebox: left out: .*not a frame", r.err, "and about what was left out")


def test_daemon(t):
    code = "display({'a': 1}, 'b')\nprint('end')"
    with Daemon(t) as d:
        for option in ((), ("--json",), ("--events",)):
            there = t.run(*option, "--out", "there", "-c", code, env=d.env, stdin=subprocess.DEVNULL)
            here = t.run(*option, "--no-daemon", "--out", "here", "-c", code)
            t.equal(there.code, 0, "through a daemon", there)
            if option == ("--json",):
                shown = there.json["results"]
                t.equal((shown, len(shown)), (here.json["results"], 2), "the same results")
            elif option:
                t.equal(
                    [e["bundle"] for e in there.events if e["event"] == "display"],
                    [e["bundle"] for e in here.events if e["event"] == "display"],
                    "the same events",
                )
            else:
                t.equal((there.out, re.sub(b"there/", b"here/", there.err)), (here.out, here.err), "the same words")
        t.equal(sorted(os.listdir(t.path("here", "there"))), sorted(os.listdir(t.path("here", "here"))), "and files")
        t.ok(d.answers(3), "which the daemon did", d.requests())
