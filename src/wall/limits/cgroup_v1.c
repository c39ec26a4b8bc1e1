/* SPDX-License-Identifier: Apache-2.0
 *
 * v1: a tree per controller (Documentation/admin-guide/cgroup-v1). A group may have both processes
 * and groups below it, so the groups of runs are made below our own.
 */
#include "limits/cgroup_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/fd.h"

static bool same_tree(const struct cgroup_spot *a, const struct cgroup_spot *b)
{
    return a->mount && b->mount && strcmp(a->mount, b->mount) == 0;
}

static int open_home(const struct cgroup_spot *spot, unsigned controllers, struct cgroup_home *ret,
                     struct err *err)
{
    struct err at_mount;

    if (cgroup_home_open(spot->dir, &cgroup_v1, controllers, ret, err) == 0)
        return 0;
    if (strcmp(spot->dir, spot->mount) == 0)
        return -1;
    return cgroup_home_open(spot->mount, &cgroup_v1, controllers, ret, &at_mount);
}

static void v1_find(const struct cgroup_map *map, unsigned missing, struct cgroup_host *host)
{
    for (unsigned i = 0; i < CGROUP_CONTROLLERS; i++) {
        const struct cgroup_spot *spot = &map->v1[i];
        struct cgroup_home home;
        unsigned together = 0;

        if (!(missing & CGROUP_BIT(i)) || !spot->mount)
            continue;
        for (unsigned k = i; k < CGROUP_CONTROLLERS; k++)
            if (same_tree(spot, &map->v1[k]))
                together |= CGROUP_BIT(k) & missing;
        missing &= ~together;
        if (open_home(spot, together, &home, &host->why[i]) == 0)
            cgroup_host_add(host, &home);
        else
            for (unsigned k = i + 1; k < CGROUP_CONTROLLERS; k++)
                if (together & CGROUP_BIT(k))
                    host->why[k] = host->why[i];
    }
}

#define BUFFERS_PART 4 /* of the memory limit */
#define BUFFERS_MAX  ((uint64_t)64 << 20)

/* The kernel charges the buffers of TCP and UDP to a group only if it has this limit
 * (mm/memcontrol.c, mem_cgroup_sk_alloc), and does not count them in the memory limit. If they are
 * full, a sender waits and a datagram is lost; no process is killed. A kernel without the file
 * charges no buffers. Since Linux 4.6, the rest of the kernel's memory needs no such switch: if it
 * is charged at all, it counts in the memory limit. */
static void limit_buffers(struct cgroup_part *p, uint64_t memory_bytes)
{
    uint64_t bytes = memory_bytes / BUFFERS_PART;
    struct err err;

    (void)cgroup_put_u64(p, "memory.kmem.tcp.limit_in_bytes",
                         bytes < BUFFERS_MAX ? bytes : BUFFERS_MAX, &err);
}

static int limit_memory(struct cgroup_part *p, const struct jail_limits *limits, struct err *err)
{
    if (!limits->memory_bytes)
        return 0;
    if (cgroup_put_u64(p, "memory.limit_in_bytes", limits->memory_bytes, err) < 0)
        return -1;
    /* memsw is memory plus swap; it exists only if the kernel accounts for swap. */
    if (cgroup_put_u64(p, "memory.memsw.limit_in_bytes", limits->memory_bytes, err) < 0)
        (void)cgroup_put(p, "memory.swappiness", "0");
    limit_buffers(p, limits->memory_bytes);
    return 0;
}

/* Writes memsw before and after, because the kernel accepts no memory limit above that of memory
 * and swap. */
static int v1_ceiling(struct cgroup_part *all, uint64_t memory_bytes, struct err *err)
{
    struct err ignored;

    (void)cgroup_put(all, "memory.use_hierarchy", "1"); /* always so since Linux 5.11 */
    (void)cgroup_put_u64(all, "memory.memsw.limit_in_bytes", memory_bytes, &ignored);
    if (cgroup_put_u64(all, "memory.limit_in_bytes", memory_bytes, err) < 0)
        return -1;
    (void)cgroup_put_u64(all, "memory.memsw.limit_in_bytes", memory_bytes, &ignored);
    return 0;
}

