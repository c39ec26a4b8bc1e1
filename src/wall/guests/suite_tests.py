# SPDX-License-Identifier: Apache-2.0
# The test side of suite_link.py: runs test code as in HumanEval and MBPP. Follows suite_forms.py. The candidate
# is neither in this process nor in this sandbox, so the code can be trusted: a test has passed if it ran to its end and
# no exception that the candidate caused was swallowed on the way.
#
# The file named in the first argument is JSON: "prompt" and "setup" run first, "tests" one by one; "entry" is the
# argument of check(). Our standard output has the messages to the candidate, which begin with {, and lines that
# begin with "=" and are for the host: the outcome of each test, and at the end the names that were the candidate's.
#
# With "candidate", its text, all runs in this one process, as in plain Python: "failed" are numbers of tests that
# failed over the link, for reasons that may be the link's. A test that passes now has no verdict. This run decides
# nothing else, because here the candidate can do anything.
from _thread import RLock
from posix import _exit
from time import perf_counter_ns


class Timeout(BaseException):
    pass


# The link of this side. It remembers each failure, because test code may catch the exception.
class TestLink(Link):
    usual = {"stdin": sys.stdin, "stdout": sys.stdout, "stderr": sys.stderr, "input": input, "print": print}
    reader = None, None
    over = stray = None
    epoch, testing, asked = 0, False, 0
    used = False  # True: the candidate was called, touched or used as a value
    garbled = False
    refused = None  # an operation that the candidate may not do to a test here, and could in one process
    exact = True  # all values so far mean the same on both sides

    def stop(self, why):
        self.over = LinkEnded(why)
        raise self.over

    def garble(self):
        self.garbled = True
        Link.garble(self)

    def fault(self, why):
        self.over = LinkFault(why)
        raise self.over

    def ask(self, op, *args, **kwargs):
        if self.over is not None:
            raise self.over
        if op != "name":
            self.used = True
            self.asked += 1
            self.exact = self.exact and op == "call" and is_plain_value(args[1:]) and not kwargs
        with turn:  # of the threads of a test
            value = Link.ask(self, op, *args, **kwargs)
        self.exact = self.exact and (op == "name" or is_plain_value(value))
        return value

    def encode(self, v):
        try:
            return Link.encode(self, v)
        except (TooMuch, TypeError) as e:
            self.fault("the test cannot pass a value to the candidate: %s" % e)

    def send(self, text):
        try:
            Link.send(self, text)
        except OSError:
            self.ended()

    # The object may come back, and must have the same class then.
    def report(self, e):
        if built_in.get(name_of(type(e))) is not type(e):
            own_exceptions.setdefault(name_of(type(e)), type(e))
        return Link.report(self, e)

    # During a call, a test's replacements of standard streams and functions are also in force for the candidate.
    def streams(self):
        found = {name: True for name in ("stdout", "stderr") if getattr(sys, name) is not self.usual[name]}
        found.update((name, getattr(builtins, name)) for name in ("input", "print") if getattr(builtins, name) is not self.usual[name])
        if sys.stdin is not self.usual["stdin"]:
            if self.reader[0] is not sys.stdin:
                self.reader = sys.stdin, sys.stdin.readline
            found["stdin"] = self.reader[1]
        return found

    def question(self, op, args, kwargs):
        question, streams = Link.question(self, op, args, kwargs), self.streams()
        return '%s,"streams":%s}' % (question[:-1], self.encode(streams)) if streams else question

    def take(self, op, message, args):
        for name, text in message.get("printed", {}).items():
            if text and name in ("stdout", "stderr"):
                getattr(sys, name).write(str(text))
        try:
            return Link.take(self, op, message, args)
        except (LinkEnded, Timeout):
            raise
        except BaseException as e:
            self.exact = self.exact and type(e) in PLAIN_ERRORS and is_plain_value(e.args)
            theirs = outside_loops(e) if op != "next" else no_other_end(e)
        theirs.__dict__["_theirs"] = True
        raise theirs


