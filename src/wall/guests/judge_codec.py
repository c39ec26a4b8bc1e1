# SPDX-License-Identifier: Apache-2.0
# Values as typed JSON, in both directions: the forms of src/reading/values/value_types.def. Runs inside the wall,
# before the driver (judge_driver.py), in one text with it. Exact types only: a value of a subclass does not count
# as a value of the type, unless the class is a relative in the standard library that == treats alike. All that
# is needed is bound before the candidate is loaded. This prevents accidents, not attacks: for the judge,
# a value is only a claim.
import sys
from binascii import a2b_base64, b2a_base64
from _datetime import date, datetime, time, timedelta, timezone

try:
    from _json import encode_basestring_ascii as quote, make_scanner
except ImportError:  # another Python than CPython
    from json.encoder import py_encode_basestring_ascii as quote
    from json.scanner import py_make_scanner as make_scanner

MAX_DEPTH, MAX_NODES, MAX_BITS, MAX_REPR, SMALL = 150, 200000, 262144, 2000, 1 << 62
modules, mro_of = sys.modules, type.__dict__["__mro__"].__get__
id, len, type, repr, getattr, range, list, tuple, set, frozenset, dict = (
    id, len, type, repr, getattr, range, list, tuple, set, frozenset, dict)
int, str, float, bytes, bytearray, complex, bool, object, BaseException, map, enumerate = (
    int, str, float, bytes, bytearray, complex, bool, object, BaseException, map, enumerate)


class TooMuch(Exception):
    pass


# ---- there ----

