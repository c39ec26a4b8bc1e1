/* SPDX-License-Identifier: Apache-2.0
 *
 * A server of the Model Context Protocol: tools by which a client's model runs code in sandboxes.
 * Two generations of the protocol are spoken at once, and each request says which is meant:
 * 2024-11-05 to 2025-11-25 begin with `initialize`; since 2026-07-28 every request names its
 * version.
 *
 * Theory. Methods, tools and resources are here; how messages come and go is the host's part:
 * standard input and output (mcp/stdio.h), or the daemon's /mcp. A host has one thread, its loop,
 * that owns clients, calls and the table of sessions (hosting/session_table.h) and never waits for
 * a guest. A request that may take long becomes a call, and the host lets a worker do its work;
 * calls about one session take turns.
 */
#ifndef MCP_MCP_H
#define MCP_MCP_H

#include <stdatomic.h>

#include "hosting/session_table.h"
#include "mcp/kept.h"
#include "mcp/rpc.h"
#include "request/run_fields.h"
#include "result/result.h"

#define MCP_META       "io.modelcontextprotocol/"
#define MCP_MODERN     "2026-07-28"
#define MCP_NEWEST_OLD "2025-11-25"

struct mcp_call;
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

/* ---- what the host gives ---- */

/* All are called in the loop, unless noted. */
struct mcp_host {
    /* Has `call->work` called in a worker; with a session, in the session's turn, and with
     * call->entry set. After that, or without it if the call cannot be worked on (mcp_call_fail),
     * mcp_call_finish has to follow. */
    void (*begin)(struct mcp_call *call, struct session_entry *entry);
    /* The call was cancelled: its work need not begin, or is to stop. */
    void (*stop)(struct mcp_call *call);
    /* Sends a notification to the client, from any thread; takes it over. Progress is dropped when
     * the client is slow. */
    void (*note)(const struct mcp_call *call, json_t *message, bool is_progress);
    /* The end of a call: sends mcp_call_answer, unless the call is cancelled, and ends its turn. */
    void (*over)(struct mcp_call *call);
    /* In a worker: request_make, with the pool and whatever else the host adds. */
    int (*request)(const struct mcp_call *call, struct run_fields *fields,
                   struct request_parts *parts, struct run_request *ret, struct err *err);
    /* In a worker, after a run or a cell; NULL if the host does not count. */
    void (*ran)(const struct mcp_call *call, const struct result *result, int64_t took_us);
    /* In a worker: holds the settings that a new session's request points into. NULL if they stay
     * longer than every session. */
    void *(*hold_settings)(const struct mcp_call *call);
    void (*drop_settings)(void *settings);
};

/* What holds for all clients. Lent to their calls. */
struct mcp_service {
    const struct request_rules *rules; /* with the settings of every run and session */
    char *const *languages;  /* the only ones that are offered; NULL-terminated, or NULL for all */
    int64_t idle_ms;         /* a session that is not used for so long is closed */
    struct run_request base; /* of the settings */
    struct buf about;        /* what a model must know of the sandbox */
};
int mcp_service_open(struct mcp_service *service, const struct request_rules *rules,
                     char *const *languages, int64_t idle_ms, struct err *err);
void mcp_service_close(struct mcp_service *service);

/* One client, made by the host. All but the last members are set by it. */
struct mcp_client {
    const struct mcp_host *host;
    void *ctx; /* the host's own */
    const struct mcp_service *service;
    struct sessions *sessions;
    struct kept *kept;
    const char *owner;   /* of the sessions that it opens */
    const char *sees;    /* the owner whose sessions it may use; NULL: all */
    const char *keeper;  /* the owner of the files that are kept for it */
    uint64_t scope;      /* only sessions with this number, which it opens, are its; 0: no limit */
    size_t sessions_max; /* of such sessions; 0: as many as the table allows */
    enum mcp_level level;
    const char *version; /* of `initialize`; NULL before */
    struct mcp_call *calls;
    size_t call_n;
};

/* ---- calls ---- */

/* A request that is not answered at once. */
struct mcp_call {
    struct mcp_call *next;
    struct mcp_client *client;
    const struct mcp_service *service;
    void *ctx;  /* what the host gave to mcp_handle */
    void *task; /* the host's, from `begin` to `over` */
    struct rpc_message message;
    bool modern;
    const char *version; /* of the older generation */
    enum mcp_level level;
    const json_t *progress_token; /* in the message; NULL: no progress is reported */
    const struct mcp_tool *tool;  /* of tools/call */
    json_t *arguments;            /* in the message, or `none` */
    json_t *none;
    void (*work)(struct mcp_call *call);
    struct session_entry *entry;     /* of a call about a session, while it has its turn */
    atomic_bool cancelled;           /* it gets no answer, and no notifications */
    int cancel_fd;                   /* set by the host before the work */
    char owner[TOKEN_NAME];          /* of a reserved session */
    bool counted;                    /* it is reserved */
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

/* Handles a request or a notification of a client; takes *message over. Returns the answer, or NULL
 * when none is due, or a call gives it later, or has given it meanwhile. *ret_refused is the code
 * of an answer that refuses the message as such, else 0. */
json_t *mcp_handle(struct mcp_client *client, struct rpc_message *message, void *ctx,
                   int *ret_refused);
/* The error for a message that could not be read; frees it. */
json_t *mcp_refusal(struct rpc_message *message, struct rpc_problem *problem);
/* Whether the message is one of the newer generation. */
bool mcp_is_modern(const struct rpc_message *message);
/* Whether `initialize` may agree on this version. */
bool mcp_is_old_version(struct str version);

/* These may be called in a worker. A failed result of a tool: the message is for the model. */
void mcp_call_fail(struct mcp_call *call, const struct err *err);
/* The answer as a message; the caller's. Once. */
json_t *mcp_call_answer(struct mcp_call *call);
/* These belong to the loop. */
void mcp_call_finish(struct mcp_call *call);
void mcp_call_cancel(struct mcp_call *call);
void mcp_client_cancel_all(struct mcp_client *client);

#endif
