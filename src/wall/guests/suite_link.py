# SPDX-License-Identifier: Apache-2.0
# Test code and the candidate in separate sandboxes, with this link between them: calls and their outcomes, one
# JSON message on each line, which the host passes on. Follows judge_codec.py in one text; suite_tests.py or
# suite_candidate.py follows.
#
# Values that the codec knows are copied. Any other object stays in its process, and the other side has a number for
# it: {"$type": "mine"} is an object of the sender, {"$type": "yours"} one of the receiver. An object whose class is
# derived from list, int and so on is sent with a plain copy of its content. {"$type": "builtin"} is a name of
# Python's own, so that no side has to lend it.
import builtins
from posix import close, dup, dup2, open as open_fd, read, write

ROOM, LINE_MAX, SAID = 4 << 20, 32 << 20, 65536  # SAID: characters of the strings of an exception
CHANGEABLE = {list, dict, set, bytearray}
LATER_CHANGEABLE = {("collections", "deque"), ("collections", "defaultdict"), ("collections", "OrderedDict"),
                    ("collections", "Counter"), ("numpy", "ndarray")}


# True if a change of the object is reported to its sender.
def is_changeable(v):
    kind = type(v)
    return kind in CHANGEABLE or (name_of(kind) in ("deque", "defaultdict", "OrderedDict", "Counter", "ndarray") and any(
        getattr(modules.get(module), name, None) is kind for module, name in LATER_CHANGEABLE))


# The other process is gone, or has sent an invalid message.
class LinkEnded(BaseException):
    pass


# For our side: the link cannot carry what the test code wants to send.
class LinkFault(BaseException):
    pass


def load_site():
    if PackageFinder in sys.meta_path:
        sys.meta_path.remove(PackageFinder)
        import site
        first = sys.path[:1]
        site.main()
        sys.path[:0] = [] if sys.path[:1] == first else first


# Also of site: exit(), quit(), help() and so on.
def needs_site(text):
    return any(word in text for word in (b"exit(", b"quit(", b"help(", b"copyright", b"credits", b"license"))


# Python was started with -S. Packages are searched when the program first needs more than the standard library.
class PackageFinder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if path is not None or name in sys.stdlib_module_names or PackageFinder not in sys.meta_path:
            return None
        load_site()
        from importlib.machinery import PathFinder
        return PathFinder.find_spec(name, path, target)


class LinkEncoder(Encoder):
    __slots__ = ("link",)

    def member(self, v, kind, name):
        return False

    def record(self, v, kind, name):
        return False

    # A path without a file system, and a mapping with a factory, which may be a function.
    def relative(self, v, kind):
        name = name_of(kind)
        if name == "PurePosixPath" and getattr(modules.get("pathlib"), name, None) is kind:
            self.put('{"$type":"pure path","text":%s}' % quote(v.__fspath__()))
        elif name == "defaultdict" and getattr(modules.get("collections"), name, None) is kind:
            self.factory(v)
        else:
            Encoder.relative(self, v, kind)

    def factory(self, v):
        self.put('{"$type":"factory","factory":')
        self.value(v.default_factory)
        self.put(',"content":')
        Encoder.mapping(self, v)
        self.put("}")

    def view(self, v, name):
        self.put('{"$type":"view","class":"%s","items":' % name)
        self.items(v)
        self.put("}")

    def other(self, v, name):
        if type(v) in VIEWS:
            self.view(v, name)
        elif put_table(self, v, name):
            pass
        elif type(v) in self.link.remotes:
            self.put('{"$type":"yours","id":%d}' % number_of(v))
        elif type(v) in (type, type(len)) and self.link.names_builtin(v):
            self.put('{"$type":"builtin","name":%s}' % quote(v.__name__))
        elif type(v) is slice:
            self.put('{"$type":"slice","items":')
            self.items((v.start, v.stop, v.step))
            self.put("}")
        else:
            self.lend(v, type(v), name)

    # The properties of a function that the other side may see without a request.
    def describe(self, v):
        if type(v) is FUNCTION:
            self.put(',"shown":')
            self.value({name: getattr(v, name) for name in ("__name__", "__qualname__", "__doc__", "__module__")})

    # A class cannot lie about its content: the copy is made by the methods of the built-in base.
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
            self.describe(v)
        self.put("}")


