# SPDX-License-Identifier: Apache-2.0
# The test side's picture of the candidate's objects. Follows suite_link.py.
#
# A method that is called and an attribute that is read are asked for. What a test compares with is decided here:
# == compares content that was copied by the built-in type's own methods, or the parts of data classes and enums;
# len(), `in` and iteration answer from one copy of what the object consists of, which is asked for again after
# something was done to the object. So an expected value does not leave this process where that can be helped.

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


def parts_equal(a, b):
    link = own(a, "_link")
    said = [link.ask("parts", v) for v in (a, b)]
    if type(said[0]) is not str or type(said[1]) is not str:
        return False
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

    def __repr__(self):
        return "<object of the candidate's>"

    def __str__(self):
        said = Things._ask(self, "str")
        if type(said) is not str:
            raise TypeError("__str__ returned non-string")
        return said

    def __instancecheck__(self, value):
        return is_remote(value) and Things._ask(self, "is instance", value) is True

    def __enter__(self):
        return Things._ask(self, "enter")

    # The candidate may swallow what the candidate raised: never what a test found.
    def __exit__(self, kind, e, tb):
        told = None if e is None else {"names": [k.__name__ for k in mro_of(kind)], "message": words_of(str, e, "", 2000)}
        theirs = e is not None and own(self, "_link").theirs is e and not isinstance(e, AssertionError)
        return Things._ask(self, "exit", told) is True and theirs


CHANGES = ("call", "set", "set item", "next", "enter", "exit")


# What is derived from none of the types below.
class Remote(Things):
    __slots__ = ("_link", "_number", "_copied", "_epoch")

    def _content(self):
        link = own(self, "_link")
        if own(self, "_epoch") != link.epoch:
            object.__setattr__(self, "_copied", Things._ask(self, "copy"))
            object.__setattr__(self, "_epoch", link.epoch)
        content = own(self, "_copied")
        return content if type(content) in (list, tuple, dict, set, frozenset, str, bytes) else None

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Things._ask(self, "get", name)

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

    def __eq__(self, other):
        if type(other) is not Remote:
            return NotImplemented
        return own(self, "_number") == own(other, "_number") or parts_equal(self, other)

    def __hash__(self):
        return hash(own(self, "_number"))


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

    # A class may answer for keys that it has not, as defaultdict does: those are asked for.
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
REMOTES = {Remote} | {kind for _, kind in VALUES.values()} | {kind for _, kind in CONTENTS.values()}


def number_of(v):
    return own(v, "_number")


remotes = {}


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
    kind = CONTENTS[form][1] if form else Remote
    return put(kind.__new__(kind), _link=link, _number=number, _copied=None, _epoch=-1)


# An object keeps its type: it has been compared as one already.
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
