/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <event2/buffer.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "net/http_parts.h"

/* A stream waits this many times as long for its reader (`| less`) as any other answer does. */
enum { STREAM_PATIENCE = 20 };

/* ---- the end ---- */

static void exchange_done(struct http_conn *c)
{
    if (!c->active)
        return;
    c->active = false;
    c->server->handler.done(c->server->handler.ctx, &c->x);
    body_done(c);
}

static void conn_free(struct http_conn *c)
{
    *c->place = c->next;
    if (c->next)
        c->next->place = c->place;
    conn_leave(c);
    c->server->counts.open--;
    c->server->turned -= c->turned;
    event_free(c->reads);
    event_free(c->writes);
    if (c->closes)
        event_free(c->closes);
    if (c->turn)
        event_free(c->turn);
    evbuffer_free(c->out);
    fd_close(&c->send_fd);
    fd_close(&c->fd);
    buf_done(&c->in);
    buf_done(&c->head_bytes);
    buf_done(&c->body);
    free(c);
}

void conn_end(struct http_conn *c)
{
    if (c->active) {
        c->x.failed = true;
        if (c->state == CONN_BUSY)
            c->server->handler.gone(c->server->handler.ctx, &c->x);
        exchange_done(c);
    }
    c->doomed = true;
    if (!c->advancing)
        conn_free(c);
}

void http_break(struct http_exchange *x)
{
    struct http_conn *c = x->conn;

    c->x.failed = true;
    c->state = CONN_ANSWER; /* there is no client to notify */
    conn_end(c);
}

/* Closing with unread input makes the kernel send a reset, which can overtake the answer. */
static void linger(struct http_conn *c)
{
    c->state = CONN_LINGER;
    c->deadline_ms = clock_mono_ms() + LINGER_MS;
    c->lingered = c->in.n;
    buf_done(&c->in);
    (void)shutdown(c->fd, SHUT_WR);
}

/* ---- requests ---- */

void conn_refuse(struct http_conn *c, int status, const char *why)
{
    char *text = c->server->handler.refusal(c->server->handler.ctx, status, why);

    c->close_after = true;
    http_answer(&c->x, &(struct http_answer){.status = status,
                                             .extra = status == 503 ? "Retry-After: 1\r\n" : NULL,
                                             .body = text,
                                             .size = strlen(text)});
}

static void begin_exchange(struct http_conn *c)
{
    conn_leave(c);
    c->x = (struct http_exchange){.conn = c,
                                  .listener = c->listener,
                                  .head = &c->head,
                                  .body_fd = -1,
                                  .began_ns = clock_mono_ns()};
    c->active = true;
    c->answered = c->chunking = c->wants_body = false;
    c->body_max = 0;
    c->close_after = !c->head.keep_alive || c->server->draining;
}

/* True if the head has arrived. It ends with an empty line. A line end of LF alone will be refused,
 * but has to be found. */
static bool head_is_whole(struct http_conn *c)
{
    size_t from = c->scanned > 3 ? c->scanned - 3 : 0;

    c->scanned = c->in.n;
    for (size_t i = from; i + 1 < c->in.n; i++)
        if (c->in.p[i] == '\n' &&
            (c->in.p[i + 1] == '\n' ||
             (c->in.p[i + 1] == '\r' && i + 2 < c->in.n && c->in.p[i + 2] == '\n')) &&
            i > 1)
            return true;
    return c->in.n >= HTTP_HEAD_MAX;
}

/* Answers a request that is not valid HTTP. */
static void malformed(struct http_conn *c, const struct http_refusal *why)
{
    c->head.method = HTTP_OTHER;
    c->head.method_name = STR("?");
    c->head.path = STR("?");
    c->head.query = (struct str){NULL, 0};
    c->head.header_count = 0;
    c->head.keep_alive = false;
    c->head.minor = 1;
    c->head.chunked = c->head.has_length = false;
    c->head.length = 0;
    begin_exchange(c);
    conn_refuse(c, why->status, why->why);
}

static void begin_body(struct http_conn *c, int done)
{
    conn_leave(c);
    c->state = CONN_BODY;
    c->deadline_ms = clock_mono_ms() + c->server->limits.body_ms;
    if (done == 0 && c->head.expects_continue && !c->in.n) {
        evbuffer_add(c->out, "HTTP/1.1 100 Continue\r\n\r\n", 25);
        conn_write(c);
    }
}

