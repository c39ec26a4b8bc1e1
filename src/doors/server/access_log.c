/* SPDX-License-Identifier: Apache-2.0 */
#include "server/access_log.h"

#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "formats/encoded.h"
#include "server/losses.h"

enum { GATHERED = 32 << 10, GATHERED_MAX = 1 << 20 };

struct access_log {
    char *path;
    bool json;
    int fd;
    struct buf lines;
    bool cut; /* the file's last line is incomplete: its rest is at the start of `lines` */
    struct losses losses;
};

static int access_log_open_file(const char *path, struct err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0600);

    return fd < 0 ? err_sys(err, "write --access-log %.200s", path) : fd;
}

int access_log_open(const char *path, bool json, struct access_log **ret, struct err *err)
{
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? STDOUT_FILENO : access_log_open_file(path, err);

    if (fd < 0)
        return -1;
    struct access_log *log = xcalloc(1, sizeof *log);
    *log = (struct access_log){.path = standard ? NULL : xstrdup(path), .json = json, .fd = fd};
    buf_init(&log->lines, GATHERED_MAX);
    log->losses = (struct losses){.log = "the access log", .rows = "lines"};
    *ret = log;
    return 0;
}

void access_log_close(struct access_log *log)
{
    if (!log)
        return;
    access_log_flush(log);
    losses_close(&log->losses);
    if (log->path)
        fd_close(&log->fd);
    buf_done(&log->lines);
    free(log->path);
    free(log);
}

int access_log_reopen(struct access_log *log, struct err *err)
{
    if (!log || !log->path)
        return 0;
    access_log_flush(log);
    int fd = access_log_open_file(log->path, err);
    if (fd < 0)
        return -1;
    fd_close(&log->fd);
    log->fd = fd;
    return 0;
}

static const char *access_log_name_of(const struct access_log *log)
{
    return log->path ? log->path : "standard output";
}

static size_t rest_of_line(const struct access_log *log)
{
    const char *end = log->cut ? memchr(log->lines.p, '\n', log->lines.n) : NULL;

    return end ? (size_t)(end - log->lines.p) + 1 : 0;
}

/* Drops all lines, except the rest of a line of which a full disk took only a part: the file must
 * have complete lines. */
static void lose_lines(struct access_log *log)
{
    struct err err;
    size_t kept = rest_of_line(log);
    uint64_t count = 0;

    err_sys(&err, "write --access-log %.200s", access_log_name_of(log));
    for (size_t i = kept; i < log->lines.n; i++)
        count += log->lines.p[i] == '\n';
    log->lines.n = kept;
    log->lines.p[kept] = '\0';
    if (count)
        losses_add(&log->losses, count, err.msg);
}

static void note_written(struct access_log *log, size_t n)
{
    log->cut = log->lines.p[n - 1] != '\n';
    buf_drop(&log->lines, n);
    if (!log->lines.n)
        (void)losses_end(&log->losses);
}

/* Standard output may be a pipe that is not read. The daemon does not wait for it. */
void access_log_flush(struct access_log *log)
{
    if (!log || !log->lines.n)
        return;
    struct pollfd p = {.fd = log->fd, .events = POLLOUT};
    if (poll(&p, 1, 0) < 1 || !(p.revents & POLLOUT))
        return;
    size_t n = log->path || log->lines.n < 4096 ? log->lines.n : 4096;
    ssize_t written = write(log->fd, log->lines.p, n);
    if (written > 0)
        note_written(log, (size_t)written);
    else
        lose_lines(log);
}

uint64_t access_log_lost(const struct access_log *log)
{
    return log ? log->losses.total : 0;
}

/* A path comes from a client: characters that could end the line early are escaped. */
static void access_log_add_text(struct buf *b, struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c > ' ' && c < 0x7F && c != '"' && c != '\\')
            (void)buf_addc(b, (char)c);
        else
            (void)buf_addf(b, "\\x%02x", c);
    }
}

static void text_line(struct buf *b, const struct http_exchange *x, const char *owner, double ms)
{
    char now[CLOCK_TEXT];

    clock_text(clock_wall_ms(), now);
    (void)buf_addf(b, "%s %s %s ", now, x->listener->tcp ? "tcp" : "unix", *owner ? owner : "-");
    (void)buf_addf(b, "%s ", http_method_name(x->head->method));
    access_log_add_text(b, x->head->path);
    (void)buf_addf(b, " %d %" PRIu64 " %" PRIu64 " %.1f%s\n", x->status, x->body_size, x->sent, ms,
                   x->failed ? " broken" : "");
}

static void json_line(struct buf *b, const struct http_exchange *x, const char *owner, double ms)
{
    char now[CLOCK_TEXT];

    clock_text(clock_wall_ms(), now);
    json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:o, s:i, s:I, s:I, s:f, s:b}", "time", now,
                          "socket", x->listener->tcp ? "tcp" : "unix", "owner", owner, "method",
                          http_method_name(x->head->method), "path", json_text(x->head->path),
                          "status", x->status, "bytes_in", (json_int_t)x->body_size, "bytes_out",
                          (json_int_t)x->sent, "ms", ms, "broken", x->failed);
    AUTO_FREE char *line = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(6) | JSON_ENSURE_ASCII);

    json_decref(o);
    (void)buf_addf(b, "%s\n", line ? line : "{}");
}

void access_log_add(struct access_log *log, const struct http_exchange *x, const char *owner)
{
    if (!log)
        return;
    (log->json ? json_line : text_line)(&log->lines, x, owner,
                                        (double)(clock_mono_ns() - x->began_ns) / 1e6);
    if (log->lines.n >= GATHERED)
        access_log_flush(log);
    if (log->lines.overflow) {
        log->lines.overflow = false;
        losses_add(&log->losses, 1, "--access-log: standard output has no reader");
    }
}
