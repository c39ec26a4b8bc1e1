# SPDX-License-Identifier: Apache-2.0
"""Servers and models that attack: what they send must not carry the key anywhere, and must not undo a task's bounds."""

import json
import os
import threading

from daemon_tasks import daemon_for
from models import KEY, Anthropic, OpenAI, Place
from server import Answer, Server

ESCAPED = "".join("\\u%04x" % ord(c) for c in KEY)
BLOCK = "```python\n%s\n```\n"


def solve(place, protocol, answers, *args):
    """The document of a task whose model answers like this, and the server's requests."""
    with Server([Answer(body=a) for a in answers]) as server:
        done = place.ask(protocol, server, "solve", "--json", *args, "x")
        return json.loads(done.stdout), server.requests


def calls_with_key():
    """Answers of which each has the key at another place."""
    named, escaped = OpenAI.calls([{"code": "print(1)"}] * 2), OpenAI.calls(['{"code": "print(\'%s\')", "%s": 1}' % (ESCAPED, ESCAPED)])
    calls = named["choices"][0]["message"]["tool_calls"]
    calls[0]["id"], calls[1]["function"]["name"] = KEY, KEY
    thought = Anthropic.calls([{"code": "print(1)", KEY: [KEY]}])
    thought["content"][0].update({"thinking": KEY, KEY: {"x": KEY}})
    return (OpenAI, named, "an id and a name of a call"), (OpenAI, escaped, "escapes in arguments"), (Anthropic, thought, "thoughts")


def test_keys(tap):
    """Each output of a Place is searched for the key."""
    for protocol, answer, name in calls_with_key():
        place = Place(tap)
        document, seen = solve(place, protocol, [answer, protocol.whole("done")], "--record", "record")
        tap.equal((document["answer"], len(seen)), ("done", 2), name + ": the task goes on", document)
        with open(place.path("record")) as f:
            tap.ok(KEY not in f.read(), name + ": no key in the record")
        tap.ok("[key]" in json.dumps(document), name + ": it is seen that a key was there", document)
    place = Place(tap)
    with Server([Answer(body=OpenAI.whole('{"is_secure": false, "reason": "%s"}' % ESCAPED))]) as server:
        done = place.ask(OpenAI, server, "review", "-c", "print(1)", env={"XDG_STATE_HOME": place.path("state"), "GLOVEBOX_LOG": None})
    tap.equal((done.returncode, done.stdout), (126, b"refused: [key]\n"), "the reason of a verdict")


def test_tokens(tap):
    answer = OpenAI.whole(BLOCK % "1 / 0")
    answer["usage"] = {"prompt_tokens": 2**63 - 1, "completion_tokens": 2**63 - 1}
    document, seen = solve(Place(tap), OpenAI, [answer], "--calls", "blocks", "--token-limit", "1000", "--steps", "3")
    tap.equal((document["stopped"], len(seen), document["usage"]["solve"]["total_tokens"]), ("tokens", 1, 2**63 - 1),
              "a sum beyond the largest number is not below a bound")


def test_addresses(tap):
    """A verdict is that of one server, also where a variable names it."""
    place = Place(tap)
    for secure, status in (True, 0), (False, 126), (True, 0):
        with Server([Answer(body=OpenAI.whole(json.dumps({"is_secure": secure, "reason": "x"})))]) as server:
            done = place.ask(OpenAI, server, "review", "-c", "print(1)", env={"XDG_STATE_HOME": place.path("state"), "GLOVEBOX_LOG": None})
        tap.equal((done.returncode, len(server.requests)), (status, 1), "a verdict of another server is none of this one's", done)


def test_reviews(tap):
    """The reviews of a task's programs are within its bounds."""
    yes = json.dumps({"is_secure": True, "reason": "x"})
    calls, released = OpenAI.calls([{"code": "print(%d)" % i} for i in range(8)]), threading.Event()

    def answer(request):
        of_review = b"Review the program" in request.body
        return Answer(body=OpenAI.whole(yes) if of_review else calls, wait=released.wait if of_review else None)

    def solve_reviewed(*args):
        place = Place(tap)
        with Server([answer]) as server:
            done = place.ask(OpenAI, server, "solve", "--json", "--review", "--steps", "2", *args, "x",
                             env={"XDG_STATE_HOME": place.path("state"), "GLOVEBOX_LOG": None})
            return json.loads(done.stdout), len(server.requests)

    document, count = solve_reviewed("--task-timeout", "1s")
    released.set()
    tap.ok(document["stopped"] == "time" and document["duration_ms"] < 20000 and count == 2, "a review that does not end", document)
    document, count = solve_reviewed("--token-limit", "350")
    usage = document["usage"]
    tap.equal((document["stopped"], count, usage["solve"]["requests"], usage["review"]["total_tokens"]), ("tokens", 3, 1, 240),
              "tokens of reviews", document)
    reasons = [run["result"]["verdict"]["reason"] for run in document["steps"][0]["runs"]]
    tap.ok(reasons[2:] == ["no review: the task used all of its tokens"] * 6, "the rest is not approved", reasons)
    document, count = solve_reviewed("--token-limit", "100000", "--samples", "2", "--answer-check", "answer == 1")
    tap.equal((document["usage"]["review"]["requests"], count), (count - document["usage"]["solve"]["requests"], count), "those of all samples", document)


def test_data(tap):
    """Data are no modules of the program that finds their shape: nothing has read them, and the host backend has no wall."""
    place, modules = Place(tap), ["csv.py", "json.py", "re.py", "sqlite3.py"]
    mine = "open(%r, 'w').write('here')\nraise SystemExit('from the data')\n" % place.path("proof")
    files = {"a.csv": "a,b\n1,2\n", **{name: mine for name in modules}}
    for name, text in files.items():
        place.write(name, text)
    with Server([Answer(body=OpenAI.whole(BLOCK % "print(7)"))]) as server:
        done = place.ask(OpenAI, server, "analyze", *files, "--", "x")
        tap.ok(done.stdout == b"7\n" and b"from the data" in server.requests[0].body, "modules as data", done)
        with daemon_for(server, "--allow", "host-backend") as d:
            r = d.post("/v1/analyze", {"task": "x", "backend": "host", "files": files})
    tap.ok(r.json["answer"] == "7\n" and not os.path.exists(place.path("proof")), "modules as data of a run on the host", r)


def test(tap):
    for part in test_keys, test_tokens, test_addresses, test_reviews, test_data:
        part(tap)
