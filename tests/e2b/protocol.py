# SPDX-License-Identifier: Apache-2.0
"""What E2B's servers answer: the same checks hold for the stand-in and for the real envd."""

import time

from client import ENVD

NEVER = "0" * 8 + "-0000-0000-0000-" + "0" * 12


def shapes(events):
    """The kinds of events, with runs of output as one."""
    kinds = [next(iter(e), "last") for e in events]
    return [k for i, k in enumerate(kinds) if k != "data" or i == 0 or kinds[i - 1] != "data"]


def test_control(tap, client):
    for what, key, status in (("no key", None, 401), ("a key of another shape", "nonsense", 401)):
        tap.equal(client.control("GET", "/v2/sandboxes", key=key).status, status, "control: %s" % what)
    for body, status in (({}, 400), ({"templateID": "no-such-template"}, 404),
                         ({"templateID": "base", "timeout": 0}, 400),
                         ({"templateID": "base", "timeout": 10 ** 6}, 400),
                         ({"templateID": "base", "envVars": 1}, 400)):
        answer = client.control("POST", "/v2/sandboxes", body)
        tap.equal((answer.status, answer.json["code"]), (status, status), "control: creation with %r" % body)
    with client.sandbox(metadata={"task": "1"}) as box:
        found = client.control("GET", "/sandboxes/" + box.id).json
        tap.equal((found["state"], found["metadata"]), ("running", {"task": "1"}), "control: what a sandbox is")
        path = "/sandboxes/%s/pause" % box.id
        tap.equal([client.control("POST", path).status for _ in "12"], [204, 409], "control: a pause, and a second one")
        tap.equal(box.ask(ENVD, "GET", "/health").status, 502, "control: a paused sandbox is not reached")
        answers = [client.control("POST", "/v2/sandboxes/%s/connect" % box.id, {"timeout": 60}).status for _ in "12"]
        tap.equal(answers, [201, 200], "control: connect resumes it once")
        tap.equal(box.ask(3000, "GET", "/").json["port"], 3000, "control: a port that nothing listens on")
    tap.equal(client.control("DELETE", "/sandboxes/" + box.id).status, 404, "control: a second kill")
    tap.equal(box.ask(ENVD, "GET", "/health").json["code"], 502, "control: a killed sandbox is not reached")


def test_processes(tap, client):
    with client.sandbox(envVars={"GIVEN": "yes"}) as box:
        done = box.run("/bin/sh", "-c", "echo out; echo err >&2; echo $GIVEN; pwd; exit 3")
        tap.equal((done.status, shapes(done.events)), (200, ["start", "data", "end", "last"]),
                  "processes: events in order")
        tap.equal((done.output(), done.output("stderr")), (b"out\nyes\n/home/user\n", b"err\n"),
                  "processes: its output")
        end = {"exitCode": 3, "exited": True, "status": "exit status 3", "error": "exit status 3"}
        tap.equal(done.events[-2], {"end": end}, "processes: how it ended")
        tap.equal(box.run("true").events[-2], {"end": {"exited": True, "status": "exit status 0"}},
                  "processes: a zero is left out")
        end = box.run("/bin/sh", "-c", "kill -9 $$").events[-2]["end"]
        tap.equal((end["exitCode"], end["status"]), (-1, "signal: killed"), "processes: an end by a signal")
        end = box.run("no-such-program").events[-2]["end"]
        tap.equal(end["exitCode"], 127, "processes: a program that is missing is not an error of the call")
        last = box.stream("process.Process/Start", {"process": {"cmd": "true", "cwd": "/no/such"}})
        tap.equal((last.status, last.events[-1]["error"]["code"]), (200, "invalid_argument"),
                  "processes: a folder that is missing")
        began = time.monotonic()
        slow = box.run("sleep", "20", Connect_Timeout_Ms="500")
        tap.ok(slow.events[-1].get("error", {}).get("code") == "deadline_exceeded" and time.monotonic() - began < 10,
               "processes: a timeout", slow.events)
        check_refusals(tap, box)


