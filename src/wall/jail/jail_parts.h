/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by jail.c and jail_warm.c. No other file includes it.
 */
#ifndef JAIL_JAIL_PARTS_H
#define JAIL_JAIL_PARTS_H

#include <sys/types.h>

#include "base/fd.h"
#include "jail/jail.h"

struct jail {
    pid_t helper; /* 0 for a jail made by a nest */
    bool reaped;
    uint32_t uids; /* of a nest: the uids for its jails, see uids_give_back */
    int control;
    int init_pidfd;
    int guest_pidfd; /* of a guest that a zygote or a guest has forked: its parent is outside */
    int pid_space;   /* if the guest can be forked: its pid namespace, otherwise -1 */
    int user_space;  /* and its user namespace, otherwise -1 */
    int box;
    int network[FD_MSG_MAX]; /* sockets for names, until they are taken */
    size_t network_n;
    struct jail_state state;
};

/* Takes the control socket over. `helper` is 0 for a jail made by a nest. */
struct jail *jail_new(pid_t helper, int control);

#endif
