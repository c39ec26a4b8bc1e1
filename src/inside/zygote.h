/* SPDX-License-Identifier: Apache-2.0
 *
 * A zygote: an interpreter that was started inside a nest (inside/nest.c), has everything loaded,
 * and whose forks become guests. Built as a shared object of its own that needs nothing of the
 * library; the interpreter loads it by descriptor, and calls what zygote_python.c makes of this.
 *
 *     zygote_open();
 *     words = zygote_serve(wake, ctx);  -- returns in forks alone
 *
 * One thread. The zygote holds capabilities in the nest's user namespace only, and never runs what
 * a guest wrote. Each fork gives them up, in this order: the jail's cgroups, its namespaces, ids
 * and capabilities, and then all that guest_enter does.
 */
#ifndef INSIDE_ZYGOTE_H
#define INSIDE_ZYGOTE_H

#include "base/str.h"

/* What a run touches is learned from a fork that acts as a guest would (0 is returned in it) and
 * at its end calls zygote_end_rehearsal, which does not return there and does nothing elsewhere.
 * 1 in the zygote when that is over, or -1. */
int zygote_rehearse(void);
void zygote_end_rehearsal(void);
/* Reads the spec, and reports to the nest that all is loaded. 0, or -1. */
int zygote_open(void);
/* Forks when it is asked to, and ends with the nest. Returns in a fork, when that is locked in and
 * has received what to run: how many arguments, each of them, each NAME=VALUE, all NUL-terminated.
 * `wake` is called before, still outside; 0, or -1 to end the fork. */
typedef int zygote_wake(void *ctx);
struct str zygote_serve(zygote_wake *wake, void *ctx);

/* ---- in a guest that is to be forked ---- */

/* Into the jail that waits for it: 0 in the fork, whose channel has these numbers by then; 1 in the
 * guest; or an errno, negative. */
int zygote_fork(int channel_in, int channel_out);
/* In a fork, when it is used for the first time: until then its /proc entries are closed to its
 * origin. */
void zygote_fork_show(void);

#endif