# `out` takes parts of the text; `left` has how many values and characters may still come; `path` has the
# containers of this value.
class Encoder:
    __slots__ = ("out", "nodes", "room", "path")

    def __init__(self, room):
        self.out, self.nodes, self.room, self.path = [], MAX_NODES, room, []

    def put(self, text):
        self.room -= len(text)
        if self.room < 0:
            raise TooMuch("the value is larger than a result may be")
        self.out.append(text)

    def value(self, v):
        self.nodes -= 1
        if self.nodes < 0:
            raise TooMuch("the value has more than %d parts" % MAX_NODES)
        kind = type(v)
        put = BY_TYPE.get(id(kind))
        if put is not None:
            put(self, v)
        else:
            self.relative(v, kind)

    def enter(self, v):
        if id(v) in self.path:
            raise TooMuch("the value contains itself")
        if len(self.path) == MAX_DEPTH:
            raise TooMuch("the value is nested more than %d levels deep" % MAX_DEPTH)
        self.path.append(id(v))

    def items(self, values):
        between = "["
        for v in values:
            self.put(between)
            self.value(v)
            between = ","
        self.put("[]" if between == "[" else "]")

    def pairs(self, pairs):
        between = "["
        for k, v in pairs:
            self.put(between + "[")
            self.value(k)
            self.put(",")
            self.value(v)
            self.put("]")
            between = ","
        self.put("[]" if between == "[" else "]")

    def head(self, form, name=None):
        self.put('{"$type":"%s",' % form if name is None else '{"$type":"%s","class":%s,' % (form, quote(name)))

    # ---- types that are here from the start ----

    def none(self, v):
        self.put("null")

    def truth(self, v):
        self.put("true" if v else "false")

    def integer(self, v):
        if -SMALL < v < SMALL:
            self.put(int.__repr__(v))
        elif v.bit_length() > MAX_BITS:
            raise TooMuch("an int of %d bits is larger than a result may be" % v.bit_length())
        else:
            self.put('{"$type":"int","hex":"%s"}' % hex(v))

    def real(self, v):
        if v - v == 0:
            self.put(float.__repr__(v))
        else:
            self.put('{"$type":"float","text":"%s"}' % float.__repr__(v))

    def fits(self, n, what):
        if n > self.room:
            raise TooMuch("%s of length %d is larger than a result may be" % (what, n))

    def text(self, v):
        self.fits(len(v), "a str")
        if not v.isascii():
            try:
                v.encode()
            except UnicodeEncodeError:
                self.put('{"$type":"str","base64":"%s"}' % base64(v.encode("utf-8", "surrogatepass")))
                return
        self.put(quote(v))

    def octets(self, v):
        self.fits(len(v), "a value")
        self.put('{"$type":"%s","base64":"%s"}' % ("bytes" if type(v) is bytes else "bytearray", base64(v)))

    def two_reals(self, v):
        self.put('{"$type":"complex","real":')
        self.real(v.real)
        self.put(',"imag":')
        self.real(v.imag)
        self.put("}")

    def array(self, v):
        self.enter(v)
        self.items(v)
        self.path.pop()

    def sequence(self, v, form=None):
        self.enter(v)
        self.head(form or FORMS[id(type(v))])
        self.put('"items":')
        self.items(v)
        self.put("}")
        self.path.pop()

    def mapping(self, v, name=None):
        self.enter(v)
        self.head("dict", name)
        self.put('"items":')
        self.pairs(dict.items(v))
        self.put("}")
        self.path.pop()

    def numbers(self, v):
        self.head("range")
        for name, n in (("start", v.start), ("stop", v.stop), ("step", v.step)):
            self.put('"%s":' % name)
            self.integer(n)
            self.put("}" if name == "step" else ",")

    def moment(self, v):
        self.head(FORMS[id(type(v))])
        self.put('"text":%s}' % quote(v.isoformat()))

    def span(self, v):
        self.head("timedelta")
        self.put('"days":%d,"seconds":%d,"microseconds":%d}' % (v.days, v.seconds, v.microseconds))

    # ---- types that modules bring along, and those of the candidate ----

    def relative(self, v, kind):
        name = type.__getattribute__(kind, "__name__")
        known = LATER.get((type.__getattribute__(kind, "__module__"), name))
        if known is not None and getattr(modules.get(known[0]), name, None) is kind:
            known[1](self, v, name)
        elif not (self.scalar(v, kind, name) or self.member(v, kind, name) or self.named(v, kind, name)
                  or self.record(v, kind, name)):
            self.other(v, name)

    def decimal(self, v, name):
        self.head("decimal")
        self.put('"text":%s}' % quote(v.__str__()))

    def fraction(self, v, name):
        self.head("fraction")
        self.put('"numerator":')
        self.integer(v.numerator)
        self.put(',"denominator":')
        self.integer(v.denominator)
        self.put("}")

    def folder(self, v, name):
        self.head("path")
        self.put('"text":%s}' % quote(v.__fspath__()))

    def queue(self, v, name):
        self.sequence(v, "deque")

    def ndarray(self, v, name):
        if v.dtype.kind not in "biufcSUO":
            self.other(v, name)
            return
        self.enter(v)
        self.head("ndarray", str(v.dtype))
        self.put('"shape":[%s],"items":' % ",".join(map(int.__repr__, v.shape)))
        self.fits(v.size, "an array")
        self.items(v.ravel().tolist())
        self.put("}")
        self.path.pop()

    def scalar(self, v, kind, name):
        generic = getattr(modules.get("numpy"), "generic", None)
        if generic is None or generic not in mro_of(kind):
            return False
        plain = v.item()
        if id(type(plain)) not in BY_TYPE:
            return False
        self.head("scalar", name)
        self.put('"value":')
        self.value(plain)
        self.put("}")
        return True

    def member(self, v, kind, name):
        meta = getattr(modules.get("enum"), "EnumMeta", None)
        if meta is None or type(kind) is not meta or equality_of(kind) not in PLAIN_EQUALITY:
            return False
        bases = mro_of(kind)
        self.head("enum", name)
        self.put('"name":%s,' % quote(str(v._name_)))
        for base in (int, str, float):
            if base in bases:
                self.put('"base":"%s",' % base.__name__)
        self.put('"value":')
        plain = v._value_
        if int in bases:
            plain = int.__index__(v)
        elif str in bases:
            plain = str.__str__(v)
        elif float in bases:
            plain = float.__float__(v)
        self.value(plain)
        self.put("}")
        return True

    def fields(self, form, v, name, fields):
        self.enter(v)
        self.head(form, name)
        self.put('"items":')
        self.pairs(fields)
        self.put("}")
        self.path.pop()
        return True

    def named(self, v, kind, name):
        names = type.__getattribute__(kind, "__dict__").get("_fields")
        if (type(names) is not tuple or kind.__bases__ != (tuple,) or equality_of(kind) is not tuple
                or len(names) != tuple.__len__(v)):
            return False
        return self.fields("namedtuple", v, name, zip(names, tuple.__iter__(v)))

    # If the class defines __eq__, it is not determined by its fields.
    def record(self, v, kind, name):
        names = type.__getattribute__(kind, "__dict__").get("__dataclass_fields__")
        owner = equality_of(kind)
        if type(names) is not dict or owner is not kind:
            return False
        code = getattr(owner.__dict__["__eq__"], "__code__", None)
        if code is None or code.co_filename != "<string>":
            return False
        return self.fields("dataclass", v, name,
                           [(n, getattr(v, n)) for n, field in names.items()
                            if field.compare and field._field_type.name == "_FIELD"])

    def other(self, v, name):
        self.head("other", name)
        self.put('"repr":%s}' % quote(repr_of(v, name)))


