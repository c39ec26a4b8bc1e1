# SPDX-License-Identifier: Apache-2.0
import sys

print(sys.getrecursionlimit())


def depth(n):
    try:
        return depth(n + 1)
    except RecursionError as e:
        return n, str(e)


print(depth(0))
sys.setrecursionlimit(200)
print(depth(0))
