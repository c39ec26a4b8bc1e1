# SPDX-License-Identifier: Apache-2.0
"""A client of the daemon's /mcp, and a daemon for it."""

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading

from client import GLOVEBOX, META, MODERN, NEWEST_OLD, PATIENCE, environment, modern
from procs import named, wait_for

TOKENS = {"ann": "the-token-of-ann-0123456789", "bob": "the-token-of-bob-0123456789"}
BOTH = "application/json, text/event-stream"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Daemon:
    """`glovebox serve` with two tokens, until the end of the `with`."""

    def __init__(self, *options, program=GLOVEBOX, log="off", place=None):
        self.folder = tempfile.mkdtemp(prefix="gbmcp-")
        self.socket, self.port = place or os.path.join(self.folder, "s"), free_port()
        tokens = os.path.join(self.folder, "tokens")
        with open(tokens, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as f:
            f.writelines(f"{name} {token}\n" for name, token in TOKENS.items())
        self.process = subprocess.Popen(
            [program, "serve", "--log", log, "--listen", f"127.0.0.1:{self.port}", "--listen", "unix:" + self.socket,
             "--token-file", tokens, *options], env=environment(self.folder), cwd=self.folder, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        while b"listening on unix" not in self.process.stderr.readline():
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for _ in range(2):
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stderr.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}/mcp"

    def get(self, path):
        """What the daemon's own user reads there."""
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(self.socket)
            s.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            answer = http.client.HTTPResponse(s)
            answer.begin()
            return answer.read().decode()

    def status(self):
        return json.loads(self.get("/v1/status"))

    def runs(self, mark):
        """Whether a guest with this name is there."""
        return bool(named(self.process.pid, mark))

    def ends(self, mark):
        return wait_for(lambda: not self.runs(mark))


class Stream:
    """The events of an answer: (id, message)."""

    def __init__(self, answer):
        self.answer = answer

    def __iter__(self):
        fields = {}
        for line in self.answer:
            line = line.decode().rstrip("\n")
            if line.startswith(":"):
                continue
            if line:
                name, value = line.split(":", 1)
                fields[name] = value[1:]
            elif fields:
                yield fields.get("id"), json.loads(fields["data"]) if fields["data"] else None
                fields = {}


class Answer:
    def __init__(self, answer):
        self.status, self.headers = answer.status, answer.headers
        self.type = answer.headers.get("content-type")
        if self.type == "text/event-stream":
            self.events = list(Stream(answer))
            self.messages = [message for _, message in self.events if message]
        else:
            text = answer.read()
            self.messages = [json.loads(text)] if text else []

    @property
    def last(self):
        return self.messages[-1] if self.messages else {}

    @property
    def code(self):
        return self.last.get("error", {}).get("code")


class HttpClient:
    def __init__(self, daemon, name="ann", version=NEWEST_OLD):
        self.daemon, self.token, self.count, self.session, self.version = daemon, TOKENS.get(name), 0, None, version
        if version and version != MODERN:
            begun = self.ask("initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})
            self.session, self.hello = begun.headers["mcp-session-id"], begun.last
            self.note("notifications/initialized")

    def headers(self, more):
        own = {"Accept": BOTH, "Content-Type": "application/json", "Authorization": self.token and "Bearer " + self.token,
               "Mcp-Session-Id": self.session, "MCP-Protocol-Version": self.session and self.version}
        return {name: value for name, value in {**own, **more}.items() if value is not None}

    def open(self, method="POST", body=None, **more):
        """A connection whose request was sent."""
        connection = http.client.HTTPConnection("127.0.0.1", self.daemon.port, timeout=PATIENCE)
        named = {name.replace("_", "-"): value for name, value in more.items()}
        connection.request(method, "/mcp", body if body is None or isinstance(body, bytes) else json.dumps(body), self.headers(named))
        return connection

    def send(self, method="POST", body=None, **more):
        connection = self.open(method, body, **more)
        try:
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def message(self, method, params=None, id=None):
        self.count += 1
        return {"jsonrpc": "2.0", "id": self.count if id is None else id, "method": method, **({} if params is None else {"params": params})}

    def modern_headers(self, method, params):
        name = params.get("name") or params.get("uri")
        return {"MCP_Protocol_Version": MODERN, "Mcp_Method": method, **({"Mcp_Name": name} if name else {})}

    def ask(self, method, params=None, id=None, **more):
        if self.version == MODERN:
            more = {**self.modern_headers(method, params or {}), **more}
            params = modern(params)
        return self.send(body=self.message(method, params, id), **more)

    def note(self, method, params=None, **more):
        return self.send(body={"jsonrpc": "2.0", "method": method, "params": params or {}}, **more)

    def call(self, tool, arguments, id=None, **meta):
        params = {"name": tool, "arguments": arguments, **({"_meta": meta} if meta else {})}
        return self.ask("tools/call", params, id)

    def tool(self, tool, **arguments):
        last = self.call(tool, arguments).last
        return last.get("result", {}).get("structuredContent") or {"failed": last}


def together(work, count):
    """The results of work(0), work(1), ... in threads."""
    results = [None] * count

    def one(n):
        results[n] = work(n)

    threads = [threading.Thread(target=one, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    return results


__all__ = ["BOTH", "META", "MODERN", "TOKENS", "Answer", "Daemon", "HttpClient", "Stream", "together"]
