# SPDX-License-Identifier: Apache-2.0
# The candidate's side of suite_link.py: loads the candidate and does what the test code asks for. Nothing that
# happens here can do more than claim a value.
from itertools import islice

COPIED = 100000  # parts of an iterable


# A function of the test code's.
class Lent:
    __slots__ = ("_number",)

    def __init__(self, number):
        self._number = number

    def __call__(self, *args, **kwargs):
        return link.ask("call", self, *args, **kwargs)


lent = {}


def remote(link, d):
    number = d["id"]
    if number not in lent:
        lent[number] = Lent(number)
    return lent[number]


def number_of(v):
    return v._number


def builtin_of(name):
    return getattr(builtins, name)


def look_up(name):
    try:
        v = names[name]
    except KeyError:
        raise NameError("name %r is not defined" % name) from None
    if type(v) is type(sys):
        return {"import": v.__name__}
    if isinstance(v, type) and BaseException in mro_of(v):
        return {"exception": [base.__name__ for base in mro_of(v)]}
    return {"value": v}


# A data class or a member of an enum as its parts, in text; other objects have none.
def parts_of(v):
    said = encode(v, ROOM)
    return said if said.startswith(('{"$type":"dataclass"', '{"$type":"enum"')) else None


# The content of what can be iterated over more than once; None for anything else.
def copy_of(v):
    kind = type(v)
    for base, form, copy in BASES:
        if base in mro_of(kind):
            return copy(v)
    try:
        steps = iter(v)
    except TypeError:
        return None
    if steps is v or hasattr(kind, "__next__"):
        return None
    values = list(islice(steps, COPIED + 1))
    return values if len(values) <= COPIED else None


def set_item(v, key, value):
    v[key] = value


def leave(v, told):
    e = told and exception_from(told)
    return bool(type(v).__exit__(v, e and type(e), e, None))


def main():
    global link, names
    link = Link(lambda v: True, is_plain, {
        "name": look_up, "call": lambda f, *args, **kwargs: f(*args, **kwargs), "get": getattr, "set": setattr,
        "bool": lambda v: True if v else False, "len": len, "iter": iter, "next": next, "copy": copy_of,
        "item": lambda v, key: v[key], "set item": set_item, "in": lambda v, item: item in v, "str": str,
        "is instance": lambda kind, v: isinstance(v, kind), "parts": parts_of,
        "enter": lambda v: type(v).__enter__(v), "exit": leave}, {Lent})
    module = type(sys)("candidate")
    names = module.__dict__
    path = names["__file__"] = sys.argv[1]
    modules["candidate"] = modules["__main__"] = module
    sys.argv, sys.path[:1] = [path], [path.rpartition("/")[0]]
    try:
        with open(path, "rb") as f:
            exec(compile(f.read(), path, "exec", dont_inherit=True), names)
        link.send('{"value":null}')
    except BaseException as e:
        link.send('{"raised":%s}' % raised(e))
        return
    while True:
        link.serve(link.receive())


try:
    main()
except LinkEnded:
    pass
finally:
    from posix import _exit
    _exit(0)
