/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox run notebook.ipynb`: its code cells, one after the other, in a session of this process.
 */
#ifndef CLI_RUN_NOTEBOOK_H
#define CLI_RUN_NOTEBOOK_H

#include "console/options.h"

struct notebook;

/* Whether the command names a notebook, and no language of the config file has that extension. */
bool run_is_notebook(const struct cli_options *options);
/* The exit status, or -1 with *err. */
int run_notebook(const struct cli_options *options, struct err *err);
/* Reads a notebook; the error begins with its path. Call notebook_done in every case. */
int run_notebook_read(const char *path, struct notebook *ret, struct err *err);

#endif
