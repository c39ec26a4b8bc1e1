# SPDX-License-Identifier: Apache-2.0
# A Python that has everything loaded and forks when it is asked to; each fork becomes one guest (the
# protocol is in src/jail/zygote.h). No guest's code runs in here. Arguments: the text that a fork runs, then
# modules to load. The text is the runner's (python_runner.py), or that of a session's server, which has no part
# that is marked to be run.
import gc
import os
import sys

STANDARD = ("collections", "functools", "itertools", "math", "random", "re", "json", "datetime", "time", "typing",
            "string", "enum", "operator", "copy", "heapq", "bisect", "contextlib", "warnings", "traceback", "_sitebuiltins")
# What is only there because of us: a guest that wants it loads it anew.
OURS = ("ctypes", "_ctypes", "ctypes._endian")


def load(names):
    for name in names:
        try:
            __import__(name)
        except Exception:  # a module that is not there is the guest's to miss
            pass


def open_link():
    import ctypes
    link = ctypes.PyDLL("/proc/self/fd/4")
    link.zygote_words.restype = ctypes.c_void_p
    size = ctypes.c_size_t()

    def words():
        start = link.zygote_words(ctypes.byref(size))
        return ctypes.string_at(start, size.value)
    return link, words


# The first call of many things is slow, and a function's first calls write into its code: pages that each
# fork would have to copy.
def rehearse():
    for _ in range(20):
        source, code = names["read_program"]("/dev/null")
        names["has_any"](source, names["SLOW_ENDING"])
        names["may_leave"]("/nonexistent/")
        names["flush"](sys.stdout, sys.stderr)
        exec(compile("def f(x):\n    return [y for y in x if y]\nf(range(3)), f'{1:>3}'\n", "<glovebox>", "exec"),
             {"__name__": "__main__", "__builtins__": __builtins__})
    print(1, flush=True)


# A fork acts as a guest, so that the next ones know what memory they will want.
def learn(link):
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            become(b"1\0/dev/null\0")
            exec(run, names)
        finally:
            link.zygote_note(theirs)
            os._exit(0)
    os.close(theirs)
    link.zygote_learn(ours)
    os.close(ours)
    os.waitpid(pid, 0)


# A session's fork of itself, into the jail that waits: 0 in the fork, 1 in the session, or an errno, negative.
def forker(link):
    import ctypes
    api = ctypes.pythonapi

    def fork_guest(fd_in, fd_out):
        api.PyOS_BeforeFork()
        result = link.zygote_fork(fd_in, fd_out)
        if result == 0:
            api.PyOS_AfterFork_Child()
            reseed()
        else:
            api.PyOS_AfterFork_Parent()
        return result
    return fork_guest


# Generators that a fork would share with its brothers; `random` sees to itself.
def reseed():
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed()


# Of the environment, what differs from ours.
def become(words):
    items = words.decode(sys.getfilesystemencoding(), "surrogateescape").split("\0")
    count = int(items[0]) + 1
    sys.argv = ["-c"] + items[1:count]
    for item in items[count:-1]:
        name, _, value = item.partition("=")
        os.environ[name] = value


def serve(link, words):
    while link.zygote_wait() == 0:
        pid = 0
        try:
            pid = os.fork()
        except OSError:
            pid = -1
        if pid == 0:
            if link.zygote_enter() < 0:
                os._exit(127)
            become(words())
            return
        link.zygote_forked(pid)
    os._exit(0)


def freeze():
    gc.collect()
    if hasattr(gc, "freeze"):
        gc.freeze()


# The runner's functions now, its run in each fork.
functions, marker, run = sys.argv[1].partition("# ---- the run;")
names = {"__name__": "__main__", "__builtins__": __builtins__, "first": None}
if not marker:  # builtins of its own: the program's may be changed by it
    names = {"__name__": "<glovebox>", "__builtins__": vars(__builtins__).copy()}
elif "__annotations__" in globals():
    names["__annotations__"] = {}
exec(compile(functions, "<glovebox>", "exec", dont_inherit=True, optimize=2), names)
run = compile(marker + run, "<glovebox>", "exec", dont_inherit=True, optimize=2)
load(STANDARD + tuple(sys.argv[2:]))
link, words = open_link()
if not marker:
    names["FORK"].append(forker(link))
for name in OURS:
    sys.modules.pop(name, None)
if marker:
    rehearse()
    names["known"] = len(sys.modules)
freeze()
if marker:
    learn(link)
if link.zygote_open() < 0:
    os._exit(1)
serve(link, words)
reseed()
if marker:
    exec(run, names)
else:
    names["serve"](3, 4)
