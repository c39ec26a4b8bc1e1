# SPDX-License-Identifier: Apache-2.0
import subprocess
print(subprocess.run(["echo", "hello"], capture_output=True, text=True).stdout)
print(subprocess.check_output("printf 'a\\nb\\n' | sort -r", shell=True, text=True))
try:
    subprocess.run(["false"], check=True)
except subprocess.CalledProcessError as e:
    print("status", e.returncode)
