/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIMITS_PROC_STAT_H
#define LIMITS_PROC_STAT_H

#include <stdint.h>
#include <sys/types.h>

/* The fields of /proc/PID/stat that we need (proc(5)). Times are in clock ticks. */
struct proc_stat {
    char state;
    int64_t parent, session, threads;
    int64_t waited_faults; /* of its children; not 0 if it had some and has waited for them */
    int64_t user, system;  /* its own processor time */
    int64_t waited_user, waited_system; /* of the children that it has waited for, with theirs */
    int64_t start;                      /* after boot */
};

/* 0, or -1 with errno: ENOENT or ESRCH if there is no such process, EPROTO if the content is
 * invalid. */
int proc_stat_read(pid_t pid, struct proc_stat *ret);

#endif
