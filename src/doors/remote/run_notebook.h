/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox run notebook.ipynb`: its code cells, one after the other, in a session of this process.
 */
#ifndef REMOTE_RUN_NOTEBOOK_H
#define REMOTE_RUN_NOTEBOOK_H

#include "console/options.h"

struct notebook;

/* True if the command names a notebook, and no language of the config file has its suffix. */
bool run_is_notebook(const struct cli_options *options);
/* Returns the exit status, or -1 with *err. */
int run_notebook(const struct cli_options *options, struct err *err);
/* Reads a notebook. The error message begins with its path. Call notebook_done in every case. */
int run_notebook_read(const char *path, struct notebook *ret, struct err *err);

#endif
