/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "backends/local_parts.h"
#include "backends/plan.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/wire.h"
#include "jail/host_box.h"
#include "jail/surroundings.h"

static int require_groups(const struct local_guest *l, struct err *err)
{
    layer_mask missing = l->job->required & CGROUP_LAYERS & ~cgroup_held(l->group);

    l->out->lacking = missing;
    for (unsigned i = 0; i < LAYER_COUNT; i++)
        if (missing & l->job->for_limits & LAYER_BIT(i))
            return err_set(err, ERR_UNSUPPORTED,
                           "a limit that was asked for needs layer %s, which cannot be had: %s",
                           jail_layers[i].name, layer_how(i, surroundings_find()));
        else if (missing & LAYER_BIT(i))
            return err_set(err, ERR_UNSUPPORTED, "layer %s is required and cannot be had: %s",
                           jail_layers[i].name, layer_how(i, surroundings_find()));
    return 0;
}

static int open_group(struct local_guest *l, struct jail_fds *fds, struct err *err)
{
    int enter[CGROUP_ENTER_MAX];

    cgroup_sweep();
    if (cgroup_open(&l->job->limits, l->job->layers & CGROUP_LAYERS, &l->group, err) < 0 ||
        require_groups(l, err) < 0)
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

/* The reader is the jail's init. When it dies early the write fails, and what it said on the
 * control socket is the better message. */
static int send_files(struct local_guest *l, struct err *err)
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
    return result < 0 || !l->spec.lay ? result : send_files(l, err);
}

/* ---- warm ---- */

static void put_strings(struct buf *b, char *const *strings)
{
    for (; *strings; strings++)
        wire_put_cstr(b, *strings);
    wire_put_cstr(b, NULL);
}

/* All that jails of one kind have in common. */
static void warm_key(const struct backend_job *job, struct buf *key)
{
    struct jail_limits limits = job->limits;

    limits.wall_ms = 0; /* comes with each */
    buf_init(key, 1 << 20);
    (void)buf_add(key, &limits, sizeof limits);
    wire_put_u32(key, job->layers);
    /* Whoever is warm has all groups. */
    wire_put_u32(key, job->required & ~CGROUP_LAYERS);
    wire_put_u32(key, job->net_host | (uint32_t)(job->channel[0] >= 0 && !job->zygote_argv) << 1 |
                          (uint32_t)job->forks << 2 | (uint32_t)job->ahead << 3 |
                          (uint32_t)(job->ahead && job->stdin_fd >= 0) << 5);
    wire_put_cstr(key, job->exec_path);
    if (job->zygote_argv || job->ahead == AHEAD_PROGRAM) {
        put_strings(key, job->zygote_argv ? job->zygote_argv : job->argv);
        put_strings(key, job->zygote_env);
        wire_put_cstr(key, job->waits_for);
        wire_put_str(key, job->ahead_text);
    }
    for (size_t i = 0; i < job->view_count; i++) {
        wire_put_cstr(key, job->views[i].src);
        wire_put_cstr(key, job->views[i].dst);
        wire_put_u32(key, job->views[i].is_link);
    }
}

/* Views inside the guest's own folders would have to be mounted for each. */
static bool can_be_warm(const struct backend_job *job)
{
    if (!job->pool || !job->zygote_argv || !job->lay || job->net_host)
        return false;
    for (size_t i = 0; i < job->view_count; i++)
        if (spec_in_box(job->views[i].dst))
            return false;
    return true;
}

/* It counts the processes of a user in a user namespace and in those below it, where a session's
 * forks are, and a control group counts each by itself. */
static void drop_process_rlimit(struct jail_spec *spec)
{
    size_t kept = 0;

    for (size_t i = 0; i < spec->rlimit_count; i++)
        if (spec->rlimits[i].resource != RLIMIT_NPROC)
            spec->rlimits[kept++] = spec->rlimits[i];
    spec->rlimit_count = kept;
}

