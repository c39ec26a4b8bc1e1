# SPDX-License-Identifier: Apache-2.0
import ctypes

libc = ctypes.CDLL(None)
print(libc.abs(-3), ctypes.sizeof(ctypes.c_long))
print(ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda x: x + 1)(4))
