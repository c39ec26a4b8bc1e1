# SPDX-License-Identifier: Apache-2.0
def depth(n):
    try:
        return depth(n + 1)
    except Exception as e:
        return n, str(e)


print(depth(0))
