/* SPDX-License-Identifier: Apache-2.0
 *
 * The life of a guest in a container.
 *
 * The container's first process is our helper (inside/contained.c), which the engine starts from an
 * image made for it. Everything goes over one connection, the container's own streams: the plan,
 * the files, input and output, the channel of a session, limits and figures, the files back. So the
 * image needs nothing but an interpreter, the root stays read-only, and the engine's host has no
 * file of a guest outside of memory.
 *
 * The helper enforces what is to be counted inside (processor time), the engine the rest, and this
 * side the time: at the deadline the helper is asked to kill the guest, so that its files can still
 * be had; if it does not answer, the engine kills the container.
 */
#include "backends/docker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/docker_parts.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/printable.h"
#include "languages/pythons.h"

enum {
    SETUP_MS = 60000, /* from the container's start to the guest's */
    GRACE_MS = 3000,  /* for the helper to end the guest */
    BUFFER_MAX = 256 << 10,
    QUEUE_MAX = 16 << 20,
    FULL = 128 << 10, /* of the queue: sources wait */
    PIECE = 32 << 10,
};

/* ---- the end ---- */

static void ask_end(struct docker_guest *d)
{
    if (d->kill_ms || d->over)
        return;
    docker_put(d, CONTAINED_KILL, STR(""));
    d->kill_ms = clock_mono_ms() + GRACE_MS;
}

/* The container ended without its helper's report. The guest can bring that about (by using up the
 * memory, for one), and so can anyone on the engine's host. */
static void note_death(struct docker_guest *d)
{
    d->over = true;
    d->out->status = SIGKILL;
    d->out->wall_ns = clock_mono_ns() - d->start_ns;
    d->far->died(d);
}

static void container_died(struct docker_guest *d)
{
    uint64_t limit = d->job->limits.memory_bytes;
    struct engine *again = NULL;
    struct err err;

    if (engine_open(&again, &err) < 0)
        d->out->failure = "the container engine went away in the middle of the run";
    else if (limit && (engine_was_out_of_memory(again, d->container) ||
                       d->usage.memory_peak >= limit - limit / 16))
        docker_hit(d, LIMIT_MEMORY);
    engine_close(again);
}

static void kill_container(struct docker_guest *d)
{
    struct err ignored;

    (void)engine_kill(d->engine, d->container, &ignored);
}

static void check_time(struct docker_guest *d)
{
    int64_t now = clock_mono_ms();

    if (d->over)
        return;
    if (now >= d->deadline_ms) {
        d->deadline_ms = INT64_MAX;
        docker_hit(d, LIMIT_WALL);
        ask_end(d);
    }
    if (d->kill_ms && now >= d->kill_ms) {
        d->kill_ms = INT64_MAX;
        d->far->kill(d);
        fd_close(&d->fd);
    }
    if (d->fd < 0 && d->out->started)
        note_death(d);
}

/* ---- moving ---- */

static void move_source(struct docker_guest *d, enum contained_way way)
{
    struct docker_source *source = &d->sources[way];
    size_t room = source->window < PIECE ? source->window : PIECE;
    char bytes[PIECE];
    ssize_t n;

    do
        n = read(source->fd, bytes, room);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EAGAIN)
        return;
    docker_put(d, way == CONTAINED_TO_STDIN ? CONTAINED_IN : CONTAINED_CHANNEL_IN,
               (struct str){bytes, n > 0 ? (size_t)n : 0});
    if (n > 0)
        source->window -= (size_t)n;
    else if (way == CONTAINED_TO_STDIN)
        source->fd = -1; /* the caller's */
    else
        fd_close(&source->fd);
}

static struct pollfd source_poll(const struct docker_guest *d, enum contained_way way)
{
    const struct docker_source *source = &d->sources[way];
    bool may = d->out->started && !d->over && source->window && d->queue.n < FULL;

    return (struct pollfd){.fd = may ? source->fd : -1, .events = POLLIN};
}

