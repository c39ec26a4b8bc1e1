/* SPDX-License-Identifier: Apache-2.0
 *
 * A server of the Model Context Protocol: tools by which a client's model runs code in sandboxes.
 * A server supports two generations of the protocol at the same time. In the older one, 2024-11-05
 * to 2025-11-25, a client begins with `initialize`; in the newer one, since 2026-07-28, every
 * request names its version.
 *
 * Theory. Methods, tools and resources are here. The host receives and sends the messages, on
 * standard input and output (mcp/stdio.h), or at the daemon's /mcp. A host has one thread, its
 * loop, that owns clients, calls and the table of sessions (hosting/session_table.h) and never
 * waits for a guest. A request that may take long becomes a call, and the host lets a worker do its
 * work; calls about one session take turns.
 */
#ifndef MCP_MCP_H
#define MCP_MCP_H

#include <stdatomic.h>

#include "hosting/session_table.h"
#include "mcp/kept.h"
#include "mcp/rpc.h"
#include "request/run_ask.h"
#include "result/result.h"

#define MCP_META       "io.modelcontextprotocol/"
#define MCP_MODERN     "2026-07-28"
#define MCP_NEWEST_OLD "2025-11-25"

struct mcp_call;
struct mcp_client;
struct mcp_tool;
struct roots;

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

/* ---- functions of the host ---- */

/* All of them are called in the loop, unless noted. */
struct mcp_host {
    /* Lets a worker call `call->work`; if there is a session, in the session's turn and with
     * call->entry set. After the work, the host must call mcp_call_finish; also without the work,
     * after mcp_call_fail, if it cannot be done. */
    void (*begin)(struct mcp_call *call, struct session_entry *entry);
    /* The call was cancelled, or the server ends: its work must stop, or need not begin. */
    void (*stop)(struct mcp_call *call);
    /* Sends a notification to the client; takes it over. Any thread may call it. Progress is
     * dropped if the client reads too slowly. */
    void (*note)(const struct mcp_call *call, json_t *message, bool is_progress);
    /* Ends a call: sends mcp_call_answer, unless the call is cancelled, and ends its turn. */
    void (*over)(struct mcp_call *call);
    /* In a worker: calls request_make, and adds the pool and other things of the host. */
    int (*request)(const struct mcp_call *call, struct settings *ask, struct request_parts *parts,
                   struct run_request *ret, struct err *err);
    /* In a worker, after a run or a cell: counts it. NULL if the host does not count. */
    void (*ran)(const struct mcp_call *call, const struct result *result, int64_t took_us);
    /* In a worker: keeps the settings that a new session's request points into. NULL if they live
     * longer than every session. */
    void *(*hold_settings)(const struct mcp_call *call);
    void (*drop_settings)(void *settings);
    /* A message came; called before anything else is done with it. NULL if the host needs none. */
    void (*received)(struct mcp_client *client, const struct rpc_message *message);
    /* True if the service may be about to change, so that a list of the tools has to wait: it
     * becomes a call, which `begin` may keep. NULL: never. */
    bool (*changes)(const struct mcp_client *client);
};

/* The data that all clients share. Their calls borrow it. */
struct mcp_service {
    const struct request_rules *rules; /* have the settings of every run and session */
    char *const *languages;            /* no others are offered; NULL-terminated, or NULL for all */
    char *const *tools;                /* no others are offered; the same */
    int64_t idle_ms;                   /* a session that is unused for this time is closed */
    const struct roots *roots;         /* of the client, that the settings show; NULL: none */
    bool follows_roots;                /* the tools' descriptions change with the client's roots */
    struct run_request base;           /* made of the settings */
    struct buf about;                  /* the facts about the sandbox that a model needs */
};
/* The caller sets `rules`, `languages`, `idle_ms` and `roots`; they are borrowed. Call
 * mcp_service_close also after a failure. */
int mcp_service_open(struct mcp_service *service, struct err *err);
void mcp_service_close(struct mcp_service *service);

/* One client. The host sets all members except the last ones, from `level` on. */
struct mcp_client {
    const struct mcp_host *host;
    void *ctx; /* the host's own */
    const struct mcp_service *service;
    struct sessions *sessions;
    struct kept *kept;
    const char *owner; /* owns the sessions that it opens, and the files that are kept for it */
    const char *sees;  /* the owner whose sessions it may use; NULL: all */
    enum mcp_level level;
    const char *version; /* from `initialize`; NULL before it */
    bool listed;         /* it has a list of the tools, or gets one of the service now */
    struct mcp_call *calls;
    size_t call_n;
};

/* ---- calls ---- */

/* A request that is not answered immediately. */
struct mcp_call {
    struct mcp_call *next;
    struct mcp_client *client;
    const struct mcp_service *service;
    void *ctx;  /* the ctx of mcp_handle */
    void *task; /* for the host, from `begin` to `over` */
    struct rpc_message message;
    bool modern;
    const char *version; /* only in the older generation */
    enum mcp_level level;
    const json_t *progress_token; /* points into the message; NULL: no progress is reported */
    const struct mcp_tool *tool;  /* only for tools/call */
    bool lists_tools;             /* once the host has chosen the service, it sets client->listed */
    json_t *arguments;            /* points into the message, or is `none` */
    json_t *none;
    void (*work)(struct mcp_call *call);
    /* only for a call about a session, while the call has its turn */
    struct session_entry *entry;
    atomic_bool cancelled;           /* no answer and no notifications are sent */
    atomic_bool stopped;             /* its work must stop, or need not begin */
    int cancel_fd;                   /* set by the host before the work */
    char owner[TOKEN_NAME];          /* of a reserved session */
    bool counted;                    /* a session is reserved */
    struct session *opened;          /* a new session, for the table */
    struct session_opening *opening; /* how it was opened */
    struct session_info info;
    struct session_entry **list; /* held; only for resources/list */
    size_t list_n;

    /* The answer: a result, or a problem. */
    json_t *result;
    bool refused;
    struct rpc_problem problem;
};

/* Handles a request or a notification of a client; takes *message over. Returns the answer. NULL if
 * the message needs none, or if a call sends the answer later or has sent it already. *ret_refused
 * is the code of an answer that refuses the message itself, else 0. */
json_t *mcp_handle(struct mcp_client *client, struct rpc_message *message, void *ctx,
                   int *ret_refused);
/* Makes the error for a message that could not be read; frees the message. */
json_t *mcp_refusal(struct rpc_message *message, struct rpc_problem *problem);
/* True if the message is of the newer generation. */
bool mcp_is_modern(const struct rpc_message *message);
/* True if `initialize` may agree on this version. */
bool mcp_is_old_version(struct str version);

/* Workers may call these. mcp_call_fail sets the failed result of a tool, with a message for the
 * model. */
void mcp_call_fail(struct mcp_call *call, const struct err *err);
/* Returns the answer as a message, which the caller owns. Call it once. */
json_t *mcp_call_answer(struct mcp_call *call);
/* Only the loop may call these. */
void mcp_call_finish(struct mcp_call *call);
void mcp_call_cancel(struct mcp_call *call);
/* Stops all calls because the server ends; each still gets an answer. */
void mcp_client_stop_all(struct mcp_client *client);

#endif