def base64(data):
    return b2a_base64(data, newline=False).decode()


def equality_of(kind):
    for base in mro_of(kind):
        if "__eq__" in base.__dict__:
            return base


# The return value of a foreign method, as text that can be sent.
def words_of(ask, v, name, most):
    try:
        said = ask(v)
    except BaseException:
        said = None
    if type(said) is not str:
        return "<%s object that cannot be shown>" % name
    return said[:most].encode("utf-8", "replace").decode()


def repr_of(v, name, most=MAX_REPR):
    return words_of(repr, v, name, most)


# An expected type may be the name of any base, with or without its module.
def names_of_type(kind):
    names = []
    for base in mro_of(kind):
        names.append(base.__name__)
        names.append("%s.%s" % (base.__module__, base.__qualname__))
    return names


def encode(v, room):
    encoder = Encoder(room)
    encoder.value(v)
    return "".join(encoder.out)


FORMS = {id(tuple): "tuple", id(set): "set", id(frozenset): "frozenset", id(date): "date", id(datetime): "datetime",
         id(time): "time"}
BY_TYPE = {
    id(type(None)): Encoder.none, id(bool): Encoder.truth, id(int): Encoder.integer, id(float): Encoder.real,
    id(str): Encoder.text, id(bytes): Encoder.octets, id(bytearray): Encoder.octets,
    id(complex): Encoder.two_reals, id(list): Encoder.array, id(tuple): Encoder.sequence,
    id(set): Encoder.sequence, id(frozenset): Encoder.sequence, id(dict): Encoder.mapping,
    id(range): Encoder.numbers, id(date): Encoder.moment, id(datetime): Encoder.moment, id(time): Encoder.moment,
    id(timedelta): Encoder.span}
LATER = {
    ("decimal", "Decimal"): ("decimal", Encoder.decimal), ("fractions", "Fraction"): ("fractions", Encoder.fraction),
    ("collections", "deque"): ("collections", Encoder.queue),
    ("collections", "OrderedDict"): ("collections", Encoder.mapping),
    ("collections", "defaultdict"): ("collections", Encoder.mapping),
    ("collections", "Counter"): ("collections", Encoder.mapping),
    ("pathlib", "PosixPath"): ("pathlib", Encoder.folder), ("pathlib", "PurePosixPath"): ("pathlib", Encoder.folder),
    ("pathlib._local", "PosixPath"): ("pathlib", Encoder.folder),
    ("numpy", "ndarray"): ("numpy", Encoder.ndarray)}
PLAIN_EQUALITY = (object, int, str, float)


# ---- and back ----

def decode_number(d):
    return int(d["hex"], 16)


def decode_moment(kind):
    def decode(d):
        text = d["text"]
        return kind.fromisoformat(text[:-1] + "+00:00" if text.endswith("Z") else text)
    return decode


def decode_bytes(kind):
    return lambda d: kind(d["text"].encode() if "text" in d else a2b_base64(d["base64"]))


def decode_dict(d):
    pairs = [tuple(pair) for pair in d["items"]]
    if "class" not in d:
        return dict(pairs)
    import collections
    if d["class"] == "defaultdict":
        return collections.defaultdict(None, pairs)
    return {"OrderedDict": collections.OrderedDict, "Counter": collections.Counter}[d["class"]](dict(pairs))


