#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that are made to get past the guard, and what share of them does, profile by profile.

A program takes a module by which commands can be started (SOURCES), sends it or its namespace through
a carrier (CARRIERS, SPACES, SEARCHES), and uses it at the other end (USES, NAMES); WHOLE are programs
that need no such module. They are put together here, 500 of them, always the same. Each has been seen
to run its command in a CPython of version 3.11; the command is `echo`. passes.limits holds what share
may pass each profile.

    tests/guard/bypasses.py [--show PROFILE] [--write 1]    the table; programs that pass PROFILE

What passes `strict` still is code that a program writes into a file and imports. A new way past the guard belongs here first.
"""

import json
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "python")]

import programs  # noqa: E402
from tap import alone  # noqa: E402

MANY = 500
TOKEN = "bypassed"
PROFILES = ("strict", "host", "kodeagent", "codeact", "smolagents", "restricted", "agentos", "chapter")
LIMITS = os.path.join(HERE, "passes.limits")

OS, BUILTINS, PROCESS = "os", "builtins", "subprocess"

# (what it is, statements, expression): a module that starts commands.
SOURCES = [
    (OS, "import os", "os"),
    (OS, "import posix", "posix"),
    (OS, "import random", "random._os"),
    (OS, "import tempfile", "tempfile._os"),
    (OS, "import shutil", "shutil.os"),
    (OS, "import json.decoder, gettext", "gettext.os"),
    (OS, "import pathlib", "pathlib.os"),
    (OS, "import os", "os.path.os"),
    (OS, "from random import _os as helper", "helper"),
    (BUILTINS, "import builtins", "builtins"),
    (BUILTINS, "import re", "re.enum.bltns"),
    (BUILTINS, "import json", "json.scanner.re.enum.bltns"),
    (BUILTINS, "from enum import bltns as b", "b"),
    (BUILTINS, "import inspect", "inspect.builtins"),
    (BUILTINS, "import tokenize", "tokenize.re.enum.bltns"),
    (BUILTINS, "import string", "string._re.enum.bltns"),
    (PROCESS, "import subprocess", "subprocess"),
    (PROCESS, "import asyncio.base_events", "asyncio.base_events.subprocess"),
    (PROCESS, "import webbrowser", "webbrowser.subprocess"),
]

# What is done with a module or with the function of a name in it: (name, arguments).
COMMAND = {
    OS: ("system", "'echo %s'" % TOKEN),
    BUILTINS: ("exec", "\"import posix; posix.system('echo %s')\"" % TOKEN),
    PROCESS: ("call", "['echo', '%s']" % TOKEN),
}

# Ways to spell a name: (statements, expression); {codes} are its characters, {name} the name itself.
NAMES = [
    ("", "'{name}'"),
    ("", "'{head}' + '{tail}'"),
    ("", "'{turned}'[::-1]"),
    ("def spell(n):\n    return ''.join(map(chr, n))", "spell({codes})"),
    ("def spell(n):\n    return ''.join(reversed(n))", "spell('{turned}')"),
    ("def spell(n):\n    s = ''\n    for c in n:\n        s += chr(c - 1)\n    return s", "spell({shifted})"),
    ("def spell(n):\n    return bytes(n).decode()", "spell({codes})"),
    ("def spell(*n):\n    return bytearray(n).decode('ascii')", "spell(*{codes})"),
    ("import sys\ndef spell(n):\n    return str(bytes(ord(c) for c in n), 'ascii')", "spell('{name}')"),
    ("def spell(n):\n    while len(n) > len('{name}'):\n        n = n[1:]\n    return n", "spell('x{name}')"),
]

# Uses of an expression that is the module: {m}, the name {k}, the arguments {a}.
USES = [
    "({m}).{name}({a})",
    "getattr({m}, {k})({a})",
    "({m}).__getattribute__({k})({a})",
    "import operator\noperator.attrgetter({k})({m})({a})",
    "import operator\noperator.methodcaller({k}, {a})({m})",
    "vars({m})[{k}]({a})",
    "({m}).__dict__[{k}]({a})",
    "object.__getattribute__({m}, {k})({a})",
]

# A module goes in as {m} and comes out of the expression.
CARRIERS = [
    ("", "{m}"),
    ("", "[{m}][0]"),
    ("", "dict(m={m})['m']"),
    ("", "(lambda: {m})()"),
    ("", "(lambda x={m}: x)()"),
    ("def give(x):\n    return x", "give({m})"),
    ("def give(*x):\n    for one in x:\n        if one:\n            return one", "give({m})"),
    ("def give():\n    yield {m}", "next(give())"),
    ("def give(n):\n    if n:\n        return give(n - 1)\n    return {m}", "give(9)"),
    ("class A:\n    m = {m}", "A.m"),
    ("class A:\n    pass\na = A()\na.m = {m}", "a.m"),
    ("class A:\n    pass\na = A()\nsetattr(a, 'm', {m})", "a.m"),
    ("class A:\n    def __init__(self, x):\n        self.x = [x]", "A({m}).x[-1]"),
    ("class A:\n    def __getattr__(self, n):\n        return {m}", "A().anything"),
    ("class A:\n    def __enter__(self):\n        return {m}\n    def __exit__(self, *a):\n        pass\n"
     "with A() as a:\n    pass", "a"),
    ("class A:\n    def __deepcopy__(self, memo):\n        return {m}\nimport copy", "copy.deepcopy(A())"),
    ("class A:\n    def __iadd__(self, x):\n        return x\na = A()\na += {m}", "a"),
    ("class A:\n    def __class_getitem__(cls, x):\n        return x", "A[{m}]"),
    ("class A:\n    def __matmul__(self, x):\n        return x", "(A() @ {m})"),
    ("class A(type):\n    def __call__(cls, x):\n        return x\nclass B(metaclass=A):\n    pass", "B({m})"),
    ("class A:\n    def __init_subclass__(cls, x):\n        cls.x = x\nclass B(A, x={m}):\n    pass", "B.x"),
    ("class A:\n    def __set_name__(self, owner, name):\n        owner.other = {m}\nclass B:\n    a = A()", "B.other"),
    ("class A(Exception):\n    pass\ntry:\n    raise A({m})\nexcept A as e:\n    a = e.args", "a[0]"),
    ("try:\n    ({m}).nothing\nexcept AttributeError as e:\n    a = e.obj", "a"),
    ("try:\n    raise ExceptionGroup('x', [ValueError({m})])\nexcept* ValueError as e:\n    a = e.exceptions", "a[0].args[0]"),
    ("try:\n    raise StopIteration({m})\nexcept StopIteration as e:\n    a = e", "a.value"),
    ("def give():\n    return {m}\n    yield\ndef outer():\n    x = yield from give()\n    yield x", "next(outer())"),
    ("async def give():\n    return {m}\nimport asyncio", "asyncio.run(give())"),
    ("import contextvars", "contextvars.ContextVar('x', default={m}).get()"),
    ("import contextvars\nv = contextvars.ContextVar('x')\nv.set({m})", "contextvars.copy_context()[v]"),
    ("import concurrent.futures\nf = concurrent.futures.Future()\nf.set_result({m})", "f.result()"),
    ("import asyncio\nq = asyncio.Queue()\nq.put_nowait({m})", "q.get_nowait()"),
    ("import queue\nq = queue.SimpleQueue()\nq.put({m})", "q.get()"),
    ("import collections\nq = collections.deque([{m}])", "q.pop()"),
    ("import heapq\nq = []\nheapq.heappush(q, (1, {m}))", "heapq.heappop(q)[1]"),
    ("import threading\nt = threading.local()\nt.m = {m}", "t.m"),
    ("import weakref", "weakref.proxy({m})"),
    ("import weakref\nr = weakref.ref({m})", "r()"),
    ("", "slice({m}, 1).start"),
    ("", "range.__new__ and slice(None, None, {m}).step"),
    ("", "property(lambda s: {m}).fget(0)"),
    ("", "staticmethod(lambda: {m}).__wrapped__()"),
    ("", "classmethod({m}).__func__"),
    ("import functools", "functools.partial(lambda x: x, {m})()"),
    ("import functools", "functools.partial(print, {m}).args[0]"),
    ("import functools", "functools.reduce(lambda a, b: b, [0, {m}])"),
    ("import functools\n@functools.lru_cache\ndef give():\n    return {m}", "give()"),
    ("import functools\n@functools.singledispatch\ndef give(x):\n    return {m}", "give(1)"),
    ("import functools\nclass A:\n    @functools.cached_property\n    def x(self):\n        return [{m}]", "A().x[0]"),
    ("import itertools", "next(itertools.repeat({m}))"),
    ("import itertools", "next(itertools.chain([{m}]))"),
    ("import itertools", "list(itertools.accumulate([{m}]))[0]"),
    ("import operator", "operator.itemgetter(0)([{m}])"),
    ("import operator\nl = []\noperator.iadd(l, [{m}])", "l[0]"),
    ("import types", "types.SimpleNamespace(a={m}).a"),
    ("import types\nA = types.new_class('A', (), exec_body=lambda ns: ns.update(m={m}))", "A.m"),
    ("", "type('T', (), dict(m={m})).m"),
    ("import dataclasses\nA = dataclasses.make_dataclass('A', ['m'])", "A({m}).m"),
    ("import dataclasses\n@dataclasses.dataclass\nclass A:\n    m: object = dataclasses.field(default_factory=lambda: {m})", "A().m"),
    ("import collections\nA = collections.namedtuple('A', 'a b')", "A(1, {m}).b"),
    ("import collections\nd = collections.defaultdict(lambda: {m})", "d[1]"),
    ("import collections", "collections.OrderedDict(a={m}).popitem()[1]"),
    ("import collections\nu = collections.UserList([{m}])", "u.data[0]"),
    ("import typing", "typing.NamedTuple('A', [('a', object)])({m}).a"),
    ("import json", "json.loads('{{}}', object_hook=lambda d: {m})"),
    ("import re\na = []\nre.sub('x', lambda m: a.append({m}) or '', 'x')", "a[0]"),
    ("import contextlib\n@contextlib.contextmanager\ndef give():\n    yield {m}\nwith give() as a:\n    pass", "a"),
    ("import contextlib\nwith contextlib.ExitStack() as s:\n    a = s.enter_context(contextlib.nullcontext({m}))", "a"),
    ("import unittest.mock", "unittest.mock.Mock(return_value={m})()"),
    ("import unittest.mock\nm = unittest.mock.MagicMock()\nm({m})", "m.call_args[0][0]"),
    ("import string\nclass A(string.Formatter):\n    def format_field(self, v, s):\n        self.v = v\n        return ''\n"
     "a = A()\na.format('{{}}', {m})", "a.v"),
    ("import enum\nclass A(enum.Enum):\n    x = ({m},)", "A.x.value[0]"),
    ("import argparse\np = argparse.ArgumentParser()\np.set_defaults(m={m})", "p.parse_args([]).m"),
    ("import graphlib\ng = graphlib.TopologicalSorter({{1: [{m}]}})", "next(iter(g.static_order()))"),
    ("import copy", "copy.copy([{m}])[0]"),
    ("import bisect\nl = []\nbisect.insort(l, {m}, key=id)", "l[0]"),
    ("import logging\nr = logging.makeLogRecord(dict(m={m}))", "r.m"),
    ("import email.message\nm = email.message.Message()\nm.set_payload({m})", "m.get_payload()"),
    ("import inspect\ndef f(x={m}):\n    pass", "inspect.signature(f).parameters['x'].default"),
    ("def f(x={m}):\n    pass", "f.__defaults__[0]"),
    ("def f(x: {m}):\n    pass", "f.__annotations__['x']"),
    ("def f():\n    pass\nf.a = {m}", "vars(f)['a']"),
    ("match {m}:\n    case x:\n        pass", "x"),
    ("match [{m}]:\n    case [x]:\n        pass", "x"),
    ("for a in {m},:\n    pass", "a"),
    ("a, *b = 1, {m}", "b[0]"),
    ("global_names = globals()\nglobal_names['a'] = {m}", "a"),
    ("import sys\nsys.last_value = {m}", "sys.last_value"),
    ("import builtins as bb\nbb.extra = {m}", "extra"),
    ("a = {m}\ndel globals()['a']\na = {m}\nb = [v for k, v in globals().items() if k == 'a']", "b[0]"),
    ("def f():\n    a = {m}\n    return locals()", "f()['a']"),
    ("def f():\n    a = {m}\n    def g():\n        return a\n    return g", "f().__closure__[0].cell_contents"),
    ("def deco(x):\n    return {m}\n@deco\ndef a():\n    pass", "a"),
    ("a = ({m} if len('x') else None)", "a"),
    ("a = None or {m}", "a"),
]

# The namespace of {m} is asked for the name {k} in a roundabout way: the function.
SPACES = [
    ("import collections", "collections.ChainMap(vars({m}))[{k}]"),
    ("import collections", "collections.UserDict(vars({m}))[{k}]"),
    ("import collections", "collections.OrderedDict(vars({m}))[{k}]"),
    ("import types", "types.MappingProxyType(vars({m}))[{k}]"),
    ("import types", "getattr(types.SimpleNamespace(**vars({m})), {k})"),
    ("import argparse", "getattr(argparse.Namespace(**vars({m})), {k})"),
    ("", "vars({m}).copy()[{k}]"),
    ("", "{{**vars({m})}}[{k}]"),
    ("", "({m}).__dict__.copy().pop({k})"),
    ("", "(vars({m}) | {{}})[{k}]"),
    ("", "dict(vars({m}))[{k}]"),
    ("", "dict(vars({m}).items())[{k}]"),
    ("", "list(map(vars({m}).get, [{k}]))[0]"),
    ("", "type('A', (), dict(vars({m}), __slots__=())).__dict__[{k}]"),
    ("def f(**k):\n    return k", "f(**vars({m}))[{k}]"),
    ("globals().update(vars({m}))", "globals()[{k}]"),
    ("d = {{}}\nd.update(vars({m}))", "d[{k}]"),
    ("d = {{}}\nfor a, b in vars({m}).items():\n    d[a] = b", "d[{k}]"),
    ("class A:\n    locals().update(vars({m}))", "vars(A)[{k}]"),
    ("import operator", "operator.getitem(vars({m}), {k})"),
    ("import operator", "operator.itemgetter({k})(vars({m}))"),
    ("match dict(vars({m})):\n    case {{**rest}}:\n        pass", "rest[{k}]"),
    ("import inspect", "dict(inspect.getmembers({m}))[{k}]"),
    ("import functools\nclass A:\n    pass\nfunctools.update_wrapper(A, {m}, assigned=({k},), updated=())", "A.__dict__[{k}]"),
    ("", "[vars({m})[n] for n in dir({m}) if n == {k}][0]"),
    ("", "[getattr({m}, n) for n in dir({m}) if n == {k}][0]"),
    ("", "next(v for n, v in vars({m}).items() if n == {k})"),
]

# A module is found by what it has.
SEARCHES = [
    ("import random", "next(v for v in vars(random).values() if hasattr(v, 'popen'))"),
    ("import random", "[v for v in random.__dict__.values() if hasattr(v, 'popen')][0]"),
    ("import random\nfor n in dir(random):\n    if len(n) == 3 and hasattr(getattr(random, n), 'popen'):\n        break", "getattr(random, n)"),
    ("import tempfile\na = list(vars(tempfile).values())\na = [x for x in a if hasattr(x, 'spawnl')]", "a[0]"),
    ("import shutil\nn = sorted(n for n in dir(shutil) if n[:1] == 'o')[-1]", "getattr(shutil, n)"),
    ("import logging\na = None\nfor n, v in vars(logging).items():\n    if hasattr(v, 'forkpty'):\n        a = v", "a"),
    ("import glob\nn = [n for n in dir(glob) if n == 'os'].pop()", "vars(glob)[n]"),
    ("import inspect, random\na = inspect.getmembers(random, inspect.ismodule)\na = [v for n, v in a if hasattr(v, 'popen')]", "a[0]"),
    ("import os\na = next(v for v in list(globals().values()) if hasattr(v, 'popen'))", "a"),
    ("import gettext\ni = 0\nnames = dir(gettext)\nwhile names[i] != 'os':\n    i += 1", "getattr(gettext, names[i])"),
]

# Functions of the library that run what they are given: {c} is a command for a shell.
WHOLE = [
    "import unittest.mock\nunittest.mock.patch('os.system').getter().system('{c}')",
    "import unittest.mock\nunittest.mock._get_target('os.system')[0]().system('{c}')",
    "import unittest.mock as mock\np = mock.patch('posix.system')\np.__enter__()\np.temp_original('{c}')",
    "import uuid\nprint(uuid._get_command_stdout('echo', '{t}').read())",
    "import dataclasses\ndataclasses._create_fn('f', ['x=__import__(\"posix\").system(\"{c}\")'], ['pass'])",
    "import time\ntime.__spec__.loader.load_module('posix').system('{c}')",
    "import time\ntime.__loader__.load_module('posix').system('{c}')",
    "import os\nos.getcwd.__self__.system('{c}')",
    "print.__self__.exec('import posix; posix.system(\"{c}\")')",
    "len.__self__.__import__('os').system('{c}')",
    "import runpy\nrunpy._run_code('import posix; posix.system(\"{c}\")', {{}})",
    "import trace\ntrace.Trace().run('import posix; posix.system(\"{c}\")')",
    "import webbrowser\nprint(webbrowser.subprocess.check_output(['echo', '{t}']))",
    "import pkgutil\npkgutil.resolve_name('os:system')('{c}')",
    "import pydoc\npydoc.locate('os').system('{c}')",
    "import logging.config\nlogging.config._resolve('os.system')('{c}')",
    "import timeit\ntimeit.timeit('import posix; posix.system(\"{c}\")', number=1)",
    "import code\ncode.InteractiveInterpreter().runsource('import posix; posix.system(\"{c}\")')",
    "import random\nrandom._os.popen('{c}').close()\nrandom._os.system('{c}')",
    "import statistics\nstatistics.namedtuple.__globals__['_sys'].modules['posix'].system('{c}')",
    "import sys\nsys.modules['posix'].system('{c}')",
    "import importlib\nimportlib.import_module('posix').system('{c}')",
    "().__class__.__base__.__subclasses__()[0].__init__.__class__\nimport os\nos.system('{c}')",
    "import asyncio\nasync def main():\n    p = await asyncio.create_subprocess_shell('{c}')\n    await p.wait()\nasyncio.run(main())",
    "import pickle\npickle.loads(b\"cposix\\nsystem\\n(S'{c}'\\ntR.\")",
    "import ctypes\nctypes.CDLL(None).system(b'{c}')",
    "import pty\npty.spawn(['echo', '{t}'])",
    "with open('helper_a.py', 'w') as f:\n    f.write('import posix; posix.system(\"{c}\")')\nimport helper_a",
    "import pathlib\npathlib.Path('helper_b.py').write_text('import posix; posix.system(\"{c}\")')\nfrom helper_b import *",
    "import sys, zipfile\nwith zipfile.ZipFile('x.zip', 'w') as z:\n    z.writestr('helper_c.py', 'import posix; posix.system(\"{c}\")')\n"
    "sys.path.insert(0, 'x.zip')\nimport helper_c",
    "import multiprocessing.util as u\nu.os.system('{c}')",
    "import functools\n@functools.singledispatch\ndef g(a):\n    pass\n@g.register\ndef f(a: '__import__(\"posix\").system(\"{c}\")'):\n    pass",
    "import functools\n@functools.singledispatch\ndef g(a):\n    pass\ndef f(a):\n    pass\n"
    "f.__annotations__['a'] = '__import__(\"posix\").system(\"{c}\")'\ng.register(f)",
    "import dataclasses\nclass A:\n    __annotations__ = {{'__class__,__import__(\"posix\").system(\"{c}\")': int}}\n"
    "print(dataclasses.dataclass(A, init=False, eq=False)())",
    "import tracemalloc\nwith open('a.bin', 'wb') as f:\n    f.write(b\"cposix\\nsystem\\n(S'{c}'\\ntR.\")\ntracemalloc.Snapshot.load('a.bin')",
    "import trace\nwith open('b.bin', 'wb') as f:\n    f.write(b\"cposix\\nsystem\\n(S'{c}'\\ntR.\")\ntrace.CoverageResults(infile='b.bin')",
    "from lib2to3.pgen2.grammar import Grammar\nGrammar().loads(b\"cposix\\nsystem\\n(S'{c}'\\ntR.\")",
    "import random\ng = [].append.__reduce__()[0]\ng(g(random.Random().seed, '__func__'), '__globals__')['_os'].system('{c}')",
    "with open('n.txt', 'w') as f:\n    f.write('seed __func__ __globals__ _os')\na, b, c, d = open('n.txt').read().split()\n"
    "import random\nx = getattr(getattr(getattr(random.Random(), a), b), c)\nx[d].system('{c}')",
]


def codes(name, by=0):
    return "[%s]" % ", ".join(str(ord(c) + by) for c in name)


def spelled(way, name):
    half = len(name) // 2
    parts = dict(name=name, turned=name[::-1], codes=codes(name), shifted=codes(name, 1))
    return [part.format(head=name[:half], tail=name[half:], **parts) for part in way]


def together(*parts):
    return "\n".join(p for p in parts if p) + "\n"


def carried(pick):
    kind, start, module = pick.choice(SOURCES)
    before, expression = pick.choice(CARRIERS)
    name, arguments = COMMAND[kind]
    spell, key = spelled(pick.choice(NAMES), name)
    *imports, use = pick.choice(USES).split("\n")
    use = use.format(m=expression.format(m=module), k=key, a=arguments, name=name)
    return together(start, *imports, spell, before.format(m=module), use)


def namespace(pick):
    kind, start, module = pick.choice(SOURCES)
    before, expression = pick.choice(SPACES)
    name, arguments = COMMAND[kind]
    spell, key = spelled(pick.choice(NAMES), name)
    function = expression.format(m=module, k=key)
    return together(start, spell, before.format(m=module, k=key), "%s(%s)" % (function, arguments))


def searched(pick):
    before, expression = pick.choice(SEARCHES)
    name, arguments = COMMAND[OS]
    spell, key = spelled(pick.choice(NAMES), name)
    *imports, use = pick.choice(USES).split("\n")
    return together(before, *imports, spell, use.format(m=expression, k=key, a=arguments, name=name))


def every():
    """Without end: programs of all kinds, the same in each run."""
    pick = random.Random(11)
    yield from (w.format(c="echo " + TOKEN, t=TOKEN) for w in WHOLE)
    while True:
        yield pick.choice((carried, carried, carried, carried, namespace, namespace, searched))(pick)


RUNNER = r"""
import json, os, sys, tempfile
def run(text, out):
    os.dup2(out, 1); os.dup2(out, 2); os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.argv = ["x"]
    exec(compile(text, "<bypass>", "exec"), globals_of_main())
