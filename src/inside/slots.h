/* SPDX-License-Identifier: Apache-2.0
 *
 * What the jails of a nest have one after the other, each for one at a time: network namespaces,
 * and uids.
 *
 * A network costs half a millisecond, most of it to take down, so it is used again; but only while
 * it is provably untouched. The kernel remembers too much in one: counters, how slow an address
 * answered, ports in TIME_WAIT. All of that needs a socket that is not AF_UNIX, and the pid 1 of
 * each jail is asked for those (FILTER_TELLS_SOCKETS). A jail that cannot be asked is taken to have
 * made some.
 *
 * A uid is free again when its jail's pid 1 was waited for, and with it all of that. Only a Unix
 * socket in a message that no process receives can be left then, until the kernel looks for those;
 * so the uids take turns, and each comes back after those of all others.
 */
#ifndef INSIDE_SLOTS_H
#define INSIDE_SLOTS_H

#include <stdbool.h>
#include <sys/types.h>

#include "jail/spec.h"

struct slot {
    int net; /* -1: has to be made */
    pid_t init;
    uid_t uid; /* in the nest */
};

struct slots {
    bool networks; /* each has one */
    bool wanting;  /* a network that was there before has to be made again */
    unsigned used; /* so many were taken at once */
    bool uids;     /* each has one; else they all have this: */
    uid_t uid;
    unsigned turn;
    volatile bool *touched; /* shared with the pid 1 of each */
    struct slot list[SPEC_JAILS_MAX];
};

struct inside;
void slots_init(struct slots *ret, const struct inside *in);
/* Moves us into a network that no process is in, and that every earlier guest left untouched: the
 * jail is born where we are. NULL with errno. */
struct slot *slots_take(struct slots *s);
/* For its pid 1: true until that knows better. */
volatile bool *slots_touched(const struct slots *s, const struct slot *slot);
/* That pid 1 is dead. Whether it was one's. */
bool slots_give_back(struct slots *s, pid_t init);
/* Makes one network for a later jail, while no request waits. */
void slots_renew(struct slots *s);

#endif
