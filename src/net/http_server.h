/* SPDX-License-Identifier: Apache-2.0
 *
 * Connections: requests in, answers out, in the thread of an event loop. A
 * connection has one exchange at a time; what a client sends ahead (pipelining)
 * waits, within a limit, until the answer before it is on its way. Every wait
 * has a deadline, everything a client can make grow a ceiling.
 *
 * An exchange lives from the end of a request's head until `done`. Nobody may
 * touch it afterwards.
 */
#ifndef NET_HTTP_SERVER_H
#define NET_HTTP_SERVER_H

#include <stdatomic.h>

#include "net/http.h"
#include "net/listen.h"

struct event_base;
struct http_conn;
struct http_server;

struct http_exchange {
    struct http_conn *conn;
    const struct listener *listener;
    const struct http_head *head;
    struct str body;    /* whole, when `request` is called */
    int body_fd;        /* instead, where http_to_file was called: from its beginning; -1
                         */
    uint64_t body_size; /* of either */
    int64_t began_ns;   /* when the head was there */
    void *user;         /* the handler's */
    /* What came of it, for `done`. */
    int status;
    uint64_t sent;
    bool failed; /* the client went away, or was sent away, before it had the
                    answer */
};

struct http_handler {
    void *ctx;
    /* The head is there. Without an answer at once, the body is read: into memory
     * up to what http_body_max allows, or into a file (http_to_file). */
    void (*head)(void *ctx, struct http_exchange *x);
    /* All of the request is there. The answer may come now, or later. */
    void (*request)(void *ctx, struct http_exchange *x);
    /* The client has taken all that there was of an answer in pieces. */
    void (*drained)(void *ctx, struct http_exchange *x);
    /* The client has gone; whoever works on an answer may stop. `done` follows.
     */
    void (*gone)(void *ctx, struct http_exchange *x);
    /* The end of the exchange: the answer is sent, or never will be. */
    void (*done)(void *ctx, struct http_exchange *x);
    /* An answer for a request that makes no sense, {"error": ...}; the caller
     * frees. */
    char *(*refusal)(void *ctx, int status, const char *why);
};

struct http_limits {
    int64_t header_ms; /* from a request's first byte to the end of its head */
    int64_t body_ms;   /* for the body, and a second more for each 64 KiB of it that
                          came */
    int64_t idle_ms;   /* between requests */
    int64_t write_ms;  /* without any of an answer being taken */
    unsigned connections;
    uint64_t bodies; /* bytes of all bodies together */
};

struct http_counts {
    uint64_t accepted, refused; /* connections */
    unsigned open;
    uint64_t bytes_in, bytes_out;
};

int http_server_open(struct event_base *base, const struct http_handler *handler,
                     const struct http_limits *limits, struct http_server **ret, struct err *err);
/* The listener is lent, until http_server_close. */
int http_server_add(struct http_server *server, const struct listener *listener, struct err *err);
void http_server_limits(struct http_server *server, const struct http_limits *limits);
const struct http_counts *http_server_counts(const struct http_server *server);
/* From now on a connection ends with its next answer. */
void http_server_drain(struct http_server *server);
/* Accepts nobody any more, and ends idle connections. */
void http_server_stop(struct http_server *server);
/* Ends all connections, whatever they are doing. */
void http_server_close(struct http_server *server);

/* ---- in `head` ---- */

void http_body_max(struct http_exchange *x, uint64_t max);
/* The body goes into a file without a name. -1 with errno. */
int http_to_file(struct http_exchange *x, uint64_t max);

/* In `request`, or later: hands the body in memory out; *ret is to be ended
 * with buf_done. */
void http_take_body(struct http_exchange *x, struct buf *ret);

/* ---- the answer ---- */

struct http_answer {
    int status;
    const char *type;  /* NULL: application/json */
    const char *extra; /* further headers, each with CR LF; or NULL */
    char *body;        /* allocated; taken over */
    size_t size;
};
void http_answer(struct http_exchange *x, const struct http_answer *answer);
/* From the descriptor's position on; it is taken over. What the file lacks of
 * `size` breaks the connection. */
void http_answer_file(struct http_exchange *x, const char *type, int fd, uint64_t size);

/* An answer that comes in pieces: begin, any number of pieces, end. */
void http_begin(struct http_exchange *x, int status, const char *type);
void http_piece(struct http_exchange *x, struct str bytes);
void http_end(struct http_exchange *x);
bool http_begun(const struct http_exchange *x);
/* Bytes of answers that the client has not taken yet. */
size_t http_unsent(const struct http_exchange *x);
/* Ends the connection now: a streamed answer cannot be completed. `gone` is not
 * called. */
void http_break(struct http_exchange *x);

#endif
