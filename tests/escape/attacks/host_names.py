# SPDX-License-Identifier: Apache-2.0
# source: sethostname(2): confuses who logs by it
# stopped-by: seccomp
# expect: EPERM
# then: capabilities
# denied: sethostname
import kit

kit.judge(name=kit.call("sethostname", b"guest", 5))
