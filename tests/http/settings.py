# SPDX-License-Identifier: Apache-2.0
"""Every row of src/runs/request/request.def through every door. The settings of a run or a session: the command line, the config
file, the environment, a field over HTTP, a request that a client sends to a daemon, and glovebox_set in C. And every row at every
verb (walk): a command, an operation over HTTP, a task in C and a method of Python take the same rows. The rows are read here, so that a new one is
tested as soon as it is there."""

import ast
import ctypes
import json
import os
import re
import runpy
import socket
import subprocess
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor

from daemon import GLOVEBOX, Daemon
from procs import sanitized
from settings_rows import MACROS, rows, source, tasks, verbs

MAKE_SCHEMAS = runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "sdk", "python", "make-schemas"))

LIBRARY = os.path.join(os.path.dirname(GLOVEBOX), "libglovebox.so")

# The tables of a run and a session; the others are what a verb takes beside them.
SETTINGS = ("work", "data", "wall", "policy", "guard", "limit", "log", "session")
# What only means something where nothing else of it is tested.
NOT_ALONE = {"cold", "optimize_data", "data"}
# Of a daemon's own user, or with a field that is not the option's value.
OTHER_FIELD = {"data"}


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
        code, out, _ = glovebox("session", "--help-all")
        tap.ok("--" + row.name + " " in out, "%s: session --help-all has it" % row.name)
        return
    code, out, said = glovebox("run", *row.option(folder), "--print-config", cwd=folder)
    tap.ok(code == 0 and (not row.conf or re.search(
        r"(?m)^%s = .*# command line" % shown(row), out)), "%s: the command line" % row.name, said)
    text = row.sample(folder)[0]
    value = "true" if text is None else text
    with open(os.path.join(folder, "own.conf"), "w") as f:
        f.write(row.config(folder))
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
    known = verbs()
    nowhere = "unix:" + os.path.join(folder, "none.sock")
    for command, verb in ((["session", "new", "--daemon", nowhere], "OPEN"), (["session", "fork", "x", "--daemon", nowhere], "FORK"),
                          (["session", "exec", "x", "--daemon", nowhere], "EXEC"), (["repl", "--daemon", nowhere], "OPEN ATTACH"),
                          (["repl"], "REPL")):
        if "--daemon" in command and row.name == "no-daemon":
            continue  # excluded by --daemon
        said = glovebox(*command, *row.option(folder), cwd=folder)[2]
        takes = any((other.verbs | other.option_of) & sum(known[v][0] for v in verb.split()) for other in ALL if other.name == row.name)
        tap.ok(("does not apply" in said) != takes, "%s: %s" % (row.name, " ".join(command[:2])), said)


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
    elif row.remote == "REMOTE_HERE" and row.field and row.id not in OTHER_FIELD:
        want = {row.field: [os.path.join(folder, "a")] if row.id == "ro" else os.path.join(folder, "a") if row.id == "work_dir"
                else row.sample(folder)[1]}
        tap.ok(body == want or row.id == "review", "%s: the daemon decides about it" % row.name, body)
    elif row.remote != "REMOTE_BY_HAND" and row.id not in NOT_ALONE:
        tap.ok(body is None, "%s: stays here" % row.name, body)


def field(tap, row, folder, d, schemas):
    schema = schemas["OpenSessionRequest" if row.table == "session" else "RunRequest"]
    if row.field is None:
        tap.ok(row.name.replace("-", "_") not in schema["properties"], "%s: no field" % row.name)
        return
    tap.ok(row.field in schema["properties"], "%s: the field is described" % row.name)
    path = "/v1/sessions" if row.table == "session" else "/v1/check" if row.table == "policy" else "/v1/run"
    value = row.sample(folder)[1]
    code = {} if row.table == "session" else {"code": "1"}
    if row.id in ("invocation", "execution_id"):
        code["context"] = {}
    if row.id == "context":
        value = {}
    answer = d.post(path, dict(code, **{row.field: value}), tcp=True)
    refused = row.permit or row.id == "image" or (row.id in ("net", "backend") and value == "host")
    if row.id == "review":
        tap.ok(answer.status == 400 and "has no model" in answer.message, "review: the field", answer)
        answer = d.post(path, dict(code, review=False))
    tap.ok(answer.status == 403 if refused else answer.status in (200, 201) or row.id == "environment" and b"there is no environment" in answer.body,
           "%s: the field" % row.name, answer)
    answer = d.post(path, dict(code, **{row.field: {"no": ["such"]} if row.id not in ("env", "data", "context") else 7}))
    tap.ok(answer.status in (400, 403) and row.field in answer.message,
           "%s: a wrong value names the field" % row.name, answer)


