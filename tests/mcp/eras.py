# SPDX-License-Identifier: Apache-2.0
"""Conversations in both generations of the protocol, against golden/*.jsonl: lines '> ' are sent, '< ' are expected.
In an expected line, "*" stands for any value, and members that it does not name may be there."""

import glob
import json
import os
import time

from client import HERE, META, MODERN, Client, modern

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


def matches(got, want):
    if want == "*":
        return True
    if isinstance(want, dict):
        return isinstance(got, dict) and all(k in got and matches(got[k], v) for k, v in want.items())
    if isinstance(want, list):
        return isinstance(got, list) and len(got) == len(want) and all(map(matches, got, want))
    return got == want and type(got) is type(want)


def play(tap, path):
    name = os.path.basename(path)
    with open(path) as f, Client(version=None) as client:
        for number, line in enumerate(f, 1):
            if line.startswith("> "):
                client.write(line[2:])
            elif line.startswith("< "):
                want = json.loads(line[2:])
                got = client.wait(want.get("id"))
                tap.ok(matches(got, want), f"{name}:{number}: {line[2:60].strip()}", f"got  {json.dumps(got)}", f"want {line[2:]}")
        tap.ok(not client.bad and not any(client.answers.values()), f"{name}: nothing else was sent", client.bad, client.answers)


def test_golden(tap):
    for path in sorted(glob.glob(os.path.join(HERE, "golden", "*.jsonl"))):
        play(tap, path)


def test_versions(tap):
    for version in VERSIONS:
        with Client(version=version) as client:
            tap.equal(client.hello["result"]["protocolVersion"], version, version + ": echoed")
            result = client.call("execute_code", {"code": "open('a.txt', 'w').write('x')"})
            links = [c for c in result["content"] if c["type"] == "resource_link"]
            tap.equal(bool(links), version >= "2025-06-18", version + ": links to resources only where they exist")
    with Client(version="1999-01-01") as client:
        tap.equal(client.hello["result"]["protocolVersion"], "2025-11-25", "an unknown version: the newest")


def test_modern(tap):
    with Client(version=None) as client:
        found = client.ask("server/discover", modern())["result"]
        tap.ok(found["supportedVersions"] == [MODERN] and found["resultType"] == "complete" and found["ttlMs"] >= 0
               and found["_meta"][META + "serverInfo"]["name"] == "glovebox", "server/discover", found)
        listed = client.ask("tools/list", modern())["result"]
        tap.ok(listed["ttlMs"] >= 0 and listed["cacheScope"] in ("public", "private"), "tools/list may be cached", listed.keys())
        tap.equal(client.ask("tools/list", modern())["result"], listed, "tools/list is always the same")
        result = client.ask("tools/call", modern({"name": "execute_code", "arguments": {"code": "print(6*7)"}}))["result"]
        tap.ok(result["structuredContent"]["stdout"] == "42\n" and result["resultType"] == "complete", "a call", result)
        wrong = client.ask("tools/list", {"_meta": {META + "protocolVersion": "2031-01-01", META + "clientCapabilities": {}}})
        tap.equal((wrong["error"]["code"], wrong["error"]["data"]), (-32022, {"supported": [MODERN], "requested": "2031-01-01"}),
                  "an unknown version")
        bare = client.ask("tools/list", {"_meta": {META + "protocolVersion": MODERN}})
        tap.equal(bare["error"]["code"], -32602, "without the client's capabilities")
        for method in ("initialize", "ping", "logging/setLevel", "resources/subscribe"):
            tap.equal(client.ask(method, modern({"level": "info"}))["error"]["code"], -32601, method + " is gone")
        old = client.ask("ping")
        tap.equal(old["result"], {}, "the older generation beside it")


def test_start(tap):
    best = 9.0
    for _ in range(5):
        began = time.monotonic()
        with Client(version=None) as client:
            client.ask("server/discover", modern())
            best = min(best, time.monotonic() - began)
    tap.ok(best < 0.5, f"it answers at once: {best * 1000:.0f} ms")


def test_logging(tap):
    with Client() as client:
        client.tool("create_session")
        tap.equal(client.notes, [], "no log unless it is asked for")
        tap.equal(client.ask("logging/setLevel", {"level": "loud"})["error"]["code"], -32602, "an unknown level")
        tap.equal(client.ask("logging/setLevel", {"level": "info"})["result"], {}, "a level")
        client.tool("create_session")
        tap.equal([n["params"]["level"] for n in client.notes], ["info"], "messages from this level on", client.notes)
        client.send("tools/call", modern({"name": "create_session", "arguments": {}}, **{META + "logLevel": "debug"}), id="m")
        client.wait("m")
        tap.equal(len(client.notes), 2, "the newer generation: a level for each request", client.notes)
        client.send("tools/call", modern({"name": "create_session", "arguments": {}}), id="n")
        client.wait("n")
        tap.equal(len(client.notes), 2, "... and none without")


def test(tap):
    test_golden(tap)
    test_versions(tap)
    test_modern(tap)
    test_start(tap)
    test_logging(tap)
