/* SPDX-License-Identifier: Apache-2.0
 *
 * Handles Ctrl-C while a guest runs. The guest has its own session and receives no signal from the
 * terminal. So our signal handler writes a byte into a pipe, and the function that runs the guest
 * reads the pipe and kills the guest.
 */
#ifndef TERMINAL_CANCEL_H
#define TERMINAL_CANCEL_H

#include "base/err.h"

/* The pipe stays open until the process exits. A signal that is ignored (nohup) stays ignored. */
int cancel_catch_signals(int ret_pipe[2], struct err *err);
/* The signal that arrived, or 0. */
int cancel_signal(void);
/* Discards the bytes that the handler wrote. */
void cancel_drain(int fd);

#endif
