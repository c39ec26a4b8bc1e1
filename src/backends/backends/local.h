/* SPDX-License-Identifier: Apache-2.0
 *
 * A local guest: processes on this machine that the jail helper starts, with pipes to them. These
 * are the functions of the backends `jail` and `host` (backend.h); the two differ only in the
 * layers that a job asks for.
 *
 * A guest that does not come from a pool is tied to the thread that opened it: the kernel kills it
 * when that thread ends.
 */
#ifndef BACKENDS_LOCAL_H
#define BACKENDS_LOCAL_H

#include "backends/backend.h"

int local_open(const struct backend_job *job, const struct backend_sink *sink,
               struct backend_outcome *ret, struct backend_guest **ret_guest, struct err *err);
void local_step(struct backend_guest *guest, int timeout_ms);
enum backend_state local_state(const struct backend_guest *guest);
void local_deadline(struct backend_guest *guest, int64_t wall_ms);
int local_end(struct backend_guest *guest, struct err *err);
void local_close(struct backend_guest *guest);
void local_interrupt(struct backend_guest *guest);
bool local_pending(const struct backend_guest *guest);
void local_drain(struct backend_guest *guest);
void local_look(struct backend_guest *guest);
void local_usage(struct backend_guest *guest, struct backend_usage *ret);
bool local_channel(struct backend_guest *guest, int ret[3]);
int local_fork(struct backend_guest *from, const struct backend_job *job,
               const struct backend_sink *sink, struct backend_outcome *ret,
               struct backend_guest **ret_guest, struct err *err);
int local_forked(struct backend_guest *guest, struct err *err);
int local_seal(struct backend_guest *guest, struct err *err);
int local_unseal(struct backend_guest *guest, struct err *err);
struct net_line *local_network(struct backend_guest *guest);
extern const struct backend_files local_files;
extern const struct backend_pool_entries local_pool; /* of the jail only */

/* local_can.c */
struct backend_can jail_can(enum backend_ability ability);
struct backend_can host_can(enum backend_ability ability);
struct backend_need jail_need(enum backend_ability ability);
struct backend_need host_need(enum backend_ability ability);
/* The layers that control groups hold on this machine, as a trial showed once. */
layer_mask local_groups(void);

#define LOCAL_ENTRIES                                                                              \
    .open = local_open, .step = local_step, .state = local_state, .deadline = local_deadline,      \
    .end = local_end, .close = local_close, .interrupt = local_interrupt,                          \
    .pending = local_pending, .drain = local_drain, .look = local_look, .usage = local_usage,      \
    .channel = local_channel, .files = &local_files, .fork = local_fork, .forked = local_forked,   \
    .seal = local_seal, .unseal = local_unseal, .network = local_network

#endif
