/* SPDX-License-Identifier: Apache-2.0
 *
 * What a backend does with guests that are not used. A job's pause_ms is the time without use after
 * which a session may be paused: 0 for the usual one, or BACKEND_PAUSE_NEVER.
 */
#ifndef BACKENDS_IDLE_H
#define BACKENDS_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum { BACKEND_PAUSE_NEVER = -1 };

struct backend_guest;

struct backend_observed {
    uint64_t activity; /* changes when any of its processes runs */
    bool disk_full;    /* the workspace's */
};

/* Each may be NULL. */
struct backend_idle {
    /* Stops all processes of a guest, which keep what they have. Before anything else is asked of
     * the guest, they continue with `resume`, which does nothing for one that runs. */
    int (*pause)(struct backend_guest *guest, struct err *err);
    void (*resume)(struct backend_guest *guest);
    int (*observe)(struct backend_guest *guest, struct backend_observed *ret, struct err *err);
    /* With CAN_COMMIT: makes an image with this name, of the guest's files. It may replace one of
     * the same `owner`; with NULL, one of any owner. */
    int (*commit)(struct backend_guest *guest, const char *image, const char *owner,
                  struct err *err);
};

/* The entries. A backend without the first one must not be asked to pause; the others do nothing
 * then, and nothing is observed. */
int backend_pause(struct backend_guest *guest, struct err *err);
void backend_resume(struct backend_guest *guest);
int backend_observe(struct backend_guest *guest, struct backend_observed *ret, struct err *err);
/* ERR_UNSUPPORTED where the backend has no images to make. */
int backend_commit(struct backend_guest *guest, const char *image, const char *owner,
                   struct err *err);

#endif
