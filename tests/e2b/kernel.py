# SPDX-License-Identifier: Apache-2.0
"""The Python kernel of the stand-in: cells as lines of JSON from descriptor 3, what they give as lines to 4. Its own
output is what the cell prints."""

import ast
import base64
import builtins
import io
import json
import linecache
import os
import signal
import sys
import threading
import time
import traceback
import types
import zlib

FORMATS = {"_repr_html_": "text/html", "_repr_markdown_": "text/markdown", "_repr_svg_": "image/svg+xml",
           "_repr_png_": "image/png", "_repr_jpeg_": "image/jpeg", "_repr_pdf_": "application/pdf",
           "_repr_latex_": "text/latex", "_repr_json_": "application/json",
           "_repr_javascript_": "application/javascript", "_repr_e2b_data_": "e2b/data",
           "_repr_e2b_chart_": "e2b/chart"}
asked, given = os.fdopen(3, "r"), os.fdopen(4, "w")
names = {"__name__": "__main__", "__builtins__": __builtins__}
count, ends = 0, False
EXITS = "An exception has occurred, use %tb to see the full traceback.\n"


lock = threading.RLock()


def tell(**message):
    """What was printed before a message comes before it."""
    with lock:
        for stream in streams:
            stream.flush()
        given.write(json.dumps(message) + "\n")
        given.flush()


class Stream(io.TextIOBase):
    """What a cell prints. Output of one stream comes before what the other gets later."""

    def __init__(self, name, descriptor):
        self.name, self.descriptor, self.text = name, descriptor, ""

    def writable(self):
        return True

    def fileno(self):
        return self.descriptor

    def write(self, text):
        with lock:
            for stream in streams:
                if stream is not self:
                    stream.flush()
            self.text += text
            if len(self.text) > 8192:
                self.flush()
        return len(text)

    def flush(self):
        with lock:
            text, self.text = self.text, ""
            if text:
                data = {"type": self.name, "text": text,
                        "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
                given.write(json.dumps(data) + "\n")
                given.flush()


streams = [Stream("stdout", 1), Stream("stderr", 2)]


def bundle_of(value):
    """{media type: text or object}, as IPython makes it."""
    bundle = {"text/plain": repr(value)}
    if isinstance(value, (dict, list)):
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
    name = "/tmp/ipykernel_%d/%d.py" % (os.getpid(), zlib.crc32(code.encode("utf-8", "replace")))
    linecache.cache[name] = len(code), None, code.splitlines(True), name
    try:
        run_tree(ast.parse(code, name), name, silent=code.rstrip().endswith(";"))
    except SystemExit as error:
        tell(type="error", name="SystemExit", value=said(error), traceback=EXITS + "SystemExit: %s\n" % said(error))
        sys.stderr.write("UserWarning: To exit: use 'exit', 'quit', or Ctrl-D.\n")
    except BaseException as error:
        value = said(error)
        if isinstance(error, SyntaxError) and error.filename == name:
            value = "%s (%s, line %s)" % (error.msg, os.path.basename(name), error.lineno)
        tell(type="error", name=type(error).__name__, value=value, traceback=trace(error, name))


def run_tree(tree, name, silent):
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), names)
    if last:
        value = eval(compile(ast.Expression(last.value), name, "eval"), names)
        if value is not None and value is not leave and not silent:
            names["_"] = value
            tell(type="value", data=bundle_of(value))
        if value is leave:
            leave()


def said(error):
    try:
        return str(error)
    except Exception:
        return "<unprintable>"


def trace(error, name):
    """In the shape of IPython's, whose first lines have no ends."""
    kind = type(error).__name__
    if isinstance(error, SyntaxError) and error.filename == name:
        line, mark = (error.text or "").rstrip("\n"), " " * max(0, (error.offset or 1) - 1) + "^"
        return "  Cell In[%d], line %s\n    %s\n    %s\n%s: %s\n" % (count, error.lineno, line, mark, kind, error.msg)
    text = "-" * 75 + "%s%s" % (kind, "Traceback (most recent call last)".rjust(75 - len(kind)))
    for frame in traceback.extract_tb(error.__traceback__)[2:]:
        inside = "" if frame.name == "<module>" else ", in %s()" % frame.name
        if frame.filename == name:
            text += "Cell In[%d], line %d%s\n%s" % (count, frame.lineno, inside, around(name, frame.lineno))
        else:
            text += "File %s:%d%s\n" % (frame.filename, frame.lineno, inside)
    return text + "%s: %s" % (kind, said(error))


def around(name, number):
    """The line with two before and two after it."""
    lines = linecache.cache[name][2]
    shown = ""
    for n in range(max(1, number - 2), min(len(lines), number + 2) + 1):
        left = "%d" % n
        left = "-" * (5 - len(left)) + "> " + left if n == number else left.rjust(7)
        shown += "%s %s\n" % (left, lines[n - 1].rstrip("\n"))
    return shown


class StdinNotImplementedError(NotImplementedError):
    pass


def no_input(prompt=""):
    raise StdinNotImplementedError("raw_input was called, but this frontend does not support input requests.")


def leave(*_):
    """exit() and quit(): the kernel ends after the cell, without a word."""
    global ends
    ends = True


def flush_often():
    """A line that has no end yet is shown soon, too."""
    while True:
        time.sleep(0.2)
        for stream in streams:
            stream.flush()


def main():
    make_ipython()
    sys.argv, sys.stdin = [""], open("/dev/null")
    sys.stdout, sys.stderr = streams
    names.update(exit=leave, quit=leave)
    builtins.input = no_input
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
        if ends:
            os._exit(0)


main()
