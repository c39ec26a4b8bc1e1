#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""R's side of sessions (src/wall/guests/cells_r.R)."""

import base64
import sys

from common import Language, has, run_table, test_all

R = Language("Rscript", ["--vanilla", "-e"], "cells_r_boot.R", "cells_r.R", {
    "name": "r", "call": "add(1)", "show": "cat(%s(), '\\n')", "final": "final_answer(7)", "destroy": [
        "add <- 3; final_answer <- 4", "add <- function(...) 1", "final_answer <- function(x) x", "rm(add, final_answer)"],
     "comment": "# nothing", "print": "cat('%s\\n')", "any_name": True, "assign": "kept <- 'here'",
    "count": "cat(length(readLines(file('stdin'))), '\\n')", "children": "system('ls -l /proc/self/fd')",
    "endless": ["while (TRUE) {}", "Sys.sleep(30)", "repeat tryCatch(stop('x'), error = function(e) NULL)"],
    "suicide": "tools::pskill(Sys.getpid(), 9); Sys.sleep(20)"})

STATE = (
    ("x <- 5; f <- function(a) a + x; library(stats4)", {"value": None}), ("f(1)", {"value": 6, "text": "[1] 6"}),
    ("x; x + 1", {"value": 6, "out": "[1] 5\n"}), ("invisible(5)", {"value": None, "text": None}), ("y <- 3", {"value": None}),
    ("dir.create('d'); setwd('d'); con <- file('t', 'w'); options(digits = 3)", {}),
    ("writeLines('abc', con); close(con); c(basename(getwd()), readLines('t'), format(pi))", {"value": ["d", "abc", "3.14"]}),
    ("'stats4' %in% loadedNamespaces() && 'package:stats4' %in% search()", {"value": True}), ("options(digits = 7)", {}),
    ("NULL", {"value": None, "text": "NULL"}), ("for (i in 1:3) i", {"value": None, "text": None}),
    ("ls()", {"value": ["con", "f", "i", "x", "y"]}), ("cat('no end')", {"out": "no end", "value": None}),
    ("strrep('x', 2e6)", {"value": lambda v: "character of length 1 that stayed in the sandbox" in v["repr"] and "at most 1024 KiB" in v["repr"]}),
    ("print(1:3); message('said'); 'last'", {"out": "[1] 1 2 3\n", "err": "said\n", "value": "last"}),
    ("e <- quote(a + b); e", {"text": "a + b"}), ("setClass('P', representation(a = 'numeric')); new('P', a = 1)", {"text": has("Slot \"a\"")}),
    ("nchar('é')", {"value": 1}), ("'é€'", {"value": "é€", "text": "[1] \"é€\""}),
    ("c <- cat <- paste <- names <- length <- is.null <- function(...) stop('theirs'); 5", {"value": 5, "text": "[1] 5"}),
    ("rm(c, cat, paste, names, length, is.null)", {}),
    ("print.own <- function(x, ...) cat('own print\\n'); o <- structure(1, class = 'own'); o", {"text": "own print"}),
    ("o; 2", {"out": "own print\n", "value": 2}),
    ("g <- function() {\n  # a comment\n  1\n}\ng", {"text": has("# a comment")}),
)
ERRORS = (
    ("f <- function(a) {\n  stop('deep ', a)\n}", {}),
    ("g <- function() f(2)\n\ng()", {"error": "simpleError", "message": "deep 2", "place": (1, 2), "err": has("Error in f(2) : deep 2"),
                                    "trace": lambda t: t.index("cell 1:2: stop") < t.index("cell 2:1: g <-")}),
    ("1\n1 +* 2", {"error": "SyntaxError", "message": "unexpected '*'", "place": (3, 2), "out": ""}),
    ("x <- 1; nowhere; x <- 2", {"message": "object 'nowhere' not found", "ok": False, "place": (4, 1)}), ("x", {"value": 1}),
    ("sapply(1:2, function(i) {\n  if (i == 2) stop('in it')\n})", {"ok": False, "place": (6, 2)}),
    ("stop(structure(class = c('mine', 'error', 'condition'), list(message = 'own', call = NULL)))", {"error": "mine", "message": "own"}),
    ("h <- function(n) h(n + 1); h(1)", {"ok": False}), ("x", {"value": 1}),
    ("tryCatch(stop('a'), error = function(e) 'caught', finally = cat('fin\\n'))", {"value": "caught", "out": "fin\n"}),
    ("warning('w1'); as.integer('x'); 1", {"value": 1, "err": lambda t: t.startswith("Warning messages:\n1: w1\n2: NAs")}),
    ("w <- function() warning('w2'); w()", {"err": "Warning message:\nIn w() : w2\n"}),
    ("suppressWarnings(as.integer('x')); withCallingHandlers(w(), warning = function(e) invokeRestart('muffleWarning'))", {"err": ""}),
    ("options(warn = 2); as.integer('x')", {"ok": False, "message": has("converted from warning")}), ("options(warn = 0)", {}),
    ("quit(status = 3); cat('no')", {"exit": 3, "ok": False, "out": ""}), ("q()", {"exit": 0, "ok": True}),
    ("tryCatch(q(status = 4), error = function(e) 1, finally = cat('fin'))", {"exit": 4, "out": "fin"}), ("x", {"value": 1}),
    ("con <- file('t', 'w'); sink(con); closeAllConnections(); cat(sink.number(), 't' %in% showConnections())", {"out": "0 FALSE"}),
    ("tryCatch(isOpen(con), error = function(e) 'closed')", {"value": "closed"}), ("readline()", {"value": ""}),
    ("tryCatch(invokeRestart('abort'), finally = cat('fin')); cat('no')", {"exit": 1, "out": "fin"}), ("x", {"value": 1}),
)
TOOLS = (
    ("add(1, 2)", {"value": 3}), ("add('é', 'x')", {"value": "éx"}), ("named(1, b = 'k')", {"value": {"b": "k"}}),
    ("fail(1)", {"error": "ValueError", "message": "no", "place": (4, 1)}),
    ("named(n = 3, na = 'add', name = 'bob', args = 1, a = 2)", {"value": {"n": 3, "na": "add", "name": "bob", "args": 1, "a": 2}}),
    ("tryCatch(fail(1), ValueError = function(e) conditionMessage(e))", {"value": "no"}),
    ("vapply(1:3, function(i) add(i, i), 0)", {"value": [2, 4, 6]}), ("add(strrep('x', 2e6), 1)", {"ok": False, "message": has("larger")}),
    ("tryCatch(final_answer(list(a = 1:2)), error = function(e) 2); cat('no')", {"is_final_answer": True, "final_answer": {"a": [1, 2]}, "out": ""}),
)
VALUES = (
    ("c(1.5, NA, NaN, -Inf)", [1.5, None, {"$type": "float", "text": "nan"}, {"$type": "float", "text": "-inf"}]),
    ("1e300", 1e300), ("0.1 + 0.2", 0.1 + 0.2), ("5L", 5), ("c(TRUE, NA)", [True, None]), ("c('a', NA)", ["a", None]),
    ("list(1, 'a', NULL, c(b = 1, c = 2))", [1, "a", None, {"b": 1, "c": 2}]), ("list(a = 1, b = list())", {"a": 1, "b": []}),
    ("as.Date('2024-02-29')", {"$type": "date", "text": "2024-02-29"}),
    ("as.POSIXct(0, origin = '1970-01-01', tz = 'UTC')", {"$type": "datetime", "text": "1970-01-01T00:00:00.000000+00:00"}),
    ("as.raw(c(104, 105))", {"$type": "bytes", "base64": "aGk="}), ("factor(c('u', 'v'))", ["u", "v"]),
    ("matrix(1:6, 2)", {"$type": "ndarray", "class": "int64", "shape": [2, 3], "items": [1, 3, 5, 2, 4, 6]}),
    ("data.frame(a = 1, b = 'x')", {"a": [1], "b": ["x"]}), ("1i", {"$type": "complex", "real": 0, "imag": 1}),
    ("as.difftime(90, units = 'mins')", {"$type": "timedelta", "days": 0, "seconds": 5400, "microseconds": 0}),
    ("function(x) x", {"$type": "other", "class": "function", "repr": "function(x) x"}), ("character()", []),
    ("list('$type' = 'int', hex = '0x1')", ["int", "0x1"]), ("'a\"\\\\\\n\\001'", "a\"\\\n\u0001"),
)
PUT = {"s": "a\"b\\\né😀/", "n": 5, "i": {"$type": "int", "hex": "0xff"}, "v": ["a", "b", None], "m": [1, 2.5],
       "o": {"k": "v", "b": [1, "x"]}, "t": {"$type": "tuple", "items": [1, 2]}, "d": {"$type": "date", "text": "2024-01-01"},
       "p": {"$type": "datetime", "text": "2024-02-29T12:00:00+01:00"}, "by": {"$type": "bytes", "base64": "aGk="},
       "a": {"$type": "ndarray", "class": "float64", "shape": [2, 3], "items": [1, 2, 3, 4, 5, 6]}, "b": True, "nu": None,
       "x": {"$type": "dict", "items": [["k", 1]]}, "f": {"$type": "float", "text": "-inf"}}


