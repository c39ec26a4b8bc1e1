// SPDX-License-Identifier: Apache-2.0
// source: CVE-2015-2830 and "seccomp bypass by int 0x80" of many CTFs: other numbers, same kernel
// stopped-by: seccomp
// expect: EPERM ENOSYS
// alone: what the calls do is guarded by the layers that guard it in 64 bits
// denied: i386 system call
// needs: x86_64
// bare: yes
#include "attack.h"

/* i386: 20 is getpid, 21 mount, 310 unshare. */
static long call32(long number, long a, long b)
{
    long result;

    __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(a), "c"(b) : "memory");
    return (int)result;
}

int main(void)
{
    if (call32(20, 0, 0) == getpid())
        escaped("i386 calls pass");
    long result = call32(310, 0x10000000, 0);
    if (result == 0)
        escaped("a user namespace");
    errno = (int)-result;
    held_errno();
}
