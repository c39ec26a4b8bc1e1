# SPDX-License-Identifier: Apache-2.0
# Typed JSON to values: the forms of judge_codec.py, which comes before in the same text, and those of
# cells_values.py and cells_frames.py. An object of a class that is not among the names becomes a dict (dataclass), a
# tuple (namedtuple) or its value (enum). For the cells of a session, and for the data of a program (bind_data.py).


# The package of a value is missing. The message reaches the caller that sent the value.
def package(name):
    try:
        return __import__(name)
    except ImportError as e:
        raise ImportError("a value of %s needs that package in the sandbox's Python: %s" % (name, e)) from None


def decode_image(d):
    from io import BytesIO
    package("PIL.Image")
    image = modules["PIL.Image"].open(BytesIO(a2b_base64(d["base64"])))
    image.load()
    return image


def decode_any_scalar(d):
    if "unit" not in d:
        return decode_scalar(d)
    numpy = package("numpy")
    return numpy_scalar(numpy, d["class"])(d["value"], *([] if d["unit"] == "generic" else [d["unit"]]))


def decode_any_array(d):
    numpy = package("numpy")
    if d.get("class", "")[:10] not in ("datetime64", "timedelta6"):
        return decode_array(d)
    return numpy.array(d["items"], dtype="int64").view(d["class"]).reshape(d["shape"])


# ---- pandas: the forms are in cells_frames.py ----

def decode_column(d):
    numpy, pandas, name = package("numpy"), package("pandas"), d["dtype"]
    if name == "category":
        return pandas.Categorical.from_codes(d["codes"], d["categories"], ordered=d["ordered"])
    if "items" in d:
        if name == "str" and int(pandas.__version__.partition(".")[0]) < 3:
            name = "object"
        return pandas.array(d["items"], dtype=name)
    base, _, zone = name.rstrip("]").partition(", ")
    values = numpy.frombuffer(a2b_base64(d["base64"]), dtype=base + "]" if zone else name).copy()
    if not zone:
        return values
    return pandas.Series(values).dt.tz_localize("UTC").dt.tz_convert(zone).array


def decode_index(d):
    pandas = package("pandas")
    if "range" in d:
        return pandas.RangeIndex(*d["range"], name=d["names"][0])
    levels = [pandas.Index(level, dtype=getattr(level.dtype, "numpy_dtype", level.dtype)) for level in d["levels"]]
    if len(levels) == 1 and not d["multi"]:
        return levels[0].set_names(d["names"])
    return pandas.MultiIndex.from_arrays(levels, names=d["names"])


def decode_frame(d):
    frame = package("pandas").DataFrame(dict(enumerate(d["data"])), index=d["index"])
    frame.columns = d["columns"]
    return frame


def decode_series(d):
    return package("pandas").Series(d["data"], index=d["index"], name=d["name"], dtype=d["data"].dtype)


# ---- the program's own classes ----

def decode_object(names, d):
    kind = own_class(names, d)
    if d["$type"] == "enum":
        return kind[d["name"]] if kind is not None else d["value"]
    if d["$type"] == "namedtuple":
        values = [v for _, v in d["items"]]
        return kind(*values) if kind is not None else tuple(values)
    values = {k: v for k, v in d["items"]}
    return kind(**values) if kind is not None else values


OBJECTS = ("enum", "namedtuple", "dataclass")
CELL_DECODERS = dict(DECODERS, image=decode_image, scalar=decode_any_scalar, ndarray=decode_any_array,
                     column=decode_column, index=decode_index, frame=decode_frame, series=decode_series)


# Reads JSON text; classes are looked up among `names`.
def cell_reader(names):
    def hook(d):
        form = d.get("$type")
        if form is None:
            return d
        if form in OBJECTS:
            return decode_object(names, d)
        if form not in CELL_DECODERS:
            raise ValueError("there is no value of the form %s" % ascii(form)[:80])
        return CELL_DECODERS[form](d)

    return typed_reader(hook)


# The data of a program may be any JSON: an object in which "$type" has another meaning stays a dict.
def data_reader():
    def hook(d):
        form = d.get("$type")
        if type(form) is not str or (form not in OBJECTS and form not in CELL_DECODERS):
            return d
        try:
            return decode_object({}, d) if form in OBJECTS else CELL_DECODERS[form](d)
        except KeyError:
            return d

    return typed_reader(hook)


def typed_reader(hook):
    class Context:
        strict, memo, object_pairs_hook, object_hook = True, {}, None, staticmethod(hook)
        parse_float, parse_int, parse_constant = float, int, float
        parse_string = parse_object = parse_array = None

    scan = make_scanner(Context)
    return lambda text: scan(text.lstrip(), 0)[0]
