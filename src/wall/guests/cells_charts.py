# SPDX-License-Identifier: Apache-2.0
# The content of a matplotlib figure, as numbers: application/vnd.glovebox.chart+json, beside its picture. Runs
# inside the wall, in one text with cells_rich.py.
#
#   {"type": "line"|"scatter"|"bar"|"histogram"|"pie"|"box_and_whisker"|"unknown", "title", "elements": [...],
#  "x_label", "x_unit", "x_ticks", "x_tick_labels", "x_scale", the same for y, "cut": ["left-out parts"]}
#  {"type": "superchart", "title", "elements": [charts]} for more than one pair of axes
#
# Elements: {"label", "points": [[x, y], ...]} for lines and scatters; {"label", "group", "value"} for bars, with
# "start" and "end" for histograms; {"label", "angle", "radius"} for pies; {"label", "min", "first_quartile",
# "median", "third_quartile", "max", "outliers"} for boxes. Dates are ISO text; a value that is no number is null. A
# unit is the text in brackets at the end of a label: "Time (s)". Pies have no fields for axes.
import sys

RICH_POINTS, RICH_POINTS_IN_ALL, RICH_SERIES, RICH_TICKS, RICH_CHARTS, RICH_LABEL = 1000, 5000, 50, 100, 20, 300


# ---- values ----

def rich_label(text):
    text = rich_clean(str(text))
    return text if len(text) <= RICH_LABEL else text[:RICH_LABEL] + "..."


def rich_number(value):
    if isinstance(value, bool) or value is None:
        return value
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    if number != number or number in (float("inf"), float("-inf")):
        return None
    return int(number) if number.is_integer() and abs(number) < 1 << 53 else number


# A date is ISO text, a category its name, anything else a number.
def rich_coordinate(value):
    if isinstance(value, (int, float)):
        return rich_number(value)
    if isinstance(value, str):
        return rich_label(value)
    if hasattr(value, "isoformat"):
        return rich_label(value.isoformat())
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    if kind == "M" or (hasattr(value, "freq") and hasattr(value, "ordinal")):  # numpy's, and pandas' periods
        return rich_label(value)
    return rich_number(value)


