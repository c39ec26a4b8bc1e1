# SPDX-License-Identifier: Apache-2.0
# source: container lore: what a sandbox with the host's /dev gives away
# stopped-by: root
# expect: ENOENT
# then: landlock
# expect-then: EACCES ENOENT
import os
import kit

paths = ["/dev/mem", "/dev/kmem", "/dev/port", "/dev/kmsg", "/dev/vda", "/dev/sda", "/dev/kvm",
         "/dev/fuse", "/dev/net/tun", "/dev/tty0", "/dev/console", "/dev/ttyS0", "/dev/vsock",
         "/dev/uinput", "/dev/vhost-vsock", "/dev/dma_heap/system", "/dev/userfaultfd",
         "/dev/loop-control", "/dev/mapper/control"]
kit.judge(**{path: kit.attempt(os.open, path, flags) for path in paths
             for flags in (os.O_RDONLY | os.O_NONBLOCK, os.O_RDWR | os.O_NONBLOCK)})
