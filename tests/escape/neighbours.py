# SPDX-License-Identifier: Apache-2.0
"""Two other jails of the same user that live while the attacks run: one with every layer, one
without a private root, whose files lie in a folder on the host. Each holds a secret that no attack
may read, and notes what is done to it."""
import os
import secrets
import subprocess

GUEST = r"""
import ctypes, os, secrets, signal, socket, sys
token, name = os.environ["TOKEN"], os.environ["NAME"]
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
got = []
for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
    signal.signal(number, lambda n, frame: got.append("signal %d" % n))
paths = ["secret", os.environ["TMPDIR"] + "/secret"] + ["/dev/shm/secret"] * os.path.isdir("/box")
for path in paths:
    with open(path, "w") as f:
        f.write(token)
try:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("\0" + name)
    listener.listen()
    listener.setblocking(False)
except OSError:  # without a private root there are none
    listener = None
segment = libc.shmget(int(os.environ["SHM_KEY"]), 4096, 0o1666)
memory = libc.shmat(segment, None, 0) if segment >= 0 else None  # a container's filter may refuse it
if memory in (None, ctypes.c_void_p(-1).value):
    memory = None
else:
    ctypes.memmove(memory, token.encode() + b"\0", len(token) + 1)
os.umask(0)
queue = libc.mq_open(b"/" + name.encode(), os.O_CREAT | os.O_RDWR | os.O_NONBLOCK, 0o666, None)
if queue >= 0:  # Landlock refuses them
    libc.mq_send(queue, token.encode(), len(token), 1)
before = sorted(os.listdir("."))
print("ready", flush=True)
sys.stdin.read()
try:
    if listener and listener.accept():
        got.append("a connection")
except BlockingIOError:
    pass
if any(open(path).read() != token for path in paths) or sorted(os.listdir(".")) != before:
    got.append("a change of its files")
if memory and ctypes.string_at(memory) != token.encode():
    got.append("a change of its memory")
if queue >= 0 and libc.mq_receive(queue, bytes(65536), 65536, None) != len(token):
    got.append("a change of its queue")
if segment >= 0:
    libc.shmctl(segment, 0, None)
libc.mq_unlink(b"/" + name.encode())
print("; ".join(got) or "UNTOUCHED", flush=True)
"""


class Neighbour:
    options, kind = (), ""

    def __init__(self, start, without):
        """start(arguments, **popen) starts glovebox as the user that the attacks run as."""
        self.kind += "without a %s " % without if without else ""
        self.token = "CANARY-" + secrets.token_hex(12)
        self.shm_key = secrets.randbits(30) | 1
        self.name = "neighbour-" + secrets.token_hex(6)
        options = [*self.options, *(["--without", without, "--allow-unsafe"] if without else [])]
        self.process = start(
            ["run", "--quiet", "--log", "off", "--timeout", "1h", "--lang", "python", *options,
             "--env", "TOKEN=" + self.token, "--env", "NAME=" + self.name,
             "--env", "SHM_KEY=%d" % self.shm_key, "-c", GUEST],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if self.process.stdout.readline() != b"ready\n":
            self.process.kill()
            self.process.wait()
            raise RuntimeError("the neighbour without %s does not start" % (without or "nothing"))
        self.pid = self.find_pid()

    def find_pid(self):
        """The guest's first process, as the host numbers it: the deepest descendant."""
        pid = self.process.pid
        while True:
            with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
                children = f.read().split()
            if not children:
                return pid
            pid = int(children[0])

    def environment(self, prefix):
        return {prefix + "_PID": str(self.pid), prefix + "_SHM_KEY": str(self.shm_key),
                prefix + "_NAME": self.name}

    def close(self):
        """None, or what was done to it."""
        try:
            self.process.stdin.close()
            said = self.process.stdout.read().decode().strip()
            self.process.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            said = "it did not end"
        return None if said == "UNTOUCHED" else said or "it was killed"
