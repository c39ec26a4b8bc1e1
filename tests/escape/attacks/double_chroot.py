# SPDX-License-Identifier: Apache-2.0
# source: chroot(2): "a superuser can escape from a chroot jail" by a second chroot and enough ".."
# stopped-by: seccomp
# expect: EPERM
# then: capabilities
# denied: chroot
import os
import kit

up = os.open("/", os.O_RDONLY)
os.makedirs("below", exist_ok=True)
result = kit.call("chroot", b"below")
if result >= 0:
    os.fchdir(up)
    for _ in range(64):
        os.chdir("..")
    kit.call("chroot", b".")
    kit.escaped("a root of", os.listdir("/"))
kit.held(kit.name_of(-result))
