/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JAIL_LIMITS_H
#define JAIL_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/* What a run may use (limits.def). 0 means no limit. */
struct jail_limits {
#define JAIL_LIMIT(id, type, member, name) type member;
#include "jail/limits.def"
    bool count_cpu; /* no limit: processor time is to be known while it runs */
};

enum jail_limit {
#define JAIL_LIMIT(id, ...) JAIL_LIMIT_##id,
#include "jail/limits.def"
    JAIL_LIMITS
};

/* Which limits a run met, as bits. */
enum jail_limit_hit {
    LIMIT_WALL = 1 << 0,
    LIMIT_CPU = 1 << 1,
    LIMIT_MEMORY = 1 << 2,
    LIMIT_PIDS = 1 << 3,
    LIMIT_DISK = 1 << 4,
    LIMIT_OUTPUT = 1 << 5,
    LIMIT_BUFFERS = 1 << 6,     /* of sockets: some waited for room */
    LIMIT_CONNECTIONS = 1 << 7, /* of TCP that no process holds */
    LIMIT_GUESTS = 1 << 8,      /* the memory of all guests together (backends/guests_memory.h) */
    LIMIT_LAST = LIMIT_GUESTS,
};

#endif
