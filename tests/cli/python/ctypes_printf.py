# SPDX-License-Identifier: Apache-2.0
import ctypes

libc = ctypes.CDLL(None)
libc.printf(b"held back by the C library\n")
print("python's own")
