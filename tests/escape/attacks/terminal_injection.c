// SPDX-License-Identifier: Apache-2.0
// source: CVE-2017-5226 (bubblewrap), CVE-2019-10063 (flatpak): TIOCSTI types a command into the
//     caller's terminal, the second time with garbage in the upper half of the request
// stopped-by: seccomp
// expect: EPERM
// then: descriptors
// expect-then: ENOTTY EPERM EIO
// denied: ioctl(TIOCSTI)
// terminal: yes
#include "attack.h"
#include <sys/ioctl.h>

int main(void)
{
    const unsigned long requests[] = {TIOCSTI, TIOCSTI | 1UL << 32, TIOCSTI | 0xdeadUL << 48};

    for (int fd = 0; fd < 3; fd++)
        for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
            for (const char *c = "echo injected\n"; *c; c++)
                if (syscall(SYS_ioctl, fd, requests[i], c) >= 0)
                    escaped("typed into descriptor %d", fd);
    held_errno();
}
