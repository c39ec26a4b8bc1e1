/* SPDX-License-Identifier: Apache-2.0
 *
 * Warm starts of the jail backend: jails of its pool (jail/pool.h), started early according to the
 * job's description (warm.h).
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "backends/local_parts.h"
#include "backends/plan.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/wire.h"

/* ---- the pool ---- */

static int pool_part_open(const struct backend_pool_options *options, void **ret_part,
                          struct err *err)
{
    const struct pool_options these = {.ready_max = options->ready_max,
                                       .kinds_max = options->kinds_max,
                                       .forks_max = options->forks_max,
                                       .memory_max = options->memory_max};
    struct pool *pool;

    if (pool_open(&these, &pool, err) < 0)
        return -1;
    *ret_part = pool;
    return 0;
}

static void pool_part_close(void *part)
{
    pool_close(part);
}

static void pool_part_stats(void *part, struct backend_pool_stats *ret)
{
    struct pool_stats s;

    pool_stats(part, &s);
    *ret = (struct backend_pool_stats){.hits = s.hits,
                                       .on_demand = s.on_demand,
                                       .misses = s.misses,
                                       .zygotes_started = s.zygotes_started,
                                       .zygotes_died = s.zygotes_died,
                                       .zygotes_renewed = s.zygotes_renewed,
                                       .zygotes = s.zygotes,
                                       .ready = s.ready,
                                       .memory = s.memory};
    memcpy(ret->problem, s.problem, sizeof ret->problem);
}

const struct backend_pool_entries local_pool = {
    .open = pool_part_open, .close = pool_part_close, .stats = pool_part_stats};

static struct pool *pool_of(const struct backend_job *job)
{
    return backend_pool_part(job->pool, &local_pool);
}

/* ---- kinds ---- */

static bool starts_early(const struct backend_job *job, enum backend_early early)
{
    return job->warm && job->warm->early == early;
}

static void put_strings(struct buf *b, char *const *strings)
{
    for (; *strings; strings++)
        wire_put_cstr(b, *strings);
    wire_put_cstr(b, NULL);
}

static bool has_channel(const struct backend_job *job)
{
    return job->channel[0] >= 0;
}

/* A zygote's forks get their channel and input from the job. Early programs have their own, so
 * these are a part of their key. */
static uint32_t key_flags(const struct backend_job *job)
{
    bool zygote = job->warm->early == EARLY_ZYGOTE;

    return (uint32_t)job->net_host | (uint32_t)(has_channel(job) && !zygote) << 1 |
           (uint32_t)job->forks << 2 | (uint32_t)job->warm->early << 3 |
           (uint32_t)(job->stdin_fd >= 0 && !zygote) << 5;
}

/* The listeners are a part of a jail; the rules themselves come with the job. */
static void put_ports(const struct backend_job *job, struct buf *key)
{
    struct net_rules rules;
    uint16_t ports[NET_PORTS_MAX];
    struct err err;

    if (!job->net_rules || net_rules_read(str_from(job->net_rules), &rules, &err) < 0)
        return;
    size_t n = net_rules_ports(&rules, ports);
    for (size_t i = 0; i < n; i++)
        wire_put_u32(key, ports[i]);
    net_rules_done(&rules);
}

/* All that jails of one kind have in common. */
static void warm_key(const struct backend_job *job, struct buf *key)
{
    const struct backend_warm *warm = job->warm;
    struct jail_limits limits = job->limits;

    limits.wall_ms = 0; /* each job has its own */
    buf_init(key, 1 << 20);
    (void)buf_add(key, &limits, sizeof limits);
    wire_put_u32(key, job->layers);
    wire_put_u32(key,
                 job->required & ~CGROUP_LAYERS); /* groups are looked at when a jail is taken */
    wire_put_u32(key, key_flags(job));
    wire_put_cstr(key, job->exec_path);
    put_ports(job, key);
    if (warm->early != EARLY_PLACE) {
        put_strings(key, warm->early == EARLY_ZYGOTE ? warm->argv : job->argv);
        put_strings(key, warm->env);
        wire_put_cstr(key, warm->waits_for);
        wire_put_str(key, warm->frames_sent);
    }
    for (size_t i = 0; i < job->view_count; i++) {
        wire_put_cstr(key, job->views[i].src);
        wire_put_cstr(key, job->views[i].dst);
        wire_put_u32(key, job->views[i].is_link);
    }
}

