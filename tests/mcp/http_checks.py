# SPDX-License-Identifier: Apache-2.0
"""The daemon's /mcp in both generations: sessions, headers, streams, cancelling, coming back, owners."""

import base64
import http.client
import json
import os
import socket
import statistics
import time

from client import META, MODERN, PATIENCE, modern
from http_client import BOTH, TOKENS, Answer, Daemon, HttpClient, Stream, together
from procs import wait_for

SLEEP = "import time\ntime.sleep(%s)\nprint('slept')"
VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


def sleeper(mark):
    """A program that gives its process a name."""
    return {"code": f"import ctypes, time\nctypes.CDLL(None).prctl(15, b'{mark}', 0, 0, 0)\ntime.sleep(60)"}


def test_old(tap, daemon):
    for version in VERSIONS:
        client = HttpClient(daemon, version=version)
        tap.equal((client.hello["result"]["protocolVersion"], len(client.session)), (version, 32), version + ": a session")
        tap.equal(len(client.ask("tools/list").last["result"]["tools"]), 10, "... tools")
        tap.equal(client.tool("execute_code", code="print(6*7)")["stdout"], "42\n", "... a call")
        tap.equal((client.send("DELETE").status, client.ask("ping").status), (204, 404), "... its end")
    client = HttpClient(daemon, version=None)
    for name, wanted, more in (("no session", 400, {}), ("an unknown one", 404, {"Mcp_Session_Id": "x"}),
                               ("an unknown version", 400, {"Mcp_Session_Id": HttpClient(daemon).session, "MCP_Protocol_Version": "1999-01-01"})):
        answer = client.ask("ping", **more)
        tap.equal((answer.status, answer.code), (wanted, -32600), name)
    tap.equal(client.ask("initialize", {}).code, -32602, "initialize without a version")
    client = HttpClient(daemon)
    tap.equal((client.note("notifications/initialized").status, client.send(body={"jsonrpc": "2.0", "id": 5, "result": {}}).status), (202, 202),
              "notifications and answers are taken")
    unknown = client.ask("nothing")
    tap.equal((unknown.status, unknown.code), (200, -32601), "an unknown method is an answer")


def test_modern(tap, daemon):
    client = HttpClient(daemon, version=MODERN)
    found = client.ask("server/discover")
    tap.equal((found.status, found.last["result"]["supportedVersions"], "mcp-session-id" in found.headers), (200, [MODERN], False), "server/discover")
    tap.equal(client.tool("execute_code", code="print(6*7)")["stdout"], "42\n", "a call")
    session = client.tool("create_session")["session_id"]
    client.tool("execute_code", session_id=session, code="kept = 5")
    tap.equal(client.tool("execute_code", session_id=session, code="kept")["value"], 5, "a session is named by its id")
    ping = client.ask("ping")
    tap.equal((ping.status, ping.code), (404, -32601), "a method that is gone")
    for method in ("GET", "DELETE"):
        tap.equal(client.send(method, MCP_Protocol_Version=MODERN).status, 405, method + " is gone")
    encoded = "=?base64?" + base64.b64encode(b"execute_code").decode() + "?="
    for name, more, code in (("Mcp-Method", {"Mcp_Method": "tools/list"}, -32020), ("Mcp-Method in capitals", {"Mcp_Method": "TOOLS/CALL"}, -32020),
                             ("Mcp-Name", {"Mcp_Name": "run_command"}, -32020), ("no Mcp-Name", {"Mcp_Name": None}, -32020),
                             ("no version", {"MCP_Protocol_Version": None}, -32020), ("another version", {"MCP_Protocol_Version": "2025-11-25"}, -32020),
                             ("invalid base64", {"Mcp_Name": "=?base64?###?="}, -32020), ("white space", {"Mcp_Name": "  execute_code "}, None),
                             ("base64", {"Mcp_Name": encoded}, None)):
        answer = client.ask("tools/call", {"name": "execute_code", "arguments": {"code": "1"}}, **more)
        tap.equal((answer.status, answer.code), (400 if code else 200, code), "headers: " + name)
    for name, meta, code in (("an unknown version", {META + "protocolVersion": "2031-01-01", META + "clientCapabilities": {}}, -32022),
                             ("no capabilities", {META + "protocolVersion": MODERN}, -32602), ("nothing", {}, -32602)):
        version = meta.get(META + "protocolVersion", MODERN)
        answer = client.send(body=client.message("tools/list", {"_meta": meta}), MCP_Protocol_Version=version, Mcp_Method="tools/list")
        tap.equal((answer.status, answer.code), (400, code), "_meta: " + name)


