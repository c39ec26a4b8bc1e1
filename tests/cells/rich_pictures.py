# SPDX-License-Identifier: Apache-2.0
"""Pictures and charts: figures of matplotlib, and what other libraries draw."""

import base64
import os
import sys
import tempfile
import warnings

from rich_common import CHART, PNG, cell, data, emitted, ok, pixels_of_png, same, size_of_png, value, why


def test_pil():
    import io
    from PIL import Image
    made = value(Image.new("RGB", (7, 5), "red"))
    same((size_of_png(made["data"][PNG]), made["metadata"][PNG]), ((7, 5), {"width": 7, "height": 5}), "an image")
    for mode in ("1", "L", "LA", "P", "RGBA", "CMYK", "HSV", "F", "I", "YCbCr"):
        same(size_of_png(data(Image.new(mode, (3, 2)))[PNG]), (3, 2), "an image of mode " + mode)
    out = io.BytesIO()
    Image.new("RGB", (9, 9)).save(out, "JPEG")
    made = data(Image.open(io.BytesIO(out.getvalue())))
    ok(base64.b64decode(made["image/jpeg"])[:3] == b"\xff\xd8\xff" and PNG not in made, "a JPEG stays one")
    big = Image.new("1", (20000, 20000))
    ok("20000 x 20000" in why(value(big), PNG), "one that is too large is told")
    del emitted[:]
    Image.new("RGB", (2, 2)).show()
    same([size_of_png(e["data"][PNG]) for e in emitted], [(2, 2)], "show() shows it")


# ---- matplotlib ----

def test_figures():
    import matplotlib
    import matplotlib.pyplot as plt
    same(matplotlib.get_backend().lower(), "agg", "without a screen")

    def one():
        plt.plot([1, 2], [3, 4])
    made, shown = cell(one)
    same((made, len(shown), plt.get_fignums()), (None, 1, []), "an open figure is shown at the end and closed")
    wide, high = size_of_png(shown[0]["data"][PNG])
    ok(300 < wide < 800 and 300 < high < 600 and pixels_of_png(shown[0]["data"][PNG]) > wide * high,
       "as a whole picture", (wide, high))
    same(shown[0]["metadata"][PNG], {"width": wide, "height": high}, "with its size")
    same(shown[0]["kind"], "display", "as a display")

    def figure_value():
        figure, ax = plt.subplots()
        ax.plot([1, 2])
        return figure
    made, shown = cell(figure_value)
    same((PNG in made["data"], len(shown), plt.get_fignums()), (True, 0, []), "a figure as the value, once")

    def shown_by_show():
        one()
        plt.show()
        ok(len(emitted) == 1 and not plt.get_fignums(), "plt.show() shows at once, and closes")
    same(len(cell(shown_by_show)[1]), 1, "and not again at the end")

    def two():
        plt.figure()
        plt.plot([1])
        plt.figure()
        plt.plot([2])
        plt.show(block=False)
    same(len(cell(two)[1]), 2, "two figures, two pictures")

    def saved():
        with tempfile.TemporaryDirectory() as folder:
            one()
            plt.savefig(os.path.join(folder, "x.png"))
    same(len(cell(saved)[1]), 1, "saving is not showing")

    def closed():
        one()
        plt.close()
    same(cell(closed)[1], [], "what was closed is not shown")
    same(cell(plt.figure)[1], [], "an empty figure has no picture")

    def axes_value():
        return plt.plot([1, 2])
    made, shown = cell(axes_value)
    same((list(made["data"]), len(shown)), (["text/plain"], 1), "of lines as a value the figure is shown")

    keep = []

    def kept():
        figure, ax = plt.subplots()
        ax.plot([1, 2])
        keep.append((figure, ax))
        plt.show()
        return figure
    made, shown = cell(kept)
    same((list(made["data"]), len(shown)), (["text/plain"], 1), "shown, and then the value of the same cell: once")

    def again():
        keep[0][1].plot([5, 6])
        return keep[0][0]
    made, shown = cell(again)
    same((len(made["data"][CHART]["elements"]), len(shown)), (2, 0), "a later cell can show it again")

    def changed():
        figure, ax = plt.subplots()
        ax.plot([1, 2])
        figure.show()
        figure.show()
        ax.plot([3, 4])
    same([len(s["data"][CHART]["elements"]) for s in cell(changed)[1]], [1, 1, 2], "figure.show(), and changed since")

    def bare():
        from matplotlib.figure import Figure
        figure = Figure((2, 1))
        figure.subplots().plot([1, 2])
        return figure
    ok(PNG in cell(bare)[0]["data"], "a figure without pyplot")

    def failing():
        plt.title("$\\nosuchthing{$")
        plt.plot([1])
    shown = cell(failing)[1]
    ok(len(shown) == 1 and why(shown[0], PNG) and not plt.get_fignums(), "one that cannot be drawn is told", shown)

    def huge():
        plt.figure(figsize=(1000, 1000))
        plt.plot([1])
    ok("pixels" in why(cell(huge)[1][0], PNG), "one that is too large is told")