def named_class(name):
    return None


turn = RLock()
PLAIN_ERRORS = {
    AssertionError, IndentationError, IndexError, KeyError, OverflowError, RecursionError, SyntaxError, TypeError,
    UnboundLocalError, ValueError, ZeroDivisionError}
PLAIN_VALUES = {type(None), bool, int, float, complex, str, bytes}


# True for a value that cannot be distinguished from its copy.
def is_plain_value(v):
    return type(v) in PLAIN_VALUES or (type(v) in (tuple, frozenset) and all(map(is_plain_value, v)))


# True if the candidate raised it.
def is_theirs(e):
    return isinstance(e, BaseException) and e.__dict__.get("_theirs") is True


# StopIteration ends loops of test code, and in CPython no generator lets it out (PEP 479): one of the candidate
# ends no loop, except where an iterator of the candidate is asked for the next value.
def outside_loops(e):
    if isinstance(e, (StopIteration, StopAsyncIteration, GeneratorExit)):
        link.refused = RuntimeError("the candidate raised %s" % type(e).__name__)
        return link.refused
    return e


def no_other_end(e):
    return StopIteration(*e.args) if isinstance(e, StopIteration) else outside_loops(e)


# ---- names ----

# Names that neither the test code nor Python nor a library defines are the candidate's.
class Names(dict):
    def __missing__(self, name):
        if name.startswith("__") or hasattr(builtins, name):
            raise KeyError(name)
        found = libraries.find(name)
        if not found and name in libraries.uses.bound:
            raise KeyError(name)
        self[name] = found[0] if found else self.borrow(name)
        return self[name]

    def copy(self):
        return self

    def borrow(self, name):
        if alone:
            raise KeyError(name)
        try:
            found = link.ask("name", name)
        except NameError:
            link.used = True
            raise KeyError(name) from None
        if name not in borrowed:
            borrowed.append(name)
        link.used |= type(found) is dict and "value" in found and not is_remote(found["value"])
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


# An alias of the exception that assertions raise would catch them.
def own_exception(name, told):
    kind = exception_class(told)
    if issubclass(AssertionError, kind):
        kind = own_exceptions[name] = type(name, (Exception,), {})
    return kind


# The exceptions of a prompt are also in the candidate's text, and count as the same.
def note_exceptions():
    for name, v in names.items():
        if isinstance(v, type) and issubclass(v, Exception) and built_in.get(name) is not v:
            own_exceptions.setdefault(name, v)


# ---- what came of it ----

# The innermost line of the test code that led to the exception.
def line_of(e, text):
    number, tb = 0, e.__traceback__
    while tb is not None:
        if tb.tb_frame.f_code.co_filename == "<test>":
            number = tb.tb_lineno
        tb = tb.tb_next
    lines = text.splitlines()
    return lines[number - 1].strip()[:200] if 0 < number <= len(lines) else ""


def described(e):
    if isinstance(e, (LinkEnded, LinkFault, Failed)):
        return str(e)
    said = type(e).__name__
    message = words_of(str, e, said, 500)
    said += ": " + message if message else ""
    return "The candidate ended the program (%s)" % said if isinstance(e, SystemExit) and is_theirs(e) else said


def describe(e, text):
    if isinstance(e, Timeout):
        return "Timeout after %ss" % seconds
    line = "" if isinstance(e, (LinkEnded, LinkFault, Failed)) else line_of(e, text)
    return described(e) + (" (in the test: %s)" % line if line else "")


# No verdict is possible: the test code is at fault, or the link cannot carry its requests.
def is_fault(e):
    return (isinstance(e, LinkFault) or (not is_theirs(e) and (getattr(e, "fault", False) is True or isinstance(e, (ImportError, SystemExit)))))


# True if a failure is the candidate's, in spite of the link's differences from one process. A test with many requests
# may have had too little time; a name that the test code assigns to is never the candidate's.
def is_sure(e):
    if isinstance(e, Timeout):
        return link.asked < MANY
    return ((isinstance(e, LinkEnded) and not link.garbled) or link.refused is not None or (link.exact and libraries.uses.are_local())
            or (isinstance(e, NameError) and not is_theirs(e) and getattr(e, "name", None) in libraries.uses.bound))