/* How the nest of this kind is made. */
static void plan_nest(const struct backend_job *job, struct jail_spec *ret)
{
    struct backend_job zygote = *job;

    zygote.argv = job->zygote_argv;
    zygote.env = job->zygote_env;
    plan_jail(&zygote, "/nonexistent", ret);
    ret->pids_held = true;
    ret->forks = job->forks;
    drop_process_rlimit(ret);
}

/* Called after a cold start, when the guest's control group can be inspected. A limit that no group
 * holds is watched from outside through the process tree, which is impossible for a fork: its
 * parent is the zygote. */
static void teach_pool(const struct local_guest *l)
{
    const struct backend_job *job = l->job;
    AUTO_BUF struct buf key = {0};
    struct jail_spec spec;

    if (job->layers & CGROUP_LAYERS & ~cgroup_held(l->group))
        return;
    warm_key(job, &key);
    plan_nest(job, &spec);
    pool_learn(job->pool, buf_str(&key), &spec, &job->limits, job->layers);
    spec_done(&spec);
}

/* What the zygote does not have already. The caller frees the list alone. */
static char **environment_beyond(char **env, char **known)
{
    size_t n = 0;

    while (env[n])
        n++;
    char **beyond = xcalloc(n + 1, sizeof *beyond), **at = beyond;
    for (; *env; env++) {
        char **same = known;
        while (*same && strcmp(*same, *env) != 0)
            same++;
        if (!*same)
            *at++ = *env;
    }
    return beyond;
}

/* Sends what a pre-started guest lacks: for a fork of a zygote the variables that its zygote did
 * not have, for a parked jail everything, for a started program nothing. */
static int send_words(struct local_guest *l, int lay, struct err *err)
{
    static char *nothing[] = {NULL};
    const struct backend_job *job = l->job;
    int64_t wall_ms = job->limits.wall_ms;

    if (job->ahead == AHEAD_JAIL)
        return jail_go(l->jail, job->argv, job->env, wall_ms, lay, err);
    if (job->ahead == AHEAD_PROGRAM)
        return jail_go(l->jail, nothing, nothing, wall_ms, lay, err);
    AUTO_FREE char **env = environment_beyond(job->env, job->zygote_env);
    return jail_go(l->jail, job->warm_argv, env, wall_ms, lay, err);
}

static int go(struct local_guest *l, struct err *err)
{
    int ends[2];

    if (require_groups(l, err) < 0 || fd_pipe(ends, err) < 0)
        return -1;
    AUTO_CLOSE int theirs = ends[0];
    l->lay_write = ends[1];
    if (send_words(l, theirs, err) < 0)
        return -1;
    fd_close(&theirs);
    return send_files(l, err);
}

void local_adopt(struct local_guest *l, const struct pool_jail *warm)
{
    outcome_phase(l->out, "take");
    l->pool = l->job->pool;
    l->jail = warm->jail;
    l->group = warm->group;
    memcpy(l->channel, warm->channel, sizeof l->channel);
    l->out->prestarted = l->job->zygote_argv || l->job->ahead == AHEAD_PROGRAM;
    l->oom_fd = cgroup_oom_fd(l->group);
    pump_adopt(&l->pump, l->job->stdin_fd, warm->pipes, l->sink);
    l->start_ns = clock_mono_ns();
    l->deadline_ms = clock_mono_ms() + SETUP_LIMIT_MS;
}

static const int *channel_of(const struct backend_job *job)
{
    return job->channel[0] >= 0 ? job->channel : NULL;
}

static bool take_warm(const struct local_guest *l, struct pool_jail *ret)
{
    AUTO_BUF struct buf key = {0};

    warm_key(l->job, &key);
    return pool_take(l->job->pool, buf_str(&key), channel_of(l->job), ret);
}

/* ---- without a zygote ---- */

/* One that waits without a program has no channel: it would have to be this run's. */
static bool can_be_ahead(const struct backend_job *job)
{
    return job->pool && job->ahead && job->lay && !job->net_host &&
           !(job->ahead == AHEAD_JAIL && channel_of(job));
}

