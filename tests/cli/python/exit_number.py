# SPDX-License-Identifier: Apache-2.0
import sys

print("seven")
sys.exit(7)
