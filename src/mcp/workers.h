/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads for work that may take long. They take the tasks in the order in which these were added,
 * and report finished ones to the loop.
 */
#ifndef MCP_WORKERS_H
#define MCP_WORKERS_H

#include <stdbool.h>

struct mcp_workers;

/* A part of the owner's structure, which may be freed before mcp_workers_add and from `done` on, or
 * after mcp_workers_remove returned true. */
struct mcp_task {
    struct mcp_task *next;
    void (*work)(struct mcp_task *task); /* in a thread */
    void (*done)(struct mcp_task *task); /* then in the loop, in mcp_workers_deliver */
};

/* `done_fd` is an eventfd that gets a count when mcp_workers_deliver has something to do. */
struct mcp_workers *mcp_workers_open(unsigned threads_max, int done_fd);
/* When no task is left. */
void mcp_workers_close(struct mcp_workers *w);

/* An urgent task frees something: it waits for no other. -1 when there is no thread, and none can
 * be started: the task was not added. */
int mcp_workers_add(struct mcp_workers *w, struct mcp_task *task, bool urgent);
/* True when the task had not begun: neither `work` nor `done` will be called. */
bool mcp_workers_remove(struct mcp_workers *w, struct mcp_task *task);
void mcp_workers_deliver(struct mcp_workers *w);

#endif
