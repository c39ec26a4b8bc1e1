/* SPDX-License-Identifier: Apache-2.0
 *
 * The conversation with the helper. The engine splits its output into pieces of standard output and
 * of standard error; the former has the helper's frames. All of it is as hostile as the guest:
 * every length has a ceiling, and a violation of the protocol ends the guest.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "far/far.h"
#include "net/stream_piece.h"

enum { READ_STEP = 64 << 10, WORDS_MAX = 4096 };

/* ---- to the helper ---- */

void far_put(struct far_guest *guest, enum contained_frame kind, struct str bytes)
{
    guest->fresh_until_ms = 0;
    wire_put_u32(&guest->queue, kind);
    wire_put_u32(&guest->queue, (uint32_t)bytes.n);
    (void)buf_add_str(&guest->queue, bytes);
}

static void gone(struct far_guest *guest)
{
    fd_close(&guest->fd);
    guest->queue.n = 0;
}

void far_send(struct far_guest *guest)
{
    while (guest->fd >= 0 && guest->queue.n) {
        ssize_t n = send(guest->fd, guest->queue.p, guest->queue.n, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n > 0) {
            buf_drop(&guest->queue, (size_t)n);
            guest->sent_ms = guest->sent_ms ? guest->sent_ms : clock_mono_ms();
        } else if (errno != EINTR) {
            break;
        }
    }
}

int far_send_file(struct far_guest *guest, int file, int64_t until_ms, struct err *err)
{
    AUTO_FREE char *chunk = xmalloc(READ_STEP);
    ssize_t got = 1;

    while (guest->fd >= 0 && got > 0) {
        if (!guest->queue.n && (got = read(file, chunk, READ_STEP)) > 0)
            (void)buf_add(&guest->queue, chunk, (size_t)got);
        far_send(guest);
        if (guest->queue.n)
            far_move(guest, 1000);
        if (guest->out->cancelled || guest->failed)
            return 0; /* the helper's report says more */
        if (clock_mono_ms() > until_ms)
            return err_set(err, ERR_TIMEOUT, "the %s accepts no input", guest->place->name);
    }
    return got < 0 ? err_sys(err, "read the input files") : 0;
}

/* ---- frames ---- */

void far_hit(struct far_guest *guest, enum jail_limit_hit limit)
{
    if (guest->out->limits_hit & limit)
        return;
    guest->out->limits_hit |= limit;
    if (guest->sink->limit)
        guest->sink->limit(guest->sink->ctx, limit);
}

static void far_frames_on_started(struct far_guest *guest, struct wire *w)
{
    struct backend_outcome *out = guest->out;

    (void)w;
    if (out->started)
        return;
    out->absent = out->wanted & guest->place->optional & ~guest->held;
    out->absent_why = guest->place->lacks;
    out->wanted &= ~out->absent;
    layer_mask lost = out->wanted & ~guest->held;
    out->started = true;
    out->held = guest->held & out->wanted;
    if (lost) {
        out->lost[0].layers = lost;
        snprintf(out->lost[0].why, sizeof out->lost[0].why, "%s", guest->place->lacks);
        out->lost_count = 1;
    }
    if (guest->place->started)
        guest->place->started(guest);
    if (guest->sink->started)
        guest->sink->started(guest->sink->ctx, guest->out->held);
}

static void on_error(struct far_guest *guest, struct wire *w)
{
    uint32_t kind = wire_u32(w), sys = wire_u32(w);
    AUTO_FREE char *text = wire_cstr(w);

    guest->error = (struct err){0};
    if (kind && kind <= ERR_BUG)
        (void)err_set(&guest->error, (enum err_kind)kind, "%s", text ? text : "it failed");
    guest->error.sys = (int)sys;
}

/* Makes the session read the channel's bytes before it gets later output. */
static void settle_channel(struct far_guest *guest)
{
    if (guest->channel.news && guest->sink->channel)
        guest->sink->channel(guest->sink->ctx);
    guest->channel.news = false;
}

static void far_frames_on_output(struct far_guest *guest, int stream, struct str bytes)
{
    if (!guest->out->started || !guest->sink->output || !bytes.n)
        return;
    settle_channel(guest);
    guest->sink->output(guest->sink->ctx, stream, bytes.p, bytes.n);
}

