# SPDX-License-Identifier: Apache-2.0
"""Lines that are no messages, and messages of clients that mean harm or do not know the protocol."""

import json

from client import GLOVEBOX, Client

INVALID = [
    ("not JSON", b"hello", -32700, None),
    ("cut off", b'{"jsonrpc":"2.0","id":1', -32700, None),
    ("not UTF-8", b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', -32700, None),
    ("a name twice", b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', -32700, None),
    ("deep", b"[" * 100000, -32700, None),
    ("deep parameters", b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b'{"a":' * 5000 + b"1" + b"}" * 5001, -32700, None),
    ("a huge number", b'{"jsonrpc":"2.0","id":99999999999999999999,"method":"ping"}', -32700, None),
    ("a huge argument", b'{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"a":99999999999999999999}}', -32700, 6),
    ("a huge argument, and a text as id", b'{"jsonrpc":"2.0","id":"6","method":"ping","params":{"a":99999999999999999999}}', -32700, "6"),
    ("a batch", b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, None),
    ("a text", b'"ping"', -32600, None),
    ("no version", b'{"id":5,"method":"ping"}', -32600, 5),
    ("another version", b'{"jsonrpc":"1.0","id":5,"method":"ping"}', -32600, 5),
    ("id null", b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
    ("id true", b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, None),
    ("id 1.5", b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, None),
    ("id an object", b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, None),
    ("id too long", b'{"jsonrpc":"2.0","id":"' + b"x" * 2000 + b'","method":"ping"}', -32600, None),
    ("no method", b'{"jsonrpc":"2.0","id":6}', -32600, 6),
    ("method 7", b'{"jsonrpc":"2.0","id":6,"method":7}', -32600, 6),
    ("NUL in the method", b'{"jsonrpc":"2.0","id":6,"method":"ping\\u0000x"}', -32600, 6),
    ("params a list", b'{"jsonrpc":"2.0","id":6,"method":"ping","params":[1]}', -32602, 6),
    ("params a text", b'{"jsonrpc":"2.0","id":6,"method":"tools/call","params":"x"}', -32602, 6),
    ("an unknown method", b'{"jsonrpc":"2.0","id":6,"method":"x\\ny"}', -32601, 6),
    ("a call without a name", b'{"jsonrpc":"2.0","id":6,"method":"tools/call"}', -32602, 6),
    ("a tool named 5", b'{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":5}}', -32602, 6),
    ("no version to begin with", b'{"jsonrpc":"2.0","id":6,"method":"initialize"}', -32602, 6),
]


def test_lines(tap):
    with Client() as client:
        for name, line, code, id in INVALID:
            client.write(line + b"\n")
            got = client.wait(id)
            tap.equal(got and got["error"]["code"], code, name, got)
        for id in (0, -5, 9007199254740993, "", "a\u00e9\u0000b", "7"):
            client.send("ping", id=id)
            tap.equal(client.wait(id), {"jsonrpc": "2.0", "id": id, "result": {}}, f"id {id!r} comes back")
        client.write(b"\n  \r\n\r\n" + json.dumps({"jsonrpc": "2.0", "id": 70, "method": "ping"}).encode() + b"\r\n")
        tap.ok(client.wait(70), "empty lines, and line ends of another system")
        for piece in (b'{"jsonrpc":"2.0",', b'"id":71,"meth', b'od":"ping"}', b"\n"):
            client.write(piece)
        tap.ok(client.wait(71), "a message in pieces")
        tap.ok(not client.bad, "only messages were sent", client.bad)


def test_huge(tap):
    with Client() as client:
        for _ in range(66):
            client.write(b"x" * (1 << 20))
        client.write(b"\n")
        got = client.wait(None)
        tap.equal(got and got["error"]["code"], -32700, "a line without an end", got)
        tap.ok(client.ask("ping"), "... and the next message")
        with open(f"/proc/{client.process.pid}/status") as f:
            kb = next(int(line.split()[1]) for line in f if line.startswith("VmRSS"))
        tap.ok(kb < 60000 or "asan" in GLOVEBOX, f"its memory is given back: {kb} KiB")


def test_notifications(tap):
    with Client() as client:
        for params in ({}, {"requestId": None}, {"requestId": {}}, {"requestId": "nothing"}, {"requestId": 1.5}):
            client.note("notifications/cancelled", params)
        client.write(b'{"jsonrpc":"2.0","method":"notifications/cancelled"}\n{"jsonrpc":"2.0","method":"tools/call","params":{}}\n')
        client.write(b'{"jsonrpc":"2.0","id":"x","result":{"a":1}}\n{"jsonrpc":"2.0","id":"x","error":{}}\n')
        tap.ok(client.ask("ping") and not any(client.answers.values()), "notifications and answers get no answer", client.answers)


def test_ids(tap):
    with Client() as client:
        client.send("tools/call", {"name": "execute_code", "arguments": {"code": "import time\ntime.sleep(1)"}}, id="same")
        client.send("tools/call", {"name": "execute_code", "arguments": {"code": "1"}}, id="same")
        first, second = client.wait("same"), client.wait("same")
        tap.equal((first.get("error", {}).get("code"), "result" in second), (-32600, True), "an id that is in use")
        client.send("tools/call", {"name": "execute_code", "arguments": {"code": "1"}}, id="same")
        tap.ok("result" in client.wait("same"), "... and is free afterwards")


GREEDY = {
    "a value": "'a' * 10_000_000",
    "an exception": "raise ValueError('x' * 10**7)",
    "displays": "for i in range(20000): display('d' * 1000)",
    "output": "for i in range(200000): print('\\x1b' * 100)",
    "files": "import os\nfor i in range(3000): open('f' * 200 + str(i), 'w').close()",
    "long paths": "import os\np = '/'.join(['\u00e9' * 100] * 9)\nos.makedirs(p)\n"
                  "for i in range(1500): open(p + '/' + '\u00e9' * 100 + str(i), 'w').close()",
}


def test_answers(tap):
    """A program makes its answer as long as it can."""
    with Client("--memory", "1g") as client:
        session = client.tool("create_session")["session_id"]
        for name, code in GREEDY.items():
            for more in ({}, {"session_id": session}):
                result = client.call("execute_code", {"code": code, **more})
                tap.ok("content" in result and len(json.dumps(result["content"])) < 1 << 20 and len(json.dumps(result)) < 4 << 20,
                       f"{name}: the answer is bounded: {len(json.dumps(result))} bytes")
        listed = client.call("list_files", {"session_id": session})
        tap.ok("content" in listed and listed["structuredContent"]["files_left_out"] > 0, "a list of files is bounded")
        seen, cursor = [], None
        while len(seen) < 20000:
            page = client.ask("resources/list", {"cursor": cursor} if cursor else {})["result"]
            seen.append([r["uri"] for r in page["resources"]])
            cursor = page.get("nextCursor")
            if not cursor:
                break
        every = [uri for uris in seen for uri in uris]
        tap.ok(len(seen) > 1 and len(set(every)) == len(every) > 4000, f"... and of resources: {len(every)} on {len(seen)} pages")
        for wrong in ("x", "-1", 5, [], "1e3"):
            tap.equal(client.ask("resources/list", {"cursor": wrong}).get("error", {}).get("code"), -32602, f"a cursor: {wrong!r}")


def test_batches(tap):
    """Only one version of the protocol has them."""
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    run = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "execute_code", "arguments": {"code": "print(1)"}}}
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    with Client(version="2025-03-26") as client:
        answers = client.batch([run, note, ping, {"id": 3}])
        tap.equal(sorted((a["id"], "result" in a) for a in answers), [(1, True), (2, True), (3, False)], "a batch: the answers come together")
        client.write(json.dumps([note, note]) + "\n")
        tap.ok(client.ask("ping") and not client.batches, "a batch of notifications has no answer")
        first = {**run, "id": 8, "params": {"name": "execute_code", "arguments": {"code": "import time\ntime.sleep(60)"}}}
        client.write(json.dumps([first, ping]) + "\n")
        client.note("notifications/cancelled", {"requestId": 8})
        tap.equal([a["id"] for a in client.next_batch()], [1], "a cancelled call is not in the answer")
        for name, batch in (("no message", []), ("too many messages", [ping] * 101)):
            client.write(json.dumps(batch) + "\n")
            tap.equal(client.wait(None)["error"]["code"], -32600, "a batch with " + name)


def test(tap):
    test_lines(tap)
    test_huge(tap)
    test_notifications(tap)
    test_batches(tap)
    test_ids(tap)
    test_answers(tap)
