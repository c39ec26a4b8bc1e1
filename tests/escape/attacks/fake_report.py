# SPDX-License-Identifier: Apache-2.0
# source: judges' lore: write the supervisor's own message ("exited, all well") to it, on any
#     descriptor
# stopped-by: descriptors
# expect: EACCES EPERM ENOENT none
# alone: the guest has no descriptor to init, and init's own cannot be opened (it is not dumpable)
import glob
import os
import socket
import struct
import kit

message = struct.pack("<IIQQQI", 7, 0, 1, 1, 1, 0)  # looks like the end of the run
for path in glob.glob("/proc/[0-9]*/fd/*"):
    try:
        if os.readlink(path).startswith("socket:"):
            kit.escaped("a socket", path)
    except OSError:
        pass
for number in range(3, 256):
    try:
        with socket.socket(fileno=os.dup(number)) as s:
            s.send(message)
            kit.escaped("sent to descriptor", number)
    except OSError:
        pass
kit.judge(**{path: kit.attempt(os.listdir, path) for path in ("/proc/1/fd", "/proc/1/fdinfo")})
