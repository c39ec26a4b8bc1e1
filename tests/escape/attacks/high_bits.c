// SPDX-License-Identifier: Apache-2.0
// source: CVE-2019-10063's kind: garbage in the upper half of a number or argument that the kernel
//     does not look at, but a filter does
// stopped-by: seccomp
// expect: EPERM EAFNOSUPPORT
// alone: a way around one layer, not a new power
// denied: unshare(CLONE_NEWUSER), socket(AF_PACKET), socket(AF_ALG), personality
// bare: yes
#include "attack.h"
#include <sched.h>
#include <sys/socket.h>

int main(void)
{
    const unsigned long high = 0xdeadbeefUL << 32;

    if (syscall(SYS_socket, AF_ALG | high, SOCK_SEQPACKET | high, high) >= 0)
        escaped("a socket of AF_ALG");
    if (syscall(SYS_socket, AF_PACKET | high, SOCK_RAW | high, high) >= 0)
        escaped("a socket of AF_PACKET");
    if (syscall(SYS_personality, 0x0040000 | high) >= 0)
        escaped("fixed addresses");
    if (syscall(SYS_mknod, "node", 020666 | high, 0x103) >= 0)
        escaped("a device");
    if (syscall(SYS_clone, CLONE_NEWUSER | 17 | high, 0, 0, 0, 0) == 0)
        escaped("a user namespace by clone");
    judge(syscall(SYS_unshare, CLONE_NEWUSER | high), "a user namespace");
}
