/* SPDX-License-Identifier: Apache-2.0
 *
 * A process in a sandbox whose input is ours and whose output comes to us, as one descriptor: what
 * is written there goes to the process, and what is read are pieces of its output
 * (base/stream_piece.h). It can be read to its end after e2b_process_hang_up.
 *
 * It belongs to its caller's loop:
 *
 *     e2b_process_start(e2b, &start, &process, &err);
 *     for (;;) {
 *         e2b_process_polls(process, polls);   ... poll(polls and others) ...
 *         e2b_process_move(process);           ... read and write the descriptor ...
 *     }
 *     e2b_process_close(process);
 *
 * A sandbox may have processes of other runs (E2B_DEBUG). Each process has a tag of its own, which
 * no other one has had, and requests name it by that: numbers of processes are used again.
 *
 * Two connections serve it: one on which the output streams, one for requests with input. Both stop
 * when the receiver has no room.
 */
#ifndef E2B_PROCESS_H
#define E2B_PROCESS_H

#include <poll.h>
#include <stdbool.h>

#include "e2b/sandbox.h"

struct e2b_process;

struct e2b_start {
    const char *const *argv; /* NULL-terminated */
    /* NULL: it is run as root, in the folder /, and has input. Else as the sandbox's own user in
     * this folder, with these variables (an object of texts) and no input. */
    const char *folder;
    const json_t *variables;
    bool silent; /* it may print nothing for as long as it likes; so may one with a folder */
};

int e2b_process_start(struct e2b *e2b, const struct e2b_start *start, struct e2b_process **ret,
                      struct err *err);
/* SIGKILL, for the process alone. */
int e2b_process_kill(const struct e2b_process *process, int cancel_fd, struct err *err);
/* Ends our connections; the process stays in the sandbox. NULL is fine. */
void e2b_process_close(struct e2b_process *process);
/* The caller's from now on; non-blocking. */
int e2b_process_take_fd(struct e2b_process *process);

#define E2B_PROCESS_POLLS 3
void e2b_process_polls(const struct e2b_process *process, struct pollfd ret[E2B_PROCESS_POLLS]);
void e2b_process_move(struct e2b_process *process);

/* Whether no more will come. *ret_err: why; its kind is ERR_NONE when the process ended. */
bool e2b_process_over(const struct e2b_process *process, struct err *ret_err);
/* Of one that ended: its exit status; 128 when a signal ended it. */
int e2b_process_exit(const struct e2b_process *process);
/* Then: the descriptor ends after what was received. */
void e2b_process_hang_up(struct e2b_process *process);
/* From now on each request's input has a head of two u32, little-endian: its number, which grows,
 * and the number of bytes. So a process can drop what a network delivers twice. */
void e2b_process_number(struct e2b_process *process);
/* How many requests with input were sent until now. */
uint64_t e2b_process_sent(const struct e2b_process *process);
/* Or, where a connection broke while nothing was on its way (the sandbox stood still): the same
 * process on new connections. `settled` are the requests that the process has dealt with. One
 * that was refused later is sent again. -1 when a later one may have arrived: then output can be
 * lost. */
int e2b_process_connect(struct e2b_process *process, uint64_t settled, struct err *err);

/* ---- a process with no input, to its end ---- */

struct e2b_ended {
    int status;
    struct buf words; /* the end of its output is appended */
};
/* -1 with ERR_TIMEOUT when cancel_fd (-1 for none) becomes readable. */
int e2b_run(struct e2b *e2b, const struct e2b_start *start, int64_t timeout_ms, int cancel_fd,
            struct e2b_ended *ret, struct err *err);

#endif
