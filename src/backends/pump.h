/* SPDX-License-Identifier: Apache-2.0
 *
 * The three pipes of a guest: input relayed from a descriptor of ours, output and errors handed on
 * as they come. The guest never gets a descriptor of the host's own.
 */
#ifndef BACKENDS_PUMP_H
#define BACKENDS_PUMP_H

#include <poll.h>

#include "backends/backend.h"

#define PUMP_POLLS 4

struct pump {
    int source;    /* lent; what is read here goes to the guest */
    int in;        /* our end of the guest's input */
    int out[2];    /* our ends of its output and errors */
    int theirs[3]; /* the guest's ends, until pump_started */
    char *waiting; /* read from source, not yet written */
    size_t waiting_at, waiting_n;
    bool held_up[2]; /* out's reader has no room: what is polled is its descriptor */
    const struct backend_sink *sink;
};

int pump_init(struct pump *pump, int source, const struct backend_sink *sink, struct err *err);
/* The pipes were made before, for a guest that waits; ours is {in, out, err}, the pump's from now
 * on.
 */
void pump_adopt(struct pump *pump, int source, const int ours[3], const struct backend_sink *sink);
void pump_started(struct pump *pump); /* closes the guest's ends */
/* Fills in what to wait for; pump_step then moves what can be moved. */
void pump_polls(struct pump *pump, struct pollfd polls[PUMP_POLLS]);
void pump_step(struct pump *pump, const struct pollfd polls[PUMP_POLLS]);
/* Moves on what lies in the pipes now, without waiting. */
void pump_drain(struct pump *pump);
void pump_done(struct pump *pump);

#endif