def rich_cut(values, room, name, cut):
    total = len(values)
    if total <= room:
        return range(total)
    step = -(-total // max(room, 1))
    cut.append("%s: one of %d of its %d points" % (name or "a series", step, total))
    return range(0, total, step)


# The meaning of an axis' number. On an axis of pandas' periods, numbers count the periods.
def rich_from_number(axis, number):
    if rich_scale(axis) == "datetime":
        if getattr(axis, "freq", None) is not None:
            return rich_label(sys.modules["pandas"].Period(ordinal=int(number), freq=axis.freq))
        moment = sys.modules["matplotlib.dates"].num2date(number)
        return moment.replace(tzinfo=None).isoformat() if not moment.utcoffset() else moment.isoformat()
    return rich_number(number)


# ---- axes ----

def rich_scale(axis):
    find = getattr(axis, "get_converter", None)
    name = type(find() if find else axis.converter).__name__
    if "Category" in name:
        return "categorical"
    if any(word in name for word in ("Date", "Time", "Period")):
        return "datetime"
    return str(axis.get_scale())


def rich_unit(label):
    for opening, closing in ("()", "[]"):
        if label.endswith(closing) and opening in label:
            return label[label.rindex(opening) + 1:-1] or None
    return None


def rich_axis(chart, letter, axis, view):
    label = rich_label(axis.get_label_text())
    low, high = sorted(view)
    ticks = [(at, text.get_text()) for at, text in zip(axis.get_ticklocs(), axis.get_ticklabels())
             if low <= at <= high][:RICH_TICKS]
    chart[letter + "_label"] = label
    chart[letter + "_unit"] = rich_unit(label)
    chart[letter + "_ticks"] = [rich_from_number(axis, at) for at, _ in ticks]
    chart[letter + "_tick_labels"] = [rich_label(text) for _, text in ticks]
    chart[letter + "_scale"] = rich_scale(axis)


# The label of a bar: its category, the text of a tick that was put there, a date, or the number.
def rich_bar_name(axis, names, middle, width):
    if names:
        at = min(names, key=lambda tick: abs(tick - middle))
        if abs(at - middle) <= max(abs(width), 1):
            return names[at]
    value = rich_from_number(axis, middle)
    return value if isinstance(value, str) else "%.10g" % middle


def rich_bar_names(axis):
    mapping = getattr(getattr(axis, "units", None), "_mapping", None)
    if mapping:
        return {at: rich_label(name) for name, at in list(mapping.items())[:RICH_POINTS]}
    if type(axis.get_major_formatter()).__name__ not in ("FixedFormatter", "FuncFormatter"):
        return {}
    return {float(at): rich_label(text.get_text())
            for at, text in zip(axis.get_ticklocs(), axis.get_ticklabels()) if text.get_text()}


# ---- elements ----

def rich_series_label(artist):
    label = str(artist.get_label())
    return "" if label.startswith("_") else rich_label(label)


def rich_points(line, cut, room):
    label, ax = rich_series_label(line), line.axes
    pairs = ((line.get_xdata(), ax.xaxis), (line.get_ydata(), ax.yaxis))
    (xs, of_x), (ys, of_y) = ((rich_indexable(values), rich_coordinates(axis)) for values, axis in pairs)
    chosen = rich_cut(ys, min(RICH_POINTS, room), label, cut)
    return {"label": label, "points": [[of_x(xs[i]), of_y(ys[i])] for i in chosen]}


def rich_coordinates(axis):
    if rich_scale(axis) != "datetime":
        return rich_coordinate
    return lambda v: rich_from_number(axis, v) if type(rich_coordinate(v)) in (int, float) else rich_coordinate(v)


def rich_indexable(values):
    values = getattr(values, "values", values) if not hasattr(values, "freq") else values
    return values if hasattr(values, "__getitem__") and hasattr(values, "__len__") else list(values)


def rich_line_is_data(ax, line, caps):
    return (line.get_visible() and not any(line is cap for cap in caps) and
            all(line.get_transform().contains_branch_seperately(ax.transData)))


def rich_named(values, axis):
    mapping = getattr(getattr(axis, "units", None), "_mapping", None)
    names = {at: rich_label(name) for name, at in mapping.items()} if mapping else {}
    return [names.get(v, rich_from_number(axis, v)) for v in values]


def rich_lines_and_scatters(ax, cut):
    caps = [cap for c in ax.containers if type(c).__name__ == "ErrorbarContainer" for cap in c.lines[1]]
    dots = [c for c in ax.collections if type(c).__name__ == "PathCollection" and len(c.get_offsets())]
    lines = [line for line in ax.lines if rich_line_is_data(ax, line, caps) and len(line.get_ydata(orig=False))]
    elements, room = [], RICH_POINTS_IN_ALL
    for artist in (dots + lines)[:RICH_SERIES]:
        if artist in dots:
            offsets = artist.get_offsets()
            chosen = offsets[::max(1, -(-len(offsets) // max(1, min(RICH_POINTS, room))))].tolist()
            if len(chosen) < len(offsets):
                cut.append("%s: %d of its %d points" % (rich_series_label(artist) or "a series", len(chosen),
                                                        len(offsets)))
            points = zip(rich_named([p[0] for p in chosen], ax.xaxis), rich_named([p[1] for p in chosen], ax.yaxis))
            element = {"label": rich_series_label(artist), "points": [list(p) for p in points]}
        else:
            element = rich_points(artist, cut, room)
        elements.append(element)
        room -= len(element["points"])
    if len(dots) + len(lines) > RICH_SERIES:
        cut.append("%d of %d series" % (RICH_SERIES, len(dots) + len(lines)))
    joined = any(line.get_linestyle() not in ("None", "none", " ", "") for line in lines)
    return ("line" if joined and not dots else "scatter") if elements else "unknown", elements


def rich_bars(ax, containers, cut):
    elements = []
    for container in containers[:RICH_SERIES]:
        upright = getattr(container, "orientation", None) != "horizontal"
        axis = ax.xaxis if upright else ax.yaxis
        names = rich_bar_names(axis)
        group = rich_series_label(container)
        for i in rich_cut(container.patches, min(RICH_POINTS, RICH_POINTS_IN_ALL - len(elements)), group, cut):
            bar = container.patches[i]
            start, width = (bar.get_x(), bar.get_width()) if upright else (bar.get_y(), bar.get_height())
            value = bar.get_height() if upright else bar.get_width()
            elements.append({"label": rich_bar_name(axis, names, start + width / 2, width), "group": group,
                             "value": rich_number(value)})
    return "bar", elements


def rich_histogram(ax, made, cut):
    elements = []
    for counts, edges, patches in made[:RICH_SERIES]:
        several = getattr(counts, "ndim", 1) == 2 or isinstance(counts, list)
        for row, artist in zip(counts, patches) if several else ((counts, patches),):
            owners = ([artist] if hasattr(artist, "get_label") else []) + (
                [artist[0]] if hasattr(artist, "__getitem__") and len(artist) else [])
            group = next((label for label in map(rich_series_label, owners) if label), "")
            for i in rich_cut(row, min(RICH_POINTS, RICH_POINTS_IN_ALL - len(elements)), group, cut):
                start, end = (rich_from_number(ax.xaxis, edges[j]) for j in (i, i + 1))
                elements.append({"label": "%s to %s" % (start, end), "group": group,
                                 "value": rich_number(row[i]), "start": start, "end": end})
    return "histogram", elements


def rich_pie(wedges):
    return "pie", [{"label": rich_series_label(w), "angle": rich_number(w.theta2 - w.theta1),
                    "radius": rich_number(w.r)} for w in wedges[:RICH_POINTS]]


def rich_boxes(ax, made, cut):
    elements = []
    names = {**rich_bar_names(ax.xaxis), **rich_bar_names(ax.yaxis)}
    for stats, positions in made:
        for box, at in zip(stats, positions):
            given = box.get("label")
            outliers = rich_indexable(box.get("fliers", ()))
            label = rich_label(names.get(float(at), "%g" % at if given is None else given))
            elements.append({
                "label": label, "min": rich_number(box["whislo"]), "first_quartile": rich_number(box["q1"]),
                "median": rich_number(box["med"]), "third_quartile": rich_number(box["q3"]),
                "max": rich_number(box["whishi"]),
                "outliers": [rich_number(outliers[i]) for i in rich_cut(outliers, RICH_POINTS // 10, label, cut)]})
    return "box_and_whisker", elements[:RICH_POINTS]


# ---- charts ----

# The records that were made while the artist was drawn, if it is still in the axes.
def rich_recorded(ax, kind):
    made = vars(ax).get("_glovebox_drawn") or ()
    children = ax.get_children() if made else ()
    return [data for name, artist, data in made if name == kind and any(artist is child for child in children)]


def rich_elements(ax, cut):
    wedges = [p for p in ax.patches if type(p).__name__ == "Wedge"]
    bars = [c for c in ax.containers if type(c).__name__ == "BarContainer" and c.patches]
    histograms, boxes = rich_recorded(ax, "histogram"), rich_recorded(ax, "box")
    if getattr(ax, "name", "") == "3d":
        return "unknown", []
    if wedges:
        return rich_pie(wedges)
    if boxes:
        return rich_boxes(ax, boxes, cut)
    if histograms:
        return rich_histogram(ax, histograms, cut)
    if bars:
        return rich_bars(ax, bars, cut)
    return rich_lines_and_scatters(ax, cut)


# Labels that only the legend has.
def rich_legend_labels(ax, elements):
    legend = ax.get_legend()
    texts = [rich_label(t.get_text()) for t in legend.get_texts()] if legend else []
    if len(texts) == len(elements) and not any(e.get("label") for e in elements):
        for element, text in zip(elements, texts):
            element["label"] = text


def rich_axes_chart(ax):
    cut = []
    kind, elements = rich_elements(ax, cut)
    if kind in ("line", "scatter", "pie"):
        rich_legend_labels(ax, elements)
    title = next((t for t in map(ax.get_title, ("center", "left", "right")) if t), "")
    chart = {"type": kind, "title": rich_label(title), "elements": elements}
    if kind not in ("pie", "unknown") or (kind == "unknown" and getattr(ax, "name", "") == "rectilinear"):
        rich_axis(chart, "x", ax.xaxis, ax.get_xlim())
        rich_axis(chart, "y", ax.yaxis, ax.get_ylim())
    if cut:
        chart["cut"] = cut[:20]
    return chart


def rich_chart(figure):
    axes = [ax for ax in figure.axes if ax.get_visible() and ax.get_label() != "<colorbar>" and
            (ax.axison or ax.has_data())]
    charts = [rich_axes_chart(ax) for ax in axes[:RICH_CHARTS]]
    above = getattr(figure, "_suptitle", None)
    title = rich_label(above.get_text()) if above else ""
    if len(charts) < 2:
        if charts and title and not charts[0]["title"]:
            charts[0]["title"] = title
        return charts[0] if charts else None
    chart = {"type": "superchart", "title": title, "elements": charts}
    if len(axes) > RICH_CHARTS:
        chart["cut"] = ["%d of %d charts" % (RICH_CHARTS, len(axes))]
    return chart


# ---- recording ----

# The record is an attribute of the axes, so that it lives as long as they do.
def rich_record(ax, kind, artist, data):
    made = vars(ax).setdefault("_glovebox_drawn", [])
    if len(made) < RICH_SERIES:
        made.append((kind, artist, data))


# A histogram's bars look like any others, and a box like any lines, so their kind is recorded when they are drawn.
def rich_watch_axes(Axes):
    from functools import wraps
    hist, bxp = Axes.hist, Axes.bxp

    @wraps(hist)
    def watched_hist(self, *args, **kwargs):
        made = hist(self, *args, **kwargs)
        try:
            patches = made[2]
            while not hasattr(patches, "axes"):
                patches = patches[0]
            rich_record(self, "histogram", patches, made)
        except Exception:  # an empty one, or one of another type
            pass
        return made

    @wraps(bxp)
    def watched_bxp(self, bxpstats, positions=None, *args, **kwargs):
        made = bxp(self, bxpstats, positions, *args, **kwargs)
        try:
            places = list(range(1, len(bxpstats) + 1) if positions is None else positions)
            rich_record(self, "box", made["medians"][0], (list(bxpstats), places))
        except Exception:
            pass
        return made

    Axes.hist, Axes.bxp = watched_hist, watched_bxp