static void take_head(struct http_conn *c, size_t n)
{
    struct http_refusal ignored;

    /* A copy, because the head's views must live as long as the exchange. */
    buf_done(&c->head_bytes);
    buf_init(&c->head_bytes, HTTP_HEAD_MAX);
    (void)buf_add(&c->head_bytes, c->in.p, n);
    (void)http_head_read(buf_str(&c->head_bytes), &c->head, &ignored);
    buf_drop(&c->in, n);
    c->scanned = 0;
    begin_exchange(c);
    c->server->handler.head(c->server->handler.ctx, &c->x);
    if (c->doomed || c->answered)
        return;
    int done = body_begin(c);
    if (done < 0)
        return;
    if (body_admit(c)) {
        begin_body(c, done);
        return;
    }
    c->state = CONN_WAIT;
    c->deadline_ms = clock_mono_ms() + BODY_WAIT_MS;
    conn_join(c, &c->server->waiting);
}

static bool step_wait(struct http_conn *c)
{
    if (!body_admit(c))
        return false;
    begin_body(c, 0);
    return true;
}

/* Returns true if it did something, and there may be more to do. */
static bool step_head(struct http_conn *c)
{
    struct http_refusal why;

    if (!c->in.n)
        return false;
    if (!c->deadline_ms || c->scanned == 0)
        c->deadline_ms = clock_mono_ms() + c->server->limits.header_ms;
    if (!head_is_whole(c))
        return false;
    long n = http_head_read(buf_str(&c->in), &c->head, &why);
    if (n < 0)
        malformed(c, &why);
    else if (n > 0)
        take_head(c, (size_t)n);
    return n != 0;
}

static bool step_body(struct http_conn *c)
{
    bool none = !c->head.chunked && !c->head.length;
    int done = none ? 1 : body_take(c);

    if (done <= 0)
        return done < 0;
    if (none)
        c->x.body = STR("");
    c->state = CONN_BUSY;
    c->deadline_ms = 0;
    c->server->handler.request(c->server->handler.ctx, &c->x);
    return true;
}

/* The answer is complete and sent. True if the whole request was read, so that the next one can
 * follow. */
static bool step_answer(struct http_conn *c)
{
    bool unread = c->head.chunked ? c->chunks.state != CHUNK_DONE : c->body_left > 0;

    if (evbuffer_get_length(c->out) || c->send_fd >= 0)
        return false;
    exchange_done(c);
    c->write_moved_ms = 0;
    if (!c->in.n && c->in.cap > KEPT_MAX)
        buf_done(&c->in);
    if (c->half_closed && !c->in.n) {
        c->doomed = true;
    } else if (c->close_after) {
        if (unread || c->in.n || c->x.status >= 400)
            linger(c);
        else
            c->doomed = true;
    } else {
        c->state = c->in.n ? CONN_NEXT : CONN_HEAD;
        c->deadline_ms = c->in.n ? 0 : clock_mono_ms() + c->server->limits.idle_ms;
        c->scanned = 0;
    }
    return false;
}

static void http_conn_watch(struct http_conn *c);

void conn_advance(struct http_conn *c)
{
    bool more = true;

    if (c->advancing)
        return;
    c->advancing = true;
    while (more && !c->doomed) {
        switch (c->state) {
        case CONN_HEAD:
            more = step_head(c);
            break;
        case CONN_WAIT:
            more = step_wait(c);
            break;
        case CONN_BODY:
            more = step_body(c);
            break;
        case CONN_ANSWER:
            more = step_answer(c);
            break;
        case CONN_BUSY:
        case CONN_NEXT:
        case CONN_LINGER:
            more = false;
            break;
        }
    }
    c->advancing = false;
    if (c->doomed)
        conn_end(c);
    else
        http_conn_watch(c);
}

/* ---- reading ---- */

/* True if the client is gone. A Unix socket shows whether the client closed it or only shut down
 * sending. With TCP both look the same, and count as gone. */
static bool has_hung_up(const struct http_conn *c)
{
    struct pollfd p = {.fd = c->fd, .events = POLLRDHUP};

    return c->listener->tcp || (poll(&p, 1, 0) > 0 && p.revents & (POLLHUP | POLLERR));
}

static void on_close(evutil_socket_t fd, short what, void *ctx)
{
    struct http_conn *c = ctx;

    (void)fd;
    (void)what;
    if (has_hung_up(c))
        conn_end(c);
    else
        c->half_closed = true;
}

static void watch_close(struct http_conn *c, bool on)
{
    if (on == c->watches_close)
        return;
    c->watches_close = on;
    if (!c->closes)
        c->closes = event_new(c->server->base, c->fd, EV_CLOSED | EV_ET | EV_PERSIST, on_close, c);
    if (on)
        (void)event_del(c->reads);
    (void)(on ? event_add(c->closes, NULL) : event_del(c->closes));
    if (!on)
        (void)event_add(c->reads, NULL);
}

static void on_turn(evutil_socket_t fd, short what, void *ctx)
{
    struct http_conn *c = ctx;

    (void)fd;
    (void)what;
    c->state = CONN_HEAD;
    (void)event_add(c->reads, NULL);
    conn_advance(c);
}

