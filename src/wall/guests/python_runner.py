# SPDX-License-Identifier: Apache-2.0
# Starts the user's program in an interpreter that was started with -S, and ends it, as `python3 FILE`
# would, but without the slow steps: `site` (reading .pth files, adding package folders: 1 to 5 ms) does
# its work when the program first needs more than the standard library, and the interpreter is not taken
# apart (1 ms and more) if no program could see it. The program gets a fresh __main__ without names of ours.
# Follows packages.py in one text. Our frames are below the program's. A program that might inspect them gets an
# ordinary start, and so does a text that the interpreter reads otherwise than compile() would.
#
# In a fork of a zygote, each page that is written to is copied first, which is most of the cost of a short run.
# So there is no import statement and no open() where a plainer call does the work.
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

# The program inspects frames, or all objects.
ORDINARY = (b"_getframe", b"f_back", b"currentframe", b"inspect.stack", b"_stack(", b"stack_info",
            b"stacklevel", b"faulthandler", b"ecursion", b"meta_path", b"_current_frames", b"outerframes",
            b"breakpoint", b"pdb", b"import gc")
# It needs something that site would set up without an import.
SITE = (b"site", b"sys.path", b"prefix", b"pkgutil", b"help(", b"copyright", b"credits", b"license")
# The program may see the interpreter's end.
SLOW_ENDING = (b"__del__", b"async def", b"atexit", b"weakref")


def start_ordinary():
    program = sys.executable or "/proc/self/exe"
    execv(program, [program] + sys.argv[1:])


# For a zygote: how its forks would have been started without it, and the first names of the modules that it has
# loaded. The program may mean a file of its own by such a name.
cold, loaded = [], ()


def look_beside():
    for name in listdir():
        stem, dot, _ = name.partition(".")
        if stem in loaded and (not dot or name.endswith((".py", ".pyc", ".so"))):
            execv(sys.executable or "/proc/self/exe", cold + sys.argv[1:])


# ---- what the program shows ----

rich = None


# For a program that may show something: the code for that (rich_begin.py) is in descriptor 3, where
# src/runs/run/run_display.c has put it, before the code that is needed later.
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


# The part that is the same for every program.
def prepare():
    import builtins
    from _sitebuiltins import Quitter
    builtins.exit = Quitter("exit", "Ctrl-D (i.e. EOF)")
    builtins.quit = Quitter("quit", "Ctrl-D (i.e. EOF)")
    if not site_begun:
        sys.meta_path.append(PackageFinder)


def read_file(path):
    return read_all(open_file(path, O_RDONLY | O_CLOEXEC))


# Closes the file.
def read_all(fd):
    parts = []
    try:
        while not parts or parts[-1]:
            parts.append(read(fd, 1 << 16))
    finally:
        close(fd)
    return b"".join(parts)


# With --value, the last expression is compiled apart; unless a semicolon ends it, as in a notebook. A zygote has no
# arguments when it rehearses.
last, FUTURE, shows_value, flags = None, 0x1fe0000, False, 0


def compile_program(source, path):
    global last
    if shows_value and not source.rstrip().endswith(b";"):
        from _ast import Expr, Expression
        tree = compile(source, path, "exec", flags | 0x400, dont_inherit=True)  # PyCF_ONLY_AST
        if tree.body and type(tree.body[-1]) is Expr:
            value = tree.body.pop().value
            code = compile(tree, path, "exec", flags, dont_inherit=True)
            last = compile(Expression(value), path, "eval", code.co_flags & FUTURE, dont_inherit=True)
            return code
    return compile(source, path, "exec", flags, dont_inherit=True)


def show_value(value):
    show_it = None if value is None else rich["load"]().get("rich_value")
    if show_it is not None:
        show_it(value)


def read_program(path):
    source = read_file(path)
    ordinary = rich["wants_ordinary"](source, ORDINARY) if rich else has_any(source, ORDINARY)
    if b"\0" in source or (first is None and ordinary):
        start_ordinary()
    try:
        source.decode()
        return source, compile_program(source, path)
    except SyntaxError as e:
        # For encodings, and for a text that ends too soon, the interpreter has other messages.
        if not e.lineno or ("expected" in e.msg and e.lineno >= source.count(b"\n")):
            start_ordinary()
        return source, e.with_traceback(None)
    except (ValueError, MemoryError, RecursionError):
        start_ordinary()


