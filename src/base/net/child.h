/* SPDX-License-Identifier: Apache-2.0
 *
 * Starts a program whose standard input and output are one end of a socket pair; we keep the other
 * end. Its standard error is /dev/null.
 */
#ifndef NET_CHILD_H
#define NET_CHILD_H

#include <sys/types.h>

#include "base/err.h"

struct child_program {
    const char *path; /* without a slash: looked up in $PATH */
    const char *const *argv;
    /* Names. The program gets no other variable of our environment, which may hold keys. */
    const char *const *variables;
};

/* The caller closes the socket and waits for the process. -1 with ERR_SYSTEM; err->sys is ENOENT
 * when there is no such program. */
int child_start(const struct child_program *program, pid_t *ret_pid, int *ret_fd, struct err *err);

#endif
