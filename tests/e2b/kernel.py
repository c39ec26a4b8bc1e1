# SPDX-License-Identifier: Apache-2.0
"""The Python kernel of the stand-in: cells as lines of JSON from descriptor 3, what they give as lines to 4. Its own
output is what the cell prints."""

import ast
import json
import linecache
import os
import signal
import sys
import threading
import time
import traceback
import types

FORMATS = {"_repr_html_": "text/html", "_repr_markdown_": "text/markdown", "_repr_svg_": "image/svg+xml",
           "_repr_png_": "image/png", "_repr_jpeg_": "image/jpeg", "_repr_pdf_": "application/pdf",
           "_repr_latex_": "text/latex", "_repr_json_": "application/json",
           "_repr_javascript_": "application/javascript", "_repr_e2b_data_": "e2b/data",
           "_repr_e2b_chart_": "e2b/chart"}
asked, given = os.fdopen(3, "r"), os.fdopen(4, "w")
names = {"__name__": "__main__", "__builtins__": __builtins__}
count = 0


def tell(**message):
    """The output before a message is in its pipe before the message."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except ValueError:
            pass
    given.write(json.dumps(message) + "\n")
    given.flush()


def bundle_of(value):
    """{media type: text or object}, as IPython makes it."""
    bundle = {"text/plain": repr(value)}
    if isinstance(value, dict):  # of lists nothing comes: the real server fails at them
        try:
            bundle["application/json"] = json.loads(json.dumps(value))
        except (TypeError, ValueError):
            pass
    own = getattr(value, "_repr_mimebundle_", None)
    if own and not isinstance(value, type):
        bundle.update(own(include=None, exclude=None))
    for method, kind in FORMATS.items():
        call = None if isinstance(value, type) else getattr(value, method, None)
        made = call() if call else None
        if made is not None:
            bundle[kind] = encoded(made)
    return bundle


def encoded(made):
    import base64
    return base64.b64encode(made).decode() if isinstance(made, bytes) else made


def display(*values, raw=False, **_):
    for value in values:
        tell(type="display", data={k: encoded(v) for k, v in value.items()} if raw else bundle_of(value))


class Shown:
    def __init__(self, data=None, url=None, filename=None, **_):
        self.data = open(filename, "rb").read() if filename else data


def shown_class(name, method):
    said = "<IPython.core.display.%s object>" % name
    return type(name, (Shown,), {method: lambda self: self.data, "__repr__": lambda self: said})


def make_ipython():
    package, module = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    for name, method in (("HTML", "_repr_html_"), ("Markdown", "_repr_markdown_"), ("SVG", "_repr_svg_"),
                         ("Latex", "_repr_latex_"), ("JSON", "_repr_json_"), ("Javascript", "_repr_javascript_"),
                         ("Image", "_repr_png_")):
        setattr(module, name, shown_class(name, method))
    module.display = package.display = names["display"] = display
    package.display_module, package.__path__ = module, []
    sys.modules.update({"IPython": package, "IPython.display": module})
    names["get_ipython"] = lambda: None


def run(code):
    """The cell. Its last expression is the main result; what it raises is an error."""
    global count
    count += 1
    name = "<ipython-input-%d>" % count
    linecache.cache[name] = len(code), None, code.splitlines(True), name
    try:
        tree = ast.parse(code, name)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, name, "exec"), names)
        if last and not code.rstrip().endswith(";"):
            value = eval(compile(ast.Expression(last.value), name, "eval"), names)
            if value is not None:
                names["_"] = value
                tell(type="value", data=bundle_of(value))
        elif last:
            eval(compile(ast.Expression(last.value), name, "eval"), names)
    except BaseException as error:
        tell(type="error", name=type(error).__name__, value=said(error), traceback=trace(error, name))


def said(error):
    try:
        return str(error)
    except Exception:
        return "<unprintable>"


def trace(error, name):
    """In the shape of IPython's: a rule, the kind of error, each frame with its line marked."""
    kind = type(error).__name__
    lines = ["-" * 75, "%s%s" % (kind, "Traceback (most recent call last)".rjust(75 - len(kind)))]
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename == name:
            place = "" if frame.name == "<module>" else ", in %s()" % frame.name
            lines.append("Cell In[%d], line %d%s\n----> %d %s" % (count, frame.lineno, place, frame.lineno, frame.line))
    if isinstance(error, SyntaxError):
        lines = ["  Cell In[%d], line %s\n    %s\n" % (count, error.lineno, (error.text or "").rstrip())]
    return "\n".join(lines + ["%s: %s" % (kind, said(error))])


def flush_often():
    """A line that has no end yet is shown soon, too."""
    while True:
        time.sleep(0.2)
        try:
            sys.stdout.flush()
        except ValueError:
            pass


def main():
    make_ipython()
    sys.argv, sys.stdin = [""], open("/dev/null")
    sys.stdout.reconfigure(errors="surrogateescape", line_buffering=True)
    threading.Thread(target=flush_often, daemon=True).start()
    idle = lambda *_: None  # noqa: E731
    while True:
        signal.signal(signal.SIGINT, idle)
        line = asked.readline()
        if not line:
            return
        signal.signal(signal.SIGINT, signal.default_int_handler)
        cell = json.loads(line)
        try:
            run(cell["code"])
        except KeyboardInterrupt:
            pass
        signal.signal(signal.SIGINT, idle)
        tell(type="done")


main()
