# SPDX-License-Identifier: Apache-2.0
# A Python that has loaded everything and forks on request; each fork becomes one guest (see
# src/wall/zygote/zygote.h). No guest's code runs in here. Arguments: the text that a fork runs, then
# modules to load. The text is the runner's (python_runner.py), or that of a session's server, which has no part
# that is marked to be run.
#
# In a container, which serves one guest, there is no fork: this interpreter becomes the guest. Its words come over
# descriptor 5, a socket (src/backends/far/far_job.c).
import sys

at_start = set(sys.modules)
import gc  # noqa: E402
import os  # noqa: E402

STANDARD = ("collections", "functools", "itertools", "math", "random", "re", "json", "datetime", "time", "typing",
            "string", "enum", "operator", "copy", "heapq", "bisect", "contextlib", "warnings", "traceback", "_sitebuiltins")
# Modules that every program uses.
REHEARSED = b"""for i in range(1):
    print(f"{i}")
"""
REHEARSED_WITH_NUMPY = b"""import numpy
a = numpy.arange(12.0).reshape(3, 4)
print(a @ a.T, a.mean(axis=0), numpy.linalg.norm(a))
"""
# Modules that packages load at their first use, if that takes long.
LATER = {
    "pandas": ("pandas.io.formats.string", "pandas.io.formats.html", "pandas.io.formats.csvs", "pandas.core.resample"),
    "sympy": ("sympy.combinatorics", "sympy.sets.setexpr", "sympy.tensor.tensor", "sympy.integrals.heurisch",
              "sympy.integrals.manualintegrate", "sympy.integrals.risch"),
}
# Arrow, which pandas loads, has an allocator that starts a thread as soon as it is loaded. A fork never has that
# thread. The variable is only in the C library's environment: no guest sees it.
ALLOCATOR = ("JE_ARROW_MALLOC_CONF", "background_thread:false")
# Modules that we alone have loaded, unless a package needed them too: a guest that needs one loads it again.
OURS = ("ctypes", "_ctypes", "ctypes._endian")
ours = []
WORDS = 5


in_forks = []  # functions that modules have registered for each fork


# Forks are made in C (zygote_serve), without the interpreter's own work at a fork: with one thread and no locks
# held, that repairs nothing, but makes each fork copy some 200 pages. Only the modules' functions must be called.
def listen(real):
    def register(*, before=None, after_in_child=None, after_in_parent=None):
        given = {"before": before, "after_in_child": after_in_child, "after_in_parent": after_in_parent}
        real(**{name: call for name, call in given.items() if call is not None})
        if after_in_child is not None:
            in_forks.append(after_in_child)
    return register


def load(modules):
    for name in modules:
        try:
            __import__(name)
        except BaseException:  # a missing module is the guest's problem
            pass


# ---- packages ----

# Matplotlib makes folders for its files when it is loaded, and no folder is writable here. It is told that they are
# there, by the names that they have in a guest; what it logs is not heard, nor what fontconfig says of its own folder.
def load_matplotlib():
    import logging
    import subprocess
    from pathlib import Path
    kept = Path.mkdir, Path.is_dir, os.access, subprocess.check_output
    subprocess.check_output = lambda command, **options: kept[3](command, stderr=subprocess.DEVNULL, **options)
    Path.mkdir = lambda *words, **options: None
    Path.is_dir = lambda path, **options: path.name == "matplotlib" or kept[1](path, **options)
    os.access = lambda *words, **options: True
    logging.disable(logging.CRITICAL)
    load(["matplotlib.pyplot"])
    logging.disable(logging.NOTSET)
    Path.mkdir, Path.is_dir, os.access, subprocess.check_output = kept


# As at a program's first import of a package: `site` does its work, and files in our folder are not packages.
def load_packages(packages):
    first = sys.path[:1]
    del sys.path[:1]
    names["load_site"]()
    if "matplotlib.pyplot" in packages:
        load_matplotlib()
    load(packages)
    for name in packages:
        load(LATER.get(name, ()) if name in sys.modules else ())
    sys.path[:0] = first
    forget_place()


# Caches of facts about this machine; a guest has another environment.
def forget_place():
    tempfile, platform = sys.modules.get("tempfile"), sys.modules.get("platform")
    if tempfile is not None:
        tempfile.tempdir = tempfile._name_sequence = None
    if platform is not None:
        platform._uname_cache = None
        platform._platform_cache.clear()


