# SPDX-License-Identifier: Apache-2.0
"""envd's service process.Process, with real processes."""

import fcntl
import os
import queue
import select
import signal
import socket
import struct
import subprocess
import termios
import threading
import time

import place
from filesystem import resolve
from rpc import Failure, base64_of, binary, field, user_of

SIGNALS = {"SIGNAL_SIGTERM": signal.SIGTERM, 15: signal.SIGTERM, "SIGNAL_SIGKILL": signal.SIGKILL, 9: signal.SIGKILL}
KEPT = 30  # seconds in which the end of a process is still known
CHUNK, WAITING = 32 << 10, 64


def client_is_gone(talk):
    ready, _, _ = select.select([talk.socket], [], [], 0)
    try:
        return bool(ready) and not talk.socket.recv(1, socket.MSG_PEEK)
    except OSError:
        return True


def without_defaults(message):
    return {name: value for name, value in message.items() if value not in (0, "", False, None)}


class Process:
    def __init__(self, config, tag, popen, outputs, tty=None):
        self.config, self.tag, self.popen, self.tty = config, tag, popen, tty
        self.pid, self.subscribers, self.end = popen.pid, [], None
        self.lock, self.killed = threading.Lock(), threading.Event()
        self.readers = [threading.Thread(target=self.read, args=o, daemon=True) for o in outputs]

    def start(self):
        for reader in self.readers:
            reader.start()
        threading.Thread(target=self.wait, daemon=True).start()

    def subscribe(self):
        mine = queue.Queue(WAITING)
        with self.lock:
            self.subscribers.append(mine)
        return mine

    def unsubscribe(self, mine):
        with self.lock:
            self.subscribers.remove(mine)
        while not mine.empty():
            mine.get_nowait()

    def publish(self, event):
        """Waits while a subscriber is slow: the process then waits for its pipe."""
        with self.lock:
            subscribers = list(self.subscribers)
        for one in subscribers:
            while one in self.subscribers:
                try:
                    one.put(event, timeout=0.2)
                    break
                except queue.Full:
                    pass

    def read(self, name, fd):
        while True:
            try:
                data = os.read(fd, CHUNK)
            except OSError:
                data = b""
            if not data:
                return
            self.publish({"data": {name: base64_of(data)}})

    def wait(self):
        for reader in self.readers:
            while reader.is_alive() and not self.killed.is_set():
                reader.join(0.05)
        code = self.popen.wait()
        status = "exit status %d" % code
        if code < 0:
            status = "signal: %s" % signal.strsignal(-code).lower()
        end = {"exitCode": max(code, -1), "exited": code >= 0, "status": status, "error": status if code else None}
        self.end = without_defaults(end)
        self.ended_at = time.monotonic()
        self.publish({"end": self.end})

    def signal(self, number):
        self.killed.set()
        try:
            os.kill(self.pid, number)
        except ProcessLookupError:
            raise Failure("internal", "error sending signal: os: process already finished") from None

    def write(self, data):
        if self.tty is not None:
            raise Failure("internal", "error writing to stdin: tty assigned to process")
        if self.popen.stdin is None or self.popen.stdin.closed:
            raise Failure("internal", "error writing to stdin: stdin not enabled or closed")
        try:
            self.popen.stdin.write(data)
            self.popen.stdin.flush()
        except OSError as error:
            raise Failure("internal", "error writing to stdin: %s" % error) from None

    def close_stdin(self):
        if self.tty is not None:
            raise Failure("unknown", "error closing stdin: cannot close stdin for PTY process")
        if self.popen.stdin:
            self.popen.stdin.close()


