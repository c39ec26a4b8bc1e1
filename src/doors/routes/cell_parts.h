/* SPDX-License-Identifier: Apache-2.0
 *
 * Cells of the daemon's sessions, and the tools that clients answer, for the handlers of both.
 */
#ifndef ROUTES_CELL_PARTS_H
#define ROUTES_CELL_PARTS_H

#include "server/session_parts.h"

/* The cell that a job runs. A call of a tool waits in it for its answer (handle_tools.c). */
struct cell;
struct cell *cell_new(void);
void cell_free(struct cell *cell);
/* handle_tool_set.c: reads the tools that a client described. Each call of such a tool is sent to
 * the client that reads the cell's stream. */
int tools_read(json_t *list, struct tool_set *ret, const struct config *config, struct err *err);
/* job_fail for a request about a session: status 409 when the session is dead. */
void session_fail(struct job *job, const struct err *err);
/* Does the work of a job that has a cell in `own`. */
void cell_work(struct job *job);
/* Call these around session_exec, in the same thread. answers_input: the client answers input(). */
void cell_enter(struct cell *cell, struct job *job, bool answers_input);
void cell_leave(void);
/* Lets the guest's input() and getpass() call the client that reads the cell's stream, if it
 * answers them. */
void tools_add_input(struct tool_set *set);
/* The function of a tool that a client answers. */
int tool_ask_client(void *ctx, const struct tool_call *call, json_t **ret, struct err *err);
extern const struct ask_form tool_form; /* of one tool */

#endif
