# SPDX-License-Identifier: Apache-2.0
# The test side of suite_link.py: runs test code as HumanEval and MBPP have it. The candidate is not in this process
# nor in this sandbox, so the code can be believed: a test has passed when it ran to its end and nothing that the
# candidate caused was swallowed on the way.
#
# The file named in the first argument is JSON: "prompt" and "setup" run first, "tests" one by one; "entry" is what
# check() is called with. Our standard output has the messages to the candidate, which begin with {, and lines that
# begin with "=" and are for the host: what came of a test, and at the end which names were the candidate's.
from _thread import RLock
from posix import _exit
from time import perf_counter_ns


class Timeout(BaseException):
    pass


# The link of this side: whatever goes wrong with it stays in mind, since test code may catch it.
class TestLink(Link):
    over = None
    epoch, testing = 0, False

    def end(self, why):
        self.over = LinkEnded("The candidate's process " + why)
        raise self.over

    def fault(self, why):
        self.over = LinkFault(why)
        raise self.over

    def ask(self, op, *args, **kwargs):
        if self.over is not None:
            raise self.over
        with turn:  # of the threads of a test
            return Link.ask(self, op, *args, **kwargs)

    def encode(self, v):
        try:
            return Link.encode(self, v)
        except (TooMuch, TypeError) as e:
            self.fault("the test cannot pass a value to the candidate: %s" % e)

    def send(self, text):
        try:
            Link.send(self, text)
        except OSError:
            self.end("ended before the test did")

    # It may come back, and is to be the same class then.
    def report(self, e):
        own_exceptions.setdefault(name_of(type(e)), type(e))
        return raised(e)

    def take(self, op, message, args):
        try:
            return Link.take(self, op, message, args)
        except (LinkEnded, Timeout):
            raise
        except BaseException as e:
            theirs = outside_loops(e) if op != "next" else no_other_end(e)
        theirs.__dict__["_theirs"] = True
        raise theirs


turn = RLock()


# Whether the candidate raised it.
def is_theirs(e):
    return isinstance(e, BaseException) and e.__dict__.get("_theirs") is True


# Test code lets StopIteration end its loops, and in CPython no generator lets one out (PEP 479): a candidate's ends
# none, except where an iterator of the candidate's is asked for the next value.
def outside_loops(e):
    if isinstance(e, (StopIteration, StopAsyncIteration, GeneratorExit)):
        return RuntimeError("the candidate raised %s" % type(e).__name__)
    return e


def no_other_end(e):
    return StopIteration(*e.args) if isinstance(e, StopIteration) else outside_loops(e)


# ---- names ----

# Names that neither the test code nor Python nor a library has are the candidate's.
class Names(dict):
    def __missing__(self, name):
        if name.startswith("__") or hasattr(builtins, name):
            raise KeyError(name)
        found = libraries.find(name)
        if not found and name in libraries.uses.bound:
            raise KeyError(name)
        self[name] = found[0] if found else self.borrow(name)
        return self[name]

    def borrow(self, name):
        try:
            found = link.ask("name", name)
        except NameError:
            raise KeyError(name) from None
        if name not in borrowed:
            borrowed.append(name)
        if type(found) is dict and "import" in found:
            return library(name, found["import"])
        if type(found) is dict and "exception" in found:
            return own_exception(name, found["exception"])
        if type(found) is dict and "value" in found:
            return found["value"]
        link.end("sent a line that is no message")


def library(name, module):
    found = module_or_none(module) if type(module) is str else None
    if found is None:
        raise NameError("name %r is not defined" % name)
    return found


# An alias of what assertions raise would catch them.
def own_exception(name, told):
    kind = exception_class(told)
    if issubclass(AssertionError, kind):
        kind = own_exceptions[name] = type(name, (Exception,), {})
    return kind


# The exceptions of a prompt are in the candidate's text as well, and the same ones.
def note_exceptions():
    for name, v in names.items():
        if isinstance(v, type) and issubclass(v, Exception) and builtin_exception(name) is None:
            own_exceptions.setdefault(name, v)


# ---- a test ----

def run(code):
    exec(code, names)


