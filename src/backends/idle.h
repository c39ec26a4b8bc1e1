/* SPDX-License-Identifier: Apache-2.0
 *
 * What a backend does with guests that are not used. A job's pause_ms is the time without use after
 * which a session may be paused: 0 for the usual one, or BACKEND_PAUSE_NEVER.
 */
#ifndef BACKENDS_IDLE_H
#define BACKENDS_IDLE_H

#include <stdint.h>

#include "base/err.h"

enum { BACKEND_PAUSE_NEVER = -1 };

struct backend_guest;

struct backend_idle {
    /* Stops all processes of a guest, which keep what they have. Before anything else is asked of
     * the guest, they continue with `resume`, which does nothing for one that runs. */
    int (*pause)(struct backend_guest *guest, struct err *err);
    void (*resume)(struct backend_guest *guest);
    /* A number that changes when any of its processes runs. */
    int (*activity)(struct backend_guest *guest, uint64_t *ret, struct err *err);
    /* With CAN_COMMIT: makes an image with this name, of the guest's files. */
    int (*commit)(struct backend_guest *guest, const char *image, struct err *err);
};

/* The entries. The second one does nothing for a backend without them, as the others must not be
 * called. */
int backend_pause(struct backend_guest *guest, struct err *err);
void backend_resume(struct backend_guest *guest);
int backend_activity(struct backend_guest *guest, uint64_t *ret, struct err *err);
/* ERR_UNSUPPORTED where the backend has no images to make. */
int backend_commit(struct backend_guest *guest, const char *image, struct err *err);

#endif
