/* SPDX-License-Identifier: Apache-2.0
 *
 * The life of a guest at the other end of a connection.
 *
 * There, the first process is our helper (helper/contained.c). Everything goes over the helper's
 * input and output: the plan, the files, input and output of the guest, the channel of a session,
 * limits and figures, the files back.
 *
 * The helper enforces limits that must be counted inside (processor time), and this side enforces
 * the time limit: at the deadline it asks the helper to kill the guest, so that the files can still
 * be read; if the helper does not answer, the place kills everything.
 */
#include "far/far.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "formats/printable.h"

enum {
    GRACE_MS = 3000,  /* for the helper to kill the guest */
    SILENT_MS = 1500, /* shorter: a running helper answers each message */
    BUFFER_MAX = 256 << 10,
    QUEUE_MAX = 16 << 20,
    FULL = 128 << 10, /* bytes in the queue: then the sources wait */
    PIECE = 32 << 10,
};

/* ---- the end ---- */

static void ask_end(struct far_guest *guest)
{
    if (guest->kill_ms || guest->over)
        return;
    far_put(guest, CONTAINED_KILL, STR(""));
    guest->kill_ms = clock_mono_ms() + GRACE_MS;
}

/* Notes that the place ended without its helper's report. The guest can cause this (by using up the
 * memory, for example), and so can any other event there. */
static void note_death(struct far_guest *guest)
{
    guest->over = true;
    guest->out->status = SIGKILL;
    guest->out->wall_ns = clock_mono_ns() - guest->start_ns;
    if (!guest->out->cancelled && !guest->out->limits_hit) /* else the reason is known */
        guest->place->died(guest);
}

/* True if the helper does not answer: a user may have paused its place by hand. */
static bool is_silent(const struct far_guest *guest)
{
    return guest->place->resume && guest->sent_ms && clock_mono_ms() >= guest->sent_ms + SILENT_MS;
}

static void check_time(struct far_guest *guest)
{
    int64_t now = clock_mono_ms();

    if (guest->over)
        return;
    if (now >= guest->deadline_ms) {
        guest->deadline_ms = INT64_MAX;
        far_hit(guest, LIMIT_WALL);
        ask_end(guest);
    }
    if (is_silent(guest)) {
        guest->sent_ms = 0;
        guest->place->resume(guest);
    }
    if (guest->kill_ms && now >= guest->kill_ms) {
        guest->kill_ms = INT64_MAX;
        guest->place->kill(guest);
        fd_close(&guest->fd);
    }
    if (guest->fd < 0 && guest->out->started)
        note_death(guest);
}

/* ---- moving ---- */

static void move_source(struct far_guest *guest, enum contained_way way)
{
    struct far_source *source = &guest->sources[way];
    size_t room = source->window < PIECE ? source->window : PIECE;
    char bytes[PIECE];
    ssize_t n;

    do
        n = read(source->fd, bytes, room);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EAGAIN)
        return;
    far_put(guest, way == CONTAINED_TO_STDIN ? CONTAINED_IN : CONTAINED_CHANNEL_IN,
            (struct str){bytes, n > 0 ? (size_t)n : 0});
    if (n > 0)
        source->window -= (size_t)n;
    else if (way == CONTAINED_TO_STDIN)
        source->fd = -1; /* the caller's */
    else
        fd_close(&source->fd);
}

static struct pollfd source_poll(const struct far_guest *guest, enum contained_way way)
{
    const struct far_source *source = &guest->sources[way];
    bool may = guest->out->started && !guest->over && source->window && guest->queue.n < FULL;

    return (struct pollfd){.fd = may ? source->fd : -1, .events = POLLIN};
}

/* False if the stream's reader is full; then *ret is the descriptor to poll. When the guest is
 * being killed or has ended, its last output is passed on in any case. */
static bool far_has_room(const struct far_guest *guest, int stream, struct pollfd *ret)
{
    *ret = (struct pollfd){.fd = -1};
    return !guest->sink->room || guest->kill_ms || guest->over || !guest->out->started ||
           guest->sink->room(guest->sink->ctx, stream, ret);
}

static int wait_time(const struct far_guest *guest, int most_ms)
{
    int64_t until = guest->deadline_ms, left;

    if (guest->kill_ms && guest->kill_ms < until)
        until = guest->kill_ms;
    if (guest->place->resume && guest->sent_ms && guest->sent_ms + SILENT_MS < until)
        until = guest->sent_ms + SILENT_MS;
    left = until == INT64_MAX || guest->over ? 60000 : until - clock_mono_ms();
    left = left < 0 ? 0 : left > 60000 ? 60000 : left;
    return most_ms >= 0 && most_ms < left ? most_ms : (int)left;
}

/* The descriptors that the loop polls; the last ones are the place's. */
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

