# SPDX-License-Identifier: Apache-2.0
# The process around a session's cells: packages, streams, the event loop, __main__. Follows packages.py in the
# text that runs inside the wall.
import builtins
import gc
import posix
from io import open as open_stream
from posix import O_RDONLY, lseek, open as open_fd

# The program needs something that site would set up without an import.
SITE = (b"site", b"sys.path", b"prefix", b"pkgutil", b"metadata", b"help(", b"copyright", b"credits", b"license",
        b"multiprocessing", b"concurrent")

# ---- what cells print and read ----

class Streams:
    def __init__(self):
        self.like = [(getattr(s, "encoding", None), getattr(s, "errors", None)) for s in (sys.stdout, sys.stderr)]
        self.out = self.err = self.input = self.fflush = None
        self.has_input = False

    def begin(self):
        self.out_fd, self.err_fd = move_high(1, 3), move_high(2, 4)
        null = open_fd("/dev/null", O_RDONLY)
        self.null = move_high(null, 5)
        close(null)
        dup2(self.null, 0)
        self.prepare(None)

    def end(self):
        for fd in (self.out_fd, self.err_fd, self.null):
            close(fd)

    # Complete lines are written at once, so that the host receives them.
    def open(self, number):
        encoding, errors = self.like[number]
        stream = open_stream(number + 1, "w", 1, encoding or "utf-8", errors or "backslashreplace", None, False)
        stream.buffer.raw.name = ("<stdout>", "<stderr>")[number]
        return stream

    # Each cell begins with working streams, whatever the previous cell did.
    def prepare(self, data):
        dup2(self.null, 0)
        dup2(self.out_fd, 1)
        dup2(self.err_fd, 2)
        self.make(data)

    def make(self, data):
        if not works(self.out):
            self.out = self.open(0)
        if not works(self.err):
            self.err = self.open(1)
        sys.stdout = sys.__stdout__ = self.out
        sys.stderr = sys.__stderr__ = self.err
        if data or self.has_input or not works(self.input):
            self.give_input(data)
        sys.stdin = sys.__stdin__ = self.input

    # A memory file, so that child processes and open(0) find the input as well.
    def give_input(self, data):
        self.has_input = bool(data)
        if data:
            fd, left = memory_file(), memoryview(data)
            while left:
                left = left[write(fd, left):]
            lseek(fd, 0, 0)
            dup2(fd, 0)
            close(fd)
        self.input = open_stream(0, "r", -1, "utf-8", "surrogateescape", None, False)
        self.input.buffer.raw.name = "<stdin>"

    # In a fork of the session: gives 1 and 2 their original files back, which a cell could have changed.
    def reopen(self):
        dup2(1, self.out_fd, False)
        dup2(2, self.err_fd, False)

    def flush(self):
        for stream in (sys.stdout, sys.stderr, self.out, self.err):
            try:
                stream.flush()
            except Exception:
                pass
        if "ctypes" in modules:  # output of C libraries
            try:
                if self.fflush is None:
                    self.fflush = modules["ctypes"].CDLL(None).fflush
                self.fflush(None)
            except Exception:
                pass


def memory_file():
    try:
        from posix import memfd_create
        return memfd_create("stdin")
    except (ImportError, OSError):
        from posix import O_RDWR, O_TMPFILE
        return open_fd("/tmp", O_RDWR | O_TMPFILE)


def works(stream):
    try:
        return stream is not None and not stream.closed
    except Exception:
        return False


# ---- the program's own ways to hear of exceptions ----

def say(text):
    try:
        sys.stderr.write(text)
    except Exception:
        write(2, text.encode("utf-8", "backslashreplace"))


# The content of the list, at a line of a cell: the interpreter reports that line if it was never awaited or closed.
def let_go(held, name, line):
    exec(compile("\n" * (line - 1) + "let_go()", name, "exec", 0, True),
         {"__name__": "__main__", "let_go": held.clear})


def let_last_exception_go():
    held = [getattr(sys, "last_value", None)]
    for name in LAST_EXCEPTION:
        setattr(sys, name, None)
    try:
        cell, line, *_ = place_of(held[0], {})
        let_go(held, "<cell %d>" % cell, line)
    except Exception:  # there was none, or none in a cell
        pass


# PyErr_Print. The default hook would not know the lines of cells.
def show_exception(e, text):
    kind, tb = type(e), e.__traceback__
    let_last_exception_go()
    sys.last_type, sys.last_value, sys.last_traceback = kind, e, tb
    if VERSION >= (3, 12):
        sys.last_exc = e
    hook = getattr(sys, "excepthook", None)
    if hook is PLAIN_HOOK or getattr(hook, "__module__", None) == "apport_python_hook":
        return say(text)
    try:
        if hook is None:
            return say("sys.excepthook is missing\n" + text)
        hook(kind, e, tb)
    except Exception as other:
        clean_exception(other)
        say("Error in sys.excepthook:\n%s\nOriginal exception was:\n%s" % (exception_text(other, {}), text))


