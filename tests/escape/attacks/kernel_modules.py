# SPDX-License-Identifier: Apache-2.0
# source: CAP_SYS_MODULE, kexec: a kernel of one's own, in part or in whole
# stopped-by: seccomp
# expect: EPERM
# then: capabilities
# expect-then: EPERM ENOSYS
# denied: init_module, finit_module, delete_module, kexec_load, kexec_file_load
import os
import kit

image = os.open("/dev/null", os.O_RDONLY)
kit.judge(init=kit.call("init_module", b"", 0, b""), finit=kit.call("finit_module", image, b"", 0),
          delete=kit.call("delete_module", b"glovebox_no_such_module", os.O_NONBLOCK),
          kexec=kit.call("kexec_load", 0, 0, None, 0),
          kexec_file=kit.call("kexec_file_load", image, image, 0, b"", 0))
