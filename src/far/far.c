/* SPDX-License-Identifier: Apache-2.0
 *
 * The life of a guest at the other end of a connection.
 *
 * There, the first process is our helper (inside/contained.c). Everything goes over the helper's
 * input and output: the plan, the files, input and output of the guest, the channel of a session,
 * limits and figures, the files back.
 *
 * The helper enforces what is to be counted inside (processor time), and this side the time: at
 * the deadline the helper is asked to kill the guest, so that its files can still be had; if it
 * does not answer, the place ends everything.
 */
#include "far/far.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/printable.h"

enum {
    GRACE_MS = 3000,  /* for the helper to end the guest */
    SILENT_MS = 1500, /* shorter: a helper that runs answers what it is sent */
    BUFFER_MAX = 256 << 10,
    QUEUE_MAX = 16 << 20,
    FULL = 128 << 10, /* of the queue: sources wait */
    PIECE = 32 << 10,
};

/* ---- the end ---- */

static void ask_end(struct far_guest *d)
{
    if (d->kill_ms || d->over)
        return;
    far_put(d, CONTAINED_KILL, STR(""));
    d->kill_ms = clock_mono_ms() + GRACE_MS;
}

/* The place ended without its helper's report. The guest can bring that about (by using up the
 * memory, for one), and so can whatever else happens there. */
static void note_death(struct far_guest *d)
{
    d->over = true;
    d->out->status = SIGKILL;
    d->out->wall_ns = clock_mono_ns() - d->start_ns;
    if (!d->out->cancelled && !d->out->limits_hit) /* else the end has its reason */
        d->place->died(d);
}

/* A user may have paused its place by hand. */
static bool is_silent(const struct far_guest *d)
{
    return d->place->resume && d->sent_ms && clock_mono_ms() >= d->sent_ms + SILENT_MS;
}

static void check_time(struct far_guest *d)
{
    int64_t now = clock_mono_ms();

    if (d->over)
        return;
    if (now >= d->deadline_ms) {
        d->deadline_ms = INT64_MAX;
        far_hit(d, LIMIT_WALL);
        ask_end(d);
    }
    if (is_silent(d)) {
        d->sent_ms = 0;
        d->place->resume(d);
    }
    if (d->kill_ms && now >= d->kill_ms) {
        d->kill_ms = INT64_MAX;
        d->place->kill(d);
        fd_close(&d->fd);
    }
    if (d->fd < 0 && d->out->started)
        note_death(d);
}

/* ---- moving ---- */

static void move_source(struct far_guest *d, enum contained_way way)
{
    struct far_source *source = &d->sources[way];
    size_t room = source->window < PIECE ? source->window : PIECE;
    char bytes[PIECE];
    ssize_t n;

    do
        n = read(source->fd, bytes, room);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EAGAIN)
        return;
    far_put(d, way == CONTAINED_TO_STDIN ? CONTAINED_IN : CONTAINED_CHANNEL_IN,
            (struct str){bytes, n > 0 ? (size_t)n : 0});
    if (n > 0)
        source->window -= (size_t)n;
    else if (way == CONTAINED_TO_STDIN)
        source->fd = -1; /* the caller's */
    else
        fd_close(&source->fd);
}

static struct pollfd source_poll(const struct far_guest *d, enum contained_way way)
{
    const struct far_source *source = &d->sources[way];
    bool may = d->out->started && !d->over && source->window && d->queue.n < FULL;

    return (struct pollfd){.fd = may ? source->fd : -1, .events = POLLIN};
}

/* False: the stream's reader is full, and *ret is what to wait for. While the guest is to end, what
 * it printed last is passed on in any case. */
static bool has_room(const struct far_guest *d, int stream, struct pollfd *ret)
{
    *ret = (struct pollfd){.fd = -1};
    return !d->sink->room || d->kill_ms || d->over || !d->out->started ||
           d->sink->room(d->sink->ctx, stream, ret);
}

static int wait_time(const struct far_guest *d, int most_ms)
{
    int64_t until = d->deadline_ms, left;

    if (d->kill_ms && d->kill_ms < until)
        until = d->kill_ms;
    if (d->place->resume && d->sent_ms && d->sent_ms + SILENT_MS < until)
        until = d->sent_ms + SILENT_MS;
    left = until == INT64_MAX || d->over ? 60000 : until - clock_mono_ms();
    left = left < 0 ? 0 : left > 60000 ? 60000 : left;
    return most_ms >= 0 && most_ms < left ? most_ms : (int)left;
}

/* What the loop polls; the last ones are the place's. */
enum {
    STREAMS,
    CANCEL,
    STDIN,
    CHANNEL_IN,
    CHANNEL_OUT,
    SESSION,
    ROOM,
    PLACE = ROOM + 2,
    POLLS = PLACE + FAR_POLLS
};

