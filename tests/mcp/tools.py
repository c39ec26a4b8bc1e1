# SPDX-License-Identifier: Apache-2.0
"""Each tool: its results have the form of its schema, the program's failures are results, sessions last."""

import base64
import json
import os
import re
import subprocess
import sys
import tempfile

from client import GLOVEBOX, Client, conforms, texts

PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


class Checked(Client):
    """Holds every structured result against the tool's schema."""

    def __init__(self, tap, *options):
        super().__init__(*options)
        self.tap = tap
        listed = self.ask("tools/list")["result"]["tools"]
        self.schemas = {t["name"]: t["outputSchema"] for t in listed}
        self.listed = {t["name"]: t for t in listed}

    def call(self, tool, arguments, **meta):
        result = super().call(tool, arguments, **meta)
        if "structuredContent" in result:
            wrong = conforms(result["structuredContent"], self.schemas[tool])
            self.tap.ok(not wrong, f"{tool}: the result has the form of the schema", *wrong)
        return result


def test_descriptions(tap):
    with Checked(tap, "--memory", "300m", "--timeout", "7s", "--languages", "python,bash", "--ro", "/usr/share:/data") as client:
        about = client.listed["execute_code"]["description"]
        for words in ("7 s", "300 MB", "no network", "python, bash", "inside: \"/data\""):
            tap.ok(words in about, "execute_code's description: " + words, about)
        tap.ok("no network" in client.hello["result"]["instructions"], "the instructions say it, too")
        schema = client.listed["execute_code"]["inputSchema"]
        tap.ok(schema["type"] == "object" and schema["required"] == ["code"] and not schema["additionalProperties"], "input schema")
        tap.ok(client.listed["read_file"]["annotations"]["readOnlyHint"] and
               not client.listed["execute_code"]["annotations"]["openWorldHint"], "hints")
        refused = client.call("execute_code", {"code": "1", "language": "javascript"})
        tap.ok(refused["isError"] and "use python, bash" in texts(refused), "a language that is not offered", refused)
        tap.equal(client.tool("execute_code", code="echo hi")["language"], "python", "the first language is the default")
        tap.equal(client.tool("run_command", command="ls /data | wc -l")["exit_code"], 0, "a folder of the host is visible")
    with Client("--languages", "python") as client:
        tap.ok("not offered" in texts(client.call("run_command", {"command": "ls"})), "no shell without bash")
    with Client("--net", "host") as client:
        listed = {t["name"]: t for t in client.ask("tools/list")["result"]["tools"]}
        about = listed["execute_code"]["description"]
        tap.ok("no network" not in about and listed["execute_code"]["annotations"]["openWorldHint"], "an open network", about)


def test_machine(tap):
    """What fails here is not blamed on the program."""
    with Client(GLOVEBOX_JAIL="/nowhere/glovebox-jail") as client:
        for tool, words in (("execute_code", {"code": "print(1)", "language": "python"}), ("run_command", {"command": "true"}),
                            ("test_code", {"code": "def f(x): return 1", "cases": [{"args": [1], "expected": 1}]})):
            result = client.call(tool, words)
            tap.ok(result["isError"] and "failure of the machine, not of the program" in texts(result) and "cases passed" not in texts(result),
                   f"{tool} without a helper", result)
    with tempfile.TemporaryDirectory(prefix="gbmcp-path-") as empty, Client(PATH=empty) as client:
        result = client.call("execute_code", {"code": "1", "language": "javascript"})
        tap.ok(result["isError"] and "failure of the machine" in texts(result), "without the language's program", result)


NAMES = ("execute_code", "run_command", "write_file", "read_file", "list_files", "check_code", "test_code", "create_session",
         "fork_session", "close_session", "session_id")


