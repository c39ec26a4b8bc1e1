/* SPDX-License-Identifier: Apache-2.0
 *
 * The abilities of a backend, here and now. Whatever differs between backends is asked here, not by
 * name: a request for something that a backend cannot do is refused with these words before
 * anything starts, and `doctor` and GET /v1/backends print them.
 */
#ifndef BACKENDS_CAPS_H
#define BACKENDS_CAPS_H

#include "jail/layers.h"

enum backend_ability {
    CAN_RUN, /* anything at all */
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

/* One ability. The texts live as long as the process. */
struct backend_can {
    const char *why_not; /* NULL: it can. The words continue "backend NAME ...", but for CAN_FORKS,
                            which has a sentence of its own */
    const char *how;    /* when it can, and there are several ways: which one holds here; or NULL */
    layer_mask lacking; /* the layers for want of which it cannot, or only in another way */
};

/* "sessions", "close-net", "limit-inodes", ... */
extern const char *const backend_ability_names[BACKEND_ABILITIES];

#endif