def check_refusals(tap, box):
    tap.equal(box.call("process.Process/List", {}, X_Access_Token="wrong").json["code"], 401,
              "processes: a wrong token")
    unknown = box.run("true", Authorization="Basic bm9ib2R5MTo=")
    tap.equal((unknown.status, unknown.events[0]["error"]["code"]), (200, "unauthenticated"),
              "processes: a user that is unknown")
    answer = box.call("process.Process/SendSignal", {"process": {"pid": 999999}, "signal": "SIGNAL_SIGKILL"})
    tap.equal((answer.status, answer.json["code"]), (404, "not_found"), "processes: a signal to nothing")
    tap.equal(box.call("process.Process/SendInput", {"process": {"pid": 999999}, "input": {"stdin": "eA=="}}).status,
              404,
              "processes: input to nothing")
    tap.equal(box.call("process.Process/Nothing", {}).status, 404, "processes: a call that does not exist")
    tap.equal(box.call("process.Process/List", {}, Content_Type="text/plain").status, 415,
              "processes: another media type")
    tap.equal(box.call("process.Process/List", {"unknown": 1}).status, 200, "processes: a field that is unknown")


def test_files(tap, client):
    content = bytes(range(256))
    with client.sandbox() as box:
        wrote = box.put("deep/er/x.bin", content)
        tap.equal(wrote.json, [{"name": "x.bin", "path": "/home/user/deep/er/x.bin", "type": "file"}],
                  "files: one is written")
        got = box.get("deep/er/x.bin")
        tap.equal((got.body, got.headers["content-length"]), (content, str(len(content))), "files: and read")
        box.put("empty", b"")
        tap.equal(box.get("empty").headers["content-length"], "0", "files: an empty one")
        tap.equal([box.get(p).status for p in ("nothing", "deep", "~other/x", "deep/../empty")], [404, 400, 400, 200],
                  "files: one that is missing, a folder, another's home, a path with ..")
        tap.equal([box.put(p, b"x").status for p in ("deep", "empty/x")], [400, 500],
                  "files: folders and files in the way")
        tap.equal(box.put("x", b"x", Content_Type="text/plain").status, 400, "files: another media type")
        check_listing(tap, box)


def check_listing(tap, box):
    box.run("/bin/sh", "-c", "ln -s x.bin deep/er/link; ln -s /nowhere deep/broken; mkfifo deep/pipe")
    found = {e["path"].removeprefix("/home/user/"): e for e in
             box.call("filesystem.Filesystem/ListDir", {"path": "deep", "depth": 3}).json["entries"]}
    tap.equal(sorted(found), ["deep/broken", "deep/er", "deep/er/link", "deep/er/x.bin", "deep/pipe"],
              "files: a listing")
    tap.equal((found["deep/er/x.bin"]["size"], found["deep/er/x.bin"]["type"]), ("256", "FILE_TYPE_FILE"),
              "files: a size is text")
    tap.equal(found["deep/er/link"]["symlinkTarget"], "/home/user/deep/er/x.bin", "files: a link's target")
    tap.ok("size" not in box.call("filesystem.Filesystem/Stat", {"path": "empty"}).json["entry"],
           "files: no size is zero")
    answers = [box.call("filesystem.Filesystem/" + call, message) for call, message in (
        ("Stat", {"path": "nothing"}), ("ListDir", {"path": "empty"}), ("MakeDir", {"path": "deep"}),
        ("MakeDir", {"path": "empty"}), ("Remove", {"path": "nothing"}),
        ("Move", {"source": "nothing", "destination": "y"}))]
    tap.equal([(a.status, a.json.get("code")) for a in answers],
              [(404, "not_found"), (400, "invalid_argument"), (409, "already_exists"), (400, "invalid_argument"),
               (200, None), (404, "not_found")], "files: what calls refuse")


TESTS = {"control": test_control, "processes": test_processes, "files": test_files}


def test(tap, client):
    for function in TESTS.values():
        function(tap, client)
