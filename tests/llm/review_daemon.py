# SPDX-License-Identifier: Apache-2.0
"""Reviews in the daemon and in the library: with the operator's model, and never without it."""

import base64
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from daemon import Daemon
from models import GLOVEBOX, KEY, OpenAI, Place
from review import MARK, NO, PROGRAM, YES, keys, user_message
from server import PATIENCE, Answer, Server


def post(daemon, target, body):
    answer = daemon.post(target, body)
    return answer.status, answer.json


def daemon_for(place, server, *options):
    return Daemon(*options, env=dict(keys(OpenAI, server), XDG_STATE_HOME=place.path("state")))


def test_daemon(tap):
    place = Place(tap)
    yes, no = Answer(body=OpenAI.whole(YES)), Answer(body=OpenAI.whole(NO))
    with Server([no, no, yes, no, no, no, no]) as server:
        with daemon_for(place, server, "--review", "--model", "gpt-test", "--no-review-cache") as daemon:
            status, doc = post(daemon, "/v1/run", {"code": PROGRAM})
            tap.equal((status, doc["verdict"]["stage"], doc["stdout"]), (200, "review", ""), "every run is reviewed", doc)
            status, doc = post(daemon, "/v1/run", {"code": PROGRAM, "no_check": True})
            tap.equal((doc["verdict"]["stage"], doc["stdout"]), ("review", ""), "also without a check", doc)
            status, doc = post(daemon, "/v1/run", {"code": PROGRAM})
            tap.equal((doc["stdout"], doc["usage"]["review"]["requests"]), ("ran\n", 1), "an approved one runs", doc)
            for target, body in (("/v1/run", {"code": PROGRAM}), ("/v1/check", {"code": PROGRAM}), ("/v1/sessions", {})):
                status, doc = post(daemon, target, dict(body, review=False))
                tap.equal((status, doc["error"]["kind"]), (403, "policy"), "a client cannot do without: " + target, doc)
            status, doc = post(daemon, "/v1/check", {"code": PROGRAM})
            tap.equal((doc["allowed"], doc["files"][0]["verdict"]["stage"]), (False, "review"), "check", doc)
            status, doc = post(daemon, "/v1/test", {"code": "def f(): pass", "cases": [{"call": "f()", "expected": None}]})
            tap.ok("it reads keys" in json.dumps(doc) and not doc.get("all_passed"), "test", doc)
            status, doc = post(daemon, "/v1/sessions", {})
            target = "/v1/sessions/%s/exec" % doc["id"]
            for extra in {}, {"no_check": True}:
                status, doc = post(daemon, target, dict(extra, code=PROGRAM))
                tap.equal((doc["verdict"]["stage"], doc["stdout"]), ("review", ""), "cells: %s" % extra, doc)
            tap.ok(KEY not in daemon.words(), "no key in its messages", daemon.words())
    with Server([Answer(401, {"error": {"message": "bad key"}}), no]) as server:
        with daemon_for(place, server, "--model", "gpt-test", "--no-review-cache") as daemon:
            tap.equal(post(daemon, "/v1/run", {"code": PROGRAM})[1]["stdout"], "ran\n", "a client need not ask for a review")
            status, doc = post(daemon, "/v1/run", {"code": PROGRAM, "review": True})
            tap.equal(doc["verdict"]["reason"], "no review: the model could not be asked", "clients do not see what the model's server said", doc)
            status, doc = post(daemon, "/v1/run", {"code": PROGRAM, "review": True, "model": "gpt-mine"})
            tap.equal((status, doc["error"]["kind"]), (400, "usage"), "a client cannot choose the model", doc)
            tap.ok("401" in daemon.words(), "the operator sees it", daemon.words())
        tap.equal(len(server.requests), 1, "one request")
    test_policy_texts(tap, place)
    with Server([]) as server, daemon_for(place, server) as daemon:
        status, doc = post(daemon, "/v1/run", {"code": PROGRAM, "review": True})
        tap.ok(status == 400 and "no model" in doc["error"]["message"], "a daemon without a model", doc)
        done = place.run("session", "new", "--review", env={"GLOVEBOX_SOCKET": "unix:" + daemon.socket})
        tap.ok(done.returncode == 2 and b"no model" in done.stderr, "session new --review", done)
        status, doc = post(daemon, "/v1/batch", {"runs": [{"code": PROGRAM, "review": True}]})
        tap.ok("no model" in json.dumps(doc) and "ran" not in json.dumps(doc), "in a batch, too", doc)


