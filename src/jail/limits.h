/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JAIL_LIMITS_H
#define JAIL_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/* What a run may use, as a whole tree of processes. 0 means no limit. */
struct jail_limits {
    int64_t wall_ms;
    int64_t cpu_ms;
    uint64_t memory_bytes; /* includes what lies in the guest's tmpfs */
    uint64_t disk_bytes;   /* workspace, /tmp and /dev/shm together */
    uint64_t inodes;
    uint32_t pids;      /* processes and threads, ours inside the wall not counted */
    uint32_t cpu_milli; /* thousandths of a processor */
    uint32_t open_files;
    bool count_cpu; /* no limit: processor time is to be known while it runs */
};

/* Which limits a run met, as bits. */
enum jail_limit_hit {
    LIMIT_WALL = 1 << 0,
    LIMIT_CPU = 1 << 1,
    LIMIT_MEMORY = 1 << 2,
    LIMIT_PIDS = 1 << 3,
    LIMIT_DISK = 1 << 4,
    LIMIT_OUTPUT = 1 << 5,
    LIMIT_BUFFERS = 1 << 6, /* of sockets: some waited for room */
    LIMIT_LAST = LIMIT_BUFFERS,
};

#endif
