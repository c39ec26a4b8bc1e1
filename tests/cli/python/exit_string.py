# SPDX-License-Identifier: Apache-2.0
import sys

print("out")
sys.exit("a message, with é")
