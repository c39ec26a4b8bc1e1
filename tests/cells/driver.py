# SPDX-License-Identifier: Apache-2.0
"""A session's guest as the host sees it: a process with frames (src/backends/backends/cell_wire.h) on its descriptors
3 and 4, and its output on pipes.

    guest = Guest([python, "-S", "-c", boot], program=text)
    guest.hello(tools=[{"name": "add"}])
    cell = guest.run("print(1); add(1, 2)", tools={"add": lambda args, kwargs: args[0] + args[1]})
    cell.out, cell.err, cell.ok, cell.value, cell.results, cell.displays, cell.exception, cell.calls, cell.done
    guest.close()

Whatever waits has a deadline (`timeout`), and raises Late or Gone.
"""

import fcntl
import json
import os
import select
import signal
import sys
import time

from procs import settle

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIMITS = {"value": 1 << 20, "variables": 2 << 20, "bundle": 4 << 20, "bundles": 50, "text": 100000, "call": 1 << 20}
MOST = 64 << 20
BUSY_TICKS = 15
# What started us may have left descriptors open that are not for guests.
for number in os.listdir("/proc/self/fd"):
    if int(number) > 2 and os.path.exists("/proc/self/fd/" + number):
        os.set_inheritable(int(number), False)


class Late(Exception):
    pass


class Gone(Exception):
    pass


def source(*names):
    """The text of files in src/wall/guests/, one after the other."""
    parts = []
    for name in names:
        with open(os.path.join(ROOT, "src/wall/guests", name), "rb") as f:
            parts.append(f.read())
    return b"".join(parts)


class Cell:
    """What came of a cell. `done` is the frame's own JSON; its keys are attributes too."""

    def __init__(self):
        self.out = self.err = ""
        self.displays, self.calls, self.done = [], [], None

    def __getattr__(self, name):
        try:
            return self.__dict__["done"][name]
        except (KeyError, TypeError):
            raise AttributeError(name) from None

    def __repr__(self):
        return "Cell(%r, out=%r, err=%r, displays=%r)" % (self.done, self.out, self.err, self.displays)