def test_policy_texts(tap, place):
    """A mistake in a client's policy is said to the client; a name that needs quotes is none."""
    with Server([Answer(body=OpenAI.whole(YES))] * 3) as server, \
            daemon_for(place, server, "--review", "--model", "gpt-test", "--no-review-cache") as daemon:
        def run(key, name):
            return post(daemon, "/v1/run", {"code": PROGRAM, "profile": "base = standard\n%s = [os, %s]\n" % (key, json.dumps(name))})

        for name in ("x\ny", 'x"', "\\", "x\x01", "all of them", "os]", "a..b", "1/2"):
            for key in ("allowed_imports", "forbidden_imports"):
                status, doc = run(key, name)
                said = (doc.get("error") or {}).get("message", "")
                tap.ok(status == 400 and "is not a module name" in said and name[0] in said, "%s of %r" % (key, name), status, doc)
        for name in ('x"', "x\ny", "\\"):
            status, doc = run("forbidden_attributes", name)
            tap.equal((status, doc["stdout"]), (200, "ran\n"), "a policy with the name %r is reviewed" % name, doc)
        tap.equal(len(server.requests), 3, "the model is asked for these alone")


def test_interrupt(tap):
    """An interrupt of a session ends the review of its cell, and the cell does not run."""
    place, hold, yes = Place(tap), Answer(raw=b"", then="hold"), Answer(body=OpenAI.whole(YES))
    with Server([hold, hold, yes]) as server, \
            daemon_for(place, server, "--review", "--model", "gpt-test", "--no-review-cache") as daemon:
        session = "/v1/sessions/" + post(daemon, "/v1/sessions", {})[1]["id"]
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(post, daemon, session + "/exec", {"code": "x = 1"})
            server.wait_request()
            tap.equal(post(daemon, session + "/interrupt", {})[1]["interrupted"], True, "an interrupt finds the cell that is reviewed")
            status, doc = asked.result(PATIENCE)
            tap.equal((status, doc["cancelled"], doc["cell"]["ended"], doc["exit_code"]), (200, True, "interrupted", 130), "... and ends it", doc)
            asked = pool.submit(daemon.post, session + "/exec", {"code": "x = 1"})
            server.wait_request()
            tap.equal(daemon.call("DELETE", session).status < 300, True, "a session can be deleted during a review")
            tap.ok(asked.result(PATIENCE).status in (200, 404, 409), "... which ends it", asked.result(1))
        session = "/v1/sessions/" + post(daemon, "/v1/sessions", {})[1]["id"]
        tap.equal(post(daemon, session + "/interrupt", {})[1]["interrupted"], False, "no cell is there to interrupt")
        status, doc = post(daemon, session + "/exec", {"code": "'x' in globals()"})
        tap.equal((doc["value"], doc["cell"]["ended"]), (False, "done"), "the next cell runs", doc)


