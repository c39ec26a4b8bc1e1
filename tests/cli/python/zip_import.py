# SPDX-License-Identifier: Apache-2.0
import sys
import zipfile

with zipfile.ZipFile("lib.zip", "w") as z:
    z.writestr("zipped.py", "print('from a zip', __name__)")
sys.path.insert(0, "lib.zip")
import zipped

print(zipped.__file__)
