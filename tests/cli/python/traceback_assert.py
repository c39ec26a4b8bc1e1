# SPDX-License-Identifier: Apache-2.0
x = 3
assert x == 4, f"x is {x}"