VIEWS = {type({}.keys()): lambda items: dict.fromkeys(items).keys(), type({}.items()): lambda items: dict(items).items(),
         type({}.values()): lambda items: dict(enumerate(items)).values()}
WHOLE, FUNCTION = slice(None), type(lambda: None)
BASES = (
    (int, "int", int.__int__), (float, "float", float.__float__), (str, "str", str.__str__),
    (bytes, "bytes", lambda v: bytes.__getitem__(v, WHOLE)), (tuple, "tuple", lambda v: tuple.__getitem__(v, WHOLE)),
    (frozenset, "frozenset", lambda v: frozenset(frozenset.__iter__(v))), (list, "list", lambda v: list.__getitem__(v, WHOLE)),
    (dict, "dict", lambda v: dict(dict.items(v))), (set, "set", lambda v: set(set.__iter__(v))))


class Link:
    # `lends(value)` is true if the other side may hold it, `names_builtin(value)` if a built-in object is sent
    # by its name; `ops` are the permitted operations. `remotes` are the types of objects of the other side.
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
                self.end("sent more than a message may have") if parts[-1] else self.ended()
        line, _, self.pending = b"".join(parts).partition(b"\n")
        return line

    def stop(self, why):
        raise LinkEnded(why)

    def end(self, why):
        self.stop("The candidate's process " + why)

    def ended(self):
        self.stop("The candidate ended the program before the test was over")

    # Reading invalid input raises many types of exceptions, also StopIteration: none may reach the caller.
    def receive(self):
        line = self.receive_line()
        try:
            message = self.decode(line.decode("ascii"))
            if type(message) is dict and ("op" in message or "value" in message or "raised" in message):
                return message
        except Exception:
            pass
        self.garble()

    def garble(self):
        self.end("sent a line that is no message")

    def question(self, op, args, kwargs):
        return '{"op":"%s","args":%s,"kwargs":%s}' % (op, self.encode(list(args)), self.encode(kwargs))

    # An exception is sent with its arguments and attributes, as far as they can be sent.
    def report(self, e):
        try:
            args = e.args
            if isinstance(e, OSError) and e.filename is not None:
                args = e.errno, e.strerror, e.filename
            more = ',"args":%s,"attributes":%s' % (Link.encode(self, list(args)), Link.encode(self, {
                name: v for name, v in e.__dict__.items() if name not in ("_theirs", "_said")}))
        except LinkEnded:
            raise
        except BaseException:
            more = ""
        return raised(e, more if len(more) < SAID else "")

    # The kind of an object that is derived from no built-in type.
    def form_of(self, kind):
        return ""

    def answer(self, message, args):
        return self.ops[message["op"]](*args, **message["kwargs"])

    # Additional data of an answer.
    def aside(self):
        return ""

    # Until the answer comes, the other side may send requests of its own.
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
            before = [self.encode(a) if is_changeable(a) else None for a in args]
            said = '{"value":%s' % self.encode(self.answer(message, args))
        except (LinkEnded, LinkFault):
            raise
        except BaseException as e:
            before, said = (), '{"raised":%s' % self.report(e)
        said += self.aside()
        changed = ["[%d,%s]" % (i, self.encode(args[i])) for i, was in enumerate(before)
                   if was is not None and was != self.encode(args[i])]
        self.send(said + (',"changed":[%s]}' % ",".join(changed) if changed else "}"))


def replace(ours, theirs):
    if type(ours) is not type(theirs) or not is_changeable(ours):
        return
    if name_of(type(ours)) == "ndarray":
        ours[...] = theirs
        return
    ours.clear()
    (ours.extend if hasattr(ours, "extend") else ours.update)(theirs)


# ---- exceptions ----

name_of, bases_of, module_of = (type.__dict__[name].__get__ for name in ("__name__", "__bases__", "__module__"))