def test_offered(tap):
    """No text names a tool that is not offered, or an argument that nothing can fill."""
    for offered in (("execute_code",), ("run_command",), ("check_code", "test_code"), ("execute_code", "run_command"),
                    ("execute_code", "create_session"), ("run_command", "create_session", "fork_session"),
                    ("execute_code", "read_file", "create_session", "close_session")):
        with Client("--tools", ",".join(offered)) as client:
            listed = client.ask("tools/list")["result"]["tools"]
            said = client.hello["result"]["instructions"] + json.dumps([(t["description"], t["inputSchema"]) for t in listed])
            may = {*offered, "session_id"} if "create_session" in offered else set(offered)
            named = {name for name in NAMES if name in said}
            tap.ok(named <= may, f"--tools {','.join(offered)}: the texts name nothing else", named - may)
            tap.ok(not re.search("[<>]", said), "... and are whole", said)
    for alone in ("read_file", "execute_code,write_file", "fork_session"):
        done = subprocess.run([GLOVEBOX, "mcp", "--tools", alone], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        tap.ok(done.returncode == 2 and "needs a session" in done.stderr and done.stderr.count("\n") == 1, f"--tools {alone}: refused", done)
    with Client("--tools", "execute_code,create_session", "--sessions", "1") as client:
        client.tool("create_session")
        full = client.call("create_session", {})
        tap.ok(full["isError"] and "close_session" not in texts(full), "the maximum of sessions", full)


def test_python_of_commands(tap):
    """Another Python than the system's: what is announced is what a shell's python3 is."""
    with tempfile.TemporaryDirectory(prefix="gbmcp-venv-") as folder:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        os.chmod(folder, 0o755)
        say = "import sys; print(sys.prefix, sys.version.split()[0])"
        with Client("--python", folder) as client:
            ran = client.tool("execute_code", code=say)["stdout"]
            tap.ok(ran.startswith(folder + " "), "the server's own Python", ran)
            tap.ok("Python " + ".".join(ran.split()[1].split(".")[:2]) in client.hello["result"]["instructions"], "is announced")
            tap.equal(client.tool("run_command", command=f"python3 -c '{say}'")["stdout"], ran, "and is the python3 of commands")
            for language in ("bash", "python", "javascript"):
                session = client.tool("create_session", language=language)["session_id"]
                found = client.tool("run_command", command=f"python3 -c '{say}'", session_id=session)["stdout"]
                tap.equal(found, ran, "... in a session of " + language)


def test_run(tap):
    with Checked(tap) as client:
        found = client.tool("execute_code", code="import sys\nprint(open('in.txt').read(), sys.stdin.read())", stdin="typed",
                            files={"in.txt": "given"})
        tap.equal(found["stdout"], "given typed\n", "files and standard input")
        found = client.tool("execute_code", code="print(open('b', 'rb').read())",
                            files=[{"name": "b", "content": "AAEC", "encoding": "base64"}])
        tap.equal(found["stdout"], "b'\\x00\\x01\\x02'\n", "a binary file")
        unknown = client.call("execute_code", {"code": "1", "language": "cobol"})
        tap.ok(unknown["isError"] and "there are python, javascript" in texts(unknown), "an unknown language: the known ones", unknown)
        named = client.listed["execute_code"]["inputSchema"]["properties"]["language"]["description"]
        for language in re.split(", (?:or one.*)?", named.split(":")[0])[:-1]:
            tap.ok(f" {language}" in texts(unknown), "a language that the description names is known: " + language, named)
        tap.equal(client.tool("execute_code", code="console.log(1 + 1)", language="javascript")["stdout"], "2\n", "JavaScript")
        result = client.call("execute_code", {"code": "x = 1\nprint(x / 0)"})
        tap.ok(result["isError"] and "line 2" in texts(result) and result["structuredContent"]["advice"], "an exception", result)
        result = client.call("execute_code", {"code": "def f(:"})
        tap.equal((result["isError"], result["structuredContent"]["error_type"]), (True, "refused"), "a syntax error")
        result = client.call("execute_code", {"code": "open('/nope/x')"})
        advice = " ".join(result["structuredContent"]["advice"])
        tap.ok("argument 'files'" in advice and "argument 'files'" in texts(result) and "--file" not in texts(result), "advice names arguments of the tool", result)
        found = client.tool("execute_code", code="print('--file')\n{'hint': '--file'}\nwhile True: pass", timeout=0.5)
        tap.ok(found["stdout"] == "--file\n" and "up to the server's limit" in str(found["advice"]), "... and what the program prints stays", found)
        found = client.tool("execute_code", code="a = bytearray(10**10)")
        tap.ok("Work in pieces" in str(found["advice"]) and "--memory" not in str(found), "... and no option of the server", found["advice"])
        found = client.tool("check_code", code="input()")
        tap.ok("--stdin" not in str(found) and "'stdin'" in str(found), "... also of a check", found)
    with Checked(tap, "--profile", "strict", "--forbid-imports", "json") as client:
        session = client.tool("create_session")["session_id"]
        for arguments in ({}, {"session_id": session}):
            found = client.tool("execute_code", code="import json", **arguments)
            tap.ok(found["error_type"] == "refused" and "json" in found["error"], "a module that is forbidden", found)
        found = client.tool("run_command", session_id=session, command="ls")
        tap.ok(found["error_type"] == "refused" and found["run_id"] is None, "a shell where the profile reads Python only", found)
    with Checked(tap) as client:
        found = client.tool("execute_code", code="while True: pass", timeout=0.3)
        tap.equal((found["timed_out"], found["exit_code"]), (True, 124), "the time of a call")
        found = client.tool("execute_code", code="a = bytearray(1 << 30)")
        tap.equal(found["success"], False, "the memory", found)
        tap.equal(client.tool("run_command", command="echo out; echo err >&2; exit 3")["exit_code"], 3, "a command's status")
        for arguments, words in (({}, "'code' is missing"), ({"code": 1}, "'code' must be a string"), ({"code": "1", "langage": "r"}, "'language'"),
                                 ({"code": "1", "timeout": -1}, "'timeout'"), ({"code": "1", "language": "klingon"}, "klingon"),
                                 ({"code": "1", "files": [{"content": "x"}]}, "name"), ({"code": "1", "session_id": "nope"}, "create_session"),
                                 ({"code": "1", "session_id": 5}, "session")):
            result = client.call("execute_code", arguments)
            tap.ok(result.get("isError") and words in texts(result), f"wrong arguments: {arguments}", result)
        tap.equal(client.ask("tools/call", {"name": "execute_code", "arguments": [1]})["error"]["code"], -32602, "arguments of another type")


def test_sessions(tap):
    with Checked(tap, "--sessions", "3") as client:
        first = client.tool("create_session")["session_id"]
        found = client.tool("execute_code", session_id=first, code="x = 41\nx + 1")
        tap.equal((found["value"], found["session_id"]), (42, first), "a cell's value")
        copy = client.tool("fork_session", session_id=first)
        if copy.get("parent") == first:
            client.tool("execute_code", session_id=copy["session_id"], code="x = 0")
            tap.equal(client.tool("execute_code", session_id=first, code="x")["value"], 41, "a fork shares nothing")
            client.tool("close_session", session_id=copy["session_id"])
        else:
            tap.skip("a fork", copy)
        found = client.tool("run_command", session_id=first, command="echo \"it's\" > made.txt; cat made.txt; exit 4")
        tap.equal((found["stdout"], found["exit_code"], found["success"]), ("it's\n", 4, False), "a command in the session's folder")
        tap.equal(client.tool("execute_code", session_id=first, code="open('made.txt').read()")["value"], "it's\n", "... with its files")
        refused = client.call("execute_code", {"session_id": first, "code": "1", "language": "r"})
        tap.ok(refused["isError"] and "python" in texts(refused), "another language", refused)
        node = client.tool("create_session", language="javascript")["session_id"]
        tap.equal(client.tool("run_command", session_id=node, command="exit 5")["exit_code"], 5, "a command beside JavaScript")
        shell = client.tool("create_session", language="bash")["session_id"]
        client.tool("run_command", session_id=shell, command="V=7")
        tap.equal(client.tool("run_command", session_id=shell, command="echo $V")["stdout"], "7\n", "a shell's variables last")
        full = client.call("create_session", {})
        tap.ok(full["isError"] and "close_session" in texts(full), "the maximum of sessions", full)
        tap.equal(client.tool("close_session", session_id=node)["closed"], True, "close")
        again = client.call("execute_code", {"session_id": node, "code": "1"})
        tap.ok(again["isError"] and "create_session" in texts(again), "a closed session", again)
        ended = client.tool("execute_code", session_id=first, code="import os\nos._exit(3)")
        tap.equal(ended["session_ended"], True, "a cell that ends its session", ended)


def test_dead_session(tap):
    """No tool restarts a session, and only the operator can raise the time that the server gives."""
    with Checked(tap, "--timeout", "1s") as client:
        session = client.tool("create_session")["session_id"]
        result = client.call("execute_code", {"session_id": session, "code": "import os\nos.kill(os.getpid(), 9)"})
        tap.ok("estart" not in json.dumps(result) and "pen another session with create_session" in texts(result), "a cell that ends its session", result)
        for tool, arguments in (("execute_code", {"code": "1"}), ("fork_session", {})):
            result = client.call(tool, {"session_id": session, **arguments})
            tap.ok("estart" not in json.dumps(result) and "open another one with create_session" in texts(result), f"{tool} in a dead session", result)
        for limits, words in (({}, "try a smaller input."), ({"timeout": 0.3}, "the argument 'timeout'"),
                              ({"timeout": 60}, "try a smaller input.")):
            found = client.tool("execute_code", code="while True: pass", **limits)
            tap.ok(words in str(found["advice"]), f"advice about the time with {limits}", found["advice"])


def test_values(tap):
    """The value of a last expression, without a session, cold and warm."""
    cases = {"x = 4\nx * 3": (12, "12"), "[1, {'a': None}]": ([1, {"a": None}], "{'a': None}"), "(1, 2)": (None, "(1, 2)"), "'word'": ("word", "word"),
             "print('out')\nsum(\n [1, 2]\n)": (3, "3"), "from __future__ import annotations\ny: no = 1\ny": (1, "1"), "{'$type': 'tuple'}": (None, "tuple")}
    with Checked(tap) as client:
        for _ in range(2):
            for code, (value, shown) in cases.items():
                result = client.call("execute_code", {"code": code})
                text = texts(result)
                tap.ok(result["structuredContent"]["value"] == value and "Value:" in text and shown in text.split("Value:")[1], f"the value of {code!r}", result)
            for code in ("None", "5;", "x = 5", "for i in [1]:\n    i", "print(5)"):
                result = client.call("execute_code", {"code": code})
                tap.ok(result["structuredContent"]["value"] is None and "Value:" not in texts(result), f"no value of {code!r}", result)
        found = client.call("execute_code", {"code": "def own():\n    return {}['k']\nown()"})
        tap.ok(texts(found).count("  File ") == 2 and "(line 2)" in texts(found), "a last expression that fails, with its own frames alone", found)
        found = client.tool("execute_code", code="import atexit, threading, time\natexit.register(print, 'end')\nthreading.Thread(target=lambda: (time.sleep(0.2), print('thread'))).start()\n1")
        tap.equal((found["value"], found["stdout"]), (1, "thread\nend\n"), "the program ends as ever")
        found = client.call("execute_code", {"code": "class P:\n    def _repr_png_(self): return __import__('base64').b64decode(%r)\nP()" % base64.b64encode(PNG).decode()})
        tap.ok("1 figure was shown." in texts(found) and [item["type"] for item in found["content"]] == ["text", "image"], "a picture as value", found)


def test_types(tap):
    """A result, list_files, read_file and the resources name the same type for a file."""
    code = "for name, data in {'a.bin': b'\\0\\1', 'b.bin': b'text', 'c.txt': b'\\0', 'd': b'\\x89PNG\\r\\n\\x1a\\n', 'e.py': b'1'}.items(): open(name, 'wb').write(data)"
    want = {"a.bin": "application/octet-stream", "b.bin": "text/plain", "c.txt": "text/plain", "d": "image/png", "e.py": "text/x-python"}
    with Checked(tap) as client:
        session = client.tool("create_session")["session_id"]
        made = client.tool("execute_code", session_id=session, code=code)
        listed = client.tool("list_files", session_id=session)
        for what, found in (("a result", made), ("list_files", listed)):
            tap.equal({file["path"]: file["mime_type"] for file in found["files"]}, want, f"the types in {what}")
        tap.equal({name: client.tool("read_file", session_id=session, path=name)["mime_type"] for name in want}, want, "... of read_file")
        rows = client.ask("resources/list")["result"]["resources"]
        tap.equal({row["name"]: row["mimeType"] for row in rows}, want, "... of the resources")


def test_idle(tap):
    with Client("--idle", "300ms") as client:
        session = client.tool("create_session")["session_id"]
        import time
        time.sleep(3)
        tap.ok("create_session" in texts(client.call("list_files", {"session_id": session})), "an unused session is closed")


def test_files(tap):
    with Checked(tap) as client:
        session = client.tool("create_session", files={"seed.txt": "s"})["session_id"]
        tap.equal(client.tool("write_file", session_id=session, path="d/a.txt", content="caf\u00e9\n")["size"], 6, "a file")
        raw = bytes(range(256)) * 40
        client.tool("write_file", session_id=session, path="b.bin", content=base64.b64encode(raw).decode(), encoding="base64")
        found = client.tool("read_file", session_id=session, path="b.bin")
        tap.equal((found["encoding"], base64.b64decode(found["content"]) == raw), ("base64", True), "a binary file")
        tap.equal(client.tool("read_file", session_id=session, path="d/a.txt")["content"], "caf\u00e9\n", "a text")
        part = client.tool("read_file", session_id=session, path="d/a.txt", limit=4)
        tap.equal((part["content"], part["next_offset"]), ("caf", 3), "a piece does not split a character")
        rest = client.tool("read_file", session_id=session, path="d/a.txt", offset=3)
        tap.equal((rest["content"], rest["next_offset"]), ("\u00e9\n", None), "the rest")
        client.tool("write_file", session_id=session, path="p.png", content=base64.b64encode(PNG).decode(), encoding="base64")
        items = client.call("read_file", {"session_id": session, "path": "p.png"})["content"]
        tap.ok(items[0]["type"] == "image" and base64.b64decode(items[0]["data"]) == PNG, "a picture is an image", items)
        listed = client.tool("list_files", session_id=session)["files"]
        tap.equal(sorted(f["path"] for f in listed), ["b.bin", "d/a.txt", "p.png", "seed.txt"], "the list")
        for path in ("../x", "/etc/passwd", "", "d", "nope"):
            tap.ok(client.call("read_file", {"session_id": session, "path": path}).get("isError"), f"cannot be read: {path!r}")
        for path in ("../x", "/etc/x", "d"):
            tap.ok(client.call("write_file", {"session_id": session, "path": path, "content": "x"}).get("isError"), f"cannot be written: {path!r}")
        tap.ok(client.call("write_file", {"session_id": session, "path": "x", "content": "!", "encoding": "base64"})["isError"], "no base64")


def test_judging(tap):
    with Checked(tap) as client:
        found = client.tool("check_code", code="import os\nos.system('ls')")
        tap.ok(found["allowed"] and any(f["rule"] == "shell-command" and f["line"] == 2 for f in found["findings"]), "findings", found)
        found = client.tool("check_code", code="def f(:\n")
        tap.ok(not found["allowed"] and "SyntaxError" in found["reason"], "a syntax error", found)
        result = client.call("test_code", {"code": "def add(a, b): return a + b", "cases": [
            {"args": [1, 2], "expected": 3}, {"args": [1, 2], "expected": 4}]})
        found = result["structuredContent"]
        tap.equal((result["isError"], found["passed"], found["total"], found["all_passed"]), (False, 1, 2, False), "cases")
        tap.ok("Expected 4, got 3" in texts(result), "the advice", result)
        tap.equal(client.tool("test_code", code="print(int(input()) * 2)", cases=[{"stdin": "2", "expected_stdout": "4"}])["all_passed"], True, "a program")
        tap.ok(client.call("test_code", {"code": "1", "cases": [{"args": 5}]})["isError"], "invalid cases")
    with Client("--profile", "smolagents") as client:
        found = client.tool("test_code", code="def f(x): return sqrt(x)", cases=[{"call": "floor(f(17)) + len(str(f(4)))", "expected": 7}])
        tap.equal(found["all_passed"], True, "functions without an import, around the function that is tested", found)
    with Checked(tap, "--profile", "strict") as client:
        tap.equal(client.tool("check_code", code="import subprocess\nsubprocess.run(['ls'])")["allowed"], False, "the profile decides")


def test_displays(tap):
    code = "class P:\n    def _repr_png_(self): return %r\n    def _repr_html_(self): return '<b>x</b>'\nP()" % PNG
    with Checked(tap) as client:
        session = client.tool("create_session")["session_id"]
        items = client.call("execute_code", {"session_id": session, "code": code})["content"]
        images = [c for c in items if c["type"] == "image"]
        tap.ok(images and base64.b64decode(images[0]["data"]) == PNG and images[0]["mimeType"] == "image/png", "a figure is an image", items)
        links = [c["uri"] for c in items if c["type"] == "resource_link"]
        page = client.ask("resources/read", {"uri": links[0]})["result"]["contents"][0] if links else None
        tap.ok(page and page["mimeType"] == "text/html" and page["text"] == "<b>x</b>", "a table is a resource", links, page)


def test(tap):
    test_descriptions(tap)
    test_machine(tap)
    test_offered(tap)
    test_python_of_commands(tap)
    test_run(tap)
    test_sessions(tap)
    test_dead_session(tap)
    test_values(tap)
    test_types(tap)
    test_idle(tap)
    test_files(tap)
    test_judging(tap)
    test_displays(tap)
