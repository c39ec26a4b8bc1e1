/* SPDX-License-Identifier: Apache-2.0
 *
 * Connections: requests in, answers out, in the thread of an event loop. A connection has one
 * exchange at a time; requests that a client sends in advance (pipelining) wait, within a limit,
 * until the previous answer is being sent. Every wait has a deadline; everything that a client can
 * make grow has a ceiling.
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
    int body_fd;        /* after http_to_file: the body as a file, at offset 0; else -1 */
    uint64_t body_size; /* size of the body, in memory or in the file */
    int64_t began_ns;   /* when the head was complete */
    void *user;         /* for the handler's own use */
    /* The outcome, for `done`. */
    int status;
    uint64_t sent;
    bool failed; /* the client went away or was disconnected before it had the whole answer */
};

struct http_handler {
    void *ctx;
    /* The head is complete. Unless the handler answers at once, the body is read: into memory up to
     * the limit of http_body_max, or into a file (http_to_file). */
    void (*head)(void *ctx, struct http_exchange *x);
    /* The whole request has arrived. If several requests of one connection arrived together, one is
     * handled in each turn of the loop. The handler may answer now or later. */
    void (*request)(void *ctx, struct http_exchange *x);
    /* The client has accepted all bytes so far of an answer in chunks. */
    void (*drained)(void *ctx, struct http_exchange *x);
    /* The client has disconnected; work on the answer may stop. `done` follows. */
    void (*gone)(void *ctx, struct http_exchange *x);
    /* The end of the exchange: the answer has been sent, or never will be. */
    void (*done)(void *ctx, struct http_exchange *x);
    /* Returns the bytes of bodies that http_take_body moved out and that are still queued: they
     * count towards limits.bodies. */
    uint64_t (*held)(void *ctx);
    /* An answer for a malformed request, {"error": ...}; the caller frees. */
    char *(*refusal)(void *ctx, int status, const char *why);
};

struct http_limits {
    int64_t header_ms;    /* from a request's first byte to the end of its head */
    int64_t body_ms;      /* for the body, plus a second for each 64 KiB of it that has arrived */
    int64_t idle_ms;      /* between requests; over TCP also before the first one */
    int64_t write_ms;     /* while the client accepts no byte of an answer */
    unsigned connections; /* a further one replaces one that has sent no whole head, or gets 503 */
    uint64_t bodies;      /* bytes of all bodies together: a large body waits for room */
};

struct http_counts {
    uint64_t accepted, refused; /* connections */
    unsigned open;
    uint64_t bytes_in, bytes_out;
};

int http_server_open(struct event_base *base, const struct http_handler *handler,
                     const struct http_limits *limits, struct http_server **ret, struct err *err);
/* The listener must stay valid until http_server_close. */
int http_server_add(struct http_server *server, const struct listener *listener, struct err *err);
void http_server_limits(struct http_server *server, const struct http_limits *limits);
const struct http_counts *http_server_counts(const struct http_server *server);
/* From now on each connection closes after its next answer. */
void http_server_drain(struct http_server *server);
/* Accepts no more connections, and closes idle ones. */
void http_server_stop(struct http_server *server);
/* Closes all connections, whatever their state is. */
void http_server_close(struct http_server *server);

/* ---- in `head` ---- */

void http_body_max(struct http_exchange *x, uint64_t max);
/* Stores the body in a file without a name. -1 with errno. */
int http_to_file(struct http_exchange *x, uint64_t max);

/* In `request` or later: moves the body from memory into *ret, which the caller frees with
 * buf_done. */
void http_take_body(struct http_exchange *x, struct buf *ret);

/* The user ID of the process at the other end of a Unix socket; -1 over TCP. */
int64_t http_peer_uid(const struct http_exchange *x);

/* ---- the answer ---- */

struct http_answer {
    int status;
    const char *type;  /* NULL: application/json */
    const char *extra; /* further headers, each with CR LF; or NULL */
    char *body;        /* allocated; the server frees it */
    size_t size;
    /* the server does not free the body, which must stay unchanged until http_server_close */
    bool lent;
};
void http_answer(struct http_exchange *x, const struct http_answer *given);
/* Sends the file from the descriptor's current offset, and takes ownership of the descriptor. If
 * the file is shorter than `size`, the connection is closed early. */
void http_answer_file(struct http_exchange *x, const char *type, int fd, uint64_t size);

/* An answer in chunks: begin, any number of chunks, end. `extra` as in http_answer. */
void http_begin(struct http_exchange *x, int status, const char *type, const char *extra);
void http_piece(struct http_exchange *x, struct str bytes);
void http_end(struct http_exchange *x);
bool http_begun(const struct http_exchange *x);

/* Bytes of the answer that the client has not accepted yet. */
size_t http_unsent(const struct http_exchange *x);
/* Closes the connection at once, when a streamed answer cannot be completed. `gone` is not called.
 */
void http_break(struct http_exchange *x);

#endif
