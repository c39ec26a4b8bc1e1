/* SPDX-License-Identifier: Apache-2.0
 *
 * The server's parts, for its files.
 */
#ifndef MCP_PARTS_H
#define MCP_PARTS_H

#include <stdatomic.h>

#include "backends/pool.h"
#include "hosting/session_table.h"
#include "mcp/kept.h"
#include "mcp/mcp.h"
#include "mcp/out.h"
#include "mcp/rpc.h"
#include "mcp/workers.h"

struct mcp_tool;

/* Levels of messages for a client's log, as the protocol names them. */
enum mcp_level {
    LEVEL_DEBUG,
    LEVEL_INFO,
    LEVEL_NOTICE,
    LEVEL_WARNING,
    LEVEL_ERROR,
    LEVEL_CRITICAL,
    LEVEL_ALERT,
    LEVEL_EMERGENCY,
    LEVEL_NONE, /* the client has not asked for a log */
};

struct mcp_server {
    const struct mcp_options *options;
    struct request_rules rules;
    struct run_request base; /* of the settings */
    struct backend_pool *pool;
    struct mcp_out *out;
    struct mcp_workers *workers;
    struct sessions *sessions;
    struct kept *kept;
    struct buf about; /* what a model must know of the sandbox */
    struct mcp_call *calls;
    size_t call_n;
    enum mcp_level level;
    const char *version; /* of `initialize`; NULL before */
    bool ending;
    int done_fd, broken_fd;
};

/* A request that is not answered at once. */
struct mcp_call {
    struct mcp_task task; /* first */
    struct mcp_call *next;
    struct mcp_server *server;
    struct rpc_message message;
    bool modern;
    enum mcp_level level;
    const json_t *progress_token; /* in the message; NULL: no progress is reported */
    const struct mcp_tool *tool;  /* of tools/call */
    json_t *arguments;            /* in the message, or `none` */
    json_t *none;
    struct session_turn turn; /* of a call about a session */
    bool begun;               /* it is a worker's */
    atomic_bool cancelled;    /* it gets no answer, and no notifications */
    int cancel_fd;
    bool counted;                    /* a session is reserved */
    struct session *opened;          /* a new one, for the table */
    struct session_opening *opening; /* of that one */
    struct session_info info;
    struct session_entry **list; /* held; of resources/list */
    size_t list_n;

    /* The answer: a result, or a problem. */
    json_t *result;
    bool refused;
    struct rpc_problem problem;
};

/* ---- calls (call.c); in the loop unless noted ---- */

struct mcp_call *mcp_call_new(struct mcp_server *server, struct rpc_message *message, bool modern);
/* Gives it to a worker; with a session, when its turn has come. */
void mcp_call_submit(struct mcp_call *call, struct session_entry *entry);
/* Sends the answer, unless the call is cancelled, and frees the call. */
void mcp_call_finish(struct mcp_call *call);
void mcp_call_cancel(struct mcp_call *call);
/* NULL if there is none with this id. */
struct mcp_call *mcp_call_find(const struct mcp_server *server, const json_t *id);
struct sessions *mcp_sessions(struct mcp_server *server);

/* These may be called in a worker. */
struct session *mcp_call_session(const struct mcp_call *call);
/* A failed result of a tool: the message is for the model. */
void mcp_call_fail(struct mcp_call *call, const struct err *err);
void mcp_call_refuse(struct mcp_call *call, const struct rpc_problem *problem);
/* A message for the client's log, if it asked for this level. */
void mcp_call_log(const struct mcp_call *call, enum mcp_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Sends progress, if the client asked for it; total 0: unknown. */
void mcp_call_progress(const struct mcp_call *call, double progress, double total,
                       const char *message);

/* ---- methods (methods.c) ---- */

/* Handles one line of the client. */
void mcp_receive(struct mcp_server *server, struct str line);
enum mcp_level mcp_level_find(struct str name); /* LEVEL_NONE for another name */
extern const char *const mcp_level_names[];

/* The members that results of the newer generation have; `cached`: of a list. */
json_t *mcp_result(json_t *result, bool modern, bool cached);

/* ---- resources (resources.c) ---- */

/* "sandbox://SESSION/PATH", percent-encoded; the caller frees. */
char *resource_uri(const char *session, struct str path);
/* Begin the two methods. */
void resources_list(struct mcp_call *call);
void resources_read(struct mcp_call *call);
json_t *resource_templates(void);

#endif
