/* SPDX-License-Identifier: Apache-2.0 */
#include "net/http_client.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "net/http.h"

enum {
    REQUEST_HEAD_MAX = 32 << 10,
    READ_STEP = 64 << 10,
    BODY_MAX = 64 << 20,
    QUIET_STEP_MS = 1000
};

void http_client_init(struct http_client *c, int fd, const char *token)
{
    *c = (struct http_client){
        .fd = fd, .peer = "the daemon", .token = token ? xstrdup(token) : NULL};
    buf_init(&c->in, HTTP_HEAD_MAX + READ_STEP);
}

void http_client_done(struct http_client *c)
{
    fd_close(&c->fd);
    free(c->token);
    c->token = NULL;
    buf_done(&c->in);
}

void http_reply_done(struct http_reply *reply)
{
    buf_done(&reply->body);
}

void http_encode_path(struct buf *b, struct str path)
{
    (void)percent_add(b, path, "-._~/");
}

/* ---- waiting ---- */

/* One exchange. */
struct talk {
    struct http_client *client;
    const struct http_ask *ask;
    struct http_reply *reply;
    struct http_chunks chunks;
    struct buf line; /* the unfinished line of an answer in lines */
    bool chunked, lines, keep;
    unsigned quiet; /* seconds without an answer */
    uint64_t left;  /* bytes left of a body with a length */
};

/* Waits until the socket is ready for one of `events`. 0, or -1 with *err. */
static int wait_for(struct talk *t, short events, struct err *err)
{
    const struct http_client *c = t->client;
    int64_t limit = t->ask->timeout_ms;
    int64_t until = limit ? clock_mono_ms() + limit : 0;

    for (;;) {
        bool counts = c->quiet && !t->reply->began;
        int64_t step = counts ? QUIET_STEP_MS : 3600000;
        struct pollfd p[] = {{.fd = t->client->fd, .events = events},
                             {.fd = t->ask->cancel_fd, .events = POLLIN}};
        int64_t left = limit ? until - clock_mono_ms() : -1;
        if (limit && left <= 0)
            return err_set(err, ERR_TIMEOUT, "%s does not answer", t->client->peer);
        int n = poll(p, 2, (int)(left < 0 || left > step ? step : left));
        if (n < 0 && errno != EINTR)
            return err_sys(err, "wait for %s", t->client->peer);
        if (n > 0 && p[1].revents) {
            t->reply->cancelled = true;
            return err_set(err, ERR_TIMEOUT, "stopped");
        }
        if (n > 0 && p[0].revents)
            return 0;
        if (n == 0 && counts && c->quiet(c->quiet_ctx, c, ++t->quiet, err) < 0)
            return -1;
    }
}

static int broken(const struct talk *t, struct err *err)
{
    return errno ? err_sys(err, "exchange data with %s", t->client->peer)
                 : err_set(err, ERR_SYSTEM, "%s closed the connection", t->client->peer);
}

/* ---- the request ---- */

static int make_head(const struct talk *t, struct buf *b, struct err *err)
{
    const struct http_ask *a = t->ask;
    uint64_t size = a->has_file ? a->body_size : a->body.n;

    (void)buf_addf(b, "%s %s HTTP/1.1\r\nHost: localhost\r\n", a->method, a->path);
    if (a->upgrade)
        (void)buf_addf(b, "Connection: Upgrade\r\nUpgrade: %s\r\n", a->upgrade);
    if (a->line)
        (void)buf_adds(b, "Accept: application/x-ndjson\r\n");
    if (t->client->token)
        (void)buf_addf(b, "Authorization: Bearer %s\r\n", t->client->token);
    if (a->has_file || a->body.p)
        (void)buf_addf(b, "Content-Type: %s\r\n", a->type ? a->type : "application/json");
    if (a->header)
        (void)buf_addf(b, "%s\r\n", a->header);
    if (t->client->header)
        (void)buf_addf(b, "%s\r\n", t->client->header);
    (void)buf_addf(b, "Content-Length: %llu\r\n\r\n", (unsigned long long)size);
    return b->overflow ? err_set(err, ERR_USAGE, "the request's head is too long") : 0;
}

/* Returns 1 when the server takes no more bytes: its answer has the reason. */
static int send_some(struct talk *t, struct str s, struct err *err)
{
    while (s.n) {
        ssize_t n = send(t->client->fd, s.p, s.n, MSG_NOSIGNAL);
        if (n > 0)
            s = str_slice(s, (size_t)n, s.n);
        else if (n < 0 && (errno == EPIPE || errno == ECONNRESET))
            return 1;
        else if (n < 0 && errno != EAGAIN && errno != EINTR)
            return broken(t, err);
        else if (n < 0 && errno == EAGAIN && wait_for(t, POLLOUT, err) < 0)
            return -1;
    }
    return 0;
}

