# SPDX-License-Identifier: Apache-2.0
# Starts the user's program in an interpreter that was started with -S, and ends it, as `python3 FILE`
# would, but without what takes long: `site` (reading .pth files, adding package folders: 1 to 5 ms) does
# its work when something first asks for more than the standard library, and the interpreter is not taken
# apart (1 ms and more) where no program could see it. The program gets a fresh __main__ without names of ours.
# Follows packages.py in one text. Frames of ours are below its own; what might look there gets an ordinary start, and so does a text
# that the interpreter reads otherwise than compile() would.
#
# Run by a fork of a zygote, each page that is written to is copied first, which is most of what a short run costs.
# Hence no import statement and no open() where something plainer does.
import sys
from _thread import _count as thread_count
from gc import collect, get_objects
from posix import O_CLOEXEC, O_RDONLY, _exit, close, execv, listdir, open as open_file, read

try:
    from gc import freeze, unfreeze
except ImportError:  # 3.6
    def freeze():
        pass

    unfreeze = freeze

# The program looks at frames, or at all objects.
ORDINARY = (b"_getframe", b"f_back", b"currentframe", b"inspect.stack", b"_stack(", b"stack_info",
            b"stacklevel", b"faulthandler", b"ecursion", b"meta_path", b"_current_frames", b"outerframes",
            b"breakpoint", b"pdb", b"import gc")
# It wants what site does without importing anything.
SITE = (b"site", b"sys.path", b"prefix", b"pkgutil", b"help(", b"copyright", b"credits", b"license")
# Its end may be seen.
SLOW_ENDING = (b"__del__", b"async def", b"atexit", b"weakref")


def start_ordinary():
    program = sys.executable or "/proc/self/exe"
    execv(program, [program] + sys.argv[1:])


# A zygote's: how its forks would have been started without it, and the modules that it has loaded, by their first
# names. They may be meant to come from a file beside the program.
cold, loaded = [], ()


def look_beside():
    for name in listdir():
        stem, dot, _ = name.partition(".")
        if stem in loaded and (not dot or name.endswith((".py", ".pyc", ".so"))):
            execv(sys.executable or "/proc/self/exe", cold + sys.argv[1:])


# ---- what the program shows ----

rich = None


# Of a program that may show something: how that begins (rich_begin.py) is in descriptor 3, as src/session/run_display.c
# has put it there, and before what is needed later.
def begin_rich():
    from posix import pread
    from _frozen_importlib_external import MAGIC_NUMBER
    magic, *sizes = pread(3, 64, 0).split()
    begin, later, text = map(int, sizes)
    if magic.decode() == MAGIC_NUMBER.hex():
        from marshal import loads
        code, names = loads(pread(3, begin, 64)), {"later": (64 + begin, later)}
    else:
        at = 64 + begin + later
        code = compile(pread(3, text, at), "<glovebox>", "exec", dont_inherit=True, optimize=2)
        names = {"later": (at + text, 1 << 20)}
    names["has_any"] = has_any
    exec(code, names)
    return names


# ---- before ----

def has_any(source, words):
    return any(word in source for word in words)


# What is the same for every program.
def prepare():
    import builtins
    from _sitebuiltins import Quitter
    builtins.exit = Quitter("exit", "Ctrl-D (i.e. EOF)")
    builtins.quit = Quitter("quit", "Ctrl-D (i.e. EOF)")
    if not site_begun:
        sys.meta_path.append(PackageFinder)


def read_file(path):
    return read_all(open_file(path, O_RDONLY | O_CLOEXEC))


# Closes it.
def read_all(fd):
    parts = []
    try:
        while not parts or parts[-1]:
            parts.append(read(fd, 1 << 16))
    finally:
        close(fd)
    return b"".join(parts)


