# SPDX-License-Identifier: Apache-2.0
import subprocess
import sys
p = subprocess.run([sys.executable, "-c", "import numpy; print(numpy.arange(3).sum())"], capture_output=True, text=True)
print(p.stdout, p.stderr, p.returncode)
