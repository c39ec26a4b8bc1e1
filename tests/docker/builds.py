# SPDX-License-Identifier: Apache-2.0
"""Images that a daemon builds for its clients: from the text of a Dockerfile, and with packages. The `pip` of these images
is a program of ours that needs no index."""

import json
import os
import subprocess
import sys

import engine
import program
from ends import wait_for
from images import Folder, built

sys.path.insert(0, os.path.join(program.ROOT, "tests", "http"))

from background import ask_as  # noqa: E402, F401
from daemon import Daemon  # noqa: E402

PIP = """
import sys
words = [w for w in sys.argv[1:] if not w.startswith('-')]
print('Collecting', words[1:])
for word in words[1:]:
    name = word.replace('==', '_').replace('.', '_')
    open('/usr/lib/python3/dist-packages/%s.py' % name, 'w').write('word = %r' % word)
"""
WITH_PIP = "FROM %s\nCOPY pip/main.py /usr/lib/python3/dist-packages/pip/__main__.py\n" % engine.IMAGE
PIP_FILES = {"pip/main.py": PIP}
SLOW = "FROM %s\nRUN sleep 60; echo %s\n"
# What a program may import: the folder of packages is not in a run's own path where pip's program put them.
LOOK = "import sys; sys.path.append('/usr/lib/python3/dist-packages'); "


def preparing(answer):
    return [e["message"] for e in answer.lines if e["event"] == "preparing"]


def test_run(tap, docker, d):
    body = {"code": "print(open('/made').read())", "dockerfile": "FROM %s\nCOPY a.txt /made\n" % engine.IMAGE, "files": {"a.txt": "copied"}}
    r = d.post("/v1/run", body, lines=True)
    tap.equal(r.lines[-1]["result"]["stdout"], "copied\n", "a Dockerfile in a request copies the request's files", r)
    tap.ok(any("COPY a.txt" in line for line in preparing(r)), "its steps are events", r.lines[:6])
    images = built(docker)
    r = d.post("/v1/run", body, lines=True)
    tap.equal((preparing(r), built(docker)), ([], images), "the second run builds nothing", r)
    tap.ok(wait_for(lambda: docker.containers()), "a container waits for the next run")
    body["files"]["a.txt"] = "changed"
    tap.equal(d.post("/v1/run", body).json["stdout"], "changed\n", "which has another file, and so another image")
    body["dockerfile"] = "FROM %s\nRUN echo alone > /made\n" % engine.IMAGE
    tap.equal(d.post("/v1/run", body).json["stdout"], "alone\n\n", "one that copies nothing")
    images = built(docker)
    body["files"]["b.txt"] = "more"
    tap.equal((d.post("/v1/run", body).json["stdout"], built(docker)), ("alone\n\n", images), "needs no image for each file")


def test_packages(tap, docker, d):
    body = {"code": LOOK + "import one, two_1_2; print(one.word, two_1_2.word)", "dockerfile": WITH_PIP, "files": PIP_FILES}
    for pip in (["one", "two==1.2"], "two==1.2, one"):
        r = d.post("/v1/run", {**body, "pip": [pip] if isinstance(pip, str) else pip})
        tap.equal(r.json.get("stdout"), "one two==1.2\n", "packages %s" % pip, r)
    images = built(docker)
    r = d.post("/v1/run", {**body, "pip": "one;two==1.2"})
    tap.equal((r.json.get("stdout"), built(docker)), ("one two==1.2\n", images), "a text, and nothing is installed again", r)
    r = d.post("/v1/run", {**body, "pip": ["x; rm -rf /"]})
    tap.ok(r.status == 400 and "'-rf' is not the name of a package" in r.message, "words for a shell", r)
    r = d.post("/v1/run", {**body, "pip": ["one"], "language": "bash", "code": "1"})
    tap.ok(r.status == 400 and "packages for Python" in str(r.json["error"]), "another language", r)


def test_session(tap, docker, d):
    body = {"dockerfile": WITH_PIP, "files": PIP_FILES, "pip": ["three"]}
    r = d.post("/v1/sessions", body, lines=True)
    tap.ok(any("three" in line for line in preparing(r)) and r.lines[-1]["event"] == "opened" and r.status == 200,
           "a session's build is a stream, too", r.lines)
    path = "/v1/sessions/%s" % r.lines[-1]["session"]["id"]
    cell = {"code": LOOK + "import three; three.word"}
    tap.equal(d.post(path + "/exec", cell).json["value"], "three", "a cell has the packages")
    d.post(path + "/restart")
    tap.equal(d.post(path + "/exec", cell).json["value"], "three", "also after a restart")
    d.call("DELETE", path)
    r = d.post("/v1/sessions", body)
    tap.equal(r.status, 201, "an answer that is no stream", r)
    d.call("DELETE", "/v1/sessions/%s" % r.json["id"])
    r = d.post("/v1/sessions", {**body, "dockerfile": "FROM %s\nRUN echo first; exit 3\n" % engine.IMAGE}, lines=True)
    tap.ok(r.lines[-1]["event"] == "error" and "returned a non-zero code: 3" in r.lines[-1]["error"]["message"], "a failure is the last line", r)


