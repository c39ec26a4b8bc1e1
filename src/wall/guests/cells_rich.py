# SPDX-License-Identifier: Apache-2.0
# The appearance of a value: the bundle of src/backends/backends/cell_wire.h. Runs inside the wall, in one text with
# cells_charts.py and cells_hooks.py, and with the cell server (or alone, started by rich_run.py).
#
#   bundle(obj, kind, limits)   the BUNDLE of a value; kind is "value" or "display", limits {"bundle": BYTES,
#                              "text": CHARS}. If an object misbehaves, the bundle lists the lost representations.
#                              None for an object that has displayed itself (_ipython_display_)
#
# Beside the usual MIME types: a frame's or series' first 100 rows are application/vnd.dataresource+json (a
# table schema and rows, and "rows", "columns", "cut" beside them); a figure's numbers are in cells_charts.py.
# Pages of plotly, altair and bokeh load their scripts from the net; what they draw is in their own JSON too.
# Methods are looked up on the type, so that objects which answer to every name have none.
import sys
import _warnings

RICH_LIMITS = {"bundle": 8 << 20, "text": 20000}
RICH_ROWS, RICH_COLUMNS, RICH_SHOWN_ROWS, RICH_NOTEBOOK_COLUMNS = 100, 50, 500, 20
RICH_PIXELS, RICH_MIMES, RICH_METADATA, RICH_WHY = 50000000, 32, 16384, 300
RICH_JSON_SMALL, RICH_JSON_NODES, RICH_JSON_DEPTH = 2000, 500000, 100
RICH_METHODS = (
    ("_repr_html_", "text/html"), ("_repr_markdown_", "text/markdown"), ("_repr_latex_", "text/latex"),
    ("_repr_json_", "application/json"), ("_repr_javascript_", "application/javascript"),
    ("_repr_png_", "image/png"), ("_repr_jpeg_", "image/jpeg"), ("_repr_svg_", "image/svg+xml"),
    ("_repr_pdf_", "application/pdf"))
# Pictures first, as E2B's interpreter has them, so that a client that takes the first one it can show gets the best one.
# Other types come after these, and text/plain comes last.
RICH_ORDER = (
    "image/png", "image/jpeg", "application/vnd.glovebox.chart+json", "application/vnd.dataresource+json", "text/html",
    "application/javascript", "application/json", "text/latex", "text/markdown", "application/pdf", "image/svg+xml")
rich_mro, rich_name_of = type.__dict__["__mro__"].__get__, type.__dict__["__name__"].__get__


# ---- texts and JSON ----

# The string as JSON, and a C string, may carry it.
def rich_clean(text):
    text = str.__str__(text)
    if text.isascii() and "\0" not in text:
        return text
    return text.replace("\0", "\ufffd").encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def rich_failure(e):
    try:
        text = rich_clean(str(e))
    except Exception:
        text = ""
    text = rich_name_of(type(e)) + (": " + text if text else "")
    return text if len(text) <= RICH_WHY else text[:RICH_WHY] + "..."


def rich_shorten(text, room):
    if len(text) <= room:
        return text
    head = max(room, 0) * 2 // 3
    tail = max(room, 0) - head
    return "%s\n... (%d characters left out) ...\n%s" % (
        text[:head], len(text) - head - tail, text[len(text) - tail:])


# Of a long plain value, only the part that will be shown is converted to text.
def rich_repr_long(obj, cls, room):
    from itertools import islice
    total = len(obj)
    if cls in (set, frozenset, dict):
        some = islice(obj.items() if cls is dict else iter(obj), room)
        head, tail = repr(dict(some) if cls is dict else set(some)), ""
    else:
        head, tail = repr(obj[:room]), repr(obj[total - room:])
    room = max(room - 40, 0)  # for the mark between the two parts
    size = room * 2 // 3
    return "%s\n... (of %d) ...\n%s" % (head[:size], total, tail[len(tail) - (room - size):] if tail else "")


def rich_repr(obj, room):
    cls = type(obj)
    if cls in (list, tuple, str, bytes, bytearray, dict, set, frozenset) and len(obj) > max(room, 100):
        return rich_repr_long(obj, cls, max(room, 100))
    return str.__str__(repr(obj))


