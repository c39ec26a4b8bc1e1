# SPDX-License-Identifier: Apache-2.0
import os
import shutil
import tempfile
from pathlib import Path
Path("tree/deep").mkdir(parents=True)
Path("tree/deep/a.txt").write_text("hello", encoding="utf-8")
shutil.copytree("tree", "copy")
os.chmod("copy/deep/a.txt", 0o600)
os.utime("copy/deep/a.txt", (1, 2))
print(sorted(str(p) for p in Path(".").rglob("*.txt")), oct(os.stat("copy/deep/a.txt").st_mode & 0o777))
with tempfile.TemporaryDirectory() as folder:
    print(os.path.isdir(folder))
shutil.make_archive("tree", "zip", "tree")
print(os.path.exists("tree.zip"))