# The output of the packages meanwhile: descriptors 1 and 2 are a file.
def hear(act, *args):
    heard, kept = os.memfd_create("heard"), [os.dup(1), os.dup(2)]
    os.dup2(heard, 1)
    os.dup2(heard, 2)
    act(*args)
    for fd, stream in zip((1, 2), (sys.stdout, sys.stderr)):
        if stream is not None:
            stream.flush()
        os.dup2(kept[fd - 1], fd)
        os.close(kept[fd - 1])
    size = os.fstat(heard).st_size
    os.close(heard)
    return size


def open_files():
    return len(os.listdir("/proc/self/fd"))


# Libraries that end their threads at a fork, and start them again on demand (OpenBLAS), do so at the
# first fork. A thread may be visible for a moment after it was waited for.
def has_one_thread():
    pid = c_library().fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    for _ in range(200):
        if len(os.listdir("/proc/self/task")) == 1:
            return True
        sleep(0.005)
    return False


# A package that cannot be loaded in here, where no folder is writable, may load in a fork; but not if half of it is
# loaded already. Packages that left a thread or an open file, or printed something (a program would have shown
# it), are not preloaded either: then the interpreter starts again without them.
def need_sound(packages):
    files = open_files()
    os.putenv(*ALLOCATOR)
    said = hear(load_packages, packages)
    os.unsetenv(ALLOCATOR[0])
    sound = [name for name in packages if name in sys.modules]
    if said or open_files() != files or not (alone or has_one_thread()):
        sound = []
    if len(sound) < len(packages):
        os.execv(sys.executable or START[0], START + [ZYGOTE, sys.argv[1]] + sound)


# `random` registers its own function. Its method in Python ends in the one that it overrides, and would touch more.
def shorten_seed():
    from random import Random, _inst
    in_forks[:] = [super(Random, _inst).seed if call == _inst.seed else call for call in in_forks]


# Other random number generators, whose state forks would share.
def find_generators():
    from random import Random, SystemRandom, _inst
    numpy_random = sys.modules.get("numpy.random")
    state = getattr(numpy_random, "RandomState", Random)
    generator = getattr(numpy_random, "Generator", Random)
    known = (_inst, getattr(getattr(numpy_random, "seed", None), "__self__", None))
    for found in gc.get_objects():
        kind = type(found)
        if any(found is one for one in known) or issubclass(kind, SystemRandom):
            continue
        if issubclass(kind, (Random, state)):
            in_forks.append(found.seed)
        elif issubclass(kind, generator):
            in_forks.append(lambda bits=found.bit_generator: setattr(bits, "state", type(bits)().state))
    if numpy_random is not None:
        in_forks.append(reseed)


# That of numpy.random itself.
def reseed():
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed()


# The number of the one thread is different in each fork.
def renumber():
    thread = sys.modules["threading"].main_thread()
    if hasattr(thread, "_set_native_id"):
        thread._set_native_id()


# Notes which of OURS no other code has loaded.
def need_ctypes():
    if not ours:
        ours.append({name for name in OURS if name not in sys.modules})
    import ctypes
    return ctypes


def c_library():
    return need_ctypes().PyDLL(None)


# The functions in C: src/wall/zygote/zygote_python.c.
def native_functions():
    ctypes = need_ctypes()
    functions = {}
    if ctypes.PyDLL("/proc/self/fd/4").zygote_define(ctypes.py_object(functions)) < 0:
        os._exit(1)
    return functions


# Many first calls are slow, and a function's first calls write into its code: without this, each
# fork would have to copy those pages.
def rehearse():
    for _ in range(20):
        source, code = names["read_program"]("/dev/null")
        names["has_any"](source, names["SLOW_ENDING"])
        names["may_leave"]("/nonexistent/")
        names["end_of_libraries"]()
        names["flush"](sys.stdout, sys.stderr)
        wake()
        exec(compile("def f(x):\n    return [y for y in x if y]\nf(range(3)), f'{1:>3}'\n", "<glovebox>", "exec"),
             {"__name__": "__main__", "__builtins__": __builtins__})
    print(1, flush=True)


# A fork acts as a guest, so that we learn which memory the next forks will need.
def learn():
    program = os.memfd_create("program")
    os.write(program, REHEARSED + (REHEARSED_WITH_NUMPY if "numpy" in sys.modules else b""))
    if native["rehearse"]() == 0:
        try:
            names["files_before"] = native["count_files"]()
            become(b"1\0/proc/self/fd/%d\0" % program)
            exec(run, names)
        finally:
            os._exit(1)
    os.close(program)


# A session forks itself into the waiting jail. Returns 0 in the fork, 1 in the session, or a negative errno.
def fork_guest(fd_in, fd_out):
    result = native["fork_guest"](fd_in, fd_out)
    if result == 0:
        reseed()
    return result


