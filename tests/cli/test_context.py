# SPDX-License-Identifier: Apache-2.0
"""run --context: what an agent remembers between runs."""

import base64
import json
import os
import signal
import subprocess
import time

from test_daemon_run import Daemon

COUNTS, RESULTS = "_code_executor_error_counts", "_code_execution_results"
INPUTS, CONTEXT = "_code_executor_input_files", "_code_execution_context"


def load(t, name="c.json"):
    with open(t.path("here", name)) as f:
        return json.load(f)


def test_results(t):
    before = int(time.time())
    done = t.run("--context", "c.json", "--invocation", "i1", "-c", "print('h\u00e9')")
    t.exits(done, 0, "a new document", "h\u00e9\n".encode())
    doc = load(t)
    [entry] = doc[RESULTS].pop("i1")
    t.ok(before <= entry.pop("timestamp") <= time.time(), "the time, in seconds")
    t.equal(
        entry,
        {"code": "print('h\u00e9')", "result_stdout": "h\u00e9\n", "result_stderr": ""},
        "what came of it",
    )
    t.equal(doc, {RESULTS: {}}, "and nothing else")
    t.equal(os.stat(t.path("here/c.json")).st_mode & 0o777, 0o600, "for nobody else")
    t.run("--context", "c.json", "-c", "import sys; sys.stderr.write('warned')")
    t.run("--context", "c.json", "-c", "import os; os._exit(3)")
    t.run("--context", "c.json", "--timeout", "300ms", "-c", "while 1: pass")
    entries = load(t)[RESULTS][""]
    t.equal(entries[0]["result_stderr"], "warned", "what it wrote to standard error")
    t.ok(entries[2]["result_stderr"].startswith("Execution timeout"), "why, when it was silent")
    t.equal(load(t)[COUNTS], {"": 2}, "a warning is no error; an exit and a timeout are")
    t.equal([n for n in os.listdir(t.dir) if n != "c.json"], [], "nothing lies beside it")


def test_kept(t):
    mine = {"user": {"a": [1, 2.5, None, "\u00e9\u0000"]}, CONTEXT: {"mine": 1, "processed_input_files": ["x"]}}
    t.write("c.json", json.dumps(mine), 0o640)
    t.run("--context", "c.json", "--execution-id", "e1", "-c", "1")
    doc = load(t)
    t.equal(doc["user"], mine["user"], "the user's own keys")
    t.equal(
        doc[CONTEXT],
        {"mine": 1, "processed_input_files": ["x"], "execution_session_id": "e1"},
        "also inside",
    )
    t.equal(os.stat(t.path("here/c.json")).st_mode & 0o777, 0o640, "its mode")
    t.run("--context", "c.json", "--invocation", "i", "--execution-id", "e2", "-c", "1")
    t.run("--context", "c.json", "--invocation", "k", "--execution-id", "e3", "-c", "1")
    doc = load(t)[CONTEXT]
    t.equal(doc["execution_session_id"], "e1", "the session's id")
    t.equal(
        {k: v["execution_session_id"] for k, v in doc["invocations"].items()},
        {"i": "e2", "k": "e3"},
        "is not an invocation's",
    )


def test_errors(t):
    args = ("--context", "c.json", "--invocation", "i")
    for n in range(1, 4):
        t.exits(t.run(*args, "-c", "1/0"), 1, "error %d" % n)
        t.equal(load(t)[COUNTS], {"i": n}, "is counted")
    done = t.run(*args, "-c", "print('ran')")
    t.refused(done, 126, "Failed after 3 attempts: invocation 'i'", "then nothing is run")
    done = t.run("--json", *args, "-c", "print('ran')")
    verdict = done.json["verdict"]
    t.equal(
        (done.code, verdict["allowed"], verdict["stage"], done.json["attempts"]),
        (126, False, "context", 0),
        "in JSON as well",
    )
    t.equal(len(load(t)[RESULTS]["i"]), 3, "and nothing is written down")
    done = t.run("--context", "c.json", "--invocation", "k", "-c", "print('ran')")
    t.exits(done, 0, "for another invocation it is", b"ran\n")
    t.exits(t.run("--retries", "3", *args, "-c", "print(1)"), 0, "with more retries, too", b"1\n")
    t.equal(load(t)[COUNTS], {"i": 0}, "and a success begins anew")
    t.exits(t.run("--retries", "0", *args, "-c", "1/0"), 1, "no retries: one error")
    t.equal(t.run("--retries", "0", *args, "-c", "1").code, 126, "is enough")