class Guest:
    def __init__(self, argv, program=None, env=None, cwd=None, timeout=60, stdin="/dev/null"):
        self.timeout, self.number, self.pending, self.status = timeout, 0, b"", None
        self.frames, self.ready = [], None
        self.text = {1: bytearray(), 2: bytearray()}
        self._start(argv, dict(os.environ) if env is None else env, cwd, stdin)
        if program is not None:
            self.send("program", 0, program)

    # ---- the process ----

    def _start(self, argv, env, cwd, stdin):
        def pair():
            ends = os.pipe()
            high = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 20) for end in ends]
            for end in ends:
                os.close(end)
            return high

        (to_in, self.to), (self.back, back_out) = pair(), pair()
        (out_in, out_out), (err_in, err_out) = pair(), pair()
        null = os.open(stdin, os.O_RDONLY | os.O_CLOEXEC)
        actions = [(os.POSIX_SPAWN_DUP2, fd, number)
                   for number, fd in ((0, null), (1, out_out), (2, err_out), (3, to_in), (4, back_out))]
        before = os.getcwd()
        if cwd:
            os.chdir(cwd)
        try:
            self.pid = os.posix_spawnp(argv[0], argv, env, file_actions=actions,
                                       setsigdef=[signal.SIGINT, signal.SIGPIPE])
        finally:
            os.chdir(before)
            for fd in (null, out_out, err_out, to_in, back_out):
                os.close(fd)
        self.outputs = {out_in: 1, err_in: 2}
        for fd in (self.back, out_in, err_in, self.to):
            os.set_blocking(fd, False)

    def interrupt(self):
        os.kill(self.pid, signal.SIGINT)

    def alive(self):
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = status
        return self.status is None

    def settle(self):
        """Waits until it is in the midst of what it was told: it sleeps, with all that it started, or has been busy
        for a while."""
        if not settle(self.pid, self.timeout, BUSY_TICKS):
            raise Late("the guest does not settle")

    def wait(self, timeout=None):
        """Its wait status, once it has ended."""
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        while self.alive():
            if time.monotonic() > deadline:
                raise Late("the guest did not end")
            time.sleep(0.001)
        return self.status

    def close(self, timeout=2):
        """End of file, and after a while the end."""
        for fd in (self.to, self.back, *self.outputs):
            if fd >= 0:
                os.close(fd)
        self.to = self.back = -1
        self.outputs = {}
        try:
            self.wait(timeout)
        except Late:
            os.kill(self.pid, signal.SIGKILL)
            self.wait(10)
        return self.status

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close(0.2)

    # ---- frames ----

    def send(self, kind, number, data=b""):
        if not isinstance(data, (bytes, str)):
            data = json.dumps(data)
        if isinstance(data, str):
            data = data.encode()
        self.send_bytes(b"%s %d %d\n%s" % (kind.encode(), number, len(data), data))

    def send_bytes(self, data):
        """As it is; what comes back meanwhile is kept."""
        deadline, data = time.monotonic() + self.timeout, memoryview(data)
        while data:
            try:
                data = data[os.write(self.to, data):]
            except BlockingIOError:
                self._pump(deadline, self.to)
            except BrokenPipeError:
                raise Gone("the guest has closed its end") from None

    def _pump(self, deadline, writable=None):
        """Waits until something can be read (or written), and reads all there is."""
        poll = select.poll()
        for fd in (self.back, *self.outputs):
            poll.register(fd, select.POLLIN)
        if writable is not None:
            poll.register(writable, select.POLLOUT)
        ready = poll.poll(max(0, deadline - time.monotonic()) * 1000)
        if not ready:
            raise Late("no word from the guest; it wrote %r, %r" % (bytes(self.text[1]), bytes(self.text[2])))
        self.drain()
        if any(fd == self.back for fd, _ in ready):
            self._read_frames()

    def drain(self):
        """Output that lies in the pipes."""
        for fd, number in list(self.outputs.items()):
            while True:
                try:
                    data = os.read(fd, 65536)
                except BlockingIOError:
                    break
                if not data:
                    os.close(fd)
                    del self.outputs[fd]
                    break
                self.text[number] += data

    def _read_frames(self):
        ended = False
        while True:
            try:
                data = os.read(self.back, 1 << 20)
            except BlockingIOError:
                break
            if not data:
                ended = True
                break
            self.pending += data
        while True:
            head, line, rest = self.pending.partition(b"\n")
            if not line:
                break
            kind, number, size = head.split(b" ")
            if not kind.isalpha() or int(size) > MOST:
                raise Gone("frames make no sense: %r" % head)
            if len(rest) < int(size):
                break
            self.frames.append((kind.decode(), int(number), rest[:int(size)]))
            self.pending = rest[int(size):]
        if ended and not self.frames:
            raise Gone("the guest has closed its pipe; it wrote %r, %r" % (bytes(self.text[1]), bytes(self.text[2])))

    def receive(self, timeout=None):
        """(kind, number, what the JSON says)."""
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        while not self.frames:
            self._pump(deadline)
        kind, number, data = self.frames.pop(0)
        return kind, number, json.loads(data)

    def expect(self, kind, number, timeout=None):
        got = self.receive(timeout)
        if got[:2] != (kind, number):
            raise Gone("%s %d was expected, %r came" % (kind, number, got))
        return got[2]

    # ---- what hosts do ----

    def hello(self, **options):
        message = {"value": "notebook", "tools": [], "final_answer": False, "preload": [], "source": "", "env": {},
                   "limits": LIMITS}
        message.update(options)
        self.send("hello", 0, message)
        self.ready = self.expect("ready", 0)
        return self.ready

    def begin(self, text, stdin=None):
        """Sends a cell; finish() is what comes of it."""
        self.number += 1
        self.drain()
        for kept in self.text.values():
            kept.clear()
        if stdin is not None:
            self.send("stdin", self.number, stdin)
        self.send("exec", self.number, text)
        return self.number

    def finish(self, number=None, tools=None, timeout=None):
        """Answers calls by `tools` ({name: function of (args, kwargs)}) until the cell is done."""
        cell = Cell()
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        while cell.done is None:
            kind, of, message = self.receive(max(0, deadline - time.monotonic()))
            if kind == "call":
                cell.calls.append(message)
                self.answer(of, message, tools or {})
            elif kind == "display":
                cell.displays.append(message)
            elif (kind, of) == ("done", self.number if number is None else number):
                cell.done = message
            else:
                raise Gone("not expected: %s %d %r" % (kind, of, message))
        self.drain()
        cell.out, cell.err = (self.text[n].decode("utf-8", "backslashreplace") for n in (1, 2))
        return cell

    def answer(self, number, message, tools):
        try:
            said = {"ok": tools[message["name"]](message["args"], message["kwargs"])}
        except Exception as e:
            said = {"error": {"type": type(e).__name__, "message": str(e)}}
        self.send("answer", number, said)

    def run(self, text, stdin=None, tools=None, timeout=None):
        self.begin(text, stdin)
        return self.finish(None, tools, timeout)

    def _ask(self, kind, message):
        self.number += 1
        self.send(kind, self.number, message)
        return self.expect("done", self.number)

    def change_tools(self, **change):
        return self._ask("tools", change)

    def set(self, values):
        return self._ask("set", values)

    def get(self, *names):
        return self._ask("get", {"names": list(names)})


def tool(name, *parameters, **more):
    """A tool as the host describes it; of a parameter that is a text only the name is known."""
    rows = [{"kind": "positional_or_keyword", **({"name": p, "optional": True} if isinstance(p, str) else p)}
            for p in parameters]
    return {"name": name, "description": None, "parameters": rows, "returns": None, **more}


def interpreters(found, variable):
    """Those of the environment variable (separated by colons), or the ones given that are there."""
    named = os.environ.get(variable)
    return named.split(":") if named else [path for path in found if os.access(path, os.X_OK)]


if __name__ == "__main__":
    print(__doc__.rstrip())
    sys.exit(2)
