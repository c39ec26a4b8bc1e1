# SPDX-License-Identifier: Apache-2.0
# args: ["a b", "", "-x", "--", "é"]
import sys

print(__file__)
print(sys.argv)
print(sys.path[0])
print(sys.argv[0] == __file__)