def globals_of_main():
    import __main__
    for name in [n for n in vars(__main__) if not n.startswith("__")]:
        delattr(__main__, name)
    return vars(__main__)
ran = []
for text in json.load(sys.stdin):
    with tempfile.TemporaryFile() as f:
        pid = os.fork()
        if not pid:
            try:
                run(text, f.fileno())
                sys.stdout.flush()
            except BaseException as e:
                import os
                os.write(1, repr(e)[:300].encode())
            finally:
                import os
                os._exit(0)
        os.waitpid(pid, 0)
        f.seek(0)
        ran.append(f.read().decode(errors="replace"))
print(json.dumps(ran))
"""


def outputs(texts):
    """What each program prints in this Python, in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="glovebox-bypass-") as folder:
        done = subprocess.run(
            [sys.executable, "-c", RUNNER], input=json.dumps(texts), stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, cwd=folder, timeout=300,
        )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return json.loads(done.stdout)


def made():
    """The first 500 that are not alike."""
    texts, more = [], every()
    seen = set()
    while len(texts) < MANY:
        text = next(more)
        if text not in seen:
            seen.add(text)
            texts.append(text)
    return texts


def passed(texts, profile):
    """Those that a profile lets run."""
    verdicts = programs.check(texts, "--profile", profile)
    return [t for t, v in zip(texts, verdicts) if v["allowed"]]


