# SPDX-License-Identifier: Apache-2.0
# The test side's picture of the candidate's objects. Follows suite_link.py.
#
# Calls of methods and reads of attributes are requests. Comparisons are decided here:
# == compares content that was copied by the built-in type's own methods, or the parts of data classes and enums;
# len(), `in` and iteration answer from one copy of the object's parts, which is requested again after
# an operation on the object. So an expected value stays in this process where possible.

# Names that the built-in types have and that change nothing: answered here.
LOCAL = {list: ("copy", "count", "index"), tuple: ("count", "index"), bytes: dir(bytes), str: dir(str),
         int: dir(int), float: dir(float),
         dict: ("copy", "get", "items", "keys", "values"),
         set: ("copy", "difference", "intersection", "isdisjoint", "issubset", "issuperset", "symmetric_difference",
               "union")}
LOCAL[frozenset] = LOCAL[set]


def own(v, name):
    return object.__getattribute__(v, name)


def is_remote(v):
    return type(v) in REMOTES


# None if they have none.
def parts_equal(a, b):
    link = own(a, "_link")
    said = [link.ask("parts", v) for v in (a, b)]
    if type(said[0]) is not str or type(said[1]) is not str:
        return None
    try:
        return link.decode(said[0]) == link.decode(said[1])
    except Exception:  # some part is of a type that is not copied
        return False


class Things:
    """What every remote object does, whatever it is derived from."""
    __slots__ = ()

    def _ask(self, op, *args, **kwargs):
        link = own(self, "_link")
        if op in CHANGES:
            link.epoch += 1
        return link.ask(op, self, *args, **kwargs)

    def __call__(self, *args, **kwargs):
        return Things._ask(self, "call", *args, **kwargs)

    def __setattr__(self, name, value):
        Things._ask(self, "set", name, value)

    # Both are claims; the report of a test that has ended requests none.
    def __repr__(self):
        return Things._words(self, "operate", "repr")

    def __str__(self):
        return Things._words(self, "str")

    def _words(self, *question):
        if not own(self, "_link").testing:
            return "<object of the candidate's>"
        said = Things._ask(self, *question)
        if type(said) is not str:
            raise TypeError("__str__ returned non-string")
        return said

    def __instancecheck__(self, value):
        return is_remote(value) and Things._ask(self, "is instance", value) is True

    def __enter__(self):
        return Things._ask(self, "enter")

    def __exit__(self, kind, e, tb):
        return swallows(self, e, Things._ask(self, "exit", told_of(e)))

    async def __aenter__(self):
        return await Things._ask(self, "async enter")

    async def __aexit__(self, kind, e, tb):
        return swallows(self, e, await Things._ask(self, "async exit", told_of(e)))

    def __aiter__(self):
        return Things._ask(self, "async iter")

    async def __anext__(self):
        found = await Things._ask(self, "async next")
        if type(found) is not tuple or not found:
            raise StopAsyncIteration
        return found[0]


# The candidate may swallow exceptions that it has raised, but never those of a test.
def swallows(self, e, said):
    if said is True and isinstance(e, AssertionError):
        own(self, "_link").refused = e
    return said is True and is_theirs(e) and not isinstance(e, AssertionError)


def told_of(e):
    if e is not None:
        kind = type(e)
        return {"kind": link.decode(lineage(kind)), "message": words_of(str, e, "", 2000)}


CHANGES = ("call", "set", "set item", "next", "enter", "exit", "operate", "step", "async next")

# ---- operators: of the candidate's objects among each other. What is not the candidate's is never shown to them. ----