/* Fills in the descriptors. Returns true if output may be read, because its readers have room. */
static bool fill_polls(struct far_guest *guest, struct pollfd polls[POLLS])
{
    bool room = far_has_room(guest, 1, &polls[ROOM]);

    room &= far_has_room(guest, 2, &polls[ROOM + 1]);
    bool reads = room && !guest->channel.bytes.n;
    polls[STREAMS] =
        (struct pollfd){.fd = reads || guest->queue.n ? guest->fd : -1,
                        .events = (reads ? POLLIN : 0) | (guest->queue.n ? POLLOUT : 0)};
    polls[CANCEL] = (struct pollfd){
        .fd = guest->out->cancelled || guest->over ? -1 : guest->sink->cancel_fd, .events = POLLIN};
    polls[STDIN] = source_poll(guest, CONTAINED_TO_STDIN);
    polls[CHANNEL_IN] = source_poll(guest, CONTAINED_TO_CHANNEL);
    polls[CHANNEL_OUT] =
        (struct pollfd){.fd = guest->channel.bytes.n ? guest->channel.fd : -1, .events = POLLOUT};
    polls[SESSION] = (struct pollfd){.fd = guest->sink->channel ? guest->sink->channel_fd : -1,
                                     .events = POLLIN};
    if (guest->place->polls)
        guest->place->polls(guest, polls + PLACE);
    return reads;
}

static void act_on(struct far_guest *guest, const struct pollfd polls[POLLS], bool reads)
{
    if (polls[CANCEL].revents) {
        guest->out->cancelled = true;
        ask_end(guest);
    }
    if (polls[STDIN].revents)
        move_source(guest, CONTAINED_TO_STDIN);
    if (polls[CHANNEL_IN].revents)
        move_source(guest, CONTAINED_TO_CHANNEL);
    if (polls[CHANNEL_OUT].revents)
        far_pass_channel(guest);
    far_send(guest);
    if (reads && guest->fd >= 0 && polls[STREAMS].revents & ~POLLOUT)
        far_receive(guest);
    if (polls[SESSION].revents)
        guest->sink->channel(guest->sink->ctx);
}

void far_move(struct far_guest *guest, int timeout_ms)
{
    struct pollfd polls[POLLS];
    bool reads = fill_polls(guest, polls);
    size_t count = guest->place->polls ? POLLS : PLACE;

    if (poll(polls, count, wait_time(guest, timeout_ms)) < 0)
        return;
    if (guest->place->move)
        guest->place->move(guest);
    act_on(guest, polls, reads);
    check_time(guest);
}

/* ---- the table's entries ---- */

static const struct backend_sink no_sink = {.cancel_fd = -1, .channel_fd = -1};

struct far_guest *far_guest_new(const struct far_place *place, void *own)
{
    struct far_guest *guest = xcalloc(1, sizeof *guest);

    *guest = (struct far_guest){.place = place,
                                .own = own,
                                .sink = &no_sink,
                                .out = &guest->rest,
                                .fd = -1,
                                .spool = -1,
                                .arriving = {.fd = -1},
                                .mirror = {.fd = -1},
                                .sources = {{-1, CONTAINED_WINDOW}, {-1, CONTAINED_WINDOW}},
                                .channel = {.fd = -1},
                                .deadline_ms = INT64_MAX};
    buf_init(&guest->in, BUFFER_MAX);
    buf_init(&guest->frames, BUFFER_MAX);
    buf_init(&guest->words, BUFFER_MAX);
    buf_init(&guest->queue, QUEUE_MAX);
    buf_init(&guest->channel.bytes, 2 * BUFFER_MAX);
    buf_init(&guest->channel_file, FAR_CHANNEL_FILE_MAX);
    return guest;
}

void far_lend(struct far_guest *guest, const struct backend_job *job,
              const struct backend_sink *sink, struct backend_outcome *out)
{
    guest->job = job;
    guest->sink = sink;
    guest->out = out;
    guest->limits = job->limits;
    guest->sources[CONTAINED_TO_STDIN].fd = job->stdin_fd;
    guest->lent_ns = guest->start_ns = clock_mono_ns();
}

void far_guest_free(struct far_guest *guest)
{
    fd_close(&guest->fd);
    far_files_done(guest);
    fd_close(&guest->sources[CONTAINED_TO_CHANNEL].fd);
    fd_close(&guest->channel.fd);
    buf_done(&guest->in);
    buf_done(&guest->frames);
    buf_done(&guest->words);
    buf_done(&guest->queue);
    buf_done(&guest->channel.bytes);
    buf_done(&guest->channel_file);
    free(guest);
}

