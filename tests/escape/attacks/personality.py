# SPDX-License-Identifier: Apache-2.0
# source: CVE-2017-1000370's kind: fixed addresses and executable data for the next program
# stopped-by: seccomp
# expect: EPERM
# alone: harms only the guest's own programs
# denied: personality
# bare: yes
import kit

ADDR_NO_RANDOMIZE, READ_IMPLIES_EXEC, PER_LINUX32 = 0x0040000, 0x0400000, 0x0008
kit.judge(fixed=kit.call("personality", ADDR_NO_RANDOMIZE),
          executable=kit.call("personality", READ_IMPLIES_EXEC),
          linux32=kit.call("personality", PER_LINUX32),
          garbage=kit.call("personality", (1 << 32) | ADDR_NO_RANDOMIZE))
