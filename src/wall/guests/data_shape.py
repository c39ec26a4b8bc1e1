# SPDX-License-Identifier: Apache-2.0
# The shape of data files (the arguments), for a model that has not seen them: columns, types, a few rows. Prints
# {"files": [{"name", "kind", "shape"}], "packages": [...]}, or {"error"}. Everything in it is bounded, however large the data are.
import sys
from posix import stat


def is_current(folder):
    try:
        one, other = stat(folder or "."), stat(".")
    except OSError:
        return False
    return (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)


# The data are in the folder of this program, and a file such as json.py among them must not be imported. Other imports,
# such as that of os, can import more, so this comes first.
sys.path = [folder for folder in sys.path if not is_current(folder)]
import json  # noqa: E402
import re  # noqa: E402

CELL, COLUMNS, ROWS, TABLES, KEYS = 60, 60, 3, 20, 40
TYPED_ROWS = 10000
TEXT = 24000 // max(1, len(sys.argv) - 1)


class Wrong(Exception):
    pass


def crop(value, n=CELL):
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= n else text[:n - 3] + "..."


def shown(value, n=CELL):
    return json.dumps(crop(value, n), ensure_ascii=False)


def add_rows(lines, rows):
    lines.append("first rows:")
    for row in rows:
        cells = [shown(c) if isinstance(c, str) else crop(c) for c in row[:COLUMNS]]
        lines.append("  " + ", ".join(cells))


def add_columns(lines, columns):
    lines.append("columns:")
    for name, kind in columns[:COLUMNS]:
        lines.append("  %s: %s" % (shown(name), kind))
    if len(columns) > COLUMNS:
        lines.append("  and %d more" % (len(columns) - COLUMNS))


# ---- tables in text ----

PATTERNS = (("integer", re.compile(r"\s*[+-]?\d+\s*")), ("number", re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")),
            ("date", re.compile(r"\s*\d{4}-\d\d?-\d\d?([T ]\d\d?:\d\d.*)?\s*")), ("boolean", re.compile(r"(?i)\s*(true|false)\s*")))
MISSING = frozenset(("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"))


class Column:
    def __init__(self, name):
        self.name, self.missing, self.seen = name, 0, 0
        self.kinds = set(kind for kind, _ in PATTERNS)
        self.least = self.most = None

    def add(self, text):
        self.seen += 1
        if text in MISSING:
            self.missing += 1
            return
        self.kinds = {kind for kind, pattern in PATTERNS if kind in self.kinds and pattern.fullmatch(text)}
        if "number" in self.kinds and len(text) < 300:
            value = float(text)
            self.least = value if self.least is None else min(self.least, value)
            self.most = value if self.most is None else max(self.most, value)

    def describe(self):
        if self.missing == self.seen:
            return "empty"
        kind = next((kind for kind, _ in PATTERNS if kind in self.kinds), "text")
        if kind in ("integer", "number"):
            kind += " from %.12g to %.12g" % (self.least, self.most) if self.least is not None else ""
        return kind + (", %d missing" % self.missing if self.missing else "")


def find_delimiter(sample):
    import csv
    try:
        return csv.Sniffer().sniff(sample, ",;\t|").delimiter
    except csv.Error:
        return ","


def find_encoding(name):
    """For open(), and what is to be said of it."""
    with open(name, "rb") as f:
        head = f.read(1 << 20)
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16", ", encoding='utf-16'"
    if head.startswith(b"\xef\xbb\xbf"):
        return "utf-8-sig", ", encoding='utf-8-sig'"
    try:
        head.decode()
    except UnicodeDecodeError as e:
        if len(head) < 1 << 20 or e.start < len(head) - 4:  # otherwise only a character is cut at the end
            return "latin-1", ", not UTF-8: perhaps encoding='latin-1'"
    return "utf-8", ""


def table(name, delimiter):
    import csv
    csv.field_size_limit(1 << 24)
    encoding, remark = find_encoding(name)
    with open(name, newline="", encoding=encoding, errors="replace") as f:
        if not delimiter:
            delimiter = find_delimiter(f.read(65536))
            f.seek(0)
        rows = csv.reader(f, delimiter=delimiter)
        header = next((row for row in rows if row), None)
        if header is None:
            raise Wrong("has no rows")
        columns, first, n = [Column(h) for h in header], [], 0
        for row in rows:
            if not row:
                continue
            n += 1
            if n <= ROWS:
                first.append(row)
            if n <= TYPED_ROWS:
                for column, text in zip(columns, row):
                    column.add(text)
    lines = ["a table with %s between columns, %d columns, %d rows under a line of names%s" % (repr(delimiter), len(columns), n, remark)]
    if n > TYPED_ROWS:
        lines.append("types and ranges are those of the first %d rows" % TYPED_ROWS)
    add_columns(lines, [(c.name, c.describe()) for c in columns])
    add_rows(lines, first)
    return lines


# ---- JSON ----

def name_of(value):
    for kind, name in ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "text"), (list, "list"), (dict, "object")):
        if isinstance(value, kind):
            return name
    return "null"


