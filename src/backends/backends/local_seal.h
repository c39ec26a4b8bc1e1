/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks that no other process has changed a guest. The namespaces of a copy that is kept in
 * reserve are below its origin's (inside/fork.c), which owns the copy's user namespace: a hostile
 * origin may signal it, change its limits and priorities, or write to its disk through /proc. The
 * filter and the copy itself prevent most of that (inside/notice.c, zygote/zygote_fork.c). This
 * code detects the rest: everything of the copy that another process can change is recorded when
 * the copy sleeps, and compared when all processes that could change it are dead. The entries are
 * local_seal and local_unseal (local.h).
 */
#ifndef BACKENDS_LOCAL_SEAL_H
#define BACKENDS_LOCAL_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/sha256.h"

struct local_seal {
    size_t count;               /* number of processes */
    uint64_t cpu_ns;            /* of all processes, except the init of its pid namespace */
    uint64_t group_hits;        /* how often limits of its group were hit */
    char processes[SHA256_HEX]; /* a hash of their numbers, priorities, limits and signals */
    char files[SHA256_HEX];     /* a hash of its disk: names, attributes, times, contents */
};

/* True if two processes share their memory, their table of descriptors, or their working folder and
 * root: a hostile guest can fork itself in this way, and then each act of one changes the other.
 * False if the kernel does not report it. */
bool local_seal_shares(pid_t a, pid_t b);
/* box_sum.c: returns -1 if the box cannot be read, or is nested deeper than a copy may be. */
int box_sum(int box, char ret[SHA256_HEX]);

#endif
