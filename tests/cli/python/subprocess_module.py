# SPDX-License-Identifier: Apache-2.0
import subprocess
import sys

print(subprocess.run([sys.executable, "-m", "json.tool"], input=b"[1]", stdout=-1).stdout)