def test_judged(tap, docker, d):
    body = {"code": "def f(x): return open('/made').read() + x", "dockerfile": "FROM %s\nRUN echo -n judged > /made\n" % engine.IMAGE,
            "cases": [{"input_args": ["!"], "expected": "judged!"}]}
    r = d.post("/v1/test", body, lines=True)
    tap.ok(r.lines[-1]["result"]["all_passed"] and preparing(r), "a test in a built image", r)


def test_wrong(tap, docker, d):
    r = d.run("1", dockerfile="FROM %s\nCOPY missing /\n" % engine.IMAGE)
    tap.ok(r.status == 501 and "can copy only the files that were sent" in str(r.json["error"]), "a file that was not sent", r)
    r = d.run("1", dockerfile="FROM %s\n" % engine.IMAGE, files=[{"name": "../x", "content": ""}])
    tap.ok(r.status >= 400 and "glovebox-build" not in str(r.json), "a file outside of the workspace", r)
    r = d.run("1", dockerfile="#" * ((1 << 20) + 1))
    tap.ok(r.status == 413 and "1048576" in str(r.json["error"]), "a text that is too long", r)
    r = d.run("1", dockerfile="", files={"a": "b"})
    tap.ok(r.status == 501 and "empty" in str(r.json["error"]), "an empty text", r)
    r = d.run("1", dockerfile="FROM x", image="y")
    tap.ok(r.status == 400 and "exclude each other" in str(r.json["error"]), "an image, too", r)
    r = d.run("1", dockerfile="FROM x", backend="jail")
    tap.ok(r.status == 400 and "builds no images" in str(r.json["error"]), "another backend", r)


def test_gone(tap, docker, d):
    """The build ends when its client does."""
    for path, body in (("/v1/run", {"code": "1"}), ("/v1/sessions", {})):
        connection = d.begin("POST", path, {**body, "dockerfile": SLOW % (engine.IMAGE, path)})
        seen = wait_for(lambda: builds(docker))
        connection.close()
        tap.ok(seen and wait_for(lambda: not builds(docker)), "%s: a client that goes away ends its build" % path, docker.containers())
        r = d.post(path, {**body, "dockerfile": SLOW % (engine.IMAGE, path), "deadline_ms": 1500})
        tap.ok(r.status == 504 and wait_for(lambda: not builds(docker)), "%s: so does a deadline" % path, r)
    r = d.post("/v1/sessions", {"dockerfile": SLOW % (engine.IMAGE, "lines"), "deadline_ms": 1500}, lines=True)
    tap.ok("the deadline of this request passed" in str(r.lines[-1].get("error")), "which the last line of a stream names", r.lines[-1])


def builds(docker):
    return [c for c in docker.containers() if "sleep 60" in c["Command"] and c["State"] == "running"]


def test_default(tap, docker):
    """A client's image, and its Dockerfile, replace that of the daemon's config file."""
    with Folder(docker) as folder:
        path = folder.write("Dockerfile", "FROM %s\nRUN echo the daemon > /made\n" % engine.IMAGE)
        with served(docker, config="dockerfile = %s\n" % path) as d:
            code = "import os; print(open('/made').read() if os.path.exists('/made') else 'none')"
            tap.equal(d.run(code).json["stdout"], "the daemon\n\n", "the daemon's Dockerfile")
            tap.equal(d.run(code, image=engine.IMAGE).json["stdout"], "none\n", "a client's image")
            r = d.run(code, dockerfile="FROM %s\nRUN echo mine > /made\n" % engine.IMAGE)
            tap.equal(r.json["stdout"], "mine\n\n", "a client's Dockerfile")


def test_strangers(tap, docker):
    """A client of a port needs the operator's permission."""
    body = {"code": "print(1)", "dockerfile": "FROM %s\nRUN echo stranger\n" % engine.IMAGE}
    with served(docker, tcp=True) as d:
        r = d.post("/v1/run", body, tcp=True)
        tap.ok(r.status == 403 and "--allow dockerfile" in r.message and not builds(docker), "a client of a port builds nothing", r)
    with served(docker, "--allow", "dockerfile", tcp=True) as d:
        tap.equal(d.post("/v1/run", body, tcp=True).json["stdout"], "1\n", "with permission, it does")


