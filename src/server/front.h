/* SPDX-License-Identifier: Apache-2.0
 *
 * From a request to the handler of its route, and the answers that all handlers share.
 */
#ifndef SERVER_FRONT_H
#define SERVER_FRONT_H

#include "request/fields.h"
#include "request/wording.h"
#include "server/server.h"

struct job;
struct call;

enum route_flag {
    ROUTE_OPEN = 1 << 0,     /* for every caller */
    ROUTE_JSON = 1 << 1,     /* has a body of JSON */
    ROUTE_UPLOAD = 1 << 2,   /* has a file as its body */
    ROUTE_STREAMS = 1 << 3,  /* can answer with a line for each event */
    ROUTE_DRAINING = 1 << 4, /* is answered also while the daemon stops */
    ROUTE_PROTOCOL = 1 << 5, /* has a description of its own, and is not in the OpenAPI document */
};

/* A parameter of the address, behind the '?'. */
struct query_field {
    const char *name, *help;
};

struct route {
    enum http_method method;
    const char *path; /* "/v1/sessions/{id}/files/{path}": {path} may hold slashes */
    const char *name; /* operationId */
    const char *summary;
    unsigned flags;
    const struct field *const *fields; /* of its JSON body */
    const struct query_field *query;
    int status;         /* status on success */
    const char *answer; /* the name of a schema (openapi_schemas.c) */
    void (*handle)(struct call *call);
};

extern const struct route routes[]; /* ends with a NULL path */

/* One request on its way. Lives as long as its exchange. */
struct call {
    struct server *server;
    struct http_exchange *x;
    const struct route *route;
    struct buf id;   /* {id} */
    struct buf rest; /* {path}, {call}, {run} */
    char owner[TOKEN_NAME];
    bool operator;        /* came over the Unix socket: has access to everything */
    bool streams;         /* the client asked for lines */
    enum wording wording; /* how answers write settings */
    struct job *job;
    /* For a handler that answers without a job. */
    void *own;
    void (*gone)(struct call *call);  /* the client has gone; `ended` follows */
    void (*ended)(struct call *call); /* the exchange is over */
    /* After http_upgrade: as the functions of struct http_handler. */
    void (*bytes)(struct call *call, struct str bytes);
    void (*drained)(struct call *call);
};

/* The answer; text is taken over. */
void call_answer(struct call *call, int status, const char *type, char *text);
void call_fail(struct call *call, const struct err *err);
void call_refuse(struct call *call, int status, const char *extra, const char *kind,
                 const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* The figures of the daemon cover all owners. Answers 403 when this caller may not read them. */
bool call_may_read_figures(struct call *call);
/* For a route without fields: -1 answers 400 unless the body is empty or {}. */
int call_no_fields(struct call *call);
/* What the caller may ask for. */
const struct request_rules *call_rules(const struct call *call);
/* Whether the caller is the user that the daemon belongs to, or root, on the Unix socket. Others
 * may have been given access to that. */
bool call_is_own_user(const struct call *call);
/* Reads ?name=value pairs of the route's query and calls `take` for each; -1 answers 400. */
int call_query(struct call *call,
               int (*take)(void *ctx, const char *name, const char *value, struct err *err),
               void *ctx);

/* handle_*.c */
void handle_run(struct call *call);
void handle_check(struct call *call);
void handle_test(struct call *call);
void handle_batch(struct call *call);
void handle_task(struct call *call);
void batch_prepare(void); /* before the first request */
void handle_runs(struct call *call);
void handle_run_by_id(struct call *call);
void handle_backends(struct call *call);
void handle_about(struct call *call);
void handle_health(struct call *call);
void handle_ready(struct call *call);
void handle_metrics(struct call *call);
void handle_openapi(struct call *call);
void handle_status(struct call *call);
void handle_stop(struct call *call);
void handle_session_open(struct call *call);
void handle_session_list(struct call *call);
void handle_session_show(struct call *call);
void handle_session_close(struct call *call);
void handle_session_exec(struct call *call);
void handle_session_fork(struct call *call);
void handle_session_commit(struct call *call);
void handle_session_interrupt(struct call *call);
void handle_session_restart(struct call *call);
void handle_session_set(struct call *call);
void handle_session_get(struct call *call);
void handle_session_answer(struct call *call);
void handle_session_tool_put(struct call *call);
void handle_session_tool_remove(struct call *call);
void handle_files_list(struct call *call);
void handle_file_get(struct call *call);
void handle_file_put(struct call *call);
void handle_file_delete(struct call *call);
void handle_mcp_post(struct call *call);
void handle_mcp_get(struct call *call);
void handle_mcp_delete(struct call *call);
void handle_mcp_lines(struct call *call);

extern const struct field *const run_tables[],
    *const check_tables[], *const test_tables[],
                               *const batch_tables[],
                                   *const session_tables[],
                                       *const cell_tables[],
                                           *const fork_tables[],
                                               *const commit_tables[],
                                                   *const set_tables[],
                                                       *const get_tables[],
                                                           *const answer_tables[],
                                                               *const tool_tables[],
                                                                   *const stop_tables[];
extern const struct field *const generate_tables[],
    *const solve_tables[], *const fix_tables[], *const transform_tables[],
                                                    *const math_tables[], *const analyze_tables[];
extern const struct query_field runs_query[];

#endif
