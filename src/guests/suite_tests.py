# SPDX-License-Identifier: Apache-2.0
# The other side of suite_link.py: runs test code as HumanEval and MBPP have it. The candidate is not in this
# process nor in this sandbox, so the code can be believed: a test has passed when it ran to its end.
#
# The file named in the first argument is JSON: "prompt" and "setup" run first, "tests" one by one; "entry" is what
# check() is called with. Our standard output has the messages to the candidate, which begin with {, and for each
# test a line "=" and JSON.
import builtins
from posix import _exit
from time import perf_counter_ns


class Timeout(BaseException):
    pass


# Names that neither the test code nor Python has are the candidate's.
class Names(dict):
    def __missing__(self, name):
        if name.startswith("__") or hasattr(builtins, name):
            raise KeyError(name)
        try:
            found = link.ask("name", name)
        except NameError:
            raise KeyError(name) from None
        self[name] = self.thing(name, found)
        return self[name]

    def thing(self, name, found):
        if "import" in found:
            return library(name, found["import"])
        if "exception" in found:
            return exception_class(found["exception"])
        return found["value"]


def library(name, module):
    from importlib import import_module
    if module.partition(".")[0] not in sys.stdlib_module_names and module not in ("numpy", "pandas"):
        raise NameError("name %r is not defined" % name)
    return import_module(module)


def run(text, what):
    exec(compile(text, what, "exec", dont_inherit=True), names)


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
    if isinstance(e, LinkEnded):
        return "The candidate's process ended before the test did"
    said = type(e).__name__
    message = words_of(str, e, said, 500)
    line = line_of(e, text)
    return said + (": " + message if message else "") + (" (in the test: %s)" % line if line else "")


def run_test(text):
    run(text, "<test>")
    check = dict.get(names, "check")
    if entry and check is not None:
        check(names[entry])


def tell(number, began, detail):
    link.send('={"test":%d,"us":%d,"detail":%s}' % (
        number, (perf_counter_ns() - began) // 1000, "null" if detail is None else quote(detail)))


def on_alarm(*_):
    raise Timeout


def begin(task):
    link.take(link.receive(), ())
    if task["prompt"]:
        try:
            run(task["prompt"], "<prompt>")
        except SyntaxError:
            pass
    if entry:
        found = link.ask("name", entry)
        names[entry] = names.thing(entry, found)
    run(task["setup"], "<setup>")


def main(task):
    from signal import ITIMER_REAL, SIGALRM, setitimer, signal
    tests, why = task["tests"], None
    signal(SIGALRM, on_alarm)
    if seconds:
        setitimer(ITIMER_REAL, seconds)
    began = perf_counter_ns()
    try:
        begin(task)
    except BaseException as e:
        why = describe(e, "")
    for number, text in enumerate(tests):
        detail = why
        began = perf_counter_ns()
        if why is None:
            try:
                run_test(text)
            except BaseException as e:
                detail = describe(e, text)
                why = detail if isinstance(e, (Timeout, LinkEnded)) else None
        tell(number, began, detail)


link = Link(callable, {"call": lambda f, *args, **kwargs: f(*args, **kwargs)})
names = Names(__name__="test", __builtins__=builtins)
with open(sys.argv[1], "rb") as f:
    task = link.decode(f.read().decode())
entry, seconds = task["entry"], task["seconds"]
main(task)
_exit(0)
