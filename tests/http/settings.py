# SPDX-License-Identifier: Apache-2.0
"""Every row of src/request/request.def through every door: the command line, the config file, the
environment, a field over HTTP, a request that a client sends to a daemon, and glovebox_set in C. The
rows are read here, so that a new one is tested as soon as it is there."""

import ctypes
import json
import os
import re
import socket
import subprocess
import tempfile
import threading

from daemon import GLOVEBOX, Daemon
from procs import sanitized

HERE = os.path.dirname(os.path.abspath(__file__))
DEF = os.path.join(HERE, "..", "..", "src", "request", "request.def")
LIBRARY = os.path.join(os.path.dirname(GLOVEBOX), "libglovebox.so")

# A value that is not the default: as an option, and as JSON.
OF_KIND = {"OPT_DURATION": ("7s", 7000), "OPT_SIZE": ("33m", 33 << 20), "OPT_INT": ("70", 70),
           "OPT_MILLI": ("0.5", 0.5), "OPT_FLAG": (None, True), "OPT_NEGATION": (None, True)}
OF_ID = {"retries": ("3", 3), "net": ("host", "host"), "target": ("3.12", "3.12"), "value": ("last", "last"),
         "env": ("A=b", {"A": "b"}), "profile": ("strict", "strict"), "backend": ("host", "host"),
         "require": ("seccomp", ["seccomp"]), "without": ("ipcns", ["ipcns"]),
         "writable": ("/app", ["/app"]), "check": (None, True), "preload": ("json,math", ["json", "math"]), "log": ("off", "off"), "pause_after": ("never", 0),
         "lang": ("python", "python"), "python": ("3", "3"), "data": ("a=FILE", None)}
FILES = ("prelude", "tools", "dockerfile")  # whose text is sent
# What only means something where nothing else of it is tested.
NOT_ALONE = {"cold", "optimize_data"}
# No rows of a table: fields with a reader of their own.
BY_HAND = {"data", "context", "invocation", "execution_id"}


class Row:
    def __init__(self, table, macro, text):
        words = [w.strip().strip('"') for w in text.split("(", 1)[0].split(",")]
        self.macro = macro
        self.table = table
        self.id, self.name = words[:2]
        self.field = words[2] if macro != "LOCAL" else None
        self.sessions = set(re.findall(r"SESSION_(\w+)", text))
        found = re.search(r"OPT_(DURATION|SIZE|INT|MILLI|FLAG|STRING|LIST|CHOICE)\b", text)
        self.kind = found.group(0) if found else "OPT_NEGATION"
        self.conf = macro == "LIMIT" or "OPT_CONF" in text
        found = re.search(r"REMOTE_\w+", text)
        self.remote = "REMOTE_SENT" if macro == "LIMIT" else found.group(0) if found else "REMOTE_HERE"
        self.permit = "PERMIT_" in text

    def sample(self, folder):
        if self.id in FILES:
            path = os.path.join(folder, self.id + ".py")
            with open(path, "w") as f:
                f.write("def f(x):\n    return x\n")
            return path, "def f(x):\n    return x\n"
        value = OF_ID.get(self.id) or OF_KIND.get(self.kind)
        if not value:
            value = ("a", ["a"] if self.kind == "OPT_LIST" else "a")
        if self.id == "data":
            path = os.path.join(folder, "data.json")
            with open(path, "w") as f:
                f.write("[1]")
            return "a=" + path, None
        return value

    def option(self, folder):
        text = self.sample(folder)[0]
        return ["--" + self.name] + ([text] if text is not None else [])


def rows():
    with open(DEF) as f:
        text = f.read()
    text = text[text.index("*/") + 2:]  # the head's comment shows the forms
    return [Row(table, *row)
            for table, part in re.findall(r"^TABLE\((\w+)\)$(.*?)^TABLE_END$", text, re.S | re.M)
            for row in re.findall(r"^(SETTING|LOCAL|NEGATION|LIMIT)\((.*?)\)\)$", part, re.S | re.M)]


