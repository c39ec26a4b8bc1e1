# SPDX-License-Identifier: Apache-2.0
import sys

for i in range(200):
    print("o" * 1000)
    print("e" * 1000, file=sys.stderr)