def chart(draw):
    shown = cell(draw)[1]
    assert len(shown) == 1, shown
    return shown[0]["data"].get(CHART) or shown[0]["dropped"]


def test_charts():
    import datetime
    import matplotlib.pyplot as plt
    import numpy as np

    def line():
        plt.plot([1, 2, 3], [4, float("nan"), 6.5], label="one")
        plt.plot([1, 3], [0, 1], label="two")
        plt.axhline(2)
        plt.title("T")
        plt.xlabel("Time (s)")
        plt.ylabel("Speed [m/s]")
        plt.yscale("symlog")
        plt.xticks([1, 2, 3], ["a", "b", "c"])
    got = chart(line)
    same((got["type"], got["title"], got["x_label"], got["x_unit"], got["y_unit"], got["x_scale"], got["y_scale"]),
         ("line", "T", "Time (s)", "s", "m/s", "linear", "symlog"), "a line chart")
    same(got["elements"], [{"label": "one", "points": [[1, 4], [2, None], [3, 6.5]]},
                           {"label": "two", "points": [[1, 0], [3, 1]]}], "its points")
    same((got["x_ticks"], got["x_tick_labels"]), ([1, 2, 3], ["a", "b", "c"]), "its ticks")

    def scatter():
        plt.scatter(np.array([1, 2]), np.array([3, 4]), label="s")
        plt.plot([5], [6], "o", label="dots")
    got = chart(scatter)
    same((got["type"], got["elements"]), ("scatter", [{"label": "s", "points": [[1, 3], [2, 4]]},
                                                      {"label": "dots", "points": [[5, 6]]}]), "a scatter chart")

    def dates():
        plt.plot([datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 3, 12)], [1, 2])
    got = chart(dates)
    same((got["x_scale"], got["elements"][0]["points"]),
         ("datetime", [["2024-01-01T00:00:00", 1], ["2024-01-03T12:00:00", 2]]), "dates are ISO text")
    ok(got["x_ticks"][0].startswith("2024-01-"), "also the ticks", got["x_ticks"])

    def dates_of_numpy():
        plt.plot(np.array(["2024-01-01", "2024-01-02"], "datetime64[D]"), [1, 2])
    same(chart(dates_of_numpy)["elements"][0]["points"], [["2024-01-01", 1], ["2024-01-02", 2]], "numpy's dates")

    def categories():
        plt.plot(["x", "y"], [1, 2])
    got = chart(categories)
    same((got["x_scale"], got["elements"][0]["points"]), ("categorical", [["x", 1], ["y", 2]]), "categories")

    def many():
        plt.plot(np.arange(100000), np.arange(100000), label="m")
    got = chart(many)
    same((len(got["elements"][0]["points"]), got["cut"]), (1000, ["m: one of 100 of its 100000 points"]),
         "of many points some, and that is said")

    def bars():
        plt.bar(["a", "b"], [3, 4.5], label="g")
        plt.bar(["a", "b"], [1, 1], bottom=[3, 4.5], label="h")
    got = chart(bars)
    same((got["type"], got["elements"]), ("bar", [
        {"label": "a", "group": "g", "value": 3}, {"label": "b", "group": "g", "value": 4.5},
        {"label": "a", "group": "h", "value": 1}, {"label": "b", "group": "h", "value": 1}]), "a bar chart")

    def across():
        plt.barh(["a", "b"], [3, 4])
    same([(e["label"], e["value"]) for e in chart(across)["elements"]], [("a", 3), ("b", 4)], "bars across")

    def beside():
        places = np.arange(2)
        plt.bar(places - 0.2, [1, 2], 0.4)
        plt.bar(places + 0.2, [3, 4], 0.4)
        plt.xticks(places, ["p", "q"])
    same([(e["label"], e["value"]) for e in chart(beside)["elements"]], [("p", 1), ("q", 2), ("p", 3), ("q", 4)],
         "bars beside each other have the tick's name")

    def histogram():
        plt.hist([1, 2, 2, 4], bins=[0, 2, 4, 6], label="n")
    got = chart(histogram)
    same((got["type"], [(e["start"], e["end"], e["value"], e["group"]) for e in got["elements"]]),
         ("histogram", [(0, 2, 1, "n"), (2, 4, 2, "n"), (4, 6, 1, "n")]), "a histogram")

    def pie():
        plt.pie([1, 3], labels=["p", "q"], autopct="%d")
    got = chart(pie)
    same((got["type"], got["elements"]), ("pie", [{"label": "p", "angle": 90, "radius": 1},
                                                  {"label": "q", "angle": 270, "radius": 1}]), "a pie")

    def boxes():
        plt.boxplot([[1, 2, 3, 4, 50], [2, 3, 4]])
        plt.xticks([1, 2], ["u", "v"])
    got = chart(boxes)
    same((got["type"], got["elements"]), ("box_and_whisker", [
        {"label": "u", "min": 1, "first_quartile": 2, "median": 3, "third_quartile": 4, "max": 4, "outliers": [50]},
        {"label": "v", "min": 2, "first_quartile": 2.5, "median": 3, "third_quartile": 3.5, "max": 4,
         "outliers": []}]), "boxes and whiskers")

    def cleared():
        plt.boxplot([1, 2, 3])
        plt.hist([1, 2])
        plt.cla()
        plt.plot([1, 2])
    same(chart(cleared)["type"], "line", "what was cleared away is not told")

    def errors():
        plt.errorbar([1, 2], [3, 4], yerr=[1, 1], capsize=3, label="e")
    same(chart(errors)["elements"][0]["points"], [[1, 3], [2, 4]], "error bars")

    def several():
        figure, axes = plt.subplots(1, 2)
        axes[0].plot([1, 2])
        axes[1].bar(["a"], [2])
        figure.suptitle("both")
    got = chart(several)
    same((got["type"], got["title"], [e["type"] for e in got["elements"]]), ("superchart", "both", ["line", "bar"]),
         "several axes")

    def image():
        plt.imshow([[1, 2], [3, 4]])
        plt.colorbar()
        plt.title("heat")
    got = chart(image)
    same((got["type"], got["title"], got["elements"]), ("unknown", "heat", []), "what is no chart has its title")

    def solid():
        plt.figure().add_subplot(projection="3d").plot([1, 2], [3, 4], [5, 6])
    same(chart(solid)["type"], "unknown", "three dimensions")

    def legend():
        plt.plot([1, 2])
        plt.plot([3, 4])
        plt.legend(["x", "y"])
    same([e["label"] for e in chart(legend)["elements"]], ["x", "y"], "names that only the legend has")


