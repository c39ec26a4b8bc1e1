/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the methods and the tools.
 */
#ifndef MCP_PARTS_H
#define MCP_PARTS_H

#include "mcp/mcp.h"

/* ---- calls (call.c); in the loop unless noted ---- */

struct mcp_call *mcp_call_new(struct mcp_client *client, struct rpc_message *message, bool modern,
                              void *ctx);
/* NULL if the client has no call with this id. */
struct mcp_call *mcp_call_find(const struct mcp_client *client, const json_t *id);
void mcp_call_begin(struct mcp_call *call, struct session_entry *entry);

/* Workers may call these. */
struct session *mcp_call_session(const struct mcp_call *call);
void mcp_call_refuse(struct mcp_call *call, const struct rpc_problem *problem);
/* Sends a message to the client's log, if the client asked for this level. */
void mcp_call_log(const struct mcp_call *call, enum mcp_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Sends progress, if the client asked for it. A total of 0 means unknown. */
void mcp_call_progress(const struct mcp_call *call, double progress, double total,
                       const char *message);

/* ---- methods (methods.c) ---- */

enum mcp_level mcp_level_find(struct str name); /* LEVEL_NONE for any other name */
extern const char *const mcp_level_names[];

/* Adds the members that results of the newer generation have; `cached`: the result is a list. */
json_t *mcp_result(json_t *result, bool modern, bool cached);

/* ---- resources (resources.c) ---- */

/* "sandbox://SESSION/PATH", percent-encoded; the caller frees. */
char *resource_uri(const char *session, struct str path);
/* Decodes percent-encoded text; the caller frees. NULL if it is invalid, or has a NUL, which would
 * end the string. */
char *uri_decode(struct str s);
/* Returns the media type of a file of a session, found as for a result of a run: by its name,
 * otherwise by its first bytes. */
const char *resource_type(struct session *session, const char *path);
/* Begin the methods resources/list and resources/read. */
void resources_list(struct mcp_call *call);
void resources_read(struct mcp_call *call);
json_t *resource_templates(void);

#endif
