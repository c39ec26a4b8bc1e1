# SPDX-License-Identifier: Apache-2.0
# source: pivot_root(2): back onto the root that the jail pivoted away from
# stopped-by: seccomp
# expect: EPERM
# then: capabilities
# denied: pivot_root
import os
import kit

os.makedirs("/tmp/old", exist_ok=True)
kit.judge(here=kit.call("pivot_root", b".", b"."), tmp=kit.call("pivot_root", b"/tmp", b"/tmp/old"))