SECRET = "print('RAN', 'zebra')"
ELSEWHERE = {
    "prelude": ("/v1/run", {"code": "1", "prelude": SECRET}),
    "a file": ("/v1/run", {"code": "import h", "files": {"h.py": SECRET}}),
    "a file of another language": ("/v1/run", {"code": "require('./h')", "language": "javascript", "files": {"h.js": SECRET}}),
    "a text of no language": ("/v1/run", {"code": ". ./tool", "language": "bash", "files": {"tool": SECRET}}),
    "data that is loaded": ("/v1/run", {"code": "exec(open('a.txt').read())", "files": {"a.txt": SECRET}}),
    "a context": ("/v1/run", {"code": "import h", "context": {"_code_executor_input_files": [{"name": "h.py", "content": base64.b64encode(SECRET.encode()).decode(), "encoding": "base64"}]}}),
    "setup": ("/v1/test", {"code": "x = 1", "setup": SECRET, "cases": [{"call": "x", "expected": 1}]}),
    "a case": ("/v1/test", {"code": "x = 1", "cases": [{"call": SECRET, "expected": None}]}),
    "a checker": ("/v1/test", {"code": "print(1)", "checker": SECRET, "cases": [{"stdin": "", "expected_stdout": "1"}]}),
    "func": ("/v1/test", {"code": "x = 1", "func": "zebra", "cases": [{"args": [], "expected": 1}]}),
    "tools_source": ("/v1/sessions", {"tools_source": SECRET}),
    "a session's prelude": ("/v1/sessions", {"prelude": SECRET}),
    "preload": ("/v1/sessions", {"preload": ["zebra"]}),
    "a session's files": ("/v1/sessions", {"preload": ["json"], "files": {"json.py": SECRET}}),
    "variables": ("/v1/run", {"code": "1", "env": {"PYTHONSTARTUP": "zebra"}}),
    "bytecode": ("/v1/run", {"code": "import zebra", "files": {"zebra.pyc": "x"}}),
    "pip": ("/v1/run", {"code": "1", "pip": ["zebra"]}),
    "dockerfile": ("/v1/run", {"code": "1", "dockerfile": "FROM zebra"}),
}


def test_elsewhere(tap):
    """What runs is between the marks, wherever the client put it, or it is refused."""
    place = Place(tap)
    yes, no = Answer(body=OpenAI.whole(YES)), Answer(body=OpenAI.whole(NO))
    for what, (target, body) in ELSEWHERE.items():
        with Server([no]) as server, daemon_for(place, server, "--review", "--model", "gpt-test", "--no-review-cache") as daemon:
            status, doc = post(daemon, target, body)
            seen = [MARK.search(user_message(r)) for r in server.requests]
            refused = status == 403 or (doc.get("verdict") or {}).get("allowed") is False
            read = any(m and "zebra" in m[2] for m in seen) or not seen
            tap.ok(refused and read and "RAN zebra" not in json.dumps(doc), "read or refused: " + what, (status, doc, seen))
    with Server([no]) as server, daemon_for(place, server, "--review", "--model", "gpt-test", "--no-review-cache") as daemon:
        files = dict({"%03d.txt" % n: "x" * 20000 for n in range(300)}, **{"small\n--- .txt": SECRET})
        post(daemon, "/v1/run", {"code": "1", "files": files})
        seen = user_message(server.requests[0])
        tap.ok(SECRET in seen and "20000 bytes of data, not shown" in seen and "further files are not shown" in seen, "small texts, and names", seen)
        tap.ok("xxxxx" not in seen and len(seen) < 30000 and "\n--- .txt" not in seen, "large data is not sent, names are data", len(seen))
    with Server([yes, no]) as server, daemon_for(place, server, "--review", "--model", "gpt-test", "--no-review-cache") as daemon:
        status, doc = post(daemon, "/v1/run", ELSEWHERE["a file"][1])
        tap.equal((doc["stdout"], len(server.requests)), ("RAN zebra\n", 1), "an approved file runs", doc)
    with Server([yes, yes, no]) as server, daemon_for(place, server, "--review", "--model", "gpt-test", "--no-review-cache") as daemon:
        session = "/v1/sessions/" + post(daemon, "/v1/sessions", {})[1]["id"]
        tap.equal(len(server.requests), 0, "an empty session needs no review")
        post(daemon, session + "/exec", {"code": "open('h.py', 'w').write(%r)" % SECRET})
        status, doc = post(daemon, session + "/exec", {"code": "import h"})
        tap.ok(doc["stdout"] == "RAN zebra\n" and SECRET in user_message(server.requests[1]), "what a cell left is read before the next", doc)
        daemon.call("PUT", session + "/files/k.py", SECRET + "#")
        status, doc = post(daemon, session + "/exec", {"code": "import k"})
        last = user_message(server.requests[2])
        tap.ok(doc["stdout"] == "" and SECRET + "#" in last and "h.py" not in last, "... and what was read is not sent again", (doc, last))