def glovebox(*args, env=None, cwd=None):
    full = dict(os.environ, HOME=cwd or "/nonexistent", **(env or {}))
    full.pop("XDG_RUNTIME_DIR", None)
    done = subprocess.run([GLOVEBOX, *args], env=full, cwd=cwd, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class Ear:
    """Listens where a daemon would, keeps the body of one request and refuses it."""

    def __init__(self, folder):
        self.path = os.path.join(folder, "ear.sock")
        self.body = None

    def __enter__(self):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(4)
        self.listener.settimeout(20)
        self.thread = threading.Thread(target=self.hear, daemon=True)
        self.thread.start()
        return self

    def hear(self):
        try:
            peer = self.listener.accept()[0]
        except OSError:
            return
        with peer:
            peer.settimeout(20)
            data = b""
            while b"\r\n\r\n" not in data:
                more = peer.recv(65536)
                if not more:
                    return
                data += more
            head, rest = data.split(b"\r\n\r\n", 1)
            size = int(re.search(rb"(?i)content-length: *(\d+)", head).group(1))
            while len(rest) < size:
                rest += peer.recv(65536)
            self.body = json.loads(rest)
            answer = b'{"error":{"kind":"usage","message":"heard"}}'
            peer.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\n"
                         b"Content-Length: %d\r\n\r\n%s" % (len(answer), answer))

    def __exit__(self, *_):
        with socket.socket(socket.AF_UNIX) as s:  # ends an accept that had no client
            s.connect(self.path)
        self.thread.join(20)
        self.listener.close()
        os.unlink(self.path)


def sent(row, folder):
    """What a client sends for this option, but for what it always sends."""
    with Ear(folder) as ear:
        if row.table == "session":
            glovebox("session", "new", *row.option(folder), "--daemon", "unix:" + ear.path, cwd=folder)
        else:
            glovebox("run", *row.option(folder), "--daemon", "unix:" + ear.path, "-c", "1", cwd=folder)
    if ear.body is None:
        return None
    for always in ("code", "language", "final_answer"):
        ear.body.pop(always, None)
    return ear.body


def shown(row):
    return row.name if row.id != "no_check" else "check"


def words(tap, row, folder):
    """The command line, the config file, the environment."""
    if row.table == "session":
        code, out, _ = glovebox("session", "--help")
        tap.ok("--" + row.name + " " in out, "%s: session --help has it" % row.name)
        return
    code, out, said = glovebox("run", *row.option(folder), "--print-config", cwd=folder)
    tap.ok(code == 0 and (not row.conf or re.search(
        r"(?m)^%s = .*# command line" % shown(row), out)), "%s: the command line" % row.name, said)
    text = row.sample(folder)[0]
    value = "true" if text is None else text
    with open(os.path.join(folder, "own.conf"), "w") as f:
        f.write("%s = %s\n" % (row.name, json.dumps(value)))
    code, out, said = glovebox("run", "--config", "own.conf", "--print-config", cwd=folder)
    tap.ok(("own.conf:1" in out and code == 0) if row.conf else
           (code == 2 and "command line only" in said), "%s: a config file" % row.name, said or out)
    if not row.conf:
        return
    code, out, said = glovebox("run", "--print-config", cwd=folder,
                               env={"GLOVEBOX_" + row.name.upper().replace("-", "_"): value})
    tap.ok(code == 0 and "environment GLOVEBOX_" in out, "%s: a variable" % row.name, said)


def taken(tap, row, folder):
    """The commands about sessions take what their row says, and refuse the others."""
    nowhere = "unix:" + os.path.join(folder, "none.sock")
    for command, bits in ((["session", "new", "--daemon", nowhere], {"OPENED", "THERE"}),
                          (["session", "fork", "x", "--daemon", nowhere], {"FORK"}),
                          (["session", "exec", "x", "--daemon", nowhere], {"CELL"}),
                          (["repl", "--daemon", nowhere], {"OPENED", "THERE"}),
                          (["repl"], {"OPENED", "HERE"})):
        there = "--daemon" in command
        if there and (row.name == "no-daemon" or (row.name == "out" and command[0] == "repl")):
            continue  # excluded by --daemon; for the displays of cells, which the row does not say
        said = glovebox(*command, *row.option(folder), cwd=folder)[2]
        tap.ok(("does not apply" in said) != bool(row.sessions & bits),
               "%s: %s" % (row.name, " ".join(command[:2])), said)