static int http_client_send_file(struct talk *t, struct err *err)
{
    AUTO_FREE char *chunk = xmalloc(READ_STEP);
    uint64_t left = t->ask->body_size;

    while (left) {
        ssize_t n = read(t->ask->body_fd, chunk, left < READ_STEP ? (size_t)left : READ_STEP);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? err_sys(err, "read the file")
                         : err_set(err, ERR_SYSTEM, "the file became shorter while it was read");
        int sent = send_some(t, (struct str){chunk, (size_t)n}, err);
        if (sent)
            return sent;
        left -= (uint64_t)n;
    }
    return 0;
}

/* Sends the head, together with the body if that is small: one system call. */
static int send_request(struct talk *t, struct err *err)
{
    AUTO_BUF struct buf b = {0};
    struct str body = t->ask->has_file ? STR("") : t->ask->body;
    bool together = body.n <= READ_STEP;

    buf_init(&b, REQUEST_HEAD_MAX + READ_STEP);
    if (make_head(t, &b, err) < 0)
        return -1;
    if (together)
        (void)buf_add_str(&b, body);
    int sent = send_some(t, buf_str(&b), err);
    if (sent == 0 && !together)
        sent = send_some(t, body, err);
    if (sent == 0 && t->ask->has_file)
        sent = http_client_send_file(t, err);
    return sent < 0 ? -1 : 0;
}

/* ---- the answer's head ---- */

struct str http_client_unread(const struct http_client *c)
{
    return str_slice(buf_str(&c->in), c->taken, c->in.n);
}

static int http_client_receive(struct talk *t, struct err *err)
{
    struct http_client *c = t->client;

    buf_drop(&c->in, c->taken);
    c->taken = 0;
    for (;;) {
        size_t room = c->in.limit - c->in.n;
        room = room < READ_STEP ? room : READ_STEP;
        char *p = room ? buf_room(&c->in, room) : NULL;
        if (!p)
            return err_set(err, ERR_GUEST, "the head of the answer of %s is too long", c->peer);
        ssize_t n = recv(c->fd, p, room, 0);
        if (n > 0) {
            buf_grew(&c->in, (size_t)n);
            return 0;
        }
        if (n == 0)
            errno = 0;
        if (n == 0 || (errno != EAGAIN && errno != EINTR))
            return broken(t, err);
        if (errno == EAGAIN && wait_for(t, POLLIN, err) < 0)
            return -1;
    }
}

static int bad_head(const struct talk *t, struct err *err)
{
    return err_set(err, ERR_GUEST, "%s did not send a valid HTTP answer", t->client->peer);
}

/* "HTTP/1.1 200 OK" */
static int read_status(struct talk *t, struct str line, struct err *err)
{
    int64_t status;

    if (!str_starts(line, "HTTP/1.1 ") || line.n < 12 ||
        !num_int64(str_slice(line, 9, 12), &status) || status < 100 || status > 599)
        return bad_head(t, err);
    t->reply->status = (int)status;
    return 0;
}

static int read_header(struct talk *t, struct str line, bool *has_length, struct err *err)
{
    long colon = str_find(line, STR(":"));
    int64_t length;

    if (colon <= 0)
        return bad_head(t, err);
    struct str name = str_slice(line, 0, (size_t)colon);
    struct str value = str_trim(str_slice(line, (size_t)colon + 1, line.n));
    if (t->ask->wanted && str_is_nocase(name, t->ask->wanted) &&
        value.n < sizeof t->reply->wanted) {
        memcpy(t->reply->wanted, value.p, value.n);
        t->reply->wanted[value.n] = '\0';
    }
    if (str_is_nocase(name, "content-length")) {
        if (*has_length || !num_int64(value, &length) || length < 0)
            return bad_head(t, err);
        *has_length = true;
        t->left = (uint64_t)length;
    } else if (str_is_nocase(name, "transfer-encoding")) {
        if (!str_is_nocase(value, "chunked"))
            return bad_head(t, err);
        t->chunked = true;
    } else if (str_is_nocase(name, "connection")) {
        t->keep = !http_list_has(value, "close");
    } else if (str_is_nocase(name, "content-type")) {
        t->lines = str_is_nocase(http_media_type(value), "application/x-ndjson");
    }
    return 0;
}

/* Docker answers 101, older engines 200. */
static bool is_upgraded(const struct talk *t)
{
    return t->ask->upgrade && (t->reply->status == 101 || t->reply->status == 200);
}

