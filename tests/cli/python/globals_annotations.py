# SPDX-License-Identifier: Apache-2.0
"""A documented program."""
x: int = 1
y: "str"
print(__annotations__)
print(__doc__)
print(sorted(vars()) == sorted(globals()) == dir())
