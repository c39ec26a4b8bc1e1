# SPDX-License-Identifier: Apache-2.0
import sys

for s in (sys.stdin, sys.stdout, sys.stderr):
    print(s.name, s.mode, s.encoding, s.errors, s.fileno(), s.isatty())
    print(s.line_buffering, s.write_through, type(s.buffer).__name__)
print(sys.stdout is sys.__stdout__, sys.stderr is sys.__stderr__)
