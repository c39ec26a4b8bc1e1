# SPDX-License-Identifier: Apache-2.0
"""The client's roots (`--roots`): which folders are shown and where, and clients that name too much, too many or nothing."""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from urllib.parse import quote

from client import GLOVEBOX, NEWEST_OLD, PATIENCE, Client, environment, modern, texts
from http_client import Daemon, HttpClient
from procs import wait_for

LIST, CHANGED = "roots/list", "notifications/roots/list_changed"


def root(path, name=None):
    return {"uri": "file://" + quote(path), **({"name": name} if name else {})}


def show(path):
    """A program that lists a folder inside."""
    return f"import os\nprint(sorted(os.listdir({path!r})) if os.path.exists({path!r}) else None)"


class Rooted(Client):
    """A client that names `roots`, as long as `replies` is true. Its home has a folder `work`."""

    def __init__(self, *options, roots=(), replies=True, declares=True, version=NEWEST_OLD, **variables):
        self.roots, self.replies = list(roots), replies
        super().__init__(*options, version=None, **variables)
        self.home = self.folder.name
        os.chmod(self.home, 0o755)  # the guest of a root is another user
        self.hello = self.ask("initialize", {"protocolVersion": version, "clientInfo": {"name": "tests", "version": "1"},
                                             "capabilities": {"roots": {"listChanged": True}} if declares else {}})["result"]

    def ready(self):
        self.note("notifications/initialized")
        return self

    def asked(self, message):
        if message.get("method") == LIST and self.replies:
            self.answer(message, {"roots": self.roots})

    def answer(self, question, result=None, **more):
        self.write(json.dumps({"jsonrpc": "2.0", "id": question["id"], **({"result": result} if result is not None else more)}) + "\n")

    def change(self, *roots):
        self.roots = list(roots)
        self.note(CHANGED)

    def make(self, name, **files):
        path = os.path.join(self.home, name)
        os.makedirs(path, exist_ok=True)
        for file, text in (files or {"a.txt": "of " + name}).items():
            with open(os.path.join(path, file), "w") as f:
                f.write(text)
        return path

    def questions(self):
        with self.changed:
            return [n for n in self.notes if n["method"] == LIST]

    def about(self):
        return next(t["description"] for t in self.ask("tools/list")["result"]["tools"] if t["name"] == "execute_code")

    def run(self, code, **more):
        return self.tool("execute_code", code=code, **more).get("stdout")


class Outside:
    """Folders that are neither below the client's home nor below /tmp, as most projects are; removed at the end."""

    def __enter__(self):
        above = next(p for p in ("/srv", "/opt", os.path.expanduser("~")) if os.access(p, os.W_OK))
        self.folder = tempfile.mkdtemp(prefix="gbroots-", dir=above)
        os.chmod(self.folder, 0o755)
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)

    def make(self, name, **files):
        return Rooted.make(self, name, **files)

    @property
    def home(self):
        return self.folder


# ---- what is shown ----


def test_off(tap):
    with Client() as client:
        tap.ok(not client.hello["result"]["capabilities"]["tools"]["listChanged"], "without --roots, the tools do not change")
    with Rooted("--roots", "off") as client:
        client.roots = [root(client.make("work"))]
        client.ready()
        about = client.about()
        tap.ok(client.home not in about and not client.questions(), "... and the client is not asked", about)
    with Rooted("--roots", "ro", declares=False) as client:
        client.ready()
        tap.ok("Readable inside" not in client.about() and not client.questions(), "a client without roots is not asked")
        status = client.close()
        tap.ok(status == (0, []) and b"has no roots" in client.said, "... and its user is told", client.said)
        client.said = b""


