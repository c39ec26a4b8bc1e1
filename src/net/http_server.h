/* SPDX-License-Identifier: Apache-2.0
 *
 * Connections: requests in, answers out, in the thread of an event loop. A connection has one
 * exchange at a time; requests that a client sends early (pipelining) wait, within a limit, until
 * the previous answer is on its way. Every wait has a deadline; everything that a client can make
 * grow has a ceiling.
 *
 * An exchange lives from the end of a request's head until `done`. It must not be used afterwards.
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
    struct str body;    /* complete when `request` is called */
    int body_fd;        /* the body as a file, after http_to_file, at its beginning; else -1 */
    uint64_t body_size; /* size of either */
    int64_t began_ns;   /* when the head was complete */
    void *user;         /* the handler's */
    /* The outcome, for `done`. */
    int status;
    uint64_t sent;
    bool failed; /* the client went away, or was disconnected, before it had the answer */
};

struct http_handler {
    void *ctx;
    /* The head is complete. If there is no answer at once, the body is read: into memory up to the
     * limit of http_body_max, or into a file (http_to_file). */
    void (*head)(void *ctx, struct http_exchange *x);
    /* The whole request is there. Of a connection's requests at most one is handled in a turn of
     * the loop, if they came together. The answer may come now, or later. */
    void (*request)(void *ctx, struct http_exchange *x);
    /* After http_upgrade: bytes of the client, which are lent. */
    void (*bytes)(void *ctx, struct http_exchange *x, struct str bytes);
    /* The client has taken all bytes so far of an answer in pieces. */
    void (*drained)(void *ctx, struct http_exchange *x);
    /* The client has gone; work on the answer may stop. `done` follows. */
    void (*gone)(void *ctx, struct http_exchange *x);
    /* The end of the exchange: the answer is sent, or never will be. */
    void (*done)(void *ctx, struct http_exchange *x);
    /* Bytes of bodies that were moved out (http_take_body) and that no work has begun on: they
     * count with those of limits.bodies. */
    uint64_t (*held)(void *ctx);
    /* An answer for a malformed request, {"error": ...}; the caller frees. */
    char *(*refusal)(void *ctx, int status, const char *why);
};

struct http_limits {
    int64_t header_ms;    /* from a request's first byte to the end of its head */
    int64_t body_ms;      /* for the body, and one more second for each 64 KiB of it that came */
    int64_t idle_ms;      /* between requests; over TCP before the first one, too */
    int64_t write_ms;     /* without the client taking any byte of an answer */
    unsigned connections; /* a further one replaces one without a whole head yet, or gets 503 */
    uint64_t bodies;      /* bytes of all bodies together: a large one waits until it has room */
};

struct http_counts {
    uint64_t accepted, refused; /* connections */
    unsigned open;
    uint64_t bytes_in, bytes_out;
};

int http_server_open(struct event_base *base, const struct http_handler *handler,
                     const struct http_limits *limits, struct http_server **ret, struct err *err);
/* The listener is lent until http_server_close. */
int http_server_add(struct http_server *server, const struct listener *listener, struct err *err);
void http_server_limits(struct http_server *server, const struct http_limits *limits);
const struct http_counts *http_server_counts(const struct http_server *server);
/* From now on a connection closes after its next answer. */
void http_server_drain(struct http_server *server);
/* Accepts no more connections, and closes idle ones. */
void http_server_stop(struct http_server *server);
/* Closes all connections, whatever their state. */
void http_server_close(struct http_server *server);

/* ---- in `head` ---- */

void http_body_max(struct http_exchange *x, uint64_t max);
/* The body goes into a file without a name. -1 with errno. */
int http_to_file(struct http_exchange *x, uint64_t max);

/* In `request`, or later: moves the body out of memory into *ret; the caller frees it with
 * buf_done. */
void http_take_body(struct http_exchange *x, struct buf *ret);

/* The user of the process at the other end of a Unix socket; -1 over TCP. */
int64_t http_peer_uid(const struct http_exchange *x);

/* ---- the answer ---- */

struct http_answer {
    int status;
    const char *type;  /* NULL: application/json */
    const char *extra; /* further headers, each with CR LF; or NULL */
    char *body;        /* allocated; taken over */
    size_t size;
    bool lent; /* the body is the caller's, and stays as it is until http_server_close */
};
void http_answer(struct http_exchange *x, const struct http_answer *given);
/* From the descriptor's position on; takes it over. If the file is shorter than `size`, the
 * connection is closed early. */
void http_answer_file(struct http_exchange *x, const char *type, int fd, uint64_t size);

/* An answer that comes in pieces: begin, any number of pieces, end. `extra` as in http_answer. */
void http_begin(struct http_exchange *x, int status, const char *type, const char *extra);
void http_piece(struct http_exchange *x, struct str bytes);
void http_end(struct http_exchange *x);
bool http_begun(const struct http_exchange *x);

/* In `request`: from now on the connection carries bytes of the protocol in both directions, by
 * `bytes` and http_piece, until http_end. A client that closes its sending end is gone. */
void http_upgrade(struct http_exchange *x, const char *protocol);
/* After http_upgrade: `bytes` is not called until the second call, with false. That one may call it
 * at once, unless it is made within `bytes`. */
void http_hold(struct http_exchange *x, bool on);
/* Bytes of answers that the client has not taken yet. */
size_t http_unsent(const struct http_exchange *x);
/* Closes the connection now: a streamed answer cannot be completed. `gone` is not called. */
void http_break(struct http_exchange *x);

#endif
