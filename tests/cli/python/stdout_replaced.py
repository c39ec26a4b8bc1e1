# SPDX-License-Identifier: Apache-2.0
import io
import sys

sys.stdout = io.StringIO()
print("nobody sees this")
sys.stderr.write("kept\n")