/* False: the stream's reader is full, and *ret is what to wait for. While the guest is to end, what
 * it printed last is passed on in any case. */
static bool has_room(const struct docker_guest *d, int stream, struct pollfd *ret)
{
    *ret = (struct pollfd){.fd = -1};
    return !d->sink->room || d->kill_ms || d->over || !d->out->started ||
           d->sink->room(d->sink->ctx, stream, ret);
}

static int wait_time(const struct docker_guest *d, int most_ms)
{
    int64_t until = d->deadline_ms, left;

    if (d->kill_ms && d->kill_ms < until)
        until = d->kill_ms;
    left = until == INT64_MAX || d->over ? 60000 : until - clock_mono_ms();
    left = left < 0 ? 0 : left > 60000 ? 60000 : left;
    return most_ms >= 0 && most_ms < left ? most_ms : (int)left;
}

void docker_move(struct docker_guest *d, int timeout_ms)
{
    enum { STREAMS, CANCEL, STDIN, CHANNEL_IN, CHANNEL_OUT, SESSION, ROOM, FAR = ROOM + 2 };
    struct pollfd polls[FAR + DOCKER_FAR_POLLS];
    size_t count = FAR + (d->far->polls ? DOCKER_FAR_POLLS : 0);
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
    if (d->far->polls)
        d->far->polls(d, polls + FAR);
    if (poll(polls, count, wait_time(d, timeout_ms)) < 0)
        return;
    if (d->far->move)
        d->far->move(d);
    if (polls[CANCEL].revents) {
        d->out->cancelled = true;
        ask_end(d);
    }
    if (polls[STDIN].revents)
        move_source(d, CONTAINED_TO_STDIN);
    if (polls[CHANNEL_IN].revents)
        move_source(d, CONTAINED_TO_CHANNEL);
    if (polls[CHANNEL_OUT].revents)
        docker_pass_channel(d);
    docker_send(d);
    if (reads && d->fd >= 0 && polls[STREAMS].revents & ~POLLOUT)
        docker_receive(d);
    if (polls[SESSION].revents)
        d->sink->channel(d->sink->ctx);
    check_time(d);
}

/* ---- the table's entries ---- */

static const struct docker_far container = {.place = "container",
                                            .lacks = "the container engine does not provide it",
                                            .kill = kill_container,
                                            .died = container_died};

static const struct backend_sink no_sink = {.cancel_fd = -1, .channel_fd = -1};

struct docker_guest *docker_guest_new(void)
{
    struct docker_guest *d = xcalloc(1, sizeof *d);

