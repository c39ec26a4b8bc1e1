# SPDX-License-Identifier: Apache-2.0
# stdin: "a\nb\r\nc"
import sys

for line in sys.stdin:
    print(repr(line))
print(sys.stdin.isatty(), sys.stdin.read())
