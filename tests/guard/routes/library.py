# SPDX-License-Identifier: Apache-2.0
# profile: strict
# refused: patterns
# What the library runs of strings that it is given or finds, and what it reaches by name.
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


def f(x: "__import__('os').system('id')"):  # expect: import-call, dynamic-import, shell-command
    pass


typing.get_type_hints(f)
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
# ----
import tracemalloc
tracemalloc.Snapshot.load("a.bin")  # expect: exec-by-library
# ----
from lib2to3.pgen2.grammar import Grammar
Grammar().loads(b"cos")  # expect: exec-by-library
# ----
import trace
trace.CoverageResults(infile="a.bin")  # expect: exec-by-library
# ----
import trace
trace.Trace(infile="a.bin").results()  # expect: exec-by-library
# ----
import pdb
pdb.Pdb().do_p("1")  # expect: exec-by-library
# ----
import code  # expect: code-interpreter
code.InteractiveConsole().push("1")  # expect: code-interpreter, exec-by-library
# ----
import functools


@functools.singledispatch
def g(a):
    pass


@g.register
def f(a: "exec('1')"):  # expect: exec-call
    pass
# ----
import functools


class A:
    @functools.singledispatchmethod
    def g(self, a):
        pass

    @g.register
    def f(self, a: list["eval('1')"]):  # expect: eval-call
        pass
# ----
def f(a: "x"):
    pass


f.__annotations__["a"] = text  # expect: exec-by-library
f.__annotations__.update(a=text)  # expect: exec-by-library
f.__annotations__ = {"a": text}  # expect: exec-by-library
setattr(f, "__annotations__", text)  # expect: exec-by-library
# ----
import dataclasses


class A:
    __annotations__ = {"__class__,exec(t)": int}  # expect: exec-by-library


B = type("B", (), {"__annotations__": text})  # expect: dynamic-type, exec-by-library
# ----
import numpy.testing
numpy.testing.runstring("1", {})  # expect: exec-by-library
numpy.testing.measure(text)  # expect: exec-by-library
# ----
from numpy.f2py.crackfortran import myeval  # expect: process-module
# ----
import six
six.exec_(text)  # expect: exec-call
# ----
import pandas as pd
df = pd.read_csv("a.csv")  # refused: patterns
df.query(text)  # expect: exec-by-library
df.query("a > @f(1)").eval("@exec(@t)")  # expect: exec-call
# ----
import sympy
sympy.sympify(text)  # expect: exec-by-library
sympy.S("exec('1')")  # expect: exec-call
