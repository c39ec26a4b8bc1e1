/* SPDX-License-Identifier: Apache-2.0
 *
 * The three pipes of a guest: input is relayed from a descriptor of ours; output and errors are
 * passed on as they come. The guest never gets a descriptor of the host's own.
 */
#ifndef BACKENDS_PUMP_H
#define BACKENDS_PUMP_H

#include <poll.h>

#include "backends/backend.h"

#define PUMP_POLLS 4

struct pump {
    int source;    /* lent; bytes read here go to the guest */
    int in;        /* our end of the guest's input */
    int out[2];    /* our ends of its output and errors */
    int theirs[3]; /* the guest's ends, until pump_started */
    char *waiting; /* read from source, not yet written */
    size_t waiting_at, waiting_n;
    bool held_up[2]; /* the reader of out[i] has no room: its descriptor is polled instead */
    const struct backend_sink *sink;
};

int pump_init(struct pump *pump, int source, const struct backend_sink *sink, struct err *err);
/* For a guest that waits, with pipes that exist already: `ours` is {in, out, err}, which the pump
 * owns from now on. */
void pump_adopt(struct pump *pump, int source, const int ours[3], const struct backend_sink *sink);
void pump_started(struct pump *pump); /* closes the guest's ends */
/* Fills in the descriptors to poll; pump_step then moves the bytes that can be moved. */
void pump_polls(struct pump *pump, struct pollfd polls[PUMP_POLLS]);
void pump_step(struct pump *pump, const struct pollfd polls[PUMP_POLLS]);
/* Passes on the current content of the pipes, without waiting. */
void pump_drain(struct pump *pump);
void pump_done(struct pump *pump);

#endif
