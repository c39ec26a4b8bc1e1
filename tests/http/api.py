# SPDX-License-Identifier: Apache-2.0
"""What can be asked for, but sessions."""

import base64
import json
import re
import subprocess

from daemon import GLOVEBOX, Daemon
from procs import wait_for

PLUS = "def f(a):\n    return a + 1\n"


def test_run(tap, d):
    r = d.run("print(6 * 7)").json
    tap.equal((r["stdout"], r["success"], r["exit_code"]), ("42\n", True, 0), "a program runs")
    r = d.run("import sys; print('no', file=sys.stderr); sys.exit(3)")
    tap.equal((r.status, r.json["exit_code"], r.json["stderr"]), (200, 3, "no\n"),
              "what a program does is an answer, not an error")
    r = d.run("import sys; print(sys.stdin.read(), sys.argv[1:], __import__('os').environ['A'])",
              stdin="in\0put", args=["x", "y z"], env={"A": "b=c"}, no_check=True).json
    tap.equal(r["stdout"], "in\0put ['x', 'y z'] b=c\n", "stdin, args, env")
    r = d.run("console.log(1+1)", language="js").json
    tap.equal((r["language"], r["stdout"]), ("javascript", "2\n"), "another language")
    r = d.run("echo hi", filename="x.sh").json
    tap.equal((r["language"], r["stdout"]), ("bash", "hi\n"), "a language by the file's name")
    r = d.run("while True: pass", timeout_ms=300).json
    tap.equal((r["timed_out"], r["exit_code"]), (True, 124), "timeout_ms")
    r = d.run("x = b'x' * (200 << 20)", memory_bytes=64 << 20).json
    tap.ok(not r["success"] and (r["oom_killed"] or r["exception"]), "memory_bytes", r)
    r = d.run("print('x' * 100000)", output_limit_bytes=1000).json
    tap.equal((r["stdout_truncated"], r["stdout_bytes"]), (True, 100001), "output_limit_bytes")
    r = d.run("import socket").json
    tap.ok(not r["verdict"]["allowed"] or r["success"], "the guard's verdict is in it", r["verdict"])
    r = d.run("import numpy_is_not", forbid_imports=["numpy_is_not"]).json
    tap.equal((r["success"], r["verdict"]["allowed"]), (False, False), "forbid_imports")
    r = d.run("x = 1 +").json
    tap.equal(r["verdict"]["stage"], "syntax", "what does not compile is not run")
    r = d.run("print(helper)", prelude="helper = 5").json
    tap.equal(r["stdout"], "5\n", "prelude", r)
    r = d.run("print(sales['n'])", data={"sales": {"n": [1, 2]}}).json
    tap.equal(r["stdout"], "[1, 2]\n", "data", r)
    r = d.run("print(a, b, c)", data={"a": [{"$type": "tuple", "items": [1]}], "b": {"$type": "date"}, "c": {"$type": "Mine"}}).json
    tap.equal(r["stdout"], "[(1,)] {'$type': 'date'} {'$type': 'Mine'}\n", "data that is typed JSON, or somebody else's", r)
    r = d.run("print(1)", require=["no-such-layer"])
    tap.equal(r.status, 400, "require names a layer", r)