def merge_keys(items):
    keys = {}
    for item in items:
        for key, value in item.items():
            if key in keys or len(keys) <= KEYS:
                keys.setdefault(key, set()).add(name_of(value))
    return keys


def add_keys(lines, items, depth):
    pad = "  " * depth
    keys = merge_keys(items)
    for key in list(keys)[:KEYS]:
        values = [item[key] for item in items if key in item]
        lines.append("%s%s: %s%s" % (pad, shown(key), " or ".join(sorted(keys[key])),
                                     "" if len(values) == len(items) else ", not in all"))
        add_inner(lines, values[0], depth + 1)
    if len(keys) > KEYS:
        lines.append(pad + "and more keys")


def add_inner(lines, value, depth):
    if depth > 4 or len(lines) > 200:
        return
    pad = "  " * depth
    if isinstance(value, dict):
        add_keys(lines, [value], depth)
    elif isinstance(value, list):
        kinds = sorted({name_of(v) for v in value[:1000]})
        lines.append("%s%d items: %s" % (pad, len(value), " or ".join(kinds) or "none"))
        objects = [v for v in value[:1000] if isinstance(v, dict)]
        if objects:
            add_keys(lines, objects, depth + 1)


def value_lines(value):
    lines = ["JSON, at the top: " + name_of(value)]
    add_inner(lines, value, 0)
    first = value[0] if isinstance(value, list) and value else value
    lines.append("first item:" if first is not value else "it begins:")
    lines.append("  " + crop(json.dumps(first, ensure_ascii=False), 400))
    return lines


def json_lines(name):
    items, n = [], 0
    with open(name, encoding="utf-8-sig") as f:
        for number, line in enumerate(f, 1):
            if not line.strip():
                continue
            try:
                value = json.loads(line)
            except ValueError as e:
                raise Wrong("line %d is not JSON: %s" % (number, crop(str(e), 200)))
            n += 1
            if len(items) < 1000:
                items.append(value)
    if not n:
        raise Wrong("is empty")
    lines = value_lines(items)
    lines[0] = "JSON lines: %d lines, each a value" % n
    return lines


def json_file(name):
    """The kind, and the lines: some files of this name have a value in each line."""
    try:
        with open(name, encoding="utf-8-sig") as f:
            return "json", value_lines(json.load(f))
    except ValueError as e:
        why = str(e)
    try:
        return "jsonl", json_lines(name)
    except Wrong:
        raise Wrong("is not JSON: " + crop(why, 200))


# ---- databases and columns in binary ----

def quoted(name):
    return '"%s"' % name.replace('"', '""')


