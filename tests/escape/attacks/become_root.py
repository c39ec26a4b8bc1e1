# SPDX-License-Identifier: Apache-2.0
# source: setuid(2), user_namespaces(7), CVE-2018-18955: other ids, also by rewriting the maps
# stopped-by: capabilities
# expect: EPERM EINVAL EROFS EACCES ENOENT
# alone: one id is mapped; without user namespaces the guest is an ordinary user
import os
import kit

tries = {"setuid": kit.attempt(os.setuid, 0), "setgid": kit.attempt(os.setgid, 0),
         "setresuid": kit.attempt(os.setresuid, 0, 0, 0),
         "setgroups": kit.attempt(os.setgroups, [0])}
for file, text in (("uid_map", b"0 0 4294967295"), ("gid_map", b"0 0 1"), ("setgroups", b"allow")):
    for pid in ("self", "1"):
        try:
            with open("/proc/%s/%s" % (pid, file), "wb", buffering=0) as f:
                f.write(text)
            kit.escaped("wrote", file, "of", pid)
        except OSError as e:
            tries[file + pid] = -e.errno
kit.judge(**tries)
