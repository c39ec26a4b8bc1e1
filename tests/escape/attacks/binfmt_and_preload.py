# SPDX-License-Identifier: Apache-2.0
# source: binfmt_misc, LD_PRELOAD, LD_LIBRARY_PATH: code in the next program that somebody starts
# stopped-by: proc
# expect: ENOENT EROFS EACCES EPERM
# then: root
import os
import kit

rule = b":canary:M::CANARY::/bin/sh:"
tries = {"mount": kit.call("mount", b"none", b"/proc/sys/fs/binfmt_misc", b"binfmt_misc", 0, b"")}
for path in ("/proc/sys/fs/binfmt_misc/register", "/etc/ld.so.preload", "/etc/environment"):
    try:
        with open(path, "wb", buffering=0) as f:
            f.write(rule)
        tries[path] = 0
    except OSError as e:
        tries[path] = -e.errno
kit.judge(**tries)
