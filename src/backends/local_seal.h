/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a guest was left alone. A copy of a guest that is kept in reserve lies below its origin
 * (inside/fork.c), which owns the copy's user namespace: a hostile origin may signal it, change its
 * limits and priorities, or write to its disk through /proc. The filter and the copy itself prevent
 * what they can (inside/notice.c, inside/zygote_fork.c). This finds the rest: everything of the
 * copy that another process can change is noted when the copy sleeps, and compared when all that
 * could change it is dead. The entries are local_seal and local_unseal (local.h).
 */
#ifndef BACKENDS_LOCAL_SEAL_H
#define BACKENDS_LOCAL_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/sha256.h"

struct local_seal {
    size_t count;               /* of processes */
    uint64_t cpu_ns;            /* of all but the init of its pid namespace */
    uint64_t group_hits;        /* limits of its group that were met */
    char processes[SHA256_HEX]; /* which there are, their priorities, limits and signals */
    char files[SHA256_HEX];     /* on its disk: names, attributes, times, contents */
};

/* Whether two processes have the same memory, table of descriptors, or folder and root: a hostile
 * guest can fork itself so, and what one does, the other one has done. False where the kernel does
 * not say. */
bool local_seal_shares(pid_t a, pid_t b);
/* box_sum.c: -1 when it cannot be read, or is nested deeper than a copy may be. */
int box_sum(int box, char ret[SHA256_HEX]);

#endif