def read_limits():
    with open(LIMITS, encoding="utf-8") as f:
        rows = [line.split() for line in f if not line.startswith("#")]
    return {profile: float(most) for profile, most in rows}


def write_limits(shares):
    with open(LIMITS, "w", encoding="utf-8") as f:
        f.write("# SPDX-License-Identifier: Apache-2.0\n")
        f.write("# profile, which percentage of the programs of bypasses.py it lets run\n")
        for profile, share in shares.items():
            f.write("%-12s %5.1f\n" % (profile, share))


def test(tap, write=0, show=""):
    texts = made()
    if sys.version_info[:2] == (3, 11):
        idle = [t for t, out in zip(texts, outputs(texts)) if TOKEN not in out]
        tap.ok(not idle, "%d programs run their commands" % len(texts), *idle)
    passes = {profile: passed(texts, profile) for profile in PROFILES}
    shares = {profile: 100 * len(p) / len(texts) for profile, p in passes.items()}
    for profile, share in shares.items():
        tap.note("%-12s %5.1f %% of %d pass" % (profile, share, len(texts)))
    for text in passes.get(show, ()):
        tap.note("-----\n" + text)
    if write:
        write_limits(shares)
    limits = read_limits()
    worse = ["%s: %.1f %%, at most %.1f" % (p, s, limits[p]) for p, s in shares.items() if s > limits[p]]
    tap.ok(not worse, "no profile lets more of them run than it did", *worse)


if __name__ == "__main__":
    alone(test, __doc__, write=0, show="")
