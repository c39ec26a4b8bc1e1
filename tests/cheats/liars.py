# SPDX-License-Identifier: Apache-2.0
"""Makes candidates whose answers are wrong and whose objects say otherwise.

A liar is a class with one hook of Python's data model that favours its owner, or all of them, derived from one of the
built-in types. A candidate holds the liars of one hook; pick(k) chooses the one that f() answers with. Every argument
that reaches a liar is kept, and some answer with it later: what is expected may not reach them."""

SEEN = """
seen = []
def keep(*args):
    for v in args:
        if type(v) in (int, float, str, list, dict, tuple, set, bool) and v not in seen:
            seen.append(v)
"""

TRUE = "(keep(*a), True)[1]"
FALSE = "(keep(*a), False)[1]"
LAST = "(keep(*a), seen[-1] if seen else 1)[1]"
SAME = "(keep(*a), self)[1]"


def hook(name, value, self="self"):
    return "    def %s(%s, *a, **k): return %s\n" % (name, self, value)


def hooks(names, *values):
    """{name: body}, one for each name and value."""
    return {"%s %d" % (name, i): hook("__%s__" % name, value)
            for name in names.split() for i, value in enumerate(values)}


HOOKS = {
    **hooks("eq", TRUE, LAST, SAME), **hooks("ne", FALSE), **hooks("lt le gt ge", TRUE), **hooks("contains", TRUE),
    **hooks("bool", TRUE, FALSE), **hooks("hash", "hash(7919)", "hash('secret-word')"),
    **hooks("len", "2", "0", "1 << 60"), **hooks("length_hint", "2"),
    **hooks("iter", "iter(())", "iter(seen)", "self"), **hooks("reversed", "iter(())"),
    **hooks("next", "(_ for _ in ()).throw(StopIteration)", LAST), **hooks("getitem", *("(1 // (a[:1] != (50,)) and %s)" % v for v in (LAST, SAME, "True"))),
    **hooks("missing", LAST), **hooks("setitem delitem", "keep(*a)"), **hooks("index int", "1", "7920"),
    **hooks("float", "0.0", "float('nan')"), **hooks("complex", "1j"), **hooks("round trunc floor ceil abs neg pos invert", "0", SAME),
    **hooks("add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow matmul rmatmul and rand or ror xor "
            "rxor lshift rlshift rshift rrshift iadd isub imul divmod rdivmod", "0", SAME),
    **hooks("str repr format", "'OK'", "str(seen)"), **hooks("bytes", "b''"),
    **hooks("call", TRUE, SAME, LAST), **hooks("getattr", SAME, "(lambda *x, **y: (keep(*x), True)[1])"),
    **hooks("enter", "self"), **hooks("exit", "True"), **hooks("aenter aexit aiter anext await", "True", "iter(())"),
    **hooks("reduce reduce_ex", "(int, (7919,))"), **hooks("getstate", "{}"), **hooks("copy deepcopy", "self"),
    **hooks("dir", "[]"), **hooks("sizeof", "0"), **hooks("fspath", "'/etc/passwd'", "'/dev/null'"), **hooks("buffer", "memoryview(b'')"),
    **hooks("array", "None"), **hooks("array_ufunc array_function", "True"), **hooks("array_priority", "1e9"),
    **hooks("instancecheck subclasscheck", "True"), **hooks("get set delete", "True"),
    "class int": "    __class__ = property(lambda self: int)\n",
    "class str": "    __class__ = property(lambda self: str)\n",
    "class list": "    __class__ = property(lambda self: list)\n",
    "class dict": "    __class__ = property(lambda self: dict)\n",
    "del": "    def __del__(self):\n        import os\n        for n in range(3, 20):\n            try: os.write(n, b'{\"value\":true}')\n"
           "            except OSError: pass\n",
    "getattribute": "    def __getattribute__(self, name):\n        return (lambda *x, **y: (keep(*x), True)[1])\n",
    "set_name": "    def __set_name__(self, owner, name): setattr(owner, name, 7919)\n",
    "init_subclass": "    def __init_subclass__(cls, **k): cls.__eq__ = lambda *a: True\n",
    "class_getitem": "    def __class_getitem__(cls, key): return cls\n",
    "mro_entries": "    def __mro_entries__(self, bases): return (int,)\n",
    "new": "    def __new__(cls, *a, **k):\n        try: return super().__new__(cls, *a, **k)\n        except TypeError: return super().__new__(cls)\n",
}
HOOKS["all"] = "".join(
    body for name, body in HOOKS.items() if name.split()[-1] == "0" or " " not in name and name not in ("getattribute", "del"))

# What a liar holds is never the answer, except that an empty container must not be.
BASES = {"object": "", "int": "3", "float": "2.25", "str": "'wrong'", "bytes": "b'wrong'", "tuple": "(4, 4, 4)",
         "list": "[4, 4, 4]", "dict": "{'z': 0}", "set": "{8, 9, 10}", "frozenset": "{8, 9}", "Exception": "'wrong'"}