# For a checker (src/runs/judge/checker.c): a plain start, and a special status for an uncaught exception.
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
    if sys.path[:1] == [""]:  # the entry of -c; if it is missing, PYTHONSAFEPATH is set
        sys.path[0] = path.rpartition("/")[0]
    if "linecache" in sys.modules:  # 3.13 keeps the text of -c for tracebacks of any "<string>"
        sys.modules["linecache"].cache.pop("<string>", None)
    if has_any(source, SITE):
        load_site()


# Set in CPython's order. From now on, objects belong to the program.
def make_main(path):
    freeze()
    main = sys.modules["__main__"] = type(sys)("__main__")
    names = main.__dict__
    names["__loader__"] = sys.modules["_frozen_importlib_external"].SourceFileLoader("__main__", path)
    if "__annotations__" in globals():
        names["__annotations__"] = {}
    names.update(__builtins__=__builtins__, __file__=path, __cached__=None)
    return names


# The data that was requested for the program. That code has its own namespace and puts some names into the program's.
def run_first(path, names):
    exec(compile(first, "<glovebox>", "exec", dont_inherit=True),
         {"program": names, "folder": path.rpartition("/")[0] + "/"})


# ---- after ----

def say(text):
    if sys.stderr is not None:
        sys.stderr.write(text)


# PyErr_Print, without our frame.
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


# For a zygote: its last module, and the path of the interpreter's own; how a process ends, the second way after
# flushing C's output, the third as libraries need it (src/wall/zygote/zygote_python.c).
known = library = leave_flushed = leave_libraries = None
leave = _exit
files_before = 3  # open descriptors, before the program opened one
libraries = False  # True: a loaded library may do something at the end


latest_first = reversed if sys.version_info >= (3, 8) else lambda names: reversed(list(names))


# The modules that the program loaded.
def new_modules():
    found = []
    for name in latest_first(sys.modules):
        if name == known:
            break
        found.append(sys.modules[name])
    return found


def may_bring_library(file):
    return isinstance(file, str) and (not file.startswith(library) or "-packages/" in file)


# -1 if that is unknown.
def count_files():
    try:
        return len(listdir("/proc/self/fd")) - 1
    except OSError:
        return -1


# True if taking the interpreter apart would have no visible effect: no open file, no thread, no
# module of the user, no package with libraries that must be ended.
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


# The frozen objects are the interpreter's. Collecting the oldest generation (empty in most programs) would also clear
# the free lists. Since 3.14 generations are different.
def collect_own():
    collect(1 if (3, 8) <= sys.version_info < (3, 14) and not get_objects(2) else 2)


# The zygote's objects only have to flush their output; taking them apart would cost more than many
# a run.
def end_of_libraries():
    if not site_begun and "ctypes" not in sys.modules:
        return leave
    if leave_flushed is None:
        return sys.modules["ctypes"].PyDLL(None).exit
    return leave_libraries if libraries else leave_flushed


# Py_FinalizeEx, as far as the program's own objects can notice.
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
        except ValueError:  # detached: the object that wraps its buffer now was flushed above
            pass
    end(status)


# Returns the status, or an exception with which the interpreter itself must end.
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
if sys.argv[1] == "--no-annotations":  # from 3.14 on, they are only evaluated when they are read
    del sys.argv[1]
    if (3, 7) <= sys.version_info < (3, 14):
        import __future__
        flags = __future__.annotations.compiler_flag
if sys.argv[1] == "--value":
    del sys.argv[1]
    shows_value = sys.version_info >= (3, 8)
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
# The same recursion depth as without us: our two frames count, and before 3.12 the calls of exec as well.
ours = 2 if sys.version_info >= (3, 12) else 4
sys.setrecursionlimit(sys.getrecursionlimit() + ours)
try:
    if isinstance(code, Exception):
        raise code
    if first is not None:
        run_first(path, names)
    exec(code, names)
    if last is not None:
        show_value(eval(last, names))
except BaseException as e:
    failure = e
sys.settrace(None)
sys.setprofile(None)
try:
    status = status_of(failure)
finally:
    names.pop("__file__", None)
    names.pop("__cached__", None)
    failure = names = code = first = last = None
if ends_quickly and may_leave(path.rpartition("/")[0] + "/"):
    finish(status)
unfreeze()  # the interpreter also frees objects from before the program: one may refer to an open file
raise SystemExit(status)
