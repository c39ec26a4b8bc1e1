# SPDX-License-Identifier: Apache-2.0
import sys

print(sys.flags)
print(sys.orig_argv[1:], sys.warnoptions, sys._xoptions)
