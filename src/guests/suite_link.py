# SPDX-License-Identifier: Apache-2.0
# Test code and the candidate in sandboxes of their own, with this between them: calls and what comes of them, a
# JSON message a line, which the host carries over. Follows judge_codec.py in one text; suite_tests.py or
# suite_candidate.py follows.
#
# Values that the codec knows are copied. Anything else stays where it is and is known to the other side by a
# number: {"$type": "mine"} is an object of who says so, {"$type": "yours"} one of who hears it.
from posix import close, dup, dup2, open as open_fd, read, write

ROOM, LINE_MAX = 4 << 20, 64 << 20
CHANGEABLE = {list, dict, set, bytearray}


class LinkEnded(BaseException):
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
        if type(v) is Remote:
            self.put('{"$type":"yours","id":%d}' % object.__getattribute__(v, "_number"))
        else:
            self.put('{"$type":"mine","id":%d}' % self.link.lend(v, name))


class Link:
    # `lends(value)` says whether the other side may have hold of it; `ops` is what it may ask for.
    def __init__(self, lends, ops):
        self.lends, self.ops = lends, ops
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

    def receive(self):
        parts = [self.pending]
        while b"\n" not in parts[-1]:
            parts.append(read(self.fd_in, 65536))
            if not parts[-1] or len(parts) > LINE_MAX:
                raise LinkEnded
        line, _, self.pending = b"".join(parts).partition(b"\n")
        return self.decode(line.decode("ascii"))

    # Until it is answered, the other side may ask for something itself.
    def ask(self, op, *args, **kwargs):
        self.send('{"op":"%s","args":%s,"kwargs":%s}' % (op, self.encode(list(args)), self.encode(kwargs)))
        while True:
            message = self.receive()
            if "op" not in message:
                return self.take(message, args)
            self.serve(message)

    def take(self, message, args):
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
        except LinkEnded:
            raise
        except BaseException as e:
            before, said = (), '{"raised":%s' % raised(e)
        changed = ["[%d,%s]" % (i, self.encode(args[i])) for i, was in enumerate(before)
                   if was is not None and was != self.encode(args[i])]
        self.send(said + (',"changed":[%s]}' % ",".join(changed) if changed else "}"))


def parts_equal(a, b):
    said, link = [a._ask("parts"), b._ask("parts")], object.__getattribute__(a, "_link")
    if None in said:
        return False
    try:
        return link.decode(said[0]) == link.decode(said[1])
    except KeyError:  # some part is of a type that is not copied
        return False


def replace(ours, theirs):
    if type(ours) is not type(theirs) or type(ours) not in CHANGEABLE:
        return
    ours.clear()
    (ours.extend if type(ours) in (list, bytearray) else ours.update)(theirs)


# ---- exceptions ----

def raised(e):
    names = [base.__name__ for base in mro_of(type(e))]
    return '{"names":[%s],"message":%s}' % (",".join(map(quote, names)), quote(words_of(str, e, names[0], 2000)))


own_exceptions = {}


def builtin_exception(name):
    import builtins
    kind = getattr(builtins, name, None)
    return kind if isinstance(kind, type) and BaseException in mro_of(kind) else None


# A class of the other side's is one of that name here too, below the nearest that Python has itself.
def exception_class(names):
    kind = builtin_exception(names[0]) or own_exceptions.get(names[0])
    if kind is None:
        bases = [k for k in map(builtin_exception, names) if k is not None]
        kind = own_exceptions[names[0]] = type(names[0], (bases[0],), {})
    return kind


def exception_from(told):
    kind = exception_class(told["names"])
    try:
        return kind(told["message"])
    except TypeError:  # it wants more than a message
        e = kind.__new__(kind)
        e.args = (told["message"],)
        return e


# ---- an object of the other side ----

# What is asked of it, the other side says; but equality is decided here: two data classes or members of enums are
# equal when what they consist of is, and nothing else equals anything but itself.
class Remote:
    __slots__ = ("_link", "_number")

    def __init__(self, link, number):
        object.__setattr__(self, "_link", link)
        object.__setattr__(self, "_number", number)

    def _ask(self, op, *args, **kwargs):
        return object.__getattribute__(self, "_link").ask(op, self, *args, **kwargs)

    def __call__(self, *args, **kwargs):
        return self._ask("call", *args, **kwargs)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self._ask("get", name)

    def __setattr__(self, name, value):
        self._ask("set", name, value)

    def __bool__(self):
        return self._ask("bool")

    def __len__(self):
        return self._ask("len")

    def __iter__(self):
        return self._ask("iter")

    def __next__(self):
        return self._ask("next")

    def __getitem__(self, key):
        return self._ask("item", key)

    def __setitem__(self, key, value):
        self._ask("set item", key, value)

    def __contains__(self, value):
        return self._ask("in", value)

    def __str__(self):
        return self._ask("str")

    def __repr__(self):
        return "<object of the candidate's>"

    def __instancecheck__(self, value):
        return type(value) is Remote and self._ask("is instance", value)

    def __eq__(self, other):
        if type(other) is not Remote:
            return NotImplemented
        if self._number == other._number:
            return True
        return parts_equal(self, other)

    def __hash__(self):
        return hash(self._number)


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
    remotes = {}

    def theirs(d):
        number = d["id"]
        if number not in remotes:
            remotes[number] = Remote(link, number)
        return remotes[number]

    forms = dict(DECODERS, mine=theirs, yours=lambda d: link.lent[d["id"]], namedtuple=decode_named,
                 scalar=decode_own_scalar,
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
