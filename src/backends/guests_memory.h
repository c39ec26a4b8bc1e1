/* SPDX-License-Identifier: Apache-2.0
 *
 * One ceiling for the memory of all local guests of this process together, for a program that runs
 * them for several owners. Where control groups hold memory, the kernel enforces it (cgroup_ceiling
 * in jail/cgroup.h). Elsewhere each guest that is watched reports what it has, and when the sum is
 * above the ceiling, the largest guest of the owner that has most is killed at once, also if
 * no thread steps it.
 */
#ifndef BACKENDS_GUESTS_MEMORY_H
#define BACKENDS_GUESTS_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* From now on; 0: as much as there is, which is also the beginning. Safe in threads. */
void guests_memory_limit(uint64_t bytes);
/* Half of the machine's memory, or of the limit of the group that this process is in, if that is
 * less; in whole MiB. */
uint64_t guests_memory_usual(void);

/* A guest that is counted; a part of it. */
struct counted_guest {
    struct counted_guest *next;
    uint64_t owner;
    int init_pidfd; /* lent; -1: the guest's own thread kills it */
    uint64_t bytes;
    bool counted;
    atomic_bool killed;
};

/* Whether guests have to be counted: there is a ceiling, and no group holds it. */
bool guests_memory_is_counted(void);
/* What the guest has now. May kill any guest. What is lent has to be there until
 * guests_memory_leave, which has no effect for a guest that was never counted. */
void guests_memory_count(struct counted_guest *guest, uint64_t bytes);
void guests_memory_leave(struct counted_guest *guest);

#endif