def test_commands(tap, docker, d):
    """The command line sends the Dockerfile's text to a daemon."""
    env = {**program.environment(docker.host), "GLOVEBOX_SOCKET": "unix:" + d.socket, "HOME": d.folder}

    def glovebox(*words, cwd=None):
        return subprocess.run([program.GLOVEBOX, *words], capture_output=True, timeout=120, env=env, cwd=cwd, stdin=subprocess.DEVNULL)

    with Folder(docker) as folder:
        folder.write("Dockerfile", WITH_PIP)
        folder.write("main.py", PIP)
        words = ["--dockerfile", ".", "--file", "main.py:pip/main.py", "--pip", "four"]
        done = glovebox("session", "new", "--backend", "docker", *words, cwd=folder.path)
        tap.ok(done.returncode == 0 and b"Collecting ['four']" in done.stderr, "session new shows the steps", program.said(done))
        name = done.stdout.decode().strip()
        said = glovebox("session", "exec", name, "-c", LOOK + "import four; four.word").stdout
        tap.equal(said, b"'four'\n", "and has the packages")
        glovebox("session", "close", name)
        done = glovebox("run", "--daemon", env["GLOVEBOX_SOCKET"], "--backend", "docker", *words, "-c", LOOK + "import four; print(four.word)",
                        cwd=folder.path)
        tap.equal((done.returncode, done.stdout), (0, b"four\n"), "run --daemon", program.said(done))
        done = glovebox("session", "new", "--backend", "docker", "--dockerfile", "/", cwd=folder.path)
        tap.ok(done.returncode == 2 and b"//Dockerfile: No such file" in done.stderr, "a folder without a Dockerfile", program.said(done))
        done = glovebox("session", "new", "--backend", "docker", "--dockerfile", ".", cwd=folder.path)
        tap.ok(done.returncode != 0 and b"can copy only the files" in done.stderr, "a file that is not sent", program.said(done))
        ask = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "execute_code", "arguments": {"code": LOOK + "import four; print(four.word)"}}})
        begin = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})
        os.makedirs(os.path.join(folder.path, "pip"), exist_ok=True)
        folder.write("pip/main.py", PIP)  # a process of its own builds from the folder
        done = subprocess.run([program.GLOVEBOX, "mcp", "--log", "off", "--backend", "docker", "--dockerfile", ".", "--pip", "four"], text=True,
                              input=begin + "\n" + ask + "\n", capture_output=True, timeout=120, env=env, cwd=folder.path)
        tap.ok("four\\n" in done.stdout, "the tools of MCP", done.stdout[-600:], done.stderr[-300:])
    with Folder(docker) as folder:
        folder.write("Dockerfile", "FROM %s\nCOPY . /seen\n" % engine.IMAGE)
        ask = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "execute_code", "arguments": {
            "code": "import os; print(os.listdir('/seen'), os.listdir('.'))", "files": [{"name": "models", "content": "1"}]}}})
        done = subprocess.run([program.GLOVEBOX, "mcp", "--log", "off", "--backend", "docker", "--dockerfile", "."], text=True,
                              input=begin + "\n" + ask + "\n", capture_output=True, timeout=120, env=env, cwd=folder.path)
        tap.ok("['Dockerfile'] [" in done.stdout and "models" in done.stdout, "a model's files are not those of a build", done.stdout[-600:])


def test_prompt(tap, docker):
    """`repl` in its own process shows the build, too."""
    with Folder(docker) as folder:
        folder.write("Dockerfile", "FROM %s\nRUN echo prompt > /made\n" % engine.IMAGE)
        done = subprocess.run([program.GLOVEBOX, "repl", "--log", "off", "--backend", "docker", "--dockerfile", "."], capture_output=True,
                              input=b"open('/made').read()\n", timeout=120, env=program.environment(docker.host), cwd=folder.path)
        tap.ok(b"prompt" in done.stdout and b"RUN echo prompt" in done.stderr, "a session at the prompt", program.said(done))


def served(docker, *words, config="", **more):
    return Daemon("--backend", "docker", *words, config=config, env={"DOCKER_HOST": docker.host}, **more)


def test(tap, docker):
    with served(docker) as d:
        for function in (test_run, test_packages, test_session, test_judged, test_wrong, test_gone, test_commands):
            function(tap, docker, d)
    test_default(tap, docker)
    test_strangers(tap, docker)
    test_prompt(tap, docker)
    tap.ok(wait_for(lambda: not docker.containers()), "no container is left", docker.containers())