def library():
    lib = ctypes.CDLL(LIBRARY)
    lib.glovebox_open.restype = ctypes.c_void_p
    lib.glovebox_set.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]
    lib.glovebox_task.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t]
    lib.glovebox_task.restype = ctypes.c_void_p
    lib.glovebox_error.argtypes = [ctypes.c_void_p]
    lib.glovebox_error.restype = ctypes.c_char_p
    lib.glovebox_close.argtypes = [ctypes.c_void_p]
    return lib


def in_c(tap, all_rows, folder):
    lib = library()
    for row in all_rows:
        box = lib.glovebox_open()
        text = row.sample(folder)[0]
        code = lib.glovebox_set(box, row.name.encode(), ("true" if text is None else text).encode())
        tap.ok(code == 0, "%s: glovebox_set" % row.name, lib.glovebox_error(box))
        lib.glovebox_close(box)


# ---- every row at every verb ----

# Enough operands for a command to look at its options; none of them reads standard input or a terminal.
OPERANDS = {"session new": [], "session fork": ["x"], "session exec": ["x"], "repl": [], "repl --session": None, "mcp": ["x"], "review": ["none.py"],
            "tool-call": ["none.json"], "check": ["none.py"], "math": ["1"], "analyze": ["none.csv", "q"], "usage": ["x"]}


def takes_option(command, row, folder):
    """By what the command says of the option, before it does anything."""
    words = command.split()
    there = ["--daemon=unix:/nonexistent/s"] if words[0] == "session" else []
    said = glovebox(*words, *OPERANDS.get(command, ["none.py"]), *row.option(folder), *there, cwd=folder)[2]
    refused = any("--%s does not apply to" % name in said for name in (row.name, shown(row)))  # two names of one value
    return not refused and "unknown option --%s" % row.name not in said


def wrong_options(pool, command, takes, folder):
    """Those that the command takes, and not by `takes`; or the other way round."""
    if OPERANDS.get(command, ()) is None:
        return []
    named = {}
    for row in ALL:
        named.setdefault(row.name, row)
    named.pop(None, None)
    got = pool.map(lambda row: takes_option(command, row, folder), named.values())
    return ["--%s: %s" % (name, "taken" if took else "refused") for name, took in zip(named, got)
            if took != (name in takes) and (command, name) not in OWN_OPTIONS]


def takes_field(lib, verb, field):
    """By what glovebox_task says of the field."""
    box = lib.glovebox_open()
    body = json.dumps({field: {"no": [{}]}}).encode()
    lib.glovebox_task(box, verb.lower().encode(), body, len(body))
    said = lib.glovebox_error(box).decode()
    lib.glovebox_close(box)
    return "there is no field" not in said


def python_options(text):
    """{"RunOptions": names}, of the classes of the package's schemas.py and of their bases."""
    known = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef):
            own = {line.target.id for line in node.body if isinstance(line, ast.AnnAssign)}
            known[node.name] = own.union(*(known.get(getattr(base, "id", None), ()) for base in node.bases))
    return known


def wrong_in_python(classes, verb, fields):
    """The fields that a method does not offer, and what it offers that the verb does not take."""
    name, not_here, beside = PYTHON[verb]
    offered = {MAKE_SCHEMAS["option_of"](field) for field in fields - MAKE_SCHEMAS["NOT_OPTIONS"] - not_here}
    return ["%s in Python" % option for option in (offered ^ classes[name]) - beside - {"extra"}]


