/* SPDX-License-Identifier: Apache-2.0
 *
 * The abilities of a backend. Whatever differs between backends is asked here, not by name, and in
 * two ways. A run asks what an ability needs: a request for something that no host gives the
 * backend is refused before anything starts, and a layer that is missing here is the start's
 * failure. `doctor` and GET /v1/backends ask what is so here and now, for which a backend may look
 * at the host. Two abilities are never refused: without CAN_STREAM the output comes at the end,
 * without CAN_WARM each start is cold.
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
    CAN_PACKAGES, /* installed for a run */
    CAN_PAUSE,    /* sessions that are not used */
    CAN_COMMIT,   /* makes an image of a session */
#define JAIL_LIMIT(id, ...) CAN_LIMIT_##id,
#include "jail/limits.def"
    BACKEND_ABILITIES
};

/* What an ability needs, known without a look at the host. The texts live as long as the process,
 * here and below. */
struct backend_need {
    const char *why_not; /* it is never there, in the words of backend_can; else NULL */
    layer_mask layers;   /* it is missing without one of these */
};

/* One ability, here and now. */
struct backend_can {
    const char *why_not; /* NULL: it can. The words continue "backend NAME ...", but for CAN_FORKS,
                            which has a sentence of its own */
    const char *how;    /* when it can, and there are several ways: which one holds here; or NULL */
    layer_mask lacking; /* the layers for want of which it cannot, or only in another way */
};

/* "sessions", "close-net", "limit-inodes", ... */
extern const char *const backend_ability_names[BACKEND_ABILITIES];

#endif
