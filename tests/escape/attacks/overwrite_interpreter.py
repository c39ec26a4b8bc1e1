# SPDX-License-Identifier: Apache-2.0
# source: CVE-2019-5736's other half: poison the interpreter or library that the host runs next
# stopped-by: root
# expect: EROFS EACCES ENOENT
# then: landlock
# expect-then: EACCES ENOENT
import os
import sys
import kit

targets = [os.path.realpath(sys.executable), "/usr/bin/env", "/bin/sh", os.__file__,
           "/lib/x86_64-linux-gnu/libc.so.6", "/etc/ld.so.cache", "/etc/passwd"]
tries = {"write " + t: kit.attempt(os.open, t, os.O_WRONLY) for t in targets}
for folder in ("/", "/usr/bin", "/usr/lib", "/etc", os.path.dirname(os.__file__), "/bin"):
    tries["make in " + folder] = kit.attempt(os.open, folder + "/glovebox-canary",
                                             os.O_CREAT | os.O_WRONLY)
kit.judge(**tries)
