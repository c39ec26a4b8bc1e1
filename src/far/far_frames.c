/* SPDX-License-Identifier: Apache-2.0
 *
 * The conversation with the helper. Its output comes in pieces, as an engine cuts it, of its
 * standard output and of its standard error; the former has the helper's frames. All of it is as
 * hostile as the guest: every length has a ceiling, and whatever breaks the protocol ends the
 * guest.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/stream_piece.h"
#include "far/far.h"

enum { READ_STEP = 64 << 10, WORDS_MAX = 4096 };

/* ---- to the helper ---- */

void far_put(struct far_guest *d, enum contained_frame kind, struct str bytes)
{
    d->fresh_until_ms = 0;
    wire_put_u32(&d->queue, kind);
    wire_put_u32(&d->queue, (uint32_t)bytes.n);
    (void)buf_add_str(&d->queue, bytes);
}

static void gone(struct far_guest *d)
{
    fd_close(&d->fd);
    d->queue.n = 0;
}

void far_send(struct far_guest *d)
{
    while (d->fd >= 0 && d->queue.n) {
        ssize_t n = send(d->fd, d->queue.p, d->queue.n, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n > 0) {
            buf_drop(&d->queue, (size_t)n);
            d->sent_ms = d->sent_ms ? d->sent_ms : clock_mono_ms();
        } else if (errno != EINTR) {
            break;
        }
    }
}

int far_send_file(struct far_guest *d, int file, int64_t until_ms, struct err *err)
{
    AUTO_FREE char *chunk = xmalloc(READ_STEP);
    ssize_t got = 1;

    while (d->fd >= 0 && got > 0) {
        if (!d->queue.n && (got = read(file, chunk, READ_STEP)) > 0)
            (void)buf_add(&d->queue, chunk, (size_t)got);
        far_send(d);
        if (d->queue.n)
            far_move(d, 1000);
        if (d->out->cancelled || d->failed)
            return 0; /* its report says more */
        if (clock_mono_ms() > until_ms)
            return err_set(err, ERR_TIMEOUT, "the %s takes no input", d->place->name);
    }
    return got < 0 ? err_sys(err, "read the input files") : 0;
}

/* ---- frames ---- */

void far_hit(struct far_guest *d, enum jail_limit_hit limit)
{
    if (d->out->limits_hit & limit)
        return;
    d->out->limits_hit |= limit;
    if (d->sink->limit)
        d->sink->limit(d->sink->ctx, limit);
}

static void on_started(struct far_guest *d, struct wire *w)
{
    struct backend_outcome *out = d->out;

    (void)w;
    if (out->started)
        return;
    out->absent = out->wanted & d->place->optional & ~d->held;
    out->absent_why = d->place->lacks;
    out->wanted &= ~out->absent;
    layer_mask lost = out->wanted & ~d->held;
    out->started = true;
    out->held = d->held & out->wanted;
    if (lost) {
        out->lost[0].layers = lost;
        snprintf(out->lost[0].why, sizeof out->lost[0].why, "%s", d->place->lacks);
        out->lost_count = 1;
    }
    if (d->place->started)
        d->place->started(d);
    if (d->sink->started)
        d->sink->started(d->sink->ctx, d->out->held);
}

static void on_error(struct far_guest *d, struct wire *w)
{
    uint32_t kind = wire_u32(w), sys = wire_u32(w);
    AUTO_FREE char *text = wire_cstr(w);

    d->error = (struct err){0};
    if (kind && kind <= ERR_BUG)
        (void)err_set(&d->error, (enum err_kind)kind, "%s", text ? text : "it failed");
    d->error.sys = (int)sys;
}

/* The session reads what came over the channel before it gets later output. */
static void settle_channel(struct far_guest *d)
{
    if (d->channel.news && d->sink->channel)
        d->sink->channel(d->sink->ctx);
    d->channel.news = false;
}

static void on_output(struct far_guest *d, int stream, struct str bytes)
{
    if (!d->out->started || !d->sink->output || !bytes.n)
        return;
    settle_channel(d);
    d->sink->output(d->sink->ctx, stream, bytes.p, bytes.n);
}

/* The session has closed its end. The guest gets EPIPE from its next write, as in a jail. */
static void shut_channel(struct far_guest *d)
{
    fd_close(&d->channel.fd);
    far_put(d, CONTAINED_CHANNEL_SHUT, STR(""));
    far_send(d);
}