/* True if a zygote's fork can run the job. */
static bool can_be_forked_from_zygote(const struct backend_job *job)
{
    return pool_of(job) && starts_early(job, EARLY_ZYGOTE) && job->lay && !job->net_host;
}

/* Removes RLIMIT_NPROC where a control group counts each guest's processes. */
static void drop_process_rlimit(struct jail_spec *spec)
{
    size_t kept = 0;

    for (size_t i = 0; i < spec->rlimit_count; i++)
        if (spec->rlimits[i].resource != RLIMIT_NPROC)
            spec->rlimits[kept++] = spec->rlimits[i];
    spec->rlimit_count = kept;
}

/* Fills in the spec of this kind's nest. */
static void plan_nest(const struct backend_job *job, struct jail_spec *ret)
{
    struct backend_job zygote = *job;

    zygote.argv = job->warm->argv;
    zygote.env = job->warm->env;
    plan_jail(&zygote, "/nonexistent", ret);
    ret->pids_held = local_groups() & LAYER_BIT(LAYER_PIDS);
    ret->forks = job->forks;
    if (ret->pids_held)
        drop_process_rlimit(ret);
}

/* After a cold start. */
static void teach_zygote(const struct local_guest *l)
{
    const struct backend_job *job = l->job;
    AUTO_BUF struct buf key = {0};
    struct jail_spec spec;

    warm_key(job, &key);
    plan_nest(job, &spec);
    pool_learn(pool_of(job), buf_str(&key), &spec, &job->limits, job->layers);
    spec_done(&spec);
}

/* The variables that the zygote does not have already. The caller frees the list, but not its
 * strings. */
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

/* Sends the words that a pre-started guest lacks: to a fork of a zygote, the arguments and the
 * variables that its zygote did not have; to a parked jail, all; to a started program, none. */
static int send_words(struct local_guest *l, int lay, struct err *err)
{
    static char *nothing[] = {NULL};
    const struct backend_job *job = l->job;
    int64_t wall_ms = job->limits.wall_ms;

    if (job->warm->early == EARLY_PLACE)
        return jail_go(l->jail, job->argv, job->env, wall_ms, lay, err);
    if (job->warm->early == EARLY_PROGRAM)
        return jail_go(l->jail, nothing, nothing, wall_ms, lay, err);
    AUTO_FREE char **env = environment_beyond(job->env, job->warm->env);
    return jail_go(l->jail, job->warm->fork_argv, env, wall_ms, lay, err);
}

static int go(struct local_guest *l, struct err *err)
{
    int ends[2];

    if (local_require_groups(l, err) < 0 || fd_pipe(ends, err) < 0)
        return -1;
    AUTO_CLOSE int theirs = ends[0];
    l->lay_write = ends[1];
    if (send_words(l, theirs, err) < 0)
        return -1;
    fd_close(&theirs);
    return local_send_files(l, err);
}

void local_adopt(struct local_guest *l, const struct pool_jail *warm)
{
    outcome_phase(l->out, "take");
    l->pool = pool_of(l->job);
    l->jail = warm->jail;
    l->group = warm->group;
    memcpy(l->channel, warm->channel, sizeof l->channel);
    l->out->prestarted = l->job->warm && l->job->warm->early != EARLY_PLACE;
    l->oom_fd = cgroup_oom_fd(l->group);
    pump_adopt(&l->pump, l->job->stdin_fd, warm->pipes, l->sink);
    local_watch_begin(l);
    l->start_ns = clock_mono_ns();
    l->deadline_ms = clock_mono_ms() + SETUP_LIMIT_MS;
}

