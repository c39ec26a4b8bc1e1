/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/live.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "jail/host_box.h"

static const struct backend_ops jail_backend = {
    .name = "jail",
    .alias = "container",
    .summary = "behind the kernel's own locks, on this machine",
    .run = loop_run,
};

/* The same road with no layer of the wall: the limits and the end of the whole tree still hold. */
static const struct backend_ops host_backend = {
    .name = "host",
    .alias = "local",
    .summary = "on this machine without any wall",
    .unsafe = true,
    .run = loop_run,
};

/* Names of the contract that nothing stands behind in this version. */
static const struct backend_ops inproc_backend = {.name = "inproc", .absent = true};
static const struct backend_ops docker_backend = {.name = "docker", .absent = true};
static const struct backend_ops e2b_backend = {.name = "e2b", .absent = true};
static const struct backend_ops builtin_backend = {.name = "builtin", .absent = true};

const struct backend_ops *const backends[] = {
    &jail_backend,    &host_backend, &inproc_backend, &docker_backend, &e2b_backend,
    &builtin_backend, NULL,
};

static void list_present(char *out, size_t n)
{
    size_t at = 0;

    out[0] = '\0';
    for (unsigned i = 0; backends[i] && at < n; i++)
        if (!backends[i]->absent)
            at += (size_t)snprintf(out + at, n - at, "%s%s", at ? " or " : "", backends[i]->name);
}

const struct backend_ops *backend_find(struct str name, struct err *err)
{
    char present[100];

    for (unsigned i = 0; backends[i]; i++)
        if (str_is_nocase(name, backends[i]->name) ||
            (backends[i]->alias && str_is_nocase(name, backends[i]->alias)))
            return backends[i];
    list_present(present, sizeof present);
    err_set(err, ERR_USAGE, "Unsupported code execution env: %.*s (use %s)",
            (int)(name.n < 80 ? name.n : 80), name.p, present);
    return NULL;
}

int backend_check(const struct backend_ops *backend, struct err *err)
{
    char present[100];

    if (!backend->absent)
        return 0;
    list_present(present, sizeof present);
    return err_set(err, ERR_UNSUPPORTED, "backend %s is not in this version of glovebox; use %s",
                   backend->name, present);
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

void outcome_reset(struct backend_outcome *outcome)
{
    struct backend_outcome known = *outcome;

    outcome_done(outcome);
    outcome->wanted = known.wanted;
    outcome->lacking = known.lacking;
    outcome->lost_count = known.lost_count;
    memcpy(outcome->lost, known.lost, sizeof outcome->lost);
}
