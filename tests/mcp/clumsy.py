# SPDX-License-Identifier: Apache-2.0
"""Scripted models that use the tools as those of other systems: wrong names, fences, paths from elsewhere. And what the
list of tools costs a model, and says."""

import json
import os
import subprocess
import sys

from client import GLOVEBOX, Client, texts
from procs import wait_for

TOKENS = 3000  # of the list of tools, at four bytes each


def listed(client):
    return {tool["name"]: tool for tool in client.ask("tools/list")["result"]["tools"]}


def test_size(tap):
    with Client() as client:
        size = len(json.dumps(client.ask("tools/list")["result"]["tools"]).encode())
        tap.ok(0 < size / 4 <= TOKENS, "the descriptions and schemas of all tools", size / 4)


def test_facts(tap):
    """The description is true of the interpreter that programs get."""
    with Client("--timeout", "9s", "--memory", "200m") as client:
        about = listed(client)["execute_code"]["description"]
        code = "import sys, importlib.util\nprint(*sys.version_info[:2], sep='.')\nfor n in ('numpy', 'sympy', 'yaml', 'pandas'): print(n, bool(importlib.util.find_spec(n)))"
        version, *packages = client.tool("execute_code", code=code)["stdout"].splitlines()
        tap.ok(f"Python {version}" in about and "; 9 s" in about and "; 200 MB" in about and "no network" in about, "version, time, memory", about)
        for name, there in map(str.split, packages):
            tap.equal(f" {name} " in about or f" {name}," in about, there == "True", "a package: " + name, about)
        tap.ok("standard library; other packages" not in about and "current folder only" not in about, "nothing false", about)
        found = client.tool("execute_code", code="open('/tmp/x', 'w').write('1'); print(open('/tmp/x').read())")
        tap.equal(found["stdout"], "1\n", "/tmp can be written, as the description says")


