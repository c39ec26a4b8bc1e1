# SPDX-License-Identifier: Apache-2.0
import ctypes
import faulthandler

faulthandler.enable(all_threads=False)
print("before", flush=True)
ctypes.string_at(0)
