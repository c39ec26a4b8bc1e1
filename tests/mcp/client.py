# SPDX-License-Identifier: Apache-2.0
"""A client of `glovebox mcp` over its standard input and output."""

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import threading

import elsewhere
from procs import descendants, still_there, wait_for

HERE = os.path.dirname(os.path.abspath(__file__))
GLOVEBOX = os.path.abspath(os.environ.get("GLOVEBOX") or os.path.join(HERE, "..", "..", "build", "glovebox"))
PATIENCE = 90  # seconds, for anything that should take far less
NEWEST_OLD, MODERN = "2025-11-25", "2026-07-28"
META = "io.modelcontextprotocol/"


def modern(params=None, **more):
    """Parameters as 2026-07-28 has them."""
    meta = {META + "protocolVersion": MODERN, META + "clientCapabilities": {}, **more}
    return {**(params or {}), "_meta": meta}


words = []  # what the programs of the tests get before their own options


@contextlib.contextmanager
def over(daemon):
    """Clients that are made meanwhile ask this daemon."""
    words[:] = ["--daemon", "unix:" + daemon.socket]
    try:
        yield daemon
    finally:
        words.clear()


def environment(folder, **more):
    kept = {k: v for k, v in os.environ.items() if not k.startswith("GLOVEBOX") and k not in ("VIRTUAL_ENV", "CONDA_PREFIX")}
    return {**kept, **elsewhere.variables(), "GLOVEBOX_LOG": "off", "XDG_CONFIG_HOME": folder, "HOME": folder, **more}


class Client:
    """Sends requests, and sorts what comes back: an answer by its id, and the notifications."""

    def __init__(self, *options, version=NEWEST_OLD, **variables):
        self.folder = tempfile.TemporaryDirectory(prefix="gbmcp-")
        self.process = subprocess.Popen([GLOVEBOX, "mcp", *words, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=environment(self.folder.name, **variables), cwd=self.folder.name)
        self.count, self.answers, self.batches, self.notes, self.bad, self.said = 0, {}, [], [], [], b""
        self.changed = threading.Condition()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.hello = version and self.ask("initialize", {"protocolVersion": version, "capabilities": {},
                                                         "clientInfo": {"name": "tests", "version": "1"}})
        if version:
            self.note("notifications/initialized")

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        status = self.close()
        if kind is None and (status != (0, []) or self.said):
            raise AssertionError(f"it ended with {status} and said {self.said!r}")

    # ---- lines ----

    def asked(self, message):
        """A request or a notification of the server came; the reader holds `changed`."""

    def read(self):
        for line in self.process.stdout:
            with self.changed:
                try:
                    message = json.loads(line)
                except ValueError:
                    self.bad.append(line)
                    message = {}
                if isinstance(message, list):
                    self.batches.append(message)
                elif "method" in message:
                    self.notes.append(message)
                    self.asked(message)
                elif message:
                    self.answers.setdefault(json.dumps(message.get("id")), []).append(message)
                self.changed.notify_all()
        with self.changed:
            self.bad.append(b"end")
            self.changed.notify_all()

    def write(self, line):
        self.process.stdin.write(line if isinstance(line, bytes) else line.encode())
        self.process.stdin.flush()

    def send(self, method, params=None, id=None):
        if id is None:
            self.count += 1
            id = self.count
        message = {"jsonrpc": "2.0", "id": id, "method": method}
        self.write(json.dumps({**message, "params": params} if params is not None else message) + "\n")
        return id

    def note(self, method, params=None):
        self.write(json.dumps({"jsonrpc": "2.0", "method": method, "params": params or {}}) + "\n")

    def wait(self, id, patience=PATIENCE):
        """The next answer with this id; None: there was none."""
        key = json.dumps(id)
        with self.changed:
            self.changed.wait_for(lambda: self.answers.get(key) or b"end" in self.bad, patience)
            return self.answers[key].pop(0) if self.answers.get(key) else None

    def next_batch(self):
        with self.changed:
            self.changed.wait_for(lambda: self.batches or b"end" in self.bad, PATIENCE)
            return self.batches.pop(0) if self.batches else None

    def batch(self, messages):
        """The answers to a batch."""
        self.write(json.dumps(messages) + "\n")
        return self.next_batch()

    # ---- requests ----

    def ask(self, method, params=None):
        return self.wait(self.send(method, params))

    def begin(self, tool, arguments, **meta):
        return self.send("tools/call", {"name": tool, "arguments": arguments, **({"_meta": meta} if meta else {})})

    def call(self, tool, arguments, **meta):
        """The result of a tool."""
        answer = self.wait(self.begin(tool, arguments, **meta)) or {}
        return answer.get("result") or {"error": answer}

    def tool(self, tool, **arguments):
        """Its structured result."""
        result = self.call(tool, arguments)
        return result.get("structuredContent") or {"failed": result}

    # ---- the end ----

    def guests(self):
        return descendants(self.process.pid)

    def close(self):
        """Its exit status, after the client closed the input; and what is left of its processes."""
        below = self.guests()
        try:
            self.process.stdin.close()
        except OSError:
            pass
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        self.reader.join(PATIENCE)
        self.said = self.process.stderr.read()
        wait_for(lambda: not still_there(below))
        self.folder.cleanup()
        return status, still_there(below)

    def kill(self):
        below = self.guests()
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()
        gone = wait_for(lambda: not still_there(below))
        self.folder.cleanup()
        return gone


def texts(result):
    return "\n".join(item["text"] for item in result.get("content", ()) if item["type"] == "text")


def conforms(value, schema, path="result"):
    """What in a value does not have the form of its schema: the part of JSON Schema that the tools use."""
    kinds = schema.get("type")
    kinds = [kinds] if isinstance(kinds, str) else kinds
    names = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer", float: "number",
             type(None): "null"}
    kind = names[type(value)]
    if kinds and kind not in kinds and not (kind == "integer" and "number" in kinds):
        return [f"{path} is {kind}, not {kinds}"]
    wrong = []
    if kind == "object" and "properties" in schema:
        wrong += [f"{path}.{name} is missing" for name in schema.get("required", ()) if name not in value]
        wrong += [f"{path}.{name} is not in the schema" for name in value if name not in schema["properties"]]
        for name in value.keys() & schema["properties"].keys():
            wrong += conforms(value[name], schema["properties"][name], f"{path}.{name}")
    if kind == "array":
        for i, item in enumerate(value):
            wrong += conforms(item, schema.get("items", {}), f"{path}[{i}]")
    return wrong