class Processes:
    def __init__(self, envs):
        self.envs, self.known, self.lock = envs, {}, threading.Lock()

    def environment(self, user=place.USER, more=()):
        own = {"PATH": place.PATH, "HOME": place.home_of(user), "USER": user, "LOGNAME": user, "E2B_SANDBOX": "true"}
        return {**own, **self.envs(), **dict(more)}

    def find(self, message):
        selector = field(message, "process", dict, {})
        pid, tag = field(selector, "pid", int), field(selector, "tag", str)
        if pid is None and tag is None:
            raise Failure("unimplemented", "invalid input type")
        with self.lock:
            for process in self.known.values():
                if (process.pid == pid or tag is not None and process.tag == tag) and not self.forgotten(process):
                    return process
        what = "pid %d" % pid if pid is not None else "tag " + tag
        raise Failure("not_found", "process with %s not found" % what)

    def forgotten(self, process):
        return process.end is not None and time.monotonic() - process.ended_at > KEPT

    def living(self, message):
        process = self.find(message)
        if process.end is not None:
            raise Failure("not_found", "process with pid %d not found" % process.pid)
        return process

    def spawn(self, message, user):
        config = field(message, "process", dict, {})
        args, envs = field(config, "args", list, []), field(config, "envs", dict, {})
        cwd = resolve(field(config, "cwd", str, ""), user)
        if not os.path.exists(cwd):
            raise Failure("invalid_argument", "cwd '%s' does not exist" % cwd)
        argv = ["/bin/sh", "-c", 'exec "$(command -v nice)" -n 0 "${@}"', "--", field(config, "cmd", str, ""), *args]
        if any("\0" in text for text in [*argv, *envs.values()]):
            raise Failure("invalid_argument", "error starting process: invalid argument")
        pty = field(message, "pty", dict)
        try:
            return (self.with_tty if pty is not None else self.with_pipes)(
                config, message, argv, {"cwd": cwd, "env": self.environment(user, envs), **place.as_user(user)})
        except OSError as error:
            raise Failure("invalid_argument", "error starting process '%s': %s" % (argv[4], error)) from None

    def with_pipes(self, config, message, argv, more):
        stdin = subprocess.PIPE if field(message, "stdin", bool, True) else subprocess.DEVNULL
        popen = subprocess.Popen(argv, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
        outputs = [("stdout", popen.stdout.fileno()), ("stderr", popen.stderr.fileno())]
        return Process(config, field(message, "tag", str), popen, outputs)

    def with_tty(self, config, message, argv, more):
        master, slave = os.openpty()
        resize(master, message)
        popen = subprocess.Popen(argv, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
                                 preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0), **more)
        os.close(slave)
        return Process(config, field(message, "tag", str), popen, [("pty", master)], master)

    # The calls

    def start(self, talk, message):
        deadline = deadline_of(talk)
        process = self.spawn(message, user_of(talk))
        mine = process.subscribe()
        with self.lock:
            self.known[process.pid] = process
        process.start()
        if deadline:
            threading.Thread(target=kill_at, args=(process, deadline), daemon=True).start()
        yield from follow(talk, process, mine, deadline)

    def connect(self, talk, message):
        process = self.find(message)
        mine = process.subscribe()
        if process.end is not None:
            mine.put({"end": process.end})
        yield from follow(talk, process, mine, deadline_of(talk))

    def list(self, talk, message):
        with self.lock:
            living = [p for p in self.known.values() if p.end is None]
        found = [without_defaults({"config": p.config, "pid": p.pid, "tag": p.tag}) for p in living]
        return {"processes": found} if found else {}

    def send_input(self, talk, message):
        process, given = self.living(message), field(message, "input", dict, {})
        if "pty" in given and process.tty is not None:
            os.write(process.tty, binary(given, "pty"))
        elif "stdin" in given:
            process.write(binary(given, "stdin"))
        else:
            raise Failure("unimplemented", "invalid input type")
        return {}

    def close_stdin(self, talk, message):
        self.living(message).close_stdin()
        return {}

    def send_signal(self, talk, message):
        process, name = self.living(message), message.get("signal")
        if name not in SIGNALS:
            raise Failure("unimplemented", "invalid signal: %s" % name)
        process.signal(SIGNALS[name])
        return {}

    def update(self, talk, message):
        process = self.living(message)
        if "pty" in message:
            if process.tty is None:
                raise Failure("internal", "error resizing tty: tty not assigned to process")
            resize(process.tty, message)
        return {}


def resize(tty, message):
    size = field(field(message, "pty", dict, {}), "size", dict, {})
    rows, columns = field(size, "rows", int, 0), field(size, "cols", int, 0)
    fcntl.ioctl(tty, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def deadline_of(talk):
    """Seconds of time.monotonic, or None."""
    text = talk.head.get("connect-timeout-ms")
    if not text:
        return None
    if not text.isdigit() or len(text) > 10:
        raise Failure("invalid_argument", "protocol error: invalid timeout %r" % text)
    return time.monotonic() + int(text) / 1000 if int(text) else None


def kill_at(process, deadline):
    while process.end is None and time.monotonic() < deadline:
        time.sleep(min(0.1, max(0, deadline - time.monotonic())))
    if process.end is None:
        process.signal(signal.SIGKILL)


def follow(talk, process, mine, deadline):
    """Events until the process has ended, its client has gone, or the deadline is met."""
    every = talk.head.get("keepalive-ping-interval", "")
    every = int(every) if every.isdigit() and int(every) else 90
    heard = time.monotonic()
    try:
        yield {"event": {"start": {"pid": process.pid}}}
        while not client_is_gone(talk):
            now = time.monotonic()
            if deadline and now >= deadline:
                raise Failure("deadline_exceeded", "context deadline exceeded")
            try:
                event = mine.get(timeout=0.05)
            except queue.Empty:
                if now - heard >= every:
                    heard = now
                    yield {"event": {"keepalive": {}}}
                continue
            heard = now
            if deadline and "end" in event and time.monotonic() >= deadline:
                raise Failure("deadline_exceeded", "context deadline exceeded")
            yield {"event": event}
            if "end" in event:
                return
    finally:
        process.unsubscribe(mine)