# [name, its bases, each in the same way], down to built-in classes, which have no bases; after the name of a library's
# class, its module. The class counts, not its name.
def lineage(kind):
    name = name_of(kind)
    if built_in.get(name) is kind:
        return "[%s]" % quote(name)
    module = module_of(kind)
    owner = [quote(module)] if type(module) is str and library_exception(name, module) is kind else []
    return "[%s]" % ",".join([quote(name)] + owner + [lineage(base) for base in bases_of(kind) if BaseException in mro_of(base)])


built_in = {name: v for name, v in vars(builtins).items() if isinstance(v, type) and BaseException in mro_of(v)}
# These end or skip a test when they are raised.
FRAMEWORKS = "unittest", "pytest", "_pytest", "doctest"


# An exception of a module that is imported here, or None. A side that has not imported the module cannot name it.
def library_exception(name, module):
    root = module.partition(".")[0]
    kind = vars(modules[module]).get(name) if module in modules and root in SHARED and root not in FRAMEWORKS else None
    return kind if type(kind) is type and Exception in mro_of(kind) else None


SHARED = (getattr(sys, "stdlib_module_names", None) or frozenset(sys.builtin_module_names)) | {"numpy", "pandas"}


# `more` are the arguments and attributes that the sender adds.
def raised(e, more=""):
    kind = type(e)
    return '{"kind":%s,"message":%s%s}' % (lineage(kind), quote(words_of(str, e, name_of(kind), 2000)), more)


own_exceptions = {}


def builtin_exception(name):
    return built_in.get(name)


PLAIN_TYPES = frozenset((
    bool, bytearray, bytes, complex, dict, float, frozenset, int, list, object, range, set, slice, str, tuple))


# A built-in type that means the same in both processes, and whose calls only make a value.
def is_plain(kind):
    return type(kind) is type and (kind in PLAIN_TYPES or builtin_exception(kind.__name__) is kind)


def said_of(self):
    said = self.__dict__.get("_said")
    return said if type(said) is str else BaseException.__str__(self)


# A class of the other side gets a class of the same name here, with bases of the same names.
def exception_class(line):
    name, bases = line[0], line[1:]
    if not bases:
        return built_in[name]
    owner = bases[0] if type(bases[0]) is str else None
    kind = owner and library_exception(name, owner) or own_exceptions.get(name) or named_class(name)
    if kind is None:
        bases = tuple(map(exception_class, bases[1:] if owner else bases)) or (Exception,)
        try:
            kind = type(name, bases, {"__str__": said_of})
        except TypeError:  # the bases do not fit together here
            kind = type(name, bases[:1], {"__str__": said_of})
        own_exceptions[name] = kind
    return kind


def exception_from(told):
    kind = exception_class(told["kind"])
    args = tuple(told.get("args", (told["message"],)))
    try:
        e = kind(*args)
    except Exception:  # it needs other arguments
        e = kind.__new__(kind)
        e.args = args
    e.__dict__.update(told.get("attributes", {}), _said=told["message"])
    return e


# ---- signatures ----

def signature_of(f):
    import inspect
    signature, empty = inspect.signature(f), inspect.Signature.empty
    given = lambda v: () if v is empty else (v,)
    return [(p.name, int(p.kind), given(p.default), given(p.annotation)) for p in signature.parameters.values()], given(
        signature.return_annotation)


def signature_from(told):
    import inspect
    empty = inspect.Signature.empty
    either = lambda v: v[0] if v else empty
    return inspect.Signature([inspect.Parameter(name, list(inspect._ParameterKind)[kind], default=either(default), annotation=either(
        annotation)) for name, kind, default, annotation in told[0]], return_annotation=either(told[1]))


# ---- back from text ----

def decode_factory(d):
    from collections import defaultdict
    return defaultdict(d["factory"], d["content"])


def decode_pure_path(d):
    from pathlib import PurePosixPath
    return PurePosixPath(d["text"])


def decode_view(d):
    items = d["items"]
    return next(make for kind, make in VIEWS.items() if kind.__name__ == d["class"])(items)


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
    forms = dict(DECODERS, **TABLES, factory=decode_factory, **{"pure path": decode_pure_path}, view=decode_view, mine=lambda d: remote(link, d), yours=lambda d: link.lent[d["id"]],
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