def test_files(tap, d):
    code = "print(open('a.txt').read(), open('d/b.bin', 'rb').read())\nopen('new', 'wb').write(b'\\xff')"
    files = [{"name": "a.txt", "content": "é"},
             {"path": "d/b.bin", "content": base64.b64encode(b"\0\1").decode(), "encoding": "base64"}]
    r = d.run(code, files=files, collect=True).json
    tap.equal(r["stdout"], "é b'\\x00\\x01'\n", "files go in", r["stderr"])
    new = [f for f in r["files"] if f["path"] == "new"]
    tap.equal([f.get("content_base64") for f in new], ["/w=="], "files come back", r["files"])
    r = d.run("print(open('a').read() + open('b/c').read())", files={"a": "1", "b/c": "2"}).json
    tap.equal(r["stdout"], "12\n", "files as an object", r["stderr"])
    r = d.run("open('x', 'w').write('x' * 1000)", collect=True, collect_bytes=10).json
    tap.ok("content_skipped" in r["files"][0], "what does not fit is said", r["files"])
    r = d.run("import os; os.symlink('/etc/passwd', 'link')", collect=True, no_check=True).json
    tap.ok(all("content_base64" not in f for f in r["files"]), "no link is followed", r["files"])
    for name in ("/etc/x", "../x", "a/../../x", ""):
        r = d.run("pass", files={name: "x"})
        tap.equal(r.status, 400, "no file named %r" % name, r)
    r = d.run("pass", files=[{"name": "a", "content": "!", "encoding": "base64"}])
    tap.equal(r.status, 400, "what is not base64", r)


def test_events(tap, d):
    code = "print('é'); open('f', 'w').write('x')"
    r = d.post("/v1/run", {"code": code, "collect": True}, lines=True)
    events = [e["event"] for e in r.lines if e["event"] != "progress"]
    events = [e for e, before in zip(events, [None] + events) if e != before]
    tap.equal(r.headers["Content-Type"], "application/x-ndjson", "lines when asked for")
    tap.equal(events, ["verdict", "started", "stdout", "file", "finished"], "events in order")
    result = r.lines[-1]["result"]
    tap.equal((result["stdout"], result["files"][0]["content_base64"]), ("é\n", "eA=="),
              "the last line has the result")
    r = d.post("/v1/run", {"code": 1}, lines=True)
    tap.equal(r.status, 400, "an error before the first line has a status", r)
    r = d.post("/v1/run", {"code": "print('x' * 3000000)", "output_limit_bytes": 4 << 20}, lines=True)
    text = "".join(e["text"] for e in r.lines if e["event"] == "stdout")
    tap.equal(len(text), 3000001, "much output arrives whole")


def test_progress(tap, d):
    """A long quiet run can be told from a dead one."""
    c = d.begin("POST", "/v1/run", {"code": "x = b'x' * (40 << 20)\nwhile True: pass", "timeout_ms": 60000}, lines=True)
    answer, told = c.getresponse(), []
    while len(told) < 2 or told[-1].get("memory_bytes", 1 << 40) <= 40 << 20:  # a slow start
        e = json.loads(answer.readline())
        if e["event"] in ("progress", "finished"):
            told.append(e)
    c.close()
    tap.ok(all(e["event"] == "progress" and e["elapsed_ms"] >= 900 * (i + 1) for i, e in enumerate(told)),
           "progress each second", told)
    counts = [e["cpu_ms"] for e in told if e["cpu_ms"] is not None]
    tap.ok(counts in (sorted(counts), []) and (not counts or len(counts) == len(told)), "processor time never falls", told)
    last = told[-1]
    tap.ok(40 << 20 < last.get("memory_bytes", 0) < 1 << 30 and (last["cpu_ms"] is None or last["cpu_ms"] > 0),
           "with memory and processor time", told)


COUNTS, RESULTS = "_code_executor_error_counts", "_code_execution_results"


