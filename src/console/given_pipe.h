/* SPDX-License-Identifier: Apache-2.0
 *
 * `--file <(command):NAME`: a pipe that this process was given under a path. A pipe can be read
 * once and has no size, and a run may need the file twice (for a daemon, and then for itself).
 */
#ifndef CONSOLE_GIVEN_PIPE_H
#define CONSOLE_GIVEN_PIPE_H

#include "base/err.h"
#include "base/opt.h"

enum { GIVEN_PIPE_MAX_MIB = 256 };

/* Reads every such pipe among the SRC[:NAME] to its end. A file in memory then has its descriptor's
 * number, so the path leads to that. ERR_USAGE for a pipe without a NAME, or with too much. */
int given_pipes_keep(const struct opt_list *files, struct err *err);

#endif