def read_program(path):
    source = read_file(path)
    ordinary = rich["wants_ordinary"](source, ORDINARY) if rich else has_any(source, ORDINARY)
    if b"\0" in source or (first is None and ordinary):
        start_ordinary()
    try:
        source.decode()
        return source, compile(source, path, "exec", dont_inherit=True)
    except SyntaxError as e:
        # Of encodings, and of a text that ends too soon, the interpreter says something else.
        if not e.lineno or ("expected" in e.msg and e.lineno >= source.count(b"\n")):
            start_ordinary()
        return source, e.with_traceback(None)
    except (ValueError, MemoryError, RecursionError):
        start_ordinary()


# A checker's (src/judge/checker.c): started as it is, and with a status of its own for an exception that is not caught.
judges, CRASHED = False, 70


def read_judge(path):
    source = read_file(path)
    try:
        return source, compile(source, path, "exec", dont_inherit=True)
    except Exception as e:
        return source, e.with_traceback(None)


def set_paths(path, source):
    sys.argv = sys.argv[1:]
    if hasattr(sys, "orig_argv"):
        sys.orig_argv = [sys.executable] + sys.argv
    if sys.path[:1] == [""]:  # -c's; without it PYTHONSAFEPATH is set
        sys.path[0] = path.rpartition("/")[0]
    if "linecache" in sys.modules:  # 3.13 keeps the text of -c for tracebacks of any "<string>"
        sys.modules["linecache"].cache.pop("<string>", None)
    if has_any(source, SITE):
        load_site()


# Filled in CPython's order. From here on, objects are the program's.
def make_main(path):
    freeze()
    main = sys.modules["__main__"] = type(sys)("__main__")
    names = main.__dict__
    names["__loader__"] = sys.modules["_frozen_importlib_external"].SourceFileLoader("__main__", path)
    if "__annotations__" in globals():
        names["__annotations__"] = {}
    names.update(__builtins__=__builtins__, __file__=path, __cached__=None)
    return names


# What was asked for beside the program: its data. It has names of its own and puts some into the program's.
def run_first(path, names):
    exec(compile(first, "<glovebox>", "exec", dont_inherit=True),
         {"program": names, "folder": path.rpartition("/")[0] + "/"})


# ---- after ----

def say(text):
    if sys.stderr is not None:
        sys.stderr.write(text)


# PyErr_Print, which is not to see our frame.
def show(e):
    kind, tb = type(e), e.__traceback__
    sys.last_type, sys.last_value, sys.last_traceback = kind, e, tb
    if sys.version_info >= (3, 12):
        sys.last_exc = e
    hook = getattr(sys, "excepthook", None)
    if hook is None:
        say("sys.excepthook is missing\n")
        hook = sys.__excepthook__
    try:
        hook(kind, e, tb)
        return
    except SystemExit:
        raise
    except BaseException as other:
        again = other.with_traceback(other.__traceback__.tb_next)
    say("Error in sys.excepthook:\n")
    sys.__excepthook__(type(again), again, again.__traceback__)
    say("\nOriginal exception was:\n")
    sys.__excepthook__(kind, e, tb)


def flush(*streams):
    for stream in streams:
        if stream is not None and not getattr(stream, "closed", False):
            stream.flush()


# A zygote's: the last of its modules, and where the interpreter's own are; how a process ends, the second after writing
# what was said in C, the third as libraries want it (src/inside/zygote_python.c).
known = library = leave_flushed = leave_libraries = None
leave = _exit
files_before = 3  # open descriptors, before the program opened one
libraries = False  # some may be loaded whose end does something


latest_first = reversed if sys.version_info >= (3, 8) else lambda names: reversed(list(names))


# Those that the program loaded.
def new_modules():
    found = []
    for name in latest_first(sys.modules):
        if name == known:
            break
        found.append(sys.modules[name])
    return found


def may_bring_library(file):
    return isinstance(file, str) and (not file.startswith(library) or "-packages/" in file)


# -1 where that cannot be told.
def count_files():
    try:
        return len(listdir("/proc/self/fd")) - 1
    except OSError:
        return -1