# A copy of exact types that the host can read, or ValueError. `strict`: accept only exact types.
def rich_json(value, left, strict=False, depth=0):
    left[0] -= 1
    if left[0] < 0 or depth > RICH_JSON_DEPTH:
        raise ValueError("too large or too deeply nested for JSON")
    if value is None or value is True or value is False:
        return value
    cls = type(value)
    is_a = (lambda kind: cls is kind) if strict else (lambda kind: kind in rich_mro(cls))
    if is_a(str):
        text = str.__str__(value)
        if strict and text != rich_clean(text):
            raise ValueError("text that JSON does not carry")
        return rich_clean(text)
    if is_a(int):
        if not -(1 << 63) <= value < 1 << 63:
            raise ValueError("an integer of more than 64 bits")
        return int(value)
    if is_a(float):
        if value != value or value in (float("inf"), float("-inf")):
            raise ValueError("a number that JSON does not have")
        return float(value)
    if is_a(list) or (is_a(tuple) and not strict):
        return [rich_json(item, left, strict, depth + 1) for item in value]
    if is_a(dict):
        if not all(isinstance(key, str) for key in value):
            raise ValueError("a key that is no text")
        return {rich_json(key, left, strict): rich_json(item, left, strict, depth + 1)
                for key, item in value.items()}
    raise ValueError("JSON has no " + rich_name_of(cls))


def rich_size(value):
    if isinstance(value, str):
        return len(value) if value.isascii() else len(value.encode())
    from json import dumps
    return len(dumps(value))


def rich_rank(mime):
    return RICH_ORDER.index(mime) if mime in RICH_ORDER else len(RICH_ORDER) + (mime == "text/plain")


def rich_is_text(mime):
    return mime.startswith("text/") or mime.endswith(("+xml", "javascript", "/xml"))


# Types whose data is sent as base64.
def rich_is_bytes(mime):
    return mime.startswith(("image/", "audio/", "video/")) or mime == "application/pdf"


# ---- warnings ----

rich_quiet_filters = []  # our filters that are in the program's list now


# Inspecting a value prints no warning, and raises none if warnings are errors. The filter is put into the program's
# list and removed again: warnings.catch_warnings() would make each module forget which warnings were shown.
class RichQuiet:
    def __enter__(self):
        self.filter = tuple(["ignore", None, Warning, None, 0])
        self.filters = getattr(sys.modules.get("warnings") or _warnings, "filters", None)
        rich_quiet_filters.append((self.filters, self.filter))
        if type(self.filters) is list:
            self.filters.insert(0, self.filter)

    def __exit__(self, *_):
        rich_take_filter(self.filters, self.filter)


def rich_take_filter(filters, old):
    if type(filters) is list:
        filters[:] = [each for each in filters if each is not old]
    rich_quiet_filters[:] = [pair for pair in rich_quiet_filters if pair[1] is not old]


# ---- the bundle ----