/* Called if the session has closed its end: the guest gets EPIPE from its next write, as in a jail.
 */
static void shut_channel(struct far_guest *guest)
{
    fd_close(&guest->channel.fd);
    far_put(guest, CONTAINED_CHANNEL_SHUT, STR(""));
    far_send(guest);
}

void far_pass_channel(struct far_guest *guest)
{
    struct far_outlet *o = &guest->channel;
    struct fd_quiet quiet;

    if (o->fd >= 0 && o->bytes.n) {
        fd_quiet_begin(&quiet);
        ssize_t n = write(o->fd, o->bytes.p, o->bytes.n);
        fd_quiet_end(&quiet);
        if (n > 0)
            buf_drop(&o->bytes, (size_t)n);
        else if (n < 0 && errno != EAGAIN && errno != EINTR)
            shut_channel(guest);
    }
    if (o->ends && !o->bytes.n)
        fd_close(&o->fd);
    if (o->fd < 0)
        buf_clear(&o->bytes);
}

static void on_channel(struct far_guest *guest, struct wire *w)
{
    if (guest->channel.fd < 0)
        return;
    (void)buf_add_str(&guest->channel.bytes, w->rest);
    guest->channel.ends |= !w->rest.n;
    guest->channel.news = true;
    far_pass_channel(guest);
}

static void on_credit(struct far_guest *guest, struct wire *w)
{
    uint32_t way = wire_u32(w), n = wire_u32(w);

    if (way < CONTAINED_WAYS && n <= CONTAINED_WINDOW - guest->sources[way].window)
        guest->sources[way].window += n;
}

static void on_shut(struct far_guest *guest, struct wire *w)
{
    uint32_t way = wire_u32(w);

    if (way == CONTAINED_TO_CHANNEL)
        fd_close(&guest->sources[way].fd); /* the session sees that its reader is gone */
    if (way == CONTAINED_TO_STDIN)
        guest->sources[way].fd = -1; /* the caller's */
}

static void on_usage(struct far_guest *guest, struct wire *w)
{
    guest->usage.cpu_ns = wire_u64(w);
    guest->usage.memory_now = wire_u64(w);
    guest->usage.memory_peak = wire_u64(w);
}

static void on_ended(struct far_guest *guest, struct wire *w)
{
    int64_t most_ns = clock_mono_ns() - guest->lent_ns;

    guest->ended = true;
    guest->out->status = (int)wire_u32(w);
    uint64_t ns = wire_u64(w);
    guest->out->wall_ns = ns < (uint64_t)most_ns ? (int64_t)ns : most_ns;
}

/* True for names such as "mount", "socket(AF_PACKET)", "unknown system call". */
static bool is_call_name(const char *name)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_() ";

    return name && name[0] && !name[strspn(name, allowed)];
}

/* Counts denials. The number of names has a ceiling, whatever is received. */
static void on_denied(struct far_guest *guest, struct wire *w)
{
    struct backend_outcome *out = guest->out;
    AUTO_FREE char *name = wire_cstr(w);
    uint64_t count = wire_u64(w);
    size_t i = 0;

    if (!is_call_name(name) || !wire_ok(w))
        return gone(guest);
    while (i < out->denied_count && strcmp(out->denied[i].name, name) != 0)
        i++;
    if (i == JAIL_DENIED_MAX)
        return;
    if (i == out->denied_count) {
        snprintf(out->denied[out->denied_count++].name, sizeof out->denied[0].name, "%s", name);
        if (guest->sink->denied)
            guest->sink->denied(guest->sink->ctx, out->denied[i].name, count);
    }
    out->denied[i].count = count;
}

static void on_tree(struct far_guest *guest, struct wire *w)
{
    struct str bytes = w->rest;

    if (guest->spool < 0 || bytes.n > guest->max_bytes)
        return gone(guest);
    guest->max_bytes -= bytes.n;
    if (fd_write_all(guest->spool, bytes.p, bytes.n) < 0 && !guest->error.kind)
        (void)err_sys(&guest->error, "store the files of the %s", guest->place->name);
}

/* ---- a reader for each frame ---- */

static void on_held(struct far_guest *guest, struct wire *w)
{
    guest->held = wire_u32(w);
}

