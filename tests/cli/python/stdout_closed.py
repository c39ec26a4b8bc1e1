# SPDX-License-Identifier: Apache-2.0
import sys

print("x")
sys.stdout.close()
