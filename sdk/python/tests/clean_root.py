# SPDX-License-Identifier: Apache-2.0
"""A root folder with Python, a shell and nothing else: clean_root.py ROOT COMMAND... enters it and runs the command."""

import ctypes
import glob
import os
import platform
import re
import shutil
import subprocess
import sys

CLONE_NEWNS, MS_BIND, MS_REC, MS_PRIVATE, MNT_DETACH = 0x20000, 0x1000, 0x4000, 1 << 18, 2
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
PROGRAMS = ("/bin/sh", "/bin/bash", "/bin/cat", "/bin/ls")
SHOWN = ("/proc", "/sys", "/dev")


def libraries(path):
    said = subprocess.run(["ldd", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return re.findall(r"(/\S+) \(0x", said.stdout)


def put(root, path):
    target = root + path
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if not os.path.exists(target):
        shutil.copy2(os.path.realpath(path), target)


def make(root):
    """Puts the interpreter that runs this, with its modules, and what both link."""
    prefix = sys.base_prefix
    shutil.copytree(prefix, root + prefix, symlinks=True, ignore=shutil.ignore_patterns(
        "__pycache__", "site-packages", "test", "tests", "*.a", "config-*", "include", "share", "idlelib", "lib2to3"))
    os.makedirs(f"{root}{prefix}/lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages", exist_ok=True)
    modules = glob.glob(f"{prefix}/lib/python3*/lib-dynload/*.so")
    for path in (*PROGRAMS, os.path.realpath(sys.executable), *modules):
        for library in libraries(path):
            put(root, library)
    for path in PROGRAMS:
        put(root, path)
    for folder in ("/tmp", "/etc", "/root", "/run", "/old", "/usr/bin", "/usr/lib", "/var", *SHOWN):
        os.makedirs(root + folder, exist_ok=True)
    os.chmod(root + "/tmp", 0o1777)
    with open(root + "/etc/passwd", "w", encoding="ascii") as file:
        file.write("root:x:0:0:root:/root:/bin/sh\n")


def enter(root):
    libc = ctypes.CDLL(None, use_errno=True)

    def call(name, *args):
        if getattr(libc, name)(*args) != 0:
            raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")

    call("unshare", CLONE_NEWNS)
    call("mount", None, b"/", None, MS_REC | MS_PRIVATE, None)
    call("mount", os.fsencode(root), os.fsencode(root), None, MS_BIND, None)
    for folder in SHOWN:
        call("mount", folder.encode(), os.fsencode(root + folder), None, MS_BIND | MS_REC, None)
    os.chdir(root)
    call("syscall", PIVOT_ROOT[platform.machine()], b".", b"old")
    os.chdir("/")
    call("umount2", b"/old", MNT_DETACH)


if __name__ == "__main__":
    enter(sys.argv[1])
    os.execve(sys.argv[2], sys.argv[2:], {"PATH": "/usr/bin:/bin", "HOME": "/root", "LANG": "C.UTF-8"})
