/* SPDX-License-Identifier: Apache-2.0
 *
 * Processes with pipes below the jail helper: the entries of the tables of the jail and the host
 * backend (backend.h). Only the layers that the job asks for make it the one or the other.
 *
 * A guest that was not taken from a pool is tied to the thread that opened it: the kernel kills it
 * when that thread ends.
 */
#ifndef BACKENDS_LIVE_H
#define BACKENDS_LIVE_H

#include "backends/backend.h"

int live_open(const struct backend_job *job, const struct backend_sink *sink,
              struct backend_outcome *ret, struct backend_guest **ret_guest, struct err *err);
void live_step(struct backend_guest *guest, int timeout_ms);
enum backend_state live_state(const struct backend_guest *guest);
void live_deadline(struct backend_guest *guest, int64_t wall_ms);
int live_end(struct backend_guest *guest, struct err *err);
void live_close(struct backend_guest *guest);
void live_interrupt(struct backend_guest *guest);
bool live_pending(const struct backend_guest *guest);
void live_drain(struct backend_guest *guest);
void live_look(struct backend_guest *guest);
void live_usage(struct backend_guest *guest, struct backend_usage *ret);
bool live_channel(struct backend_guest *guest, int ret[3]);
int live_fork(struct backend_guest *from, const struct backend_job *job,
              const struct backend_sink *sink, struct backend_outcome *ret,
              struct backend_guest **ret_guest, struct err *err);
int live_forked(struct backend_guest *guest, struct err *err);
extern const struct backend_files live_files;

#define LIVE_ENTRIES                                                                               \
    .open = live_open, .step = live_step, .state = live_state, .deadline = live_deadline,          \
    .end = live_end, .close = live_close, .interrupt = live_interrupt, .pending = live_pending,    \
    .drain = live_drain, .look = live_look, .usage = live_usage, .channel = live_channel,          \
    .files = &live_files, .fork = live_fork, .forked = live_forked

#endif