    *d = (struct docker_guest){.far = &container,
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
    buf_init(&d->channel_file, DOCKER_CHANNEL_FILE_MAX);
    return d;
}

void docker_lend(struct docker_guest *d, const struct backend_job *job,
                 const struct backend_sink *sink, struct backend_outcome *out)
{
    d->job = job;
    d->sink = sink;
    d->out = out;
    d->limits = job->limits;
    d->sources[CONTAINED_TO_STDIN].fd = job->stdin_fd;
    d->start_ns = clock_mono_ns();
}

void docker_guest_free(struct docker_guest *d)
{
    fd_close(&d->fd);
    docker_files_done(d);
    fd_close(&d->sources[CONTAINED_TO_CHANNEL].fd);
    fd_close(&d->channel.fd);
    buf_done(&d->in);
    buf_done(&d->frames);
    buf_done(&d->words);
    buf_done(&d->queue);
    buf_done(&d->channel.bytes);
    buf_done(&d->channel_file);
    free(d->container);
    free(d);
}

static void docker_close(struct backend_guest *guest)
{
    struct docker_guest *d = docker_of(guest);

    fd_close(&d->fd);
    docker_pool_remove(d);
    docker_guest_free(d);
}

/* Why it did not start, from whichever of them said so. */
static int say_why(struct docker_guest *d, struct err *err)
{
    AUTO_BUF struct buf words = {0};

    if (d->out->cancelled)
        return err_set(err, ERR_TIMEOUT, "stopped before the program started");
    if (d->failed && d->error.kind) {
        d->out->lacking = d->job->required & ~d->held;
        *err = d->error;
        return -1;
    }
    buf_init(&words, 400);
    printable_add_word(&words, buf_str(&d->words), 300);
    return err_set(err, d->words.n ? ERR_UNSUPPORTED : ERR_SYSTEM, "the %s did not start%s%s",
                   d->far->place, words.n ? ": " : "", words.p);
}

/* The wish to stop may come while the engine gets an image. */
bool docker_is_stopped(const struct backend_sink *sink)
{
    struct pollfd look = {.fd = sink->cancel_fd, .events = POLLIN};

    return poll(&look, 1, 0) > 0;
}

int docker_wait_start(struct docker_guest *d, bool begun, struct err *err)
{
    int64_t until = clock_mono_ms() + SETUP_MS;

    d->out->cancelled |= docker_is_stopped(d->sink);
    if (!begun)
        return d->out->cancelled || d->failed ? say_why(d, err) : -1;
    while (!d->out->started && !d->failed && !d->out->cancelled && d->fd >= 0 &&
           clock_mono_ms() < until)
        docker_move(d, 1000);
    return d->out->started && !d->out->cancelled ? 0 : say_why(d, err);
}

void docker_deadline(struct backend_guest *guest, int64_t wall_ms)
{
    docker_of(guest)->deadline_ms = wall_ms ? clock_mono_ms() + wall_ms : INT64_MAX;
}

static int start(struct docker_guest *d, struct err *err)
{
    if (docker_wait_start(d, docker_start(d, err) == 0, err) == 0)
        return 0;
    return d->failed && err->kind == ERR_UNSUPPORTED
               ? err_wrap(err, "image %s", docker_image(d->job))
               : -1;
}

int docker_opened(struct docker_guest *d, struct backend_guest **ret_guest)
{
    d->start_ns = clock_mono_ns();
    outcome_phase(d->out, "start");
    docker_deadline(&d->base, d->limits.wall_ms);
    *ret_guest = &d->base;
    return 0;
}

static int docker_open(const struct backend_job *job, const struct backend_sink *sink,
                       struct backend_outcome *ret, struct backend_guest **ret_guest,
                       struct err *err)
{
    struct docker_guest *d = docker_guest_new();

    docker_lend(d, job, sink, ret);
    d->pool = docker_pool_of(job);
    ret->wanted = job->layers & DOCKER_LAYERS & ~(job->net_host ? LAYER_BIT(LAYER_NETNS) : 0);
    ret->cancelled = docker_is_stopped(sink);
    if (!ret->cancelled && start(d, err) == 0)
        return docker_opened(d, ret_guest);
    ret->started = false;
    docker_close(&d->base);
    return -1;
}

void docker_step(struct backend_guest *guest, int timeout_ms)
{
    if (!docker_of(guest)->over)
        docker_move(docker_of(guest), timeout_ms);
}

enum backend_state docker_state(const struct backend_guest *guest)
{
    const struct docker_guest *d = (const struct docker_guest *)guest;

