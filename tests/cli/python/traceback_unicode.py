# SPDX-License-Identifier: Apache-2.0
def größe(x):
    raise ValueError("ünï" + x)


print("日本"); größe("—")
