/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages of JSON-RPC 2.0 as MCP uses it. The text comes from a client and is hostile: it is
 * bounded, and every invalid message has a problem to answer with.
 */
#ifndef MCP_RPC_H
#define MCP_RPC_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"

enum { RPC_ID_MAX = 1000 }; /* bytes of an id, and of a progress token */

enum rpc_code {
    RPC_PARSE = -32700,
    RPC_INVALID = -32600,
    RPC_METHOD = -32601,
    RPC_PARAMS = -32602,
    RPC_INTERNAL = -32603,
    RPC_NO_RESOURCE = -32002, /* before 2026-07-28; then RPC_PARAMS */
    RPC_HEADER = -32020,      /* an HTTP header is missing, or contradicts the message */
    RPC_CAPABILITY = -32021,  /* the client cannot do what the request needs */
    RPC_VERSION = -32022,
};

struct rpc_problem {
    enum rpc_code code;
    char message[512];
    json_t *data; /* or NULL */
};
/* Returns -1. */
int rpc_problem_set(struct rpc_problem *problem, enum rpc_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

enum rpc_kind { RPC_REQUEST, RPC_NOTIFICATION, RPC_RESPONSE };

struct rpc_message {
    enum rpc_kind kind;
    json_t *doc;        /* it has all the other members; the caller's */
    const json_t *id;   /* a string or an integer; NULL for none */
    const char *method; /* NULL for a response */
    json_t *params;     /* an object, or NULL */
};

/* Parses one text of a client: an object is a message, an array a batch of them. -1 with *problem.
 */
int rpc_parse(struct str text, json_t **ret, struct rpc_problem *problem);

/* The id in a message that rpc_parse() refused because of a number that is too large; else NULL.
 * Without it, the client would wait for an answer for ever. */
json_t *rpc_unread_id(struct str text);

/* Reads a message; takes the document over. -1 with *problem; ret->doc and ret->id are then set as
 * far as they are known. */
int rpc_read(json_t *doc, struct rpc_message *ret, struct rpc_problem *problem);

/* Messages to the client, which the caller owns. The result is taken over, as is the problem's
 * data; the id is copied, and NULL becomes null. */
json_t *rpc_result(const json_t *id, json_t *result);
json_t *rpc_error(const json_t *id, struct rpc_problem *problem);
json_t *rpc_notification(const char *method, json_t *params);
/* The message as text; takes it over. One of more than `max` bytes becomes an error: many clients
 * end the connection at a long message, and would lose all sessions. */
char *rpc_text(json_t *message, size_t max);

/* ---- lines ---- */

enum { RPC_LINE_MAX = 64 << 20 }; /* room for a file of 20 MiB in base64, escaped */

struct rpc_lines {
    /* A line without its end. NULL bytes: a line was longer than RPC_LINE_MAX, and is dropped. */
    void (*line)(void *ctx, struct str line);
    void *ctx;
    size_t max;
    struct buf held; /* the beginning of an incomplete line */
    bool dropping;
};

void rpc_lines_init(struct rpc_lines *lines, size_t max, void (*line)(void *ctx, struct str line),
                    void *ctx);
void rpc_lines_done(struct rpc_lines *lines);
void rpc_lines_feed(struct rpc_lines *lines, struct str bytes);
/* Drops the line of which the beginning is there. */
void rpc_lines_drop(struct rpc_lines *lines);
/* The end of the input: a last line without a line end is a line. */
void rpc_lines_end(struct rpc_lines *lines);

#endif
