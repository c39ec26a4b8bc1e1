# SPDX-License-Identifier: Apache-2.0
import sys

print(sys.path)
print(sys.prefix, sys.exec_prefix, sys.base_prefix)
print(sys.executable)
