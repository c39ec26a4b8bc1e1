# SPDX-License-Identifier: Apache-2.0
# Rich results of a plain program: the end of the text that begins with cells_charts.py, cells_rich.py and
# cells_hooks.py. rich_begin.py executes it once a program is about to show something. Bundles go into the
# host's pipe as frames "display 0 LENGTH\n" and the BUNDLE as JSON, or "value" (src/backends/backends/cell_wire.h).
import sys
from _thread import RLock
from json import dumps
from posix import getpid, write
from time import monotonic, sleep

RICH_RUN_LIMITS = {"bundle": 8 << 20, "text": 100000}
RICH_PATIENCE = 2  # seconds


class RichPipe:
    def __init__(self, fd, there, process):
        self.fd, self.there, self.process = fd, there, process
        self.lock, self.writing = RLock(), False
        self.out = memoryview(b""), []

    # A child's copy of this process must not write among its parent's frames, and no process must write into a file
    # that the program has opened under the pipe's number.
    def is_open(self):
        return getpid() == self.process and is_ours(self.fd, self.there)

    # A signal handler may raise in the middle of a frame, whose rest then comes before the next one; or show
    # something itself, which would be within that frame and is dropped. The call that writes also counts the
    # bytes: an exception can come between any two steps.
    def put(self, frame):
        with self.lock:
            if self.writing:
                return
            try:
                self.writing = True
                if self.is_open():
                    data, counts = self.out
                    data, counts = self.out = memoryview(bytes(data[sum(counts):]) + frame), []
                    while sum(counts) < len(data):
                        counts.extend(map(write, (self.fd,), (data[sum(counts):],)))
            except OSError:  # the reader has gone
                self.out = memoryview(b""), []
            finally:
                self.writing = False

    # Later output must come later, also for the host, which reads the output before it takes a frame.
    def wait(self):
        try:
            from fcntl import ioctl
            from termios import FIONREAD
            until, pause = monotonic() + RICH_PATIENCE, 0.00002
            while self.is_open() and any(ioctl(self.fd, FIONREAD, bytes(4))) and monotonic() < until:
                sleep(pause)
                pause = min(2 * pause, 0.002)
        except (ImportError, OSError):
            pass

    def send(self, made, kind=b"display"):
        if not self.is_open():
            return
        try:
            sys.stdout.flush()  # earlier output must come first
        except Exception:
            pass
        text = dumps(made).encode()
        self.put(b"%s 0 %d\n%s" % (kind, len(text), text))
        self.wait()


# The value of the program's last expression: as it looks, and as JSON if it is plain.
def rich_value(value):
    made = bundle(value, "value", RICH_RUN_LIMITS)
    if made is not None:
        rich_state["emit"](made)
    try:
        plain = rich_json(value, [RICH_JSON_NODES], True)
        if '"$type"' not in dumps(plain):
            rich_state["emit"](plain, b"value")
    except ValueError:  # JSON has no such value
        pass


def rich_begin(fd, there, process):
    install(RichPipe(fd, there, process).send, RICH_RUN_LIMITS, ending=True)