def test_values(tap):
    with R.start(env={"GIVEN": "a 'é'"}) as g:
        tap.equal(g.run("Sys.getenv('GIVEN')").value, "a 'é'", "the environment of hello")
        for text, want in VALUES:
            tap.equal(g.run(text).value, want, "value of " + text)
        tap.ok(g.set(PUT)["ok"], "set")
        cell = g.run("c(n, i, is.na(v[3]), sum(m), o$b[[1]], t[2], format(d, '%Y'), format(p, '%H', tz = 'UTC'), rawToChar(by), "
                     "a[1, 3], a[2, 1], b, is.null(nu), x$k, f)")
        tap.equal(cell.value, ["5", "255", "TRUE", "3.5", "1", "2", "2024", "11", "hi", "3", "4", "TRUE", "TRUE", "1", "-Inf"],
                  "... is there", cell)
        got = g.get("s", "v", "a", "by", "nowhere")
        tap.equal(got["values"], {key: PUT[key] for key in ("s", "v", "a", "by")}, "get")
        tap.equal(got["missing"], ["nowhere"], "... of what is not there")
        g.run("large <- strrep('x', 2e6)")
        tap.ok("larger" in g.get("large")["failed"]["large"], "get of what is too large")
        tap.equal(g.run("readline(); scan(quiet = TRUE)", stdin="line\n1 2").value, [1, 2], "readline and scan")
    with R.start(value="last") as g:
        tap.equal(g.run("z <- 5").value, 5, "last: an assignment's value")