# For threads: before 3.13 the interpreter shows their exceptions without the lines of cells.
def show_thread_exception(args):
    if args.exc_type is SystemExit or sys.stderr is None:
        return
    name = getattr(args.thread, "name", None)
    clean_exception(args.exc_value)
    say("Exception in thread %s:\n%s" % (name, exception_text(args.exc_value, {})))


def hook_threads(threading):
    if VERSION < (3, 13):
        threading.excepthook = threading.__excepthook__ = show_thread_exception


PLAIN_HOOK, VERSION = sys.excepthook, tuple(sys.version_info[:3])
LAST_EXCEPTION = ("last_value", "last_traceback") + (("last_exc",) if VERSION >= (3, 12) else ())


# ---- the event loop ----

# One event loop for the session: tasks that a cell leaves continue when a later cell waits.
class Loop:
    def __init__(self):
        self.loop = None

    def current(self):
        import asyncio
        import warnings
        if self.loop is None or self.loop.is_closed():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    self.loop = asyncio.get_event_loop()
                except RuntimeError:
                    self.loop = None
            if self.loop is None or self.loop.is_closed():
                self.loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self.loop)
        return self.loop

    # asyncio.run() leaves no tasks behind.
    def prepare(self):
        if self.loop is not None and not self.loop.is_closed() and "asyncio" in modules:
            modules["asyncio"].set_event_loop(self.loop)

    # In a fork of the session, the loop's descriptors lead nowhere: it gets new ones, and its timers continue.
    def reopen(self):
        loop = self.loop
        if loop is None or loop.is_closed():
            return
        try:
            loop._selector = type(loop._selector)()
            loop._internal_fds = 0
            loop._make_self_pipe()
        except Exception:  # another type of loop
            self.loop = None

    def run(self, coroutine):
        loop = self.current()
        task = loop.create_task(coroutine)
        try:
            loop.run_until_complete(task)
        except KeyboardInterrupt:
            if task.done():
                raise
            self.cancel(loop, task)

    # The interrupt came while no code of the cell ran: the cell ends where it waits.
    def cancel(self, loop, task):
        task.cancel()
        tb = None
        try:
            loop.run_until_complete(task)
        except modules["asyncio"].CancelledError as e:
            tb = (e.__context__ if type(e.__context__) is type(e) else e).__traceback__  # a copy before 3.11
        raise KeyboardInterrupt().with_traceback(tb) from None


# ---- what a program finds ----

# The same cleanup that the interpreter does at its end.
def exit_status(code):
    if code is None:
        return 0
    if isinstance(code, int):
        return int(code) & 0xFF
    say("%s\n" % (code,))
    return 1


def set_environment(env):
    for name, value in env.items():
        if "os" in modules:
            modules["os"].environ[name] = value
        else:
            posix.putenv(name, value)
            posix.environ[name.encode()] = value.encode("utf-8", "surrogateescape")


# A fresh __main__ as `python3 -c` has it, without names of ours.
def make_main():
    from _sitebuiltins import Quitter
    builtins.exit = Quitter("exit", "Ctrl-D (i.e. EOF)")
    builtins.quit = Quitter("quit", "Ctrl-D (i.e. EOF)")
    old = modules["__main__"].__dict__
    main = modules["__main__"] = type(sys)("__main__")
    main.__dict__["__loader__"] = old.get("__loader__")
    if "__annotations__" in old:
        main.__dict__["__annotations__"] = {}
    main.__dict__["__builtins__"] = builtins
    if "linecache" in modules:  # 3.13 keeps the text of -c for tracebacks of any "<string>"
        modules["linecache"].cache.pop("<string>", None)
    sys.argv, sys.orig_argv = [""], [sys.executable]
    if not site_begun:
        sys.meta_path.append(PackageFinder)
    return main


def freeze_objects():
    if hasattr(gc, "freeze"):
        gc.freeze()


def thaw_objects():
    if hasattr(gc, "unfreeze"):
        gc.unfreeze()


# A fork only has the thread that forked: locks of other threads would stay locked. The reason not to fork, or None.
def running_threads():
    others = len(sys._current_frames()) - 1
    if "threading" in modules:
        threading = modules["threading"]
        named = [t.name for t in threading.enumerate() if t is not threading.main_thread()]
        if named:
            return "threads are running (%s)" % ", ".join(named)[:100]
    return "threads are running" if others > 0 else None