def test_ro(tap):
    with Outside() as outside, Rooted("--roots", "ro", "--ro", "/usr/share:/data") as client:
        one, two = outside.make("one"), client.make("two & more")
        client.roots = [root(one), root(two, "My \"Second\"\nProject")]
        tap.ok(client.hello["capabilities"]["tools"]["listChanged"], "the tools may change")
        client.ready()
        about = client.about()
        lines = [line for line in about.splitlines() if line.startswith("- Readable")]
        tap.equal(lines, ['- Readable inside: "/data"', f'- Readable inside: "{one}", the user\'s own folder',
                          f'- Readable inside: "{two}", the user\'s folder "My \\"Second\\" Project"'],
                  "the first list of tools names the folders, and where they are")
        for path in (one, two):
            tap.equal(client.run(show(path)), "['a.txt']\n", "a root is at its own path")
            tap.ok("Read-only" in str(client.tool("execute_code", code=f"open({path + '/b'!r}, 'w')")), "... read-only")
        tap.equal(client.tool("run_command", command=f"cat '{two}/a.txt'").get("stdout"), "of two & more", "a command sees it")
        session = client.tool("create_session")["session_id"]
        tap.equal(client.run(show(one), session_id=session), "['a.txt']\n", "a session sees it")
        tap.equal(os.listdir(one), ["a.txt"], "nothing was changed")
        listed = client.ask("tools/list", modern())["result"]["tools"]
        tap.ok(one in str(listed), "a request of the newer generation sees the same")
        tap.equal([len(client.questions()), [n for n in client.notes if n["method"] != LIST]], [1, []], "one question, and nothing else")


def test_rw(tap):
    with Rooted("--roots", "rw") as client:
        one, two = client.make("one"), client.make("two")
        client.roots = [root(one), root(two)]
        client.ready()
        about = client.about()
        tap.ok(f'The current folder is the user\'s own folder "{one}"' in about and f'inside: "{two}"' in about, "the first root is the current folder", about)
        tap.equal(client.run("print(open('a.txt').read())\nopen('made', 'w').write('x')"), "of one\n", "a program works in it")
        tap.equal(sorted(os.listdir(one)), ["a.txt", "made"], "... and its changes stay")
        tap.ok("Read-only" in str(client.tool("execute_code", code=f"open({two + '/b'!r}, 'w')")), "the other root is read-only")
        session = client.tool("create_session")["session_id"]
        client.run("open('late', 'w').write('x')", session_id=session)
        client.change(root(two))
        tap.equal(client.run("import os\nprint(sorted(os.listdir()))"), "['a.txt', 'main.py']\n", "after a change, another folder is the current one")
        tap.ok(client.tool("close_session", session_id=session).get("closed") and wait_for(lambda: os.path.exists(one + "/late")),
               "a session that is open writes to its own folder at its end", os.listdir(one))
        tap.ok(not os.path.exists(two + "/late"), "... not to the new one")
        file = os.path.join(two, "a.txt")
        client.change(root(file), root(one))
        tap.equal(client.run(f"import os\nprint(os.path.exists('made'), open({file!r}).read())"), "True of two\n", "a root that is a file is never the current folder")


# ---- when it changes ----


def test_change(tap):
    with Outside() as outside, Rooted("--roots", "ro") as client:
        one, two = client.make("one"), outside.make("two")
        client.roots = [root(one)]
        client.ready()
        client.about()
        session = client.tool("create_session")["session_id"]
        client.change(root(two))
        tap.equal(client.run(show(one)), "None\n", "a root that was taken away is gone for the next program")
        tap.equal(client.run(show(two)), "['a.txt']\n", "... and the new one is there")
        news = [n for n in client.notes if n["method"] == "notifications/tools/list_changed"]
        tap.ok(len(news) == 1 and two in client.about() and one not in client.about(), "the client is told that the tools changed, and how", client.notes)
        tap.equal(client.run(show(one), session_id=session), "['a.txt']\n", "a session keeps what it had")
        fork = client.tool("fork_session", session_id=session).get("session_id")
        if fork:
            tap.equal(client.run(show(one), session_id=fork), "['a.txt']\n", "... and so does its fork")
        else:
            tap.skip("... and so does its fork", "needs control groups")
        tap.equal(client.run(show(two), session_id=session), "None\n", "... and it does not get the new one")
        client.change(root(two))
        client.run("1")
        tap.equal(sum(n["method"] == "notifications/tools/list_changed" for n in client.notes), 1, "a change that changes nothing is no news")
        client.change()
        tap.ok("Readable" not in client.about(), "no root is left")


