/* SPDX-License-Identifier: Apache-2.0
 *
 * For the methods and the tools.
 */
#ifndef MCP_PARTS_H
#define MCP_PARTS_H

#include "mcp/mcp.h"

/* ---- calls (call.c); in the loop unless noted ---- */

struct mcp_call *mcp_call_new(struct mcp_client *client, struct rpc_message *message, bool modern,
                              void *ctx);
/* NULL if there is none with this id. */
struct mcp_call *mcp_call_find(const struct mcp_client *client, const json_t *id);
void mcp_call_begin(struct mcp_call *call, struct session_entry *entry);

/* A session that the client may use, or NULL. */
struct session_entry *mcp_client_session(const struct mcp_client *client, const char *id);
/* All of them, each held; the caller frees the array. */
struct session_entry **mcp_client_sessions(const struct mcp_client *client, size_t *ret_n);

/* These may be called in a worker. */
struct session *mcp_call_session(const struct mcp_call *call);
void mcp_call_refuse(struct mcp_call *call, const struct rpc_problem *problem);
/* A message for the client's log, if it asked for this level. */
void mcp_call_log(const struct mcp_call *call, enum mcp_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Sends progress, if the client asked for it; total 0: unknown. */
void mcp_call_progress(const struct mcp_call *call, double progress, double total,
                       const char *message);

/* ---- methods (methods.c) ---- */

enum mcp_level mcp_level_find(struct str name); /* LEVEL_NONE for another name */
extern const char *const mcp_level_names[];

/* The members that results of the newer generation have; `cached`: of a list. */
json_t *mcp_result(json_t *result, bool modern, bool cached);

/* ---- resources (resources.c) ---- */

/* "sandbox://SESSION/PATH", percent-encoded; the caller frees. */
char *resource_uri(const char *session, struct str path);
/* The media type of a file of a session, as a result of a run names it: by its name, else by what
 * it begins with. */
const char *resource_type(struct session *session, const char *path);
/* Begin the two methods. */
void resources_list(struct mcp_call *call);
void resources_read(struct mcp_call *call);
json_t *resource_templates(void);

#endif
