# SPDX-License-Identifier: Apache-2.0
# Frames and series of pandas as typed JSON, for values that are sent as a whole (get, arguments of tools). Follows
# cells_values.py in one text; cells_decode.py has the way back.
#
#   {"$type": "frame", "index": INDEX, "columns": INDEX, "data": [COLUMN, ...]}
#   {"$type": "series", "name": VALUE, "index": INDEX, "data": COLUMN}
#   INDEX   {"$type": "index", "range": [START, STOP, STEP], "names": [VALUE]}
#           {"$type": "index", "multi": false, "levels": [COLUMN], "names": [VALUE]}
#   COLUMN  {"$type": "column", "dtype": "float64", "base64": ...}            numpy's bytes, little-endian
#           {"$type": "column", "dtype": "datetime64[ns, UTC]", "base64"}     integers, in UTC
#           {"$type": "column", "dtype": "object", "items": [VALUE, ...]}     also string, boolean, Int64 and so on
#           {"$type": "column", "dtype": "category", "codes": COLUMN, "categories": COLUMN, "ordered": BOOL}
FRAME_ITEMS = ("object", "str", "string", "boolean", "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32",
               "UInt64", "Float32", "Float64")


class FrameEncoder(CellEncoder):
    __slots__ = ()

    def table(self, v, name):
        if not self.strict:
            self.other(v, name)
        elif name == "Series":
            self.series(v)
        else:
            self.frame(v)

    def frame(self, v):
        self.put('{"$type":"frame","index":')
        self.index(v.index)
        self.put(',"columns":')
        self.index(v.columns)
        self.put(',"data":[')
        for i in range(v.shape[1]):
            self.put("," if i else "")
            self.column(v.iloc[:, i])
        self.put("]}")

    def series(self, v):
        self.put('{"$type":"series","name":')
        self.value(v.name)
        self.put(',"index":')
        self.index(v.index)
        self.put(',"data":')
        self.column(v)
        self.put("}")

    def index(self, v):
        kind = type.__getattribute__(type(v), "__name__")
        self.put('{"$type":"index",')
        if kind == "RangeIndex":
            self.put('"range":[%d,%d,%d]' % (v.start, v.stop, v.step))
        else:
            self.put('"multi":%s,"levels":' % truth(kind == "MultiIndex"))
            between = "["
            for i in range(v.nlevels):
                self.put(between)
                self.column(as_series(v.get_level_values(i)))
                between = ","
            self.put("]")
        self.put(',"names":')
        self.items(v.names)
        self.put("}")

    # `v` is a series.
    def column(self, v):
        dtype = v.dtype
        if isinstance(dtype, modules["numpy"].dtype):
            dtype = dtype.newbyteorder("<")
        name = str(dtype)
        self.put('{"$type":"column","dtype":%s,' % quote(name))
        if name == "category":
            self.put('"codes":')
            self.column(v.cat.codes)
            self.put(',"categories":')
            self.column(as_series(v.cat.categories))
            self.put(',"ordered":%s}' % truth(bool(v.cat.ordered)))
        elif getattr(dtype, "tz", None) is not None:
            self.packed(v.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy())
        elif name in FRAME_ITEMS:
            self.put('"items":')
            self.items([None if absent else item for item, absent in zip(v.tolist(), self.absent(v, name))])
            self.put("}")
        elif isinstance(dtype, modules["numpy"].dtype) and dtype.kind in "biufcmM":
            self.packed(v.to_numpy())
        else:
            raise TypeError("a column of the dtype %s has no form outside; convert it with astype()" % name)

    # In a column of objects, None and NaN are different.
    def absent(self, v, name):
        if name != "object":
            return v.isna()
        missing = getattr(modules["pandas"], "NA", None)
        return [item is missing for item in v.tolist()] if missing is not None else [False] * len(v)

    def packed(self, values):
        self.fits(values.nbytes * 4 // 3, "a column")
        self.put('"base64":"%s"}' % base64(values.astype(values.dtype.newbyteorder("<")).tobytes()))


# to_series() alone converts an index of objects to a column of strings.
def as_series(index):
    return index.to_series().astype(index.dtype)


# Pandas 3 has other names for its modules.
LATER[("pandas.core.frame", "DataFrame")] = LATER[("pandas", "DataFrame")] = ("pandas", FrameEncoder.table)
LATER[("pandas.core.series", "Series")] = LATER[("pandas", "Series")] = ("pandas", FrameEncoder.table)
