/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/backend.h"

#include <stdlib.h>

#include "backends/live.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "jail/host_box.h"

/* The names are part of the contract; the ways behind them are not in this version. */
static int not_here(const struct backend_job *job, const struct backend_sink *sink,
                    struct backend_outcome *ret, struct err *err)
{
    (void)job;
    (void)sink;
    (void)ret;
    return err_set(err, ERR_UNSUPPORTED,
                   "this backend is not in this version of glovebox; use --backend jail");
}

static const struct backend_ops jail_backend = {
    .name = "jail",
    .alias = "container",
    .summary = "behind the kernel's own locks, on this machine",
    .run = loop_run,
};

/* The same road with no layer asked for: time limits and the end of the whole tree still hold. */
static const struct backend_ops host_backend = {
    .name = "host",
    .alias = "local",
    .summary = "on this machine without any wall",
    .unsafe = true,
    .run = loop_run,
};

static const struct backend_ops inproc_backend = {
    .name = "inproc",
    .summary = "on our own Python interpreter (not in this version)",
    .run = not_here};
static const struct backend_ops docker_backend = {
    .name = "docker", .summary = "in a container (not in this version)", .run = not_here};
static const struct backend_ops e2b_backend = {
    .name = "e2b", .summary = "in an E2B sandbox (not in this version)", .run = not_here};
static const struct backend_ops builtin_backend = {
    .name = "builtin", .summary = "on the model's own side (not in this version)", .run = not_here};

const struct backend_ops *const backends[] = {
    &jail_backend,    &host_backend, &inproc_backend, &docker_backend, &e2b_backend,
    &builtin_backend, NULL,
};

const struct backend_ops *backend_find(struct str name, struct err *err)
{
    for (unsigned i = 0; backends[i]; i++)
        if (str_is_nocase(name, backends[i]->name) ||
            (backends[i]->alias && str_is_nocase(name, backends[i]->alias)))
            return backends[i];
    err_set(err, ERR_USAGE,
            "Unsupported code execution env: %.*s (use jail, host, inproc, docker, e2b or builtin)",
            (int)(name.n < 80 ? name.n : 80), name.p);
    return NULL;
}

void outcome_phase(struct backend_outcome *outcome, const char *name)
{
    if (outcome->phase_count < BACKEND_PHASES_MAX)
        outcome->phases[outcome->phase_count++] = (struct backend_phase){name, clock_mono_ns()};
}

void outcome_init(struct backend_outcome *outcome)
{
    *outcome = (struct backend_outcome){.work_fd = -1, .channel = {-1, -1, -1}};
}

void outcome_done(struct backend_outcome *outcome)
{
    fd_close(&outcome->work_fd);
    for (int i = 0; i < 3; i++)
        fd_close(&outcome->channel[i]);
    jail_free(outcome->jail);
    if (outcome->pool) { /* its jails all have a pid namespace */
        cgroup_close_dying(outcome->group);
        pool_rest(outcome->pool);
    } else {
        cgroup_close(outcome->group);
    }
    if (outcome->box_host && !(outcome->held & LAYER_BIT(LAYER_ROOT)))
        host_box_remove(outcome->box_host);
    free(outcome->box_host);
    outcome_init(outcome);
}
