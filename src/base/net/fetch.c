/* SPDX-License-Identifier: Apache-2.0 */
#include "net/fetch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/beside.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "net/child.h"

struct fetch {
    pid_t pid;
    int fd;
    struct buf in;
    size_t taken; /* bytes of `in` that the last event used */
};

/* ---- starting and ending ---- */

/* Variables for proxies and certificates. No other variable is passed on, since it may hold a key.
 */
static const char *const passed_on[] = {
    "http_proxy", "https_proxy",    "HTTPS_PROXY",   "all_proxy",    "ALL_PROXY", "no_proxy",
    "NO_PROXY",   "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR", NULL,
};

int fetch_open(struct fetch **ret, struct err *err)
{
    static const char *const argv[] = {"glovebox-fetch", NULL};
    AUTO_FREE char *path = NULL;
    pid_t pid;
    int fd;

    if (beside_find("glovebox-fetch", "GLOVEBOX_FETCH", &path, err) < 0)
        return -1;
    const struct child_program program = {path, argv, passed_on};
    if (child_start(&program, &pid, &fd, err) < 0)
        return -1;
    struct fetch *fetch = xcalloc(1, sizeof *fetch);
    fetch->pid = pid;
    fetch->fd = fd;
    buf_init(&fetch->in, 4 * (size_t)FETCH_ANSWER_MAX);
    *ret = fetch;
    return 0;
}

/* Kills the program: a thread of libcurl may still be waiting for a name server. */
static int fetch_reap(struct fetch *fetch)
{
    int status = 0;

    while (waitpid(fetch->pid, &status, 0) < 0 && errno == EINTR)
        ;
    fetch->pid = 0;
    return status;
}

void fetch_close(struct fetch *fetch)
{
    if (!fetch)
        return;
    fd_close(&fetch->fd);
    if (fetch->pid) {
        (void)kill(fetch->pid, SIGKILL);
        (void)fetch_reap(fetch);
    }
    buf_done(&fetch->in);
    free(fetch);
}

/* The socket is closed: the program has exited, or is about to. Status 127 comes from the dynamic
 * linker. */
static int gone(struct fetch *fetch, struct err *err)
{
    int status = fetch->pid ? fetch_reap(fetch) : 0;

    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return err_set(err, ERR_UNSUPPORTED,
                       "glovebox-fetch cannot start: libcurl is missing (Debian: libcurl4)");
    if (WIFSIGNALED(status))
        return err_set(err, ERR_SYSTEM, "glovebox-fetch was killed by signal %d", WTERMSIG(status));
    return err_set(err, ERR_SYSTEM, "glovebox-fetch exited unexpectedly");
}

/* ---- sending ---- */

static int put_headers(struct buf *lines, const char *const *headers, uint32_t *ret_n,
                       struct err *err)
{
    for (*ret_n = 0; headers && headers[*ret_n]; ++*ret_n) {
        const char *line = headers[*ret_n];
        if (strpbrk(line, "\r\n"))
            return err_set(err, ERR_USAGE, "the header '%.*s' contains a line end",
                           (int)strcspn(line, ":\r\n"), line);
        wire_put_cstr(lines, line);
    }
    return lines->overflow ? err_set(err, ERR_LIMIT, "the request has too many headers") : 0;
}

static int send_all(struct fetch *fetch, const void *p, size_t n, struct err *err)
{
    const char *at = p;

    while (n) {
        ssize_t done = send(fetch->fd, at, n, MSG_NOSIGNAL);
        if (done < 0 && errno != EINTR)
            return gone(fetch, err);
        at += done > 0 ? done : 0;
        n -= done > 0 ? (size_t)done : 0;
    }
    return 0;
}

static int send_record(struct fetch *fetch, const struct buf *record, struct err *err)
{
    unsigned char length[4];

    if (record->overflow)
        return err_set(err, ERR_LIMIT, "the request is larger than %d MiB",
                       FETCH_REQUEST_MAX >> 20);
    fetch_frame_length((uint32_t)record->n, length);
    if (send_all(fetch, length, sizeof length, err) < 0)
        return -1;
    return send_all(fetch, record->p, record->n, err);
}

/* The buffer holds a key. */
static void wipe(struct buf *b)
{
    if (b->cap)
        explicit_bzero(b->p, b->cap);
}

int fetch_send(struct fetch *fetch, const struct fetch_request *request, struct err *err)
{
    AUTO_BUF struct buf lines = {0};
    AUTO_BUF struct buf record = {0};
    struct fetch_order order = {
        .method = str_from(request->method),
        .url = str_from(request->url),
        .socket = str_from(request->socket),
        .body = request->body,
        .connect_ms = (uint64_t)request->connect_ms,
        .idle_ms = (uint64_t)request->idle_ms,
        .whole_ms = (uint64_t)request->whole_ms,
        .max_bytes = request->max_bytes,
    };

    buf_init(&lines, FETCH_HEADERS_MAX);
    buf_init(&record, FETCH_REQUEST_MAX);
    /* Allocated in one step: growing would leave copies of the key in freed memory. */
    (void)buf_room(&lines, 16 << 10);
    int status = put_headers(&lines, request->headers, &order.header_n, err);
    order.header_lines = buf_str(&lines);
    size_t size = lines.n + order.method.n + order.url.n + order.socket.n + 128;
    if (status == 0 && buf_room(&record, size + request->body.n))
        fetch_order_put(&record, &order);
    else if (status == 0)
        record.overflow = true;
    if (status == 0)
        status = send_record(fetch, &record, err);
    wipe(&lines);
    wipe(&record);
    return status;
}

