# SPDX-License-Identifier: Apache-2.0
# source: quotactl(2), swapon(2), acct(2), vhangup(2): the administrator's calls
# stopped-by: seccomp
# expect: EPERM
# then: capabilities
# expect-then: EPERM ENOENT ESRCH ENOSYS ENOTBLK EINVAL ENODEV EBUSY EACCES
# denied: swapon, swapoff, acct, quotactl, vhangup
import kit

kit.judge(swapon=kit.call("swapon", b"/no-such-file", 0),
          swapoff=kit.call("swapoff", b"/no-such-file"),
          acct=kit.call("acct", b"/no-such-file"), vhangup=kit.call("vhangup"),
          quota=kit.call("quotactl", 0x80000200, b"/dev/null", 0, None))