def test_venv(tap):
    """Packages of a virtual environment, by the folders that describe them."""
    with Client() as probe:
        folder = os.path.join(probe.folder.name, "venv")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        site = subprocess.run([folder + "/bin/python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        for name in ("numpy-2.4.1.dist-info", "pandas-3.1.0rc1.dist-info", "matplotlib-3.10.0.dist-info", "unknown_thing-1.0.dist-info"):
            os.mkdir(os.path.join(site, name))
        with Client("--python", folder) as client:
            about = listed(client)["execute_code"]["description"]
            tap.ok("with numpy 2.4, pandas 3.1, matplotlib 3.10; no network; 30 s; 512 MB" in about, "well-known packages, in their order", about)


def test_chosen(tap):
    with Client("--tools", "execute_code,run_command") as client:
        tap.equal(list(listed(client)), ["execute_code", "run_command"], "--tools")
        answer = client.wait(client.begin("create_session", {}))
        tap.ok("execute_code, run_command" in answer["error"]["message"], "another tool is not there", answer)
    with Client("--tools", "run_command", "--tools", "check_code") as client:
        tools = listed(client)
        tap.ok(set(tools) == {"run_command", "check_code"} and "no network" in tools["run_command"]["description"], "the sandbox is described", tools)
    done = subprocess.run([GLOVEBOX, "mcp", "--tools", "execute_cod"], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    tap.ok(done.returncode == 2 and "execute_code" in done.stderr, "an unknown tool", done)


def test_folders(tap):
    """The folder in which a program or a command runs, by the names and paths that models know."""
    where = "import os, helper\nprint(os.path.basename(os.getcwd()), helper.x)"
    files = {"src/helper.py": "x = 5"}
    with Client() as client:
        for name, folder in (("working_directory", "src"), ("cwd", "./src"), ("workdir", "/workspace/src"), ("directory", "/mnt/data/src/")):
            tap.equal(client.tool("execute_code", code=where, files=files, **{name: folder}).get("stdout"), "src 5\n", "%s=%r" % (name, folder))
        tap.equal(client.tool("run_command", command="basename $PWD; ls", files=files, cwd="src").get("stdout"), "src\nhelper.py\nmain.sh\n",
                  "a command")
        for folder in ("/workspace", "/home/user/", "."):
            tap.equal(client.tool("run_command", command="ls", files=files, cwd=folder).get("stdout"), "main.sh\nsrc\n", "the workspace is %r" % folder)
        failed = client.call("execute_code", {"code": "print(1)", "working_directory": "nope"})
        tap.ok(failed["isError"] and "the workspace has no such folder" in texts(failed) and "--" not in texts(failed), "a folder that is missing", failed)
        failed = client.call("execute_code", {"code": "print(1)", "working_directory": "/etc"})
        tap.ok(failed["isError"] and "not in the workspace" in texts(failed), "a folder elsewhere", failed)
        session = client.tool("create_session", files=files)["session_id"]
        tap.equal(client.tool("execute_code", session_id=session, code=where, cwd="src").get("stdout"), "src 5\n", "in a session")
        tap.equal(client.tool("run_command", session_id=session, command="basename $PWD", cwd="src").get("stdout"), "src\n", "a command in a session")
        tap.equal(client.tool("execute_code", session_id=session, code="print(os.path.basename(os.getcwd()))").get("stdout"), "work\n", "and back")
        failed = client.call("execute_code", {"session_id": session, "code": "print(1)", "working_directory": "nope"})
        tap.ok(failed["isError"] and "there is no folder 'nope' in the workspace" in texts(failed), "a folder that the session lacks", failed)
        failed = client.call("execute_code", {"session_id": session, "code": "print(1)", "working_directory": "a/../.."})
        tap.ok(failed["isError"] and "contains '..'" in texts(failed), "a folder outside", failed)


def test_names(tap):
    with Client() as client:
        for tool in ("python", "run_python", "code_interpreter", "Execute_Python"):
            tap.equal(client.tool(tool, code="print(6 * 7)").get("stdout"), "42\n", "the tool " + tool)
        tap.equal(client.tool("bash", cmd="echo $((40 + 2))").get("stdout"), "42\n", "bash with cmd")
        tap.equal(client.tool("run_command", code="echo 1").get("stdout"), "1\n", "a command as code")
        tap.equal(client.tool("execute_code", source="print(input())", input="typed", lang="python").get("stdout"), "typed\n", "source, input, lang")
        tap.equal(client.tool("execute_code", script="while True: pass", timeout_ms=300).get("timed_out"), True, "timeout_ms")
        tap.equal(client.tool("test_code", program="def f(x): return x", tests=[{"args": [1], "expected": 1}], function="f").get("passed"), 1, "tests of a function")
        answer = client.wait(client.begin("fly_to_the_moon", {}))
        tap.ok("there are execute_code, run_command" in answer["error"]["message"], "a tool that nobody has", answer)
        refused = client.call("execute_code", {"code": "1", "colour": "red"})
        tap.ok(refused["isError"] and "'colour'" in texts(refused), "an argument that nobody has", refused)
        for argument, words in (("timeout_sec", "did you mean 'timeout'?"), ("memory_mb", "; there are code, language,")):
            refused = client.call("execute_code", {"code": "1", argument: 5})
            tap.ok(refused["isError"] and words in texts(refused), "an argument of another tool: " + argument, refused)
        session = client.tool("create_session")["session_id"]
        tap.equal(client.tool("write_file", session=session, filename="a.txt", contents="hi").get("size"), 2, "write_file")
        tap.equal(client.tool("read_file", sessionId=session, file_path="a.txt").get("content"), "hi", "read_file")


def test_fences(tap):
    with Client() as client:
        tap.equal(client.tool("execute_code", code="```python\nprint(1)\n```").get("stdout"), "1\n", "a fenced program")
        tap.equal(client.tool("execute_code", code="\n```js\nconsole.log(2)\n```\n").get("stdout"), "2\n", "the fence names the language")
        tap.equal(client.tool("execute_code", code="```\nprint(3)").get("stdout"), "3\n", "a fence that nothing closes")
        tap.equal(client.tool("run_command", command="```bash\necho 4\n```").get("stdout"), "4\n", "a fenced command")
        text = "s = '''\n```\nx\n```\n'''\nprint(len(s))"
        tap.equal(client.tool("execute_code", code=text).get("stdout"), "11\n", "fences inside a program stay")
        session = client.tool("create_session")["session_id"]
        tap.equal(client.tool("execute_code", session_id=session, code="```py\n5 + 1\n```").get("value"), 6, "a fenced cell")
        tap.equal(client.tool("check_code", code="```python\nx = 1\n```").get("allowed"), True, "check_code")


def test_paths(tap):
    with Client() as client:
        session = client.tool("create_session", files={"/mnt/data/in.csv": "a,b"})["session_id"]
        for path in ("/mnt/data/in.csv", "/home/user/in.csv", "/workspace/in.csv", "sandbox:/mnt/data/in.csv", "./in.csv"):
            tap.equal(client.tool("read_file", session_id=session, path=path).get("content"), "a,b", "read " + path)
        for folder in ("/mnt/data", "/home/user", "/workspace"):
            code = f"open('{folder}/in.csv').read()"
            tap.equal(client.tool("execute_code", session_id=session, code=code).get("value"), "a,b", "a cell reads in " + folder)
            found = client.tool("execute_code", code=f"import os\nos.makedirs('{folder}', exist_ok=True)\nopen('{folder}/out.txt', 'w').write('made')")
            tap.equal([file["path"] for file in found.get("files", ())], ["out.txt"], "a program writes in " + folder, found)
    outside = client_outside()
    tap.ok(outside["isError"], "a path elsewhere stays one", outside)


def test_project(tap):
    """Relative folders are those of the place where the client starts the server."""
    for words in (("--ro", "."), ("--ro", ".:/project")):
        with Client(*words) as client:
            os.chmod(client.folder.name, 0o755)  # programs have a uid of their own
            with open(client.folder.name + "/a.py", "w") as f:
                f.write("A = 5")
            where = words[1].partition(":")[2] or os.path.realpath(client.folder.name)
            tap.ok(f"{where}" in listed(client)["execute_code"]["description"], "the description names the project", words)
            found = client.tool("execute_code", code=f"import sys; sys.path.append({where!r}); import a; print(a.A)")
            tap.equal(found.get("stdout"), "5\n", "a module of the project", found)
            tap.equal(client.tool("execute_code", code=f"open({where!r} + '/b', 'w')").get("success"), False, "it is read-only")
    with Client("--rw", ".") as client:
        with open(client.folder.name + "/a.txt", "w") as f:
            f.write("old")
        found = client.tool("execute_code", code="print(open('a.txt').read()); open('a.txt', 'w').write('new'); open('b.txt', 'w').write('b')")
        tap.equal(found.get("stdout"), "old\n", "--rw: the current folder is the project", found)
        client.tool("execute_code", code="import os\nfor name in ('.mcp.json', '.git/hooks/pre-commit', '.git/config', '.vscode/tasks.json', '.git/kept'):\n"
                    "    os.makedirs(os.path.dirname(name) or '.', exist_ok=True); open(name, 'w').write('x')")
        there = {os.path.relpath(os.path.join(at, name), client.folder.name) for at, _, names in os.walk(client.folder.name) for name in names}
        tap.ok(not there & {".mcp.json", ".git/hooks/pre-commit", ".git/config", ".vscode/tasks.json"} and ".git/kept" in there,
               "... but for files from which other programs take commands", there)
        session = client.tool("create_session")["session_id"]
        client.tool("write_file", session_id=session, path="c.txt", content="c")
        client.tool("close_session", session_id=session)
        wait_for(lambda: os.path.exists(client.folder.name + "/c.txt"))
        made = {}
        for name in ("a.txt", "b.txt", "c.txt"):
            with open(os.path.join(client.folder.name, name)) as f:
                made[name] = f.read()
        tap.equal(made, {"a.txt": "new", "b.txt": "b", "c.txt": "c"}, "... and changes stay")


def client_outside():
    with Client() as client:
        session = client.tool("create_session")["session_id"]
        return client.call("read_file", {"session_id": session, "path": "/etc/passwd"})


def test(tap):
    for part in (test_size, test_facts, test_venv, test_chosen, test_names, test_folders, test_fences, test_paths, test_project):
        part(tap)