def test_whose_error(t):
    args = ("--context", "c.json", "--invocation", "i")
    t.equal(t.run(*args, "-c", "print(").code, 126, "a program that is refused")
    doc = load(t)
    t.equal(doc[COUNTS], {"i": 1}, "is an error")
    t.match("SyntaxError", doc[RESULTS]["i"][0]["result_stderr"], "and says why")
    t.equal(t.run(*args, "--require", "nothing", "-c", "1").code, 2, "a wrong option")
    t.equal(t.run(*args, "--lang", "cobol", "-c", "1").code, 2, "an unknown language")
    t.equal(load(t), doc, "are not")
    p = t.start("run", *args, "-c", "import time; print('x', flush=True); time.sleep(60)")
    p.stdout.read(1)
    p.send_signal(signal.SIGINT)
    p.communicate()
    t.equal(load(t), doc, "nor is Ctrl-C")


def test_inputs(t):
    binary = b"\0\xff\r\n" * 100
    t.write(
        "c.json",
        json.dumps(
            {
                INPUTS: [
                    {"name": "d/a.bin", "content": base64.b64encode(binary).decode(), "mime_type": "x"},
                    {"name": "b.txt", "content": "abcd", "encoding": "utf-8"},
                    {"name": "c.txt", "content": "YWJjZA==", "encoding": "base64"},
                ]
            }
        ),
    )
    code = "import sys; print([open(n, 'rb').read() for n in ('d/a.bin', 'b.txt', 'c.txt')])"
    done = t.run("--context", "c.json", "-c", code)
    t.exits(done, 0, "its files are inside", ("%r\n" % [binary, b"abcd", b"abcd"]).encode())
    t.write("b.txt", "mine")
    done = t.run("--context", "c.json", "--file", "b.txt", "-c", "print('ran')")
    t.refused(done, 2, "two inputs would both be 'b.txt'", "one of the same name")
    for name in ("../x", "/etc/x", "", "a\u0000b"):
        t.write("d.json", json.dumps({INPUTS: [{"name": name, "content": ""}]}))
        done = t.run("--context", "d.json", "-c", "print('ran')")
        t.refused(done, 2, "name", "a name that is none: %r" % name)
    t.write("d.json", json.dumps({INPUTS: [{"name": "a", "content": "no base64"}]}))
    done = t.run("--context", "d.json", "-c", "print('ran')")
    t.refused(done, 2, r"d\.json: _code_executor_input_files\.0: .*utf-8", "content that is none")


def test_explored(t):
    t.write("a.csv", "x,y\n1,2\n")
    args = ("--optimize-data", "--context", "c.json", "--file", "a.csv")
    one = ("--invocation", "i1", "-c", "print(len(a))")
    first, second = t.run(*args, *one), t.run(*args, *one)
    t.match(rb"^Processing input file: `a.csv`\nTotal rows: 1\n.*\n1\n$", first.out, "explored once")
    t.exits(second, 0, "and read again, but not reported", b"1\n")
    other = t.run(*args, "--invocation", "i2", "-c", "print(len(a))")
    t.equal(other.out, first.out, "another invocation has a list of its own")
    t.equal(
        {k: v["processed_input_files"] for k, v in load(t)[CONTEXT]["invocations"].items()},
        {"i1": ["a.csv"], "i2": ["a.csv"]},
        "which is in the document",
    )
    t.write("e.json", json.dumps({INPUTS: [{"name": "a.csv", "content": "eCx5CjEsMgo="}]}))
    done = t.run("--optimize-data", "--context", "e.json", "-c", "print(len(a))")
    t.equal(done.out, first.out, "a file of the document's as well")
    t.equal(load(t, "e.json")[CONTEXT], {"processed_input_files": ["a.csv"]}, "for the session")


def test_broken(t):
    for text, pattern in (
        ("{", "line 1, column 1"),
        ('{"a": 1,\n "b" 2}', "line 2, column"),
        ("[1]", "line 1: must be an object"),
        (json.dumps({COUNTS: {"i": "2"}}), COUNTS + r"\.i: must be a whole number"),
        (json.dumps({CONTEXT: {"processed_input_files": "x"}}), r"processed_input_files: must be a list"),
    ):
        t.write("c.json", text)
        done = t.run("--context", "c.json", "-c", "print('ran')")
        t.refused(done, 2, r"--context: \S*/c\.json: .*" + pattern, "%.30r" % text)
        t.equal(open(t.path("here/c.json")).read(), text, "stays as it is")
    t.refused(t.run("--context", ".", "-c", "print(1)"), 2, "Is a directory|is not a file", "a folder")
    t.refused(t.run("--context", "no/c.json", "-c", "print(1)"), 2, "No such file", "no folder")
    t.refused(t.run("--invocation", "i", "-c", "print(1)"), 2, "needs --context", "an id alone")
    t.refused(t.run("--execution-id", "i", "-c", "print(1)"), 2, "needs --context", "another")
    done = t.run("--context", "c.json", "--invocation", "a\nb", "-c", "print(1)")
    t.refused(done, 2, "--invocation: holds a control character", "an odd id")
    os.remove(t.path("here/c.json"))
    for line in ("context = c.json\n", "invocation = i\n", "execution-id = i\n"):
        t.project(line)
        done = t.run("-c", "print(1)")
        t.ok(done.code == 2 and b"glovebox.conf" in done.err, "not from a project's file: " + line, done)
    t.ok(not os.path.exists(t.path("here/c.json")), "which makes no file")


