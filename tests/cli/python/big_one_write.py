# SPDX-License-Identifier: Apache-2.0
import sys

sys.stdout.write("x" * 900000 + "\n")
