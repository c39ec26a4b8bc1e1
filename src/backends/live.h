/* SPDX-License-Identifier: Apache-2.0
 *
 * A guest that stays: the run loop for callers that have more than one thing to say to it. loop_run
 * is live_open, live_step until it is over, live_end.
 *
 * Limits of the job hold for the guest's whole life; wall_ms is the first deadline, and each
 * live_deadline sets a new one. One thread at a time uses a guest. A guest that was not taken from
 * a pool is tied to the thread that opened it: the kernel kills it when that thread ends.
 */
#ifndef BACKENDS_LIVE_H
#define BACKENDS_LIVE_H

#include "backends/backend.h"

/* Runs a job through the jail helper to its end: start, stream, enforce limits, clean up. What
 * makes it the jail or the host backend is only which layers the job asks for. */
int loop_run(const struct backend_job *job, const struct backend_sink *sink,
             struct backend_outcome *ret, struct err *err);

struct live;

/* Starts the job. 0 once its program is about to run: `ret` then fills as things happen and must
 * live as long as the guest. -1 when nothing was started. The sink may be replaced later. */
int live_open(const struct backend_job *job, const struct backend_sink *sink,
              struct backend_outcome *ret, struct live **ret_live, struct err *err);
/* Who hears from now on; it is lent. */
void live_sink(struct live *live, const struct backend_sink *sink);
/* Waits until something happens or `timeout_ms` (-1: no end) has passed, and tells the sink. */
void live_step(struct live *live, int timeout_ms);
/* No guest is alive any more, or none was started. */
bool live_over(const struct live *live);
/* The guest has ended, if not yet all that it left. */
bool live_ended(const struct live *live);
/* Whether its jail has said something that is not read yet: it may have ended. */
bool live_has_word(const struct live *live);
/* From now until LIMIT_WALL is met and everything is killed; 0 for never. */
void live_deadline(struct live *live, int64_t wall_ms);
/* Ctrl-C for the guest's first process. */
void live_interrupt(struct live *live);
/* Moves on what lies in the guest's output pipes now, without waiting. */
void live_drain(struct live *live);
/* For a guest that nobody steps: ends it when it is over a limit that no control group holds. */
void live_look(struct live *live);
/* Used until now, by all the guest's processes. */
void live_usage(struct live *live, struct cgroup_usage *ret);
/* The workspace while the guest lives: a folder to open files below, never by following a link.
 * Stays the guest's; -1 when there is none. */
int live_work(struct live *live);
/* Kills what lives, completes the outcome, frees. -1 with *err when the program had not been
 * started. */
int live_end(struct live *live, struct err *err);

/* ---- forks of a guest whose job has `forks` ---- */

/* Makes a jail for a fork of a guest that has nothing to do: below the guest's own jail, with a
 * copy of its disk and the limits of `job`, whose channel is the fork's. Nobody is inside yet: the
 * guest is now to be told to fork, and live_forked waits for what it puts in. `job`, `sink` and
 * `ret` are as for live_open. ERR_UNSUPPORTED with the reason when this guest has no forks (see
 * also no_fork in struct backend_outcome), ERR_LIMIT when they nest too deep. */
int live_fork(struct live *origin, const struct backend_job *job, const struct backend_sink *sink,
              struct backend_outcome *ret, struct live **ret_live, struct err *err);
/* Waits until the fork is locked in and runs. -1 with why it was turned away, or did not come: then
 * live_end is left to do. From 0 on both are guests like any other, for different threads if they
 * like: either may end first (what a fork needs of its origin's jail stays). */
int live_forked(struct live *live, struct err *err);

#endif
