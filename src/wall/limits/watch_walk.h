/* SPDX-License-Identifier: Apache-2.0
 *
 * Used by the watch*.c files alone: finds the processes of a tree.
 */
#ifndef LIMITS_WATCH_WALK_H
#define LIMITS_WATCH_WALK_H

#include "limits/watch.h"

/* A breadth-first walk: the children of pids[looked] are added at the end. */
struct watch_walk {
    pid_t pids[WATCH_PROCESSES_MAX];
    uint16_t parents[WATCH_PROCESSES_MAX]; /* as an index; of one without a parent here, its own */
    size_t count, looked;
    bool full;
    uint64_t pid_space; /* as in struct watch_tree */
};

void walk_tree(const struct watch_tree *tree, struct watch_walk *w);
void walk_family(const struct watch_family *family, struct watch_walk *w);

#endif
