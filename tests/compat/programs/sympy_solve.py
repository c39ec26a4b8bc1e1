# SPDX-License-Identifier: Apache-2.0
import sympy as sp
x = sp.symbols("x")
print(sp.solve(x ** 2 - 5 * x + 6, x), sp.integrate(sp.sin(x) * sp.exp(x), x))
print(sp.simplify((x ** 2 - 1) / (x - 1)), sp.latex(sp.Rational(1, 3)))