void far_pass_channel(struct far_guest *d)
{
    struct far_outlet *o = &d->channel;
    struct fd_quiet quiet;

    if (o->fd >= 0 && o->bytes.n) {
        fd_quiet_begin(&quiet);
        ssize_t n = write(o->fd, o->bytes.p, o->bytes.n);
        fd_quiet_end(&quiet);
        if (n > 0)
            buf_drop(&o->bytes, (size_t)n);
        else if (n < 0 && errno != EAGAIN && errno != EINTR)
            shut_channel(d);
    }
    if (o->ends && !o->bytes.n)
        fd_close(&o->fd);
    if (o->fd < 0)
        buf_clear(&o->bytes);
}

static void on_channel(struct far_guest *d, struct wire *w)
{
    if (d->channel.fd < 0)
        return;
    (void)buf_add_str(&d->channel.bytes, w->rest);
    d->channel.ends |= !w->rest.n;
    d->channel.news = true;
    far_pass_channel(d);
}

static void on_credit(struct far_guest *d, struct wire *w)
{
    uint32_t way = wire_u32(w), n = wire_u32(w);

    if (way < CONTAINED_WAYS && n <= CONTAINED_WINDOW - d->sources[way].window)
        d->sources[way].window += n;
}

static void on_shut(struct far_guest *d, struct wire *w)
{
    uint32_t way = wire_u32(w);

    if (way == CONTAINED_TO_CHANNEL)
        fd_close(&d->sources[way].fd); /* the session sees that its reader is gone */
    if (way == CONTAINED_TO_STDIN)
        d->sources[way].fd = -1; /* the caller's */
}

static void on_usage(struct far_guest *d, struct wire *w)
{
    d->usage.cpu_ns = wire_u64(w);
    d->usage.memory_now = wire_u64(w);
    d->usage.memory_peak = wire_u64(w);
}

static void on_ended(struct far_guest *d, struct wire *w)
{
    int64_t most_ns = clock_mono_ns() - d->lent_ns;

    d->ended = true;
    d->out->status = (int)wire_u32(w);
    uint64_t ns = wire_u64(w);
    d->out->wall_ns = ns < (uint64_t)most_ns ? (int64_t)ns : most_ns;
}

/* "mount", "socket(AF_PACKET)", "unknown system call". */
static bool is_call_name(const char *name)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_() ";

    return name && name[0] && !name[strspn(name, allowed)];
}

/* Names are few, whatever comes. */
static void on_denied(struct far_guest *d, struct wire *w)
{
    struct backend_outcome *out = d->out;
    AUTO_FREE char *name = wire_cstr(w);
    uint64_t count = wire_u64(w);
    size_t i = 0;

    if (!is_call_name(name) || !wire_ok(w))
        return gone(d);
    while (i < out->denied_count && strcmp(out->denied[i].name, name) != 0)
        i++;
    if (i == JAIL_DENIED_MAX)
        return;
    if (i == out->denied_count) {
        snprintf(out->denied[out->denied_count++].name, sizeof out->denied[0].name, "%s", name);
        if (d->sink->denied)
            d->sink->denied(d->sink->ctx, out->denied[i].name, count);
    }
    out->denied[i].count = count;
}

static void on_tree(struct far_guest *d, struct wire *w)
{
    struct str bytes = w->rest;

    if (d->spool < 0 || bytes.n > d->max_bytes)
        return gone(d);
    d->max_bytes -= bytes.n;
    if (fd_write_all(d->spool, bytes.p, bytes.n) < 0 && !d->error.kind)
        (void)err_sys(&d->error, "keep the files of the %s", d->place->name);
}

/* ---- the frames, each with its reader ---- */

static void on_held(struct far_guest *d, struct wire *w)
{
    d->held = wire_u32(w);
}

static void on_waits(struct far_guest *d, struct wire *w)
{
    (void)w;
    d->waits = true;
}

static void on_failed(struct far_guest *d, struct wire *w)
{
    on_error(d, w);
    d->failed = true;
}

static void on_out(struct far_guest *d, struct wire *w)
{
    on_output(d, 1, w->rest);
}

static void on_err(struct far_guest *d, struct wire *w)
{
    on_output(d, 2, w->rest);
}

static void on_limit(struct far_guest *d, struct wire *w)
{
    far_hit(d, wire_u32(w) & (2 * LIMIT_LAST - 1));
}