def test_progress(tap, daemon):
    for version in ("2025-06-18", "2025-11-25", MODERN):
        client = HttpClient(daemon, version=version)
        params = {"name": "execute_code", "arguments": {"code": SLEEP % 2.5}, "_meta": {"progressToken": "p"}}
        body = client.message("tools/call", params)
        more = {}
        if version == MODERN:
            more = client.modern_headers("tools/call", params)
            body["params"]["_meta"].update(modern()["_meta"])
        answer = client.send(body=body, **more)
        steps = [m["params"]["progress"] for m in answer.messages[:-1]]
        tap.ok(answer.type == "text/event-stream" and len(steps) >= 2 and steps == sorted(steps) and answer.last["id"] == body["id"],
               version + ": progress, then the answer", answer.messages)
        ids = [id for id, _ in answer.events]
        tap.equal(len(set(ids)), 1 if version == MODERN else len(ids), version + ": ids of events")
        tap.equal(answer.events[0][1] is None, version == "2025-11-25", version + ": an event to come back to")
        body["params"]["arguments"]["code"] = "1"
        plain = client.send(body=body, **{**more, "Accept": "application/json"})
        tap.equal((plain.type, len(plain.messages)), ("application/json", 1), version + ": a client that takes no stream")
    client = HttpClient(daemon)
    answer = client.call("execute_code", {"code": SLEEP % 2.5}, progressToken="p" * 1001)
    tap.equal(len(answer.messages), 1, "a token of more than 1000 bytes: no progress")
    client.ask("logging/setLevel", {"level": "info"})
    answer = client.call("create_session", {})
    tap.equal([m.get("method") for m in answer.messages], ["notifications/message", None], "messages for the log")
    quiet = client.call("execute_code", {"code": SLEEP % 6})
    tap.equal((quiet.type, len(quiet.messages)), ("text/event-stream", 1), "a long call is answered in a stream")


def test_cancel(tap, daemon):
    client = HttpClient(daemon)
    answers = together(lambda n: client.call("execute_code", sleeper("mark-a"), id="long") if n == 0 else
                       wait_for(lambda: daemon.runs("mark-a")) and client.note("notifications/cancelled", {"requestId": "long"}), 2)
    tap.ok(answers[1].status == 202 and daemon.ends("mark-a") and not answers[0].messages, "cancelled by a notification: no answer", answers)
    other = HttpClient(daemon)
    session = client.tool("create_session")["session_id"]
    client.tool("execute_code", session_id=session, code="kept = 1")
    began = time.monotonic()
    other.note("notifications/cancelled", {"requestId": "x"})
    answers = together(lambda n: client.call("execute_code", {"session_id": session, "code": SLEEP % 2}, id="x") if n == 0 else
                       other.note("notifications/cancelled", {"requestId": "x"}), 2)
    tap.ok("result" in answers[0].last and time.monotonic() - began > 2, "another session's ids are its own", answers[0].messages)
    client = HttpClient(daemon, version=MODERN)
    answers = together(lambda n: client.call("execute_code", {"code": SLEEP % 1}, id="x") if n == 0 else time.sleep(0.3) or
                       client.note("notifications/cancelled", {"requestId": "x"}, MCP_Protocol_Version=MODERN), 2)
    tap.ok("result" in answers[0].last and answers[1].status == 202, MODERN + ": an id alone names no call", answers[0].messages)
    for version in ("2025-11-25", MODERN):
        client = HttpClient(daemon, version=version)
        mark = "mark-" + version
        params = {"name": "execute_code", "arguments": sleeper(mark)}
        more = client.modern_headers("tools/call", params) if version == MODERN else {}
        connection = client.open(body=client.message("tools/call", modern(params) if version == MODERN else params), **more)
        tap.ok(wait_for(lambda mark=mark: daemon.runs(mark)), version + ": it runs")
        connection.close()
        tap.ok(daemon.ends(mark), version + ": ... until the client is gone")
    client = HttpClient(daemon)
    connection = client.open(body=client.message("tools/call", {"name": "execute_code", "arguments": sleeper("mark-d")}))
    tap.ok(wait_for(lambda: daemon.runs("mark-d")) and client.send("DELETE").status == 204 and daemon.ends("mark-d"), "DELETE ends what runs")
    connection.close()


def test_back(tap, daemon):
    """A connection is lost, and the client comes back for the rest."""
    client = HttpClient(daemon)
    params = {"name": "execute_code", "arguments": {"code": SLEEP % 4}, "_meta": {"progressToken": 1}}
    connection = client.open(body=client.message("tools/call", params, id="back"))
    stream = iter(Stream(connection.getresponse()))
    last = [next(stream)[0] for _ in range(2)][-1]
    connection.sock.shutdown(socket.SHUT_RDWR)
    connection.close()
    time.sleep(1)
    stranger = HttpClient(daemon).send("GET", Last_Event_ID=last)
    tap.equal(stranger.status, 400, "another session's stream")
    answer = client.send("GET", Last_Event_ID=last)
    steps = [m["params"]["progress"] for m in answer.messages[:-1]]
    tap.ok(answer.last.get("id") == "back" and "result" in answer.last and steps and steps[0] > 1.5, "the events after the last one that came", answer.messages)
    for id in ("x", "1", "1-", "-1-5", "99999-1", "9" * 30 + "-1", last):
        tap.equal(client.send("GET", Last_Event_ID=id).status, 400, f"nothing to come back to: {id:.9}")