SINGLE = {"__%s__" % n: n for n in ("abs", "neg", "pos", "invert", "int", "float", "hash")}
PAIRS = {"__%s__" % n.rstrip("_"): n for n in (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor", "lshift", "rshift", "lt", "le", "gt", "ge",
    "iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "imatmul", "iand", "ior", "ixor", "ilshift", "irshift")}


def operator(name):
    def method(self, *others):
        if not all(map(is_remote, others)):
            return NotImplemented
        return Things._ask(self, "operate", name, *others)
    return method


OPERATORS = type("Operators", (), {"__slots__": (), **{n: operator(name) for n, name in {**SINGLE, **PAIRS}.items()}})
SHOWN = ("__annotations__", "__bases__", "__defaults__", "__dict__", "__kwdefaults__", "__members__", "__mro__", "__name__",
         "__qualname__", "__self__", "__slots__", "__wrapped__")


# The base for objects that are derived from none of the types below.
class Remote(Things, OPERATORS):
    __slots__ = ("_link", "_number", "_copied", "_epoch", "_steps")
    __doc__ = property(lambda self: Things._ask(self, "get", "__doc__"))

    # A class that is derived from one of the candidate's would be made by its metaclass, which is this one.
    def __new__(cls, *args, **kwargs):
        if args:
            link.used, link.exact = True, False
            raise TypeError("no class can be derived from one of the candidate's")
        return object.__new__(cls)

    def _content(self):
        link = own(self, "_link")
        if own(self, "_epoch") != link.epoch:
            object.__setattr__(self, "_copied", Things._ask(self, "copy"))
            object.__setattr__(self, "_epoch", link.epoch)
        content = own(self, "_copied")
        return content if type(content) in (list, tuple, dict, set, frozenset, str, bytes) else None

    def __getattr__(self, name):
        if name.startswith("__") and name not in SHOWN:
            raise AttributeError(name)
        return Things._ask(self, "get", name)

    def __copy__(self):
        return Things._ask(self, "copied", False)

    def __deepcopy__(self, memo):
        return Things._ask(self, "copied", True)

    @property
    def __signature__(self):
        try:
            return signature_from(Things._ask(self, "signature"))
        except (TypeError, ValueError):
            raise AttributeError("__signature__") from None

    def __format__(self, form):
        return Things._words(self, "operate", "format", form)

    def __delattr__(self, name):
        Things._ask(self, "operate", "delattr", name)

    def __delitem__(self, key):
        Things._ask(self, "operate", "delitem", key)

    def __bool__(self):
        return Things._ask(self, "bool") is True

    def __len__(self):
        content = Remote._content(self)
        return Things._ask(self, "len") if content is None else len(content)

    def __iter__(self):
        content = Remote._content(self)
        return Things._ask(self, "iter") if content is None else iter(content)

    def __next__(self):
        return Things._ask(self, "next")

    def __getitem__(self, key):
        return Things._ask(self, "item", key)

    def __setitem__(self, key, value):
        Things._ask(self, "set item", key, value)

    def __contains__(self, value):
        content = Remote._content(self)
        if content is not None:
            return value in content
        try:
            steps = Things._ask(self, "iter")
        except TypeError:
            return Things._ask(self, "in", value) is True
        for v in steps:
            if v is value or v == value:
                return True
        return False

    # The side that makes both objects decides what they are, so its class may also decide whether they are equal.
    def __eq__(self, other):
        if not isinstance(other, Remote):
            return NotImplemented
        if own(self, "_number") == own(other, "_number"):
            return True
        same = parts_equal(self, other)
        return Things._ask(self, "operate", "eq", other) is True if same is None else same

    __hash__ = OPERATORS.__hash__


# An object of a data class: dataclasses.asdict() and similar functions accept it as one.
class Record(Remote):
    __slots__ = ()

    @property
    def __dataclass_fields__(self):
        from dataclasses import make_dataclass
        return make_dataclass("Record", list(Things._ask(self, "get", "__dataclass_fields__"))).__dataclass_fields__


# A coroutine and the like. Each step lets the candidate's loop run for a while.
class Awaitable(Remote):
    __slots__ = ()

    def __await__(self):
        while True:
            found = Things._ask(self, "step")
            if type(found) is tuple and found:
                return found[0]
            try:
                yield
            except BaseException:
                Things._ask(self, "cancel")
                raise

    def _running(self):
        if own(self, "_steps") is None:
            object.__setattr__(self, "_steps", Awaitable.__await__(self))
        return own(self, "_steps")

    def send(self, value):
        return Awaitable._running(self).send(value)

    def throw(self, *args):
        return Awaitable._running(self).throw(*args)

    def close(self):
        Awaitable._running(self).close()

    def __next__(self):
        return Awaitable._running(self).send(None)


def read_local(base):
    local = frozenset(LOCAL[base])

    def get(self, name):
        if name.startswith("__") or name in local:
            fresh(self)
            return base.__getattribute__(self, name)
        return Things._ask(self, "get", name)
    return get


# ---- derived from a type that cannot be changed: the copy is the value ----

def fresh(self):
    pass


def make_value(base):
    names = {"__getattribute__": read_local(base)}
    if base in (int, float):  # an enum's name, as print() shows it
        names["__format__"] = base.__format__
    if base in (str, bytes):
        names["__str__"] = base.__str__
    return type("Remote_" + base.__name__, (Things, base), names)


# ---- derived from one that can: copied again when something may have changed it ----

def renew(base):
    clear, fill = base.clear, base.extend if base is list else base.update

    def fresh(self):
        link = own(self, "_link")
        if own(self, "_epoch") == link.epoch:
            return
        content = Things._ask(self, "copy")
        if type(content) is not base:
            link.end("sent another type than before")
        set_content(self, content)
        object.__setattr__(self, "_epoch", link.epoch)

    def set_content(self, content):
        clear(self)
        fill(self, content)
    return fresh, set_content


READS = {
    list: "contains eq ge gt iter le len lt ne reversed add mul rmul",
    dict: "contains eq iter len ne reversed or ror",
    set: "contains eq ge gt iter le len lt ne and or sub xor rand ror rsub rxor"}


def make_content(base):
    fresh, set_content = renew(base)

    def reading(name):
        method = getattr(base, name)

        def read(self, *args):
            fresh(self)
            return method(self, *args)
        return read

    def get(self, name):
        if name.startswith("__") or name in local:
            fresh(self)
            return base.__getattribute__(self, name)
        return Things._ask(self, "get", name)

    # A class may answer for keys that it does not have, as defaultdict does: these are requested.
    def item(self, key):
        fresh(self)
        try:
            return base.__getitem__(self, key)
        except LookupError:
            return Things._ask(self, "item", key)

    local = frozenset(LOCAL[base])
    names = {"__%s__" % n: reading("__%s__" % n) for n in READS[base].split() if hasattr(base, "__%s__" % n)}
    names.update(__getattribute__=get, __hash__=None, _set_content=staticmethod(set_content))
    if base is not set:
        names["__getitem__"] = item
        names["__setitem__"] = lambda self, key, value: Things._ask(self, "set item", key, value)
    return type("Remote_" + base.__name__, (Things, base), names)


VALUES = {base.__name__: (base, make_value(base)) for base in (int, float, str, bytes, tuple, frozenset)}
CONTENTS = {base.__name__: (base, make_content(base)) for base in (list, dict, set)}
REMOTES = {Remote, Awaitable, Record} | {kind for _, kind in VALUES.values()} | {kind for _, kind in CONTENTS.values()}


def number_of(v):
    return own(v, "_number")


remotes = {}
FORMS_OF = {None: Remote, "awaitable": Awaitable, "record": Record}


def put(v, **fields):
    for name, value in fields.items():
        object.__setattr__(v, name, value)
    return v


def new_remote(link, number, form, copy):
    if form in VALUES:
        base, kind = VALUES[form]
        if type(copy) is not base:
            raise TypeError(form)
        return put(base.__new__(kind, copy), _link=link, _number=number)
    kind = FORMS_OF.get(form) or CONTENTS[form][1]
    return put(kind.__new__(kind), _link=link, _number=number, _copied=None, _epoch=-1, _steps=None)


# An object keeps its type, as it was compared as one already.
def remote(link, d):
    number, form, copy = d["id"], d.get("as"), d.get("copy")
    if type(number) is not int:
        raise TypeError("no number")
    v = remotes.get(number)
    if v is None:
        v = remotes[number] = new_remote(link, number, form, copy)
    if form in CONTENTS:
        base, kind = CONTENTS[form]
        if type(copy) is not base or type(v) is not kind:
            raise TypeError(form)
        kind._set_content(v, copy)
        object.__setattr__(v, "_epoch", link.epoch)
    return v


def builtin_of(name):
    kind = getattr(builtins, name)
    if not is_plain(kind):
        raise TypeError(name)
    return kind
