# SPDX-License-Identifier: Apache-2.0
"""Resources: files of sessions and of runs, and output that is too long for an answer."""

import base64

from client import Client


def read(client, uri):
    answer = client.ask("resources/read", {"uri": uri})
    return answer["result"]["contents"][0] if "result" in answer else answer["error"]


def test_output(tap):
    with Client() as client:
        found = client.tool("execute_code", code="for i in range(20000): print(i)")
        whole = "".join(f"{i}\n" for i in range(20000))
        tap.ok(len(found["stdout"]) < 40000 and found["stdout"].startswith("0\n1\n") and found["stdout"].endswith("19999\n"),
               "head and tail of a long output")
        tap.ok(found["stdout_uri"] in found["stdout"], "... and where the rest is")
        tap.equal(read(client, found["stdout_uri"])["text"] == whole, True, "all of it as a resource")


def test_huge_output(tap):
    with Client("--output-limit", "200m", "--message-limit", "256m", "--memory", "1g") as client:
        for size, kept in ((80, True), (130, False)):
            found = client.tool("execute_code", code=f"import sys\nfor i in range({size}): sys.stdout.write('x' * (1 << 20))")
            uri = found["stdout_uri"]
            tap.equal(uri and len(read(client, uri).get("text", "")), (size << 20) if kept else None, f"{size} MiB of output: the resource")
            tap.equal("too long to keep" in found["stdout"], not kept, "... and the answer reports it")


def test_files(tap):
    name = "d/a b%\u00e9?#.txt"
    with Client() as client:
        found = client.tool("execute_code", code=f"import os\nos.mkdir('d')\nopen({name!r}, 'w').write('x')\nopen('b', 'wb').write(bytes([0, 255]))")
        rows = {f["path"]: f for f in found["files"]}
        tap.equal(read(client, rows[name]["uri"]).get("text"), "x", "a file of a sandbox that is gone")
        tap.equal(base64.b64decode(read(client, rows["b"]["uri"]).get("blob", "")), bytes([0, 255]), "bytes")
        session = client.tool("create_session")["session_id"]
        made = client.tool("write_file", session_id=session, path=name, content="y")
        tap.equal(read(client, made["uri"]).get("text"), "y", "a file of a session: " + made["uri"])
        listed = client.ask("resources/list")["result"]["resources"]
        tap.ok({made["uri"], rows["b"]["uri"]} <= {r["uri"] for r in listed}, "the list", listed)
        for path in ("../../etc/passwd", "%2e%2e/x", "%2Fetc%2Fpasswd", "%", "%zz", "%00", "nope", ""):
            error = read(client, f"sandbox://{session}/{path}")
            tap.equal(error.get("code"), -32002, f"no resource: {path!r}")
        for uri in ("", "file:///etc/passwd", "sandbox://", "sandbox:///x", "sandbox://" + "x" * 5000, made["uri"] + "\0x", 7, None):
            tap.equal(read(client, uri).get("code"), -32002, f"no resource: {str(uri)[:30]!r}")
        client.tool("execute_code", session_id=session, code="import os\nos.symlink('/etc/passwd', 'link')")
        tap.equal(read(client, f"sandbox://{session}/link").get("code"), -32002, "a link is not followed")
        client.tool("close_session", session_id=session)
        tap.equal(read(client, made["uri"]).get("code"), -32002, "a closed session has no resources")


def test_busy(tap):
    with Client() as client:
        session = client.tool("create_session", files={"a.txt": "x"})["session_id"]
        running = client.begin("execute_code", {"session_id": session, "code": "import time\ntime.sleep(3)"})
        listed = client.ask("resources/list")
        tap.ok("result" in listed and not client.answers.get(str(running)), "a list does not wait for a cell", listed)
        client.wait(running)


def test(tap):
    test_output(tap)
    test_huge_output(tap)
    test_files(tap)
    test_busy(tap)
