# SPDX-License-Identifier: Apache-2.0
import types

print(type(__builtins__), isinstance(__builtins__, types.ModuleType))
print(__builtins__.__name__, "__import__" in dir(__builtins__))
exec("print(__name__)")
print(eval("__file__"))
exec("print(__name__)", {"__name__": "other"})