/* When many requests have arrived at once, one is answered in each turn of the loop, so that other
 * clients' requests are handled in between. This needs a timer, because the loop polls before it
 * runs timers; an event made active would be called in the same turn. Meanwhile nothing is read,
 * not even the end of the connection. */
static void await_turn(struct http_conn *c)
{
    if (!c->turn)
        c->turn = event_new(c->server->base, -1, 0, on_turn, c);
    (void)event_del(c->reads);
    (void)event_add(c->turn, &(struct timeval){0});
}

/* Reads, unless enough has been read; then only watches for the client to disconnect. */
static void http_conn_watch(struct http_conn *c)
{
    bool idle = c->state == CONN_WAIT || c->state == CONN_BUSY || c->state == CONN_ANSWER;

    watch_close(c, idle && (c->half_closed || c->in.n >= AHEAD_MAX));
    if (c->state == CONN_NEXT)
        await_turn(c);
}

static void at_end(struct http_conn *c)
{
    if (c->state == CONN_HEAD || c->state == CONN_BODY || c->state == CONN_LINGER ||
        has_hung_up(c)) {
        conn_end(c);
        return;
    }
    c->half_closed = true;
    http_conn_watch(c);
}

static void on_read(evutil_socket_t fd, short what, void *ctx)
{
    static char scratch[64 << 10]; /* the loop has one thread */
    struct http_conn *c = ctx;
    ssize_t n = recv(fd, scratch, sizeof scratch, 0);

    (void)what;
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        if (n < 0)
            conn_end(c);
        else
            at_end(c);
        return;
    }
    c->server->counts.bytes_in += (uint64_t)n;
    if (c->state == CONN_LINGER) {
        c->lingered += (uint64_t)n;
        if (c->lingered > LINGER_MAX)
            conn_end(c);
        return;
    }
    (void)buf_add(&c->in, scratch, (size_t)n);
    conn_advance(c);
}

void conn_read(struct http_conn *c)
{
    on_read(c->fd, EV_READ, c);
}

static void on_write(evutil_socket_t fd, short what, void *ctx)
{
    (void)fd;
    (void)what;
    conn_write(ctx);
}

struct http_conn *conn_new(struct http_server *server, const struct listener *listener, int fd)
{
    struct http_conn *c = xcalloc(1, sizeof *c);

    c->server = server;
    c->listener = listener;
    c->fd = fd;
    c->send_fd = -1;
    c->x.body_fd = -1;
    buf_init(&c->in, AHEAD_MAX + (128 << 10));
    buf_init(&c->head_bytes, 0);
    buf_init(&c->body, 0);
    c->out = evbuffer_new();
    c->reads = event_new(server->base, fd, EV_READ | EV_PERSIST, on_read, c);
    c->writes = event_new(server->base, fd, EV_WRITE, on_write, c);
    c->next = server->conns;
    c->place = &server->conns;
    if (c->next)
        c->next->place = &c->next;
    server->conns = c;
    server->counts.open++;
    return c;
}

/* A TCP connection without a first byte may be closed: opening it again costs the client little. A
 * local client may be busy for a long time between connect and send, so there is no deadline. */
void conn_start(struct http_conn *c)
{
    c->deadline_ms = c->listener->tcp ? clock_mono_ms() + c->server->limits.idle_ms : 0;
    conn_join(c, &c->server->unasked);
    if (event_add(c->reads, NULL) < 0)
        conn_end(c);
}

void conn_turn_away(struct http_conn *c)
{
    c->turned = true;
    c->server->turned++;
    if (event_add(c->reads, NULL) < 0)
        conn_end(c);
    else
        malformed(c, &(struct http_refusal){503, "too many connections; try again later"});
}

/* ---- time ---- */

static void too_late(struct http_conn *c)
{
    if (c->state == CONN_HEAD && c->in.n)
        malformed(c, &(struct http_refusal){408, "the request took too long to arrive"});
    else if (c->state == CONN_WAIT)
        conn_refuse(c, 503, "too many large requests at once; try again in a second");
    else if (c->state == CONN_BODY)
        conn_refuse(c, 408, "the body took too long to arrive");
    else
        conn_end(c);
}

void conn_tick(struct http_conn *c, int64_t now)
{
    /* While a stream is being produced, its producer decides how long to wait for its reader. */
    bool making = c->state == CONN_BUSY && c->answered;
    int64_t patience = c->server->limits.write_ms * (c->chunking ? STREAM_PATIENCE : 1);

    if (c->write_moved_ms && !making && now > c->write_moved_ms + patience)
        conn_end(c);
    else if (c->deadline_ms && now > c->deadline_ms)
        too_late(c);
    else if (c->state == CONN_BODY)
        body_tick(c, now);
}
