/* SPDX-License-Identifier: Apache-2.0
 *
 * The abilities of a backend. Other code asks for abilities, and never compares a backend's name.
 * There are two questions. A run asks for the needs of an ability: a request that the backend
 * cannot fulfil on any host is refused before anything starts, and if a layer is missing on this
 * host, the start fails. `doctor` and GET /v1/backends ask for the abilities on this host now, for
 * which a backend may inspect the host. Two abilities are never refused: without CAN_STREAM the
 * output comes at the end, without CAN_WARM each start is cold.
 */
#ifndef BACKENDS_CAPS_H
#define BACKENDS_CAPS_H

#include "limits/layers.h"

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
    CAN_NAMED_NET, /* a network of hosts that are named (network/rules.h) */
    CAN_PACKAGES,  /* installed for a run */
    CAN_PAUSE,     /* pauses sessions that are not used */
    CAN_COMMIT,    /* makes an image of a session */
#define JAIL_LIMIT(id, ...) CAN_LIMIT_##id,
#include "limits/limits.def"
    BACKEND_ABILITIES
};

/* The needs of an ability, known without inspecting the host. The strings live as long as the
 * process, here and below. */
struct backend_need {
    const char *why_not; /* why it never exists, worded as in backend_can; NULL if it can exist */
    layer_mask layers;   /* it is missing if one of these is */
};

/* One ability on this host, now. */
struct backend_can {
    const char *why_not; /* NULL: it exists. The string continues "backend NAME ...", except for
                            CAN_FORKS, where it is a complete sentence */
    const char *how;     /* if it exists in several ways: the one used here; or NULL */
    layer_mask lacking;  /* the missing layers that cause why_not, or another `how` */
};

/* "sessions", "close-net", "limit-inodes", ... */
extern const char *const backend_ability_names[BACKEND_ABILITIES];

#endif
