# SPDX-License-Identifier: Apache-2.0
import os
import tempfile

with tempfile.TemporaryDirectory() as d:
    print(os.path.isdir(d))
    open(os.path.join(d, "x"), "w").close()
with tempfile.NamedTemporaryFile("w+") as f:
    f.write("x")
    f.seek(0)
    print(f.read())
kept = tempfile.TemporaryDirectory()
print("left to the end")
