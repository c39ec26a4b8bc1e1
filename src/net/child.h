/* SPDX-License-Identifier: Apache-2.0
 *
 * A program at the other end of a socket: its standard input and output are one end of a pair, and
 * the other end is ours.
 */
#ifndef NET_CHILD_H
#define NET_CHILD_H

#include <sys/types.h>

#include "base/err.h"

struct child_program {
    const char *path; /* without a slash: to look for in $PATH */
    const char *const *argv;
    const char *const *variables; /* names; the rest of our environment, keys for one, stays here */
    int errors;                   /* its standard error; -1: /dev/null */
};

/* The caller closes the socket and waits for the process. -1 with ERR_SYSTEM; err->sys is ENOENT
 * when there is no such program. */
int child_start(const struct child_program *program, pid_t *ret_pid, int *ret_fd, struct err *err);

#endif
