# SPDX-License-Identifier: Apache-2.0
# source: lookup_dcookie, kcmp, fanotify: old calls of profilers and checkpointers
# stopped-by: seccomp
# expect: EPERM ENOSYS
# then: capabilities
# expect-then: EPERM ENOSYS EINVAL ESRCH
# denied: kcmp, fanotify_init
import ctypes
import os
import kit

kit.judge(dcookie=kit.call("lookup_dcookie", 1, ctypes.create_string_buffer(256), 256),
          kcmp=kit.call("kcmp", os.getpid(), 1, 0, 0, 0),
          fanotify=kit.call("fanotify_init", 0, 0))
