# SPDX-License-Identifier: Apache-2.0
# Values of numpy and pandas on the link, by their content. Follows suite_link.py.
#
# {"$type": "table", "class": ..., "parts": [...]}: the parts from which the receiver makes the value again. A value
# without such parts (a sparse column, a time zone that its name does not define) stays with its owner.

NULLABLE = ("string", "str", "boolean", "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64", "Float32", "Float64")
INDEXES = "Index", "DatetimeIndex", "TimedeltaIndex", "CategoricalIndex"
OLDER_INDEXES = "Int64Index", "UInt64Index", "Float64Index"  # what an Index of numbers was before pandas 2
TIMES = "datetime64", "timedelta64"


def put_table(encoder, v, name):
    parts = parts_of_numpy(v, modules.get("numpy"))
    if parts is None and "pandas" in modules:
        try:
            parts = parts_of_pandas(v, type(v), name)
        except (AttributeError, TypeError, ValueError):
            return False
    if parts is None:
        return False
    encoder.enter(v)
    encoder.put('{"$type":"table","class":%s,"parts":' % quote(parts[0]))
    encoder.items(parts[1:])
    encoder.put("}")
    encoder.path.pop()
    return True


def parts_of_numpy(v, numpy):
    if numpy is None or not hasattr(numpy, "dtype"):
        return None
    if type(v) is numpy.ndarray and v.dtype.kind in "mM":
        return "times", str(v.dtype), list(v.shape), v.ravel().view("i8").tolist()
    if numpy.dtype in mro_of(type(v)) and v.kind in "biufcSUOmM":
        return "dtype", v.str
    if type(v) is type and numpy.generic in mro_of(v) and getattr(numpy, v.__name__, None) is v:
        return "scalar type", v.__name__


def parts_of_pandas(v, kind, name):
    pandas = modules["pandas"]
    if v is pandas.NaT or v is pandas.NA:
        return "missing", "NaT" if v is pandas.NaT else "NA"
    if name == "NaTType" or getattr(pandas, name, None) is not kind:
        return None
    if name in ("Timestamp", "Timedelta"):
        zone = zone_of(v.tzinfo) if name == "Timestamp" and v.tzinfo is not None else None
        return name, int(v.asm8.view("i8")), getattr(v, "unit", "ns"), zone  # older versions have nanoseconds only
    if name == "DataFrame":
        return name, v.columns, v.index, [parts_of_column(v.iloc[:, i]) for i in range(v.shape[1])]
    if name == "Series":
        return name, parts_of_column(v), v.index, v.name
    if name == "RangeIndex":
        return name, v.start, v.stop, v.step, v.name
    if name == "MultiIndex":
        return name, list(v.levels), [codes.tolist() for codes in v.codes], list(v.names)
    if name in INDEXES + OLDER_INDEXES:
        return name if name in INDEXES else "Index", parts_of_column(v), v.name, getattr(v, "freqstr", None)


def parts_of_column(v):
    numpy, pandas, dtype = modules["numpy"], modules["pandas"], v.dtype
    if isinstance(dtype, numpy.dtype) and dtype.kind in "mM":
        return [str(dtype), v.to_numpy().view("i8").tolist()]
    if isinstance(dtype, numpy.dtype) and dtype.kind in "biufcO":
        return [str(dtype), v.to_numpy().tolist()]
    if isinstance(dtype, pandas.CategoricalDtype):
        return ["category", v.array.codes.tolist(), v.array.categories, v.array.ordered]
    if isinstance(dtype, pandas.DatetimeTZDtype):
        return ["zone", dtype.unit, zone_of(dtype.tz), v.array.asi8.tolist()]
    if str(dtype) in NULLABLE:
        return [str(dtype), list(v)]
    raise TypeError("no column")


def zone_of(zone):
    name = str(zone)
    pandas = modules["pandas"]
    if str(pandas.Timestamp(0, tz=name).tzinfo) != name:
        raise ValueError(name)
    return name


# ---- and back ----

def column(parts):
    import numpy
    form = parts[0]
    if form.startswith(TIMES):
        return numpy.array(parts[1], "i8").view(form)
    if form == "object":
        values = numpy.empty(len(parts[1]), object)
        for i, v in enumerate(parts[1]):
            values[i] = v
        return values
    import pandas
    if form == "category":
        return pandas.Categorical.from_codes(parts[1], parts[2], ordered=parts[3])
    if form == "zone":
        return pandas.DatetimeIndex(numpy.array(parts[3], "i8").view("M8[%s]" % parts[1]), tz="UTC").tz_convert(parts[2]).array
    return pandas.array(parts[1], dtype=form) if form in NULLABLE else numpy.array(parts[1], form)


def make_frame(columns, index, parts):
    import pandas
    frame = pandas.DataFrame({i: column(part) for i, part in enumerate(parts)}, index=index)
    frame.columns = columns
    return frame


def make_series(parts, index, name):
    import pandas
    return pandas.Series(column(parts), index=index, name=name)


def make_index(kind):
    def make(parts, name, freq):
        import pandas
        more = {} if freq is None else {"freq": freq}
        return getattr(pandas, kind)(column(parts), name=name, **more)
    return make


def make_range(start, stop, step, name):
    import pandas
    return pandas.RangeIndex(start, stop, step, name=name)


def make_levels(levels, codes, names):
    import pandas
    return pandas.MultiIndex(levels, codes, names=names)


def make_moment(number, unit, zone):
    import numpy, pandas
    moment = pandas.Timestamp(numpy.datetime64(number, unit))
    return moment if zone is None else moment.tz_localize("UTC").tz_convert(zone)


def make_span(number, unit, zone):
    import numpy, pandas
    return pandas.Timedelta(numpy.timedelta64(number, unit))


def make_times(form, shape, numbers):
    import numpy
    return numpy.array(numbers, "i8").view(form).reshape(shape)


def make_dtype(text):
    import numpy
    return numpy.dtype(text)


def make_scalar_type(name):
    import numpy
    kind = getattr(numpy, name)
    if numpy.generic not in mro_of(kind):
        raise TypeError(name)
    return kind


def make_missing(name):
    import pandas
    return pandas.NaT if name == "NaT" else pandas.NA


MAKERS = {"times": make_times, "dtype": make_dtype, "scalar type": make_scalar_type, "missing": make_missing, "DataFrame": make_frame,
          "Series": make_series, "RangeIndex": make_range, "MultiIndex": make_levels, "Timestamp": make_moment, "Timedelta": make_span,
          **{kind: make_index(kind) for kind in INDEXES}}
TABLES = {"table": lambda d: MAKERS[d["class"]](*d["parts"])}
