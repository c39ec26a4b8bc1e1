/* SPDX-License-Identifier: Apache-2.0
 *
 * The loop of a run over a backend whose guest leaves children behind.
 */
#include <poll.h>

#include "backends/backend.h"
#include "base/clock.h"
#include "tap.h"

enum { ENDED_MS = 1500, PAUSE_MS = 50, STEPS_MAX = 100 };

static struct {
    int64_t until_ms; /* of BACKEND_ENDED */
    int steps, reports;
} seen;

static int slow_open(const struct backend_job *job, const struct backend_sink *sink,
                     struct backend_outcome *ret, struct backend_guest **ret_guest, struct err *err)
{
    static struct backend_guest guest;

    (void)job;
    (void)sink;
    (void)ret;
    (void)err;
    *ret_guest = &guest;
    return 0;
}

static void slow_step(struct backend_guest *guest, int timeout_ms)
{
    (void)guest;
    seen.steps++;
    (void)poll(NULL, 0, timeout_ms < 0 || timeout_ms > PAUSE_MS ? PAUSE_MS : timeout_ms);
}

static enum backend_state slow_state(const struct backend_guest *guest)
{
    (void)guest;
    return !seen.reports                     ? BACKEND_RUNS
           : clock_mono_ms() < seen.until_ms ? BACKEND_ENDED
                                             : BACKEND_OVER;
}

static int slow_end(struct backend_guest *guest, struct err *err)
{
    (void)guest;
    (void)err;
    return 0;
}

static void on_progress(void *ctx, struct backend_guest *guest)
{
    (void)ctx;
    (void)guest;
    seen.reports++;
    seen.until_ms = clock_mono_ms() + ENDED_MS;
}

/* It runs until the first report, and its children live on for longer than one report takes. */
static void test_progress(void)
{
    static const struct backend slow = {
        .name = "slow", .open = slow_open, .step = slow_step, .state = slow_state, .end = slow_end};
    const struct backend_job job = {.stdin_fd = -1};
    const struct backend_sink sink = {.progress = on_progress, .cancel_fd = -1, .channel_fd = -1};
    struct backend_outcome outcome = {0};
    struct backend_guest *guest;
    struct err err;

    EQ_INT(backend_run(&slow, &job, &sink, &outcome, &guest, &err), 0);
    EQ_INT(seen.reports, 1);
    OK(seen.steps <= STEPS_MAX, "each step waits: %d steps", seen.steps);
}

int main(void)
{
    RUN(test_progress());
    return tap_done();
}
