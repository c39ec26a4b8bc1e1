# SPDX-License-Identifier: Apache-2.0
# The candidate's side of suite_link.py: loads the candidate and answers the test code's requests. Code in
# this process can do no more than claim a value.
import _operator as operators
from itertools import islice

COPIED = 100000  # maximum of parts of an iterable
SLICE = 0.005  # seconds for which an awaited coroutine may run at a time


# A function of the test code.
class Lent:
    __slots__ = ("_number", "_shown", "__dict__")
    __doc__ = property(lambda self: self._shown.get("__doc__"))
    __module__ = property(lambda self: self._shown.get("__module__"))
    __signature__ = property(lambda self: signature_from(link.ask("signature", self)))

    def __init__(self, number, shown):
        self._number, self._shown = number, shown

    def __getattr__(self, name):
        try:
            return self._shown[name]
        except KeyError:
            raise AttributeError(name) from None

    def __call__(self, *args, **kwargs):
        return link.ask("call", self, *args, **kwargs)


lent = {}


class CandidateLink(Link):
    printed = None

    def form_of(self, kind):
        if hasattr(kind, "__await__"):
            return ',"as":"awaitable"'
        return ',"as":"record"' if type(type.__getattribute__(kind, "__dict__").get("__dataclass_fields__")) is dict else ""

    def answer(self, message, args):
        self.printed = None
        if "streams" not in message:
            return Link.answer(self, message, args)
        new = list(replaced(message["streams"]))
        before = [(owner, name, getattr(owner, name)) for owner, name, _ in new]
        try:
            for owner, name, v in new:
                setattr(owner, name, v)
            return Link.answer(self, message, args)
        finally:
            for owner, name, v in before:
                setattr(owner, name, v)
            self.printed = {name: v.getvalue() for _, name, v in new if name in ("stdout", "stderr")}

    def aside(self):
        printed, self.printed = self.printed, None
        return ',"printed":%s' % self.encode(printed) if printed else ""


def remote(link, d):
    number = d["id"]
    if number not in lent:
        lent[number] = Lent(number, d.get("shown", {}))
    return lent[number]


# An exception of the test code that the candidate has as well, such as those of a prompt.
def named_class(name):
    v = names.get(name)
    return v if isinstance(v, type) and BaseException in mro_of(v) else None


# ---- standard streams and functions that the test code has replaced, during a call ----

class Input:
    def __init__(self, readline):
        self.readline = lambda *size: readline()

    def __iter__(self):
        return iter(self.readline, "")

    def read(self, *size):
        return "".join(self)

    def readlines(self, *size):
        return list(self)

    def fileno(self):
        raise OSError("no descriptor")

    def isatty(self):
        return False


def replaced(streams):
    import io
    for name, v in streams.items():
        if name == "stdin":
            yield sys, name, Input(v)
        elif name in ("stdout", "stderr"):
            yield sys, name, io.StringIO()
        else:
            yield builtins, name, v


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
        return {"exception": link.decode(lineage(v))}
    return {"value": v}


# The parts of a data class or of a member of an enum, as text; other objects have none.
def parts_of(v):
    said = encode(v, ROOM)
    return said if said.startswith(('{"$type":"dataclass"', '{"$type":"enum"')) else None


# The content of an object that can be iterated over more than once; None for any other.
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


# An operator or a built-in function, by its name.
def operate(v, name, *others):
    return (getattr(operators, name, None) or getattr(builtins, name))(v, *others)


# ---- what is awaited: by a loop of ours, a little at a time, so that several of them go on side by side ----

tasks = {}


async def finish(v):
    return await v


async def advance(v):
    try:
        return (await type(v).__anext__(v),)
    except StopAsyncIteration:
        return ()


async def leave_later(v, told):
    e = told and exception_from(told)
    return bool(await type(v).__aexit__(v, e and type(e), e, None))


def task_of(v):
    if not tasks:
        import asyncio
        tasks["asyncio"], tasks["loop"] = asyncio, asyncio.new_event_loop()
        asyncio.set_event_loop(tasks["loop"])
    if id(v) not in tasks:
        tasks[id(v)] = tasks["loop"].create_task(finish(v)), v
    return tasks[id(v)][0]


def step(v):
    task = task_of(v)
    if not task.done():
        tasks["loop"].run_until_complete(tasks["asyncio"].wait([task], timeout=SLICE))
    return (task.result(),) if task.done() else ()


# ---- the rest of what can be asked for ----

def copied(v, deep):
    import copy
    return (copy.deepcopy if deep else copy.copy)(v)


def set_item(v, key, value):
    v[key] = value


def leave(v, told):
    e = told and exception_from(told)
    return bool(type(v).__exit__(v, e and type(e), e, None))


def main():
    global link, names
    link = CandidateLink(lambda v: True, is_plain, {
        "name": look_up, "call": lambda f, *args, **kwargs: f(*args, **kwargs), "get": getattr, "set": setattr,
        "bool": lambda v: True if v else False, "len": len, "iter": iter, "next": next, "copy": copy_of,
        "item": lambda v, key: v[key], "set item": set_item, "in": lambda v, item: item in v, "str": str,
        "is instance": lambda kind, v: isinstance(v, kind), "parts": parts_of,
        "enter": lambda v: type(v).__enter__(v), "exit": leave, "operate": operate, "step": step,
        "copied": copied, "signature": signature_of,
        "cancel": lambda v: task_of(v).cancel(), "async iter": lambda v: type(v).__aiter__(v), "async next": advance,
        "async enter": lambda v: type(v).__aenter__(v), "async exit": leave_later}, {Lent})
    module = type(sys)("candidate")
    names = module.__dict__
    path = names["__file__"] = sys.argv[1]
    modules["candidate"] = modules["__main__"] = module
    sys.argv, sys.path[:1] = [path], [path.rpartition("/")[0]]
    try:
        begin_profile(names)
        with open(path, "rb") as f:
            source = f.read()
        if needs_site(source):
            load_site()
        exec(compile(source, path, "exec", candidate_flags, True), names)
        link.send('{"value":null}')
    except BaseException as e:
        link.send('{"raised":%s}' % link.report(e))
        return
    while True:
        sys.stdout.flush()  # this process is killed at the end
        link.serve(link.receive())


try:
    main()
except LinkEnded:
    pass
finally:
    from posix import _exit
    _exit(0)
