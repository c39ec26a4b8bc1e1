# SPDX-License-Identifier: Apache-2.0
# source: syslog(2): the kernel's messages, with addresses in them and other programs' faults
# stopped-by: seccomp
# expect: EPERM
# then: capabilities
# denied: syslog
import ctypes
import kit

READ_ALL, SIZE = 3, 10
kit.judge(read=kit.call("syslog", READ_ALL, ctypes.create_string_buffer(4096), 4096),
          clear=kit.call("syslog", 5, None, 0))
