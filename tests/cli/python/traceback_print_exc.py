# SPDX-License-Identifier: Apache-2.0
import traceback

try:
    [][1]
except IndexError:
    traceback.print_exc()
    print(traceback.format_exc(), end="")
