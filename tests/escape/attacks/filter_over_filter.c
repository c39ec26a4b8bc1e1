// SPDX-License-Identifier: Apache-2.0
// source: seccomp(2): filters add up, and the strictest answer wins; "allow all" on top changes
//     nothing, from a thread (TSYNC) neither
// stopped-by: seccomp
// then: capabilities
// expect: EPERM
// denied: mount
#include "attack.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/mount.h>
#include <sys/prctl.h>

static void *allow_all(void *unused)
{
    struct sock_filter allow[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {1, allow};

    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    return unused;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, allow_all, NULL);
    pthread_join(thread, NULL);
    allow_all(NULL);
    judge(mount("none", "/tmp", "tmpfs", 0, NULL), "mounted");
}
