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
# What many programs begin with.
REHEARSED = b"""import math
def f(x, *, y=2):
    return [str(i) for i in range(x) if i % y]
try:
    print(f"{len(f(9))}", {"a": f(3)}, sep=", ")
except (ValueError, KeyError) as e:
    print(e)
"""
# What is only there because of us: a guest that wants it loads it anew.
OURS = ("ctypes", "_ctypes", "ctypes._endian")


in_forks = []  # what modules want to be called in each fork


# Forks are made in C (zygote_serve), without what the interpreter does for them: with one thread, and no lock
# held, that puts nothing right, but makes each fork copy some 200 pages. Only what modules registered is due.
def load(names):
    real = os.register_at_fork

    def register(*, before=None, after_in_child=None, after_in_parent=None):
        given = {"before": before, "after_in_child": after_in_child, "after_in_parent": after_in_parent}
        real(**{name: call for name, call in given.items() if call is not None})
        if after_in_child is not None:
            in_forks.append(after_in_child)

    os.register_at_fork = register
    try:
        for name in names:
            try:
                __import__(name)
            except Exception:  # a module that is not there is the guest's to miss
                pass
    finally:
        os.register_at_fork = real


def open_link():
    import ctypes
    link = ctypes.PyDLL("/proc/self/fd/4")
    link.zygote_serve.argtypes, link.zygote_serve.restype = [ctypes.py_object], ctypes.py_object
    return link


# The first call of many things is slow, and a function's first calls write into its code: pages that each
# fork would have to copy.
def rehearse():
    for _ in range(20):
        source, code = names["read_program"]("/dev/null")
        names["has_any"](source, names["SLOW_ENDING"])
        names["may_leave"]("/nonexistent/")
        names["flush"](sys.stdout, sys.stderr)
        wake()
        exec(compile("def f(x):\n    return [y for y in x if y]\nf(range(3)), f'{1:>3}'\n", "<glovebox>", "exec"),
             {"__name__": "__main__", "__builtins__": __builtins__})
    print(1, flush=True)


# A fork acts as a guest, so that the next ones know what memory they will want.
def learn(link):
    program = os.memfd_create("program")
    os.write(program, REHEARSED)
    if link.zygote_rehearse() == 0:
        try:
            become(b"1\0/proc/self/fd/%d\0" % program)
            may_leave = names["may_leave"]
            names["may_leave"] = lambda folder: may_leave(folder) or True
            names["_exit"] = lambda status: link.zygote_note()
            exec(run, names)
        finally:
            link.zygote_note()
    os.close(program)


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


# A generator that a fork would share with its brothers; that of `random` registers itself.
def reseed():
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed()


# In each fork, before it is locked in.
def wake():
    for call in in_forks:
        try:
            call()
        except Exception as e:
            sys.unraisablehook(e)


# Of the environment, what differs from ours.
def become(words):
    items = words.decode(sys.getfilesystemencoding(), "surrogateescape").split("\0")
    count = int(items[0]) + 1
    sys.argv = ["-c"] + items[1:count]
    for item in items[count:-1]:
        name, _, value = item.partition("=")
        os.environ[name] = value


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
if "numpy.random" in sys.modules:
    in_forks.append(reseed)
link = open_link()
if not marker:
    names["FORK"].append(forker(link))
for name in OURS:
    sys.modules.pop(name, None)
if marker:
    names["prepare"]()
    rehearse()
    names["known"] = len(sys.modules)
freeze()
if marker:
    learn(link)
if link.zygote_open() < 0:
    os._exit(1)
become(link.zygote_serve(wake))
if marker:
    exec(run, names)
else:
    names["serve"](3, 4)