def test_killed(t):
    """Whenever it is killed, the document is whole and loses nothing that was in it."""
    whole = last = 0
    t.write("c.json", "{}")
    for n in range(20):
        p = t.start("run", "--context", "c.json", "-c", "print(%d)" % n)
        time.sleep(0.01 * (n % 10) + 0.005)
        p.kill()
        p.communicate()
        now = len(load(t).get(RESULTS, {}).get("", []))
        whole += now in (last, last + 1)
        last = now
    t.equal(whole, 20, "killed twenty times")
    t.exits(t.run("--context", "c.json", "-c", "print(1)"), 0, "and it goes on", b"1\n")


def test_together(t):
    runs = [
        t.start("run", "--context", "c.json", "--invocation", "i%d" % (n % 4), "-c", "print(%d); %d/0" % (n, n))
        for n in range(8)
    ]
    for p in runs:
        p.communicate()
    doc = load(t)
    t.equal(sum(map(len, doc[RESULTS].values())), 8, "eight at once all leave their results", doc)
    t.equal(sum(doc[COUNTS].values()), 8, "and their errors")


def test_command(t):
    """glovebox context."""
    t.write("c.json", json.dumps({
        "mine": 1,
        INPUTS: [{"name": "a.csv", "content": "YWJjZA=="}, {"name": "b\u001b.txt", "content": "%%"}],
        COUNTS: {"i": 3, "k": 1, "": 5},
        RESULTS: {"i": [{"code": "1"}]},
        CONTEXT: {"execution_session_id": "e", "processed_input_files": ["a.csv"],
                  "invocations": {"j": {"processed_input_files": ["a.csv"], "other": 2}}},
    }))
    before = load(t)
    done = t.box("context", "show", "c.json")
    t.exits(done, 0, "show", b"""execution id: e
2 input files:
  a.csv: 4 bytes
  b\\x1b.txt: the content is not in its encoding
4 invocations:
  "": 5 errors, 0 results; explored: a.csv
  j: 0 errors, 0 results; explored: a.csv
  i: 3 errors, 1 result
  k: 1 error, 0 results
""")
    doc = t.box("context", "show", "--json", "c.json").json
    t.equal((doc["execution_id"], doc["input_files"]),
            ("e", [{"name": "a.csv", "size": 4}, {"name": "b\u001b.txt", "size": None}]), "in JSON")
    t.equal(doc["invocations"][2], {"id": "i", "execution_id": "i", "errors": 3, "results": 1,
                                    "processed_input_files": []}, "an invocation in JSON")
    t.equal(load(t), before, "show changes nothing")
    t.exits(t.box("context", "clear", "c.json"), 0, "clear", b"cleared 2 input files\n")
    before[INPUTS] = before[CONTEXT]["processed_input_files"] = []
    before[CONTEXT]["invocations"]["j"]["processed_input_files"] = []
    t.equal(load(t), before, "only the files and the explored names are gone")
    t.exits(t.box("context", "clear", "c.json"), 0, "clear again", b"cleared 0 input files\n")
    done = t.run("--context", "c.json", "--invocation", "i", "-c", "1")
    t.refused(done, 126, "run 'glovebox context reset c.json --invocation \"i\"'", "a refusal names the command")
    t.exits(t.box("context", "reset", "c.json", "--invocation", "i"), 0, "reset one", b"reset 1 error count\n")
    before[COUNTS]["i"] = 0
    t.equal(load(t), before, "only this one")
    t.exits(t.run("--context", "c.json", "--invocation", "i", "-c", "1"), 0, "it runs again", b"")
    t.exits(t.box("context", "reset", "c.json", "--invocation", "nobody"), 0, "an unknown one",
            b"reset 0 error counts\n")
    t.exits(t.box("context", "reset", "c.json", "--invocation", "", "--json"), 0, "the empty name",
            b'{\n  "reset": 1\n}\n')
    t.equal(load(t)[COUNTS], {"i": 0, "k": 1, "": 0}, "not all")
    t.exits(t.box("context", "reset", "c.json"), 0, "reset all", b"reset 1 error count\n")
    t.equal(load(t)[COUNTS], {"i": 0, "k": 0, "": 0}, "all")