def test_removed(tap):
    """A root whose folder is removed, without a word of the client's."""
    client = Rooted("--roots", "ro")
    one, two = client.make("one"), client.make("two")
    client.roots = [root(one), root(two)]
    client.ready()
    tap.equal(client.run(show(one)), "['a.txt']\n", "two roots")
    shutil.rmtree(one)
    tap.equal(client.run(show(two)), "['a.txt']\n", "a folder that is removed stops no program")
    tap.ok(one not in client.about() and len(client.questions()) == 1, "... and is not named any more")
    status = client.close()
    tap.ok(status == (0, []) and one.encode() in client.said and b"No such file" in client.said, "... for a reason", client.said)


def test_begun_anew(tap):
    with Rooted("--roots", "ro") as client:
        one = client.make("one")
        client.roots = [root(one)]
        client.ready()
        client.run("1")
        client.ask("initialize", {"protocolVersion": NEWEST_OLD, "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}})
        tap.equal(client.run(show(one)), "None\n", "a client that begins anew without roots has none")
        client.note(CHANGED)
        client.ask("ping")
        tap.equal(len(client.questions()), 1, "... and is not asked for them")


# ---- which roots are shown ----


def test_addresses(tap):
    with Outside() as outside:
        odd = outside.make("a b%20c é#1?2")
        colon, quoted = outside.make("with:colon"), outside.make('say "hi"\\now\nthen')
        link = os.path.join(outside.folder, "link")
        os.symlink(odd, link)
        with Rooted("--roots", "ro") as client:
            client.ready()
            client.about()
            for uri, path, name in (
                    ("file://" + quote(odd), odd, "percent-encoded"), ("file://" + odd, odd, "not encoded at all"),
                    ("FILE://LocalHost" + quote(odd), odd, "with this machine's name"), ("file:" + quote(odd), odd, "without a host"),
                    ("file://" + quote(odd) + "/", odd, "with a slash at the end"), ("file://" + quote(odd) + "/../" + quote(os.path.basename(odd)), odd, "with dots"),
                    ("file://" + quote(link), odd, "a link"), ("file://" + quote(colon), colon, "with a colon"),
                    ("file://" + quote(quoted), quoted, "with quotes, a backslash and a line end"),
                    ("file://" + quote(odd + "/a.txt"), odd + "/a.txt", "a file")):
                client.change({"uri": uri})
                about = client.about()
                shown = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
                tap.ok(f'Readable inside: "{shown}"' in about, name, about)
                tap.equal(client.run(f"import os\nprint(os.path.exists({path!r}))"), "True\n", "... is at the path that the model learns")
            client.change(root(odd), root(odd), {"uri": "file://" + odd}, root(link))
            tap.equal(client.about().count("Readable inside"), 1, "one folder by four names is one folder")


def test_refused(tap):
    with Outside() as outside:
        home = outside.make("home")
        for name in (".ssh", ".config/gh", "project", "vault/.ssh", ".config/editor"):
            outside.make("home/" + name)
        two = outside.make("two:")
        os.makedirs(two + "/paths")
        os.symlink(home, outside.folder + "/to-home")
        os.symlink(home + "/.ssh", home + "/project/keys")
        os.mkfifo(outside.folder + "/fifo")
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(outside.folder + "/sock")
        cases = [
            (root(home), "home folder"), (root("/"), "home folder"), (root(outside.folder), "home folder"), (root(outside.folder + "/to-home"), "home folder"),
            (root(os.path.expanduser("~")), "home folder"), (root("/etc"), "folder of the system"), (root("/usr"), "folder of the system"),
            (root(home + "/.ssh"), "~/.ssh"), (root(home + "/.ssh/a.txt"), "~/.ssh"), (root(home + "/project/keys"), "~/.ssh"),
            (root(home + "/.config"), "~/.config/gh"), (root("/proc"), "/proc"), (root("/proc/self"), "/proc"), (root("/tmp"), "not shown"), (root("/dev"), "in use"),
            (root("/sys/kernel"), "in use"), (root("/dev/null"), "device"),
            (root(outside.folder + "/fifo"), "named pipe"), (root(outside.folder + "/sock"), "socket"), (root(two + "/paths"), "two paths"),
            (root(outside.folder + "/none"), "No such file"), ({"uri": "file:///a%00b"}, "Invalid"), ({"uri": "file:///%zz"}, "Invalid"),
            ({"uri": "file:///" + "x" * 9000}, "name too long"), ({"uri": "file:///etc\x00"}, "absolute path"),
            ({"uri": "file://server/share"}, "another machine"), ({"uri": "file://"}, "absolute path"), ({"uri": "file:project"}, "absolute path"),
            ({"uri": "https://example.org/"}, "file://"), ({"uri": "/etc"}, "file://"), ({"uri": ""}, "file://"), ({"uri": 7}, "file://"), ({}, "file://"),
            ("file:///srv", "file://"), (None, "file://"), ([], "file://"),
        ]
        for each, why in cases:
            client = Rooted("--roots", "ro", HOME=home, roots=[each, root(home + "/project")])
            about = client.ready().about()
            said = (client.close(), client.said)[1].decode()
            tap.ok(about.count("Readable inside") == 1 and home + "/project\"" in about, f"{str(each)[:80]!r}: only the other root is shown", about)
            tap.ok(said.count("\n") == 1 and why in said and len(said) < 700, "... for a reason", said)
        client = Rooted("--roots", "ro", HOME=home, roots=[root(home + "/vault"), root(home + "/.config/editor")])
        tap.equal(client.ready().about().count("Readable inside"), 2, "folders that only look similar are shown")
        client.close()
        listener.close()


def test_many(tap):
    with Rooted("--roots", "ro") as client:
        paths = [client.make(f"p{n}") for n in range(40)]
        client.roots = [root(p, "n" * 5000) for p in paths] + [root(f"/none/{n}") for n in range(10000)]
        began = time.monotonic()
        about = client.ready().about()
        tap.ok(time.monotonic() - began < 30, "10 040 roots take no long time", time.monotonic() - began)
        tap.equal([about.count("Readable inside"), len(about) < 20000], [32, True], "... of which 32 are shown", len(about))
        tap.equal(client.run(show(paths[31])) + client.run(show(paths[32])), "['a.txt']\nNone\n", "... the first ones")
        client.roots = [root("/none/" + "x" * 400)] * 10000
        client.note(CHANGED)
        tap.ok("Readable" not in client.about(), "10 000 roots that are not there")
        client.close()
        said, client.said = client.said, b""
        tap.ok(len(said) < 8000 and b"10008 more" in said and b"9992 more" in said, "the reasons are few", said)


# ---- clients that do not answer ----


def test_silent(tap):
    client = Rooted("--roots", "ro", replies=False)
    one = client.make("one")
    client.ready()
    began = time.monotonic()
    listed, called = client.send("tools/list"), client.begin("execute_code", {"code": "print(1)"})
    tap.ok("result" in client.ask("ping"), "a question without an answer: ping is answered at once")
    tap.ok("result" in (client.wait(called) or {}) and "result" in (client.wait(listed) or {}), "... and calls after a while")
    tap.ok(4 < time.monotonic() - began < 40, "... of 5 s", time.monotonic() - began)
    client.answer(client.questions()[0], {"roots": [root(one)]})
    tap.ok(wait_for(lambda: any(n["method"] == "notifications/tools/list_changed" for n in client.notes)), "an answer that comes late counts", client.notes)
    tap.ok(one in client.about(), "... and its folder is shown")
    tap.equal(client.run(show(one)), "['a.txt']\n", "... to programs")
    status = client.close()
    tap.ok(status == (0, []) and client.said.count(b"\n") == 1 and b"does not answer" in client.said, "the user is told once", client.said)


def test_asked_again(tap):
    client = Rooted("--roots", "ro", replies=False)
    one = client.make("one")
    client.ready()
    client.about()
    client.note(CHANGED)
    client.note(CHANGED)
    began = time.monotonic()
    for _ in range(4):
        client.about()
    tap.ok(time.monotonic() - began < 15, "a client that did not answer: calls wait once, not each time", time.monotonic() - began)
    tap.equal(len(client.questions()), 3, "... and after each change it is asked again")
    client.answer(client.questions()[0], {"roots": [root(client.make("old"))]})
    client.answer(client.questions()[2], {"roots": [root(one)]})
    tap.ok(wait_for(lambda: one in client.about()), "... of which the last question counts")
    client.close()


def test_kept(tap):
    """Calls that wait for the answer are cancelled, and end with the input."""
    client = Rooted("--roots", "ro", replies=False).ready()
    kept = [client.begin("execute_code", {"code": f"print({n})"}) for n in range(5)]
    again = client.wait(client.send("tools/call", {"name": "execute_code", "arguments": {"code": "1"}}, id=kept[0]))
    tap.ok("is not answered yet" in str(again), "an id of a call that waits is in use", again)
    for id in (kept[1], kept[4]):
        client.note("notifications/cancelled", {"requestId": id})
    client.answer(client.questions()[0], {"roots": []})
    tap.equal([(client.wait(kept[n]) or {}).get("result", {}).get("structuredContent", {}).get("stdout") for n in (0, 2, 3)], ["0\n", "2\n", "3\n"], "calls that waited")
    client.ask("ping")
    tap.ok(not any(client.answers.get(str(kept[n])) for n in (1, 4)), "... but not those that were cancelled", client.answers)
    tap.equal(client.close(), (0, []), "the end")
    client = Rooted("--roots", "ro", replies=False).ready()
    kept = client.begin("execute_code", {"code": "print('done')"})
    began = time.monotonic()
    status = client.close()
    tap.ok(status == (0, []) and "done" in str(client.wait(kept, 0)), "at the end of the input, a call that waits is begun", status)
    client = Rooted("--roots", "ro", replies=False).ready()
    client.begin("execute_code", {"code": "1"})
    wait_for(client.questions)
    client.process.terminate()
    began = time.monotonic()
    tap.ok(client.process.wait(20) == 0 and time.monotonic() - began < 4, "SIGTERM ends a server that waits")
    client.close()


def test_batch(tap):
    """2025-03-26 has batches, of answers too."""
    client = Rooted("--roots", "ro", replies=False, version="2025-03-26")
    one = client.make("one")
    client.ready()
    wait_for(client.questions)
    answers = client.batch([{"jsonrpc": "2.0", "id": "a", "method": "tools/list"}, {"jsonrpc": "2.0", "id": "b", "method": "ping"},
                            {"jsonrpc": "2.0", "id": client.questions()[0]["id"], "result": {"roots": [root(one)]}}])
    tap.ok(len(answers) == 2 and one in str(answers), "a batch with a list of tools and the answer that it waits for", answers)
    tap.equal(client.close(), (0, []), "... and the end")


def test_odd_answers(tap):
    for more, why in (({"error": {"code": -32603, "message": "no\x1b[31m folder " + "x" * 5000}}, "no"), ({"result": {}}, "no list"),
                      ({"result": {"roots": 7}}, "no list"), ({"result": []}, "no list"), ({"error": None}, "does not name"), ({"error": "x"}, "does not name")):
        client = Rooted("--roots", "ro", replies=False)
        one = client.make("one")
        client.ready()
        wait_for(client.questions)
        client.answer({"id": "roots-99"}, {"roots": [root(one)]})
        client.answer({"id": 1}, {"roots": [root(one)]})
        client.answer(client.questions()[0], **more)
        client.answer(client.questions()[0], {"roots": [root(one)]})
        began = time.monotonic()
        tap.ok(one not in client.about() and time.monotonic() - began < 4, f"{str(more)[:40]}: no root, and no delay; a second answer does not count")
        client.roots = [root(one)]
        client.note(CHANGED)
        wait_for(lambda c=client: len(c.questions()) > 1)
        client.answer(client.questions()[-1], {"roots": client.roots})
        tap.ok(one in client.about(), "... the next question is a new one")
        status = client.close()
        tap.ok(status == (0, []) and client.said.count(b"\n") == 1 and why.encode() in client.said and b"\x1b" not in client.said and len(client.said) < 500,
               "... and the user is told", client.said)
    with Client() as client:
        client.write(json.dumps({"jsonrpc": "2.0", "id": "roots-1", "result": {"roots": [root("/srv")]}}) + "\n")
        tap.ok("result" in client.ask("ping"), "an answer that was not asked for")


def test_flood(tap):
    with Rooted("--roots", "ro") as client:
        one = client.make("one")
        client.roots = [root(one)]
        client.ready()
        client.write((json.dumps({"jsonrpc": "2.0", "method": CHANGED}) + "\n") * 5000)
        began = time.monotonic()
        tap.equal(client.run(show(one)), "['a.txt']\n", "5000 changes at once stop no call")
        tap.ok(time.monotonic() - began < 30 and len(client.questions()) < 200, "... and become few questions", len(client.questions()), time.monotonic() - began)


# ---- options ----


def test_options(tap):
    def run(*words):
        with tempfile.TemporaryDirectory() as folder:
            return subprocess.run([GLOVEBOX, "mcp", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment(folder),
                                  cwd=folder, timeout=PATIENCE, check=False)

    for words, why in ((["--roots", "all"], "roots"), (["--roots", "rw", "--rw", "."], "exclude each other"),
                       (["--roots", "ro", "--backend", "docker"], "shows no files of this host"), (["--roots", "ro", "--daemon", "127.0.0.1:1"], "has no effect with --daemon")):
        done = run(*words)
        tap.ok(done.returncode in (2, 125) and why in done.stderr and done.stderr.count("\n") == 1, " ".join(words), done)
    done = run("--install", "claude", "--project", "--roots", "ro")
    tap.equal(json.loads(done.stdout)["mcpServers"]["glovebox"]["args"], ["mcp", "--roots", "ro"], "--install keeps it, and shows nothing else", done)


def test_http(tap):
    """A client of the daemon may be on another machine: it is not asked."""
    with Daemon() as daemon:
        client = HttpClient(daemon, version=None)
        hello = client.ask("initialize", {"protocolVersion": NEWEST_OLD, "capabilities": {"roots": {"listChanged": True}},
                                          "clientInfo": {"name": "t", "version": "1"}})
        client.session, client.version = hello.headers["mcp-session-id"], NEWEST_OLD
        tap.ok(not hello.last["result"]["capabilities"]["tools"]["listChanged"], "over HTTP, the tools do not change")
        client.note("notifications/initialized")
        client.note(CHANGED)
        listed = client.ask("tools/list")
        tap.ok(len(listed.messages) == 1 and "Readable inside" not in str(listed.last), "... and no question comes before their list", listed.messages)


def test(tap):
    test_off(tap)
    test_ro(tap)
    test_rw(tap)
    test_change(tap)
    test_removed(tap)
    test_begun_anew(tap)
    test_addresses(tap)
    test_refused(tap)
    test_many(tap)
    test_silent(tap)
    test_asked_again(tap)
    test_kept(tap)
    test_batch(tap)
    test_odd_answers(tap)
    test_flood(tap)
    test_options(tap)
    test_http(tap)
