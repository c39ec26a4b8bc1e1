/* SPDX-License-Identifier: Apache-2.0
 *
 * Network namespaces and uids, which the jails of a nest use one after the other; each has one user
 * at a time.
 *
 * A network costs half a millisecond, most of it to remove, so it is reused; but only while it is
 * provably untouched. The kernel keeps too much state in one: counters, how slow an address
 * answered, ports in TIME_WAIT. All of that needs a socket that is not AF_UNIX, and the filter
 * sends the creation of each to the jail's pid 1 (FILTER_TELLS_SOCKETS). Without such a filter, a
 * jail counts as having made one.
 *
 * A uid is free again when its jail's pid 1 was waited for: then all of the jail's processes are
 * gone. Only a Unix socket in a message that no process receives can be left then, until the kernel
 * collects it; so the uids take turns, and each is reused after all others.
 */
#ifndef INSIDE_SLOTS_H
#define INSIDE_SLOTS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/fd.h"
#include "jail/spec.h"

struct slot {
    int net; /* -1: not made yet */
    pid_t init;
    uid_t uid; /* the uid in the nest */
};

struct slots {
    bool networks; /* each slot has a network */
    bool wanting;  /* a network was closed and has to be made again */
    unsigned used; /* the number of slots that were ever taken; they are the first ones */
    bool uids;     /* each slot has a uid of its own; otherwise all have the next member */
    uid_t uid;
    unsigned turn;
    volatile bool *touched; /* one for each slot, shared with its jail's pid 1 */
    struct slot list[SPEC_JAILS_MAX];
};

struct inside;
void slots_init(struct slots *ret, const struct inside *in);
/* Takes a free slot, and moves us into its network, which no process is in and every earlier guest
 * left untouched: the jail is created in our network. Returns NULL with errno on failure. */
struct slot *slots_take(struct slots *s);
/* The flag that the slot's pid 1 sets: true until pid 1 knows the network to be untouched. */
volatile bool *slots_touched(const struct slots *s, const struct slot *slot);
/* Frees the slot of a pid 1 that is dead. Returns false if no slot has it. */
bool slots_give_back(struct slots *s, pid_t init);
/* Makes one network for a later jail, while no request waits. */
void slots_renew(struct slots *s);

/* inside/network.c: configures a new network namespace of ours. Call it before the new root is
 * made, whose /proc is read-only. */
void network_prepare(void);
/* Makes the sockets by which the guest reaches names, in our network; needs its capabilities.
 * Returns their number; 0 with errno. _report sends them to the library, and closes them. */
size_t network_open(const struct jail_spec *spec, int ret_fds[FD_MSG_MAX]);
void network_report(int control, int *fds, size_t count);

#endif