static void on_waits(struct far_guest *guest, struct wire *w)
{
    (void)w;
    guest->waits = true;
}

static void on_failed(struct far_guest *guest, struct wire *w)
{
    on_error(guest, w);
    guest->failed = true;
}

static void on_out(struct far_guest *guest, struct wire *w)
{
    far_frames_on_output(guest, 1, w->rest);
}

static void on_err(struct far_guest *guest, struct wire *w)
{
    far_frames_on_output(guest, 2, w->rest);
}

static void on_limit(struct far_guest *guest, struct wire *w)
{
    far_hit(guest, wire_u32(w) & (2 * LIMIT_LAST - 1));
}

static void on_over(struct far_guest *guest, struct wire *w)
{
    (void)w;
    guest->over = guest->out->started;
}

static void on_left_out(struct far_guest *guest, struct wire *w)
{
    far_left_out(guest, w->rest);
}

static void on_kept(struct far_guest *guest, struct wire *w)
{
    if (!far_kept(guest, w->rest))
        gone(guest);
}

static void on_activity(struct far_guest *guest, struct wire *w)
{
    guest->activity = wire_u64(w);
    guest->disk_full = wire_u32(w);
}

static void on_done(struct far_guest *guest, struct wire *w)
{
    if (!guest->error.kind)
        on_error(guest, w);
    guest->answered = true;
}

static void (*const readers[])(struct far_guest *guest, struct wire *w) = {
    [CONTAINED_HELD] = on_held,
    [CONTAINED_WAITS] = on_waits,
    [CONTAINED_STARTED] = far_frames_on_started,
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

static void act(struct far_guest *guest, uint32_t kind, struct str bytes)
{
    struct wire w = {.rest = bytes};

    if (kind < ARRAY_LEN(readers) && readers[kind])
        readers[kind](guest, &w);
    else
        gone(guest);
}

static void take_frames(struct far_guest *guest)
{
    size_t at = 0;

    while (guest->fd >= 0 && guest->frames.n - at >= CONTAINED_HEAD) {
        struct wire w = {.rest = str_slice(buf_str(&guest->frames), at, guest->frames.n)};
        uint32_t kind = wire_u32(&w), n = wire_u32(&w);
        if (n > CONTAINED_PIECE_MAX) {
            gone(guest);
            break;
        }
        if (w.rest.n < n)
            break;
        act(guest, kind, str_slice(w.rest, 0, n));
        at += CONTAINED_HEAD + n;
    }
    buf_drop(&guest->frames, at);
}

/* ---- pieces ---- */

/* Keeps the error output of a helper or a place that failed; only the beginning. */
static void keep_words(struct far_guest *guest, struct str bytes)
{
    size_t room = WORDS_MAX - guest->words.n;

    (void)buf_add_str(&guest->words, str_slice(bytes, 0, bytes.n < room ? bytes.n : room));
}

/* Passes on the received part of a piece at once: no piece has to fit into memory. */
static void take_pieces(struct far_guest *guest)
{
    while (guest->fd >= 0 && guest->in.n) {
        if (!guest->piece_left) {
            if (guest->in.n < STREAM_PIECE_HEAD)
                return;
            if (!stream_piece_head(buf_str(&guest->in), &guest->piece_stream, &guest->piece_left))
                return gone(guest);
            buf_drop(&guest->in, STREAM_PIECE_HEAD);
        }
        size_t n = guest->in.n < guest->piece_left ? guest->in.n : guest->piece_left;
        struct str bytes = str_slice(buf_str(&guest->in), 0, n);
        if (guest->piece_stream == 1)
            (void)buf_add_str(&guest->frames, bytes);
        else
            keep_words(guest, bytes);
        guest->piece_left -= (uint32_t)n;
        buf_drop(&guest->in, n);
        take_frames(guest);
    }
}

void far_receive(struct far_guest *guest)
{
    char *room = buf_room(&guest->in, READ_STEP);
    ssize_t n;

    if (!room)
        return gone(guest);
    do
        n = recv(guest->fd, room, READ_STEP, MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    if (n > 0) {
        buf_grew(&guest->in, (size_t)n);
        guest->sent_ms = 0;
    } else if (n == 0 || errno != EAGAIN) {
        return gone(guest);
    }
    take_pieces(guest);
}
