/* SPDX-License-Identifier: Apache-2.0
 *
 * Sending answers.
 */
#include <errno.h>
#include <event2/buffer.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "net/http_parts.h"

enum { FILE_PIECE = 256 << 10 };

/* ---- bytes to the socket ---- */

/* Reads the next chunk of a file. If a guest has truncated the file, the announced length is wrong,
 * and only closing the connection can show that to the client. */
static int more_of_file(struct http_conn *c)
{
    size_t want = c->send_left < FILE_PIECE ? (size_t)c->send_left : FILE_PIECE;
    struct evbuffer_iovec room;

    if (!want) {
        fd_close(&c->send_fd);
        return 0;
    }
    if (evbuffer_reserve_space(c->out, (ev_ssize_t)want, &room, 1) < 1)
        return -1;
    ssize_t n = read(c->send_fd, room.iov_base, want);
    if (n <= 0)
        return -1;
    room.iov_len = (size_t)n;
    c->send_left -= (uint64_t)n;
    return evbuffer_commit_space(c->out, &room, 1);
}

/* 1: everything is sent; 0: the socket is full; -1: the client cannot be written to. */
static int http_write_push(struct http_conn *c)
{
    for (;;) {
        if (!evbuffer_get_length(c->out)) {
            if (c->send_fd < 0)
                return 1;
            if (more_of_file(c) < 0)
                return -1;
            continue;
        }
        int n = evbuffer_write(c->out, c->fd);
        if (n < 0)
            return errno == EAGAIN || errno == EINTR ? 0 : -1;
        c->x.sent += (uint64_t)n;
        c->server->counts.bytes_out += (uint64_t)n;
        c->write_moved_ms = clock_mono_ms();
    }
}

void conn_write(struct http_conn *c)
{
    if (c->doomed)
        return;
    int all = http_write_push(c);

    if (all < 0) {
        conn_end(c);
        return;
    }
    if (all == 0) {
        if (!c->write_moved_ms)
            c->write_moved_ms = clock_mono_ms();
        (void)event_add(c->writes, NULL);
        return;
    }
    c->write_moved_ms = 0;
    if (c->state == CONN_BUSY && c->answered)
        c->server->handler.drained(c->server->handler.ctx, &c->x);
    else
        conn_advance(c);
}

/* ---- answers ---- */

static void add_head(struct http_conn *c, int status, const char *type, const char *extra)
{
    c->answered = true;
    c->x.status = status;
    evbuffer_add_printf(c->out,
                        "HTTP/1.1 %d %s\r\nDate: %s\r\n%s%s%sX-Content-Type-Options: "
                        "nosniff\r\nCache-Control: no-store\r\n%s%s",
                        status, http_reason(status), server_date(c->server),
                        type ? "Content-Type: " : "", type ? type : "", type ? "\r\n" : "",
                        extra ? extra : "",
                        c->close_after       ? "Connection: close\r\n"
                        : c->head.minor == 0 ? "Connection: keep-alive\r\n"
                                             : "");
}

static void free_body(const void *data, size_t n, void *ctx)
{
    (void)n;
    (void)ctx;
    free((void *)data);
}

static void free_large(const void *data, size_t n, void *server)
{
    ((struct http_server *)server)->answers -= n;
    free((void *)data);
}

static bool has_no_body(const struct http_conn *c, int status)
{
    return c->head.method == HTTP_HEAD || status == 204;
}

/* After an answer to a refused body, the server does not wait for the rest of the body. */
static void http_write_settle(struct http_conn *c)
{
    if (c->state == CONN_HEAD || c->state == CONN_WAIT || c->state == CONN_BODY) {
        bool unread = c->head.chunked || c->head.length;
        c->body_left = c->state != CONN_BODY ? c->head.length : c->body_left;
        c->chunks.state = c->state != CONN_BODY ? CHUNK_SIZE : c->chunks.state;
        c->close_after |= unread;
    } else {
        c->body_left = 0;
        c->chunks.state = CHUNK_DONE;
    }
    c->close_after |= c->server->draining;
}

static void http_write_complete(struct http_conn *c)
{
    conn_leave(c);
    c->state = CONN_ANSWER;
    c->deadline_ms = 0;
    conn_write(c);
}

static bool is_large(const struct http_conn *c, const struct http_answer *a)
{
    return a->body && !a->lent && a->size >= LARGE_ANSWER && !has_no_body(c, a->status);
}

