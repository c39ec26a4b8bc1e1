# SPDX-License-Identifier: Apache-2.0
"""Tasks for a model over HTTP: what the daemon takes from clients, what it answers, and where its key does not go."""

import json
import os
import threading
import time

from daemon import Daemon
from models import CODE, KEY, PROTOCOLS, OpenAI
from openapi import check, check_lines
from procs import wait_for
from server import Answer, Server


def daemon_for(server, *options, p=OpenAI):
    return Daemon("--model", p.model, "--provider", p.name, "--model-retries", "0", *options,
                  env={p.variable: KEY, p.url_variable: server.url + (p.suffix if p is OpenAI else "")})


def test_answers(tap):
    for p in PROTOCOLS:
        with Server([Answer(body=p.whole()), Answer(body=p.stream(), kind="text/event-stream")]) as server, \
                daemon_for(server, p=p) as d:
            doc = d.get("/openapi.json").json
            r = d.post("/v1/generate", {"task": "print a drink"})
            check(tap, doc, "/v1/generate", "post", r)
            tap.equal((r.json["code"], r.json["provider"], r.json["error"]), (CODE, p.name, None), p.name + ": a program")
            tap.equal(p.key_of(server.requests[0]), KEY, p.name + ": with the daemon's key")
            lines = d.post("/v1/generate", {"task": "print a drink"}, lines=True).lines
            check_lines(tap, doc, "/v1/generate", lines)
            tap.equal([e["event"] for e in lines if e["event"] != "text"], ["asks", "code", "finished"], p.name + ": as lines")
            tap.equal("".join(e["text"] for e in lines if e["event"] == "text"), lines[-1]["result"]["reply"], p.name + ": the reply in pieces")


def test_requests(tap):
    with Server([Answer(body=OpenAI.whole())]) as server:
        with daemon_for(server, "--models", "gpt-other,gpt-third", "--steps", "5", "--token-limit", "100000",
                        "--task-timeout", "1m") as d:
            tap.equal(d.post("/v1/generate", {"task": "x", "model": "gpt-third", "language": "bash"}).status, 200, "another of its models")
            sent = server.requests[-1].json
            tap.ok(sent["model"] == "gpt-third" and "bash" in sent["messages"][0]["content"], "which is asked, for that language", sent)
            r = d.post("/v1/generate", {"task": "x", "timeout_ms": 2000, "forbid_imports": ["json"]})
            rules = server.requests[-1].json["messages"][0]["content"]
            tap.ok("2s" in rules and "json" in rules, "the request's own limits and imports stand in the prompt", rules)
            tap.equal(d.post("/v1/generate", {"task": "x", "steps": 1, "token_limit": 99000, "task_timeout_ms": 5000}).status, 200,
                      "bounds below the daemon's")
            for body, words in (({"model": "gpt-secret"}, "gpt-secret"), ({"steps": 6}, "steps"), ({"token_limit": 100001}, "token_limit"),
                                ({"token_limit": 0}, "token_limit"), ({"task_timeout_ms": 0}, "task_timeout_ms")):
                r = d.post("/v1/generate", dict(body, task="x"))
                tap.ok(r.status == 403 and words in r.message, "not allowed: %s" % body, r)
            for body, words in (({}, "task"), ({"task": " "}, "empty"), ({"task": "a\0b"}, "task"), ({"task": 1}, "task"), ({"task": "x", "steps": 0}, "steps"),
                                ({"task": "x", "cost_limit": 0.0001}, "cost_limit"), ({"task": "x", "cost_limit": 1e300}, "cost_limit"),
                                ({"task": "x", "temperature": 3}, "temperature"), ({"task": "x", "language": "klingon"}, "klingon"),
                                ({"task": "x", "code": "1"}, "code"), ({"task": "x", "key_file": "/etc/shadow"}, "key_file"),
                                ({"task": "x", "model_url": server.url}, "model_url")):
                r = d.post("/v1/generate", body)
                tap.ok(r.status == 400 and words in r.message, "wrong: %s" % body, r)
            count = len(server.requests)
            r = d.post("/v1/generate", {"task": "x", "cost_limit": 0.01})
            tap.ok(r.status == 502 and "price" in r.json["error"] and len(server.requests) == count,
                   "a cost that cannot be counted is not spent", r)
    with Daemon() as d:
        r = d.post("/v1/generate", {"task": "x"})
        tap.ok(r.status == 501 and "--model" in r.message, "a daemon without a model", r)


