/* SPDX-License-Identifier: Apache-2.0
 *
 * A process in a sandbox whose input is ours and whose output comes to us, as one descriptor: bytes
 * written to it go to the process, and output is read from it in pieces (net/stream_piece.h). After
 * e2b_process_hang_up it can be read to its end.
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
 * A sandbox may have processes of other runs (E2B_DEBUG). Each process has a unique tag, which
 * requests use as its name: process numbers are reused.
 *
 * Two connections serve it: one on which the output streams, one for requests with input. Both stop
 * when the receiver has no room.
 */
#ifndef E2B_API_PROCESS_H
#define E2B_API_PROCESS_H

#include <poll.h>
#include <stdbool.h>

#include "e2b_api/sandbox.h"

struct e2b_process;

struct e2b_start {
    const char *const *argv; /* NULL-terminated */
    bool silent;             /* it may stay silent for any time */
};

/* Runs as root, in the folder /. */
int e2b_process_start(struct e2b *e2b, const struct e2b_start *start, struct e2b_process **ret,
                      struct err *err);
/* Closes our connections; the process stays in the sandbox. NULL is fine. */
void e2b_process_close(struct e2b_process *process);
/* Returns the descriptor, non-blocking, which the caller owns from now on. */
int e2b_process_take_fd(struct e2b_process *process);

#define E2B_PROCESS_POLLS 3
void e2b_process_polls(const struct e2b_process *process, struct pollfd ret[E2B_PROCESS_POLLS]);
void e2b_process_move(struct e2b_process *process);

/* True if no more will come, with the reason in *ret_err; its kind is ERR_NONE if the process
 * ended. */
bool e2b_process_over(const struct e2b_process *process, struct err *ret_err);
/* The exit status of a process that ended; 128 if a signal ended it. */
int e2b_process_exit(const struct e2b_process *process);
/* Call it when the process is over: the descriptor ends after the received bytes. */
void e2b_process_hang_up(struct e2b_process *process);
/* From now on each request's input has a head of two u32, little-endian: its number, which grows,
 * and the number of bytes. So a process can drop input that the network delivers twice. */
void e2b_process_number(struct e2b_process *process);
/* How many requests with input were sent so far. */
uint64_t e2b_process_sent(const struct e2b_process *process);
/* Opens new connections to the same process, after a connection broke while no data was on its way
 * (the sandbox was paused). `settled` is the number of requests that the process has handled. A
 * later one that was refused is sent again. Returns -1 if a later one may have arrived: then output
 * can be lost. */
int e2b_process_connect(struct e2b_process *process, uint64_t settled, struct err *err);

/* ---- a process with no input, to its end ---- */

struct e2b_ended {
    int status;
    struct buf words; /* the last part of its output is appended */
};
/* Returns -1 with ERR_TIMEOUT if cancel_fd (-1 for none) becomes readable. */
int e2b_run(struct e2b *e2b, const struct e2b_start *start, int64_t timeout_ms, int cancel_fd,
            struct e2b_ended *ret, struct err *err);

#endif
