# SPDX-License-Identifier: Apache-2.0
import sys

try:
    1 / 0
except ZeroDivisionError:
    sys.exit("from inside an except block")