def sending(tap, row, folder):
    body = sent(row, folder)
    if row.remote == "REMOTE_SENT":
        want = {row.field: row.sample(folder)[1]}
        if row.id == "no_check":
            want = {"check": False}
        if row.id == "check":
            want = {}  # it is so anyway, and --lock-policy would refuse it
        tap.ok(body == want, "%s: a client sends it, and nothing else" % row.name,
               "%r, not %r" % (body, want))
    elif row.remote == "REMOTE_HERE" and row.field:
        want = {row.field: [os.path.join(folder, "a")] if row.id == "ro" else row.sample(folder)[1]}
        tap.ok(body == want or row.id == "review", "%s: the daemon decides about it" % row.name, body)
    elif row.remote != "REMOTE_BY_HAND" and row.id not in NOT_ALONE:
        tap.ok(body is None, "%s: stays here" % row.name, body)


def field(tap, row, folder, d, schemas):
    schema = schemas["OpenSessionRequest" if row.table == "session" else "RunRequest"]
    if row.field is None:
        tap.ok(row.name.replace("-", "_") not in schema["properties"] or row.id in BY_HAND,
               "%s: no field" % row.name)
        return
    tap.ok(row.field in schema["properties"], "%s: the field is described" % row.name)
    path = "/v1/sessions" if row.table == "session" else "/v1/check" if row.table == "policy" else "/v1/run"
    value = row.sample(folder)[1]
    if row.id in ("file", "ro"):
        value = [value[0]]
    code = {} if row.table == "session" else {"code": "1"}
    answer = d.post(path, dict(code, **{row.field: value}), tcp=True)
    refused = row.permit or row.id == "image" or (row.id in ("net", "backend") and value == "host")
    if row.id == "review":
        tap.ok(answer.status == 400 and "has no model" in answer.message, "review: the field", answer)
        answer = d.post(path, dict(code, review=False))
    tap.ok(answer.status == 403 if refused else answer.status in (200, 201),
           "%s: the field" % row.name, answer)
    answer = d.post(path, dict(code, **{row.field: {"no": ["such"]} if row.id != "env" else 7}))
    tap.ok(answer.status in (400, 403) and row.field in answer.message,
           "%s: a wrong value names the field" % row.name, answer)


def in_c(tap, all_rows, folder):
    lib = ctypes.CDLL(LIBRARY)
    lib.glovebox_open.restype = ctypes.c_void_p
    lib.glovebox_set.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]
    lib.glovebox_error.argtypes = [ctypes.c_void_p]
    lib.glovebox_error.restype = ctypes.c_char_p
    lib.glovebox_close.argtypes = [ctypes.c_void_p]
    for row in all_rows:
        box = lib.glovebox_open()
        text = row.sample(folder)[0]
        code = lib.glovebox_set(box, row.name.encode(), ("true" if text is None else text).encode())
        tap.ok(code == 0, "%s: glovebox_set" % row.name, lib.glovebox_error(box))
        lib.glovebox_close(box)


def test(tap):
    all_rows = rows()
    tap.ok(len(all_rows) > 40, "the rows can be read", len(all_rows))
    with tempfile.TemporaryDirectory(prefix="glovebox-settings-") as folder, Daemon(tcp=True) as d:
        schemas = d.get("/openapi.json").json["components"]["schemas"]
        for row in all_rows:
            words(tap, row, folder)
            taken(tap, row, folder)
            sending(tap, row, folder)
            field(tap, row, folder, d, schemas)
        if os.path.exists(LIBRARY) and not sanitized(GLOVEBOX):
            in_c(tap, all_rows, folder)
