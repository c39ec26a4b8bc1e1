/* SPDX-License-Identifier: Apache-2.0
 *
 * A request's body: from a connection into memory or a file.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "net/http_parts.h"

static const char too_large[] = "the body is larger than is allowed here";

void http_body_max(struct http_exchange *x, uint64_t max)
{
    x->conn->body_max = max;
    x->conn->wants_body = true;
}

int http_disk_file(void)
{
    const char *folder = getenv("TMPDIR");

    return fd_unnamed(folder && folder[0] == '/' ? folder : "/var/tmp");
}

/* The body goes to a file on the disk (http_disk_file), or if none can be made there, into
 * memory. */
int http_to_file(struct http_exchange *x, uint64_t max)
{
    http_body_max(x, max);
    x->body_fd = http_disk_file();
    if (x->body_fd < 0)
        x->body_fd = memfd_create("glovebox-upload", MFD_CLOEXEC);
    return x->body_fd < 0 ? -1 : 0;
}

int body_begin(struct http_conn *c)
{
    c->chunks = (struct http_chunks){.state = CHUNK_SIZE};
    c->body_left = c->head.length;
    c->x.body_size = 0;
    buf_init(&c->body, (size_t)c->body_max);
    if (c->head.length > c->body_max) {
        conn_refuse(c, 413, too_large);
        return -1;
    }
    return c->head.chunked || c->body_left ? 0 : 1;
}

/* ---- room ---- */

static uint64_t all_bodies(const struct http_server *s)
{
    return s->bodies + s->handler.held(s->handler.ctx);
}

/* A body is admitted when there are no others, even if it is larger than the limit. */
static bool http_body_has_room(const struct http_conn *c)
{
    uint64_t all = all_bodies(c->server), most = c->server->limits.bodies;

    return !all || (all <= most && c->head.length <= most - all);
}

/* No room can be reserved for a body of unknown length, so it is admitted, and may be refused
 * later. */
bool body_admit(struct http_conn *c)
{
    const struct http_conn *first = c->server->waiting.first;

    c->reserved = false;
    if (c->head.chunked || c->head.length <= SHORT_BODY)
        return true;
    if (!http_body_has_room(c) || (first && first != c))
        return false;
    c->reserved = true;
    c->charged = c->head.length;
    c->server->bodies += c->charged;
    c->body_moved_ms = clock_mono_ms();
    return true;
}

void body_tick(struct http_conn *c, int64_t now)
{
    if (!c->reserved || now < c->body_moved_ms + BODY_STALL_MS)
        return;
    c->server->bodies -= c->charged - c->x.body_size;
    c->charged = c->x.body_size;
    c->reserved = false;
}

void bodies_admit(struct http_server *server)
{
    struct http_conn *c;

    while ((c = server->waiting.first) && http_body_has_room(c))
        conn_advance(c);
}

/* ---- reading ---- */

static int http_body_keep(struct http_conn *c, struct str bytes)
{
    if (c->x.body_size + bytes.n > c->body_max) {
        conn_refuse(c, 413, too_large);
        return -1;
    }
    c->x.body_size += bytes.n;
    c->body_moved_ms = clock_mono_ms();
    if (!c->reserved) {
        c->charged += bytes.n;
        c->server->bodies += bytes.n;
    }
    if (!c->reserved && all_bodies(c->server) > c->server->limits.bodies) {
        conn_refuse(c, 503, "too many large requests at once; try again in a second");
        return -1;
    }
    if (c->x.body_fd < 0)
        return buf_add_str(&c->body, bytes);
    if (fd_write_all(c->x.body_fd, bytes.p, bytes.n) < 0) {
        conn_refuse(c, 500, "this host has no room for the body");
        return -1;
    }
    return 0;
}

static int take_chunked(struct http_conn *c)
{
    size_t at = 0;
    struct str content;

    while (at < c->in.n && c->chunks.state != CHUNK_DONE) {
        long n = http_chunks_read(&c->chunks, str_slice(buf_str(&c->in), at, c->in.n), &content);
        if (n < 0) {
            conn_refuse(c, 400, "the chunks of the body are malformed");
            return -1;
        }
        if (http_body_keep(c, content) < 0)
            return -1;
        at += (size_t)n;
    }
    buf_drop(&c->in, at);
    return c->chunks.state == CHUNK_DONE;
}

static int take_plain(struct http_conn *c)
{
    size_t n = c->body_left < c->in.n ? (size_t)c->body_left : c->in.n;

    if (http_body_keep(c, str_slice(buf_str(&c->in), 0, n)) < 0)
        return -1;
    c->body_left -= n;
    buf_drop(&c->in, n);
    return c->body_left == 0;
}

int body_take(struct http_conn *c)
{
    int done = c->head.chunked ? take_chunked(c) : take_plain(c);

    if (done == 0)
        c->deadline_ms = c->x.began_ns / 1000000 + c->server->limits.body_ms +
                         (int64_t)(c->x.body_size / (64 << 10)) * 1000;
    if (done == 1) {
        c->x.body = buf_str(&c->body);
        if (c->x.body_fd >= 0)
            (void)lseek(c->x.body_fd, 0, SEEK_SET);
    }
    return done;
}

void http_take_body(struct http_exchange *x, struct buf *ret)
{
    struct http_conn *c = x->conn;

    *ret = c->body;
    c->body = (struct buf){0};
    buf_init(&c->body, 0);
    c->x.body = (struct str){NULL, 0};
    c->server->bodies -= c->charged;
    c->charged = 0;
    c->reserved = false;
}

void body_done(struct http_conn *c)
{
    c->server->bodies -= c->charged;
    c->charged = 0;
    c->reserved = false;
    buf_done(&c->body);
    fd_close(&c->x.body_fd);
    c->x.body = (struct str){NULL, 0};
}
