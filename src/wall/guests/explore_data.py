# SPDX-License-Identifier: Apache-2.0
# read_csv() and explore_df(): a table, and what is in each of its columns. With pandas the table is a
# DataFrame; without it a class of ours that prints the same for the same file.


def crop(s, max_chars=64):
    return s if len(s) <= max_chars else s[:max_chars - 3] + "..."


class Table:
    """A CSV file where pandas is missing: table["column"] is a list, table.rows() gives dicts."""

    def __init__(self, data, dtypes, height):
        self.data, self.dtypes = data, dtypes
        self.columns = list(data)
        self.shape = (height, len(data))

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, column):
        return self.data[column]

    def __iter__(self):
        return iter(self.columns)

    def rows(self):
        for values in zip(*self.data.values()):
            yield dict(zip(self.columns, values))

    def __repr__(self):
        return "<Table of %d rows: %s>" % (len(self), ", ".join(map(str, self.columns)))


# The strings that pandas treats as missing.
MISSING = frozenset(("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND",
                     "1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"))
TRUTH = {"True": True, "TRUE": True, "true": True, "False": False, "FALSE": False, "false": False}


def read_column(texts):
    """The values, and pandas's name for their type."""
    import re
    known = [t for t in texts if t not in MISSING]
    nan = float("nan")
    if known and all(t in TRUTH for t in known):
        kind = "bool" if len(known) == len(texts) else "object"
        return [nan if t in MISSING else TRUTH[t] for t in texts], kind
    if all(map(re.compile(r" *[+-]?[0-9]+ *").fullmatch, known)):
        values = [int(t) for t in known]
        least, most = min(values, default=0), max(values, default=0)
        fits = -2**63 <= least and most < (2**63 if least < 0 else 2**64)
        if not fits:
            return [nan if t in MISSING else t for t in texts], "object"
        if values and len(known) == len(texts):
            return values, "int64" if most < 2**63 else "uint64"
    real = re.compile(r" *[+-]?([0-9]+\.?[0-9]*([eE][+-]?[0-9]+)?|\.[0-9]+([eE][+-]?[0-9]+)?"
                      r"|(?i:inf|infinity)) *").fullmatch
    if all(map(real, known)):
        return [nan if t in MISSING else float(t) for t in texts], "float64"
    return [nan if t in MISSING else t for t in texts], "object"


def read_header(names):
    """Every column gets a name of its own."""
    taken, header = set(), []
    for i, name in enumerate(names):
        plain = name = name or "Unnamed: %d" % i
        n = 0
        while name in taken or (n and name in names):
            n += 1
            name = "%s.%d" % (plain, n)
        taken.add(name)
        header.append(name)
    return header


def read_table(path):
    import csv
    csv.field_size_limit(2**31 - 1)
    with open(path, newline="", encoding="utf-8-sig") as f:
        reader = csv.reader(f)
        header = next((row for row in reader if row), None)
        if header is None:
            raise ValueError("No columns to parse from file")
        header = read_header(header)
        rows = []
        for row in reader:
            if len(row) > len(header):
                raise ValueError("Expected %d fields in line %d, saw %d"
                                 % (len(header), reader.line_num, len(row)))
            if row:
                rows.append(row + [""] * (len(header) - len(row)))
    data, dtypes = {}, {}
    for name, texts in zip(header, zip(*rows) if rows else [()] * len(header)):
        data[name], dtypes[name] = read_column(texts)
        if not rows:
            dtypes[name] = "object"
    return Table(data, dtypes, len(rows))


def read_csv(path):
    try:
        import pandas
    except ImportError:
        return read_table(path)
    return pandas.read_csv(path, float_precision="round_trip")


def describe(table, i):
    """Type, how many there are, and the different ones in the order in which they come."""
    if isinstance(table, Table):
        values = table.data[table.columns[i]]
        there = sum(v == v for v in values)
        # Every nan is the same one.
        first = {}
        for v in values:
            first.setdefault(None if v != v else v, v)
        return table.dtypes[table.columns[i]], there, list(first.values())
    column = table.iloc[:, i]
    return str(column.dtype), int(column.notna().sum()), column.unique().tolist()


def explore_df(table):
    height, width = table.shape
    # As pandas lays out a table of strings: only the header of a column of numbers has space between it and the next.
    lines = [("", "Dtype", "Non-Null Count", " Unique Values Count", "Unique Values"),
             ("Columns", "", "", "", "")]
    for i, name in enumerate(table.columns):
        dtype, there, different = describe(table, i)
        shown = str(different[:64]) if len(different) <= 64 else str(different[:64])[:-1] + ", "
        lines.append((str(name), " " + dtype, " %d / %d non-null" % (there, height),
                      " %d" % len(different), " " + crop(shown)))
    print("Total rows: %d\nTotal columns: %d\n" % (height, width))
    widths = [max(map(len, column)) for column in zip(*lines)]
    for line in lines:
        name = line[0].ljust(widths[0])
        print(" ".join([name] + [text.rjust(n) for text, n in zip(line[1:], widths[1:])]))