def test_failures(tap):
    with Server([Answer(401, {"error": {"message": "bad key %s" % KEY}}), Answer(body=b"garbage"), Answer(500, {}),
                 Answer(body=OpenAI.whole("no code here")), Answer(then="hold", pieces=[], length=10)]) as server, \
            daemon_for(server) as d:
        for words in ("401", "JSON", "500"):
            r = d.post("/v1/generate", {"task": "x"})
            tap.ok(r.status == 502 and words in r.json["error"] and r.json["code"] is None, "the service fails: " + words, r)
        r = d.post("/v1/generate", {"task": "x"})
        tap.ok(r.status == 200 and r.json["code"] is None and r.json["error"], "a reply without a program", r)
        r = d.post("/v1/generate", {"task": "x", "task_timeout_ms": 300})
        tap.ok(r.status == 200 and "time" in r.json["error"], "the task's own time", r)
        r = d.post("/v1/generate", {"task": "x", "deadline_ms": 300})
        tap.equal(r.status, 504, "the client's deadline", r)
        gone = d.begin("POST", "/v1/generate", {"task": "x"})
        for _ in range(7):
            server.wait_request()
        gone.close()
        tap.ok(wait_for(lambda: d.get("/v1/status").json["running"] == 0), "a client that goes away ends its task")


def test_keys(tap):
    """Whole, and in a stream, with pieces that are shorter than the key."""
    text = block("x = '%s'" % KEY)
    with Server([Answer(body=OpenAI.whole(text)), Answer(body=OpenAI.stream(text), kind="text/event-stream")]) as server, \
            daemon_for(server, "--access-log", "-") as d:
        with open("/proc/%d/coredump_filter" % d.process.pid) as f:
            tap.equal(int(f.read(), 16), 0, "a core dump of the daemon has no memory")
        whole, stream = d.post("/v1/generate", {"task": "x"}), d.post("/v1/generate", {"task": "x"}, lines=True)
        pieces = [e["text"] for e in stream.lines if e["event"] == "text"]
        tap.equal(("".join(pieces), len(pieces) > 1), (block("x = '[key]'"), True), "the pieces of a stream do not make up the key")
        seen = [whole.body, stream.body,
                d.post("/v1/run", {"code": "import os, json; print(json.dumps(dict(os.environ)))"}).body,
                d.get("/metrics").body, d.get("/v1/runs").body, d.get("/v1/status").body, d.words().encode()]
        tap.equal([i for i, text in enumerate(seen) if KEY.encode() in text], [], "the key is in no answer, log or guest")
        with open("/proc/%d/cmdline" % d.process.pid, "rb") as f:
            tap.ok(KEY.encode() not in f.read(), "nor in the command line")


def block(code):
    return "```python\n%s\n```" % code


def asked(tap, path, body, replies, *options, lines=False):
    """The answer to one request, and what the model's server was asked."""
    with Server([r if isinstance(r, Answer) or callable(r) else Answer(body=OpenAI.whole(r)) for r in replies]) as server, \
            daemon_for(server, *options) as d:
        doc = d.get("/openapi.json").json
        r = d.post(path, body, lines=lines)
        if lines:
            check_lines(tap, doc, path, r.lines)
        else:
            check(tap, doc, path, "post", r)
        return r, server.requests


def test_bad_data(tap):
    """What is wrong with the request is not the service's fault."""
    with Server([Answer(body=OpenAI.whole(block("print(1)")))]) as server, daemon_for(server) as d:
        for files, words in (([{"name": "../x", "content": "1"}], "inside the workspace"), ([{"name": "", "content": "1"}], "is empty"),
                             ([{"name": "a", "content": "1"}] * 2, "another name"), ([{"name": "x.json", "content": "{"}], "x.json: is not JSON")):
            r = d.post("/v1/analyze", {"task": "q", "files": files})
            tap.ok((r.status, r.json["error"]["kind"]) == (400, "usage") and words in r.message, f"analyze: {words}", r)
        r = d.post("/v1/fix", {"code": "1/0", "files": [{"name": "../x", "content": "1"}]})
        tap.ok(r.status == 400 and "inside the workspace" in r.message, "fix: a file's name", r)
        tap.equal(server.requests, [], "no model is asked")


