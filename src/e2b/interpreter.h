/* SPDX-License-Identifier: Apache-2.0
 *
 * The code interpreter in a sandbox: contexts, each a process of a language that keeps variables
 * from cell to cell, and cells that run in them.
 */
#ifndef E2B_INTERPRETER_H
#define E2B_INTERPRETER_H

#include "e2b/execution.h"
#include "e2b/sandbox.h"

/* Its name for a language, or NULL. */
const char *e2b_interpreter_language(const char *language);

/* *ret_id: the caller frees. */
int e2b_context_create(struct e2b *e2b, const char *language, const char *folder, int cancel_fd,
                       char **ret_id, struct err *err);
/* Ends its process, whatever it does. */
int e2b_context_remove(struct e2b *e2b, const char *id, int cancel_fd, struct err *err);

struct e2b_cell;

/* Sends a cell. ERR_USAGE for a text that is not UTF-8. */
int e2b_cell_begin(struct e2b *e2b, const char *context, struct str code, struct e2b_cell **ret,
                   struct err *err);
/* To poll for reading. */
int e2b_cell_fd(const struct e2b_cell *cell);
/* The next event that has come: 1, and 0 when none has; -1. The caller releases it. The last one is
 * EXECUTION_END. */
int e2b_cell_take(struct e2b_cell *cell, struct execution_event *ret, struct err *err);
/* The sandbox stood still or was gone: nothing of the cell has run. */
bool e2b_cell_was_refused(const struct e2b_cell *cell);
/* Interrupts the cell if it still runs. NULL is fine. */
void e2b_cell_close(struct e2b_cell *cell);

#endif