static uint64_t v1_now(struct cgroup_part *p)
{
    return cgroup_get_u64(p, "memory.usage_in_bytes");
}

static uint64_t v1_caches(struct cgroup_part *p)
{
    return cgroup_get_key(p, "memory.stat", "total_inactive_file") +
           cgroup_get_key(p, "memory.stat", "total_active_file");
}

#define NEAR_LIMIT ((uint64_t)1 << 20)

static bool was_full(struct cgroup_part *p)
{
    uint64_t limit = cgroup_get_u64(p, "memory.limit_in_bytes");

    return cgroup_get_u64(p, "memory.max_usage_in_bytes") + NEAR_LIMIT >= limit ||
           cgroup_get_u64(p, "memory.memsw.max_usage_in_bytes") + NEAR_LIMIT >= limit;
}

/* The descriptor of a group also becomes readable for a group above it, so this also checks that
 * `all` was full. */
static uint64_t v1_all_ooms(struct cgroup_part *all, uint64_t before)
{
    uint64_t fired;

    if (all->oom_fd < 0 || read(all->oom_fd, &fired, sizeof fired) != sizeof fired ||
        !was_full(all))
        return before;
    return before + fired;
}

/* The kernel has no counter for this. */
static bool v1_own_oom(struct cgroup_part *p, bool all)
{
    return !all && was_full(p);
}

static int limit_cpu(struct cgroup_part *p, const struct jail_limits *limits, struct err *err)
{
    struct cgroup_quota quota;

    if (!limits->cpu_milli)
        return 0;
    quota = cgroup_quota(limits->cpu_milli);
    if (quota.period_us != CGROUP_PERIOD_US && /* a new group has the default period */
        cgroup_put_u64(p, "cpu.cfs_period_us", quota.period_us, err) < 0)
        return -1;
    if (cgroup_put_u64(p, "cpu.cfs_quota_us", quota.us, err) == 0)
        return 0;
    /* A group may not have a larger share than the group above it, which then limits it. */
    return err->sys == EINVAL ? 0 : -1;
}

/* `tasks` and not cgroup.procs: the kernel takes no thread-group lock if a single thread moves
 * itself (kernel/cgroup/cgroup.c, cgroup_procs_write_start). */
static int v1_open(struct cgroup_part *p, struct err *err)
{
    p->enter_fd = cgroup_open_file(p, "tasks", O_WRONLY);
    if (p->enter_fd < 0)
        return err_sys(err, "open %s/%s/tasks", p->home->path, p->name);
    return 0;
}

#define BUFFERS_NEAR ((uint64_t)256 << 10) /* the kernel may request so much at once */

/* Adds the buffers, which are not in the other numbers. Most runs have no such buffers, and then
 * only their peak is read. The two peaks may be from different moments, so their sum may be too
 * high, but never too low. Since Linux 6.16 failcnt does not count here, but a peak near the limit
 * shows the same. */
static void add_buffers(struct cgroup_part *p, struct cgroup_usage *ret)
{
    uint64_t peak = cgroup_get_u64(p, "memory.kmem.tcp.max_usage_in_bytes");

    if (!peak)
        return;
    ret->memory_peak += peak;
    ret->memory_now += cgroup_get_u64(p, "memory.kmem.tcp.usage_in_bytes");
    ret->buffer_hits = cgroup_get_u64(p, "memory.kmem.tcp.failcnt");
    if (!ret->buffer_hits)
        ret->buffer_hits =
            peak + BUFFERS_NEAR >= cgroup_get_u64(p, "memory.kmem.tcp.limit_in_bytes");
}

static void v1_usage(struct cgroup_part *p, struct cgroup_usage *ret)
{
    uint64_t fired;

    if (p->oom_fd >= 0)
        (void)!read(p->oom_fd, &fired, sizeof fired);
    if (p->controllers & CGROUP_BIT(CGROUP_MEMORY)) {
        ret->memory_now = cgroup_get_u64(p, "memory.usage_in_bytes");
        ret->memory_peak = cgroup_get_u64(p, "memory.max_usage_in_bytes");
        ret->oom_kills = cgroup_get_key(p, "memory.oom_control", "oom_kill");
        add_buffers(p, ret);
    }
    if (p->controllers & CGROUP_BIT(CGROUP_PIDS))
        ret->pids_hits = cgroup_get_key(p, "pids.events", "max");
    if (p->controllers & CGROUP_BIT(CGROUP_CPUACCT))
        ret->cpu_ns = cgroup_get_u64(p, "cpuacct.usage");
}