static void on_over(struct far_guest *d, struct wire *w)
{
    (void)w;
    d->over = d->out->started;
}

static void on_left_out(struct far_guest *d, struct wire *w)
{
    far_left_out(d, w->rest);
}

static void on_kept(struct far_guest *d, struct wire *w)
{
    if (!far_kept(d, w->rest))
        gone(d);
}

static void on_activity(struct far_guest *d, struct wire *w)
{
    d->activity = wire_u64(w);
    d->disk_full = wire_u32(w);
}

static void on_done(struct far_guest *d, struct wire *w)
{
    if (!d->error.kind)
        on_error(d, w);
    d->answered = true;
}

static void (*const readers[])(struct far_guest *d, struct wire *w) = {
    [CONTAINED_HELD] = on_held,
    [CONTAINED_WAITS] = on_waits,
    [CONTAINED_STARTED] = on_started,
    [CONTAINED_FAILED] = on_failed,
    [CONTAINED_OUT] = on_out,
    [CONTAINED_ERR] = on_err,
    [CONTAINED_CHANNEL_OUT] = on_channel,
    [CONTAINED_CREDIT] = on_credit,
    [CONTAINED_SHUT] = on_shut,
    [CONTAINED_USAGE] = on_usage,
    [CONTAINED_LIMIT] = on_limit,
    [CONTAINED_ENDED] = on_ended,
    [CONTAINED_OVER] = on_over,
    [CONTAINED_DENIED] = on_denied,
    [CONTAINED_TREE] = on_tree,
    [CONTAINED_LEFT_OUT] = on_left_out,
    [CONTAINED_KEPT] = on_kept,
    [CONTAINED_ACTIVITY] = on_activity,
    [CONTAINED_DONE] = on_done,
};

static void act(struct far_guest *d, uint32_t kind, struct str bytes)
{
    struct wire w = {.rest = bytes};

    if (kind < ARRAY_LEN(readers) && readers[kind])
        readers[kind](d, &w);
    else
        gone(d);
}

static void take_frames(struct far_guest *d)
{
    size_t at = 0;

    while (d->fd >= 0 && d->frames.n - at >= CONTAINED_HEAD) {
        struct wire w = {.rest = str_slice(buf_str(&d->frames), at, d->frames.n)};
        uint32_t kind = wire_u32(&w), n = wire_u32(&w);
        if (n > CONTAINED_PIECE_MAX) {
            gone(d);
            break;
        }
        if (w.rest.n < n)
            break;
        act(d, kind, str_slice(w.rest, 0, n));
        at += CONTAINED_HEAD + n;
    }
    buf_drop(&d->frames, at);
}

/* ---- pieces ---- */

/* The last words of a helper or a place that failed; only the beginning is kept. */
static void keep_words(struct far_guest *d, struct str bytes)
{
    size_t room = WORDS_MAX - d->words.n;

    (void)buf_add_str(&d->words, str_slice(bytes, 0, bytes.n < room ? bytes.n : room));
}

/* What came of a piece is moved on at once: none has to fit into memory. */
static void take_pieces(struct far_guest *d)
{
    while (d->fd >= 0 && d->in.n) {
        if (!d->piece_left) {
            if (d->in.n < STREAM_PIECE_HEAD)
                return;
            if (!stream_piece_head(buf_str(&d->in), &d->piece_stream, &d->piece_left))
                return gone(d);
            buf_drop(&d->in, STREAM_PIECE_HEAD);
        }
        size_t n = d->in.n < d->piece_left ? d->in.n : d->piece_left;
        struct str bytes = str_slice(buf_str(&d->in), 0, n);
        if (d->piece_stream == 1)
            (void)buf_add_str(&d->frames, bytes);
        else
            keep_words(d, bytes);
        d->piece_left -= (uint32_t)n;
        buf_drop(&d->in, n);
        take_frames(d);
    }
}

void far_receive(struct far_guest *d)
{
    char *room = buf_room(&d->in, READ_STEP);
    ssize_t n;

    if (!room)
        return gone(d);
    do
        n = recv(d->fd, room, READ_STEP, MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    if (n > 0) {
        buf_grew(&d->in, (size_t)n);
        d->sent_ms = 0;
    } else if (n == 0 || errno != EAGAIN) {
        return gone(d);
    }
    take_pieces(d);
}
