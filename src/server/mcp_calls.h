/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of the Model Context Protocol as jobs of the daemon, for its two hosts: POSTs at /mcp, and
 * connections that carry lines. A client's `ctx` is the hub in both.
 */
#ifndef SERVER_MCP_CALLS_H
#define SERVER_MCP_CALLS_H

#include "server/job.h"
#include "server/mcp_hub.h"

enum { MCP_MESSAGE_MAX = 64 << 20 };

/* As the functions of struct mcp_host. `work` is a worker's; it leaves a status in the job, and may
 * leave the answer. */
void mcp_calls_begin(struct mcp_call *call, struct session_entry *entry,
                     void (*work)(struct job *job));
void mcp_calls_stop(struct mcp_call *call);
int mcp_calls_request(const struct mcp_call *call, struct run_fields *fields,
                      struct request_parts *parts, struct run_request *ret, struct err *err);
void mcp_calls_ran(const struct mcp_call *call, const struct result *result, int64_t took_us);
/* `pass` sends the text to the client, in the loop. */
typedef void mcp_pass(const struct mcp_call *call, struct str text, bool is_progress);
void mcp_calls_note(const struct mcp_call *call, json_t *message, bool is_progress, mcp_pass *pass);

/* In a worker: the job's call with what its work needs; NULL: it was cancelled. */
struct mcp_call *mcp_calls_enter(struct job *job);
/* For a call that finds no room. */
void mcp_calls_fail(struct mcp_call *call, const char *why);

#endif
