/* SPDX-License-Identifier: Apache-2.0 */
#include "trial.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "tap.h"

static void on_started(void *ctx, layer_mask held)
{
    (void)held;
    ((struct trial *)ctx)->started = true;
}

static void on_output(void *ctx, int stream, const char *p, size_t n)
{
    struct trial *t = ctx;
    size_t *at = &t->said_n[stream - 1], room = sizeof t->said[0] - 1 - *at;

    t->early |= !t->started;
    memcpy(t->said[stream - 1] + *at, p, n < room ? n : room);
    *at += n < room ? n : room;
}

static void on_limit(void *ctx, enum jail_limit_hit hit)
{
    ((struct trial *)ctx)->limits |= hit;
}

void trial_plan(struct trial *t, const struct backend *backend, const char *script)
{
    static char *env[] = {(char *)"PATH=/usr/bin:/bin", NULL};

    *t = (struct trial){.backend = backend,
                        .argv = {(char *)"sh", (char *)"-c", (char *)script, NULL},
                        .sink = {.started = on_started,
                                 .output = on_output,
                                 .limit = on_limit,
                                 .cancel_fd = -1,
                                 .channel_fd = -1}};
    t->sink.ctx = t;
    t->job = (struct backend_job){.exec_path = "/bin/sh",
                                  .argv = t->argv,
                                  .env = env,
                                  .stdin_fd = -1,
                                  .channel = {-1, -1},
                                  .limits = {.wall_ms = 20000, .disk_bytes = 16 << 20},
                                  .layers = backend->layers,
                                  .net_host = backend_why_not(backend, CAN_CLOSE_NET) != NULL};
}

int trial_run(struct trial *t)
{
    int result = backend_run(t->backend, &t->job, &t->sink, &t->outcome, &t->guest, &t->err);

    if (result < 0)
        printf("# %s\n", t->err.msg);
    return result;
}

bool trial_starts(struct trial *t)
{
    int result = backend_open(t->backend, &t->job, &t->sink, &t->outcome, &t->guest, &t->err);

    return OK(result == 0, "it starts: %s", result < 0 ? t->err.msg : "");
}

bool trial_steps_until_over(struct trial *t, int64_t patience_ms)
{
    int64_t until = clock_mono_ms() + patience_ms;

    while (backend_state(t->guest) != BACKEND_OVER && clock_mono_ms() < until)
        backend_step(t->guest, 100);
    return backend_state(t->guest) == BACKEND_OVER;
}
