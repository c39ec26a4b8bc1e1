// SPDX-License-Identifier: Apache-2.0
// source: iopl(2), ioperm(2): the machine's ports from user space
// stopped-by: seccomp
// then: capabilities
// expect: EPERM
// expect-then: EPERM ENOSYS
// denied: iopl, ioperm
// needs: x86_64
#include "attack.h"
#include <sys/io.h>

int main(void)
{
    if (ioperm(0x80, 1, 1) == 0) /* the port that BIOS messages go to; it is not written */
        escaped("a port");
    judge(iopl(3), "every port");
}
