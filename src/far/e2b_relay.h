/* SPDX-License-Identifier: Apache-2.0
 *
 * The other end of a far guest without a helper: a thread of ours that answers the frames of
 * docker/contained.h as the helper does, and lets the code interpreter of the sandbox do the work.
 * So a guest's loop, its limits and its files are those of every far guest.
 *
 * A program, or each cell of a session, is a cell of the interpreter. A program in a language that
 * the interpreter does not have is a process of the sandbox.
 */
#ifndef FAR_E2B_RELAY_H
#define FAR_E2B_RELAY_H

#include "far/e2b_parts.h"

#define RELAY_HOME "/home/user"
#define RELAY_WORK RELAY_HOME "/work"

struct e2b_relay;

/* The code interpreter's name of the job's language; NULL: its program is a process. */
const char *e2b_relay_kernel(const struct backend_job *job);
/* Has the guest's sandbox for itself until e2b_relay_stop. The guest's connection leads to it. */
int e2b_relay_start(struct far_guest *d, struct e2b_relay **ret, struct err *err);
/* Ends it, whatever it does. NULL is fine. */
void e2b_relay_stop(struct e2b_relay *relay);

#endif