def test_stream(tap, daemon):
    client = HttpClient(daemon)
    tap.equal(client.send("GET", Accept="application/json").status, 406, "GET is a stream")
    tap.equal(client.send("HEAD").status, 406, "HEAD is none")
    first, second = client.open("GET"), None
    answer = first.getresponse()
    tap.equal((answer.status, answer.headers["content-type"], answer.readline()), (200, "text/event-stream", b":\n"), "GET")
    second = client.open("GET")
    tap.ok(second.getresponse().status == 200 and answer.read() == b"\n", "a second one ends the first")
    client.send("DELETE")
    tap.equal(second.sock is None or second.sock.recv(100) is not None, True, "DELETE ends the stream")
    first.close()
    second.close()


def test_batch(tap, daemon):
    client = HttpClient(daemon, version="2025-03-26")
    run = client.message("tools/call", {"name": "execute_code", "arguments": {"code": "print(1)"}}, id=7)
    answer = client.send(body=[run, client.message("ping", id=8), {"jsonrpc": "2.0", "method": "x"}, {"id": 9}])
    tap.equal(sorted((m["id"], "result" in m) for m in answer.last), [(7, True), (8, True), (9, False)], "a batch")
    tap.equal(client.send(body=[{"jsonrpc": "2.0", "method": "notifications/x"}]).status, 202, "one of notifications")
    for name, wrong, body in (("empty", client, []), ("too long", client, [run] * 101), ("in a version without", HttpClient(daemon), [run])):
        tap.equal(wrong.send(body=body).status, 400, "a batch: " + name)


def test_owners(tap, daemon):
    ann, bob = HttpClient(daemon), HttpClient(daemon, "bob")
    session = ann.tool("create_session")["session_id"]
    tap.ok(bob.call("execute_code", {"session_id": session, "code": "1"}).last["result"]["isError"], "a session of another token")
    made = ann.tool("execute_code", code="open('a', 'w').write('secret')")
    uri = made["files"][0]["uri"]
    tap.equal(ann.ask("resources/read", {"uri": uri}).last["result"]["contents"][0]["text"], "secret", "a file that was kept")
    tap.equal(bob.ask("resources/read", {"uri": uri}).code, -32002, "... is its owner's")
    tap.equal(bob.ask("resources/list").last["result"]["resources"], [], "... and not in the other's list")
    tap.equal(bob.ask("ping", Mcp_Session_Id=ann.session).status, 404, "a conversation of another token")
    connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=PATIENCE)
    connection.request("GET", "/v1/sessions", headers={"Authorization": "Bearer " + TOKENS["ann"]})
    listed = json.loads(connection.getresponse().read())["sessions"]
    tap.ok(session in [s["id"] for s in listed], "a session is one of /v1 as well", listed)
    connection.request("DELETE", "/v1/sessions/" + session, headers={"Authorization": "Bearer " + TOKENS["ann"]})
    connection.getresponse().read()
    connection.close()
    tap.ok(ann.call("execute_code", {"session_id": session, "code": "1"}).last["result"]["isError"], "... and ends there")


def test_callers(tap, daemon):
    stranger = HttpClient(daemon, "nobody", version=None)
    tap.equal(stranger.ask("initialize").status, 401, "no token")
    client = HttpClient(daemon)
    own = f"127.0.0.1:{daemon.port}"
    for name, wanted, more in (("a page", 403, {"Origin": "http://evil.example"}), ("another host", 421, {"Host": "evil.example"}),
                               ("a page of a host that became ours", 421, {"Origin": "http://evil.example", "Host": "evil.example"}),
                               ("another port", 403, {"Origin": "http://127.0.0.1:1"}), ("no page", 403, {"Origin": "null"}),
                               ("our own address", 200, {"Origin": "http://" + own})):
        tap.equal(client.ask("ping", **more).status, wanted, name)
    tap.equal(client.send(body=b"<x>", Content_Type="text/xml").status, 415, "no JSON by its type")


