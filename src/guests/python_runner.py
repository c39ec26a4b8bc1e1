# Starts the user's program in an interpreter that was started with -S. What `site` does (reading .pth
# files, adding package folders: 1 to 5 ms) happens when something first asks for more than the standard
# library. Names of ours stay out of the program's sight: it gets a fresh __main__.
import sys


def _run():
    path, argv = sys.argv[1], sys.argv[1:]
    with open(path, "rb") as f:
        source = f.read()

    def load_site():
        if finder in sys.meta_path:
            sys.meta_path.remove(finder)
            import site
            first = sys.path[:1]
            site.main()
            if sys.path[:1] != first:
                sys.path[:0] = first

    class finder:
        @staticmethod
        def find_spec(name, path=None, target=None):
            if path is not None:
                return None
            load_site()
            from importlib.machinery import PathFinder
            return PathFinder.find_spec(name, path, target)

        @staticmethod
        def find_distributions(context=None):
            load_site()
            from importlib.metadata import MetadataPathFinder
            return MetadataPathFinder.find_distributions(context)

    sys.argv = argv
    folder = sys.path[0] = path.rpartition("/")[0]
    extra = [p for p in getenv("PYTHONPATH").split(":") if p]
    sys.path[1:1] = [p for p in extra if p not in sys.path]
    sys.meta_path.append(finder)
    for word in (b"site", b"sys.path", b"pkgutil", b"multiprocessing", b"concurrent", b"help("):
        if word in source:
            load_site()
            break
    else:
        import builtins
        from _sitebuiltins import Quitter
        builtins.exit = Quitter("exit", "Ctrl-D (i.e. EOF)")
        builtins.quit = Quitter("quit", "Ctrl-D (i.e. EOF)")

    main = type(sys)("__main__")
    names = main.__dict__
    names.update(__file__=path, __builtins__=__builtins__, __cached__=None)
    sys.modules["__main__"] = main
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.reconfigure(line_buffering=True)
    status = 0
    try:
        code = compile(source, path, "exec", dont_inherit=True)
        del source
        exec(code, names)
    except SystemExit as e:
        status = exit_status(e.code)
    except BaseException as e:
        status = 1
        # Our own frame is not the program's business, except that a SyntaxError has no other.
        tb = e.__traceback__.tb_next
        e.__traceback__ = None
        if isinstance(e, KeyboardInterrupt):
            status = 130
        sys.last_type, sys.last_value, sys.last_traceback = type(e), e, tb
        try:
            sys.excepthook(type(e), e.with_traceback(tb), tb)
        except SystemExit as again:
            status = exit_status(again.code)
        e = tb = None
    finish(status, main, folder + "/")


def getenv(name):
    from posix import environ
    return environ.get(name.encode(), b"").decode("utf-8", "surrogateescape")


def exit_status(code):
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    sys.stdout.flush()
    print(code, file=sys.stderr)
    return 1


# The end of CPython's own main, without taking the whole interpreter apart (1 ms) where nobody could
# tell: no file is open, no module of the user's is loaded, nothing asked for the full ceremony.
def finish(status, main, folder):
    from posix import _exit, listdir
    threading = sys.modules.get("threading")
    if threading is not None:
        try:
            threading._shutdown()
        except BaseException as e:
            sys.excepthook(type(e), e, e.__traceback__)
    import atexit
    atexit._run_exitfuncs()
    try:
        quick = len(listdir("/proc/self/fd")) <= 4
    except OSError:
        quick = False
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if module is not main and isinstance(file, str) and file.startswith(folder):
            quick = False
    if quick:
        clear(main.__dict__)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            status = status or 120
            quick = True
    if quick:
        _exit(status)
    del main
    raise SystemExit(status)


# As the interpreter does it: private names first, each set to None, so that __del__ runs in its order.
def clear(names):
    for private in (True, False):
        for name in list(names):
            if name.startswith("_") == private and name != "__builtins__":
                names[name] = None


_run()