def sqlite(name):
    try:
        import sqlite3
    except ImportError:
        raise Wrong("is an SQLite database, and this Python has no module sqlite3")
    from urllib.parse import quote
    db = sqlite3.connect("file:%s?mode=ro&immutable=1" % quote(name), uri=True)
    db.text_factory = lambda b: b.decode("utf-8", "replace")
    names = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
                                          "AND name NOT LIKE 'sqlite_%' ORDER BY name LIMIT 1000")]
    lines = ["an SQLite database with %d tables" % len(names)]
    for table_name in names[:TABLES]:
        n = db.execute("SELECT count(*) FROM " + quoted(table_name)).fetchone()[0]
        lines.append("table %s, %d rows" % (shown(table_name), n))
        add_columns(lines, [(row[1], row[2].lower() or "any type") for row in db.execute("PRAGMA table_info(%s)" % quoted(table_name))])
        add_rows(lines, db.execute("SELECT * FROM %s LIMIT %d" % (quoted(table_name), ROWS)).fetchall())
    if len(names) > TABLES:
        lines.append("and %d more tables" % (len(names) - TABLES))
    return lines


def parquet(name):
    try:
        import pandas  # noqa: F401
        import pyarrow.parquet as pq
    except ImportError as e:
        raise Wrong("is a Parquet file: reading it needs pandas with pyarrow inside the sandbox, and %s is missing; "
                    "convert it to CSV, or name a Python that has both (--python)" % e.name)
    f = pq.ParquetFile(name)
    columns = [(field.name, str(field.type)) for field in f.schema_arrow]
    lines = ["Parquet, for pandas.read_parquet: %d columns, %d rows" % (len(columns), f.metadata.num_rows)]
    add_columns(lines, columns)
    for batch in f.iter_batches(batch_size=ROWS):
        add_rows(lines, [list(row.values()) for row in batch.to_pylist()])
        break
    return lines


def text(name):
    first, n = [], 0
    encoding, remark = find_encoding(name)
    with open(name, encoding=encoding, errors="replace") as f:
        for line in f:
            n += 1
            if n <= 5:
                first.append("  " + shown(line.rstrip("\n"), 200))
    return ["text, %d lines%s" % (n, remark), "first lines:"] + first


# ---- which of them ----

def look(name):
    with open(name, "rb") as f:
        head = f.read(4096)
    end = name.lower().rpartition(".")[2]
    if not head:
        raise Wrong("is empty")
    if head.startswith(b"SQLite format 3\0"):
        return "sqlite", sqlite(name)
    if head.startswith(b"PAR1"):
        return "parquet", parquet(name)
    for magic, what in ((b"PK\3\4", "a ZIP file or a spreadsheet; export the data as CSV"), (b"\x1f\x8b", "compressed; unpack it first")):
        if head.startswith(magic):
            raise Wrong("is " + what)
    if end in ("jsonl", "ndjson"):
        return "jsonl", json_lines(name)
    if end == "json":
        return json_file(name)
    if b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Wrong("is binary, in a form that is unknown here; give CSV, TSV, JSON, JSON lines, SQLite or Parquet")
    if end in ("csv", "tsv", "tab"):
        return "csv", table(name, None if end == "csv" else "\t")
    if head.lstrip()[:1] in (b"{", b"["):
        return json_file(name)
    return "text", text(name)


def shape(name):
    try:
        kind, lines = look(name)
    except Wrong as e:
        raise Wrong("%s: %s" % (name, e))
    except MemoryError:
        raise Wrong("%s: is too large for the sandbox's memory (--memory)" % name)
    except Exception as e:
        raise Wrong("%s: cannot be read: %s: %s" % (name, type(e).__name__, crop(str(e), 200)))
    whole = "\n".join(lines)
    return {"name": name, "kind": kind, "shape": whole if len(whole) <= TEXT else whole[:TEXT] + "\n..."}


def clean(value):
    """Without the halves of characters that JSON may have alone."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [clean(v) for v in value]
    return {k: clean(v) for k, v in value.items()} if isinstance(value, dict) else value


def packages():
    from importlib.util import find_spec
    return [name for name in ("numpy", "pandas", "scipy", "matplotlib", "sklearn") if find_spec(name)]


def main():
    sys.setrecursionlimit(5000)
    try:
        answer = {"files": [shape(name) for name in sys.argv[1:]], "packages": packages()}
    except Wrong as e:
        answer = {"error": str(e)}
    print(json.dumps(clean(answer)))


main()
