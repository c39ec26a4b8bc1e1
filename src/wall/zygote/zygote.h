/* SPDX-License-Identifier: Apache-2.0
 *
 * A zygote: an interpreter that was started inside a nest (inside/nest.c), has loaded everything,
 * and whose forks become guests. This code is a shared object of its own that needs nothing of the
 * library; the interpreter loads it by descriptor, and calls it by the functions of
 * zygote_python.c.
 *
 *     zygote_open();
 *     words = zygote_serve(wake, ctx);  -- returns in forks alone
 *
 * The zygote has one thread. It holds capabilities in the nest's user namespace only, and never
 * runs code of a guest. Each fork enters the jail's cgroups, joins its namespaces, takes the
 * guest's ids, gives up all capabilities, and calls guest_enter, in this order.
 */
#ifndef ZYGOTE_ZYGOTE_H
#define ZYGOTE_ZYGOTE_H

#include "base/str.h"

/* Learns which memory pages a run touches, from a fork that acts as a guest would. Returns 0 in
 * that fork, which must call zygote_end_rehearsal at its end; that function does not return there,
 * and does nothing in other processes. Returns 1 in the zygote when the fork is done, or -1. */
int zygote_rehearse(void);
void zygote_end_rehearsal(void);
/* Reads the spec, and reports to the nest that everything is loaded. Returns 0, or -1. */
int zygote_open(void);
/* Forks on request, and exits with the nest. Returns only in a fork, once it is locked in and has
 * received its words: the number of arguments, the arguments, and each NAME=VALUE, all
 * NUL-terminated. `wake` is called in the fork before it joins the jail; it returns 0, or -1 to end
 * the fork. */
typedef int zygote_wake(void *ctx);
struct str zygote_serve(zygote_wake *wake, void *ctx);

/* ---- in a guest that is to be forked ---- */

/* Forks this guest into the jail that waits for the fork. Returns 0 in the fork, whose channel has
 * these descriptor numbers then; 1 in the guest; or a negative errno. */
int zygote_fork(int channel_in, int channel_out);
/* Call it in a fork when the fork is used for the first time: until then its origin cannot use the
 * fork's /proc entries. */
void zygote_fork_show(void);

#endif