# The outcome of a test that failed. A name that is missing is the candidate's; any other exception of the test code,
# such as len(None), comes from a wrong value.
def outcome_of(e):
    if isinstance(e, (Timeout, LinkEnded)):
        return "timeout" if isinstance(e, Timeout) else "exited"
    if not is_theirs(e):
        return getattr(e, "outcome", "exception" if isinstance(e, NameError) else "wrong")
    return "exited" if isinstance(e, SystemExit) else "memory" if isinstance(e, MemoryError) else "exception"


def tell(number, began, text, e):
    link.send('={"test":%d,"us":%d,"detail":%s,"outcome":%s,"fault":%s,"sure":%s,"used":%s}' % (
        number, (perf_counter_ns() - began) // 1000, "null" if e is None else quote(describe(e, text)),
        "null" if e is None else quote(outcome_of(e)), truth_of(e is not None and is_fault(e)), truth_of(e is None or is_sure(e)), truth_of(link.used)))


def truth_of(v):
    return "true" if v else "false"


# The alarm repeats, because test code may have caught the first one.
def on_alarm(*_):
    if link.testing:
        link.over = link.over or Timeout()
        raise link.over


# The exception with which it failed, or None.
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


# Modules of the candidate, and modules with the test's own names.
class Module(type(sys)):
    def __init__(self, name, doc, space):
        object.__setattr__(self, "_space", space)

    def __getattribute__(self, name):
        space = object.__getattribute__(self, "_space")
        if name in ("__dict__", "__class__"):
            return space if name == "__dict__" else Module
        try:
            return space[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name, v):
        self.__dict__[name] = v

    def __delattr__(self, name):
        del self.__dict__[name]

    def __dir__(self):
        return [name for name in self.__dict__ if not name.startswith("@")]


MANY = 1000  # requests; each takes less than a millisecond


# A module with the candidate's names, for test code that imports it.
class Lender(dict):
    def __missing__(self, name):
        if name.startswith("__"):
            raise KeyError(name)
        try:
            self[name] = names[name] if alone or name == entry else names.borrow(name)
        except KeyError:
            raise NameError("name %r is not defined" % name) from None
        return self[name]


class SolutionFinder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in ("solution", "candidate"):
            from importlib.machinery import ModuleSpec
            return ModuleSpec(name, SolutionFinder)

    @staticmethod
    def create_module(spec):
        return Module(spec.name, None, Lender())

    @staticmethod
    def exec_module(module):
        pass


def load_alone(task):
    for name in libraries.uses.loaded:
        found = libraries.find(name)
        if found:
            names[name] = found[0]
    exec(compile(task["candidate"], "candidate.py", "exec", candidate_flags, True), names)
    exec(compile(task["setup"], "<setup>", "exec", dont_inherit=True), names)


def load(task):
    for code in code_of(task["prompt"], "<prompt>"):
        exec(code, names)
    note_exceptions()
    if entry:
        names[entry] = names.borrow(entry)
        borrowed.remove(entry)
    exec(counted(task["setup"], "<setup>", checks)[0], names)


def begin(task):
    if not alone:
        link.take("load", link.receive(), ())
    try:
        (load_alone if alone else load)(task)
    except KeyError as e:
        if e.args == (entry,):
            raise NameError("name %r is not defined" % entry) from None
        raise
    except Exception as e:
        if not is_theirs(e) and not isinstance(e, NameError):
            raise LinkFault("before the tests: %s" % describe(e, "")) from None
        raise


# The last test's result for all of them, or None.
def last_word(e, begun):
    if not link.used and begun and not isinstance(e, LinkEnded):
        return LinkFault("the test code has used nothing of the candidate's%s" % ("" if e is None else ": " + describe(e, "")))
    doubt = None if e is not None or failed else checks.doubt()
    return LinkFault(doubt) if doubt else e


