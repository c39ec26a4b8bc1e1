# SPDX-License-Identifier: Apache-2.0
x = 1
if x is 1:
    print("is")
print("\d")
assert (x, "always true")
