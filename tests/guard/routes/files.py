# SPDX-License-Identifier: Apache-2.0
# profile: standard
# Files, paths, and texts for a shell.
# ----
import os
os.remove("x")  # expect: file-remove
os.unlink("x")  # expect: file-remove
os.rmdir("x")  # expect: file-remove
# ----
from os import remove as r  # expect: file-remove
r("x")  # expect: file-remove
# ----
import shutil
shutil.rmtree("x")  # expect: tree-remove
# ----
from shutil import rmtree as gone  # expect: tree-remove
gone("/")  # expect: tree-remove
# ----
from pathlib import Path
Path("x").unlink()  # expect: file-remove
# ----
import os
os.chmod("x", 0o777)  # expect: file-rights
# ----
import os
os.symlink("a", "b")  # expect: file-rights
# ----
open("/etc/passwd")  # expect: sensitive-path
# ----
open("/etc/shadow").read()  # expect: sensitive-path
# ----
open("/proc/self/environ").read()  # expect: sensitive-path
# ----
import os
open(os.path.expanduser("~/.ssh/id_rsa"))  # expect: sensitive-path
# ----
from pathlib import Path
Path("/root/.aws/credentials").read_text()  # expect: sensitive-path
# ----
open("../../../etc/hosts")  # expect: path-traversal
# ----
open("..\\..\\..\\windows")  # expect: path-traversal
# ----
command = "rm -rf /"  # expect: shell-text
# ----
command = "rm -rf ~"  # expect: shell-text
# ----
command = "dd if=/dev/zero of=/dev/sda"  # expect: shell-text
# ----
command = "mkfs.ext4 /dev/sda"  # expect: shell-text
# ----
command = "del /f /s /q c:"  # expect: shell-text
# ----
command = "RMDIR /S /Q c:"  # expect: shell-text
# ----
command = "rm -" + "rf /"  # expect: shell-text
# ----
command = f"rm -rf /{1}"  # expect: shell-text
# ----
command = ":(){ :|:& };:"  # expect: shell-text
# ----
open("x")  # expect: file-open
# ----
open("x", "w")  # expect: file-write
# ----
from pathlib import Path
Path("x").write_text("y")  # expect: file-write
# ----
import io
io.open("x")  # expect: file-open
# ----
import builtins
builtins.open("x")  # expect: file-open
# ----
input("? ")  # expect: input-call
