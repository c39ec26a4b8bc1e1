# SPDX-License-Identifier: Apache-2.0
# Values of a session's cells: typed JSON as in judge_codec.py, which comes before in the same text, and here for
# more of the types that programs use:
#
#   {"$type": "image", "class": "PNG", "mode": "RGB", "base64": ...}      a PIL image
#   {"$type": "dataclass", "class": ..., "module": ..., "items": [...]}   any dataclass, not only one that == compares
#   {"$type": "ndarray", "class": "datetime64[ns]", "shape", "items"}     numpy's times, as its integers
#   {"$type": "scalar", "class": "datetime64", "unit": "ns", "value"}
#   frames and series of pandas: cells_frames.py
#
# A dict whose keys are all strings is a plain JSON object.
#
# An object of a class made from a builtin type is a value of that type. The way back is in cells_decode.py.
CELL_DEPTH = 120


class CellEncoder(Encoder):
    # `strict`: a value without a form raises TypeError; otherwise its repr() replaces it, and `shown` is (object,
    # text) if that is known already.
    __slots__ = ("strict", "shown")

    def __init__(self, room, strict, shown=None):
        Encoder.__init__(self, room)
        self.strict, self.shown = strict, shown

    # The host accepts this many levels of JSON, of which a dict has three.
    def enter(self, v):
        Encoder.enter(self, v)
        if len(self.path) > CELL_DEPTH:
            raise TooMuch("the value is nested more than %d levels deep" % CELL_DEPTH)

    # ---- forms of more types ----

    # A dict whose keys are strings is a JSON object. A key "$type" would make it another form.
    def mapping_of_any(self, v):
        if not is_plain(v):
            self.mapping(v)
            return
        self.enter(v)
        between = "{"
        for k, item in dict.items(v):
            self.put(between + quote(k) + ":")
            self.value(item)
            between = ","
        self.put("{}" if between == "{" else "}")
        self.path.pop()

    def record(self, v, kind, name):
        fields = getattr(kind, "__dataclass_fields__", None)
        if type(fields) is not dict or "__dataclass_fields__" not in all_names(kind):
            return False
        self.enter(v)
        self.head("dataclass", name)
        self.put('"module":%s,"items":' % quote(clean_text(str(type.__getattribute__(kind, "__module__")))))
        self.pairs([(n, getattr(v, n)) for n, field in fields.items()
                    if field._field_type.name == "_FIELD" and hasattr(v, n)])
        self.put("}")
        self.path.pop()
        return True

    def scalar(self, v, kind, name):
        if name not in ("datetime64", "timedelta64") or getattr(modules.get("numpy"), name, None) is not kind:
            return Encoder.scalar(self, v, kind, name)
        unit = str(v.dtype).partition("[")[2].rstrip("]")
        self.head("scalar", name)
        self.put('"unit":%s,"value":' % quote(unit or "generic"))
        self.integer(int(v.astype("int64")))
        self.put("}")
        return True

    def times(self, v, name):
        if v.dtype.kind not in "mM":
            Encoder.ndarray(self, v, name)
            return
        self.head("ndarray", str(v.dtype))
        self.put('"shape":[%s],"items":' % ",".join(map(int.__repr__, v.shape)))
        self.fits(v.size, "an array")
        self.items(v.astype("int64").ravel().tolist())
        self.put("}")

    def picture(self, v, kind):
        image = getattr(modules.get("PIL.Image"), "Image", None)
        if image is None or image not in mro_of(kind):
            return False
        from io import BytesIO
        data = BytesIO()
        if not self.strict:
            v = rich_for_png(v)
        v.save(data, "PNG")
        self.fits(data.tell() * 4 // 3, "an image")
        self.head("image", "PNG")
        self.put('"mode":%s,"base64":"%s"}' % (quote(str(v.mode)), base64(data.getvalue())))
        return True

    def derived(self, v, kind):
        for base in mro_of(kind):
            plain = PLAIN.get(id(base))
            if plain is not None:
                if base in TIMES and v != v:  # pandas' NaT
                    return False
                plain = plain(v)
                if type(plain) is kind:
                    return False
                self.enter(v)
                BY_TYPE[id(type(plain))](self, plain)
                self.path.pop()
                return True
        return False

    # For values of which the codec has no form.
    def other(self, v, name):
        kind = type(v)
        if self.picture(v, kind) or self.derived(v, kind):
            return
        if self.strict:
            raise TypeError("Cannot safely serialize object of type %s" % name)
        if self.shown is not None and self.shown[0] is v:
            text = self.shown[1]
        else:
            text = shown_repr(v, name)
        self.head("other", name)
        self.put('"repr":%s}' % quote(clean_text(text[:MAX_REPR])))


# An interrupt ends it, unlike the one of the judge.
def shown_repr(v, name):
    try:
        said = repr(v)
    except Exception:
        said = None
    return said if type(said) is str else "<%s object that cannot be shown>" % name


def all_names(kind):
    found = set()
    for base in mro_of(kind):
        found.update(type.__getattribute__(base, "__dict__"))
    return found


def is_plain(v):
    for k in dict.keys(v):
        if type(k) is not str or k == "$type" or "\0" in k or clean_text(k) != k:
            return False
    return True


# JSON readers do not accept half of a surrogate pair.
def clean_text(text):
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def encode_cell(v, room, strict=False, shown=None):
    encoder = FrameEncoder(room, strict, shown)
    with RichQuiet():
        encoder.value(v)
    return "".join(encoder.out)


SIZED = {id(kind): kind.__len__ for kind in (str, bytes, bytearray, list, tuple, dict, set, frozenset)}


# The form of a value that has none, or is too large for one: what it is, and why it is not here.
def encode_absent(v, why, most):
    kind = type(v)
    name, length = type.__getattribute__(kind, "__name__"), SIZED.get(id(kind))
    text = "<%s%s that stayed in the sandbox: %s (a value that comes back has at most %d KiB)>" % (
        clean_text(name)[:200], "" if length is None else " of length %d" % length(v), clean_text(why), most >> 10)
    return '{"$type":"other","class":%s,"repr":%s}' % (quote(clean_text(name)), quote(text))


def plain_time(kind):
    names = {date: ("year", "month", "day"), timedelta: ("days", "seconds", "microseconds"),
             time: ("hour", "minute", "second", "microsecond", "tzinfo")}
    names[datetime] = names[date] + names[time]
    return lambda v: kind(*[getattr(v, name) for name in names[kind]])


TIMES = {datetime, date, time, timedelta}
PLAIN = {
    id(int): int.__int__, id(float): float.__float__, id(str): str.__str__,
    id(complex): lambda v: complex(complex.__add__(v, 0)), id(bytes): lambda v: bytes.__add__(b"", v),
    id(bytearray): lambda v: bytearray(bytearray.__iter__(v)), id(list): lambda v: list(list.__iter__(v)),
    id(tuple): lambda v: tuple(list(tuple.__iter__(v))), id(set): lambda v: set(set.__iter__(v)),
    id(frozenset): lambda v: frozenset(list(frozenset.__iter__(v))), id(dict): lambda v: dict(dict.items(v))}
PLAIN.update((id(kind), plain_time(kind)) for kind in TIMES)
BY_TYPE[id(dict)] = CellEncoder.mapping_of_any
LATER[("numpy", "ndarray")] = ("numpy", CellEncoder.times)
LATER[("pathlib._local", "PurePosixPath")] = ("pathlib", Encoder.folder)


# ---- plain JSON: bundles, and what frames are made of ----

# Converts to JSON that the host can read: no number out of range, no NUL in a name, no half of a surrogate pair.
def plain_json(v, depth=0):
    if type(v) is str:
        return quote(clean_text(v))
    if v is None or v is True or v is False:
        return "null" if v is None else "true" if v else "false"
    if depth > 100:
        return '"..."'
    if isinstance(v, dict):
        return "{%s}" % ",".join(["%s:%s" % (quote(clean_text(str(k)).replace("\0", "\ufffd")),
                                             plain_json(item, depth + 1)) for k, item in dict.items(v)])
    if isinstance(v, (list, tuple)):
        return "[%s]" % ",".join([plain_json(item, depth + 1) for item in v])
    if isinstance(v, int):
        v = int(v)
        return int.__repr__(v) if -SMALL < v < SMALL else plain_json(float(v) if v.bit_length() < 1000 else hex(v))
    if isinstance(v, float):
        v = float(v)
        return float.__repr__(v) if v - v == 0 else "null"
    return quote(clean_text(str(v)))


# ---- names ----

NAMES = 1000  # maximum in an answer
SHORT = 80    # characters of a value in a list


# The modules in a package, whose parents are not imported for it; with an empty path, all that can be imported.
def modules_in(path):
    from importlib.machinery import PathFinder
    from pkgutil import iter_modules
    load_site()
    above, places = ".".join([*path, ""]), None
    for n in range(len(path)):
        found = PathFinder.find_spec(".".join(path[:n + 1]), places)
        places = found and found.submodule_search_locations
        if not places:
            break
    files = [] if path and not places else [module.name for module in iter_modules(places)]
    loaded = [name[len(above):].partition(".")[0] for name in list(sys.modules) if name.startswith(above)]
    return [*files, *loaded, *(() if path else sys.builtin_module_names)]


# The names that an import may have: "import os.pa", "from os import pa".
def importable(path, module):
    if module is None:
        return modules_in(path)
    loaded = sys.modules.get(module)
    return [*modules_in(module.split(".")), *(() if loaded is None else dir(loaded))]


# For completion. The program's own attributes may do anything.
def names_like(names, prefix):
    begin, _, last = prefix.rpartition(" ")
    *path, last = last.split(".")
    try:
        found = [*names, *builtins.__dict__, *KEYWORDS]
        if begin:
            found = importable(path, begin.split()[1] if begin.startswith("from ") else None)
        elif path:
            owner = names[path[0]] if path[0] in names else builtins.__dict__[path[0]]
            for part in path[1:]:
                owner = getattr(owner, part)
            found = dir(owner)
        found = {name for name in found if type(name) is str and name.isidentifier() and name.startswith(last)
                 and (last.startswith("_") or not name.startswith("_"))}
    except BaseException:
        return []
    return [".".join([*path, name]) for name in sorted(found)[:NAMES]]


# One line of text. Of the program's own classes, repr() and `shape` may do anything, also raise SystemExit.
def short_value(short, v, kind):
    try:
        shape = getattr(v, "shape", None)
        if type(shape) is tuple and len(shape) > 1:
            return "shape %r" % (shape,)
        text = short.repr(v)
    except KeyboardInterrupt:
        raise
    except BaseException:
        text = "<%s object>" % kind
    text = " ".join(clean_text(text[:2 * SHORT]).split())
    return text if len(text) <= SHORT else text[:SHORT - 3] + "..."


def list_variables(names, kept):
    from reprlib import Repr
    short, rows = Repr(), []
    plain = short.repr_int
    short.maxstring = short.maxother = short.maxlong = SHORT
    short.repr_int = lambda v, level: plain(v, level) if v.bit_length() < 10000 else "%d bits" % v.bit_length()
    for name in sorted(n for n in names if type(n) is str and not n.startswith("_") and n not in kept)[:NAMES]:
        kind = type.__getattribute__(type(names[name]), "__name__")
        rows.append({"name": name, "type": kind, "value": short_value(short, names[name], kind)})
    return rows