def walk(tap, d, folder, pool):
    """A row that a verb takes by one door and not by another fails here, and so does one that its mask does not have."""
    doc = d.get("/openapi.json").json
    bodies = {op["operationId"]: doc["components"]["schemas"].get(op["operationId"][0].upper() + op["operationId"][1:] + "Request", {})
              for at in doc["paths"].values() for op in at.values()}
    with open(MAKE_SCHEMAS["TARGET"], encoding="utf-8") as file:
        text = file.read()
    tap.ok(text == MAKE_SCHEMAS["text_of"](doc["components"]["schemas"]), "Python's schemas.py is as 'make schemas' writes it")
    classes = python_options(text)
    lib = library() if os.path.exists(LIBRARY) and not sanitized(GLOVEBOX) else None
    for verb, (bit, command, operation, path) in verbs().items():
        options = {r.name for r in ALL if r.name and (r.verbs | r.option_of) & bit}
        fields = {r.field for r in ALL if r.field and (r.verbs | r.field_of) & bit}
        wrong = wrong_options(pool, command, options, folder)
        if operation and doc["paths"].get(path, {}).get("post", {}).get("operationId") != operation:
            wrong.append("POST %s" % path)
        for field in sorted({r.field for r in ALL if r.field}):
            if operation and (field in bodies[operation]["properties"]) != (field in fields) and (verb, field) not in OWN_ROWS:
                wrong.append("%s over HTTP" % field)
            if lib and verb in tasks() and takes_field(lib, verb, field) != (field in fields):
                wrong.append("%s in C" % field)
        if verb in PYTHON:
            wrong += wrong_in_python(classes, verb, fields)
        tap.equal(wrong, [], "%s: every door takes the rows of its mask" % verb)
    for row in ALL:
        alone = row.name and row.field and row.option_of | row.field_of
        if alone:
            tap.ok(row.id in ONE_DOOR, "%s: one door alone takes it at some verb, for a known reason" % row.id)


# Fields that the route has by itself under the name of a row (the tools of a client, by their description).
OWN_ROWS = {("OPEN", "tools")}
# An option of a command that has the name of a row: the tools that MCP offers.
OWN_OPTIONS = {("mcp", "tools")}
# The class of a method's options; fields that it does not have; options beside the rows. A sandbox has its language as an argument,
# its route has fields of its own, and a sandbox keeps the options of its runs. Python checks one program at a time.
PYTHON = {"RUN": ("ProgramOptions", set(), set()), "TEST": ("JudgeOptions", set(), set()), "CHECK": ("CheckOptions", {"files"}, set()),
          "EXEC": ("AttemptOptions", set(), set()),
          "OPEN": ("SandboxOptions", {"language"}, {"tool_timeout", "final_answer", "filename", "optimize_data"})}
ONE_DOOR = {
    "out": "the client of a cell writes its displays; a session of a daemon writes on that host, for callers that may name files",
    "data": "'session set' binds variables of a session",
    "check": "a command about checking has no use for it, a client's other requests have it as a default",
    "no_check": "the same",
    "log": "usage reads a log; a daemon writes its own, and a caller that may name its files names another",
}
ALL = rows()


def test(tap):
    text = source("request.def") + source("task.def")
    tap.equal(len(ALL), len(re.findall(r"^(?:%s)\(" % MACROS, text, re.M)), "all rows can be read")
    mine = [row for row in ALL if row.table in SETTINGS and row.macro != "AGAIN"]
    with tempfile.TemporaryDirectory(prefix="glovebox-settings-") as folder, Daemon(tcp=True) as d:
        schemas = d.get("/openapi.json").json["components"]["schemas"]
        with ThreadPoolExecutor(8) as pool:
            walk(tap, d, folder, pool)
        for row in mine:
            words(tap, row, folder)
            taken(tap, row, folder)
            sending(tap, row, folder)
            field(tap, row, folder, d, schemas)
        if os.path.exists(LIBRARY) and not sanitized(GLOVEBOX):
            in_c(tap, mine, folder)
