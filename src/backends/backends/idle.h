/* SPDX-License-Identifier: Apache-2.0
 *
 * A backend's functions for guests that are not used. A job's pause_ms is the time without use
 * after which a session may be paused: 0 for the usual one, or BACKEND_PAUSE_NEVER.
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
    bool disk_full;    /* the workspace's disk */
};

/* Each may be NULL. */
struct backend_idle {
    /* Stops all processes of a guest, which keep their memory. `resume` must be called before any
     * other use of the guest; it does nothing if the guest runs. */
    int (*pause)(struct backend_guest *guest, struct err *err);
    void (*resume)(struct backend_guest *guest);
    int (*observe)(struct backend_guest *guest, struct backend_observed *ret, struct err *err);
    /* With CAN_COMMIT: makes an image of this name from the guest's files. It may replace an image
     * of the same `owner`; if that is NULL, one of any owner. */
    int (*commit)(struct backend_guest *guest, const char *image, const char *owner,
                  struct err *err);
};

/* Call the entries. backend_pause must not be called for a backend without `pause`; a missing entry
 * of the others does nothing. */
int backend_pause(struct backend_guest *guest, struct err *err);
void backend_resume(struct backend_guest *guest);
int backend_observe(struct backend_guest *guest, struct backend_observed *ret, struct err *err);
/* ERR_UNSUPPORTED if the backend cannot make images. */
int backend_commit(struct backend_guest *guest, const char *image, const char *owner,
                   struct err *err);

#endif
