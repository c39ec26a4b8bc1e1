#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""forbid.py CALL... -- COMMAND...: the command under a system call filter like a container's.

Each CALL returns EPERM. 'namespaces' stands for the calls that make them; clone3 is then absent,
as a container engine has it, because a filter cannot read its flags."""

import ctypes
import errno
import os
import platform
import struct
import sys

NUMBERS = {
    "x86_64": {"clone": 56, "pivot_root": 155, "setns": 308, "unshare": 272},
    "aarch64": {"clone": 220, "pivot_root": 41, "setns": 268, "unshare": 97},
}[platform.machine()]
BOTH = {"clone3": 435, "mount_setattr": 442, "fsopen": 430, "landlock_create_ruleset": 444}
NEW_SPACES = 0x7E020000
LOAD, EQUAL, ANY, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, FAIL = 0x7FFF0000, 0x00050000
NUMBER, FIRST_ARGUMENT = 0, 16


def refuse(call):
    """Loads the number, and returns from the filter where it is this call."""
    number = NUMBERS.get(call) or BOTH[call]
    if call == "clone":
        return [(LOAD, 0, 0, NUMBER), (EQUAL, 0, 3, number), (LOAD, 0, 0, FIRST_ARGUMENT),
                (ANY, 0, 1, NEW_SPACES), (RETURN, 0, 0, FAIL | errno.EPERM)]
    answer = errno.ENOSYS if call == "clone3" else errno.EPERM
    return [(LOAD, 0, 0, NUMBER), (EQUAL, 0, 1, number), (RETURN, 0, 0, FAIL | answer)]


def install(calls):
    program = [step for call in calls for step in refuse(call)] + [(RETURN, 0, 0, ALLOW)]
    text = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in program))
    head = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(program), ctypes.addressof(text)))
    libc = ctypes.CDLL(None, use_errno=True)
    if os.geteuid() and libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, head, 0, 0):
        raise OSError(ctypes.get_errno(), "install the filter")


if __name__ == "__main__":
    middle = sys.argv.index("--")
    names = sys.argv[1:middle]
    if "namespaces" in names:
        names.remove("namespaces")
        names += ["clone", "clone3", "unshare"]
    install(names)
    os.execvp(sys.argv[middle + 1], sys.argv[middle + 1:])