def test_samples_at_once(tap):
    """A client has one worker for a task: its samples must not be as many runs at once as it likes."""
    counts, lock, now = [], threading.Lock(), [0]

    def answer(_):
        with lock:
            now[0] += 1
            counts.append(now[0])
        time.sleep(0.3)
        with lock:
            now[0] -= 1
        return Answer(body=OpenAI.whole("none"))

    r, seen = asked(tap, "/v1/fix", {"code": "1 / 0", "samples": 16, "steps": 1}, [answer])
    tap.equal((r.json["success"], len(seen), max(counts)), (False, 16, 4), "fix: sixteen samples, four at once", r)


def test_flows(tap):
    r, seen = asked(tap, "/v1/solve", {"task": "add", "calls": "blocks", "files": {"n.txt": "41"}},
                    [block("n = int(open('n.txt').read())"), block("final_answer(n + 1)")])
    tap.equal((r.json["success"], r.json["answer"], r.json["answer_by"], len(seen)), (True, 42, "final_answer", 2), "solve: in a session, with a file")
    r, seen = asked(tap, "/v1/solve", {"task": "add", "one_shot": True, "style": "chapter", "steps": 2}, [block("1 / 0"), block("print(6 * 7)")])
    tap.ok(r.json["success"] and "Result: 42" in r.json["solution"], "solve: one shot, as in the chapter", r)
    r, _ = asked(tap, "/v1/solve", {"task": "add", "calls": "blocks", "steps": 2}, [block("print(1)")])
    tap.equal((r.status, r.json["success"], r.json["stopped"]), (200, False, "steps"), "solve: its steps are used up")
    r, _ = asked(tap, "/v1/solve", {"task": "x", "calls": "blocks"}, [block("print('in')"), "It is in."], lines=True)
    tap.equal([e["event"] for e in r.lines if e["event"] in ("asks", "code", "stdout", "ran", "step", "finished")],
              ["asks", "code", "stdout", "ran", "step", "asks", "step", "finished"], "solve: as lines")
    _, seen = asked(tap, "/v1/solve", {"task": "x", "calls": "blocks"}, [block("print('x' * 100000)"), "It is x."])
    tap.ok(30000 < len(OpenAI.last_text(seen[1])) < 34000, "solve: the model reads 32 KiB of an output")
    good, cases = "def f(x):\n    return x + 1", [{"args": [1], "expected": 2}]
    r, seen = asked(tap, "/v1/fix", {"code": "def f(x):\n    return x", "cases": cases, "func": "f"}, [block(good)])
    tap.equal((r.json["success"], r.json["code"], r.json["attempts"]), (True, good, 1), "fix: by cases")
    r, seen = asked(tap, "/v1/fix", {"code": "print(1)"}, [block(good)])
    tap.equal((r.json["success"], r.json["attempts"], seen), (True, 0, []), "fix: a program that works")
    r, seen = asked(tap, "/v1/fix", {"code": "let x = ;", "filename": "a.js", "steps": 1}, ["```javascript\nlet x = 1;\n```"])
    tap.equal((r.json["success"], r.json["language"]), (True, "javascript"), "fix: the language is found")
    r, seen = asked(tap, "/v1/fix", {"code": "1 / 0", "samples": 3, "steps": 1}, [block("2 / 0"), block("print(3)"), block("2 / 0")])
    tap.ok(r.json["success"] and len(r.json["samples"]) == 3, "fix: several side by side", r)
    test_bad_data(tap)
    test_samples_at_once(tap)
    r, _ = asked(tap, "/v1/fix", {"code": "1 / 0", "steps": 1}, [block("1 / 0")])
    tap.equal((r.status, r.json["success"], r.json["error"]["message"]), (200, False, "Max attempts reached"), "fix: not fixed")
    r, _ = asked(tap, "/v1/transform", {"code": good, "task": "rename", "cases": cases, "func": "f"},
                 [block("def f(y):\n    return y"), block("def f(y):\n    return y + 1")])
    tap.equal((r.json["success"], r.json["code"], r.json["attempts"]), (True, "def f(y):\n    return y + 1", 2), "transform: by cases")
    r, seen = asked(tap, "/v1/generate", {"task": "add one", "cases": cases, "func": "f", "samples": 2, "steps": 2},
                    [block("def f(x):\n    return x"), block(good)])
    tap.ok(r.json["success"] and r.json["code"] == good and len(r.json["samples"]) == 2, "generate: by cases, several side by side", r)
    r, _ = asked(tap, "/v1/fix", {"code": "import sys; print(1 / int(sys.argv[1]), input())", "args": ["2"], "stdin": "x"}, [])
    tap.equal((r.json["success"], r.json["attempts"], r.json["steps"][0]["result"]["stdout"]), (True, 0, "0.5 x\n"), "fix: arguments and input")
    r, _ = asked(tap, "/v1/solve", {"task": "x", "calls": "blocks", "samples": 3, "answer_check": "answer > 1"},
                 [block("final_answer(1)"), block("final_answer(2)")])
    tap.ok(r.json["success"] and r.json["answer"] == 2 and len(r.json["samples"]) == 3, "solve: several side by side", r)
    r, _ = asked(tap, "/v1/solve", {"task": "x", "calls": "blocks", "data": {"d": {"n": 41}}, "tools_source": "def more(x):\n    return x + 1\n"},
                 [block("final_answer(more(d['n']))")])
    tap.equal(r.json["answer"], 42, "solve: data and tools")
    for path, body, words in (("/v1/solve", {"task": "x", "samples": 2}, "'samples' needs 'answer_check', which decides what is a success"),
                              ("/v1/generate", {"task": "x", "samples": 2}, "'samples' needs 'cases', which decide what is a success"),
                              ("/v1/generate", {"task": "x", "files": {"a": "b"}}, "'files' needs 'cases': without them nothing is run"),
                              ("/v1/generate", {"task": "x", "data": {"a": 1}}, "'data' needs 'cases': without them nothing is run"),
                              ("/v1/fix", {"code": "1", "cases": [{"stdin": "", "stdout": ""}], "stdin": "x"}, "'stdin' has no effect with 'cases'"),
                              ("/v1/fix", {"code": "1", "func": "f"}, "'func' is the function that 'cases' calls")):
        with Server([]) as server, daemon_for(server) as d:
            tap.equal(d.post(path, body).message, words, "a rule in the words of fields: " + path)
    r, _ = asked(tap, "/v1/math", {"task": "six times seven"}, ["6 * 7"])
    tap.equal((r.json["success"], r.json["expression"], r.json["value"]), (True, "6 * 7", "42"), "math")
    r, _ = asked(tap, "/v1/math", {"task": "x"}, ["__import__('os').system('id')"])
    tap.ok(not r.json["success"] and r.json["value"] is None, "math: an expression that is none", r)
    r, seen = asked(tap, "/v1/analyze", {"task": "the sum of n?", "files": {"d.csv": "n,m\n1,2\n3,4\n"}},
                    [block("import csv\nprint(sum(int(r['n']) for r in csv.DictReader(open('d.csv'))))")])
    tap.ok(r.json["success"] and r.json["answer"].strip() == "4" and "d.csv" in json.dumps(seen[0].json), "analyze", r)
    with Daemon("--model", "gpt-test", "--provider", "openai", env={"OPENAI_API_KEY": KEY}) as d:
        for path, body, words in (("/v1/fix", {}, "code"), ("/v1/fix", {"code": " "}, "empty"), ("/v1/fix", {"code": "1", "func": "f"}, "cases"),
                                  ("/v1/fix", {"code": "1", "cases": []}, "cases"), ("/v1/fix", {"code": "1", "cases": "{"}, "cases"),
                                  ("/v1/fix", {"code": "1", "samples": 0}, "samples"), ("/v1/fix", {"code": "1", "samples": 65}, "samples"),
                                  ("/v1/transform", {"code": "1"}, "task"), ("/v1/analyze", {"task": "x"}, "files"), ("/v1/solve", {"task": "x", "style": "y"}, "style")):
            r = d.post(path, body)
            tap.ok(r.status == 400 and words in r.message, "wrong: %s %s" % (path, body), r)


def test_output_limit(tap):
    """What the daemon keeps of an output may be less than a task's own limit."""
    # The default leaves room in a text of 32 KiB for the frame of the output and the sentence about the rest.
    for options, size in (((), 32557), (("--max-output-limit", "1k"), 1 << 10)):
        _, seen = asked(tap, "/v1/solve", {"task": "x", "calls": "blocks"}, [block("print('#' * 100000)"), block("final_answer(1)")], *options)
        text = OpenAI.last_text(seen[1])
        tap.equal((text.count("#"), len(text) <= 32 << 10), (size - 1, True), f"solve: the output that a model reads {options}")


def test(tap):
    test_answers(tap)
    test_flows(tap)
    test_requests(tap)
    test_output_limit(tap)
    test_failures(tap)
    test_keys(tap)
