/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests to our own daemon, or to a container engine, over a connected socket: HTTP/1.1, one
 * after the other on one connection. It is small on purpose: redirections, compression and answers
 * without a length are errors, since these servers do not send them. Every wait has a deadline and
 * ends when the cancel descriptor becomes readable; every length has a ceiling.
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
    int fd;             /* -1 once the connection is unusable */
    const char *peer;   /* the server, for messages: "the daemon", unless the caller changes it */
    char *token;        /* or NULL */
    const char *header; /* a line of every request, "Name: value"; or NULL */
    struct buf in;
    size_t taken; /* bytes of `in` that belong to earlier answers */
    /* Called each second while no byte of an answer has arrived: with 1, then 2, and so on. To give
     * up, it returns -1 with *err. May be NULL. */
    int (*quiet)(const void *ctx, const struct http_client *client, unsigned nth, struct err *err);
    const void *quiet_ctx;
};

/* Takes ownership of the descriptor, which must be non-blocking. The token is copied, and sent with
 * every request. */
void http_client_init(struct http_client *client, int fd, const char *token);
void http_client_done(struct http_client *client);

struct http_ask {
    const char *method;
    const char *path;   /* encoded, with the query */
    const char *type;   /* of the body; NULL: application/json */
    const char *header; /* further headers, "Name: value", with \r\n between them; or NULL */
    const char *wanted; /* the name of a header of the answer to store in reply.wanted; or NULL */
    struct str body;
    int body_fd; /* if has_file: the body is a file of body_size bytes */
    bool has_file;
    /* the protocol to change the connection to (see http_client_unread); or NULL */
    const char *upgrade;
    uint64_t body_size;
    int64_t timeout_ms; /* the longest time without a byte in either direction; 0: no limit */
    int cancel_fd;      /* when it becomes readable, the request is given up; -1 for none */
    size_t body_max;    /* the most bytes of an answer, and of one line; 0: 64 MiB */
    /* Receives the answer line by line, if it is application/x-ndjson with status 200. If set, the
     * request's Accept header asks for that type. */
    void (*line)(void *ctx, struct str line);
    /* Receives the body of a 200 in chunks; to give up, it returns -1 with *err. */
    int (*piece)(void *ctx, struct str bytes, struct err *err);
    void *ctx;
};

struct http_reply {
    int status;
    bool streamed;   /* all of its lines or chunks were passed on */
    bool began;      /* the head of an answer arrived, even if the rest failed */
    bool cancelled;  /* by cancel_fd */
    char wanted[64]; /* the header's value; "" if there is none, or it is longer */
    struct buf body;
};

/* 0 and a complete answer. On failure -1 with ERR_SYSTEM (the connection broke), ERR_TIMEOUT,
 * ERR_LIMIT or ERR_GUEST (not a valid answer); the connection is then unusable. Call
 * http_reply_done in both cases. */
int http_client_ask(struct http_client *client, const struct http_ask *ask, struct http_reply *ret,
                    struct err *err);
void http_reply_done(struct http_reply *reply);
/* Bytes that arrived after the last answer. After an `upgrade` (status 101 or 200) they are the
 * first bytes of the new protocol, and the caller reads and writes the descriptor itself. */
struct str http_client_unread(const struct http_client *client);

/* Appends a path, percent-encoded except for slashes. */
void http_encode_path(struct buf *b, struct str path);

#endif
