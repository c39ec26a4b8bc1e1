# SPDX-License-Identifier: Apache-2.0
"""A daemon of its own for a test, and ways to talk to it."""

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile

from procs import descendants, named, wait_for

HERE = os.path.dirname(os.path.abspath(__file__))
GLOVEBOX = os.environ.get("GLOVEBOX") or os.path.join(HERE, "..", "..", "build", "glovebox")
GLOVEBOX = os.path.abspath(GLOVEBOX)
TOKEN = "a-token-of-the-tests-0123456789"
PATIENCE = 60  # seconds, for anything that should take far less


class Unix(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=PATIENCE)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(PATIENCE)
        self.sock.connect(self.path)


# A guest that can be told from the jails that only wait: it gives its process a name.
MARK = "gbt%d" % os.getpid()
SLEEP = ("import ctypes, time; ctypes.CDLL(None).prctl(15, b'" + MARK +
         "', 0, 0, 0); time.sleep(%s); print('slept')")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def lines(self):
        return [json.loads(line) for line in self.body.splitlines()]

    @property
    def message(self):
        try:
            return self.json["error"]["message"]
        except (ValueError, KeyError, TypeError):
            return "no error: %r" % self.body[:200]

    def __repr__(self):
        return "%d %r" % (self.status, self.body[:300])


class Daemon:
    """Runs `glovebox serve` in a folder of its own until the end of the `with`."""

    def __init__(self, *options, config="", tcp=False, tokens=TOKEN, listen=True, env=None):
        self.folder = tempfile.mkdtemp(prefix="glovebox-http-")
        self.socket = os.path.join(self.folder, "g.sock")
        self.log = os.path.join(self.folder, "log.db")
        self.config = os.path.join(self.folder, "glovebox.conf")
        self.tokens = os.path.join(self.folder, "tokens")
        self.write(self.config, config)
        self.write(self.tokens, tokens + "\n")
        os.chmod(self.tokens, 0o600)
        self.command = [GLOVEBOX, "serve", "--config", self.config]
        if "--log" not in options:
            self.command += ["--log", self.log]
        if listen:
            self.command += ["--listen", "unix:" + self.socket]
        self.port = free_port() if tcp else None
        if tcp:
            self.command += ["--listen", "127.0.0.1:%d" % self.port, "--token-file", self.tokens]
        self.command += options
        self.env = dict(os.environ, HOME=self.folder, XDG_DATA_HOME=self.folder, **(env or {}))
        self.env.pop("XDG_RUNTIME_DIR", None)
        self.process = None

    @staticmethod
    def write(path, text):
        with open(path, "w") as f:
            f.write(text)

    def start(self, **how):
        self.said = open(os.path.join(self.folder, "said"), "w+")
        self.process = subprocess.Popen(
            self.command, env=self.env, stderr=self.said, stdin=subprocess.DEVNULL,
            stdout=self.said, cwd=self.folder, **how)
        wait_for(lambda: self.process.poll() is not None or "listening" in self.words())
        return self

    def words(self):
        with open(os.path.join(self.folder, "said")) as f:
            return f.read()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if self.process:
            self.said.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def pid(self):
        return self.process.pid

    def ended(self, seconds=PATIENCE):
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def connection(self, tcp=False):
        if tcp:
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        return Unix(self.socket)

    def begin(self, method, path, body=None, headers=None, tcp=False, lines=False):
        """A connection whose request is sent, and its answer's head."""
        headers = dict(headers or {})
        if tcp and "Authorization" not in headers:
            headers["Authorization"] = "Bearer " + TOKEN
        if lines:
            headers["Accept"] = "application/x-ndjson"
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
            headers.setdefault("Content-Type", "application/json")
        c = self.connection(tcp)
        c.request(method, path, body, headers)
        return c

    def call(self, *request, **how):
        c = self.begin(*request, **how)
        try:
            r = c.getresponse()
            return Answer(r.status, r.headers, r.read())
        finally:
            c.close()

    def get(self, path, **how):
        return self.call("GET", path, **how)

    def post(self, path, body=None, **how):
        return self.call("POST", path, {} if body is None else body, **how)

    def run(self, code, **fields):
        return self.post("/v1/run", dict(fields, code=code))

    def raw(self, tcp=False):
        s = socket.socket(socket.AF_INET if tcp else socket.AF_UNIX)
        s.settimeout(PATIENCE)
        s.connect(("127.0.0.1", self.port) if tcp else self.socket)
        return s

    def say(self, data, end=False, tcp=False):
        """Raw bytes, and all that comes back until the daemon closes (or goes silent), which it may do before it
        has read them."""
        with self.raw(tcp) as s:
            try:
                s.sendall(data)
                if end:
                    s.shutdown(socket.SHUT_WR)
            except (BrokenPipeError, ConnectionResetError):
                pass
            return read_all(s)

    def figure(self, name):
        for line in self.get("/metrics").body.decode().splitlines():
            if line.startswith(name + " "):
                return float(line.split()[-1])
        return None

    def sleep(self, seconds, tcp=False, **fields):
        """A connection on which a program sleeps."""
        body = dict(fields, code=SLEEP % seconds, no_check=True)
        return self.begin("POST", "/v1/run", body, tcp=tcp)

    def guests(self):
        """{(pid, start)} of the programs that do."""
        return named(self.pid, MARK)

    def children(self):
        return descendants(self.pid)


def read_all(s, seconds=PATIENCE):
    s.settimeout(seconds)
    data = b""
    try:
        while True:
            more = s.recv(65536)
            if not more:
                return data
            data += more
    except (TimeoutError, ConnectionError):
        return data


def statuses(data):
    """The status of each answer in a connection's bytes."""
    found, rest = [], data
    while rest.startswith(b"HTTP/1.1 "):
        head, _, rest = rest.partition(b"\r\n\r\n")
        found.append(int(head.split()[1]))
        for line in head.lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                rest = rest[int(line.split(b":")[1]):]
    return found
