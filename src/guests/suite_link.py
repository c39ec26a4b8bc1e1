# SPDX-License-Identifier: Apache-2.0
# Test code and the candidate in sandboxes of their own, with this between them: calls and what comes of them, a
# JSON message a line, which the host carries over. Follows judge_codec.py in one text; suite_tests.py or
# suite_candidate.py follows.
#
# Values that the codec knows are copied. Any other object stays in its process, and the other side has a number for
# it: {"$type": "mine"} is an object of the sender, {"$type": "yours"} one of the receiver. An object whose class is
# derived from list, int and so on is sent with a plain copy of its content. {"$type": "builtin"} is a name of
# Python's own, so that nobody has to lend it.
import builtins
from posix import close, dup, dup2, open as open_fd, read, write

ROOM, LINE_MAX = 4 << 20, 32 << 20
CHANGEABLE = {list, dict, set, bytearray}


# The other process is gone, or what it sends is no message.
class LinkEnded(BaseException):
    pass


# Ours: the link cannot carry what the test code wants to send.
class LinkFault(BaseException):
    pass


# Python was started with -S. Packages are looked for when something asks for more than the standard library.
class PackageFinder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if path is not None or name in sys.stdlib_module_names or PackageFinder not in sys.meta_path:
            return None
        sys.meta_path.remove(PackageFinder)
        import site
        first = sys.path[:1]
        site.main()
        sys.path[:0] = [] if sys.path[:1] == first else first
        from importlib.machinery import PathFinder
        return PathFinder.find_spec(name, path, target)


class LinkEncoder(Encoder):
    __slots__ = ("link",)

    def member(self, v, kind, name):
        return False

    def record(self, v, kind, name):
        return False

    def other(self, v, name):
        if type(v) in self.link.remotes:
            self.put('{"$type":"yours","id":%d}' % number_of(v))
        elif type(v) in (type, type(len)) and self.link.names_builtin(v):
            self.put('{"$type":"builtin","name":%s}' % quote(v.__name__))
        elif type(v) is slice:
            self.put('{"$type":"slice","items":')
            self.items((v.start, v.stop, v.step))
            self.put("}")
        else:
            self.lend(v, type(v), name)

    # A class that lies about its content cannot: the copy is made by the methods of the built-in base.
    def lend(self, v, kind, name):
        self.put('{"$type":"mine","id":%d' % self.link.lend(v, name))
        for base, form, copy in BASES:
            if base in mro_of(kind):
                self.enter(v)
                self.put(',"as":"%s","copy":' % form)
                self.value(copy(v))
                self.path.pop()
                break
        else:
            self.put(self.link.form_of(kind))
        self.put("}")


WHOLE = slice(None)
BASES = (
    (int, "int", int.__int__), (float, "float", float.__float__), (str, "str", str.__str__),
    (bytes, "bytes", lambda v: bytes.__getitem__(v, WHOLE)), (tuple, "tuple", lambda v: tuple.__getitem__(v, WHOLE)),
    (frozenset, "frozenset", lambda v: frozenset(frozenset.__iter__(v))), (list, "list", lambda v: list.__getitem__(v, WHOLE)),
    (dict, "dict", lambda v: dict(dict.items(v))), (set, "set", lambda v: set(set.__iter__(v))))


class Link:
    # `lends(value)` says whether the other side may have hold of it, `names_builtin(value)` whether a built-in one is
    # sent by its name; `ops` is what it may ask for. `remotes` are the types of objects of the other side.
    def __init__(self, lends, names_builtin, ops, remotes):
        self.lends, self.names_builtin, self.ops, self.remotes = lends, names_builtin, ops, remotes
        self.fd_in, self.fd_out = dup(0), dup(1)
        dup2(open_fd("/dev/null", 0), 0)
        dup2(2, 1)
        self.pending, self.lent, self.numbers = b"", [], {}
        self.decode = make_decoder(self)
        sys.meta_path.append(PackageFinder)

    def lend(self, v, name):
        if not self.lends(v):
            raise TypeError("a value of type %s cannot be passed to the candidate" % name)
        number = self.numbers.get(id(v))
        if number is None:
            number = self.numbers[id(v)] = len(self.lent)
            self.lent.append(v)
        return number

    def encode(self, v):
        encoder = LinkEncoder(ROOM)
        encoder.link = self
        encoder.value(v)
        return "".join(encoder.out)

    def send(self, text):
        data = memoryview(text.encode("ascii") + b"\n")
        while data:
            data = data[write(self.fd_out, data):]

    def receive_line(self):
        parts, size = [self.pending], len(self.pending)
        while b"\n" not in parts[-1]:
            parts.append(read(self.fd_in, 65536))
            size += len(parts[-1])
            if not parts[-1] or size > LINE_MAX:
                self.end("sent more than a message may have" if parts[-1] else "ended before the test did")
        line, _, self.pending = b"".join(parts).partition(b"\n")
        return line

    def end(self, why):
        raise LinkEnded("The candidate's process " + why)

    # What cannot be read raises all kinds of exceptions, StopIteration among them: none may reach the caller.
    def receive(self):
        line = self.receive_line()
        try:
            message = self.decode(line.decode("ascii"))
            if type(message) is dict and ("op" in message or "value" in message or "raised" in message):
                return message
        except Exception:
            pass
        self.end("sent a line that is no message")

    def question(self, op, args, kwargs):
        return '{"op":"%s","args":%s,"kwargs":%s}' % (op, self.encode(list(args)), self.encode(kwargs))

    def report(self, e):
        return raised(e)

    # What an object is that is derived from no built-in type.
    def form_of(self, kind):
        return ""

    # Until it is answered, the other side may ask for something itself.
    def ask(self, op, *args, **kwargs):
        self.send(self.question(op, args, kwargs))
        while True:
            message = self.receive()
            if "op" not in message:
                return self.take(op, message, args)
            self.serve(message)

    def take(self, op, message, args):
        if op == "call":
            for number, value in message.get("changed", ()):
                replace(args[number], value)
        if "raised" in message:
            raise exception_from(message["raised"])
        return message["value"]

    def serve(self, message):
        try:
            args = message["args"]
            before = [self.encode(a) if type(a) in CHANGEABLE else None for a in args]
            said = '{"value":%s' % self.encode(self.ops[message["op"]](*args, **message["kwargs"]))
        except (LinkEnded, LinkFault):
            raise
        except BaseException as e:
            before, said = (), '{"raised":%s' % self.report(e)
        changed = ["[%d,%s]" % (i, self.encode(args[i])) for i, was in enumerate(before)
                   if was is not None and was != self.encode(args[i])]
        self.send(said + (',"changed":[%s]}' % ",".join(changed) if changed else "}"))