def compiled_test(text, what):
    try:
        return compile(text, what, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as e:
        raise LinkFault("the test code does not compile: %s" % e) from None


# What is defined, and the names that its own level calls.
def outline(text):
    tree = parse(text)
    body = tree.body if tree is not None else []
    return body, {node.value.func.id for node in body if kind_of(node) == "Expr" and kind_of(node.value) == "Call"
                  and kind_of(node.value.func) == "Name"}


def kind_of(node):
    return type(node).__name__


PASSIVE = ("FunctionDef", "AsyncFunctionDef", "ClassDef", "Import", "ImportFrom", "Pass", "Global")
VALUES_ONLY = ("Assign", "AnnAssign", "Expr")  # ... unless they call something


def calls_any(node):
    if type(node) is list:
        return any(map(calls_any, node))
    return hasattr(node, "_fields") and (
        kind_of(node) == "Call" or any(calls_any(getattr(node, field, None)) for field in node._fields))


def does_something(node):
    return kind_of(node) not in PASSIVE and (kind_of(node) not in VALUES_ONLY or calls_any(node))


# Functions named test_... that the text does not call, as pytest finds them.
def loose_tests(body, called):
    return [node.name for node in body if kind_of(node) == "FunctionDef" and node.name.startswith("test")
            and node.name not in called and len(node.args.args) == len(node.args.defaults)]


def case_classes(body):
    base = getattr(modules.get("unittest"), "TestCase", None)
    found = [dict.get(names, node.name) for node in body if kind_of(node) == "ClassDef"]
    return [v for v in found if base is not None and isinstance(v, type) and issubclass(v, base)]


class Failed(Exception):
    """The report of a test method; its type's name is the first word of it."""


def run_case_classes(classes):
    import unittest
    result, loader = unittest.TestResult(), unittest.TestLoader()
    result.failfast = True
    unittest.TestSuite(map(loader.loadTestsFromTestCase, classes)).run(result)
    for test, report in result.errors + result.failures:
        raise Failed("%s: %s" % (test, report.strip().rpartition("\n")[2]))
    if result.unexpectedSuccesses:
        raise Failed("%s: unexpected success" % result.unexpectedSuccesses[0])
    return result.testsRun > len(result.skipped)


# Whether anything was tested.
def run_test(text):
    body, called = outline(text)
    run(compiled_test(text, "<test>"))
    ran = any(map(does_something, body))
    check = dict.get(names, "check")
    if check is not None and entry:
        check(names[entry])
        ran = True
    elif check is not None and not ran:
        raise LinkFault('the test code defines check(candidate), and the task has no "entry_point"')
    for name in loose_tests(body, called):
        names[name]()
        ran = True
    classes = case_classes(body)
    return bool(classes and run_case_classes(classes)) or ran


# ---- what came of it ----

# The innermost line of the test code that led to it.
def line_of(e, text):
    number, tb = 0, e.__traceback__
    while tb is not None:
        if tb.tb_frame.f_code.co_filename == "<test>":
            number = tb.tb_lineno
        tb = tb.tb_next
    lines = text.splitlines()
    return lines[number - 1].strip()[:200] if 0 < number <= len(lines) else ""


def describe(e, text):
    if isinstance(e, Timeout):
        return "Timeout after %ss" % seconds
    if isinstance(e, (LinkEnded, LinkFault, Failed)):
        return str(e)
    said = type(e).__name__
    message = words_of(str, e, said, 500)
    line = line_of(e, text)
    return said + (": " + message if message else "") + (" (in the test: %s)" % line if line else "")


# No verdict can be given: the test code is at fault, or the link cannot carry what it does.
def is_fault(e):
    return isinstance(e, LinkFault) or (isinstance(e, (ImportError, SystemExit)) and not is_theirs(e))


def tell(number, began, detail, fault=False):
    link.send('={"test":%d,"us":%d,"detail":%s,"fault":%s}' % (
        number, (perf_counter_ns() - began) // 1000, "null" if detail is None else quote(detail),
        "true" if fault else "false"))


# It rings again, for test code may have caught the first one.
def on_alarm(*_):
    if link.testing:
        link.over = link.over or Timeout()
        raise link.over


# What it failed with, or None.
def failure_of(what, *args):
    try:
        link.testing = True
        try:
            what(*args)
        finally:
            link.testing = False
        return link.over
    except BaseException as e:
        link.testing = False
        return e if link.over is None else link.over


def begin(task):
    link.take("load", link.receive(), ())
    try:
        for code in code_of(task["prompt"], "<prompt>"):
            run(code)
        note_exceptions()
        if entry:
            names[entry] = names.borrow(entry)
            borrowed.remove(entry)
        run(compiled_test(task["setup"], "<setup>"))
    except KeyError as e:
        if e.args == (entry,):
            raise NameError("name %r is not defined" % entry) from None
        raise
    except Exception as e:
        if not is_theirs(e) and not isinstance(e, NameError):
            raise LinkFault("before the tests: %s" % describe(e, "")) from None
        raise


def main(task):
    from signal import ITIMER_REAL, SIGALRM, setitimer, signal
    tests, tested = task["tests"], []
    signal(SIGALRM, on_alarm)
    if seconds:
        setitimer(ITIMER_REAL, seconds, 0.2)
    began = perf_counter_ns()
    why = failure_of(begin, task)
    for number, text in enumerate(tests):
        e = why or failure_of(lambda: tested.append(run_test(text)))
        if isinstance(e, (Timeout, LinkEnded, LinkFault)):
            why = e
        if e is None and number == len(tests) - 1 and not any(tested):
            e = LinkFault("the test code tests nothing: it defines names and calls none")
        tell(number, began, None if e is None else describe(e, text), e is not None and is_fault(e))
        began = perf_counter_ns()
    link.send('={"names":[%s]}' % ",".join(map(quote, borrowed)))


link = TestLink(
    callable, lambda v: getattr(builtins, v.__name__, None) is v,
    {"call": lambda f, *args, **kwargs: f(*args, **kwargs)}, REMOTES)
names = Names(__name__="test", __builtins__=builtins)
with open(sys.argv[1], "rb") as f:
    task = link.decode(f.read().decode())
entry, seconds = task["entry"], task["seconds"]
sys.path.append(sys.argv[1].rpartition("/")[0])  # of the user's own inputs; after everything else
libraries = Libraries([task["prompt"], task["setup"]] + task["tests"], entry)
borrowed = []
main(task)
_exit(0)
