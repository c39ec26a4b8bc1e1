# SPDX-License-Identifier: Apache-2.0
import subprocess
import sys

r = subprocess.run([sys.executable, "-c", "import sys; print(sys.argv, input())", "x"],
                   input="y\n", capture_output=True, text=True)
print(r.returncode, r.stdout, r.stderr)
r = subprocess.run([sys.executable, __file__ + ".missing"], capture_output=True, text=True)
print(r.returncode, "can't open file" in r.stderr)
print(subprocess.check_output("echo shell; exit 0", shell=True))
r = subprocess.run(["sh", "-c", "kill -9 $$"])
print(r.returncode)