def replace(ours, theirs):
    if type(ours) is not type(theirs) or type(ours) not in CHANGEABLE:
        return
    ours.clear()
    (ours.extend if type(ours) in (list, bytearray) else ours.update)(theirs)


# ---- exceptions ----

name_of, bases_of = type.__dict__["__name__"].__get__, type.__dict__["__bases__"].__get__


# [name, its bases, each in the same way], down to what is built in.
def lineage(kind):
    name = name_of(kind)
    bases = () if builtin_exception(name) is kind else bases_of(kind)
    return "[%s]" % ",".join([quote(name)] + [lineage(base) for base in bases if BaseException in mro_of(base)])


# `more` is what the sender adds of arguments and attributes.
def raised(e, more=""):
    kind = type(e)
    return '{"kind":%s,"message":%s%s}' % (lineage(kind), quote(words_of(str, e, name_of(kind), 2000)), more)


own_exceptions = {}


def builtin_exception(name):
    kind = getattr(builtins, name, None)
    return kind if isinstance(kind, type) and BaseException in mro_of(kind) else None


PLAIN_TYPES = frozenset((
    bool, bytearray, bytes, complex, dict, float, frozenset, int, list, object, range, set, slice, str, tuple))


# A built-in type that means the same in both processes, and of which calls do no more than make a value.
def is_plain(kind):
    return type(kind) is type and (kind in PLAIN_TYPES or builtin_exception(kind.__name__) is kind)


def said_of(self):
    said = self.__dict__.get("_said")
    return said if type(said) is str else BaseException.__str__(self)


# A class of the other side has a namesake here, with bases of the same names.
def exception_class(line):
    name = line[0]
    kind = builtin_exception(name) or own_exceptions.get(name)
    if kind is None:
        bases = tuple(map(exception_class, line[1:])) or (Exception,)
        try:
            kind = type(name, bases, {"__str__": said_of})
        except TypeError:  # they do not go together here
            kind = type(name, bases[:1], {"__str__": said_of})
        own_exceptions[name] = kind
    return kind


def exception_from(told):
    kind = exception_class(told["kind"])
    args = tuple(told.get("args", (told["message"],)))
    try:
        e = kind(*args)
    except Exception:  # it wants others
        e = kind.__new__(kind)
        e.args = args
    e.__dict__.update(told.get("attributes", {}), _said=told["message"])
    return e


# ---- back from text ----

def decode_own_scalar(d):
    import numpy
    kind = getattr(numpy, d["class"])
    if not isinstance(kind, type) or numpy.generic not in mro_of(kind):
        raise TypeError("no scalar")
    return kind(d["value"])


def decode_named(d):
    from collections import namedtuple
    return namedtuple(d["class"], [n for n, _ in d["items"]], rename=True)(*[v for _, v in d["items"]])


def make_decoder(link):
    forms = dict(DECODERS, mine=lambda d: remote(link, d), yours=lambda d: link.lent[d["id"]],
                 builtin=lambda d: builtin_of(d["name"]), slice=lambda d: slice(*d["items"]), namedtuple=decode_named, scalar=decode_own_scalar,
                 dataclass=lambda d: ("dataclass", d["class"], [tuple(pair) for pair in d["items"]]),
                 enum=lambda d: ("enum", d["class"], d["name"]))

    def hook(d):
        form = d.get("$type")
        return d if form is None else forms[form](d)

    class Context:
        strict, memo, object_pairs_hook, object_hook = True, {}, None, staticmethod(hook)
        parse_float, parse_int, parse_constant = float, int, float
        parse_string = parse_object = parse_array = None

    scan = make_scanner(Context)
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    return lambda text: scan(text, 0)[0]
