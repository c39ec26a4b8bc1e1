# SPDX-License-Identifier: Apache-2.0
"""A daemon of the bench's own, ways to ask it, and what it costs the machine."""

import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time

import common
from procs import descendants

PATIENCE = 30  # seconds, for an answer
PAGE = os.sysconf("SC_PAGE_SIZE")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def request(method, path, doc=None):
    body = json.dumps(doc).encode() if doc is not None else b""
    head = "%s %s HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    return (head % (method, path, len(body))).encode() + body


class Accounting:
    """A control group that only counts: the processor time of a daemon and of all it starts. Version 1's
    cpuacct can be had beside the groups that the daemon makes; without it (or root) there is no figure."""

    def __init__(self):
        self.path = None
        with open("/proc/mounts") as f:
            mounts = [line.split() for line in f]
        for _, place, kind, options, *_ in mounts:
            if kind == "cgroup" and "cpuacct" in options.split(",") and "cpu" not in options.split(","):
                path = os.path.join(place, "glovebox-bench-%d-%x" % (os.getpid(), id(self)))
                try:
                    os.mkdir(path)
                    self.path = path
                except OSError:
                    pass

    def enter(self):
        if self.path:
            with open(os.path.join(self.path, "cgroup.procs"), "w") as f:
                f.write("0")

    def cpu_ms(self):
        if not self.path:
            return None
        with open(os.path.join(self.path, "cpuacct.usage")) as f:
            return int(f.read()) / 1e6

    def done(self):
        """Who was killed may still be in it for a moment."""
        def is_gone():
            common.remove_empty(self.path)
            return not os.path.exists(self.path)
        if self.path:
            common.wait_for(is_gone, 5)


class Daemon:
    """`glovebox serve` in a folder of its own until the end of the `with`."""

    def __init__(self, *options, processor=None, tcp=False):
        self.folder = tempfile.mkdtemp(prefix="d-", dir=common.folder)
        self.socket = os.path.join(self.folder, "glovebox.sock")
        self.processor, self.link, self.files = processor, None, 0
        self.accounting = Accounting()
        config = self.write("glovebox.conf", "")
        command = [common.BOX, "serve", "--config", config, "--listen", "unix:" + self.socket,
                   "--log", os.path.join(self.folder, "log.db"), *options]
        if tcp:
            self.port, self.token = free_port(), os.urandom(16).hex()
            tokens = self.write("tokens", self.token + "\n")
            os.chmod(tokens, 0o600)
            command += ["--listen", "127.0.0.1:%d" % self.port, "--token-file", tokens]
        self.said = open(os.path.join(self.folder, "said"), "w+")
        self.process = subprocess.Popen(command, env=common.ENV, stdin=subprocess.DEVNULL, stdout=self.said,
                                        stderr=self.said, cwd=self.folder, preexec_fn=self.prepare)
        if not common.wait_for(lambda: self.process.poll() is not None or "listening" in self.words()) or \
                self.process.poll() is not None:
            raise SystemExit("bench: the daemon did not start: " + self.words())

    def prepare(self):
        self.accounting.enter()
        if self.processor is not None:
            os.sched_setaffinity(0, {self.processor})

    def words(self):
        with open(os.path.join(self.folder, "said")) as f:
            return f.read()

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as f:
            f.write(text if isinstance(text, bytes) else text.encode())
        return path

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.link:
            self.hang_up()
        common.stop(self.process)
        self.said.close()
        self.accounting.done()
        shutil.rmtree(self.folder, True)

    # ---- asking ----

    def ask(self, method, path, doc=None):
        """Status, document, milliseconds; over one connection that stays while it is used."""
        if self.link and time.monotonic() > self.used + 20:
            self.hang_up()
        self.used = time.monotonic()
        if not self.link:
            self.link = socket.socket(socket.AF_UNIX)
            self.link.settimeout(PATIENCE)
            self.link.connect(self.socket)
            self.stream = self.link.makefile("rb")
        text = request(method, path, doc)
        try:
            return self.exchange(text)
        except OSError as e:
            self.hang_up()
            raise SystemExit("bench: no answer to %s %s: %s" % (method, path, e))

    def hang_up(self):
        self.stream.close()
        self.link.close()
        self.link = None

    def exchange(self, text):
        begin = time.perf_counter()
        self.link.sendall(text)
        line = self.stream.readline()
        length = 0
        for header in iter(self.stream.readline, b"\r\n"):
            name, _, value = header.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        body = self.stream.read(length)
        took = (time.perf_counter() - begin) * 1e3
        return int(line.split()[1]), json.loads(body) if body[:1] in (b"{", b"[") else body.decode(), took

    def session(self, **fields):
        status, doc, _ = self.ask("POST", "/v1/sessions", {"language": "python", **fields})
        if status != 201:
            raise SystemExit("bench: no session: %s" % doc)
        return "/v1/sessions/" + doc["id"]

    def cell(self, session, code):
        status, doc, took = self.ask("POST", session + "/exec", {"code": code})
        if status != 200 or not doc["success"]:
            raise SystemExit("bench: a cell failed: %s" % doc)
        return doc, took

    def body(self, path, doc):
        """A request in a file, for bench/clients.c."""
        self.files += 1
        return self.write("request-%d" % self.files, request("POST", path, doc))

    def clients(self, *requests, clients=1, seconds=None, count=None, pause_ms=0):
        """What bench/clients.c says, with `ms`: every latency. All answers have to be results."""
        command = [common.program("bench/clients"), "-c", str(clients), "-p", str(pause_ms)]
        command += ["-t", str(seconds)] if seconds else ["-n", str(count)]
        said = subprocess.run(command + [self.socket, *requests], check=True, stdout=subprocess.PIPE).stdout
        answer = json.loads(said)
        answer["ms"] = [us / 1e3 for us in answer.pop("us")]
        return answer

    def runs(self, *requests, **how):
        """As clients(), where each answer has to be the result of a run that went well."""
        answer = self.clients(*requests, **how)
        if answer["dropped"] or set(answer["statuses"]) - {"200"} or answer["succeeded"] != len(answer["ms"]):
            raise SystemExit("bench: runs failed: %s" % {k: v for k, v in answer.items() if k != "ms"})
        return answer

    def warm_up(self, *requests):
        """Until what is asked for comes out of the pool."""
        def ready():
            before = self.figures()
            self.runs(*requests, count=5, pause_ms=20)
            after = self.figures()
            name = 'pool_starts_total{from="nothing"}'
            return after.get("pool_ready", 0) and after[name] == before[name]
        common.wait_for(ready, 10)

    # ---- what it costs ----

    def figures(self):
        """/metrics, without the prefix of its names."""
        _, text, _ = self.ask("GET", "/metrics")
        return {name: float(value) for name, value in re.findall(r"^glovebox_(\S+) (\S+)$", text, re.M)}

    def own_cpu_ms(self):
        return common.cpu_ms(self.process.pid)

    def resident(self):
        with open("/proc/%d/statm" % self.process.pid) as f:
            return int(f.read().split()[1]) * PAGE

    def descriptors(self):
        return len(os.listdir("/proc/%d/fd" % self.process.pid))

    def descendants(self):
        return descendants(self.process.pid)
