# SPDX-License-Identifier: Apache-2.0
import io
import sys

sys.stdout = io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, "w", closefd=False)))
print("flushed at exit")
