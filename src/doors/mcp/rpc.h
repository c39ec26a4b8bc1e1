/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages of JSON-RPC 2.0 as MCP uses it. The text comes from a client and is hostile: its size is
 * limited, and for every invalid message there is a problem to answer with.
 */
#ifndef MCP_RPC_H
#define MCP_RPC_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"

enum { RPC_ID_MAX = 1000 }; /* maximum bytes of an id, and of a progress token */

enum rpc_code {
    RPC_PARSE = -32700,
    RPC_INVALID = -32600,
    RPC_METHOD = -32601,
    RPC_PARAMS = -32602,
    RPC_INTERNAL = -32603,
    RPC_NO_RESOURCE = -32002, /* before version 2026-07-28; newer ones use RPC_PARAMS */
    RPC_HEADER = -32020,      /* an HTTP header is missing, or contradicts the message */
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
    json_t *doc;        /* the other members point into it; the caller owns it */
    const json_t *id;   /* a string or an integer; NULL for none */
    const char *method; /* NULL for a response */
    json_t *params;     /* an object, or NULL */
};

/* Parses a text from a client: an object is a message, an array is a batch of messages. -1 with
 * *problem.
 */
int rpc_parse(struct str text, json_t **ret, struct rpc_problem *problem);

/* As rpc_parse, for one line (struct rpc_lines). NULL with the error to send in *ret_error; for an
 * empty line, both are NULL. */
json_t *rpc_parse_line(struct str line, json_t **ret_error);

/* Reads a message; takes the document over. -1 with *problem; then ret->doc and ret->id are set if
 * they are known. */
int rpc_read(json_t *doc, struct rpc_message *ret, struct rpc_problem *problem);

/* Make messages to the client, which the caller owns. `result`, `params` and the problem's data are
 * taken over, and NULL `params` are left out; the id is copied, and NULL becomes null. */
json_t *rpc_result(const json_t *id, json_t *result);
json_t *rpc_error(const json_t *id, struct rpc_problem *problem);
json_t *rpc_notification(const char *method, json_t *params);
json_t *rpc_request(const char *id, const char *method);
/* Sets the problem that an answer is longer than `max` bytes. Returns -1. */
int rpc_too_long(size_t max, struct rpc_problem *problem);
/* Writes the message as a string, which the caller frees; takes the message over. A message of more
 * than `max` bytes is replaced by an error: many clients close the connection at a message that is
 * too long, and would lose all sessions. */
char *rpc_text(json_t *message, size_t max);

/* ---- lines ---- */

enum { RPC_LINE_MAX = 64 << 20 }; /* room for a file of 20 MiB in base64, escaped */

struct rpc_lines {
    /* Receives a line without its end. p is NULL if the line was longer than RPC_LINE_MAX and was
     * dropped. */
    void (*line)(void *ctx, struct str line);
    void *ctx;
    size_t max;
    struct buf held; /* the start of an incomplete line */
    bool dropping;
};

void rpc_lines_init(struct rpc_lines *lines, size_t max, void (*line)(void *ctx, struct str line),
                    void *ctx);
void rpc_lines_done(struct rpc_lines *lines);
void rpc_lines_feed(struct rpc_lines *lines, struct str bytes);
/* Call it at the end of the input: a last line without a line end counts. */
void rpc_lines_end(struct rpc_lines *lines);

#endif