def decode_deque(d):
    from collections import deque
    return deque(d["items"])


def decode_decimal(d):
    from decimal import Decimal
    return Decimal(d["text"])


def decode_fraction(d):
    from fractions import Fraction
    return Fraction(d["numerator"], d.get("denominator", 1))


def decode_path(d):
    from pathlib import Path
    return Path(d["text"])


def decode_array(d):
    import numpy
    return numpy.array(d["items"], dtype=d.get("class")).reshape(d.get("shape", len(d["items"])))


# Of numpy's names, only the scalars are called.
def numpy_scalar(numpy, name):
    kind = vars(numpy).get(name)
    if not isinstance(kind, type) or not issubclass(kind, numpy.generic):
        raise ValueError("numpy has no scalar of the class %s" % ascii(name)[:80])
    return kind


def decode_scalar(d):
    import numpy
    return numpy_scalar(numpy, d["class"])(d["value"])


DECODERS = {
    "int": decode_number, "float": lambda d: float(d["text"]),
    "str": lambda d: a2b_base64(d["base64"]).decode("utf-8", "surrogatepass"),
    "bytes": decode_bytes(bytes), "bytearray": decode_bytes(bytearray),
    "complex": lambda d: complex(d["real"], d["imag"]), "list": lambda d: d["items"],
    "tuple": lambda d: tuple(d["items"]), "set": lambda d: set(d["items"]),
    "frozenset": lambda d: frozenset(d["items"]), "dict": decode_dict, "deque": decode_deque,
    "range": lambda d: range(d.get("start", 0), d["stop"], d.get("step", 1)), "decimal": decode_decimal,
    "fraction": decode_fraction, "path": decode_path, "date": decode_moment(date), "time": decode_moment(time),
    "datetime": decode_moment(datetime), "ndarray": decode_array, "scalar": decode_scalar,
    "timedelta": lambda d: timedelta(d.get("days", 0), d.get("seconds", 0), d.get("microseconds", 0))}


# dataclasses.make_dataclass() leaves "types" before Python 3.12.
OWN_MODULES = ("candidate", "__main__", "types")


def is_enum(kind):
    enum = modules.get("enum")
    return enum is not None and issubclass(kind, enum.Enum)


def is_named(kind):
    return issubclass(kind, tuple) and type(getattr(kind, "_fields", None)) is tuple


def is_record(kind):
    own = type.__getattribute__(kind, "__dict__")
    return type(own.get("__dataclass_fields__")) is dict and "__init__" in own


SHAPES = {"enum": is_enum, "namedtuple": is_named, "dataclass": is_record}


# The program's own class of a value, or None. The name may be that of any object which the program has imported, and
# calling that would let a value run code that was not checked.
def own_class(names, d):
    kind = names.get(d["class"])
    if not isinstance(kind, type) or type.__getattribute__(kind, "__module__") not in OWN_MODULES:
        return None
    return kind if SHAPES[d["$type"]](kind) else None


# Classes of the candidate's own are found by name among its names.
def decoder(names):
    def of_candidate(d):
        kind = own_class(names, d)
        if kind is None:
            raise ValueError("the program has no %s of the name %s" % (d["$type"], ascii(d["class"])[:80]))
        if d["$type"] == "enum":
            return kind[d["name"]] if d["name"] in kind.__members__ else kind(d["value"])
        if d["$type"] == "namedtuple":
            return kind(*[v for _, v in d["items"]])
        return kind(**{k: v for k, v in d["items"]})

    def hook(d):
        form = d.get("$type")
        if form is None:
            return d
        if form in ("enum", "namedtuple", "dataclass"):
            return of_candidate(d)
        return DECODERS[form](d)

    class Context:
        strict, memo, object_pairs_hook, object_hook = True, {}, None, staticmethod(hook)
        parse_float, parse_int, parse_constant = float, int, float
        parse_string = parse_object = parse_array = None

    scan = make_scanner(Context)
    return lambda text: scan(text, 0)[0]