/* Completes the error of a failed start, with the message of the helper or of the place. */
static int say_why(struct far_guest *guest, struct err *err)
{
    AUTO_BUF struct buf words = {0};

    if (guest->out->cancelled)
        return err_set(err, ERR_TIMEOUT, "stopped before the program started");
    if (guest->failed && guest->error.kind) {
        guest->out->lacking = guest->job->required & ~guest->held;
        *err = guest->error;
        return -1;
    }
    if (guest->fd >= 0 && !guest->failed && !guest->words.n)
        return err_set(err, ERR_SYSTEM,
                       "the helper in the %s did not start the program within %d s",
                       guest->place->name, guest->place->setup_ms / 1000);
    buf_init(&words, 400);
    printable_add_word(&words, buf_str(&guest->words), 300);
    return err_set(err, guest->words.n ? ERR_UNSUPPORTED : ERR_SYSTEM, "the %s did not start%s%s",
                   guest->place->name, words.n ? ": " : "", words.p);
}

/* True if the run is cancelled, which may happen while the place is made. */
bool far_is_stopped(const struct backend_sink *sink)
{
    struct pollfd look = {.fd = sink->cancel_fd, .events = POLLIN};

    return poll(&look, 1, 0) > 0;
}

int far_wait_start(struct far_guest *guest, bool begun, struct err *err)
{
    int64_t until = clock_mono_ms() + guest->place->setup_ms;

    guest->out->cancelled |= far_is_stopped(guest->sink);
    if (!begun)
        return guest->out->cancelled || guest->failed ? say_why(guest, err) : -1;
    while (!guest->out->started && !guest->failed && !guest->out->cancelled && guest->fd >= 0 &&
           clock_mono_ms() < until)
        far_move(guest, 1000);
    return guest->out->started && !guest->out->cancelled ? 0 : say_why(guest, err);
}

void far_deadline(struct backend_guest *base, int64_t wall_ms)
{
    far_of(base)->deadline_ms = wall_ms ? clock_mono_ms() + wall_ms : INT64_MAX;
}

int far_opened(struct far_guest *guest, struct backend_guest **ret_guest)
{
    guest->start_ns = clock_mono_ns();
    outcome_phase(guest->out, "start");
    far_deadline(&guest->base, guest->limits.wall_ms);
    *ret_guest = &guest->base;
    return 0;
}

void far_step(struct backend_guest *base, int timeout_ms)
{
    if (!far_of(base)->over)
        far_move(far_of(base), timeout_ms);
}

enum backend_state far_state(const struct backend_guest *base)
{
    const struct far_guest *guest = (const struct far_guest *)base;

    return guest->over ? BACKEND_OVER : guest->ended ? BACKEND_ENDED : BACKEND_RUNS;
}

/* Passes on the last frames to a session, as far as its reader accepts them. */
static void pass_rest(struct far_guest *guest)
{
    size_t before;

    do {
        before = guest->channel.bytes.n;
        far_pass_channel(guest);
        if (guest->channel.bytes.n && guest->sink->channel && guest->sink->channel_fd >= 0)
            guest->sink->channel(guest->sink->ctx);
    } while (guest->channel.bytes.n && guest->channel.bytes.n < before);
    fd_close(&guest->channel.fd);
}

void far_resume(struct backend_guest *base)
{
    struct far_guest *guest = far_of(base);

    if (guest->paused)
        guest->place->resume(guest);
    guest->paused = false;
}

/* The place stays until close, so that the files can be read. */
int far_end(struct backend_guest *base, struct err *err)
{
    struct far_guest *guest = far_of(base);

    (void)err;
    far_resume(base);
    ask_end(guest);
    while (!guest->over)
        far_move(guest, -1);
    pass_rest(guest);
    guest->out->cpu_us = (int64_t)(guest->usage.cpu_ns / 1000);
    guest->out->memory_peak = guest->usage.memory_peak;
    guest->rest = *guest->out;
    guest->out = &guest->rest; /* the lent members are not used any more */
    guest->sink = &no_sink;
    return 0;
}

void far_interrupt(struct backend_guest *base)
{
    far_put(far_of(base), CONTAINED_INTERRUPT, STR(""));
    far_send(far_of(base));
}

bool far_pending(const struct backend_guest *base)
{
    const struct far_guest *guest = (const struct far_guest *)base;
    struct pollfd look = {.fd = guest->fd, .events = POLLIN};

    return !guest->over && poll(&look, 1, 0) > 0;
}

/* Called at the end of a cell. */
void far_drain(struct backend_guest *base)
{
    if (!far_of(base)->over)
        far_move(far_of(base), 0);
    if (far_of(base)->place->settled)
        far_of(base)->place->settled(far_of(base));
}

int far_pause(struct backend_guest *base, struct err *err)
{
    struct far_guest *guest = far_of(base);

    if (guest->paused || guest->over)
        return 0;
    far_drain(base);
    guest->paused = !guest->over && guest->place->pause(guest, err) == 0;
    return guest->paused || guest->over ? 0 : -1;
}

void far_usage(struct backend_guest *base, struct backend_usage *ret)
{
    const struct far_guest *guest = far_of(base);

    *ret = guest->over ? (struct backend_usage){0} : guest->usage;
}