# Arguments: the library, then options and programs as JSON. Prints the result of each program.
CALLER = r"""
import ctypes, json, sys
lib = ctypes.CDLL(sys.argv[1])
for name, kind in (("open", ctypes.c_void_p), ("run", ctypes.c_void_p), ("check", ctypes.c_void_p), ("result_json", ctypes.c_char_p),
                   ("set", ctypes.c_int), ("result_free", None), ("close", None)):
    getattr(lib, "glovebox_" + name).restype = kind
box = ctypes.c_void_p(lib.glovebox_open())
for name, value in json.loads(sys.argv[2]):
    if name != "run":
        assert lib.glovebox_set(box, name.encode(), value.encode()) == 0, name
        continue
    code = value.encode()
    result = ctypes.c_void_p(lib.glovebox_run(box, b"python", code, ctypes.c_size_t(len(code)), None))
    print(lib.glovebox_result_json(result).decode(), flush=True)
    lib.glovebox_result_free(result)
lib.glovebox_close(box)
"""


def test_library(tap):
    place = Place(tap)
    steps = [("log", "off"), ("review", "true"), ("run", PROGRAM), ("model", "gpt-test"), ("run", PROGRAM), ("run", PROGRAM + "#"),
             ("review", "false"), ("run", PROGRAM)]
    with Server([Answer(body=OpenAI.whole(NO)), Answer(body=OpenAI.whole(YES))]) as server:
        library = os.path.join(os.path.dirname(GLOVEBOX), "libglovebox.so")
        done = subprocess.run([sys.executable, "-c", CALLER, library, json.dumps(steps)], cwd=place.work, capture_output=True,
                              env=place.env(dict(keys(OpenAI, server), XDG_STATE_HOME=place.path("state"))), timeout=PATIENCE)
        docs = [json.loads(line) for line in done.stdout.splitlines()]
        tap.equal([d["stdout"] for d in docs], ["", "", "ran\n", "ran\n"], "the library runs only after an approval", done)
        tap.ok("model" in docs[0]["error"]["message"], "without a model, nothing runs", docs[0]["error"])
        tap.equal((docs[1]["verdict"]["stage"], len(server.requests)), ("review", 2), "the reviewer's no", docs[1]["verdict"])


def test_tasks(tap):
    """A task's usage is in the daemon's log, and nothing that is not run is reviewed."""
    place = Place(tap)
    with Server([Answer(body=OpenAI.whole())]) as server, daemon_for(place, server, "--review", "--model", "gpt-test") as daemon:
        status, doc = post(daemon, "/v1/generate", {"task": "a word"})
        tap.equal((status, bool(doc["code"]), len(server.requests)), (200, True, 1), "generate in a daemon that reviews", doc)
        done = place.run("usage", "--by", "component", "--json", "--log", daemon.log)
        tap.equal([(r["component"], r["requests"]) for r in json.loads(done.stdout)["rows"]], [("generate", 1)], "usage of a daemon's task")
    block = "```python\n%s\n```" % PROGRAM
    for name, steps in ("solve", 1), ("solve", 2), ("fix", 1):
        with Server([Answer(body=OpenAI.whole(block)), Answer(body=OpenAI.whole(NO))]) as server, \
                daemon_for(Place(tap), server, "--review", "--model", "gpt-test") as daemon:
            body = {"task": "x", "calls": "blocks"} if name == "solve" else {"code": "print('ran'"}
            status, doc = post(daemon, "/v1/" + name, dict(body, steps=steps))
            tap.ok("it reads keys" in json.dumps(doc) and '"ran\\\\n"' not in json.dumps(doc) and not doc["success"],
                   "%s in a daemon that reviews, in %d steps" % (name, steps), (status, doc))


def test(tap):
    test_daemon(tap)
    test_elsewhere(tap)
    test_interrupt(tap)
    test_tasks(tap)
    test_library(tap)