static int put_on_disk(struct http_conn *c, const struct http_answer *a)
{
    AUTO_CLOSE int fd = http_disk_file();

    if (fd < 0 || fd_write_all(fd, a->body, a->size) < 0 || lseek(fd, 0, SEEK_SET) < 0)
        return -1;
    c->send_fd = fd_take(&fd);
    c->send_left = a->size;
    return 0;
}

/* Clients that do not read must not fill the memory: when large answers take too much of it, a
 * further one waits on the disk. False if the disk has no room either; the client then gets a 503.
 */
static bool find_room(struct http_conn *c, struct http_answer *a)
{
    if (!is_large(c, a) || c->server->answers + a->size <= ANSWERS_MAX)
        return true;
    bool kept = put_on_disk(c, a) == 0;
    free(mem_take(&a->body));
    if (!kept)
        conn_refuse(c, 503,
                    "too many large answers wait for their readers, and the disk has no room");
    return kept;
}

static void add_body(struct http_conn *c, const struct http_answer *a)
{
    bool none = has_no_body(c, a->status) || !a->body;

    if (a->lent) {
        if (!none)
            evbuffer_add_reference(c->out, a->body, a->size, NULL, NULL);
    } else if (none) {
        free(a->body);
    } else if (a->size < 2048) {
        evbuffer_add(c->out, a->body, a->size);
        free(a->body);
    } else if (is_large(c, a)) {
        c->server->answers += a->size;
        evbuffer_add_reference(c->out, a->body, a->size, free_large, c->server);
    } else {
        evbuffer_add_reference(c->out, a->body, a->size, free_body, NULL);
    }
}

void http_answer(struct http_exchange *x, const struct http_answer *given)
{
    struct http_conn *c = x->conn;
    struct http_answer answer = *given, *a = &answer;

    if (!find_room(c, a))
        return;
    http_write_settle(c);
    add_head(c, a->status,
             a->status == 204 ? NULL
             : a->type        ? a->type
                              : "application/json",
             a->extra);
    if (a->status != 204)
        evbuffer_add_printf(c->out, "Content-Length: %zu\r\n", a->size);
    evbuffer_add(c->out, "\r\n", 2);
    add_body(c, a);
    http_write_complete(c);
}

void http_answer_file(struct http_exchange *x, const char *type, int fd, uint64_t size)
{
    struct http_conn *c = x->conn;

    http_write_settle(c);
    add_head(c, 200, type, NULL);
    evbuffer_add_printf(c->out, "Content-Length: %" PRIu64 "\r\n\r\n", size);
    c->send_fd = fd;
    c->send_left = has_no_body(c, 200) ? 0 : size;
    http_write_complete(c);
}

void http_begin(struct http_exchange *x, int status, const char *type, const char *extra)
{
    struct http_conn *c = x->conn;

    http_write_settle(c);
    c->chunking = c->head.minor > 0 && c->head.method != HTTP_HEAD;
    if (c->head.minor == 0)
        c->close_after = true; /* closing the connection marks the end of the answer */
    add_head(c, status, type, extra);
    evbuffer_add_printf(c->out, "%s\r\n", c->chunking ? "Transfer-Encoding: chunked\r\n" : "");
}

void http_piece(struct http_exchange *x, struct str bytes)
{
    struct http_conn *c = x->conn;

    if (!bytes.n || c->head.method == HTTP_HEAD)
        return;
    if (c->chunking)
        evbuffer_add_printf(c->out, "%zx\r\n", bytes.n);
    evbuffer_add(c->out, bytes.p, bytes.n);
    if (c->chunking)
        evbuffer_add(c->out, "\r\n", 2);
    conn_write(c);
}

void http_end(struct http_exchange *x)
{
    struct http_conn *c = x->conn;

    if (c->chunking)
        evbuffer_add(c->out, "0\r\n\r\n", 5);
    http_write_complete(c);
}

int64_t http_peer_uid(const struct http_exchange *x)
{
    struct ucred peer;
    socklen_t n = sizeof peer;

    if (x->listener->tcp || getsockopt(x->conn->fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) < 0)
        return -1;
    return peer.uid;
}

bool http_begun(const struct http_exchange *x)
{
    return x->conn->answered;
}

size_t http_unsent(const struct http_exchange *x)
{
    return evbuffer_get_length(x->conn->out);
}
