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
    AHEAD_MAX = 64 << 10, /* bytes a client may send while its request is worked on */
    LINGER_MS = 2000,
    LINGER_MAX = 8 << 20,
    TICK_MS = 250,
    SHORT_BODY = 64 << 10, /* does not wait for room */
    BODY_WAIT_MS = 10000,  /* for room */
    BODY_STALL_MS = 2000,
    LARGE_ANSWER = 1 << 20,
    ANSWERS_MAX = 128 << 20, /* of all large answers: further ones wait on the disk */
    TURNED_MAX = 256,        /* connections beyond the ceiling that get their 503 at one time */
};

enum conn_state {
    CONN_HEAD, /* waits for a request, or reads its head */
    CONN_WAIT, /* has the head; the body waits for room */
    CONN_BODY,
    CONN_BUSY,   /* the handler works on an answer */
    CONN_RAW,    /* bytes of another protocol, after http_upgrade */
    CONN_ANSWER, /* the answer is complete, but not all of it is sent */
    CONN_NEXT,   /* the next request is read already; its turn is the loop's next one */
    CONN_LINGER, /* all is sent; further input is discarded until we close */
};

struct evbuffer;

/* Connections in the order of their arrival; one connection is in one such line at most. */
struct conn_line {
    struct http_conn *first, *last;
};

struct http_conn {
    struct http_server *server;
    struct http_conn *next, **place;
    struct conn_line *line;
    struct http_conn *ahead, *behind; /* in `line` */
    const struct listener *listener;
    int fd;
    struct event *reads, *closes, *writes, *turn;
    bool watches_close, half_closed;
    enum conn_state state;
    int64_t deadline_ms;    /* deadline of the state; 0 for none */
    int64_t write_moved_ms; /* when the client last took something; 0 while nothing waits */

    struct buf in;  /* not consumed yet */
    size_t scanned; /* part of `in` searched for the end of a head */
    struct buf head_bytes;
    struct http_head head;
    struct http_chunks chunks;
    struct buf body;
    uint64_t body_left, body_max;
    uint64_t charged; /* part of the body counted in the server's bodies */
    bool reserved;    /* all of the body is counted, although it has not come yet */
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
    bool held;      /* http_hold */
    bool advancing; /* within conn_advance: no recursion */
    bool doomed;    /* end the connection when no call is inside it */
    bool turned;    /* one too many: it gets 503 */
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
    struct conn_line unasked; /* have not sent the head of a request yet */
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
void conn_leave(struct http_conn *c); /* also if it is in none */

/* http_conn.c */
struct http_conn *conn_new(struct http_server *server, const struct listener *listener, int fd);
/* Reads requests. It may be freed then. */
void conn_start(struct http_conn *c);
/* Reads what has come. It may be freed then. */
void conn_read(struct http_conn *c);
/* Says 503 instead. */
void conn_turn_away(struct http_conn *c);
void conn_end(struct http_conn *c); /* frees it, or sets `doomed` */
void conn_advance(struct http_conn *c);
void conn_refuse(struct http_conn *c, int status, const char *why);
void conn_tick(struct http_conn *c, int64_t now);

/* http_body.c: 1 when the body is complete, 0 for more, -1 refused. */
int body_begin(struct http_conn *c);
/* Whether the body may be read now; if so, its room is reserved. */
bool body_admit(struct http_conn *c);
/* Room that a client reserved and does not fill is for others. */
void body_tick(struct http_conn *c, int64_t now);
/* Lets bodies in that wait, the oldest first. */
void bodies_admit(struct http_server *server);
int body_take(struct http_conn *c);
void body_done(struct http_conn *c);

/* A file without a name on the disk; -1 with errno. */
int http_disk_file(void);

/* http_write.c */
void conn_write(struct http_conn *c);
const char *server_date(struct http_server *server);

#endif
