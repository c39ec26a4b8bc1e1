# SPDX-License-Identifier: Apache-2.0
import sys

try:
    sys.exit(3)
finally:
    print("finally ran")
