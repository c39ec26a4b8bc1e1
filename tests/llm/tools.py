# SPDX-License-Identifier: Apache-2.0
"""glovebox tool-schema and tool-call: the schema in each form, calls in each form, hostile arguments."""

import base64
import json

from models import Place

FORMS = ("openai", "responses", "anthropic", "gemini", "mcp")


def parameters(form, schema):
    if form == "gemini":
        return schema["functionDeclarations"][0]["parametersJsonSchema"]
    schema = schema["function"] if form == "openai" else schema
    return schema[{"anthropic": "input_schema", "mcp": "inputSchema"}.get(form, "parameters")]


def wrap(form, arguments, name="execute_code"):
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {
        "openai": {"id": "c1", "type": "function", "function": {"name": name, "arguments": text}},
        "responses": {"type": "function_call", "id": "x", "call_id": "c1", "name": name, "arguments": text},
        "anthropic": {"type": "tool_use", "id": "c1", "name": name, "input": arguments},
        "gemini": {"functionCall": {"id": "c1", "name": name, "args": arguments}, "thoughtSignature": "s"},
        "mcp": {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": name, "arguments": arguments}},
        "plain": arguments,
    }[form]


def unwrap(tap, form, answer):
    """The reply in an answer, which has the call's name and form."""
    shape, reply = {
        "openai": lambda a: ((a["role"], a["tool_call_id"]), json.loads(a["content"])),
        "responses": lambda a: ((a["type"], a["call_id"]), json.loads(a["output"])),
        "anthropic": lambda a: ((a["type"], a["tool_use_id"], a["is_error"]), json.loads(a["content"])),
        "gemini": lambda a: ((a["functionResponse"]["id"], a["functionResponse"]["name"]), a["functionResponse"]["response"]),
        "mcp": lambda a: ((a["id"], a["jsonrpc"], a["result"]["isError"]), a["result"]["structuredContent"]),
        "plain": lambda a: ((), a),
    }[form](answer)
    failed = not reply["success"]
    tap.equal(shape, {"openai": ("tool", "c1"), "responses": ("function_call_output", "c1"), "anthropic": ("tool_result", "c1", failed),
                      "gemini": ("c1", "execute_code"), "mcp": (7, "2.0", failed), "plain": ()}[form], form + ": the answer's form")
    if form == "mcp":
        tap.equal(json.loads(answer["result"]["content"][0]["text"]), reply, "mcp: the text is the same")
    return reply


def test_schema(tap):
    place = Place(tap)
    for form in FORMS:
        done = place.run("tool-schema", "--format", form)
        schema = json.loads(done.stdout)
        found = parameters(form, schema)
        tap.ok(done.returncode == 0 and found["required"] == ["code"] and b"execute_code" in done.stdout, form + ": schema", done)
        tap.equal(sorted(found["properties"]), ["code", "environment", "execution_id", "input_files", "language", "timeout_seconds", "working_directory"],
                  form + ": arguments")
        tap.ok({"python", "javascript", "bash", "shell", "r", "go"} <= set(found["properties"]["language"]["enum"]) and found["properties"]["timeout_seconds"]["default"] == 30,
               form + ": languages and the time")
    done = place.run("tool-schema", "x")
    tap.ok(done.returncode == 2 and b"takes no argument" in done.stderr, "an operand", done)
    done = place.run("tool-schema", "--format", "soap")
    tap.ok(done.returncode == 2 and b"anthropic" in done.stderr, "an unknown form", done)


def ask(place, message, *args):
    text = message if isinstance(message, (str, bytes)) else json.dumps(message)
    return place.run("tool-call", *args, stdin=text if isinstance(text, bytes) else text.encode())


def test_forms(tap):
    place = Place(tap)
    for form in FORMS + ("plain",):
        done = ask(place, wrap(form, {"code": "print(6 * 7)\nopen('a.txt', 'w').write('hi')", "execution_id": "mine"}))
        reply = unwrap(tap, form, json.loads(done.stdout))
        tap.equal((done.returncode, reply["success"], reply["exit_code"], reply["stdout"], reply["stderr"], reply["error"], reply["execution_id"]),
                  (0, True, 0, "42\n", "", None, "mine"), form + ": a run", done)
        tap.equal([(f["name"], f["mime_type"], base64.b64decode(f["content"])) for f in reply["output_files"]],
                  [("a.txt", "text/plain", b"hi")], form + ": a file")
        reply = unwrap(tap, form, json.loads(ask(place, wrap(form, {"code": "1 / 0"})).stdout))
        tap.equal((reply["success"], reply["exit_code"], reply["error"]), (False, 1, "ZeroDivisionError: division by zero"), form + ": a failure")
        if form != "plain":
            done = ask(place, wrap(form, {"code": "print(1)"}, name="rm"))
            tap.ok(done.returncode == 0 and b"no tool 'rm'" in done.stdout, form + ": another tool", done)


def test_arguments(tap):
    place = Place(tap)

    def reply(arguments, *args):
        done = ask(place, wrap("openai", arguments), *args)
        tap.equal(done.returncode, 0, "answered", done)
        return unwrap(tap, "openai", json.loads(done.stdout))

    for name, arguments, words in (
            ("no JSON", "{code:", "not valid JSON"), ("a list", "[1]", "not a JSON object"), ("nothing", "", "not valid JSON"),
            ("no code", {}, "'code' is missing"), ("a number", {"code": 1}, "'code' is not a string"), ("blanks", {"code": " \n"}, "is empty"),
            ("a NUL", '{"code": "print(1)\\u0000"}', "not valid JSON"), ("twice", '{"code": "1", "code": "2"}', "not valid JSON"),
            ("an unknown language", {"code": "x", "language": "cobol"}, "'cobol' is not known"),
            ("a language of another type", {"code": "x", "language": 3}, "'language' is not a string"),
            ("a wrong time", {"code": "x", "timeout_seconds": "soon"}, "timeout_seconds"),
            ("a negative time", {"code": "x", "timeout_seconds": -1}, "timeout_seconds"),
            ("a folder elsewhere", {"code": "x", "working_directory": "/etc"}, "cannot start in '/etc', which is not in the workspace"),
            ("a folder above", {"code": "x", "working_directory": "../x"}, "contains '..'"),
            ("a folder of another type", {"code": "x", "working_directory": 1}, "'working_directory' is not a string"),
            ("a variable of the host", {"code": "x", "environment": ["HOME"]}, "'environment' is not an object"),
            ("a variable without a text", {"code": "x", "environment": {"HOME": None}}, "'HOME' is not valid"),
            ("files of another type", {"code": "x", "input_files": {"a": 1}}, "input_files"),
            ("too many files", {"code": "x", "input_files": [{"name": "a%d" % i, "content": ""} for i in range(101)]}, "at most 100"),
            ("a file without a name", {"code": "x", "input_files": [{"content": "x"}]}, "needs the strings"),
            ("wrong base64", {"code": "x", "input_files": [{"name": "a", "content": "!", "encoding": "base64"}]}, "not valid base64"),
            ("a large program", {"code": "#" * (17 << 20)}, "larger than 16 MiB"),
            ("deep JSON", '{"code": "1", "x": ' + "[" * 5000 + "]" * 5000 + "}", "not valid JSON")):
        got = reply(arguments)
        tap.ok(not got["success"] and got["exit_code"] == -1 and words in (got["error"] or ""), "arguments: " + name, got)
    got = reply({"code": "import os\nprint(os.environ['A'], os.environ['B'], open('a').read(), open('b/c').read(), open('d').read())",
                 "environment": {"A": "a b"}, "working_directory": "", "input_files": [
                     {"name": "a", "content": "aGVsbG8="}, {"name": "b/c", "content": "aGVsbG8=", "encoding": "text"}, {"name": "d", "content": "two words"}]},
                "--env", "B=2")
    tap.equal(got["stdout"], "a b 2 hello aGVsbG8= two words\n", "environment and files", got)
    files = [{"name": "src/helper.py", "content": "x = 5"}]
    code = "import os, helper\nprint(os.path.basename(os.getcwd()), helper.x)"
    for name, folder in (("working_directory", "src"), ("working_directory", "./src/"), ("working_directory", "/workspace/src"),
                         ("cwd", "src"), ("workdir", "/mnt/data/src"), ("working_dir", "/home/user/src"), ("directory", " src ")):
        got = reply({"code": code, name: folder, "input_files": files})
        tap.equal(got["stdout"], "src 5\n", "%s %r" % (name, folder), got)
    for folder in ("", ".", "./", "/workspace", "/mnt/data", None):
        got = reply({"code": "import os\nprint(os.listdir())", "working_directory": folder, "input_files": files})
        tap.ok("'src'" in got["stdout"], "the workspace is %r" % folder, got)
    got = reply({"code": "print(1)", "working_directory": "nope"})
    tap.ok(not got["success"] and "the workspace has no such folder; put a file into it first" in got["error"], "a folder that is missing", got)
    got = reply({"code": "x", "input_files": [{"name": "../../etc/passwd", "content": "x"}]})
    tap.ok(not got["success"] and got["error"], "a file outside the workspace", got)
    tap.equal(reply({"code": "echo $((1 + 1))"})["stdout"], "2\n", "a language that is guessed")
    tap.equal(reply({"code": "echo $((1 + 1))", "language": "Shell".lower()})["stdout"], "2\n", "shell is Bash")
    got = reply({"code": "while True: pass", "timeout_seconds": 0.3})
    tap.ok(got["error"] == "timed out" and got["execution_time"] < 20, "a time", got)
    got = reply({"code": "while True: pass", "timeout_seconds": 1000}, "--timeout", "300ms")
    tap.equal(got["error"], "timed out", "a call cannot raise the limit", got)
    got = reply({"code": "import subprocess"}, "--profile", "smolagents")
    tap.ok(got["exit_code"] == -1 and "subprocess" in got["error"], "refused by the profile", got)


def test_inputs(tap):
    place = Place(tap)
    for name, text in (("nothing", b""), ("garbage", b"\xff\xfe"), ("no call", b"{}"), ("a list", b"[]"), ("a number", b"7")):
        done = ask(place, text)
        tap.ok(done.returncode == 2 and done.stdout == b"" and done.stderr.count(b"\n") == 1, "input: " + name, done)
    place.write("call.json", json.dumps(wrap("anthropic", {"code": "print(1)"})))
    done = place.run("tool-call", "call.json")
    tap.ok(done.returncode == 0 and b"tool_result" in done.stdout, "a file", done)
    done = place.run("tool-call", "none.json")
    tap.ok(done.returncode == 2 and b"none.json" in done.stderr, "a missing file", done)


def test(tap):
    for part in (test_schema, test_forms, test_arguments, test_inputs):
        part(tap)
