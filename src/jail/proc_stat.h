/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JAIL_PROC_STAT_H
#define JAIL_PROC_STAT_H

#include <stdint.h>
#include <sys/types.h>

/* /proc/PID/stat, as far as we need it (proc(5)). Times are in clock ticks. */
struct proc_stat {
    char state;
    int64_t parent, session, threads;
    int64_t waited_faults; /* of its children's: not 0 when it had some and has waited for them */
    int64_t user, system;  /* its own processor time */
    int64_t waited_user, waited_system; /* that of the children it has waited for, and of theirs */
    int64_t start;                      /* after boot */
};

/* 0, or -1 with errno: ENOENT or ESRCH when there is no such process, EPROTO when it makes no
 * sense. */
int proc_stat_read(pid_t pid, struct proc_stat *ret);

#endif