static const int *channel_of(const struct backend_job *job)
{
    return job->channel[0] >= 0 ? job->channel : NULL;
}

/* True if the job can start early without a zygote. A guest that has no program yet has no channel
 * either, because the channel would have to be this run's. */
static bool can_be_started_early(const struct backend_job *job)
{
    return pool_of(job) && job->warm && job->warm->early != EARLY_ZYGOTE && job->lay &&
           !job->net_host && !(job->warm->early == EARLY_PLACE && has_channel(job));
}

static bool local_warm_take(const struct local_guest *l, const int *channel, struct pool_jail *ret)
{
    AUTO_BUF struct buf key = {0};

    warm_key(l->job, &key);
    return pool_take(pool_of(l->job), buf_str(&key), channel, ret);
}

/* After a cold start without a zygote. */
static void teach_early(const struct local_guest *l)
{
    static char *nothing[] = {NULL};
    struct backend_job plan = *l->job;
    bool place = plan.warm->early == EARLY_PLACE;
    AUTO_BUF struct buf key = {0};
    char *no_program[] = {(char *)plan.exec_path, NULL};
    struct jail_spec spec;

    warm_key(&plan, &key);
    plan.limits.wall_ms = 0;
    plan.env = place ? nothing : plan.warm->env;
    if (place)
        plan.argv = no_program;
    plan_jail(&plan, "/nonexistent", &spec);
    spec.park = place;
    spec.waits = !place;
    spec.wait_file = plan.warm->waits_for ? xstrdup(plan.warm->waits_for) : NULL;
    spec.channel = has_channel(&plan);
    struct pool_alone more = {.input = plan.stdin_fd >= 0, .text = plan.warm->frames_sent};
    pool_learn_alone(pool_of(&plan), buf_str(&key), &spec, &plan.limits, plan.layers, &more);
    spec_done(&spec);
}

/* ---- to be forked ---- */

static int require_warm(struct local_guest *l, struct pool_jail *ret, struct err *err)
{
    const struct backend_job *job = l->job;
    AUTO_BUF struct buf key = {0};
    struct jail_spec spec;

    if (!can_be_forked_from_zygote(job) || !has_channel(job))
        return err_set(err, ERR_UNSUPPORTED, "forks need a session that starts warm");
    warm_key(job, &key);
    plan_nest(job, &spec);
    struct jail_limits limits = job->limits;
    limits.count_cpu = true; /* no process of ours can wait() for it */
    struct pool_order order = {.limits = &limits, .layers = job->layers, .channel = job->channel};
    int result = pool_require(pool_of(job), buf_str(&key), &spec, &order, ret, err);
    spec_done(&spec);
    return result;
}

static bool start_forkable(struct local_guest *l, int *ret_result, struct err *err)
{
    struct pool_jail warm;
    struct err why;

    if (require_warm(l, &warm, &why) < 0) {
        snprintf(l->out->no_fork, sizeof l->out->no_fork, "%.199s", why.msg);
        return false;
    }
    l->tree = fork_tree_new(pool_of(l->job), warm.nest, warm.jail);
    local_adopt(l, &warm);
    *ret_result = go(l, err);
    return true;
}

bool local_start_warm(struct local_guest *l, int *ret_result, struct err *err)
{
    const struct backend_job *job = l->job;
    struct pool_jail jail;

    if (job->forks)
        return start_forkable(l, ret_result, err);
    bool found = can_be_forked_from_zygote(job)
                     ? local_warm_take(l, channel_of(job), &jail)
                     : can_be_started_early(job) && local_warm_take(l, NULL, &jail);
    if (!found)
        return false;
    local_adopt(l, &jail);
    *ret_result = go(l, err);
    return true;
}

void local_teach(const struct local_guest *l)
{
    if (l->job->forks)
        return;
    if (can_be_forked_from_zygote(l->job))
        teach_zygote(l);
    else if (can_be_started_early(l->job))
        teach_early(l);
}