/* The value: whether output may be read, for which its readers have room. */
static bool fill_polls(struct far_guest *d, struct pollfd polls[POLLS])
{
    bool room = has_room(d, 1, &polls[ROOM]);

    room &= has_room(d, 2, &polls[ROOM + 1]);
    bool reads = room && !d->channel.bytes.n;
    polls[STREAMS] = (struct pollfd){.fd = reads || d->queue.n ? d->fd : -1,
                                     .events = (reads ? POLLIN : 0) | (d->queue.n ? POLLOUT : 0)};
    polls[CANCEL] = (struct pollfd){.fd = d->out->cancelled || d->over ? -1 : d->sink->cancel_fd,
                                    .events = POLLIN};
    polls[STDIN] = source_poll(d, CONTAINED_TO_STDIN);
    polls[CHANNEL_IN] = source_poll(d, CONTAINED_TO_CHANNEL);
    polls[CHANNEL_OUT] =
        (struct pollfd){.fd = d->channel.bytes.n ? d->channel.fd : -1, .events = POLLOUT};
    polls[SESSION] =
        (struct pollfd){.fd = d->sink->channel ? d->sink->channel_fd : -1, .events = POLLIN};
    if (d->place->polls)
        d->place->polls(d, polls + PLACE);
    return reads;
}

static void act_on(struct far_guest *d, const struct pollfd polls[POLLS], bool reads)
{
    if (polls[CANCEL].revents) {
        d->out->cancelled = true;
        ask_end(d);
    }
    if (polls[STDIN].revents)
        move_source(d, CONTAINED_TO_STDIN);
    if (polls[CHANNEL_IN].revents)
        move_source(d, CONTAINED_TO_CHANNEL);
    if (polls[CHANNEL_OUT].revents)
        far_pass_channel(d);
    far_send(d);
    if (reads && d->fd >= 0 && polls[STREAMS].revents & ~POLLOUT)
        far_receive(d);
    if (polls[SESSION].revents)
        d->sink->channel(d->sink->ctx);
}

void far_move(struct far_guest *d, int timeout_ms)
{
    struct pollfd polls[POLLS];
    bool reads = fill_polls(d, polls);
    size_t count = d->place->polls ? POLLS : PLACE;

    if (poll(polls, count, wait_time(d, timeout_ms)) < 0)
        return;
    if (d->place->move)
        d->place->move(d);
    act_on(d, polls, reads);
    check_time(d);
}

/* ---- the table's entries ---- */

static const struct backend_sink no_sink = {.cancel_fd = -1, .channel_fd = -1};

struct far_guest *far_guest_new(const struct far_place *place, void *own)
{
    struct far_guest *d = xcalloc(1, sizeof *d);

    *d = (struct far_guest){.place = place,
                            .own = own,
                            .sink = &no_sink,
                            .out = &d->rest,
                            .fd = -1,
                            .spool = -1,
                            .arriving = {.fd = -1},
                            .mirror = {.fd = -1},
                            .sources = {{-1, CONTAINED_WINDOW}, {-1, CONTAINED_WINDOW}},
                            .channel = {.fd = -1},
                            .deadline_ms = INT64_MAX};
    buf_init(&d->in, BUFFER_MAX);
    buf_init(&d->frames, BUFFER_MAX);
    buf_init(&d->words, BUFFER_MAX);
    buf_init(&d->queue, QUEUE_MAX);
    buf_init(&d->channel.bytes, 2 * BUFFER_MAX);
    buf_init(&d->channel_file, FAR_CHANNEL_FILE_MAX);
    return d;
}

void far_lend(struct far_guest *d, const struct backend_job *job, const struct backend_sink *sink,
              struct backend_outcome *out)
{
    d->job = job;
    d->sink = sink;
    d->out = out;
    d->limits = job->limits;
    d->sources[CONTAINED_TO_STDIN].fd = job->stdin_fd;
    d->lent_ns = d->start_ns = clock_mono_ns();
}

void far_guest_free(struct far_guest *d)
{
    fd_close(&d->fd);
    far_files_done(d);
    fd_close(&d->sources[CONTAINED_TO_CHANNEL].fd);
    fd_close(&d->channel.fd);
    buf_done(&d->in);
    buf_done(&d->frames);
    buf_done(&d->words);
    buf_done(&d->queue);
    buf_done(&d->channel.bytes);
    buf_done(&d->channel_file);
    free(d);
}

