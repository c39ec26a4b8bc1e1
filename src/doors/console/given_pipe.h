/* SPDX-License-Identifier: Apache-2.0
 *
 * `--file <(command):NAME`: a pipe that this process received under a path. A pipe can be read only
 * once and has no size, but a run may need the file twice (first for a daemon, then for itself).
 */
#ifndef CONSOLE_GIVEN_PIPE_H
#define CONSOLE_GIVEN_PIPE_H

#include "base/err.h"
#include "options/opt.h"

enum { GIVEN_PIPE_MAX_MIB = 256 };

/* Reads each such pipe among the SRC[:NAME] to its end, and gives its descriptor's number to a file
 * in memory, so the path leads to that file. -1 with ERR_USAGE for a pipe without a NAME, or with
 * too many bytes. */
int given_pipes_keep(const struct opt_list *files, struct err *err);

#endif
