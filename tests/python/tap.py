# SPDX-License-Identifier: Apache-2.0
"""What these tests share: checks in TAP, work divided over the processors, sizes for arguments."""

import argparse
import contextlib
import faulthandler
import functools
import os
import resource
import signal
import sys
import traceback
from concurrent.futures import ProcessPoolExecutor

MEMORY = 4 << 30  # for each process: nothing here may eat the machine


class Tap:
    """Prints results as they come, and the plan at the end."""

    def __init__(self):
        self.count = self.failed = 0

    def ok(self, condition, name, *details):
        self.count += 1
        self.failed += not condition
        print(f"{'' if condition else 'not '}ok {self.count} - {name}")
        if not condition:
            for detail in details:
                for line in str(detail).splitlines() or [""]:
                    print("# " + line[:2000].encode("ascii", "backslashreplace").decode())
        sys.stdout.flush()
        return condition

    def equal(self, got, want, name, *details):
        return self.ok(got == want, name, f"got  {got!r}", f"want {want!r}", *details)

    def note(self, text):
        print("# " + text)
        sys.stdout.flush()

    def skip(self, name, why):
        self.count += 1
        print(f"ok {self.count} - {name} # SKIP {why}")
        sys.stdout.flush()

    def done(self):
        print(f"1..{self.count}")
        return 1 if self.failed or not self.count else 0


def say(line):
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


begun = []  # what runs now, the outermost first


@contextlib.contextmanager
def running(name):
    """Tells tests/run-tap what runs, in case it does not end. An exception that nothing inside catches ends the suite
    or what is around this: its name stays the last that has begun."""
    depth = len(begun)
    begun.append(name)
    path = " / ".join(begun)
    say("# begins " + path)
    try:
        yield
        say("# ends " + path)
    finally:
        del begun[depth:]


def announced(name, function):
    @functools.wraps(function)
    def announce(*args, **named):
        with running(name):
            return function(*args, **named)

    return announce


def announce_tests(module):
    """From now on each function test_NAME of a module says when it begins. Those that a table already holds do not."""
    for name, function in list(vars(module).items()):
        own = callable(function) and getattr(function, "__module__", None) == module.__name__
        if own and name.startswith("test_") and not hasattr(function, "__wrapped__"):
            setattr(module, name, announced(name, function))


def run_part(tap, name, function):
    with running(name):
        try:
            function(tap)
        except Exception as e:  # one part's failure is not the others'
            tap.ok(False, "%s goes to its end" % name, repr(e), *traceback.format_tb(e.__traceback__))


def run_parts(parts, names=()):
    """TAP of {name: function(tap)}: of those named, or all. The exit status."""
    # When its time is up a suite says where each of its threads was.
    faulthandler.register(signal.SIGTERM, file=sys.stderr, chain=True)
    for name in names:
        if name not in parts:
            sys.exit("there is no part '%s'; there are: %s" % (name, " ".join(parts)))
    tap = Tap()
    for name in names or parts:
        announce_tests(sys.modules[parts[name].__module__])
        run_part(tap, name, parts[name])
    return tap.done()


def bound_memory(ceiling=MEMORY):
    resource.setrlimit(resource.RLIMIT_AS, (ceiling, ceiling))


def in_parts(function, items, size):
    """function(list) for each piece of `size` items, on all processors; its answers, in order."""
    pieces = [items[i : i + size] for i in range(0, len(items), size)]
    with ProcessPoolExecutor(os.cpu_count(), initializer=bound_memory) as pool:
        yield from pool.map(function, pieces)


def arguments(doc, **defaults):
    """--NAME VALUE for each default, of its type."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    for name, default in defaults.items():
        parser.add_argument("--" + name, type=type(default), default=default)
    return parser.parse_args()


def alone(test, doc, **defaults):
    """When a part is run by itself; its arguments are handed to its test function."""
    tap = Tap()
    test(tap, **vars(arguments(doc, **defaults)))
    sys.exit(tap.done())