def test_hostile(tap, daemon):
    client = HttpClient(daemon)
    for name, body in (("not JSON", b"hello"), ("nothing", b""), ("a text", b'"x"'), ("deep", b"[" * 50000), ("no method", b'{"jsonrpc":"2.0","id":1}'),
                       ("large and not JSON", b"x" * (1 << 20)), ("not UTF-8", b'{"jsonrpc":"2.0","id":1,"method":"\xff"}')):
        tap.equal(client.send(body=body).status, 400, name)
    raw = os.urandom(20 << 20)
    session = client.tool("create_session")["session_id"]
    made = client.tool("write_file", session_id=session, path="big", content=base64.b64encode(raw).decode(), encoding="base64")
    answer = client.ask("resources/read", {"uri": made["uri"]})
    tap.ok(base64.b64decode(answer.last["result"]["contents"][0]["blob"]) == raw, "20 MiB there and back")
    results = together(lambda n: client.tool("execute_code", code=f"print({n})").get("stdout"), 50)
    tap.equal(results, [f"{n}\n" for n in range(50)], "50 calls at once")
    connection = client.open(body=client.message("tools/call", {"name": "execute_code", "arguments": {"code": SLEEP % 1}}, id="same"))
    time.sleep(0.3)
    tap.equal(client.ask("ping", id="same").status, 200, "an id in use matters for calls only")
    tap.equal(client.call("execute_code", {"code": "1"}, id="same").code, -32600, "... of which it names one")
    tap.ok("result" in Answer(connection.getresponse()).last, "... which goes on")
    connection.close()


def read_rest(connection):
    with connection.sock.makefile("rb") as answer:
        return answer.read()


def test_one_answer(tap, daemon):
    """What comes on a connection after an answer would be taken for the next one."""
    client = HttpClient(daemon)
    refused = client.open(body=client.message("initialize", {}), Connection="close")
    tap.equal(read_rest(refused).count(b"HTTP/1.1 "), 1, "initialize that is refused has one answer")
    session = client.tool("create_session")["session_id"]
    big = base64.b64encode(bytes(20 << 20)).decode()
    uri = client.tool("write_file", session_id=session, path="big", content=big, encoding="base64")["uri"]
    unread = client.open(body=client.message("resources/read", {"uri": uri}), Connection="close")
    unread.sock.recv(1, socket.MSG_PEEK)
    client.send("DELETE")
    tap.equal(read_rest(unread).count(b"HTTP/1.1 "), 1, "... and one that its client reads after the end of its session")
    refused.close()
    unread.close()


def seconds_of(client, connection, count):
    """The median time of an `initialize`."""
    body = json.dumps(client.message("initialize", {"protocolVersion": "2025-11-25"}))
    times, statuses = [], set()
    for _ in range(count):
        began = time.monotonic()
        connection.request("POST", "/mcp", body, {"Authorization": "Bearer " + client.token, "Accept": BOTH})
        answer = connection.getresponse()
        answer.read()
        times.append(time.monotonic() - began)
        statuses.add(answer.status)
    return statistics.median(times), statuses


def test_many(tap):
    """Clients that begin and never end: the daemon forgets the oldest, of the owner with the most. That takes no longer
    with a full table, whoever filled it."""
    with Daemon() as daemon:
        bob, ann = HttpClient(daemon, "bob"), HttpClient(daemon)
        connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=PATIENCE)
        empty, _ = seconds_of(ann, connection, 100)
        _, statuses = seconds_of(ann, connection, 4000)
        tap.equal(statuses, {200}, "4100 clients begin")
        tap.equal((ann.ask("ping").status, bob.ask("ping").status), (404, 200), "the oldest of 4100 sessions is over, another token's is not")
        for n in range(600):  # ann's and bob's lie between each other
            seconds_of((ann, bob)[n % 2], connection, 1)
        full, _ = seconds_of(ann, connection, 50)
        found = statistics.median(seconds_of(client, connection, 1)[0] for client in (ann, bob) * 20)
        tap.ok(max(full, found) < 20 * empty, "'initialize' takes as long as with an empty table", (empty, full, found))
        connection.close()
        first, last = HttpClient(daemon, "bob"), HttpClient(daemon)
        seconds_of(ann, http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=PATIENCE), 200)
        tap.equal([c.ask("ping").status for c in (first, last)], [200, 200], "what is new stays, whatever the other token begins")


def test_stop(tap):
    with Daemon() as daemon:
        client = HttpClient(daemon)
        stream = client.open("GET")
        stream.getresponse()
        running = client.open(body=client.message("tools/call", {"name": "execute_code", "arguments": {"code": SLEEP % 2}}))
        time.sleep(0.5)
        began = time.monotonic()
        daemon.process.terminate()
        tap.ok("result" in Answer(running.getresponse()).last, "a daemon that stops lets a call end")
        tap.ok(daemon.process.wait(20) == 0 and time.monotonic() - began < 15, "... and waits for no stream")


def test(tap):
    with Daemon() as daemon:
        for part in (test_old, test_modern, test_progress, test_cancel, test_back, test_stream, test_batch, test_owners, test_callers, test_hostile,
                     test_one_answer):
            part(tap, daemon)
    test_many(tap)
    test_stop(tap)
