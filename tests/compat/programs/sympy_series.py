# SPDX-License-Identifier: Apache-2.0
from sympy import series, sin, symbols, limit, diff, factor, Matrix
x = symbols("x")
print(series(sin(x), x, 0, 8), limit(sin(x) / x, x, 0), diff(x ** x, x))
print(factor(x ** 3 - x), Matrix([[1, 2], [3, 4]]).inv())