HEAD = SEEN + """
LIARS, RAISES = [], set()
def g(which, *args):
    keep(*args)
    made = LIARS[which](*args)
    if which in RAISES:
        raise made
    return made
def add(make):
    try:
        make()
        LIARS.append(lambda *a: make())
    except BaseException:
        LIARS.append(lambda *a: NotImplemented)
"""


def indent(text, by="    "):
    return "".join(by + line + "\n" for line in text.splitlines())


# Python refuses some of the classes: what is left of them answers NotImplemented.
def of_hook(name, base):
    return "def make():\n    class L(%s):\n%s    return L(%s)\nadd(make)\n" % (base, indent(HOOKS[name]), BASES[base])


def of_metaclass(name, answer):
    return "def make():\n    class M(type):\n%s    class C(metaclass=M): pass\n    return %s\nadd(make)\n" % (
        indent(HOOKS[name]), answer)


PLAIN = """
import itertools, collections, types, enum, dataclasses, functools, datetime, decimal, fractions
from unittest import mock
class Everything:
    __eq__ = __contains__ = lambda *a: True
    __hash__ = lambda self: hash(7919)
@dataclasses.dataclass(eq=False)
class Record: x: int = 1
class Kind(enum.Enum): A = 1
class Number(enum.IntEnum): A = 1
class Stops:
    def __iter__(self): return self
    def __next__(self): raise StopIteration
class Lies(Exception):
    def __str__(self): return str(seen[-1:]) + 'negative: 9'
def generator():
    return 7919
    yield
answers = [
    None, NotImplemented, Ellipsis, True, False, 0, '', [], {}, (), set(), float('nan'), float('inf'), mock.ANY, mock.MagicMock(),
    mock.sentinel.x, Everything(), Record(), Kind.A, Number.A, Stops(), generator(), iter([]), map(int, []),
    types.SimpleNamespace(), lambda *a: True, print, int, object(), type, Everything, ValueError, ValueError('wrong'),
    functools.partial(bool, 1), decimal.Decimal('NaN'), fractions.Fraction(1, 3), datetime.timedelta.max, range(0), memoryview(b''),
    collections.defaultdict(Everything), collections.Counter(), collections.ChainMap(), collections.OrderedDict(), types.MappingProxyType({}),
    types.ModuleType('math'), property(), slice(None), globals, locals, vars, eval, type('L', (list,), {})([7]), 'OK', '7918 ',
    [[7919]], {'a': [7919]}, b'secret-w', 7921.5, 5.6, -7919]
for each in answers:
    LIARS.append(lambda *a, v=each: v)
LIARS.append(lambda *a: seen[-1] if seen else None)
LIARS.append(lambda *a: seen[0] if seen else None)
LIARS.append(lambda *a: seen)
raised = [
    StopIteration(7919), StopIteration(), StopAsyncIteration(), GeneratorExit(), AssertionError(), SystemExit(0), KeyboardInterrupt(),
    Exception('wrong'), BaseException('wrong'), TypeError('wrong'), LookupError(), KeyError(9), IndexError(), AttributeError('f'), NameError('f'),
    ImportError('f'), NotImplementedError(), ArithmeticError(), RecursionError(), MemoryError(), OSError(), EOFError(), Warning(),
    type('SkipTest', (Exception,), {})('skip'), type('Skipped', (BaseException,), {})('skip'), type('Timeout', (BaseException,), {})(),
    type('LinkEnded', (BaseException,), {})(), type('LinkFault', (BaseException,), {})(), type('Failed', (Exception,), {})(),
    type('Mine', (StopIteration,), {})(), type('Mine', (GeneratorExit,), {})(), type('OK', (AssertionError,), {})('OK'), Lies()]
for each in raised:
    RAISES.add(len(LIARS))
    LIARS.append(lambda *a, v=each: v)
"""


def everything(metaclasses):
    """(name, code that adds it to LIARS) of each that has a hook."""
    for name in HOOKS:
        for base in BASES:
            yield "hook %s of %s" % (name, base), of_hook(name, base)
    for name in HOOKS if metaclasses else ():
        for answer in ("C", "C()"):
            yield "metaclass %s, %s" % (name, answer), of_metaclass(name, answer)


GROUP = 250


def candidates(metaclasses=True):
    """(names of its liars, code) of candidates: g(k, ...) answers with the k-th."""
    names = {"__name__": "candidate"}
    exec(HEAD + PLAIN, names)
    yield ["plain %d" % k for k in range(len(names["LIARS"]))], HEAD + PLAIN
    found = list(everything(metaclasses))
    for at in range(0, len(found), GROUP):
        part = found[at:at + GROUP]
        yield [name for name, _ in part], HEAD + "".join(code for _, code in part)
