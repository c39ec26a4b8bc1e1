# SPDX-License-Identifier: Apache-2.0
import ast

tree = ast.parse("a = 1\nb = a + 1")
exec(compile(tree, "made", "exec"))
print(a, b)
print(compile("x", "made", "eval").co_flags)
