# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys

code = "f = open('left.txt', 'w'); f.write('x' * 10)"
subprocess.run([sys.executable, "-c", code], check=True)
print(os.path.getsize("left.txt"))
