/* SPDX-License-Identifier: Apache-2.0
 *
 * One request to the guest, and everything until its answer: output, displays, calls of tools,
 * limits, and an interrupt by the user. A cell that must stop is interrupted first; if it still
 * runs after the grace, the guest is killed.
 */
#include <poll.h>
#include <string.h>

#include "base/clock.h"
#include "base/fd.h"
#include "run/cell_decode.h"
#include "session/session_exchange.h"

enum {
    SHORT_NS = 2000000,
    PROGRESS_MS = 1000,
    CPU_LOOK_MS = 10,
    DEAF_MS = 1000,
    PASSING_MS = 50,
    STEP_MAX_MS = 60000,
    FRAMES_MAX = 10000, /* of displays, in one cell */
    SPILL_MAX = 1 << 20,
    SPILL_STEP_MS = 20
};
#define FOREVER_MS ((int64_t)1 << 52) /* later than any clock, and far from an overflow */

/* An interrupt by the user does not count: the user may send another, and the limits stay in
 * force. */
static bool is_stopping(const struct exchange *x)
{
    return x->cause != STOP_NONE && x->cause != STOP_ASKED;
}

/* ---- events of the guest ---- */

static void session_exchange_on_output(void *ctx, int stream, const char *p, size_t n)
{
    struct guest *g = ctx;

    if (g->now && is_stopping(g->now))
        g->now->spilled += n;
    if (g->now && g->now->reporter)
        reporter_output(g->now->reporter, stream, p, n);
    else
        capture_add(&g->between[stream == 2], p, n);
}

/* A cell that must stop still has to empty its buffers, even if the reader has no room; otherwise
 * the cell would be killed with its session. So it may write more, and this allowance grows during
 * the grace. Without the growth, a cell that prints would use up all of it before the interrupt
 * arrives, and then wait for the reader. */
static size_t spill_allowed(const struct exchange *x)
{
    int64_t since = clock_mono_ms() - (x->kill_ms - x->grace_ms);

    return since >= x->grace_ms ? SPILL_MAX : (size_t)(SPILL_MAX * since / x->grace_ms);
}

static bool session_exchange_has_room(void *ctx, int stream, struct pollfd *ret)
{
    struct guest *g = ctx;

    if (!g->now || !g->now->reporter ||
        (is_stopping(g->now) && g->now->spilled < spill_allowed(g->now)))
        return true;
    return reporter_room(g->now->reporter, stream, ret);
}

static void on_denied(void *ctx, const char *name, uint64_t count)
{
    struct guest *g = ctx;
    struct backend_outcome *o =
        g->now && g->now->reporter ? &g->now->reporter->result->outcome : NULL;
    size_t i = 0;

    if (!o)
        return;
    while (i < o->denied_count && strcmp(o->denied[i].name, name) != 0)
        i++;
    if (i == JAIL_DENIED_MAX)
        return;
    if (i == o->denied_count) {
        o->denied[o->denied_count++] = (struct jail_denial){.count = 0};
        memcpy(o->denied[i].name, name, strnlen(name, sizeof o->denied[i].name - 1));
    }
    o->denied[i].count++;
    reporter_denied(g->now->reporter, name, count);
}

static void on_limit(void *ctx, enum jail_limit_hit hit)
{
    struct guest *g = ctx;

    if (g->now && g->now->reporter)
        reporter_limit(g->now->reporter, hit);
}

static void on_channel(void *ctx)
{
    ((struct guest *)ctx)->link_ready = true;
}

const struct backend_sink exchange_sink = {
    .output = session_exchange_on_output,
    .room = session_exchange_has_room,
    .denied = on_denied,
    .limit = on_limit,
    .channel = on_channel,
    .cancel_fd = -1,
    .channel_fd = -1,
};

/* ---- its frames ---- */

static int take_display(struct exchange *x, const struct cell_frame *frame)
{
    if (++x->displays > FRAMES_MAX || !x->reporter) {
        x->kept.dropped++;
        return 0;
    }
    return reporter_display(x->reporter, &x->kept, frame->bytes, &x->err) < 0 ? -1 : 0;
}

static int take_answer(struct exchange *x, const struct cell_frame *frame)
{
    if (frame->id != x->id)
        return err_set(&x->err, ERR_GUEST, "it answered request %u instead of %u", frame->id,
                       x->id);
    x->answer = cell_decode(frame->bytes, &x->err);
    if (!x->answer)
        return -1;
    return json_is_object(x->answer) ? 0
                                     : err_set(&x->err, ERR_GUEST, "its answer is not an object");
}

