// SPDX-License-Identifier: Apache-2.0
// source: CVE-2014-0038, libseccomp's x32 advice: the same calls with bit 30 set, past a deny list
// stopped-by: seccomp
// expect: ENOSYS EPERM
// alone: most kernels have no x32 at all
// denied: x32 system call
// needs: x86_64
#include "attack.h"

int main(void)
{
    const long x32 = 0x40000000;
    const long numbers[] = {SYS_getpid, SYS_unshare, SYS_ptrace, SYS_mount, 512, 547, 0};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (syscall(numbers[i] | x32, 0x10000000, 0, 0, 0, 0) >= 0)
            escaped("x32 call %ld", numbers[i]);
    held_errno();
}
