# SPDX-License-Identifier: Apache-2.0
"""Things on the host that an attack goes for. They are made for it, so touching them harms nobody,
and afterwards each can tell whether it was touched."""
import ctypes
import os
import secrets
import select
import shutil
import socket
import subprocess
import sys

libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
IPC_CREAT, IPC_RMID, SHM_SIZE = 0o1000, 0, 4096

# Lives on the host with a secret in its memory and its environment, and tells of each signal.
PROCESS = """
import ctypes, os, signal, sys
ctypes.CDLL(None).prctl(1, signal.SIGKILL)
for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
    signal.signal(number, lambda n, frame: os.write(1, b"signal %d\\n" % n))
os.write(1, b"ready\\n")
while True:
    signal.pause()
"""

# Prints the user it has become; shown to the guest as a file that is setuid root.
EUID_SOURCE = '#include <stdio.h>\n#include <unistd.h>\nint main(void)\n{\n' \
              '    printf("euid %d\\n", (int)geteuid());\n}\n'


def compile_c(source, target, *flags):
    """None, or why it could not be built."""
    compiler = shutil.which(os.environ.get("CC", "cc").split()[0]) or shutil.which("gcc")
    if not compiler:
        return "no C compiler on this machine"
    built = subprocess.run([compiler, "-D_GNU_SOURCE", "-O1", "-static", "-w", *flags, "-pthread",
                            "-o", target, source], capture_output=True, text=True)
    return None if built.returncode == 0 else "does not compile:\n" + built.stderr