def test_rich(tap):
    with R.start() as g:
        data = g.run("data.frame(a = 1:2, b = c('<x>', NA))").results[0]["data"]
        tap.ok("<th>a</th>" in data["text/html"] and "&lt;x&gt;" in data["text/html"] and "<NA>" in data["text/plain"], "a data frame", data)
        cell = g.run("display('x'); display(head(mtcars, 2)); invisible(1)")
        tap.equal([sorted(d["data"]) for d in cell.displays], [["text/plain"], ["application/json", "text/html", "text/plain"]], "display")
        if not g.run("capabilities('cairo') || capabilities('png')").value:
            tap.skip("plots", "R here has no device for pictures")
            return
        cell = g.run("plot(1:3); hist(c(1, 2)); 'value'")
        tap.equal(len(cell.displays), 2, "each page is a picture", cell)
        pictures = [base64.b64decode(d["data"]["image/png"])[:4] for d in cell.displays]
        tap.equal(pictures, [b"\x89PNG"] * 2, "... in PNG")
        tap.equal(len(g.run("1").displays), 0, "... shown once")
        cell = g.run("par(mfrow = c(1, 2)); plot(1); plot(2); stop('after')")
        tap.equal((len(cell.displays), cell.ok), (1, False), "two plots on a page, and an error after them")
        g.run("pdf('own.pdf'); plot(1); invisible(dev.off())")
        cell = g.run("list.files(pattern = 'pdf$')")
        tap.equal(cell.value, "own.pdf", "a device of the cell's own", cell)


def test(tap):
    if R.missing(tap):
        return
    tools = {"add": lambda args, kwargs: args[0] + args[1], "fail": lambda args, kwargs: refuse(), "named": lambda args, kwargs: kwargs}
    for table in (STATE, ERRORS, TOOLS):
        with R.start(tools=[{"name": name} for name in tools], final_answer=True) as g:
            run_table(tap, g, table, tools)
    test_values(tap)
    test_rich(tap)
    test_all(tap, R)


def refuse():
    raise ValueError("no")


if __name__ == "__main__":
    sys.exit("see run.py")
