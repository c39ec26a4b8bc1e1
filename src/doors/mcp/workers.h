/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads for work that may take long. Tasks are taken in the order in which they were added;
 * finished tasks are reported to the loop.
 */
#ifndef MCP_WORKERS_H
#define MCP_WORKERS_H

#include <stdbool.h>

struct mcp_workers;

/* A part of the owner's structure. The owner must keep it from mcp_workers_add until `done` is
 * called or mcp_workers_remove returns true. */
struct mcp_task {
    struct mcp_task *next;
    void (*work)(struct mcp_task *task); /* in a thread */
    void (*done)(struct mcp_task *task); /* then in the loop, in mcp_workers_deliver */
};

/* `done_fd` is an eventfd that becomes readable when mcp_workers_deliver has something to do. */
struct mcp_workers *mcp_workers_open(unsigned threads_max, int done_fd);
/* Call it when no task is left. */
void mcp_workers_close(struct mcp_workers *w);

/* An urgent task is put before all others, for it frees something, and may have a thread above
 * threads_max. -1 when there is no thread and none can be started; then the task is not added. */
int mcp_workers_add(struct mcp_workers *w, struct mcp_task *task, bool urgent);
/* True if the task had not begun: neither `work` nor `done` will be called. */
bool mcp_workers_remove(struct mcp_workers *w, struct mcp_task *task);
void mcp_workers_deliver(struct mcp_workers *w);

#endif