/* cgroup-v1/memory.rst, section 9: the arguments are the descriptors of the event and of the
 * file. */
static int v1_watch_oom(struct cgroup_part *p)
{
    char text[32];
    AUTO_CLOSE int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    AUTO_CLOSE int control = -1;

    if (event < 0 || !(p->controllers & CGROUP_BIT(CGROUP_MEMORY)))
        return -1;
    control = cgroup_open_file(p, "memory.oom_control", O_RDONLY);
    if (control < 0)
        return -1;
    (void)snprintf(text, sizeof text, "%d %d", event, control);
    if (cgroup_put(p, "cgroup.event_control", text) < 0)
        return -1;
    p->oom_fd = fd_take(&event);
    return p->oom_fd;
}

static void v1_hurry(struct cgroup_part *p)
{
    if (p->controllers & CGROUP_BIT(CGROUP_CPU))
        (void)cgroup_put(p, "cpu.cfs_quota_us", "-1");
}

static void v1_kill(struct cgroup_part *p)
{
    cgroup_kill_listed(p);
}

/* The kernel keeps up to so much memory charged for a while. */
#define LEFT_MAX (1u << 20)

/* True if a counter that cannot be reset is no longer 0. */
static bool is_spent(struct cgroup_part *p)
{
    struct cgroup_usage use = {0};

    v1_usage(p, &use);
    return use.oom_kills || use.pids_hits || use.buffer_hits ||
           (p->controllers & CGROUP_BIT(CGROUP_CPU) &&
            cgroup_get_key(p, "cpu.stat", "nr_throttled") > 0);
}

/* The buffers may still be in use: a connection can outlive its process for a moment. */
static enum cgroup_renewal renew_buffers(struct cgroup_part *p)
{
    if (!cgroup_get_u64(p, "memory.kmem.tcp.max_usage_in_bytes"))
        return CGROUP_NEW;
    if (cgroup_get_u64(p, "memory.kmem.tcp.usage_in_bytes") > 0)
        return CGROUP_BUSY;
    return cgroup_put(p, "memory.kmem.tcp.max_usage_in_bytes", "0") < 0 ? CGROUP_SPENT : CGROUP_NEW;
}

static enum cgroup_renewal v1_renew(struct cgroup_part *p)
{
    bool memory = p->controllers & CGROUP_BIT(CGROUP_MEMORY);
    enum cgroup_renewal buffers = CGROUP_NEW;
    struct err err;

    if (is_spent(p))
        return CGROUP_SPENT;
    if ((p->controllers & CGROUP_BIT(CGROUP_PIDS) && cgroup_get_u64(p, "pids.current") > 0) ||
        (memory && cgroup_get_u64(p, "memory.usage_in_bytes") > LEFT_MAX))
        return CGROUP_BUSY;
    if (memory)
        buffers = renew_buffers(p);
    if (buffers != CGROUP_NEW)
        return buffers;
    if (memory && cgroup_put_u64(p, "memory.max_usage_in_bytes", 0, &err) < 0)
        return CGROUP_SPENT;
    if (p->controllers & CGROUP_BIT(CGROUP_CPUACCT) &&
        cgroup_put_u64(p, "cpuacct.usage", 0, &err) < 0)
        return CGROUP_SPENT;
    return CGROUP_NEW;
}

const struct cgroup_ops cgroup_v1 = {
    .name = "v1",
    .find = v1_find,
    .setters = {[CGROUP_MEMORY] = limit_memory,
                [CGROUP_PIDS] = cgroup_limit_pids,
                [CGROUP_CPU] = limit_cpu},
    .open = v1_open,
    .usage = v1_usage,
    .watch_oom = v1_watch_oom,
    .ceiling = v1_ceiling,
    .all_ooms = v1_all_ooms,
    .own_oom = v1_own_oom,
    .now = v1_now,
    .caches = v1_caches,
    .hurry = v1_hurry,
    .kill = v1_kill,
    .renew = v1_renew,
};
