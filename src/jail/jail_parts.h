/* SPDX-License-Identifier: Apache-2.0
 *
 * What jail.c and jail_warm.c share. No other file includes it.
 */
#ifndef JAIL_JAIL_PARTS_H
#define JAIL_JAIL_PARTS_H

#include <sys/types.h>

#include "jail/jail.h"

struct jail {
    pid_t helper; /* 0 for one that a nest made */
    bool reaped;
    uint32_t uids; /* a nest's, for its jails; uids_give_back */
    int control;
    int init_pidfd;
    int pid_space;  /* where guests can be forked: its pid namespace, or -1 */
    int user_space; /* and its user namespace, or -1 */
    int box;
    struct jail_state state;
};

/* Takes the control socket. `helper` is 0 for one that a nest made. */
struct jail *jail_new(pid_t helper, int control);

#endif
