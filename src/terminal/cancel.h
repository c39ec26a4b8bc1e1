/* SPDX-License-Identifier: Apache-2.0
 *
 * Ctrl-C while a guest runs. The guest is in a session of its own and gets no signal from the
 * terminal, so the signal becomes a byte in a pipe, and the function that runs the guest ends it.
 */
#ifndef TERMINAL_CANCEL_H
#define TERMINAL_CANCEL_H

#include "base/err.h"

/* The pipe's ends belong to the process. A signal that is ignored (nohup) stays ignored. */
int cancel_catch_signals(int ret_pipe[2], struct err *err);
/* The signal that came, or 0. */
int cancel_signal(void);
/* Discards the bytes that signals wrote. */
void cancel_drain(int fd);

#endif