def test_context(tap, d):
    context = {"mine": [1, "\u00e9"], "_code_executor_input_files": [{"name": "a.csv", "content": "eCx5CjEsMgo="}]}
    r = d.run("print(open('a.csv').read())", context=context, invocation="i", execution_id="e").json
    tap.equal(r["stdout"], "x,y\n1,2\n\n", "context: its files are inside", r["stderr"])
    after = r["context"]
    tap.equal([e["result_stdout"] for e in after[RESULTS]["i"]], [r["stdout"]], "the result is in the copy")
    tap.equal(after["_code_execution_context"], {"invocations": {"i": {"execution_session_id": "e"}}}, "and the id")
    tap.equal({k: after[k] for k in context}, context, "the rest is as it was")
    for n in (1, 2, 3):
        after = d.run("1/0", context=after, invocation="i").json["context"]
        tap.equal(after[COUNTS], {"i": n}, "failure %d is counted" % n)
    r = d.run("print('ran')", context=after, invocation="i")
    tap.equal((r.status, r.json["stdout"], r.json["verdict"]["stage"], r.json["context"]),
              (403, "", "context", after), "then the invocation is refused")
    tap.ok("_code_executor_error_counts to 0" in r.json["error"]["message"], "which says what to do", r)
    r = d.run("print('ran')", context=after, invocation="i", retries=3).json
    tap.equal((r["stdout"], r["context"][COUNTS]), ("ran\n", {"i": 0}), "more retries permit it")
    r = d.run("print(len(a))", context=context, optimize_data=True).json
    again = d.run("print(len(a))", context=r["context"], optimize_data=True).json
    tap.ok("Total rows: 1" in r["stdout"] and again["stdout"] == "1\n", "a table is reported once",
           r["stdout"] + again["stdout"])
    tap.equal(d.run("print(1)").json["context"], None, "without one there is none")
    lines = d.post("/v1/run", {"code": "print(1)", "context": {}}, lines=True).lines
    tap.equal(len(lines[-1]["result"]["context"][RESULTS][""]), 1, "in a stream, too")
    runs = [{"code": "print(%d)" % n, "context": {}} for n in range(2)]
    got = [r["context"][RESULTS][""][0]["result_stdout"] for r in d.post("/v1/batch", {"runs": runs}).json["results"]]
    tap.equal(got, ["0\n", "1\n"], "and in a batch")


def test_bad_context(tap, d):
    for context, word in ((7, "'context' must be"), ({COUNTS: {"": "x"}}, COUNTS),
                          ({"_code_executor_input_files": [{"name": "a"}]}, "needs a name and content"),
                          ({"_code_executor_input_files": [{"name": "../a", "content": ""}]}, "'context'")):
        r = d.run("print('ran')", context=context)
        tap.ok(r.status == 400 and word in r.message and "ran" not in r.json.get("stdout", ""),
               "a context that is none: %r" % context, r)
    for name, value in (("invocation", "i"), ("execution_id", "e")):
        tap.equal(d.run("1", **{name: value}).status, 400, "%s needs a context" % name)
        r = d.run("1", context={}, **{name: "a\n"})
        tap.ok(r.status == 400 and name in r.message, "%s: no control characters" % name, r)
        tap.equal(d.run("1", context={}, **{name: "a" * 257}).status, 400, "%s: not too long" % name)


def test_large_context(tap):
    with Daemon("--max-body", "70m") as d:
        large = {"mine": ["x" * (1 << 20)] * 63}
        r = d.run("print('y' * (1 << 20))", context=large, output_limit_bytes=2 << 20)
        tap.ok(r.status == 413 and "64 MiB" in r.json["error"]["message"] and r.json["context"] is None,
               "the copy has a bound", r)


def test_check(tap, d):
    r = d.post("/v1/check", {"code": "import os\nos.system('x')", "profile": "strict"}).json
    tap.equal((r["allowed"], len(r["files"])), (False, 1), "check: refused", r)
    r = d.post("/v1/check", {"files": {"a.py": "x = 1", "b.py": "x ="}}).json
    tap.equal([f["verdict"]["allowed"] for f in r["files"]], [True, False], "check: files", r)
    bad = {"a.js": "(((", "b.sh": "if", "c.js": "1", "d.sh": "echo 1", "e.py": "1"}
    r = d.post("/v1/check", {"files": bad}).json
    verdicts = {f["path"]: f["verdict"] for f in r["files"]}
    tap.equal({name: v["allowed"] for name, v in verdicts.items()},
              {"a.js": False, "b.sh": False, "c.js": True, "d.sh": True, "e.py": True}, "check: other languages", r)
    tap.equal([verdicts[n]["findings"][0]["rule"] for n in ("a.js", "b.sh")], ["syntax"] * 2, "check: their syntax")
    r = d.post("/v1/check", {})
    tap.equal(r.status, 400, "check: nothing to check", r)
    r = d.post("/v1/check", {"code": "x", "profile": "/etc/passwd"})
    tap.ok(r.status == 400 and "root" not in r.message, "a profile is no file of the host", r)


