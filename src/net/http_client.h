/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests to our own daemon over a connected socket: HTTP/1.1, one after the other on one
 * connection. Small on purpose: what our server does not send (redirections, compression, answers
 * without a length) is an error. Every wait has a deadline and ends when the cancel descriptor gets
 * readable, every length a ceiling.
 *
 *     struct http_client client;
 *     http_client_init(&client, fd, NULL);
 *     struct http_ask ask = {.method = "POST", .path = "/v1/run", .body = json, .cancel_fd = -1};
 *     if (http_client_ask(&client, &ask, &reply, &err) == 0) ... reply.status, reply.body ...
 *     http_reply_done(&reply);
 *     http_client_done(&client);
 */
#ifndef NET_HTTP_CLIENT_H
#define NET_HTTP_CLIENT_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct http_client {
    int fd;      /* -1 once the connection is of no use any more */
    char *token; /* or NULL */
    struct buf in;
    size_t taken; /* of `in`, by what was answered before */
};

/* Takes the descriptor over, which does not block; the token is copied, and goes along with every
 * request. */
void http_client_init(struct http_client *client, int fd, const char *token);
void http_client_done(struct http_client *client);

struct http_ask {
    const char *method;
    const char *path; /* encoded, with the query */
    const char *type; /* of the body; NULL: application/json */
    struct str body;
    int body_fd; /* where has_file: a file of body_size bytes instead */
    bool has_file;
    uint64_t body_size;
    int64_t timeout_ms; /* without a byte moving; 0: no deadline */
    int cancel_fd;      /* readable: give up; -1 for none */
    size_t body_max;    /* of an answer, and of a line of one; 0: 64 MiB */
    /* Takes an answer line by line (application/x-ndjson), where it is one and its status is 200;
     * asks for it, too. */
    void (*line)(void *ctx, struct str line);
    /* Takes the body of a 200 as it comes; -1 with *err gives up. */
    int (*piece)(void *ctx, struct str bytes, struct err *err);
    void *ctx;
};

struct http_reply {
    int status;
    bool streamed;  /* its lines or pieces were handed out, and the last of them was */
    bool began;     /* the head of an answer came, also when what follows failed */
    bool cancelled; /* by cancel_fd */
    struct buf body;
};

/* 0 and a whole answer; -1 with ERR_SYSTEM (the connection broke), ERR_TIMEOUT, ERR_LIMIT,
 * ERR_GUEST (what came is no such answer); then the connection is of no use any more. Either way
 * http_reply_done. */
int http_client_ask(struct http_client *client, const struct http_ask *ask, struct http_reply *ret,
                    struct err *err);
void http_reply_done(struct http_reply *reply);

/* Appends a path's text as it stands in an address; slashes stay. */
void http_encode_path(struct buf *b, struct str path);

#endif