/* Why it did not start, from whichever of them said so. */
static int say_why(struct far_guest *d, struct err *err)
{
    AUTO_BUF struct buf words = {0};

    if (d->out->cancelled)
        return err_set(err, ERR_TIMEOUT, "stopped before the program started");
    if (d->failed && d->error.kind) {
        d->out->lacking = d->job->required & ~d->held;
        *err = d->error;
        return -1;
    }
    if (d->fd >= 0 && !d->failed && !d->words.n)
        return err_set(err, ERR_SYSTEM,
                       "the helper in the %s did not start the program within %d s", d->place->name,
                       d->place->setup_ms / 1000);
    buf_init(&words, 400);
    printable_add_word(&words, buf_str(&d->words), 300);
    return err_set(err, d->words.n ? ERR_UNSUPPORTED : ERR_SYSTEM, "the %s did not start%s%s",
                   d->place->name, words.n ? ": " : "", words.p);
}

/* The wish to stop may come while the place is made. */
bool far_is_stopped(const struct backend_sink *sink)
{
    struct pollfd look = {.fd = sink->cancel_fd, .events = POLLIN};

    return poll(&look, 1, 0) > 0;
}

int far_wait_start(struct far_guest *d, bool begun, struct err *err)
{
    int64_t until = clock_mono_ms() + d->place->setup_ms;

    d->out->cancelled |= far_is_stopped(d->sink);
    if (!begun)
        return d->out->cancelled || d->failed ? say_why(d, err) : -1;
    while (!d->out->started && !d->failed && !d->out->cancelled && d->fd >= 0 &&
           clock_mono_ms() < until)
        far_move(d, 1000);
    return d->out->started && !d->out->cancelled ? 0 : say_why(d, err);
}

void far_deadline(struct backend_guest *guest, int64_t wall_ms)
{
    far_of(guest)->deadline_ms = wall_ms ? clock_mono_ms() + wall_ms : INT64_MAX;
}

int far_opened(struct far_guest *d, struct backend_guest **ret_guest)
{
    d->start_ns = clock_mono_ns();
    outcome_phase(d->out, "start");
    far_deadline(&d->base, d->limits.wall_ms);
    *ret_guest = &d->base;
    return 0;
}

void far_step(struct backend_guest *guest, int timeout_ms)
{
    if (!far_of(guest)->over)
        far_move(far_of(guest), timeout_ms);
}

enum backend_state far_state(const struct backend_guest *guest)
{
    const struct far_guest *d = (const struct far_guest *)guest;

    return d->over ? BACKEND_OVER : d->ended ? BACKEND_ENDED : BACKEND_RUNS;
}

/* What its reader takes, of the last frames to a session. */
static void pass_rest(struct far_guest *d)
{
    size_t before;

    do {
        before = d->channel.bytes.n;
        far_pass_channel(d);
        if (d->channel.bytes.n && d->sink->channel && d->sink->channel_fd >= 0)
            d->sink->channel(d->sink->ctx);
    } while (d->channel.bytes.n && d->channel.bytes.n < before);
    fd_close(&d->channel.fd);
}

void far_resume(struct backend_guest *guest)
{
    struct far_guest *d = far_of(guest);

    if (d->paused)
        d->place->resume(d);
    d->paused = false;
}

/* The place stays until close: its files can be had. */
int far_end(struct backend_guest *guest, struct err *err)
{
    struct far_guest *d = far_of(guest);

    (void)err;
    far_resume(guest);
    ask_end(d);
    while (!d->over)
        far_move(d, -1);
    pass_rest(d);
    d->out->cpu_us = (int64_t)(d->usage.cpu_ns / 1000);
    d->out->memory_peak = d->usage.memory_peak;
    d->rest = *d->out;
    d->out = &d->rest; /* what was lent is not used any more */
    d->sink = &no_sink;
    return 0;
}

void far_interrupt(struct backend_guest *guest)
{
    far_put(far_of(guest), CONTAINED_INTERRUPT, STR(""));
    far_send(far_of(guest));
}

bool far_pending(const struct backend_guest *guest)
{
    const struct far_guest *d = (const struct far_guest *)guest;
    struct pollfd look = {.fd = d->fd, .events = POLLIN};

    return !d->over && poll(&look, 1, 0) > 0;
}

/* The end of a cell. */
void far_drain(struct backend_guest *guest)
{
    if (!far_of(guest)->over)
        far_move(far_of(guest), 0);
    if (far_of(guest)->place->settled)
        far_of(guest)->place->settled(far_of(guest));
}

int far_pause(struct backend_guest *guest, struct err *err)
{
    struct far_guest *d = far_of(guest);

    if (d->paused || d->over)
        return 0;
    far_drain(guest);
    d->paused = !d->over && d->place->pause(d, err) == 0;
    return d->paused || d->over ? 0 : -1;
}

void far_usage(struct backend_guest *guest, struct backend_usage *ret)
{
    *ret = far_of(guest)->usage;
}
