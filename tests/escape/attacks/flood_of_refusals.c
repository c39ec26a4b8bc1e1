// SPDX-License-Identifier: Apache-2.0
// source: seccomp_unotify(2): each refused call is a message to init: bury it, from many threads
// stopped-by: supervisor
// alone: init's answers are the guest's own processor time, and names are bounded
// expect: answered
// denied: reboot, mount, unknown system call, other
#include "attack.h"
#include <pthread.h>

/* Reboot with numbers that mean nothing: without a filter it fails with EINVAL or EPERM. */
static void *flood(void *unused)
{
    for (int i = 0; i < 20000; i++)
        syscall(SYS_reboot, 1, 2, 3, 0);
    return unused;
}

static const long others[] = {
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_sethostname,
    SYS_chroot,
    SYS_pivot_root,
    SYS_umount2,
    SYS_bpf,
    SYS_vhangup,
    SYS_kexec_load,
    SYS_keyctl,
    SYS_add_key,
    SYS_setns,
    SYS_ptrace,
    SYS_init_module,
    SYS_kcmp,
    SYS_adjtimex,
    SYS_request_key,
    SYS_userfaultfd,
    SYS_perf_event_open,
    SYS_fanotify_init,
    SYS_open_by_handle_at,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_delete_module,
    SYS_finit_module,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_setdomainname,
    SYS_vmsplice,
    SYS_quotactl,
    SYS_fsopen,
    SYS_fsmount,
    SYS_fsconfig,
    SYS_fspick,
    SYS_open_tree,
    SYS_move_mount,
};

int main(void)
{
    pthread_t threads[4];

    syscall(SYS_mount, 0, 0, 0, 0, 0);
    syscall(100000, 0); /* no such call */
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, flood, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (int family = 3; family < 46; family++)
        syscall(SYS_socket, family, 1, 0); /* more names than are kept */
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        syscall(others[i], -1, 0, 0, 0, 0, 0);
    held("answered");
}
