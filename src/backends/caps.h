/* SPDX-License-Identifier: Apache-2.0
 *
 * The abilities of a backend. Whatever differs between backends is asked here, not by name: a
 * request for something that a backend lacks is refused with these words before anything starts.
 */
#ifndef BACKENDS_CAPS_H
#define BACKENDS_CAPS_H

#include "jail/layers.h"

enum backend_ability {
    CAN_SESSIONS,
    CAN_FORKS,
    CAN_FILES,
    CAN_TOOLS,
    CAN_STREAM,
    CAN_WARM,
    CAN_CLOSE_NET,
    CAN_HOST_NET,
    CAN_LIMIT_WALL,
    CAN_LIMIT_CPU_TIME,
    CAN_LIMIT_MEMORY,
    CAN_LIMIT_PIDS,
    CAN_LIMIT_CPUS,
    CAN_LIMIT_DISK,
    CAN_LIMIT_INODES,
    CAN_LIMIT_OPEN_FILES,
    BACKEND_ABILITIES
};

struct backend_caps {
    layer_mask layers; /* that it may hold; the host may lack some of them */
    /* NULL for an ability that it has. The words continue "backend NAME ...", but for CAN_FORKS,
     * which has a sentence of its own. */
    const char *why_not[BACKEND_ABILITIES];
};

/* "sessions", "close-net", "limit-inodes", ... */
extern const char *const backend_ability_names[BACKEND_ABILITIES];

#endif