static int parse_head(struct talk *t, struct str head, struct err *err)
{
    struct str line;
    bool has_length = false;

    t->keep = true;
    t->chunked = t->lines = false;
    t->left = 0;
    if (!str_next_line(&head, &line))
        return bad_head(t, err);
    if (read_status(t, line, err) < 0)
        return -1;
    while (str_next_line(&head, &line))
        if (line.n && read_header(t, line, &has_length, err) < 0)
            return -1;
    if (t->reply->status < 200 || is_upgraded(t) || t->reply->status == 204)
        return 0;
    return t->chunked == has_length ? bad_head(t, err) : 0;
}

/* Skips "100 Continue" and other 1xx answers. */
static int http_client_read_head(struct talk *t, struct err *err)
{
    struct http_client *c = t->client;

    do {
        long end;
        while ((end = str_find(http_client_unread(c), STR("\r\n\r\n"))) < 0) {
            if (http_client_unread(c).n > HTTP_HEAD_MAX)
                return bad_head(t, err);
            if (http_client_receive(t, err) < 0)
                return -1;
        }
        struct str head = str_slice(http_client_unread(c), 0, (size_t)end);
        c->taken += (size_t)end + 4;
        if (parse_head(t, head, err) < 0)
            return -1;
    } while (t->reply->status < 200 && !is_upgraded(t));
    t->reply->began = true;
    return 0;
}

/* ---- the answer's body ---- */

static int too_large(const struct talk *t, struct err *err)
{
    return err_set(err, ERR_LIMIT, "the answer of %s is too large", t->client->peer);
}

static int take_lines(struct talk *t, struct str s, struct err *err)
{
    while (s.n) {
        const char *end = memchr(s.p, '\n', s.n);
        size_t n = end ? (size_t)(end - s.p) : s.n;
        if (buf_add(&t->line, s.p, n) < 0)
            return too_large(t, err);
        if (end) {
            t->ask->line(t->ask->ctx, buf_str(&t->line));
            buf_clear(&t->line);
        }
        s = str_slice(s, end ? n + 1 : n, s.n);
    }
    return 0;
}

static int http_client_take(struct talk *t, struct str s, struct err *err)
{
    if (!s.n)
        return 0;
    if (t->reply->status == 200 && t->lines && t->ask->line)
        return take_lines(t, s, err);
    if (t->reply->status == 200 && t->ask->piece)
        return t->ask->piece(t->ask->ctx, s, err);
    return buf_add_str(&t->reply->body, s) < 0 ? too_large(t, err) : 0;
}

/* Returns 1 when the body is complete, 0 if more bytes are needed. */
static int take_chunks(struct talk *t, struct err *err)
{
    struct http_client *c = t->client;

    while (t->chunks.state != CHUNK_DONE) {
        struct str content = {0};
        long n = http_chunks_read(&t->chunks, http_client_unread(c), &content);
        if (n < 0)
            return bad_head(t, err);
        c->taken += (size_t)n;
        if (http_client_take(t, content, err) < 0)
            return -1;
        if (n == 0)
            return t->chunks.state == CHUNK_DONE;
    }
    return 1;
}

static int take_counted(struct talk *t, struct err *err)
{
    struct str s = http_client_unread(t->client);

    s = str_slice(s, 0, s.n < t->left ? s.n : (size_t)t->left);
    t->client->taken += s.n;
    t->left -= s.n;
    return http_client_take(t, s, err) < 0 ? -1 : t->left == 0;
}

static int http_client_read_body(struct talk *t, struct err *err)
{
    for (;;) {
        int done = t->chunked ? take_chunks(t, err) : take_counted(t, err);
        if (done)
            return done < 0 ? -1 : 0;
        if (http_client_receive(t, err) < 0)
            return -1;
    }
}

/* ---- the complete exchange ---- */

static int exchange(struct talk *t, struct err *err)
{
    if (t->client->fd < 0)
        return err_set(err, ERR_SYSTEM, "the connection to %s is closed", t->client->peer);
    if (send_request(t, err) < 0 || http_client_read_head(t, err) < 0)
        return -1;
    if (is_upgraded(t)) {
        t->keep = true;
        return 0;
    }
    if (http_client_read_body(t, err) < 0)
        return -1;
    t->reply->streamed = t->reply->status == 200 && ((t->lines && t->ask->line) || t->ask->piece);
    return 0;
}

int http_client_ask(struct http_client *c, const struct http_ask *ask, struct http_reply *ret,
                    struct err *err)
{
    size_t most = ask->body_max ? ask->body_max : BODY_MAX;
    struct talk t = {.client = c, .ask = ask, .reply = ret};

    *ret = (struct http_reply){0};
    buf_init(&ret->body, most);
    buf_init(&t.line, most);
    int result = exchange(&t, err);
    if (result < 0 || !t.keep)
        fd_close(&c->fd);
    buf_done(&t.line);
    return result;
}
