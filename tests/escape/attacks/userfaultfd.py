# SPDX-License-Identifier: Apache-2.0
# source: CVE-2022-2590 and most kernel exploits since 2016: holds the kernel still inside a copy
# stopped-by: seccomp
# expect: EPERM
# alone: a tool for exploits, nothing by itself; vm.unprivileged_userfaultfd is the host's choice
# denied: userfaultfd
# bare: yes
import kit

UFFD_USER_MODE_ONLY = 1
kit.judge(plain=kit.call("userfaultfd", 0), user=kit.call("userfaultfd", UFFD_USER_MODE_ONLY))