def test_command_refused(t):
    t.write("c.json", "{}")
    t.write("broken.json", '{"%s": 3}' % COUNTS)
    for args, words in (((), "show, clear or reset"), (("shw", "c.json"), "did you mean 'show'"),
                        (("show",), "takes one file"), (("show", "c.json", "c.json"), "takes one file"),
                        (("clear", "--invocation", "i", "c.json"), "--invocation does not apply"),
                        (("reset", "--invocation", "a\nb", "c.json"), "control character"),
                        (("show", "."), "is not a file"), (("clear", "none.json"), "none.json: No such file"),
                        (("reset", "broken.json"), "%s: must be an object" % COUNTS)):
        t.refused(t.box("context", *args), 2, words, "context " + " ".join(args))
    t.equal(os.path.exists(t.path("here/none.json")), False, "no file is created")
    t.exits(t.box("context", "show", "c.json"), 0, "an empty document",
            b'execution id: ""\n0 input files\n0 invocations\n')
    if os.geteuid():
        os.chmod(t.path("here/c.json"), 0o400)
        t.equal(t.box("context", "show", "c.json").code, 0, "a file that can only be read")


def test_daemon(t):
    """With a daemon, everything is as without one."""
    inputs = json.dumps({"mine": 1, INPUTS: [{"name": "a.csv", "content": "eCx5CjEsMgo="}]})
    runs = (
        (("--execution-id", "e", "--optimize-data"), "print(len(a))"),
        (("--optimize-data",), "print(len(a))"),
        ((), "1/0"),
        ((), "print("),
        (("--json",), "print(1)"),
        (("--retries", "0"), "import sys; sys.exit(3)"),
        (("--retries", "0"), "print('ran')"),
        (("--invocation", "a\n"), "print('ran')"),
    )
    with Daemon(t) as d:
        seen = []
        for name, env in (("there.json", d.env), ("here.json", {})):
            t.write(name, inputs)
            said = []
            for args, code in runs:
                r = t.run("--context", name, "--invocation", "i", *args, "-c", code, env=env)
                out = r.json["context"] if "--json" in args else r.out
                said.append((r.code, out, r.err.replace(name.encode(), b"")))
            doc = load(t, name)
            for entry in doc[RESULTS]["i"]:
                entry.pop("timestamp")
            seen.append((said, doc))
        for (args, code), there, here in zip(runs, seen[0][0], seen[1][0]):
            t.equal(there, here, "%s %s: the same" % (" ".join(args), code))
        t.equal(seen[0][1], seen[1][1], "and so is the document")
        t.ok(d.answers(6) and d.requests() == 6, "the daemon ran all but the refused ones", d.requests())
        t.equal(t.run("--context", "new.json", "-c", "1", env=d.env).code, 0, "a missing file")
        t.equal(os.stat(t.path("here/new.json")).st_mode & 0o777, 0o600, "is created for nobody else")


def test_daemon_overlap(t):
    """A run keeps what others wrote while the daemon had its copy."""
    code = "import time; print('x', flush=True); time.sleep(%s); %s"
    with Daemon(t) as d:
        slow = t.start("run", "--context", "c.json", "-c", code % (2, "print('slow')"), env=d.env,
                       stdin=subprocess.DEVNULL)
        slow.stdout.read(2)
        t.run("--context", "c.json", "-c", "print('quick')", env=d.env)
        t.run("--context", "c.json", "-c", "1/0", env=d.env)
        t.equal(load(t)[COUNTS], {"": 1}, "a failure meanwhile")
        slow.communicate()
        doc = load(t)
        t.equal([e["result_stdout"] for e in doc[RESULTS][""]], ["quick\n", "", "x\nslow\n"], "all results are there")
        t.equal(doc[COUNTS], {"": 0}, "and the last success counts")
        before = load(t)
        p = t.start("run", "--context", "c.json", "-c", code % (60, "1"), env=d.env, stdin=subprocess.DEVNULL)
        p.stdout.read(2)
        p.send_signal(signal.SIGINT)
        p.communicate()
        t.equal(load(t), before, "Ctrl-C changes nothing")
        t.write("big.json", json.dumps({"mine": "x" * (5 << 20)}))
        t.ok(d.answers(4), "the daemon has ended that run", d.requests())
        t.exits(t.run("--context", "big.json", "-c", "print(1)", env=d.env), 0, "a large document", b"1\n")
        t.equal(d.requests(), 4, "stays here")
