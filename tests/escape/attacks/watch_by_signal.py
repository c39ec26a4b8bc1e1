# SPDX-License-Identifier: Apache-2.0
# source: fcntl(2), F_NOTIFY: what inotify tells, by a signal; and a lease makes whoever opens the file wait, a hint
#     is a note on a file for others to read
# stopped-by: seccomp
# expect: EINVAL ENOENT EROFS
# then: root
# expect-then: ENOENT EINVAL EACCES
# denied: fcntl(F_NOTIFY), fcntl(F_SETLEASE)
import fcntl
import os
import struct
import kit

F_SETDELEG, F_SET_RW_HINT, DN_ACCESS = 1040, 1036, 1
if "seccomp" in os.environ["CANARY_WITHOUT"]:  # of what all see anything may be watched then
    kit.judge(secret=kit.attempt(os.open, os.path.dirname(kit.canary("SECRET")), os.O_RDONLY))
folder = os.open("/usr/bin", os.O_RDONLY)
mine = os.open("mine", os.O_RDONLY | os.O_CREAT, 0o600)
kit.judge(dnotify=kit.attempt(fcntl.fcntl, folder, fcntl.F_NOTIFY, DN_ACCESS),
          high=kit.attempt(fcntl.fcntl, folder, fcntl.F_NOTIFY, fcntl.DN_MULTISHOT | DN_ACCESS),
          lease=kit.attempt(fcntl.fcntl, mine, fcntl.F_SETLEASE, fcntl.F_WRLCK),
          delegation=kit.attempt(fcntl.fcntl, folder, F_SETDELEG, struct.pack("IHH", 0, 0, 0)),
          hint=kit.attempt(fcntl.fcntl, mine, F_SET_RW_HINT, struct.pack("Q", 2)))
