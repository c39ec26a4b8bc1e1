# SPDX-License-Identifier: Apache-2.0
# profile: strict
# refused: patterns
# What the library runs of texts that it is given or finds, and what it reaches by name.
# ----
import doctest
t = doctest.DocTestParser().get_doctest(">>> 1", {}, "a", "b", 0)
doctest.DocTestRunner().run(t)  # expect: exec-by-library
# ----
import doctest


def f():
    """
    >>> __import__("os").system("id")
    """


doctest.testmod()  # expect: import-call, shell-command
# ----
import doctest


def f():
    """
    >>> 1 +
    >>> __import__("os").system("id")
    """


doctest.testmod()  # expect: exec-by-library
# ----
import doctest


def f():
    """
    >>> import os
    >>> os.system("id")
    """


doctest.run_docstring_examples(f, {})  # expect: shell-command
# ----
import doctest


def f():
    pass


f.__doc__ = ">>" + "> 1"
doctest.testmod()  # expect: exec-by-library
# ----
import doctest
import other
doctest.testmod(other)  # expect: exec-by-library
# ----
import doctest
doctest.testfile("a.txt")  # expect: exec-by-library
# ----
import pydoc
pydoc.safeimport("os").system("id")  # expect: import-machinery
# ----
import pydoc
pydoc.pipepager("text", "id")  # expect: shell-command
# ----
import logging.config
logging.config.dictConfig({"version": 1, "filters": {"a": {"()": "os.system"}}})  # expect: exec-by-library
# ----
import unittest
unittest.TestLoader().loadTestsFromName("os.system")  # expect: run-module
# ----
import sqlite3
sqlite3.connect(":memory:").enable_load_extension(True)  # expect: native-code
# ----
import tkinter
tkinter.Tcl().eval("exec id")  # expect: code-interpreter
# ----
import typing


def f(x: "__import__('os').system('id')"):
    pass


typing.get_type_hints(f)  # expect: exec-by-library
# ----
import rlcompleter
rlcompleter.Completer().complete("os.x", 0)  # expect: exec-by-library
# ----
import site
site.addsitedir("/tmp")  # expect: exec-by-library
# ----
import importlib.metadata
importlib.metadata.EntryPoint("a", "os:system", "b").load()  # expect: import-machinery
# ----
import importlib.util
importlib.util.find_spec("os").loader.load_module("os")  # expect: import-machinery
# ----
import asyncio
asyncio.new_event_loop().subprocess_shell(print, "id")  # expect: shell-command
# ----
import trace
trace.Trace().runctx("1", {}, {})  # expect: exec-by-library
# ----
import warnings
warnings._getcategory("os.system")  # expect: import-machinery
# ----
import inspect
import os
inspect.getattr_static(os, "system")("id")  # expect: shell-command
