# SPDX-License-Identifier: Apache-2.0
# source: pipe(7), CVE-2016-2847: buffers of pipes belong to the kernel, not to a process
# stopped-by: memory
# alone: without cgroups what bounds it are the numbers of descriptors and pipe-user-pages-soft
# expect: EMFILE ENFILE EPERM EAGAIN
# ends: oom_killed | exit 0
# args: --memory 64m --timeout 8s
import fcntl
import os
import kit

F_SETPIPE_SZ = 1031
total = 0
try:
    while total < 400 << 20:
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        kit.attempt(fcntl.fcntl, writer, F_SETPIPE_SZ, 1 << 20)
        try:
            while True:
                total += os.write(writer, bytes(65536))
        except BlockingIOError:
            pass
except OSError as e:
    kit.held(kit.name_of(e.errno))
kit.escaped(total >> 20, "MiB in pipes")
