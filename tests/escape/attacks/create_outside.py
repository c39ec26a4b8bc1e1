# SPDX-License-Identifier: Apache-2.0
# source: CWE-73: a file made where the caller has rights, through every call that makes one
# stopped-by: root
# expect: ENOENT
# then: landlock
# expect-then: EACCES EAFNOSUPPORT
# bare: yes
import os
import socket
import kit

def bind(path):
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(path)


target = kit.canary("CREATE")
open("mine", "w").close()
kit.judge(open=kit.attempt(os.open, target, os.O_CREAT | os.O_WRONLY),
          mkdir=kit.attempt(os.mkdir, target), mkfifo=kit.attempt(os.mkfifo, target),
          symlink=kit.attempt(os.symlink, "mine", target),
          rename=kit.attempt(os.rename, "mine", target),
          bind=kit.attempt(bind, target))
