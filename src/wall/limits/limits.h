/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIMITS_LIMITS_H
#define LIMITS_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/* The limits of a run (limits.def). 0: no limit. */
struct jail_limits {
#define JAIL_LIMIT(id, type, member, name) type member;
#include "limits/limits.def"
    bool count_cpu; /* not a limit: processor time is measured while the run lasts */
};

enum jail_limit {
#define JAIL_LIMIT(id, ...) JAIL_LIMIT_##id,
#include "limits/limits.def"
    JAIL_LIMITS
};

/* The limits that a run has reached, as bits. */
enum jail_limit_hit {
    LIMIT_WALL = 1 << 0,
    LIMIT_CPU = 1 << 1,
    LIMIT_MEMORY = 1 << 2,
    LIMIT_PIDS = 1 << 3,
    LIMIT_DISK = 1 << 4,
    LIMIT_OUTPUT = 1 << 5,
    LIMIT_BUFFERS = 1 << 6,     /* of sockets: some had to wait for space */
    LIMIT_CONNECTIONS = 1 << 7, /* TCP connections for which no process has a descriptor */
    LIMIT_GUESTS = 1 << 8,      /* the memory of all guests together (backends/guests_memory.h) */
    LIMIT_LAST = LIMIT_GUESTS,
};

#endif
