# SPDX-License-Identifier: Apache-2.0
import sys

del sys.modules["__main__"]
print("gone from sys.modules")