static int take_frame(struct exchange *x, const struct cell_frame *frame)
{
    if (strcmp(frame->kind, x->await) == 0 && !x->answer)
        return take_answer(x, frame);
    if (strcmp(frame->kind, "display") == 0)
        return take_display(x, frame);
    if (strcmp(frame->kind, "call") == 0)
        return answer_call(x, frame, &x->err);
    return err_set(&x->err, ERR_GUEST, "the guest sent '%s' instead of '%s'", frame->kind,
                   x->await);
}

static int take_frames(struct exchange *x)
{
    struct cell_frame frame;
    int got = 0;

    while (!x->err.kind && (got = cell_reader_next(&x->guest->link.in, &frame, &x->err)) > 0)
        if (take_frame(x, &frame) < 0)
            return -1;
    return got;
}

/* Reads the available frames, but not without end: limits have to be checked. */
static void session_exchange_receive(struct exchange *x)
{
    struct link *l = &x->guest->link;

    x->guest->link_ready = false;
    for (int i = 0; i < 16 && !x->answer && !x->err.kind; i++) {
        bool more = link_receive(l);
        if (take_frames(x) < 0 || !more)
            break;
    }
    link_flush(l);
}

/* ---- stopping ---- */

static void interrupt(struct exchange *x, enum stop_cause cause)
{
    if (is_stopping(x))
        return;
    x->cause = cause;
    backend_interrupt(x->guest->handle);
    if (cause == STOP_ASKED)
        return;
    int64_t now = clock_mono_ms();
    x->kill_ms = now + x->grace_ms;
    x->deadline_ms = INT64_MAX;
    if (x->session->shared->prepared.language->interrupt_again)
        x->again_ms = now + x->grace_ms / 2;
}

/* The first interrupt may have arrived before the cell could handle it. */
static void interrupt_again(struct exchange *x)
{
    x->again_ms = INT64_MAX;
    x->again = true;
    backend_interrupt(x->guest->handle);
}

/* Returns and clears the request that another thread made to this session. */
static enum stop_cause take_wish(struct exchange *x)
{
    struct session *s = x->session;
    enum stop_cause cause = STOP_NONE;

    pthread_mutex_lock(&s->lock);
    if (s->closing)
        cause = STOP_CLOSE;
    else if (s->interrupt)
        cause = STOP_ASKED;
    s->interrupt = false;
    pthread_mutex_unlock(&s->lock);
    link_rest(&x->guest->link);
    return cause;
}

/* Called when the link's poll descriptor is readable for a reason that need not be the guest. */
static void look_for_wishes(struct exchange *x)
{
    if (!fd_readable(x->guest->link.stop))
        return;
    enum stop_cause cause = take_wish(x);
    if (fd_readable(x->guest->link.cancel)) {
        link_watch(&x->guest->link, -1); /* otherwise it would stay readable until the end */
        cause = cause == STOP_CLOSE ? cause : STOP_CANCEL;
    }
    if (cause != STOP_NONE)
        interrupt(x, cause);
}

static void look_at_cpu(struct exchange *x, int64_t now)
{
    struct backend_usage use;

    if (!x->cpu_ms || is_stopping(x) || now < x->cpu_look_ms)
        return;
    backend_usage(x->guest->handle, &use);
    x->cpu_look_ms = now + CPU_LOOK_MS;
    if (use.cpu_ns > x->cpu_from_ns &&
        (int64_t)((use.cpu_ns - x->cpu_from_ns) / 1000000) >= x->cpu_ms)
        interrupt(x, STOP_CPU);
}

/* A dying guest closes its end shortly before we can see that it is dead. */
static void look_at_end(struct exchange *x, int64_t now)
{
    if (x->guest->link.over && x->deaf_ms == INT64_MAX)
        x->deaf_ms = now + DEAF_MS;
    if (now >= x->deaf_ms)
        err_set(&x->err, ERR_GUEST, "it closed its end of the channel");
}

static void look_at_clock(struct exchange *x, int64_t now)
{
    if (now >= x->kill_ms)
        x->killed = true;
    else if (now >= x->again_ms)
        interrupt_again(x);
    else if (now >= x->deadline_ms)
        interrupt(x, STOP_WALL);
}

static uint64_t cpu_of_cell_ms(const struct exchange *x, const struct backend_usage *use)
{
    return use->cpu_ns > x->cpu_from_ns ? (use->cpu_ns - x->cpu_from_ns) / 1000000 : 0;
}

static void report_progress(struct exchange *x, int64_t now)
{
    struct backend_usage use;

    if (!x->reporter || now < x->progress_ms)
        return;
    backend_usage(x->guest->handle, &use);
    pthread_mutex_lock(&x->session->lock);
    info_note_usage(x->session, &use);
    pthread_mutex_unlock(&x->session->lock);
    x->progress_ms = now + PROGRESS_MS;
    reporter_event(x->reporter, (struct run_event){.kind = RUN_PROGRESS,
                                                   .count = (uint64_t)(now - x->start_ms),
                                                   .memory = use.memory_now,
                                                   .cpu_ms = cpu_of_cell_ms(x, &use)});
}

