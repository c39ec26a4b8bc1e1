# SPDX-License-Identifier: Apache-2.0
# source: namespaces(7): each kind by itself, also the time namespace that older filters do not know
# stopped-by: seccomp
# expect: EPERM
# then: capabilities
# denied: unshare(CLONE_NEWNS), unshare(CLONE_NEWTIME), unshare(CLONE_NEWCGROUP)
import kit

KINDS = {"NEWNS": 0x20000, "NEWCGROUP": 0x2000000, "NEWUTS": 0x4000000, "NEWIPC": 0x8000000,
         "NEWPID": 0x20000000, "NEWNET": 0x40000000, "NEWTIME": 0x80}
kit.judge(**{kind: kit.call("unshare", flag) for kind, flag in KINDS.items()})
