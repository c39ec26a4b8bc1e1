/* SPDX-License-Identifier: Apache-2.0
 *
 * Watches, every few milliseconds, the limits of a guest that the kernel does not enforce here
 * (limits/watch.h), and measures what no control group counts.
 */
#include <fcntl.h>

#include "backends/local_parts.h"
#include "base/clock.h"
#include "base/fd.h"
#include "limits/watch_sockets.h"

#define WATCH_EVERY_MS 10
#define WATCH_SHARE    4 /* after a check, pause for this many times its duration */

bool local_tree(struct local_guest *l, struct watch_tree *ret)
{
    if (!jail_tree(l->jail, ret))
        return false;
    ret->tmpfs_fd = l->out->held & LAYER_BIT(LAYER_ROOT) ? jail_box(l->jail) : -1;
    ret->exact_at_bytes = l->job->limits.memory_bytes;
    ret->with_sockets = true;
    ret->family = fork_tree_family(l);
    ret->inherited = ret->beside ? &l->inherited : NULL;
    return true;
}

/* What dead forks of the guest have used is in the times of its init. The message about that is
 * sent before it is added, and may not be read yet. */
static uint64_t watched_cpu_ns(struct local_guest *l)
{
    uint64_t forks_ns = jail_state(l->jail)->forks_us * 1000, ns = 0;
    struct watch_tree tree;

    if (local_tree(l, &tree))
        (void)watch_tree_cpu(&tree, &ns);
    if (!l->tree || !fd_readable(jail_fd(l->jail)))
        l->watched_cpu_ns = ns > forks_ns ? ns - forks_ns : 0;
    return l->watched_cpu_ns;
}

uint64_t local_cpu_ns(struct local_guest *l)
{
    struct cgroup_usage use;

    cgroup_usage(l->group, &use);
    return use.cpu_ns ? use.cpu_ns : watched_cpu_ns(l);
}

size_t local_processes(struct local_guest *l, int *ret_pids, size_t max)
{
    size_t count = cgroup_processes(l->group, ret_pids, max);
    struct watch_tree tree;

    if (count || !local_tree(l, &tree))
        return count;
    return watch_tree_processes(&tree, ret_pids, max);
}

static bool is_in_group(const struct local_guest *l)
{
    return cgroup_held(l->group) & LAYER_BIT(LAYER_MEMORY);
}

void local_watch_begin(struct local_guest *l)
{
    const struct jail *jail = l->origin ? l->origin->jail : l->jail;
    struct watch_tree tree;

    if (is_in_group(l) || !jail_tree(jail, &tree))
        return;
    l->inherited.bytes = watch_tree_begin(&tree);
    if (l->origin)
        l->inherited.origin = jail_dup_guest(jail);
}

/* True if memory must be counted: no control group does, or there is a common ceiling. */
static bool watches_memory(const struct local_guest *l)
{
    layer_mask unheld = l->job->layers & ~cgroup_held(l->group);

    return (unheld & LAYER_BIT(LAYER_MEMORY)) || guests_memory_is_counted();
}

static uint64_t without_inherited(const struct local_guest *l, uint64_t bytes)
{
    return bytes > l->inherited.bytes ? bytes - l->inherited.bytes : 0;
}

/* Sets when to watch next, after a check that began then. */
static void pause_watching(struct local_guest *l, int64_t begin)
{
    int64_t now = clock_mono_ms(), pause = (now - begin) * WATCH_SHARE;

    l->watch_ms = now + (pause > WATCH_EVERY_MS ? pause : WATCH_EVERY_MS);
}

/* Reports the guest's memory. This guest may be killed then, or may have been killed by another
 * thread. */
static enum jail_limit_hit count_memory(struct local_guest *l, uint64_t bytes, uint64_t largest)
{
    if (!guests_memory_is_counted())
        return 0;
    guests_memory_count(&l->counted, (struct guest_report){bytes, without_inherited(l, largest)});
    return atomic_load(&l->counted.killed) ? LIMIT_GUESTS : 0;
}

/* RLIMIT_NPROC and the init refuse without a report. Keeper and init are in the number. */
static void note_tasks(struct local_guest *l, const struct watch_tree *tree)
{
    uint64_t pids = l->job->limits.pids, ours = tree->beside ? 1 : 2, tasks = 0;

    if (pids && watch_tree_tasks(tree, &tasks) == 0 && tasks >= pids + ours)
        local_hit(l, LIMIT_PIDS);
}

/* The pause is for this guest's check: its report may cause a check of all guests. */
static enum jail_limit_hit watch_memory(struct local_guest *l, int64_t begin)
{
    const struct jail_limits *limits = &l->job->limits;
    struct watch_adrift adrift = {0};
    struct watch_tree tree;
    uint64_t bytes = 0, largest = 0;

    if (!local_tree(l, &tree))
        return 0;
    tree.ret_adrift = &adrift;
    tree.ret_largest = &largest;
    (void)watch_tree_memory(&tree, &bytes);
    uint64_t own = without_inherited(l, bytes);
    if (own > l->out->memory_peak)
        l->out->memory_peak = own;
    note_tasks(l, &tree);
    if (watch_adrift_over(&adrift, limits->memory_bytes))
        return LIMIT_CONNECTIONS;
    if (limits->memory_bytes && own > limits->memory_bytes)
        return LIMIT_MEMORY;
    pause_watching(l, begin);
    return count_memory(l, bytes, largest);
}

static bool is_over_time(struct local_guest *l)
{
    int64_t most = l->job->limits.cpu_ms;

    return most && local_cpu_ns(l) / 1000000 >= (uint64_t)most;
}

int64_t local_watch_due(const struct local_guest *l)
{
    bool watched = l->out->started && !l->over && (l->job->limits.cpu_ms || watches_memory(l));

    return watched ? l->watch_ms : INT64_MAX;
}

enum jail_limit_hit local_watch_over(struct local_guest *l)
{
    int64_t begin = clock_mono_ms();
    enum jail_limit_hit over = 0;

    if (begin < local_watch_due(l))
        return 0;
    if (is_over_time(l))
        over = LIMIT_CPU;
    pause_watching(l, begin);
    return !over && watches_memory(l) ? watch_memory(l, begin) : over;
}

/* Quickly, as it is asked for after each cell: what is left of inherited pages is not looked up. */
static uint64_t own_memory(const struct local_guest *l, struct watch_tree *tree)
{
    uint64_t bytes = 0;

    tree->exact_at_bytes = 0;
    (void)watch_tree_memory(tree, &bytes);
    return without_inherited(l, bytes);
}

void local_usage(struct backend_guest *guest, struct backend_usage *ret)
{
    struct local_guest *l = local_of(guest);
    struct watch_tree tree;
    struct cgroup_usage use;

    *ret = (struct backend_usage){.memory_now = guests_memory_of(&l->counted)};
    if (l->over)
        return;
    cgroup_usage(l->group, &use);
    *ret = (struct backend_usage){use.cpu_ns, use.memory_now, use.memory_peak};
    if (!ret->cpu_ns)
        ret->cpu_ns = watched_cpu_ns(l);
    if (!is_in_group(l) && local_tree(l, &tree))
        ret->memory_now = own_memory(l, &tree);
}
