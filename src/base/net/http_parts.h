/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarations that the files of the HTTP server share.
 */
#ifndef NET_HTTP_PARTS_H
#define NET_HTTP_PARTS_H

#include <event2/event.h>

#include "net/http_server.h"

enum {
    KEPT_MAX = 16 << 10,  /* memory that an idle connection may keep */
    AHEAD_MAX = 64 << 10, /* bytes that a client may send in advance while its request is handled */
    LINGER_MS = 2000,
    LINGER_MAX = 8 << 20,
    TICK_MS = 250,
    SHORT_BODY = 64 << 10, /* a body up to this size does not wait for room */
    BODY_WAIT_MS = 10000,  /* how long a body may wait for room */
    BODY_STALL_MS = 2000,
    LARGE_ANSWER = 1 << 20,
    ANSWERS_MAX = 128 << 20, /* memory of all large answers; further answers wait on the disk */
    TURNED_MAX = 256,        /* connections over the ceiling that get a 503 at the same time */
};

enum conn_state {
    CONN_HEAD, /* waits for a request, or reads its head */
    CONN_WAIT, /* has the head; the body waits for room */
    CONN_BODY,
    CONN_BUSY,   /* the handler works on an answer */
    CONN_ANSWER, /* the answer is complete, but not all of it is sent */
    CONN_NEXT,   /* the next request is already read; it is handled in the loop's next turn */
    CONN_LINGER, /* all is sent; further input is discarded until we close */
};

struct evbuffer;

/* A queue of connections, oldest first. A connection is in at most one queue. */
struct conn_line {
    struct http_conn *first, *last;
};

struct http_conn {
    struct http_server *server;
    struct http_conn *next, **place;
    struct conn_line *line;
    struct http_conn *ahead, *behind; /* neighbours in `line` */
    const struct listener *listener;
    int fd;
    struct event *reads, *closes, *writes, *turn;
    bool watches_close, half_closed;
    enum conn_state state;
    int64_t deadline_ms;    /* deadline of the state; 0 for none */
    int64_t write_moved_ms; /* when the client last accepted bytes; 0 while none are waiting */

    struct buf in;  /* bytes not consumed yet */
    size_t scanned; /* bytes of `in` already searched for the end of a head */
    struct buf head_bytes;
    struct http_head head;
    struct http_chunks chunks;
    struct buf body;
    uint64_t body_left, body_max;
    uint64_t charged; /* bytes counted in server->bodies for this body */
    bool reserved;    /* the whole body is counted, although it has not arrived yet */
    int64_t body_moved_ms;
    bool wants_body;

    struct evbuffer *out;
    int send_fd; /* a file that is sent after `out` */
    uint64_t send_left;

    struct http_exchange x;
    bool active;   /* the exchange is active */
    bool answered; /* the head of its answer is on its way */
    bool chunking;
    bool close_after;
    bool advancing; /* within conn_advance: no recursion */
    bool doomed;    /* end the connection when no function on the stack uses it */
    bool turned;    /* over the ceiling: it gets a 503 */
    uint64_t lingered;
};

struct http_server {
    struct event_base *base;
    struct http_handler handler;
    struct http_limits limits;
    struct http_counts counts;
    uint64_t bodies;  /* bytes of all bodies held now */
    uint64_t answers; /* bytes of large answers in memory that their readers have not taken yet */
    struct http_conn *conns;
    struct conn_line unasked; /* no head of a request has arrived yet */
    struct conn_line waiting; /* CONN_WAIT */
    unsigned turned;          /* connections beyond the ceiling */
    struct event *listeners[16];
    size_t listener_count;
    struct event *tick;
    bool paused; /* no descriptors left for accept */
    bool draining;
    char date[40];
    int64_t date_s;
};

/* http_server.c */
void conn_join(struct http_conn *c, struct conn_line *line);
void conn_leave(struct http_conn *c); /* no effect if it is in no queue */

/* http_conn.c */
struct http_conn *conn_new(struct http_server *server, const struct listener *listener, int fd);
/* Starts reading requests. May free the connection. */
void conn_start(struct http_conn *c);
/* Reads the bytes that have arrived. May free the connection. */
void conn_read(struct http_conn *c);
/* Answers 503 and nothing else. */
void conn_turn_away(struct http_conn *c);
void conn_end(struct http_conn *c); /* frees it, or sets `doomed` */
void conn_advance(struct http_conn *c);
void conn_refuse(struct http_conn *c, int status, const char *why);
void conn_tick(struct http_conn *c, int64_t now);

/* In http_body.c. body_begin and body_take return 1 when the body is complete, 0 if more bytes are
 * needed, -1 if it is refused. */
int body_begin(struct http_conn *c);
/* True if the body may be read now; its room is then reserved. */
bool body_admit(struct http_conn *c);
/* Gives room that a client reserved but does not fill to other bodies. */
void body_tick(struct http_conn *c, int64_t now);
/* Admits waiting bodies, the oldest first. */
void bodies_admit(struct http_server *server);
int body_take(struct http_conn *c);
void body_done(struct http_conn *c);

/* Opens a file without a name on the disk; -1 with errno. */
int http_disk_file(void);

/* http_write.c */
void conn_write(struct http_conn *c);
const char *server_date(struct http_server *server);

#endif