static bool take_ahead(const struct local_guest *l, struct pool_jail *ret)
{
    AUTO_BUF struct buf key = {0};

    warm_key(l->job, &key);
    return pool_take(l->job->pool, buf_str(&key), NULL, ret);
}

/* After one was started cold; see teach_pool. */
static void teach_ahead(const struct local_guest *l)
{
    static char *nothing[] = {NULL};
    struct backend_job plan = *l->job;
    AUTO_BUF struct buf key = {0};
    char *no_program[] = {(char *)plan.exec_path, NULL};
    struct jail_spec spec;

    if (plan.layers & CGROUP_LAYERS & ~cgroup_held(l->group))
        return;
    warm_key(&plan, &key);
    plan.limits.wall_ms = 0;
    plan.env = plan.ahead == AHEAD_JAIL ? nothing : plan.zygote_env;
    if (plan.ahead == AHEAD_JAIL)
        plan.argv = no_program;
    plan_jail(&plan, "/nonexistent", &spec);
    spec.park = plan.ahead == AHEAD_JAIL;
    spec.waits = plan.ahead == AHEAD_PROGRAM;
    spec.wait_file = plan.waits_for ? xstrdup(plan.waits_for) : NULL;
    spec.channel = channel_of(&plan) != NULL;
    struct pool_alone more = {.input = plan.stdin_fd >= 0, .text = plan.ahead_text};
    pool_learn_alone(plan.pool, buf_str(&key), &spec, &plan.limits, plan.layers, &more);
    spec_done(&spec);
}

/* ---- to be forked ---- */

/* A limit that no group holds is watched through the process tree, which has no root for a fork. */
static int need_groups(const struct backend_job *job, struct err *err)
{
    struct cgroup *group = NULL;

    if (cgroup_open(&job->limits, job->layers & CGROUP_LAYERS, &group, err) < 0)
        return -1;
    layer_mask missing = job->layers & CGROUP_LAYERS & ~cgroup_held(group);
    cgroup_close(group);
    return missing ? err_set(err, ERR_UNSUPPORTED,
                             "forks need control groups for all limits ('glovebox doctor' says "
                             "what there is)")
                   : 0;
}

static int require_warm(struct local_guest *l, struct pool_jail *ret, struct err *err)
{
    const struct backend_job *job = l->job;
    AUTO_BUF struct buf key = {0};
    struct jail_spec spec;

    if (!can_be_warm(job) || !channel_of(job))
        return err_set(err, ERR_UNSUPPORTED, "forks need a session that starts warm");
    if (need_groups(job, err) < 0)
        return -1;
    warm_key(job, &key);
    plan_nest(job, &spec);
    struct jail_limits limits = job->limits;
    limits.count_cpu = true; /* the tree has no root outside, so it cannot be inspected */
    struct pool_order order = {.limits = &limits, .layers = job->layers, .channel = job->channel};
    int result = pool_require(job->pool, buf_str(&key), &spec, &order, ret, err);
    spec_done(&spec);
    return result;
}

/* True when it was started, or failed for good. */
static bool start_forkable(struct local_guest *l, int *ret_result, struct err *err)
{
    struct pool_jail warm;
    struct err why;

    if (require_warm(l, &warm, &why) < 0) {
        snprintf(l->out->no_fork, sizeof l->out->no_fork, "%.199s", why.msg);
        return false;
    }
    l->tree = fork_tree_new(l->job->pool, warm.nest, warm.jail);
    local_adopt(l, &warm);
    *ret_result = go(l, err);
    return true;
}

int local_start(struct local_guest *l, struct err *err)
{
    bool warm = can_be_warm(l->job) && !l->job->forks, ahead = can_be_ahead(l->job);
    struct pool_jail jail;
    int result;

    if (l->job->forks && start_forkable(l, &result, err))
        return result;
    if ((warm && take_warm(l, &jail)) || (ahead && take_ahead(l, &jail))) {
        local_adopt(l, &jail);
        return go(l, err);
    }
    result = start_cold(l, err);
    if (warm && result == 0)
        teach_pool(l);
    if (ahead && result == 0)
        teach_ahead(l);
    return result;
}
