# SPDX-License-Identifier: Apache-2.0
# stdin: "\u00ff\u0000x"
import sys

print(sys.stdin.buffer.read())
