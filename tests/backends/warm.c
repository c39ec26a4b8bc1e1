/* SPDX-License-Identifier: Apache-2.0
 *
 * Warm starts: a backend that has them starts the second job of a kind early, any other ignores the
 * description. The job's outcome is the same.
 */
#include <poll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "registry/registry.h"
#include "tap.h"
#include "trial.h"
#include "workspace/workspace.h"

enum { PATIENCE_MS = 30000 };

/* Until a guest of the last job's kind waits in the pool. */
static bool wait_ready(struct backend_pool *pool)
{
    struct backend_pool_stats stats;
    int64_t until = clock_mono_ms() + PATIENCE_MS;

    do {
        (void)poll(NULL, 0, 5);
        backend_pool_stats(pool, &stats);
    } while (!stats.ready && clock_mono_ms() < until);
    return stats.ready > 0;
}

static uint64_t hits(struct backend_pool *pool)
{
    struct backend_pool_stats stats;

    backend_pool_stats(pool, &stats);
    return stats.hits;
}

static int lay_nothing(void *ctx, int fd, struct err *err)
{
    struct lay_list *nothing = lay_list_new(1 << 20, 100);
    int result = lay_send(nothing, fd, err);

    (void)ctx;
    lay_list_free(nothing);
    return result;
}

static void plan_early(struct trial *t, const struct backend *b, const char *script,
                       struct backend_pool *pool, const struct backend_warm *warm)
{
    trial_plan(t, b, script);
    t->job.lay = lay_nothing;
    t->job.pool = pool;
    t->job.warm = warm;
}

/* A place that waits: the program comes with the job, and its arguments may differ. */
static void test_early_place(const struct backend *b, struct backend_pool *pool)
{
    static char *env[] = {NULL};
    const struct backend_warm warm = {.early = EARLY_PLACE, .env = env};
    bool can = !backend_why_not(b, CAN_WARM);
    struct trial t;

    plan_early(&t, b, "echo cold", pool, &warm);
    OK(trial_run(&t) == 0 && !t.outcome.prestarted, "the first run of a kind is cold");
    EQ_STR(t.said[0], "cold\n");
    backend_close(t.guest);
    OK(!can || wait_ready(pool), "a place for the next one gets ready");
    uint64_t before = hits(pool);
    plan_early(&t, b, "echo warm", pool, &warm);
    OK(trial_run(&t) == 0 && !t.outcome.prestarted, "the second run");
    EQ_STR(t.said[0], "warm\n");
    EQ_INT(hits(pool) - before, can);
    OK(t.outcome.started && t.outcome.wall_ns > 0 && !t.outcome.failure,
       "has figures as a cold one");
    backend_close(t.guest);
}

struct ends {
    int to[2], from[2];
};

/* It reads 8 bytes: those of frames_sent first, if it was started early, then the caller's. */
static void run_with_channel(struct trial *t, struct ends *e, const struct backend_warm *warm)
{
    char text[9] = "";
    int own[3];

    t->job.channel[0] = e->to[0];
    t->job.channel[1] = e->from[1];
    if (!trial_starts(t))
        return;
    bool has_own = backend_channel(t->guest, own);
    OK(!has_own || t->outcome.prestarted,
       "only a guest that started early has a channel of its own");
    int to = has_own ? own[0] : e->to[1], from = has_own ? own[1] : e->from[0];
    if (!t->outcome.prestarted)
        OK(write(to, warm->frames_sent.p, warm->frames_sent.n) == 4, "all of it is for us to send");
    OK(write(to, "pong", 4) == 4, "the rest");
    OK(trial_steps_until_over(t, PATIENCE_MS) && backend_end(t->guest, &t->err) == 0, "it ends");
    OK(read(from, text, 8) == 8, "its answer");
    EQ_STR(text, "pingpong");
    backend_close(t->guest);
    for (int i = 0; has_own && i < 3; i++)
        fd_close(&own[i]);
}

/* A program that waits at its channel. */
static void test_early_program(const struct backend *b, struct backend_pool *pool)
{
    static char *env[] = {(char *)"PATH=/usr/bin:/bin", NULL};
    const struct backend_warm warm = {
        .early = EARLY_PROGRAM, .env = env, .frames_sent = STR("ping")};
    bool can = !backend_why_not(b, CAN_WARM);

    for (int round = 0; round < 2; round++) {
        struct trial t;
        struct ends e;
        plan_early(&t, b, "head -c 8 <&3 >&4", pool, &warm);
        OK(fd_pipe(e.to, &t.err) == 0 && fd_pipe(e.from, &t.err) == 0, "a channel");
        run_with_channel(&t, &e, &warm);
        EQ_INT(t.outcome.prestarted, can && round == 1);
        for (int i = 0; i < 2; i++) {
            fd_close(&e.to[i]);
            fd_close(&e.from[i]);
        }
        OK(!can || wait_ready(pool), "the next one waits");
    }
}

void test_warm(const struct backend *b)
{
    const struct backend_pool_options few = {.ready_max = 1, .kinds_max = 1};
    struct backend_pool *pool;
    struct err err;

    for (int i = 0; i < 2; i++) {
        if (!OK(backend_pool_open(backends, &few, &pool, &err) == 0, "a pool"))
            return;
        if (i)
            test_early_program(b, pool);
        else
            test_early_place(b, pool);
        backend_pool_close(pool);
    }
}