def test_test(tap, d):
    cases = [{"args": [1], "expected": 2}, {"args": [1], "expected": 3}]
    r = d.post("/v1/test", {"code": PLUS, "cases": cases}).json
    tap.equal((r["total"], r["passed"], r["all_passed"]), (2, 1, False), "test: cases", r)
    r = d.post("/v1/test", {"code": PLUS, "cases": json.dumps(cases[:1])}).json
    tap.equal(r["passed"], 1, "test: cases as a text")
    r = d.post("/v1/test", {"code": PLUS, "cases": cases}, lines=True)
    tap.equal([e["event"] for e in r.lines], ["case", "case", "finished"], "test: lines", r)
    r = d.post("/v1/test", {"code": PLUS, "cases": [{"argz": 1}]})
    tap.equal(r.status, 400, "test: a case that is none", r)
    r = d.post("/v1/test", {"code": "print(int(input()) * 2)", "compare": "tokens",
                            "cases": [{"stdin": "4\n", "expected_stdout": "8"}]}).json
    tap.equal(r["passed"], 1, "test: whole programs", r)
    r = d.post("/v1/test", {"code": PLUS, "cases": cases}, lines=True).lines
    tap.equal([(e.get("call"), e.get("error_type")) for e in r[:2]],
              [(x["call"], x["error_type"]) for x in r[-1]["result"]["test_results"]], "test: calls in lines", r)
    tap.ok(r[0]["call"] and r[1]["error_type"] == "guest", "test: a wrong answer is the program's", r)
    r = d.post("/v1/test", {"code": "print(1)"}).json
    tap.equal((r["success"], r["message"], r["score"], r["error_type"]), (True, "Code executed, no tests", None, None),
              "test: without cases", r)
    r = d.post("/v1/test", {"code": "import sys; print(1, file=sys.stderr)", "strict_stderr": True}).json
    tap.equal((r["success"], r["error_type"]), (False, "guest"), "test: strictly without a word of warning", r)
    r = d.post("/v1/test", {"code": PLUS, "cases": cases, "setup": "1/0"})
    tap.equal((r.status, r.json["errors"], r.json["failed"], r.json["score"], r.json["trustworthy"], r.json["error_type"]),
              (200, 2, 0, None, False, "ours"), "test: a setup that fails is not the program's failure", r)


def test_batch(tap, d):
    runs = [{"code": "print(%d)" % i} for i in range(30)] + [{"cod": 1}]
    r = d.post("/v1/batch", {"runs": runs}).json["results"]
    tap.equal([x.get("stdout") for x in r], ["%d\n" % i for i in range(30)] + [None],
              "batch: results in order")
    tap.ok("error" in r[30], "batch: one that is wrong is an error of its own", r[30])
    r = d.post("/v1/batch", {"runs": runs[:5]}, lines=True).lines
    tap.equal(sorted((x["index"], x["result"]["stdout"]) for x in r),
              [(i, "%d\n" % i) for i in range(5)], "batch: lines with their index")
    tap.equal(d.post("/v1/batch", {"runs": []}).json, {"results": []}, "batch: none")
    tap.equal(d.post("/v1/batch", {"runs": [{}] * 1001}).status, 413, "batch: too many")