# Called in each fork, before it is locked in.
def wake():
    for call in in_forks:
        try:
            call()
        except Exception as e:
            sys.unraisablehook(e)


# True if there is no nest to fork for.
def is_alone():
    try:
        return os.fstat(WORDS).st_mode & 0o170000 == 0o140000  # a socket
    except OSError:
        return False


def wait_for_words():
    os.write(WORDS, b"1")
    words = names["read_all"](WORDS)
    if "logging" in sys.modules:
        begin_log()
    return words


# The variables of the environment that differ from ours.
def become(words):
    items = words.decode(sys.getfilesystemencoding(), "surrogateescape").split("\0")
    count = int(items[0]) + 1
    sys.argv = ["-c"] + items[1:count]
    for item in items[count:-1]:
        name, _, value = item.partition("=")
        os.environ[name] = value
        if name == "TZ":
            tzset()


# Log records have the time since this module's import.
def begin_log():
    logging = sys.modules["logging"]
    start = getattr(logging, "_startTime", None)
    if start is not None:
        logging._startTime = time_ns() if isinstance(start, int) else time()


# Small objects are in pools of 16 KiB, each for one size and with a head of 48 bytes. If the pools of a size are
# full, a fork's objects go into one page of a new pool; otherwise into many pages, which the fork has to copy,
# with those of the heads. An interpreter with another allocator loses a little memory.
def fill_pools():
    kept = []
    for size in range(16, 513, 16):
        make = object if size == 16 else float if size == 32 else lambda: bytes(size - 33)
        new, most = 0, len(kept) + (256 << 10) // size
        while new < 2 and len(kept) < most:
            kept.append(make())
            new += id(kept[-1]) % 16384 == 48
    return kept


def prepare_forks():
    if packages:
        find_generators()
    shorten_seed()
    if "threading" in sys.modules:
        in_forks.append(renumber)
    if "logging" in sys.modules:
        in_forks.append(begin_log)
    native.update(native_functions())
    if marker:
        for name in ("leave", "leave_flushed", "leave_libraries", "count_files"):
            names[name] = native[name]
    else:
        names["FORK"] += fork_guest, native["show_fork"]
    for name in ours[0]:
        sys.modules.pop(name, None)


def freeze():
    gc.collect()
    if hasattr(gc, "freeze"):
        gc.freeze()


# The module that a program would get from a file of that name in its folder.
def replaceable():
    import _imp
    first = {name.partition(".")[0] for name in sys.modules if name not in at_start}
    return frozenset(name for name in first if name not in sys.builtin_module_names and not _imp.is_frozen(name))


def read_command():
    with open("/proc/self/cmdline", "rb") as file:
        words = [os.fsdecode(word) for word in file.read().split(b"\0")]
    at = words.index("-c") + 1
    return words[:at], words[at]


# Defines the runner's functions now; its run follows in each fork.
functions, marker, run = sys.argv[1].partition("# ---- the run;")
names = {"__name__": "__main__", "__builtins__": __builtins__, "first": None}
if not marker:  # builtins of its own, because the program may change the usual ones
    names = {"__name__": "<glovebox>", "__builtins__": vars(__builtins__).copy()}
elif "__annotations__" in globals():
    names["__annotations__"] = {}
exec(compile(functions, "<glovebox>", "exec", dont_inherit=True, optimize=2), names)
run = compile(marker + run, "<glovebox>", "exec", dont_inherit=True, optimize=2)
packages = sys.argv[2:]
START, ZYGOTE = read_command()
alone = is_alone()
real_register = os.register_at_fork
if not alone:
    os.register_at_fork = listen(real_register)
load(STANDARD)
from time import sleep, time, time_ns, tzset  # noqa: E402
if packages:
    need_sound(packages)
os.register_at_fork = real_register
native = {}
if not alone:
    prepare_forks()
names["prepare"]()
if marker:
    names["cold"], names["loaded"] = START + [sys.argv[1]], replaceable()
    if not alone:
        rehearse()
    names["library"] = os.path.dirname(os.__file__) + "/"
    names["libraries"] = "scipy" in sys.modules  # libraries in Fortran flush at their end
    names["known"] = list(sys.modules)[-1]
freeze()
if not alone:
    filling = fill_pools()
    if marker:
        learn()
    if native["open_nest"]() < 0:
        os._exit(1)
words = wait_for_words() if alone else native["serve"](wake)
if marker:
    become(words)
    exec(run, names)
else:
    names["serve"](3, 4)