/* ---- the exchange ---- */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t next_end(const struct exchange *x)
{
    return least(least(x->deadline_ms, x->kill_ms), least(x->again_ms, x->deaf_ms));
}

static int pause_of(const struct exchange *x)
{
    int64_t until = next_end(x);

    if (x->reporter)
        until = least(until, x->progress_ms);
    if (is_stopping(x))
        until = least(until, clock_mono_ms() + SPILL_STEP_MS);
    else if (x->cpu_ms)
        until = least(until, x->cpu_look_ms);
    int64_t left = least(until - clock_mono_ms(), STEP_MAX_MS);
    return left < 0 ? 0 : (int)left;
}

static void session_exchange_begin(struct exchange *x)
{
    struct session *s = x->session;
    struct guest *g = x->guest;

    x->start_ns = clock_mono_ns();
    x->start_ms = x->start_ns / 1000000;
    x->deadline_ms = x->wall_ms && x->wall_ms < FOREVER_MS ? x->start_ms + x->wall_ms : INT64_MAX;
    x->again_ms = x->kill_ms = x->deaf_ms = INT64_MAX;
    x->progress_ms = x->start_ms + PROGRESS_MS;
    x->cpu_look_ms = x->start_ms + CPU_LOOK_MS;
    x->cpu_from_ns = g->used.cpu_ns;
    link_watch(&g->link, x->cancel_fd);
    g->now = x;
    pthread_mutex_lock(&s->lock);
    s->running = g;
    s->interrupt = false;
    bool closing = s->closing;
    pthread_mutex_unlock(&s->lock);
    if (closing)
        link_wake(&g->link); /* the request came before the cell ran */
}

/* Reading the usage takes half as long as a short cell, so the duration of a short cell counts as
 * its processor time. It may have used a little more, which does not matter. */
static void note_usage(struct exchange *x)
{
    struct guest *g = x->guest;
    int64_t took = clock_mono_ns() - x->start_ns;

    if (took < SHORT_NS)
        g->used.cpu_ns += (uint64_t)took;
    else if (g->live)
        backend_usage(g->handle, &g->used);
}

/* The interrupt passes through two processes, so the answer may arrive before the interrupt has
 * reached the cell. Wait, so that it does not hit the next cell; between cells it has no effect. */
static void let_interrupt_pass(const struct exchange *x)
{
    if (x->cause != STOP_NONE && x->answer && (x->again || !cell_flag(x->answer, "interrupted")))
        (void)poll(NULL, 0, PASSING_MS);
}

static void session_exchange_end(struct exchange *x)
{
    struct session *s = x->session;
    struct guest *g = x->guest;

    pthread_mutex_lock(&s->lock);
    s->running = NULL;
    if (s->interrupt)
        link_rest(&g->link);
    pthread_mutex_unlock(&s->lock);
    if (g->live)
        backend_drain(g->handle); /* read the output that was printed before the answer */
    note_usage(x);
    let_interrupt_pass(x);
    g->now = NULL;
    link_watch(&g->link, -1);
}

static void session_exchange_step(struct exchange *x)
{
    struct backend_guest *handle = x->guest->handle;

    backend_step(handle, backend_state(handle) == BACKEND_RUNS ? pause_of(x) : PASSING_MS);
    if (x->guest->link_ready) {
        session_exchange_receive(x);
        if (x->answer || x->err.kind)
            return;
        look_for_wishes(x);
    }
    int64_t now = clock_mono_ms();
    /* The guest may have exited before its limit. */
    if (backend_state(handle) != BACKEND_RUNS || (now >= next_end(x) && backend_pending(handle)))
        return;
    look_at_end(x, now);
    look_at_cpu(x, now);
    look_at_clock(x, now);
    report_progress(x, now);
}

int exchange_run(struct exchange *x)
{
    if (!x->guest)
        x->guest = x->session->guest;
    session_exchange_begin(x);
    link_flush(&x->guest->link);
    while (!x->answer && !x->err.kind && !x->killed &&
           backend_state(x->guest->handle) != BACKEND_OVER)
        session_exchange_step(x);
    if (!x->answer && !x->err.kind && !x->killed) {
        session_exchange_receive(x); /* the answer may have arrived before the guest's end */
        x->died = true;
    }
    if (x->err.kind) { /* an answer that came with an invalid frame is not used */
        json_decref(x->answer);
        x->answer = NULL;
    }
    session_exchange_end(x);
    return x->answer ? 0 : -1;
}

void exchange_done(struct exchange *x)
{
    json_decref(x->answer);
    x->answer = NULL;
}
