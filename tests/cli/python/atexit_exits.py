# SPDX-License-Identifier: Apache-2.0
import atexit
import sys

atexit.register(sys.exit, 5)
print("end")