def run_tests(tests, begun):
    why = begun
    for number, text in enumerate(tests):
        began = perf_counter_ns()
        e = why or failure_of(run_test, text)
        if isinstance(e, (Timeout, LinkEnded, LinkFault)):
            why = e
        if number == len(tests) - 1:
            e = last_word(e, begun is None)
        failed.extend([number] if e is not None else [])
        tell(number, began, text, e)
    deciders = [name for name in borrowed if name in libraries.uses.deciders and (entry or len(borrowed) > 1)]
    link.send('={"names":[%s],"deciders":[%s]}' % (",".join(map(quote, borrowed)), ",".join(map(quote, deciders))))


def run_again(tests, why):
    for number, text in enumerate(tests):
        if (why or failure_of(run_test, text)) is None and number in task["failed"]:
            if not any(is_liar(kind) for address, kind in all_classes().items() if address not in known and not is_library(kind)):
                link.send('={"passes":%d}' % number)
            return


# ---- classes that agree with everything, which no answer does ----

# Found by their addresses, because two of them may claim to be equal.
def all_classes():
    found, left = {}, [object]
    while left:
        kind = left.pop()
        if id(kind) not in found:
            found[id(kind)] = kind
            left.extend(type.__subclasses__(kind))
    return found


# unittest.mock.ANY is equal to everything.
def is_library(kind):
    module = modules.get(str(module_of(kind)).partition(".")[0])
    return module not in (None, builtins) and vars(module).get("__spec__") is not None


def agrees(kind, v):
    method = lambda name: getattr(kind, "__%s__" % name)
    said = lambda name, other: method(name)(v, other) not in (False, NotImplemented)
    strangers = [object(), 982451653.25, "no such value", [0.125, None]]
    return any(map(all, ([said(name, other) for other in strangers] for name in ("eq", "contains") if hasattr(kind, "__%s__" % name)))
               ) or (said("lt", 982451653) and said("gt", 982451653))


# For an object that has no content yet, and for the class itself as an object.
def is_liar(kind):
    made = next((base for base in mro_of(kind) if id(base) in known), object)
    for kind, make in ((kind, lambda: made.__new__(kind)), (type(kind), lambda: kind)):
        try:
            if id(kind) not in known and agrees(kind, make()):
                return True
        except BaseException:
            pass
    return False


def main():
    from signal import ITIMER_REAL, SIGALRM, setitimer, signal
    signal(SIGALRM, on_alarm)
    if seconds:
        setitimer(ITIMER_REAL, seconds, 0.2)
    (run_again if alone else run_tests)(task["tests"], failure_of(begin, task))


link = TestLink(
    callable, lambda v: getattr(builtins, v.__name__, None) is v,
    {"call": lambda f, *args, **kwargs: f(*args, **kwargs), "signature": signature_of}, REMOTES)
with open(sys.argv[1], "rb") as f:
    task = link.decode(f.read().decode())
begin_profile({})
entry, seconds, alone = task["entry"], task["seconds"], "candidate" in task
folder = sys.argv[1].rpartition("/")[0]
sys.path.append(folder)  # the folder of the user's own inputs, after all others
sys.argv = ["test"]
if needs_site("".join([task["candidate"] if alone else "", task["prompt"], task["setup"]] + task["tests"]).encode("utf-8", "replace")):
    load_site()
libraries = Libraries([task["setup"]] + task["tests"] if alone else [task["prompt"], task["setup"]] + task["tests"], entry)
checks = Checks(lambda: link.used, libraries.others | {entry})
names = type(sys)("__main__").__dict__ if alone else Names(__name__="__main__", __builtins__=builtins)
names.update(checks.names(), __file__=folder + "/test.py")
modules["__main__"] = Module("__main__", None, names)
borrowed, failed = [], []
known = all_classes() if alone else ()
watch_imports()
sys.meta_path.append(SolutionFinder)
main()
_exit(0)
