# SPDX-License-Identifier: Apache-2.0
# The forms of tests. Follows suite_checks.py. A text runs as a program would, with __name__ "__main__"; then the
# tests in it that were not called are run: check(), functions and classes as pytest finds them, unittest, doctest.


class Failed(Exception):
    """The report of a test; its type's name is the first word of it."""


# ---- failures that do not reach the text: in a thread, or in the result of a runner ----

def stray(e):
    link.stray = link.stray or e


def watch_threads(module):
    report = module.excepthook

    def excepthook(args):
        if not isinstance(args.exc_value, SystemExit):
            stray(args.exc_value)
        report(args)
    module.excepthook = excepthook


def note_error(test, found):
    kind, e = found[:2]
    failed = Failed("%s: %s" % (test, described(e)))
    failed.fault, failed.outcome = is_fault(e), outcome_of(e)
    stray(failed)


def watch_results(module):
    result = module.TestResult

    def noting(name, note):
        report = getattr(result, name)

        def method(self, *args):
            note(*args)
            return report(self, *args)
        setattr(result, name, method)

    noting("startTest", lambda test: started.add(type(test)))
    noting("addError", note_error)
    noting("addFailure", note_error)
    noting("addSubTest", lambda test, part, found: found is not None and note_error(part, found))
    noting("addUnexpectedSuccess", lambda test: stray(Failed("%s: unexpected success" % test)))


def settle_methods(module):
    module.TestCase._callTestMethod = lambda self, method: settle(method(), method.__name__)


# unittest.main() ends the process.
def stay(module):
    run = module.TestProgram.runTests

    def runTests(self):
        self.exit = False
        run(self)
    module.TestProgram.runTests = runTests


def watch_examples(module):
    runner = module.DocTestRunner

    def success(self, out, test, example, got):
        if example.want:
            checks.checked()
    runner.report_success = success
    runner.report_start = lambda self, out, test, example: setattr(checks, "examples", checks.examples + 1)
    runner.report_failure = lambda self, out, test, example, got: stray(
        Failed("%s: expected %r, got %r" % (example.source.strip(), example.want[:200], got[:200])))
    runner.report_unexpected_exception = lambda self, out, test, example, found: note_error(example.source.strip(), found)


started = set()  # classes of unittest whose tests were run
ON_IMPORT = {"threading": watch_threads, "unittest.result": watch_results, "unittest.case": settle_methods,
             "unittest.main": stay, "doctest": watch_examples}


# Calls the functions above when their module is imported.
class Watcher:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in ON_IMPORT:
            return None
        from _frozen_importlib import _find_spec
        sys.meta_path.remove(Watcher)
        try:
            spec = _find_spec(name, path)
        finally:
            sys.meta_path.insert(0, Watcher)
        if spec is not None:
            spec.loader = WatchedLoader(spec.loader, ON_IMPORT[name])
        return spec


class WatchedLoader:
    def __init__(self, loader, then):
        self.loader, self.then = loader, then

    def __getattr__(self, name):
        return getattr(self.loader, name)

    def exec_module(self, module):
        self.loader.exec_module(module)
        self.then(module)


def watch_imports():
    for name, then in ON_IMPORT.items():
        if name in modules:
            then(modules[name])
    sys.meta_path.insert(0, Watcher)


# ---- what a test returns ----

async def finish(v):
    return await v


def settle(value, what):
    kind = type(value)
    if kind.__name__ in ("generator", "async_generator"):
        link.fault("%s is a generator: none of its tests ran" % what)
    if hasattr(kind, "__await__"):
        import asyncio
        settle(asyncio.run(finish(value)), what)


# ---- the tests that a text defines ----

defined = {}  # functions of all texts so far, by their names

def is_due(function):
    return function is not None and not function.entered and not function.skipped and not function.takes


def run_check():
    check, function = dict.get(names, "check"), defined.get("check")
    if check is None or function is None or function.entered:
        return
    if not entry:
        link.fault('the test code defines check(candidate), and the task has no "entry_point"')
    settle(check(names[entry]), "check")


def run_functions(top):
    for name, function in list(top.items()):
        if type(name) is str and name.startswith("test") and is_due(function) and name in names:
            settle(names[name](), name)


def set_up(instance, *hooks):
    for name in hooks:
        if hasattr(instance, name):
            settle(getattr(instance, name)(), name)


# As in pytest: a new instance for each method.
def run_class(kind, methods):
    set_up(kind, "setup_class")
    for name in methods:
        instance = kind()
        set_up(instance, "setup", "setup_method")
        settle(getattr(instance, name)(), name)
        set_up(instance, "teardown_method", "teardown")
    set_up(kind, "teardown_class")


def run_classes(tree, top):
    base = getattr(modules.get("unittest"), "TestCase", None)
    cases = []
    for node in tree.body:
        kind = dict.get(names, node.name) if kind_of(node) == "ClassDef" else None
        if not isinstance(kind, type):
            continue
        if base is not None and issubclass(kind, base):
            cases += [kind] if kind not in started else []
        elif node.name.startswith("Test"):
            run_class(kind, [key[1] for key, function in top.items() if type(key) is tuple and key[0] == node.name
                             and key[1].startswith("test") and is_due(function)])
    if cases:
        run_cases(cases)


def run_cases(classes):
    import unittest
    result, loader = unittest.TestResult(), unittest.TestLoader()
    result.failfast = True
    unittest.TestSuite(map(loader.loadTestsFromTestCase, classes)).run(result)


# Only if a text has no other checks: examples in the documentation of a helper are not always meant to be run.
def run_examples(tree):
    if checks.examples or checks.held or checks.failed:
        return
    texts = [(node, text) for node in [tree] + tree.body for text in [text_of(node)] if text is not None and ">>>" in text]
    if texts:
        import doctest
        for node, text in texts:
            test = doctest.DocTestParser().get_doctest(text, names, getattr(node, "name", "test"), None, 0)
            doctest.DocTestRunner().run(test, out=len, clear_globs=False)


def text_of(node):
    first = node.body[0] if kind_of(node) in FUNCTIONS + ("ClassDef", "Module") and node.body else None
    value = getattr(getattr(first, "value", None), "value", None)
    return value if type(value) is str and kind_of(first) == "Expr" else None


def join_threads():
    threading = modules.get("threading")
    if threading is not None:
        for thread in threading.enumerate():
            if thread is not threading.current_thread() and not thread.daemon:
                thread.join()


def run_test(text):
    code, tree, top = counted(text, "<test>", checks)
    link.stray = None
    defined.update(top)
    exec(code, names)
    run_check()
    run_functions(top)
    run_classes(tree, top)
    run_examples(tree)
    join_threads()
    if link.stray is not None:
        raise link.stray
