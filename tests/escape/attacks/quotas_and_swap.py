# SPDX-License-Identifier: Apache-2.0
# source: quotactl, swapon, acct: the administrator's calls, CVE-2023-4244's kind behind them
# stopped-by: seccomp
# expect: EPERM
# then: capabilities
# expect-then: EPERM ENOENT ESRCH ENOSYS ENOTBLK EINVAL ENODEV EBUSY EACCES
# denied: swapon, swapoff, acct, quotactl, vhangup
import kit

kit.judge(swapon=kit.call("swapon", b"/no-such-file", 0), swapoff=kit.call("swapoff", b"/no-such-file"),
          acct=kit.call("acct", b"/no-such-file"), vhangup=kit.call("vhangup"),
          quota=kit.call("quotactl", 0x80000200, b"/dev/null", 0, None))