/* ---- receiving ---- */

static int fetch_decode(struct str record, struct fetch_event *ret)
{
    struct wire w = {.rest = record};
    uint32_t kind = wire_u32(&w);

    *ret = (struct fetch_event){.kind = FETCH_END};
    if (kind == FETCH_FRAME_HEAD) {
        ret->kind = FETCH_HEAD;
        ret->status = wire_u32(&w);
        ret->header_lines = wire_str(&w);
    } else if (kind == FETCH_FRAME_BODY) {
        ret->kind = FETCH_BODY;
        ret->bytes = wire_str(&w);
    } else if (kind == FETCH_FRAME_FAILED) {
        ret->kind = FETCH_FAILED;
        ret->failure = (enum fetch_failure)wire_u32(&w);
        ret->bytes = wire_str(&w);
    } else if (kind != FETCH_FRAME_END) {
        return -1;
    }
    return wire_ok(&w) ? 0 : -1;
}

static int remaining(int64_t deadline_ms)
{
    int64_t left = deadline_ms - clock_mono_ms();

    if (!deadline_ms)
        return -1;
    return left <= 0 ? 0 : left > 1000000 ? 1000000 : (int)left;
}

/* Returns 1 when the program has sent something. */
static int wait_for_it(struct fetch *fetch, int64_t deadline_ms, int cancel_fd, bool *ret_cancelled,
                       struct err *err)
{
    struct pollfd polls[2] = {{.fd = fetch->fd, .events = POLLIN},
                              {.fd = cancel_fd, .events = POLLIN}};
    int left = remaining(deadline_ms);
    int n = poll(polls, 2, left);

    if (n < 0 && errno != EINTR)
        return err_sys(err, "wait for glovebox-fetch");
    if (n > 0 && polls[1].revents) {
        *ret_cancelled = true;
        return err_set(err, ERR_TIMEOUT, "cancelled");
    }
    if (n == 0 && left == 0)
        return err_set(err, ERR_TIMEOUT, "the deadline passed");
    return n > 0 && polls[0].revents ? 1 : 0;
}

static int fetch_receive(struct fetch *fetch, struct err *err)
{
    char *room = buf_room(&fetch->in, FETCH_PIECE_MAX);

    if (!room)
        return err_set(err, ERR_BUG, "glovebox-fetch sends too much");
    ssize_t n = recv(fetch->fd, room, FETCH_PIECE_MAX, 0);
    if (n > 0)
        buf_grew(&fetch->in, (size_t)n);
    else if (n == 0 || errno != EINTR)
        return gone(fetch, err);
    return 0;
}

/* Takes a whole frame out of the received bytes: 1, 0 or -1. */
static int take_frame(struct fetch *fetch, struct fetch_event *ret, struct err *err)
{
    struct str record;
    int whole = fetch_frame_next(buf_str(&fetch->in), FETCH_ANSWER_MAX, &record, &fetch->taken);

    if (whole < 0 || (whole > 0 && fetch_decode(record, ret) < 0))
        return err_set(err, ERR_BUG, "glovebox-fetch sent an unknown frame");
    return whole;
}

static void drop_taken(struct fetch *fetch)
{
    buf_drop(&fetch->in, fetch->taken);
    fetch->taken = 0;
}

int fetch_next(struct fetch *fetch, int64_t deadline_ms, int cancel_fd, struct fetch_event *ret,
               bool *ret_cancelled, struct err *err)
{
    int taken, ready;

    *ret_cancelled = false;
    drop_taken(fetch);
    while ((taken = take_frame(fetch, ret, err)) == 0) {
        ready = wait_for_it(fetch, deadline_ms, cancel_fd, ret_cancelled, err);
        if (ready < 0 || (ready > 0 && fetch_receive(fetch, err) < 0))
            return -1;
    }
    return taken < 0 ? -1 : 0;
}

int fetch_poll_fd(const struct fetch *fetch)
{
    return fetch->fd;
}

int fetch_take(struct fetch *fetch, struct fetch_event *ret, struct err *err)
{
    struct pollfd look = {.fd = fetch->fd, .events = POLLIN};
    int taken;

    drop_taken(fetch);
    taken = take_frame(fetch, ret, err);
    if (taken != 0 || poll(&look, 1, 0) <= 0)
        return taken;
    return fetch_receive(fetch, err) < 0 ? -1 : take_frame(fetch, ret, err);
}

struct str fetch_header(struct str header_lines, const char *name)
{
    struct str found = {"", 0}, line;

    while (str_next_line(&header_lines, &line)) {
        long colon = str_find(line, STR(":"));
        if (colon > 0 && str_is_nocase(str_slice(line, 0, (size_t)colon), name))
            found = str_trim(str_slice(line, (size_t)colon + 1, line.n));
    }
    return found;
}
