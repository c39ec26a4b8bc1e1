/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "backends/local_parts.h"
#include "backends/plan.h"
#include "base/clock.h"
#include "base/fd.h"
#include "jail/host_box.h"
#include "jail/surroundings.h"

int local_require_groups(const struct local_guest *l, struct err *err)
{
    layer_mask missing = l->job->required & CGROUP_LAYERS & ~cgroup_held(l->group);

    l->out->lacking = missing;
    for (unsigned i = 0; i < LAYER_COUNT; i++)
        if (missing & LAYER_BIT(i))
            return err_set(err, ERR_UNSUPPORTED, "layer %s is required and not available: %s",
                           jail_layers[i].name, layer_how(i, surroundings_find()));
    return 0;
}

static int open_group(struct local_guest *l, struct jail_fds *fds, struct err *err)
{
    int enter[CGROUP_ENTER_MAX];

    cgroup_sweep();
    if (cgroup_open(&l->job->limits, l->job->layers & CGROUP_LAYERS, &l->group, err) < 0 ||
        local_require_groups(l, err) < 0)
        return -1;
    size_t n = cgroup_enter_fds(l->group, enter);
    memcpy(fds->enter, enter, n * sizeof *enter);
    l->spec.enter_count = (uint32_t)n;
    int folder = cgroup_dir_fd(l->group);
    l->spec.enter_v2 = folder >= 0;
    l->spec.pids_held = cgroup_held(l->group) & LAYER_BIT(LAYER_PIDS);
    fds->enter[n] = folder;
    l->oom_fd = cgroup_oom_fd(l->group);
    return 0;
}

static int open_lay(struct local_guest *l, struct jail_fds *fds, struct err *err)
{
    int ends[2];

    fds->lay = -1;
    l->spec.lay = l->job->lay != NULL;
    if (!l->spec.lay)
        return 0;
    if (fd_pipe(ends, err) < 0)
        return -1;
    fds->lay = ends[0];
    l->lay_write = ends[1];
    return 0;
}

int local_send_files(struct local_guest *l, struct err *err)
{
    struct fd_quiet quiet;

    fd_quiet_begin(&quiet);
    int result = l->job->lay(l->job->lay_ctx, l->lay_write, err);
    fd_quiet_end(&quiet);
    fd_close(&l->lay_write);
    return result < 0 && !(err->kind == ERR_SYSTEM && err->sys == EPIPE) ? -1 : 0;
}

static int start_cold(struct local_guest *l, struct err *err)
{
    struct jail_fds fds = {.lay = -1};
    int result = -1;

    l->box_host = host_box_name();
    plan_jail(l->job, l->box_host, &l->spec);
    if (pump_init(&l->pump, l->job->stdin_fd, l->sink, err) < 0 || open_group(l, &fds, err) < 0 ||
        open_lay(l, &fds, err) < 0)
        return -1;
    fds.in = l->pump.theirs[0];
    fds.out = l->pump.theirs[1];
    fds.err = l->pump.theirs[2];
    l->spec.channel = l->job->channel[0] >= 0;
    memcpy(fds.channel, l->job->channel, sizeof fds.channel);
    l->start_ns = clock_mono_ns();
    l->deadline_ms = clock_mono_ms() + SETUP_LIMIT_MS;
    outcome_phase(l->out, "plan");
    result = jail_start(&l->spec, &fds, &l->jail, err);
    outcome_phase(l->out, "spawn");
    fd_close(&fds.lay);
    pump_started(&l->pump);
    return result < 0 || !l->spec.lay ? result : local_send_files(l, err);
}

int local_start(struct local_guest *l, struct err *err)
{
    int result;

    if (local_net_ready(l, err) < 0)
        return -1;
    if (local_start_warm(l, &result, err))
        return result;
    result = start_cold(l, err);
    if (result == 0)
        local_teach(l);
    return result;
}