def test_runs(tap, d):
    done = d.run("print('in the log')").json
    one = d.get("/v1/runs/" + done["id"])
    tap.equal((one.status, one.json["id"], one.json["outcome"]), (200, done["id"], "ok"),
              "a run is in the log at once", one)
    d.run("import sys; sys.exit(4)")
    r = d.get("/v1/runs?limit=1&outcome=failed").json["runs"]
    tap.equal([(x["exit_code"], x["outcome"]) for x in r], [(4, "failed")], "the log is queried")
    tap.equal(len(d.get("/v1/runs?limit=2").json["runs"]), 2, "limit")
    tap.equal(d.get("/v1/runs?since=2999-01-01").json["runs"], [], "since")
    tap.equal(d.get("/v1/runs/nothing-like-this").status, 404, "a run that was not")
    for query in ("limit=x", "limitt=1", "outcome=good", "since=soon", "limit=100000", "a=%zz"):
        tap.equal(d.get("/v1/runs?" + query).status, 400, "the query " + query)


def test_backends(tap, d):
    """What each can do here is what doctor prints, and what a request is refused with."""
    doctor = subprocess.run([GLOVEBOX, "doctor", "--json"], capture_output=True, check=False).stdout
    r = d.get("/v1/backends")
    tap.equal((r.status, r.json["backends"]), (200, json.loads(doctor)["backends"]), "the table of doctor")
    tap.equal(d.post("/v1/backends", {}).status, 405, "it is only read")
    limit = r.json["backends"][0]["abilities"]["limit-cpus"]
    r = d.run("print(1)", cpus=0.5)
    if limit["can"]:
        tap.equal((r.status, r.json["stdout"]), (200, "1\n"), "an ability that is there", r)
    else:
        tap.equal((r.json["error"]["kind"], limit["why_not"] in r.json["error"]["message"],
                   [m["layer"] for m in r.json["missing"]]), ("unsupported", True, ["cpu"]), "one that is not", r)


def pool_adds_up(d):
    """A jail that waits has an interpreter's memory; it is looked at now and then."""
    text = d.get("/metrics").body.decode()
    ready, held = (int(re.search(r"^glovebox_pool_%s (\d+)$" % name, text, re.M).group(1))
                   for name in ("ready", "memory_bytes"))
    return (ready << 16) < held < (ready << 29) if ready else held == 0


def test_figures(tap, d):
    tap.equal(d.get("/healthz").json, {"status": "ok"}, "healthz")
    tap.equal(d.get("/readyz").json, {"status": "ready"}, "readyz")
    text = d.get("/metrics").body.decode()
    wrong = [line for line in text.splitlines()
             if not line.startswith("# ") and len(line.rsplit(" ", 1)) != 2]
    names = {line.split("{")[0].split(" ")[0] for line in text.splitlines() if line[0] != "#"}
    typed = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")}
    bases = {n.rsplit("_", 1)[0] if n.rsplit("_", 1)[-1] in ("bucket", "sum", "count") and
             n.rsplit("_", 1)[0] in typed else n for n in names}
    families = [line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")]
    families = [name.removesuffix("_total") for name in families]
    tap.equal([name for name in families if families.count(name) > 1], [], "no two metrics are one family")
    tap.ok(not wrong and bases <= typed, "metrics are Prometheus text", wrong, bases - typed)
    for name in ("glovebox_runs_total", "glovebox_run_seconds_bucket", "glovebox_queue_length",
                 "glovebox_sessions", "glovebox_refusals_total", "process_open_fds"):
        tap.ok(name in names, "metrics have " + name)
    if "glovebox_pool_ready" in names:
        tap.ok("glovebox_pool_memory_bytes" in names, "metrics have what the pool holds")
        tap.ok(wait_for(lambda: pool_adds_up(d)), "memory of jails that wait, and none without them")
    d.run("import ctypes\nctypes.CDLL(None).ptrace(0, 0, 0, 0)", no_check=True)
    tap.ok('glovebox_denied_syscalls_total{name="ptrace"}' in d.get("/metrics").body.decode(),
           "metrics name denied system calls")


def test(tap):
    with Daemon() as d:
        for part in (test_run, test_files, test_context, test_bad_context, test_events, test_progress, test_check, test_test, test_batch,
                     test_runs, test_backends, test_figures):
            part(tap, d)
    test_large_context(tap)