    return d->over ? BACKEND_OVER : d->ended ? BACKEND_ENDED : BACKEND_RUNS;
}

/* What its reader takes, of the last frames to a session. */
static void pass_rest(struct docker_guest *d)
{
    size_t before;

    do {
        before = d->channel.bytes.n;
        docker_pass_channel(d);
        if (d->channel.bytes.n && d->sink->channel && d->sink->channel_fd >= 0)
            d->sink->channel(d->sink->ctx);
    } while (d->channel.bytes.n && d->channel.bytes.n < before);
    fd_close(&d->channel.fd);
}

/* The container stays until close: its files can be had. */
int docker_end(struct backend_guest *guest, struct err *err)
{
    struct docker_guest *d = docker_of(guest);

    (void)err;
    ask_end(d);
    while (!d->over)
        docker_move(d, -1);
    pass_rest(d);
    d->out->cpu_us = (int64_t)(d->usage.cpu_ns / 1000);
    d->out->memory_peak = d->usage.memory_peak;
    d->rest = *d->out;
    d->out = &d->rest; /* what was lent is not used any more */
    d->sink = &no_sink;
    return 0;
}

void docker_interrupt(struct backend_guest *guest)
{
    docker_put(docker_of(guest), CONTAINED_INTERRUPT, STR(""));
    docker_send(docker_of(guest));
}

bool docker_pending(const struct backend_guest *guest)
{
    const struct docker_guest *d = (const struct docker_guest *)guest;
    struct pollfd look = {.fd = d->fd, .events = POLLIN};

    return !d->over && poll(&look, 1, 0) > 0;
}

/* The end of a cell. */
void docker_drain(struct backend_guest *guest)
{
    if (!docker_of(guest)->over)
        docker_move(docker_of(guest), 0);
    if (docker_of(guest)->far->settled)
        docker_of(guest)->far->settled(docker_of(guest));
}

void docker_usage(struct backend_guest *guest, struct backend_usage *ret)
{
    *ret = docker_of(guest)->usage;
}

static int docker_clean(char **ret_said, struct err *err)
{
    struct engine *engine = NULL;
    unsigned containers, images;

    if (engine_open(&engine, err) < 0)
        return -1;
    docker_sweep_files();
    int result = engine_sweep(engine, &containers, err);
    if (result == 0)
        result = engine_sweep_images(engine, &images, err);
    if (result == 0)
        *ret_said = xasprintf("removed %u containers and %u images of %s", containers, images,
                              engine_describe(engine));
    engine_close(engine);
    return result;
}

/* "docker.io/library/python:3.12-slim" has 3.12; 0 for an image that does not say. */
static unsigned minor_of_image(const char *image)
{
    const char *slash = strrchr(image, '/'), *name = slash ? slash + 1 : image;

    int64_t minor;

    if (strncmp(name, "python:3.", 9) != 0)
        return 0;
    struct str digits = {name + 9, strspn(name + 9, "0123456789")};
    return num_int64(digits, &minor) && minor <= PYTHONS_MINOR_MOST ? (unsigned)minor : 0;
}

/* --python 3.12 chooses an image; a path is one inside. */
static int docker_interpreter(const struct language *language, const char *choice,
                              const char *image, struct interpreter *ret, struct err *err)
{
    unsigned minor = 0;
    bool version = choice && python_is_version(str_from(choice), &minor);

    *ret = (struct interpreter){0};
    if (!image && !language->image && !version)
        return err_set(err, ERR_UNSUPPORTED,
                       "backend docker knows no image with %s: name one with --image, or as "
                       "`image` in [language.%s] of your config file",
                       language->name, language->name);
    ret->path = xstrdup(choice && !version ? choice : language->programs[0]);
    ret->image = image              ? xstrdup(image)
                 : version && minor ? xasprintf("python:3.%u-slim", minor)
                                    : xstrdup(language->image);
    ret->minor = minor_of_image(ret->image);
    return 0;
}

const struct backend docker_backend = {
    .name = "docker",
    .alias = "podman",
    .summary = "in a container of Docker or Podman",
    .layers = DOCKER_LAYERS,
    .has_runtimes = true,
    .can = docker_can,
    .about = docker_about,
    .need = docker_need,
    .interpreter = docker_interpreter,
    .open = docker_open,
    .step = docker_step,
    .state = docker_state,
    .deadline = docker_deadline,
    .end = docker_end,
    .close = docker_close,
    .interrupt = docker_interrupt,
    .pending = docker_pending,
    .drain = docker_drain,
    .usage = docker_usage,
    .clean = docker_clean,
    .files = &docker_files,
    .pool = &docker_pool,
};
