# SPDX-License-Identifier: Apache-2.0
"""Many calls at once, their order in a session, progress, cancellation, large bodies."""

import base64
import os
import time

from client import Client

SLEEP = "import time\ntime.sleep(%s)\nprint('slept')"


def test_parallel(tap):
    with Client() as client:
        ids = [client.begin("execute_code", {"code": f"print({n})"}) for n in range(50)]
        results = [client.wait(id)["result"]["structuredContent"]["stdout"] for id in ids]
        tap.equal(results, [f"{n}\n" for n in range(50)], "50 calls at once")
        began = time.monotonic()
        ids = [client.begin("execute_code", {"code": SLEEP % 2}) for _ in range(10)]
        tap.ok(client.ask("ping") and time.monotonic() - began < 1.9, "the server answers meanwhile")
        for id in ids:
            client.wait(id)
        tap.ok(time.monotonic() - began < 15, f"10 sleeps side by side: {time.monotonic() - began:.1f} s")


def test_order(tap):
    with Client() as client:
        session = client.tool("create_session")["session_id"]
        client.tool("execute_code", session_id=session, code="seen = []")
        ids = [client.begin("execute_code", {"session_id": session, "code": f"seen.append({n})"}) for n in range(30)]
        for id in ids:
            client.wait(id)
        tap.equal(client.tool("execute_code", session_id=session, code="seen")["value"], list(range(30)), "a session's calls keep their order")
        ids = [client.begin("execute_code", {"session_id": session, "code": SLEEP % 1}) for _ in range(70)]
        refused = [client.wait(id)["result"] for id in ids[66:]]
        tap.ok(all(r["isError"] for r in refused), "too many calls wait for one session", refused)


def test_close(tap):
    with Client() as client:
        session = client.tool("create_session")["session_id"]
        running = client.begin("execute_code", {"session_id": session, "code": SLEEP % 60})
        waiting = client.begin("execute_code", {"session_id": session, "code": "1"})
        time.sleep(0.5)
        tap.equal(client.tool("close_session", session_id=session).get("closed"), True, "a session is closed while it runs a cell")
        tap.ok(client.wait(running, 20)["result"]["isError"] and client.wait(waiting, 20)["result"]["isError"], "its calls end")


def test_progress(tap):
    with Client() as client:
        client.call("execute_code", {"code": SLEEP % 3.5}, progressToken="tok")
        got = [n["params"] for n in client.notes if n["method"] == "notifications/progress"]
        steps = [p["progress"] for p in got]
        tap.ok(len(got) >= 2 and steps == sorted(set(steps)) and {p["progressToken"] for p in got} == {"tok"}, "progress each second", got)
        session = client.tool("create_session")["session_id"]
        client.notes.clear()
        client.call("execute_code", {"session_id": session, "code": SLEEP % 2.5}, progressToken=0)
        tap.ok(client.notes and client.notes[0]["params"]["progressToken"] == 0, "of a cell; a token may be 0", client.notes)
        client.notes.clear()
        client.call("execute_code", {"code": SLEEP % 1.5})
        tap.equal(client.notes, [], "none without a token")
        cases = [{"args": [n], "expected": n} for n in range(5)]
        client.call("test_code", {"code": "def f(x): return x", "cases": cases}, progressToken="t")
        tap.equal([n["params"]["progress"] for n in client.notes], [1, 2, 3, 4], "of cases", client.notes)
        tap.equal(client.notes[0]["params"]["total"], 5, "... with their number")


def test_cancel(tap):
    with Client() as client:
        session = client.tool("create_session")["session_id"]
        client.tool("execute_code", session_id=session, code="kept = 1")
        for arguments in ({"code": SLEEP % 60}, {"session_id": session, "code": SLEEP % 60}):
            running = client.begin("execute_code", arguments, progressToken="p")
            client.notes.clear()
            time.sleep(0.5)
            client.note("notifications/cancelled", {"requestId": running, "reason": "changed my mind"})
            began = time.monotonic()
            found = client.tool("execute_code", session_id=session, code="kept")
            tap.ok(found.get("value") == 1 and time.monotonic() - began < 20, "cancelled: the session goes on", found)
            time.sleep(1.5)
            tap.ok(not client.answers.get(str(running)) and not client.notes, "... and nothing is sent for the call", client.notes)
        first = client.begin("execute_code", {"session_id": session, "code": SLEEP % 2})
        second = client.begin("execute_code", {"session_id": session, "code": "kept = 2"})
        client.note("notifications/cancelled", {"requestId": second})
        client.wait(first)
        tap.equal(client.tool("execute_code", session_id=session, code="kept")["value"], 1, "a call that waits is cancelled before it begins")
        opening = client.begin("create_session", {})
        client.note("notifications/cancelled", {"requestId": opening})
        ids = [client.tool("create_session").get("session_id") for _ in range(15)]
        tap.ok(all(ids), "a cancelled session is not left open", ids)


def test_large(tap):
    raw = os.urandom(20 << 20)
    with Client("--message-limit", "64m") as client:
        session = client.tool("create_session")["session_id"]
        made = client.tool("write_file", session_id=session, path="big", content=base64.b64encode(raw).decode(), encoding="base64")
        tap.equal(made.get("size"), len(raw), "20 MiB in")
        answer = client.ask("resources/read", {"uri": made["uri"]})
        tap.ok(base64.b64decode(answer["result"]["contents"][0]["blob"]) == raw, "20 MiB out")
    with Client() as client:
        session = client.tool("create_session")["session_id"]
        client.tool("execute_code", session_id=session, code="open('big', 'wb').write(bytes(20 << 20))")
        error = client.ask("resources/read", {"uri": f"sandbox://{session}/big"}).get("error", {})
        tap.ok(error.get("code") == -32603 and "limit of a message" in error["message"], "an answer beyond the limit is an error", error)
        piece = client.tool("read_file", session_id=session, path="big", offset=19 << 20, limit=1 << 20)
        tap.equal((len(base64.b64decode(piece["content"])) if piece["encoding"] == "base64" else len(piece["content"]), piece["next_offset"]),
                  (1 << 20, None), "a piece of it")
        tap.ok(client.call("read_file", {"session_id": session, "path": "big", "limit": 2 << 20})["isError"], "a piece that is too large")
        found = client.tool("execute_code", code="# " + "x" * (15 << 20) + "\nprint(1)")
        tap.equal(found.get("stdout"), "1\n", "a program of 15 MiB")


def test(tap):
    test_parallel(tap)
    test_order(tap)
    test_close(tap)
    test_progress(tap)
    test_cancel(tap)
    test_large(tap)