# Nothing is left that would do something when the interpreter is taken apart: no open file, no thread, no
# module of the user's, no package with libraries that could not be ended.
def may_leave(folder):
    global libraries
    files = count_files()
    if files < 0 or files > files_before + (len(rich["held"]) if rich else 0) or thread_count():
        return False
    if site_begun and leave_flushed is None and "ctypes" not in sys.modules:
        return False
    for module in new_modules():
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and file.startswith(folder):
            return False
        libraries = libraries or library is None or may_bring_library(file)
    return True


# The frozen ones are the interpreter's. A collection of the oldest (there are none in most programs) would also empty the
# lists of objects to be used again. Since 3.14 generations are something else.
def collect_own():
    collect(1 if (3, 8) <= sys.version_info < (3, 14) and not get_objects(2) else 2)


# What a zygote brings has nothing more to do than to write what it has said; taking it apart would cost more than many
# a run.
def end_of_libraries():
    if not site_begun and "ctypes" not in sys.modules:
        return leave
    if leave_flushed is None:
        return sys.modules["ctypes"].PyDLL(None).exit
    return leave_libraries if libraries else leave_flushed


# Py_FinalizeEx, as far as the program's own objects can tell.
def finish(status):
    try:
        end = end_of_libraries()
        if "atexit" in sys.modules:
            sys.modules["atexit"]._run_exitfuncs()
        flush(sys.stdout, sys.stderr)
    except BaseException:
        return
    sys.stdin, sys.stdout, sys.stderr = sys.__stdin__, sys.__stdout__, sys.__stderr__
    sys.last_type = sys.last_value = sys.last_traceback = sys.last_exc = None
    sys.modules.pop("__main__", None)
    collect_own()
    for stream in (sys.stdout, sys.stderr):
        try:
            flush(stream)
        except ValueError:  # detached: what wraps its buffer now has been flushed above
            pass
    end(status)


# The status, or an exception for the interpreter itself to end with.
def status_of(e):
    if e is None:
        return 0
    if isinstance(e, SystemExit):
        if e.code is None:
            return 0
        if isinstance(e.code, int) and abs(e.code) < 1 << 31:
            return e.code & 0xFF
        raise e
    show(e.with_traceback(e.__traceback__.tb_next))
    if type(e) is KeyboardInterrupt:
        sys.excepthook = lambda *args: None
        raise KeyboardInterrupt
    return CRASHED if judges and not isinstance(e, AssertionError) else 1


# ---- the run; what is above may have been loaded before, by a zygote ----
first = None
if not known:
    prepare()
if sys.argv[1] == "--beside":
    del sys.argv[1]
    look_beside()
if sys.argv[1] == "--judge":
    del sys.argv[1]
    judges = True
if sys.argv[1] == "--rich":
    del sys.argv[1]
    rich = begin_rich()
if sys.argv[1] == "--first":
    first = sys.argv[2]
    del sys.argv[1:3]
path = sys.argv[1]
source, code = read_judge(path) if judges else read_program(path)
ends_quickly = not has_any(source, SLOW_ENDING)
libraries = libraries or b"ctypes" in source
set_paths(path, source)
if rich:
    rich["install"]()
names = make_main(path)
failure = source = None
# As deep as without us: our two frames count, and before 3.12 the calls of exec as well.
ours = 2 if sys.version_info >= (3, 12) else 4
sys.setrecursionlimit(sys.getrecursionlimit() + ours)
try:
    if isinstance(code, Exception):
        raise code
    if first is not None:
        run_first(path, names)
    exec(code, names)
except BaseException as e:
    failure = e
sys.settrace(None)
sys.setprofile(None)
try:
    status = status_of(failure)
finally:
    names.pop("__file__", None)
    names.pop("__cached__", None)
    failure = names = code = first = None
if ends_quickly and may_leave(path.rpartition("/")[0] + "/"):
    finish(status)
unfreeze()  # the interpreter takes apart what was there before as well: an open file may hang on it
raise SystemExit(status)