def test_charts_of_pandas():
    import matplotlib.pyplot as plt
    import pandas as pd
    frame = pd.DataFrame({"a": [1, 2], "b": [3, 4]}, index=["u", "v"])

    def bars():
        frame.plot.bar()
    same([(e["label"], e["group"], e["value"]) for e in chart(bars)["elements"]],
         [("u", "a", 1), ("v", "a", 2), ("u", "b", 3), ("v", "b", 4)], "a frame's bars")

    def dates():
        pd.Series([1, 2, 3], index=pd.date_range("2024-01-01", periods=3)).plot()
    got = chart(dates)
    same((got["type"], got["x_scale"], got["elements"][0]["points"][0]), ("line", "datetime", ["2024-01-01", 1]),
         "a series over days")

    def boxes():
        plt.figure()
        pd.DataFrame({"a": [1, 2, 3]}).boxplot()
    same([(e["label"], e["median"]) for e in chart(boxes)["elements"]], [("a", 2)], "a frame's boxes")

    def gaps():
        pd.DataFrame({"a": [1.0, None, 2]}).plot()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same([y for _, y in chart(gaps)["elements"][0]["points"]], [1, None, 2], "a value that is missing, and warns of it")


# ---- what may be there ----

def test_plotly():
    import plotly.graph_objects as go
    figure = go.Figure(go.Bar(x=["a", "b"], y=[1, 2]))
    made = value(figure)["data"]
    same(made["application/vnd.plotly.v1+json"]["data"][0]["type"], "bar", "a plotly figure is its JSON")
    ok("<script" in made["text/html"] and len(made["text/html"]) < 100000, "and a small page")
    del emitted[:]
    figure.show()
    same([("application/vnd.plotly.v1+json" in e["data"]) for e in emitted], [True], "show() shows it")


def test_altair():
    import altair
    import pandas as pd
    drawn = altair.Chart(pd.DataFrame({"a": [1, 2]})).mark_bar().encode(x="a")
    made = value(drawn)["data"]
    mime = next((m for m in made if m.startswith("application/vnd.vegalite.v")), None)
    ok(mime and made[mime]["mark"]["type"] == "bar", "an altair chart is its specification", list(made))
    del emitted[:]
    drawn.show()
    same(len(emitted), 1, "show() shows it")


def test_ipython():
    from IPython.display import HTML, JSON, Image, Markdown, display
    same(data(HTML("<b>x</b>"))["text/html"], "<b>x</b>", "IPython's HTML")
    same(data(Markdown("*x*"))["text/markdown"], "*x*", "its Markdown")
    same(data(JSON({"a": 1}))["application/json"], {"a": 1}, "its JSON")
    picture = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5E"
                               "rkJggg==")
    same(size_of_png(data(Image(picture))[PNG]), (1, 1), "its pictures")
    del emitted[:]
    handle = display(HTML("<i>"), display_id=True)
    same(([e["data"].get("text/html") for e in emitted], handle is not None), (["<i>"], True), "its display()")
