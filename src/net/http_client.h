/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests to our own daemon, or to a container engine, over a connected socket: HTTP/1.1, one
 * after the other on one connection. Small on purpose: redirections, compression and answers
 * without a length, which these servers do not send, are errors. Every wait has a deadline and ends
 * when the cancel descriptor becomes readable; every length has a ceiling.
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
    int fd;             /* -1 once the connection cannot be used any more */
    const char *peer;   /* the server, for messages: "the daemon", unless the caller changes it */
    char *token;        /* or NULL */
    const char *header; /* a line of every request, "Name: value"; or NULL */
    struct buf in;
    size_t taken; /* bytes of `in` that earlier answers used */
    /* Called each second while nothing of an answer has come: the first time with 1, then with 2,
     * and so on. -1 with *err gives up. May be NULL. */
    int (*quiet)(const void *ctx, const struct http_client *client, unsigned nth, struct err *err);
    const void *quiet_ctx;
};

/* Takes the descriptor over, which must be non-blocking. The token is copied, and sent with every
 * request. */
void http_client_init(struct http_client *client, int fd, const char *token);
void http_client_done(struct http_client *client);

struct http_ask {
    const char *method;
    const char *path;   /* encoded, with the query */
    const char *type;   /* of the body; NULL: application/json */
    const char *header; /* one line more, "Name: value"; or NULL */
    struct str body;
    int body_fd; /* if has_file: a file of body_size bytes instead */
    bool has_file;
    const char *upgrade; /* a protocol to which the connection is to change: see
                            http_client_unread; or NULL */
    uint64_t body_size;
    int64_t timeout_ms; /* time without any byte moving; 0: no deadline */
    int cancel_fd;      /* readable: give up; -1 for none */
    size_t body_max;    /* maximum of an answer, and of one line; 0: 64 MiB */
    /* Receives the answer line by line, if it is application/x-ndjson with status 200. Also makes
     * the request ask for that type. */
    void (*line)(void *ctx, struct str line);
    /* Receives the body of a 200 in pieces; -1 with *err gives up. */
    int (*piece)(void *ctx, struct str bytes, struct err *err);
    void *ctx;
};

struct http_reply {
    int status;
    bool streamed;  /* its lines or pieces were passed on, the last one included */
    bool began;     /* the head of an answer came, even if the rest failed */
    bool cancelled; /* by cancel_fd */
    struct buf body;
};

/* 0 and a complete answer; or -1 with ERR_SYSTEM (the connection broke), ERR_TIMEOUT, ERR_LIMIT, or
 * ERR_GUEST (not a valid answer), and then the connection cannot be used any more. Call
 * http_reply_done in both cases. */
int http_client_ask(struct http_client *client, const struct http_ask *ask, struct http_reply *ret,
                    struct err *err);
void http_reply_done(struct http_reply *reply);
/* Bytes that came after the last answer. After an `upgrade` (status 101 or 200), they are the first
 * of the new protocol, and the descriptor is the caller's to read and write. */
struct str http_client_unread(const struct http_client *client);

/* Appends a path's text, encoded for an address; slashes stay. */
void http_encode_path(struct buf *b, struct str path);

#endif