class RichBundle:
    __slots__ = ("data", "metadata", "dropped", "kind", "limits")

    def __init__(self, kind, limits):
        self.data, self.metadata, self.dropped, self.kind, self.limits = {}, {}, [], kind, limits

    def drop(self, mime, size, why):
        if len(self.dropped) < RICH_MIMES:
            self.dropped.append({"mime": mime, "bytes": size, "why": why})

    # The result of a method: a value, or (value, metadata); None if there is none.
    def add(self, mime, value, metadata=None):
        if type(value) is tuple and len(value) == 2:
            value, metadata = value
        if value is None or mime in self.data:
            return
        if len(self.data) >= RICH_MIMES:
            return self.drop(mime, 0, "more than %d representations" % RICH_MIMES)
        try:
            self.data[mime] = self.convert(mime, value)
            if metadata:
                self.add_metadata(mime, metadata)
        except Exception as e:
            self.drop(mime, 0, rich_failure(e))

    def convert(self, mime, value):
        if mime.endswith("json"):
            return rich_json(value, [RICH_JSON_NODES])
        if isinstance(value, (bytes, bytearray, memoryview)):
            if rich_is_text(mime):
                return rich_clean(bytes(value).decode("utf-8", "replace"))
            from binascii import b2a_base64
            return b2a_base64(value, newline=False).decode()
        if not isinstance(value, str):
            raise TypeError("%s where text or bytes belong" % rich_name_of(type(value)))
        text = rich_clean(value)
        if rich_is_bytes(mime) and not rich_is_text(mime):
            from binascii import a2b_base64
            text = "".join(text.split())
            a2b_base64(text)
        return text

    def add_metadata(self, mime, metadata):
        plain = rich_json(metadata, [RICH_JSON_SMALL])
        if rich_size(plain) + rich_size(self.metadata) > RICH_METADATA:
            raise ValueError("metadata of more than %d bytes" % RICH_METADATA)
        self.metadata[mime] = plain

    # Adds the result of a function, or records why there is none.
    def attempt(self, mime, make, *args):
        try:
            made = make(*args)
        except Exception as e:
            return self.drop(mime, 0, rich_failure(e))
        self.add(mime, made)

    def add_text(self, obj):
        room = self.limits["text"]
        if "text/plain" not in self.data:
            self.attempt("text/plain", rich_pretty, obj)
        if "text/plain" not in self.data:
            try:
                text = rich_clean(rich_repr(obj, room))
            except Exception as e:
                why = rich_failure(e)
                self.drop("text/plain", 0, "__repr__ failed: " + why)
                text = "<%s object whose __repr__ raised %s>" % (rich_clean(rich_name_of(type(obj))), why)
            self.data["text/plain"] = text
        self.data["text/plain"] = rich_shorten(self.data["text/plain"], room)

    # Drops representations, the largest first, until the rest fits.
    def fit(self):
        room = self.limits["bundle"]
        sizes = {mime: rich_size(value) for mime, value in self.data.items()}
        for mime in sorted(sizes, key=sizes.get, reverse=True):
            if sum(sizes.values()) <= room:
                break
            if mime != "text/plain":
                self.drop(mime, sizes.pop(mime), "the bundle is limited to %d bytes" % room)
                del self.data[mime]
                self.metadata.pop(mime, None)
        if sum(sizes.values()) > room:
            self.data["text/plain"] = rich_shorten(self.data["text/plain"], max(room - 100, 0) // 4)

    def finish(self):
        self.fit()
        if len(self.data) > 1:
            self.data = {mime: self.data[mime] for mime in sorted(self.data, key=rich_rank)}
        return {"kind": self.kind, "data": self.data, "metadata": self.metadata, "dropped": self.dropped}


def bundle(obj, kind, limits):
    b = RichBundle(kind, {**RICH_LIMITS, **limits})
    with RichQuiet():
        maker = rich_maker_for(type(obj))
        if maker is None and rich_displays_itself(b, obj):
            return None
        try:
            (maker or rich_methods)(b, obj)
        except Exception as e:
            b.drop("*/*", 0, rich_failure(e))
        b.add_text(obj)
    return b.finish()


# ---- objects' own methods ----

def rich_method(obj, name):
    cls = type(obj)
    for base in rich_mro(cls):
        found = base.__dict__.get(name)
        if found is not None:
            bind = getattr(type(found), "__get__", None)
            return bind(found, obj, cls) if bind else found
        if name in base.__dict__:
            return None
    return None


def rich_displays_itself(b, obj):
    try:
        method = rich_method(obj, "_ipython_display_")
        if method:
            method()
        return method is not None
    except Exception as e:
        b.drop("*/*", 0, "_ipython_display_ failed: " + rich_failure(e))
        return False


def rich_methods(b, obj):
    try:
        method = rich_method(obj, "_repr_mimebundle_")
        made = method(include=None, exclude=None) if method else None
    except Exception as e:
        made = b.drop("*/*", 0, "_repr_mimebundle_ failed: " + rich_failure(e))
    if made is not None:
        rich_add_all(b, made)
    for name, mime in RICH_METHODS:
        if mime not in b.data:
            b.attempt(mime, lambda: (rich_method(obj, name) or (lambda: None))())


# The printer for _repr_pretty_: everything in one line, unless the object requests another one.
class RichPrinter:
    def __init__(self):
        self.parts, self.indentation, self.under_way = [], 0, []

    def text(self, text):
        self.parts.append(text)

    def breakable(self, sep=" "):
        self.text(sep)

    def break_(self):
        self.text("\n" + " " * self.indentation)

    def begin_group(self, indent=0, open=""):
        self.text(open)
        self.indentation += indent

    def end_group(self, dedent=0, close=""):
        self.indentation -= dedent
        self.text(close)

    def group(self, indent=0, open="", close=""):
        return RichGroup(self, indent, open, close)

    def indent(self, indent):
        return RichGroup(self, indent, "", "")

    def pretty(self, obj):
        method = rich_method(obj, "_repr_pretty_")
        if method is None:
            return self.text(repr(obj))
        cycle = any(obj is outer for outer in self.under_way)
        self.under_way.append(obj)
        method(self, cycle)
        self.under_way.pop()


class RichGroup:
    def __init__(self, printer, indent, open, close):
        self.printer, self.begin, self.end = printer, (indent, open), (indent, close)

    def __enter__(self):
        self.printer.begin_group(*self.begin)

    def __exit__(self, *_):
        self.printer.end_group(*self.end)


def rich_pretty(obj):
    if rich_method(obj, "_repr_pretty_") is None:
        return None
    printer = RichPrinter()
    printer.pretty(obj)
    return "".join(printer.parts)


# The result is {mime: data}, or that and {mime: metadata}.
def rich_add_all(b, made):
    data, metadata = made if type(made) is tuple and len(made) == 2 else (made, {})
    if not isinstance(data, dict):
        return b.drop("*/*", 0, "_repr_mimebundle_ returned " + rich_name_of(type(data)))
    for mime, value in list(data.items())[:2 * RICH_MIMES]:
        if not (isinstance(mime, str) and mime.isascii() and mime.isprintable() and len(mime) <= 127):
            b.drop("*/*", 0, "a MIME type that is none")
            continue
        b.add(str.__str__(mime), value, metadata.get(mime) if isinstance(metadata, dict) else None)


# ---- values that are plain data ----

def rich_data(b, obj):
    try:
        if len(obj):
            b.data["application/json"] = rich_json(obj, [RICH_JSON_SMALL], strict=True)
    except Exception:  # such an object still has its text
        pass


# ---- pandas ----

# We never show more rows than this, whatever the options are. Outside of a notebook, pandas shows as many columns as
# a terminal has room for (0); we show as many as in a notebook.
def rich_pandas_options(pandas):
    options, caps = [], (("display.max_rows", RICH_SHOWN_ROWS), ("display.max_columns", 4 * RICH_COLUMNS))
    for name, most in caps:
        set_to = pandas.get_option(name)
        if set_to is None or set_to > most:
            options += [name, most]
        elif set_to == 0 and name == "display.max_columns":
            options += [name, RICH_NOTEBOOK_COLUMNS]
    return pandas.option_context(*options) if options else None


def rich_table(obj):
    from json import loads
    rows, columns = obj.shape[0], obj.shape[1] if len(obj.shape) > 1 else 1
    part = obj.iloc[:RICH_ROWS, :RICH_COLUMNS] if len(obj.shape) > 1 else obj.iloc[:RICH_ROWS]
    table = loads(part.to_json(orient="table", date_format="iso", default_handler=str))
    table["schema"].pop("pandas_version", None)
    table.update(rows=rows, columns=columns)
    if rows > RICH_ROWS or columns > RICH_COLUMNS:
        table["cut"] = "%d of %d rows, %d of %d columns" % (min(rows, RICH_ROWS), rows,
                                                            min(columns, RICH_COLUMNS), columns)
    return table


def rich_frame(b, obj):
    context = rich_pandas_options(sys.modules["pandas"])
    try:
        if context:
            context.__enter__()
        b.add_text(obj)
        if rich_method(obj, "_repr_html_"):
            b.attempt("text/html", lambda: rich_method(obj, "_repr_html_")())
        elif len(obj.shape) == 1:
            b.attempt("text/html", lambda: obj.to_frame()._repr_html_())
    finally:
        if context:
            context.__exit__(None, None, None)
    try:
        b.data["application/vnd.dataresource+json"] = rich_json(rich_table(obj), [RICH_JSON_NODES])
    except Exception:  # there is no schema for columns of two levels and the like; the text has everything
        pass


# ---- pictures ----

rich_shown = {}  # id of a figure: a weak reference to it, if it was shown in this cell


def rich_is_empty(figure):
    return not (figure.axes or figure.lines or figure.texts or figure.images or figure.patches or figure.legends or
                figure.artists)


# True if it was shown in this cell in its current state.
def rich_was_shown(figure):
    reference = rich_shown.get(id(figure))
    return reference is not None and reference() is figure and not figure.stale


def rich_png_of(figure):
    from io import BytesIO
    wide, high = (int(inches * figure.dpi) for inches in figure.get_size_inches())
    if wide * high > RICH_PIXELS:
        raise ValueError("%d x %d pixels, more than %d in all" % (wide, high, RICH_PIXELS))
    how = {"format": "png", "dpi": figure.dpi, "facecolor": figure.get_facecolor(),
           "edgecolor": figure.get_edgecolor()}
    out = BytesIO()
    try:
        figure.canvas.print_figure(out, bbox_inches="tight", **how)
    except Exception:  # an artist may be far outside of it
        out = BytesIO()
        figure.canvas.print_figure(out, **how)
    png = out.getvalue()
    return png, {"width": int.from_bytes(png[16:20], "big"), "height": int.from_bytes(png[20:24], "big")}


def rich_figure(b, figure):
    from weakref import ref
    b.add_text(figure)
    if rich_is_empty(figure) or (b.kind == "value" and rich_was_shown(figure)):
        return
    b.attempt("image/png", rich_png_of, figure)
    b.attempt("application/vnd.glovebox.chart+json", rich_chart, figure)
    figure.stale = False
    rich_shown[id(figure)] = ref(figure)


# The picture in a mode that PNG supports.
def rich_for_png(image):
    if image.mode in ("1", "L", "LA", "I;16", "P", "RGB", "RGBA"):
        return image
    return image.convert({"I": "I;16", "La": "LA", "PA": "RGBA", "RGBa": "RGBA"}.get(image.mode, "RGB"))


def rich_image(b, image):
    from io import BytesIO
    wide, high = image.size
    if wide * high > RICH_PIXELS:
        return b.drop("image/png", 0, "%d x %d pixels, more than %d in all" % (wide, high, RICH_PIXELS))
    out, jpeg = BytesIO(), image.format in ("JPEG", "MPO")
    if jpeg:
        try:
            image.save(out, "JPEG", quality="keep")
        except ValueError:
            image.save(out, "JPEG", quality=90)
    else:
        rich_for_png(image).save(out, "PNG")
    b.add("image/jpeg" if jpeg else "image/png", out.getvalue(), {"width": wide, "height": high})


# ---- plotly, altair ----

def rich_plotly(b, figure):
    from json import loads
    text = figure.to_json()
    b.attempt("application/vnd.plotly.v1+json", loads, text)
    if len(text) < b.limits["bundle"] // 2:
        b.attempt("text/html", lambda: figure.to_html(full_html=False, include_plotlyjs="cdn"))
    else:
        b.drop("text/html", len(text), "the bundle is limited to %d bytes" % b.limits["bundle"])


def rich_altair(b, chart):
    spec = chart.to_dict()
    version = str(spec.get("$schema", "")).rpartition("/v")[2].partition(".")[0]
    b.add("application/vnd.vegalite.v%s+json" % (version if version.isdigit() else "5"), spec)
    rich_methods(b, chart)
    b.data.pop("text/plain", None)  # it only says that the chart cannot be shown


RICH_MAKERS = (
    ("matplotlib.figure", "Figure", rich_figure), ("pandas", "DataFrame", rich_frame), ("pandas", "Series", rich_frame),
    ("PIL.Image", "Image", rich_image), ("plotly.basedatatypes", "BaseFigure", rich_plotly),
    ("altair", "TopLevelMixin", rich_altair))


def rich_maker_for(cls):
    if cls is dict or cls is list:
        return rich_data
    bases = rich_mro(cls)
    for module, name, maker in RICH_MAKERS:
        if module in sys.modules:
            known = getattr(sys.modules[module], "__dict__", {}).get(name)
            if known is not None and any(known is base for base in bases):
                return maker
    return None
