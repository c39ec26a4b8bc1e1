# SPDX-License-Identifier: Apache-2.0
print(sorted(globals()))
print(list(globals()))
print(__doc__, __package__, __spec__, __cached__)
print(type(__loader__).__name__, __loader__.name, __loader__.path)
print(type(__builtins__).__name__, __annotations__)