class Canaries:
    """One set, for one worker of the runner and one user at a time."""

    alive = []

    def __init__(self, folder, uid):
        self.folder, self.uid = folder, uid
        self.listeners, self.process, self.shm_id, self.shm_at, self.mq = {}, None, -1, None, -1
        self.alive.append(self)
        self.token = "CANARY-" + secrets.token_hex(12)
        self.name = "glovebox-" + self.token.lower()
        self.make_files()
        self.make_sockets()
        self.make_memory()
        self.start_process()

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    # ---- making ----

    def write(self, mode, text, *parts):
        with open(self.path(*parts), "w") as f:
            f.write(text)
        os.chmod(self.path(*parts), mode)

    def make_files(self):
        os.mkdir(self.folder, 0o755)
        for name, mode in (("private", 0o700), ("open", 0o777), ("view", 0o755), ("home", 0o700),
                           ("tmp", 0o1777), ("out", 0o700), ("work", 0o700)):
            os.mkdir(self.path(name))
            os.chmod(self.path(name), mode)
        self.write(0o600, self.token + "\n", "private", "secret")
        self.write(0o644, self.token + "\n", "open", "secret")
        self.write(0o666, "untouched\n", "open", "writable")
        self.write(0o644, "untouched\n" * 500, "view", "data")
        self.write(0o644, self.token + "\n", "/dev/shm/" + self.name)
        self.shm_file = "/dev/shm/" + self.name
        self.has_setuid = os.geteuid() == 0 and self.make_setuid()
        for name in ("private", "private/secret", "open", "open/secret", "open/writable", "home",
                     "out", "view", "view/data", "work"):
            os.chown(self.path(name), self.uid, self.uid)
        self.stats = self.stat_files()

    def make_setuid(self):
        with open(self.path("euid.c"), "w") as f:
            f.write(EUID_SOURCE)
        if compile_c(self.path("euid.c"), self.path("view", "euid")):
            return False
        os.chmod(self.path("view", "euid"), 0o4755)
        return True

    def make_sockets(self):
        for name, family, address in (
                ("abstract Unix socket", socket.AF_UNIX, "\0" + self.name),
                ("Unix socket", socket.AF_UNIX, self.path("open", "socket")),
                ("TCP port", socket.AF_INET, ("127.0.0.1", 0))):
            listener = socket.socket(family, socket.SOCK_STREAM)
            listener.bind(address)
            listener.listen()
            listener.setblocking(False)
            self.listeners[name] = listener
        os.chmod(self.path("open", "socket"), 0o777)

    def make_memory(self):
        self.shm_key = secrets.randbits(30) | 1
        self.shm_id = libc.shmget(self.shm_key, SHM_SIZE, IPC_CREAT | 0o666)
        self.shm_at = libc.shmat(self.shm_id, None, 0)
        if self.shm_id < 0 or self.shm_at in (None, ctypes.c_void_p(-1).value):
            raise OSError(ctypes.get_errno(), "shmget")
        ctypes.memmove(self.shm_at, self.token.encode() + b"\0", len(self.token) + 1)
        before = os.umask(0)
        attributes = (ctypes.c_long * 8)(0, 2, 128)  # small: all of a user's count together
        self.mq = libc.mq_open(b"/" + self.name.encode(), os.O_CREAT | os.O_RDWR | os.O_NONBLOCK,
                               0o666, attributes)
        os.umask(before)
        if self.mq < 0 or libc.mq_send(self.mq, self.token.encode(), len(self.token), 1) < 0:
            raise OSError(ctypes.get_errno(), "mq_open")

    def start_process(self):
        drop = {"user": self.uid, "group": self.uid, "extra_groups": []} \
            if os.geteuid() == 0 and self.uid else {}
        self.process = subprocess.Popen(
            [sys.executable if not drop else "/usr/bin/python3", "-I", "-S", "-c", PROCESS],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd="/",
            env={"CANARY_SECRET_TOKEN": self.token}, **drop)
        if self.process.stdout.readline() != b"ready\n":
            raise RuntimeError("the canary process does not start")

    # ---- asking ----

    def environment(self):
        """What the attacks are told, as CANARY_*."""
        return {
            "SECRET": self.path("private", "secret"), "OPEN": self.path("open", "secret"),
            "WRITABLE": self.path("open", "writable"), "CREATE": self.path("open", "created"),
            "FOLDER": self.folder, "VIEW": self.path("view"), "SHM_FILE": self.shm_file,
            "ABSTRACT": self.name, "SOCKET": self.path("open", "socket"),
            "PORT": str(self.listeners["TCP port"].getsockname()[1]),
            "PID": str(self.process.pid), "SHM_KEY": str(self.shm_key), "MQ": "/" + self.name,
            "UID": str(self.uid),
        }

    def stat_files(self):
        found = {}
        for name in ("private", "private/secret", "open/secret", "open/writable", "view",
                     "view/data", self.shm_file):
            st = os.stat(self.path(name))
            found[name] = (st.st_mode, st.st_uid, st.st_gid, st.st_nlink, st.st_size,
                           st.st_mtime_ns)
        return found

    def touched_files(self):
        if os.path.lexists(self.path("open", "created")):
            yield "a file was made outside"
        for name, now in self.stat_files().items():
            if now != self.stats[name]:
                yield "%s was changed: %s, was %s" % (name, now, self.stats[name])
        secret = self.token + "\n"
        for name, text in (("private/secret", secret), ("open/secret", secret),
                           ("open/writable", "untouched\n"), ("view/data", "untouched\n" * 500),
                           (self.shm_file, secret)):
            with open(self.path(name)) as f:
                if f.read() != text:
                    yield "%s has another content" % name
        for name in os.listdir(self.path("tmp")):
            yield "tmp/%s was left behind" % name

    def touched_memory(self):
        for name, listener in self.listeners.items():
            try:
                listener.accept()[0].close()
                yield "somebody connected to the " + name
            except BlockingIOError:
                pass
        if ctypes.string_at(self.shm_at) != self.token.encode():
            yield "the shared memory segment was changed"
        text = ctypes.create_string_buffer(65536)
        size = libc.mq_receive(self.mq, text, len(text), None)
        if size < 0 or text.raw[:size] != self.token.encode():
            yield "the message queue was read"
        libc.mq_send(self.mq, self.token.encode(), len(self.token), 1)
        if libc.mq_receive(self.mq, text, len(text), None) != len(self.token) or \
                libc.mq_receive(self.mq, text, len(text), None) >= 0:
            yield "the message queue was written to"
        libc.mq_send(self.mq, self.token.encode(), len(self.token), 1)

    def touched_process(self):
        if self.process.poll() is not None:
            yield "the host's process died: %s" % self.process.returncode
        elif select.select([self.process.stdout], [], [], 0)[0]:
            yield "the host's process got a " + os.read(self.process.stdout.fileno(), 100).decode()

    def touched(self):
        return [*self.touched_files(), *self.touched_memory(), *self.touched_process()]

    # ---- removing ----

    def close(self):
        """Also of one that was only half made. Its folder goes with the scratch folder."""
        if self not in self.alive:
            return
        self.alive.remove(self)
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
        for listener in self.listeners.values():
            listener.close()
        if self.shm_at:
            libc.shmdt(ctypes.c_void_p(self.shm_at))
        libc.shmctl(self.shm_id, IPC_RMID, None)
        libc.mq_close(self.mq)
        libc.mq_unlink(b"/" + self.name.encode())
        if os.path.exists("/dev/shm/" + self.name):
            os.unlink("/dev/shm/" + self.name)
