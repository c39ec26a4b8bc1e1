// SPDX-License-Identifier: Apache-2.0
// source: seccomp_unotify(2): a listener of the guest's own could say "go on" to every refused call
// stopped-by: seccomp
// expect: EPERM EBUSY EINVAL
// alone: the kernel allows one listener; ours is there first
#include "attack.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>

/* A filter that sends mount(2) to its listener, or lets all pass. */
int main(void)
{
    struct sock_filter notify[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mount, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {4, notify};
    const unsigned long flags[] = {SECCOMP_FILTER_FLAG_NEW_LISTENER,
                                   SECCOMP_FILTER_FLAG_NEW_LISTENER | 1UL << 40,
                                   SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_LOG,
                                   SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_TSYNC |
                                       SECCOMP_FILTER_FLAG_TSYNC_ESRCH};

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags[i], &program) >= 0)
            escaped("a listener");
    held_errno();
}
