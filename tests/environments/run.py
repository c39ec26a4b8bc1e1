#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Environments from outside, in TAP: run.py [PART...]. The packages come from an index of the tests' own on loopback; `real` asks the
index that pip is configured for, and runs only by name."""

import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "python")]

from index import Index, Wheel, digest, link  # noqa: E402
from tap import run_parts  # noqa: E402

GLOVEBOX = os.path.abspath(os.environ.get("GLOVEBOX") or os.path.join(ROOT, "build", "glovebox"))
WAIT = 120


class Place:
    """A home of its own, with a store and an index."""

    def __init__(self, index=None, **variables):
        self.folder = tempfile.mkdtemp(prefix="glovebox-environments-")
        self.index = index
        self.env = {k: v for k, v in os.environ.items() if not k.upper().startswith("PIP_")}
        self.env.update(HOME=self.folder, XDG_DATA_HOME=self.folder + "/data", XDG_STATE_HOME=self.folder + "/state",
                        XDG_RUNTIME_DIR=self.folder, PIP_CONFIG_FILE="/dev/null", GLOVEBOX_SOCKET=self.folder + "/none.sock")
        if index:
            self.env["PIP_INDEX_URL"] = index.url
        self.env.update(variables)
        folders = [f for f in self.env.get("PATH", "").split(":") if variables.get("UV") or not os.path.exists(f + "/uv")]
        self.env["PATH"] = ":".join(folders + ([os.path.dirname(find_uv())] if variables.get("UV") else []))
        self.store = self.folder + "/data/glovebox/env"

    def begin(self, *words, stdin=subprocess.DEVNULL):
        return subprocess.Popen([GLOVEBOX, *words], env=self.env, stdin=stdin, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, cwd=self.folder)

    def run(self, *words, input=None):
        process = self.begin(*words, stdin=subprocess.DEVNULL if input is None else subprocess.PIPE)
        process.out, process.err = process.communicate(input, timeout=WAIT)
        return process

    def made(self, folder):
        with contextlib.suppress(FileNotFoundError):
            return sorted(os.listdir(os.path.join(self.store, folder)))
        return []

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)


@contextlib.contextmanager
def place(**variables):
    index = Index()
    p = Place(index, **variables)
    try:
        yield p
    finally:
        p.close()
        index.close()


def said(done):
    return f"status {done.returncode}\n{done.out}\n{done.err}"


def json_of(done):
    try:
        return json.loads(done.out)
    except ValueError:
        return {}


def test_made(tap):
    with place() as p:
        p.index.add(Wheel("one", requires=["two>=1; python_version >= '3'", "never; python_version < '3'"],
                          entry_points="[console_scripts]\nsay-one = one.tool:main\n", files={"one/tool.py": "def main():\n    print('tool')\n"}))
        p.index.add(Wheel("two", "1.5", files={"two/deep/x.py": "X = 1\n"}))
        done = p.run("env", "create", "mine", "--pip", "One, two;", "--json")
        about = json_of(done)
        tap.equal((done.returncode, [x["name"] for x in about.get("packages", [])]), (0, ["one", "two"]), "packages and what they need", said(done))
        tap.equal(about.get("requirements"), ["one", "two"], "what was asked for, in one spelling")
        done = p.run("run", "--environment", "mine", "-c", "import one, two.deep.x, subprocess\nprint(one.VERSION, two.VERSION)\n"
                     "print(two.deep.x.__cached__ is not None)\nprint(subprocess.run(['say-one'], capture_output=True, text=True).stdout)")
        tap.equal(done.out.split(), ["1.0", "1.5", "True", "tool"], "a program imports them, and runs their scripts", said(done))
        files = [f for _, _, names in os.walk(p.store + "/env") for f in names]
        tap.ok(any(f.endswith(".pyc") for f in files), "they are compiled")
        asked = len(p.index.asked)
        begun = time.monotonic()
        done = p.run("run", "--pip", "two ; one", "-c", "import one; print(one.NAME)")
        tap.equal((done.out, len(p.index.asked)), ("one\n", asked), "the same packages again ask nobody", said(done), time.monotonic() - begun)
        done = p.run("run", "--environment", "mine", "-c", "open(__import__('one').__file__, 'w')")
        tap.ok(done.returncode == 1 and "rror" in done.err, "a program cannot change them", said(done))
        done = p.run("env", "list", "--json")
        tap.equal([(e["names"], e["requirements"]) for e in json_of(done).get("environments", [])], [(["mine"], ["one", "two"])], "the list", said(done))
        done = p.run("env", "export", "mine")
        tap.ok(len(re.findall(r"(?m)^\w+==\S+ --hash=sha256:\w{64}$", done.out)) == 2, "exported with hashes", said(done))
        with open(p.folder + "/list.txt", "w") as f:
            f.write(done.out)
        done = p.run("env", "create", "again", "--requirements", "list.txt", "--json")
        tap.equal(json_of(done).get("id"), about.get("id"), "from the export, the same environment", said(done))
        with open(p.folder + "/list.txt", "w") as f:
            f.write("one \\\n  --hash=sha256:" + "0" * 64 + "\n")
        done = p.run("env", "create", "other", "-r", "list.txt")
        tap.ok(done.returncode and "another SHA-256" in done.err, "a wheel with another hash than the list's is refused", said(done))
        done = p.run("env", "create", "other", "--pip", "one", "--allow-builds")
        tap.ok(done.returncode and "not built here" in done.err, "what is not there yet is refused", said(done))
        done = p.run("env", "remove", "again")
        done = p.run("run", "--environment", "mine", "-c", "import one")
        tap.equal(done.returncode, 0, "a name that is removed leaves the other its environment", said(done))
        done = p.run("env", "remove", "mine")
        tap.equal((done.returncode, p.made("env")), (0, []), "the last name's removal removes it", said(done))


def test_doors(tap):
    with place() as p:
        p.index.add(Wheel("one"))
        p.run("env", "create", "mine", "--pip", "one")
        with open(p.folder + "/cases.json", "w") as f:
            json.dump([{"call": "f()", "expected": "one"}], f)
        done = p.run("test", "--environment", "mine", "--cases", "cases.json", "-c", "import one\ndef f():\n    return one.NAME")
        tap.equal(done.returncode, 0, "a test", said(done))
        done = p.run("run", "--environment", "mine", "--lang", "bash", "-c", "python3 -c 'import one; print(one.NAME)'")
        tap.equal(done.out, "one\n", "a shell's python3 is the environment's", said(done))
        done = p.run("run", "--pip", "one", "--lang", "sh", "-c", "python3 -c 'import one; print(one.NAME)'")
        tap.equal(done.out, "one\n", "... with --pip, too", said(done))
        done = p.run("run", "--environment", "mine", "--lang", "javascript", "-c", "1")
        tap.ok(done.returncode == 2 and "packages for Python" in done.err, "not for another language", said(done))
        done = p.run("run", "--environment", "none", "-c", "1")
        tap.ok(done.returncode == 2 and "there are: mine" in done.err and "glovebox env create" in done.err, "an unknown name", said(done))
        for words, want in ((("run", "--environment", ""), ["mine", "data", "auto"]), (("env", "verify", ""), ["mine"]), (("env", "create", ""), [])):
            done = p.run("help", "--complete", "--", *words)
            tap.equal([line.split("\t")[0] for line in done.out.splitlines()], want, "completion of " + " ".join(words), said(done))
        done = p.run("env", "create", "mine")
        tap.ok(done.returncode == 2 and "no packages are named" in done.err, "none without packages", said(done))
        done = p.run("run", "--environment", "mine", "-c", "import one")
        tap.equal(done.returncode, 0, "and the old one stays", said(done))
        code = "import one; print(one.NAME, 'here')"
        calls = [("execute_code", {"code": code}), ("run_command", {"command": f'python3 -c "{code}"; echo from bash'})]
        lines = [{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                                                                               "clientInfo": {"name": "test", "version": "1"}}}]
        lines += [{"jsonrpc": "2.0", "id": 1 + i, "method": "tools/call", "params": {"name": name, "arguments": words}}
                  for i, (name, words) in enumerate(calls)]
        done = p.run("mcp", "--pip", "two>=1, one", input="".join(json.dumps(line) + "\n" for line in lines[:1]))
        tap.ok(re.search(r"Python 3\.\d+ with one, two>=1;", done.out), "packages that are not fetched yet are announced as they are required", said(done))
        done = p.run("mcp", "--pip", "one", input="".join(json.dumps(line) + "\n" for line in lines))
        tap.ok(re.search(r"Python 3\.\d+ with one 1\.0;", done.out), "what is announced is the environment's", said(done))
        tap.ok(done.out.count('one here\\n') > 1 and "from bash" in done.out and "not made yet" not in done.out,
               "the server's own packages are fetched for its client, also for a shell's python3", said(done))
        done = p.run("mcp", "--environment", "mine", input="".join(json.dumps(line) + "\n" for line in lines[:1]))
        tap.ok(re.search(r"Python 3\.\d+ with one 1\.0;", done.out), "... and of one with a name", said(done))
        done = p.run("run", "--environment", "mine", "--pip", "one", "-c", "1")
        tap.ok(done.returncode == 2, "not both", said(done))
        for name in ("../x", ".x", "a/b", "", "x" * 65):
            done = p.run("env", "create", name, "--pip", "one")
            tap.ok(done.returncode and not os.path.exists(p.store + "/x"), f"no name: {name[:9]!r}", said(done))


BLOCK = """# /// script
# requires-python = "%s"
# dependencies = [
#   "one",  # why
#   "two>=1; python_version >= '3'",
# ]
# [tool.other]
# x = {a = 1}
# ///
import one, two
print(one.NAME, two.NAME)
"""


def test_auto(tap):
    with place() as p:
        p.index.add(Wheel("one"))
        p.index.add(Wheel("two"))
        for versions in (">=3.8", ">=3.8,<4", "!=3.7.*", ">3.1"):
            done = p.run("run", "--environment", "auto", "-c", BLOCK % versions)
            tap.equal(done.out, "one two\n", f"the program's own packages, Python {versions}", said(done))
        tap.equal(len(p.index.downloads()), 2, "fetched once")
        done = p.run("run", "--environment", "auto", "-c", BLOCK % ">=3.99")
        tap.ok(done.returncode == 125 and "requires Python >=3.99" in done.err, "a Python that is not here", said(done))
        done = p.run("run", "--environment", "auto", "-c", "print(1)")
        tap.equal(done.out, "1\n", "a program without a block", said(done))
        done = p.run("run", "--environment", "auto", "--lang", "bash", "-c", "echo 1")
        tap.equal(done.out, "1\n", "and one in another language", said(done))
        for bad in ("# /// script\n# dependencies = [\n", "# /// script\n# dependencies = [1\n# ///\n", "# /// script\n# dependencies = ['-r x']\n# ///\n"):
            done = p.run("run", "--environment", "auto", "-c", bad)
            tap.ok(done.returncode == 2, f"refused: {bad!r}", said(done))


class Unix(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.host)


def ask(path, method, where, body=None, lines=False):
    c = Unix(path)
    headers = {"Content-Type": "application/json", **({"Accept": "application/x-ndjson"} if lines else {})}
    c.request(method, where, body and json.dumps(body), headers)
    r = c.getresponse()
    text = r.read().decode()
    c.close()
    return r.status, [json.loads(line) for line in text.splitlines()] if lines else json.loads(text)


def test_daemon(tap):
    with place() as p:
        p.index.add(Wheel("one"))
        path = p.folder + "/d.sock"
        d = p.begin("serve", "--listen", "unix:" + path, "--log", "off")
        tap.ok(wait_for(lambda: os.path.exists(path)), "a daemon")
        status, lines = ask(path, "POST", "/v1/environments", {"name": "mine", "pip": "one"}, lines=True)
        tap.equal((status, [x["event"] for x in lines][-1], any("download" in x.get("message", "") for x in lines)), (200, "finished", True),
                  "made, with lines about the progress", status, lines)
        status, about = ask(path, "GET", "/v1/environments/mine")
        tap.equal((status, [x["name"] for x in about.get("packages", [])]), (200, ["one"]), "shown", about)
        code = "import one; print(one.NAME)"
        status, ran = ask(path, "POST", "/v1/run", {"code": code, "environment": "mine"})
        tap.equal((status, ran.get("stdout")), (200, "one\n"), "run in it", ran)
        status, ran = ask(path, "POST", "/v1/run", {"code": code, "pip": ["one"]})
        tap.equal((status, ran.get("stdout")), (200, "one\n"), "run with packages", ran)
        for where, body in (("run", {"code": code}), ("sessions", {}), ("test", {"code": code, "cases": []})):
            status, ran = ask(path, "POST", "/v1/" + where, {**body, "environment": "mine", "pip": "one"})
            tap.equal((status, ran.get("error", {}).get("message")), (400, "'pip': cannot be given together with 'environment'"),
                      "not both: " + where, ran)
        status, s = ask(path, "POST", "/v1/sessions", {"environment": "mine"})
        status, ran = ask(path, "POST", f"/v1/sessions/{s['id']}/exec", {"code": "import one; one.NAME"})
        tap.equal((status, ran.get("success")), (200, True), "a session", ran)
        status, said_no = ask(path, "DELETE", "/v1/environments/mine")
        tap.ok(status != 200 and "in use" in str(said_no), "not removed while the session has it", said_no)
        ask(path, "DELETE", f"/v1/sessions/{s['id']}")
        done = wait_for(lambda: ask(path, "DELETE", "/v1/environments/mine")[0] == 200)
        tap.ok(done, "removed afterwards")
        tap.equal(ask(path, "GET", "/v1/environments")[1], {"environments": []}, "none is left")
        tap.equal(ask(path, "GET", "/v1/environments/mine")[0], 404, "nor shown")
        d.terminate()
        d.communicate()
        p.run("env", "create", "mine", "--pip", "one")
        d = p.begin("serve", "--listen", "unix:" + path, "--log", "off", "--environment", "absent")
        tap.ok(wait_for(lambda: os.path.exists(path)), "a daemon whose operator chose an environment")
        for fields in ({"pip": ["one"]}, {"environment": "mine"}):
            status, ran = ask(path, "POST", "/v1/run", {"code": code, **fields})
            tap.equal((status, ran.get("stdout")), (200, "one\n"), f"a request replaces it: {fields}", ran)
        d.terminate()
        d.communicate()


def test_refused(tap):
    with place() as p:
        done = p.run("run", "--pip", "absent", "-c", "1")
        tap.ok(done.returncode == 125 and "no package absent" in done.err and "index has no wheel" in done.err, "an unknown package", said(done))
        for words in ("x; rm -rf /", "-r x", "a @ http://127.0.0.1/a.whl", "./a", "$(id)"):
            done = p.run("run", "--pip", words, "-c", "1")
            tap.ok(done.returncode == 2 and "is not the name of a package" in done.err, f"refused: {words}", said(done))
    with place(PIP_INDEX_URL="http://me:word@127.0.0.1:9/simple/") as p:
        done = p.run("run", "--pip", "one", "-c", "1")
        tap.ok(done.returncode and "PIP_INDEX_URL has a user" in done.err and "word" not in done.err.replace("password", ""),
               "a password does not go into a jail, nor into the message", said(done))
    with place(PIP_INDEX_URL="http://127.0.0.1:9/simple/", PIP_RETRIES="1") as p:
        done = p.run("run", "--pip", "one", "-c", "1")
        tap.ok(done.returncode and "cannot be reached" in done.err, "an index that is not there", said(done))


def hostile():
    """Wheels, and a word of the reason for which each is refused."""
    w = Wheel("evil")
    yield "a link", w, w.bytes([link("/etc/passwd")]), "is a link"
    yield "a path that leaves", w, w.bytes([("../evil.py", "", 0o644)]), "plain relative path"
    yield "an absolute path", w, w.bytes([("/tmp/evil.py", "", 0o644)]), "plain relative path"
    yield "a backslash", w, w.bytes([("a\\..\\b", "", 0o644)]), "plain relative path"
    yield "a device", w, w.bytes([("null", "", 0o020666)]), "neither a file nor a folder"
    yield "a name twice", w, w.bytes([("evil/__init__.py", "X = 1\n", 0o644)]), "twice"
    yield "a file that is a folder, too", w, w.bytes([("evil/__init__.py/x", "", 0o644)]), ""
    yield "a file that RECORD lacks", w, w.bytes([("evil/more.py", "", 0o644)]), "is not in its RECORD"
    yield "no RECORD", w, w.bytes(record=""), ""
    yield "another hash in RECORD", w, w.bytes(record=w.record().replace(digest(w.files["evil/__init__.py"].encode()), digest(b"x"))), "other bytes"
    yield "a file in RECORD only", w, w.bytes(record="absent.py,sha256=x,1\n" + w.record()), "not in the wheel"
    yield "another hash algorithm", w, w.bytes(record=w.record().replace("sha256=", "md5=")), "no SHA-256"
    yield "half of it", w, w.bytes()[:300], ""
    lies = w.bytes()
    at = lies.rindex(b"PK\1\2")
    yield "a size that lies", w, lies[:at + 24] + b"\1\0\0\0" + lies[at + 28:], ""
    bomb = Wheel("evil", files={"evil/big.bin": "\0" * (80 << 20)})
    inside = bomb.bytes()
    at = inside.index(b"PK\1\2", inside.index(b"PK\1\2") + 4)
    yield "more bytes than announced", bomb, inside[:at + 24] + b"\1\0\0\0" + inside[at + 28:], ""
    for name in ("pyvenv.cfg", "bin/python3", "conda-meta/x"):
        own = Wheel("evil", files={f"evil-1.0.data/data/{name}": "home = /root\n"})
        yield "a " + name + " of its own", own, own.bytes(), "environment's own"
    own = Wheel("evil", files={"evil-1.0.data/scripts/python": "x"})
    yield "a script named python", own, own.bytes(), "environment's own"


def test_hostile(tap):
    for what, wheel, content, word in hostile():
        with place() as p:
            p.index.add(wheel, content)
            done = p.run("run", "--pip", "evil", "-c", "import evil; print('ran')")
            tap.ok(done.returncode == 125 and word in done.err and "ran" not in done.out, f"refused: {what}", said(done))
            tap.equal((p.made("env"), p.made("trees"), p.made("stage")), ([], [], []), "and nothing of it is kept")
    with place() as p:
        p.index.add(Wheel("evil"), sha256="0" * 64)
        done = p.run("run", "--pip", "evil", "-c", "1")
        tap.ok(done.returncode == 125 and p.made("wheels") == [], "another hash than the index names", said(done))
    with place() as p:
        p.index.add(Wheel("evil", files={"evil/bad.py": "def (:\n", "evil/deep.py": "(" * 5000, "evil/nul.py": "\0"}))
        done = p.run("run", "--pip", "evil", "-c", "import evil; print('ran')")
        tap.equal(done.out, "ran\n", "files that cannot be compiled are left to the program", said(done))
    with place() as p:
        p.index.add(Wheel("evil", files={"evil/__pycache__": "no folder", "evil/more.py": "X = 1\n"}))
        done = p.run("run", "--pip", "evil", "-c", "import evil.more; print('ran')")
        tap.equal(done.out, "ran\n", "and those whose bytecode has no place", said(done))


def test_builders(tap):
    with place() as p:
        p.index.add(Wheel("one"))
        both = [p.begin("run", "--pip", "one", "-c", "import one; print(one.NAME)") for _ in range(3)]
        outs = [b.communicate(timeout=WAIT) for b in both]
        tap.equal([o[0] for o in outs], ["one\n"] * 3, "several at once", outs)
        tap.equal((len(p.index.downloads()), len(p.made("env"))), (1, 1), "made once", p.index.asked)


def wait_for(condition):
    until = time.monotonic() + 60
    while not (done := condition()) and time.monotonic() < until:
        time.sleep(0.02)
    return done


def test_killed(tap):
    with place() as p:
        p.index.add(Wheel("one"))
        p.index.hold = threading.Event()
        builder = p.begin("env", "create", "mine", "--pip", "one")
        tap.ok(wait_for(p.index.downloads), "a builder has begun")
        builder.send_signal(signal.SIGKILL)
        builder.communicate()
        tap.equal((len(p.made("stage")), p.made("env"), p.made("name")), (1, [], []), "killed, it leaves a stage and nothing else")
        p.index.hold.set()
        done = p.run("env", "create", "mine", "--pip", "one")
        tap.equal((done.returncode, p.made("stage")), (0, []), "the next one sweeps it away", said(done))
        builder = p.begin("env", "create", "other", "--pip", "one", "--python", "3")
        builder.send_signal(signal.SIGINT)
        builder.communicate(timeout=WAIT)
        tap.equal(p.made("stage"), [], "interrupted, it cleans up itself")


def test_kept(tap):
    with place() as p:
        p.index.add(Wheel("one"))
        p.index.add(Wheel("two"))
        p.run("env", "create", "a", "--pip", "one")
        p.run("env", "create", "b", "--pip", "two")
        done = p.run("env", "verify", "a", "--json")
        tap.equal((done.returncode, json_of(done)), (0, {"valid": True, "damaged": []}), "valid", said(done))
        path = next(os.path.join(f, "__init__.py") for f, _, names in os.walk(p.store + "/trees") if f.endswith("/one") and "__init__.py" in names)
        os.chmod(path, 0o644)
        with open(path, "a") as f:
            f.write("#\n")
        done = p.run("env", "verify", "a", "--json")
        tap.equal((done.returncode, json_of(done).get("damaged")), (1, [path]), "a changed file is found", said(done))
        tap.ok("'glovebox env create a' with the same packages repairs it" in p.run("env", "verify", "a").out, "... with what to do")
        p.run("env", "create", "both", "--pip", "one,two")
        done = p.run("env", "verify", "both")
        tap.equal(done.returncode, 0, "another environment with the package repairs it", said(done))
        compiled = next(os.path.join(f, n) for f, _, names in os.walk(p.store + "/trees") for n in names if "/one/__pycache__" in f)
        with open(path, "r+b") as f:
            f.write(b"1/0\n")
        os.chmod(compiled, 0o644)
        with open(compiled, "r+b") as f:
            f.write(b"xxxx")
        os.unlink(next(os.path.join(f, "METADATA") for f, _, names in os.walk(p.store + "/trees") if "one-1.0" in f and "METADATA" in names))
        tap.equal(len(json_of(p.run("env", "verify", "a", "--json"))["damaged"]), 3, "changed, and removed")
        tap.ok(p.run("run", "--environment", "both", "-c", "import one; print(one.NAME)").out != "one\n", "a program has the damage")
        done = p.run("env", "create", "a", "--pip", "one")
        tap.ok(done.returncode == 0 and "repairing one-1.0" in done.err, "the same packages again repair it, and say so", said(done))
        tap.equal(p.run("env", "verify", "a", "--json").returncode, 0, "it is as it was made")
        done = p.run("run", "--environment", "both", "-c", "import one; print(one.NAME)")
        tap.equal((done.out, os.stat(path).st_mode & 0o777), ("one\n", 0o444), "also where another environment has the same files", said(done))
        p.run("env", "remove", "both")
        p.index.close()
        done = p.run("env", "create", "c", "--pip", "two,one", "--offline")
        tap.equal(done.returncode, 0, "other combinations of what is stored, without an index", said(done))
        user = p.begin("run", "--environment", "b", "-c", "print('begun', flush=True)\nimport time\ntime.sleep(20)")
        user.stdout.readline()
        done = p.run("env", "remove", "b")
        tap.ok(done.returncode and "in use" in done.err, "one in use is not removed", said(done))
        done = p.run("env", "prune", "--keep", "1k", "--json")
        tap.equal((len(json_of(done).get("removed", [])), len(p.made("env")), len(p.made("trees"))), (2, 1, 1), "nor pruned, with its tree", said(done))
        user.terminate()
        user.communicate()
        done = p.run("env", "prune", "--keep", "1k", "--json")
        tap.equal([p.made(n) for n in ("env", "trees", "wheels", "name", "asked")], [[]] * 5, "afterwards it is", said(done))


def find_uv():
    return shutil.which("uv") or next((p for p in (os.path.expanduser("~/.local/bin/uv"),) if os.path.exists(p)), None)


def test_uv(tap):
    """uv in place of pip, where it is installed. The other parts hide it."""
    if not find_uv():
        return tap.skip("uv", "there is no uv here")
    with place(UV="1") as p:
        p.index.add(Wheel("one", requires=["two"]))
        p.index.add(Wheel("two"))
        done = p.run("env", "create", "mine", "--pip", "one", "--json")
        tap.equal((json_of(done).get("maker"), [x["name"] for x in json_of(done).get("packages", [])]), ("uv", ["one", "two"]), "packages by uv", said(done))
        done = p.run("run", "--environment", "mine", "-c", "import one, two; print(two.NAME)")
        tap.equal(done.out, "two\n", "a program has them", said(done))
        done = p.run("run", "--pip", "absent", "-c", "1")
        tap.ok(done.returncode == 125 and "absent was not found" in done.err, "an unknown package", said(done))
        done = p.run("run", "--pip", "one<1", "-c", "1")
        tap.ok(done.returncode == 125 and "Because" in done.err, "an impossible version, with uv's reason", said(done))
    with place(UV="1") as p:
        p.index.add(Wheel("evil"), sha256="0" * 64)
        done = p.run("run", "--pip", "evil", "-c", "1")
        tap.ok(done.returncode == 125 and p.made("wheels") == [], "another hash than the index names", said(done))
        p.index.add(Wheel("two"), Wheel("two").bytes([link("/etc/passwd")]))
        done = p.run("run", "--pip", "two", "-c", "1")
        tap.ok(done.returncode == 125 and "is a link" in done.err, "a hostile wheel", said(done))


def test_real(tap):
    p = Place()
    for name in ("PIP_CONFIG_FILE",):
        p.env.pop(name)
    p.env.update({k: v for k, v in os.environ.items() if k.startswith("PIP_")}, HOME=os.environ.get("HOME", "/"))
    done = p.run("run", "--pip", "numpy", "-c", "import numpy; print(numpy.arange(4).sum())")
    tap.equal(done.out, "6\n", "numpy", said(done))
    p.close()


PARTS = {"made": test_made, "doors": test_doors, "auto": test_auto, "daemon": test_daemon, "refused": test_refused, "hostile": test_hostile, "builders": test_builders,
         "killed": test_killed, "kept": test_kept, "uv": test_uv}
BY_NAME = {"real": test_real}

if __name__ == "__main__":
    words = sys.argv[1:]
    sys.exit(run_parts({**PARTS, **{n: t for n, t in BY_NAME.items() if n in words}}, words))
