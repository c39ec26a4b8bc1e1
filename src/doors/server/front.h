/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the handler of a request's route; and the answers that all handlers share.
 */
#ifndef SERVER_FRONT_H
#define SERVER_FRONT_H

#include "request/setting.h"
#include "request/wording.h"
#include "server/server.h"

struct job;
struct call;

enum route_flag {
    ROUTE_OPEN = 1 << 0,     /* no token is needed */
    ROUTE_JSON = 1 << 1,     /* has a body of JSON */
    ROUTE_UPLOAD = 1 << 2,   /* the body is a file */
    ROUTE_DRAINING = 1 << 3, /* is answered also while the daemon stops */
    ROUTE_PROTOCOL = 1 << 4, /* described elsewhere, and not in the OpenAPI document */
    ROUTE_TURN = 1 << 5,     /* its job waits for the turn of the session {id} */
};

/* A parameter of the address, after the '?'. */
struct query_field {
    const char *name, *help;
};

struct route {
    enum http_method method;
    const char *path; /* as "/v1/sessions/{id}/files/{path}": {path} may contain slashes */
    const char *name; /* operationId */
    const char *summary;
    unsigned flags;
    struct ask_form form; /* of the JSON body */
    const struct query_field *query;
    int status;         /* status on success */
    const char *answer; /* the name of a schema (openapi_schemas.c), or "ONE|OTHER" */
    const char *event;  /* of a line, if it can answer with a line for each event; or NULL */
    void (*handle)(struct call *call);
    void (*work)(struct job *job); /* instead: the request becomes a job with this work */
};

/* One request. It lives as long as its exchange. */
struct call {
    struct server *server;
    struct http_exchange *x;
    const struct route *route;
    struct buf id;   /* {id} */
    struct buf rest; /* {path}, {call}, {run} */
    char owner[TOKEN_NAME];
    bool operator;        /* came over the Unix socket: may do everything */
    bool streams;         /* the client wants a stream of lines */
    enum wording wording; /* the spelling of settings in answers */
    struct job *job;
    /* For a handler that answers without a job. */
    void *own;
    /* the client has disconnected; `ended` is called after this */
    void (*gone)(struct call *call);
    void (*ended)(struct call *call); /* the exchange is over */
};

/* Sends the answer; takes over `text`. */
void call_answer(struct call *call, int status, const char *type, char *text);
void call_fail(struct call *call, const struct err *err);
void call_refuse(struct call *call, int status, const char *extra, const char *kind,
                 const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* For a route without fields. -1, with the answer 400, unless the body is empty or {}. */
int call_no_fields(struct call *call);
/* The rules for what the caller may request. */
const struct request_rules *call_rules(const struct call *call);
/* True if the caller is the daemon's own user, or root, on the Unix socket. Other users may have
 * access to the socket, too. */
bool call_is_own_user(const struct call *call);
/* Reads the ?name=value pairs of the route's query and calls `take` for each. -1, with the answer
 * 400. */
int call_query(struct call *call,
               int (*take)(void *ctx, const char *name, const char *value, struct err *err),
               void *ctx);

#endif
