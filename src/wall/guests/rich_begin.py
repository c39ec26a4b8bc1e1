# SPDX-License-Identifier: Apache-2.0
# Rich results of a plain program: the first part. The runner (python_runner.py) executes this before a program that may
# show something. Descriptor 4 is the host's pipe. In descriptor 3, at the offset `later`, is the code that shows
# things (cells_charts.py, cells_rich.py, cells_hooks.py, rich_run.py), as text or bytecode. It is read and run when the
# program calls display() or imports a library that shows something, and not before.
import builtins
import sys
from _thread import RLock
from posix import close, dup2, fstat, getpid, pread, set_inheritable

MODULES = ("matplotlib", "PIL", "plotly", "altair", "IPython", "bokeh")
ASIDE = 740  # first of the numbers that a program rarely uses
# These programs show something. They get an ordinary start, after which nothing is shown, only if they cannot do
# without one.
SHOWING = (b"matplotlib", b"pylab", b"seaborn", b"display(", b".show(", b".plot")
UNFIT = (b"meta_path", b"breakpoint(", b"import pdb", b"\"spawn\"", b"'spawn'", b"forkserver")
# Since 3.14 the worker processes of these modules are new interpreters by default, not forks.
UNFIT_SINCE_3_14 = (b"multiprocessing", b"concurrent")

lock, loaded = RLock(), {}


def wants_ordinary(source, otherwise):
    if b"display(" in source and b"def display(" not in source:  # otherwise the program has no such name
        return False
    if not has_any(source, SHOWING):
        return has_any(source, otherwise)
    return has_any(source, UNFIT + (UNFIT_SINCE_3_14 if sys.version_info >= (3, 14) else ()))


# The descriptor's number now, not inherited; and its identity, because the program may replace the file.
def move(fd):
    there = fstat(fd)
    try:
        moved = ASIDE + fd
        dup2(fd, moved, False)
        close(fd)
    except OSError:  # over the limit of open files
        moved = fd
        set_inheritable(fd, False)
    return moved, (there.st_dev, there.st_ino)


def is_ours(fd, there):
    try:
        now = fstat(fd)
    except OSError:  # closed
        return False
    return (now.st_dev, now.st_ino) == there


def later_code():
    fd, _ = held.pop()
    data = pread(fd, later[1], later[0])
    close(fd)
    if data[:1] == b"#":
        return compile(data, "<glovebox>", "exec", dont_inherit=True, optimize=2)
    from marshal import loads
    return loads(data)


def shows_nothing(*objs, **options):
    pass


# It runs with builtins of its own, because the program may change the usual ones.
def load():
    with lock:
        if loaded:
            return loaded
        sys.meta_path[:] = [f for f in sys.meta_path if f is not finder]
        if is_ours(*held[-1]):
            names = {"__name__": "<glovebox>", "__builtins__": own_builtins, "is_ours": is_ours}
            exec(later_code(), names)
            names["rich_begin"](*held[0], process)
        else:
            names = {"rich_display": shows_nothing, "rich_finder": None}
        loaded.update(names)
    return loaded


class finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        found = load()["rich_finder"] if name in MODULES else None
        return found and found.find_spec(name, path, target)


def display(*objs, **options):
    load()["rich_display"](*objs, **options)


def install():
    if sys.version_info < (3, 7):  # these versions cannot run the code that shows things
        return
    builtins.display = display
    sys.meta_path.insert(0, finder)
    if any(name in sys.modules for name in MODULES):
        load()


held = [move(4), move(3)]
process, own_builtins = getpid(), vars(builtins).copy()
