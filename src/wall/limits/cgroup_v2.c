/* SPDX-License-Identifier: Apache-2.0
 *
 * v2: one tree (Documentation/admin-guide/cgroup-v2.rst). Only the root may have both processes and
 * controllers enabled below it, so our own group is seldom a possible home. The candidates are
 * tried in the order of the table `candidates`; the first that has one of the controllers becomes
 * the home.
 */
#include "limits/cgroup_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"

#define LEAF "glovebox-supervisor" /* made for this process, if its group becomes the home */
#define HOME "glovebox"            /* made as the home, if this process's group cannot be it */

struct search {
    const struct cgroup_spot *spot;
    unsigned available; /* the controllers that we look for and the tree has */
};

/* For a candidate that does not apply here: there is no reason to print. */
static int not_here(struct err *err)
{
    return err_set(err, ERR_NONE, "not here");
}

static unsigned read_controllers(int dir, const char *file)
{
    char text[512];
    ssize_t n = fd_read_file_at(dir, file, text, sizeof text);

    return n < 0 ? 0 : cgroup_controllers_parse((struct str){text, (size_t)n}, ' ');
}

/* Enables controllers for the group's children one by one, because a failure (a realtime process
 * forbids cpu) must not affect the others. Returns the enabled ones; errno is that of the last
 * failure, or 0. */
static unsigned enable(int dir, unsigned wanted)
{
    unsigned on = read_controllers(dir, "cgroup.subtree_control");
    unsigned off = wanted & ~on & read_controllers(dir, "cgroup.controllers");
    int failure = 0;

    for (unsigned i = 0; i < CGROUP_CONTROLLERS; i++) {
        char text[16];
        if (!(off & CGROUP_BIT(i)))
            continue;
        (void)snprintf(text, sizeof text, "+%s", cgroup_controller_names[i]);
        if (fd_write_file_at(dir, "cgroup.subtree_control", text) == 0)
            on |= CGROUP_BIT(i);
        else
            failure = errno;
    }
    errno = failure;
    return on & wanted;
}

static bool is_root_group(int dir)
{
    return faccessat(dir, "cgroup.type", F_OK, 0) < 0; /* every group except the root has it */
}

/* Checks that controllers can be enabled for the groups below. If the group has processes of its
 * own, the kernel refuses memory; it accepts pids and cpu, but makes a threaded group, in which no
 * process can run. */
static int check_domain(int dir, const char *path, struct err *err)
{
    char type[32], procs[32];

    if (is_root_group(dir))
        return 0;
    if (fd_read_file_at(dir, "cgroup.type", type, sizeof type) < 0)
        return err_sys(err, "read %s/cgroup.type", path);
    if (!str_is(str_trim(str_from(type)), "domain"))
        return err_set(err, ERR_UNSUPPORTED, "%s is for threads", path);
    if (fd_read_file_at(dir, "cgroup.procs", procs, sizeof procs) > 0)
        return err_set(err, ERR_UNSUPPORTED, "%s contains processes", path);
    return 0;
}

/* Takes path as the home if groups in it can have one of the controllers. */
static int cgroup_v2_take(const struct search *s, const char *path, struct cgroup_home *ret,
                          struct err *err)
{
    struct cgroup_home home;

    if (cgroup_home_open(path, &cgroup_v2, 0, &home, err) < 0)
        return -1;
    if (check_domain(home.fd, path, err) < 0) {
        cgroup_home_done(&home);
        return -1;
    }
    home.controllers = enable(home.fd, s->available);
    if (home.controllers) {
        /* For limit_huge_pages; not needed if the tree has no such controller. */
        (void)fd_write_file_at(home.fd, "cgroup.subtree_control", "+hugetlb");
        *ret = home;
        return 0;
    }
    if (errno)
        (void)err_sys(err, "write %s/cgroup.subtree_control", path);
    else
        (void)err_set(err, ERR_UNSUPPORTED,
                      "%s/cgroup.controllers has none of the needed controllers", path);
    cgroup_home_done(&home);
    return -1;
}

static int from_environment(const struct search *s, struct cgroup_home *ret, struct err *err)
{
    const char *path = secure_getenv("GLOVEBOX_CGROUP");

    if (!path || !*path)
        return not_here(err);
    if (cgroup_v2_take(s, path, ret, err) < 0)
        return err_wrap(err, "GLOVEBOX_CGROUP");
    return 0;
}

static bool has_value(const char *path, const char *attribute)
{
    char value[2];

    return getxattr(path, attribute, value, sizeof value) == 1 && value[0] == '1';
}

/* True if this group was handed over to us. An ordinary user can only write to such a group. Root
 * can write anywhere, so it needs systemd's mark (systemd.resource-control(5), Delegate=) or a
 * cgroup namespace of its own: a container. */
static bool is_delegated(const struct cgroup_spot *spot)
{
    if (geteuid() != 0)
        return true;
    return has_value(spot->dir, "trusted.delegate") || has_value(spot->dir, "user.delegate") ||
           strcmp(spot->own, "/") == 0;
}

/* True if we are the only process in the group. Other processes cannot be moved: they are not
 * ours. */
static bool is_alone(const char *dir)
{
    char text[64], own[32];
    AUTO_FREE char *path = xasprintf("%s/cgroup.procs", dir);
    ssize_t n = fd_read_file_at(AT_FDCWD, path, text, sizeof text);

    (void)snprintf(own, sizeof own, "%d\n", getpid());
    return n >= 0 && str_is((struct str){text, (size_t)n}, own);
}

/* Moves this process to the leaf, so that controllers can be enabled in its own group. */
static int step_down(const struct search *s, struct cgroup_home *ret, struct err *err)
{
    const char *dir = s->spot->dir;
    AUTO_FREE char *leaf = xasprintf("%s/%s", dir, LEAF);
    AUTO_FREE char *down = xasprintf("%s/cgroup.procs", leaf);
    AUTO_FREE char *up = xasprintf("%s/cgroup.procs", dir);

    if (mkdir(leaf, 0755) < 0 && errno != EEXIST)
        return err_sys(err, "make %s", leaf);
    if (fd_write_file_at(AT_FDCWD, down, "0") < 0) {
        (void)err_sys(err, "write %s", down);
        (void)rmdir(leaf);
        return -1;
    }
    if (cgroup_v2_take(s, dir, ret, err) == 0)
        return 0;
    (void)fd_write_file_at(AT_FDCWD, up, "0");
    (void)rmdir(leaf);
    return -1;
}

static int from_own(const struct search *s, struct cgroup_home *ret, struct err *err)
{
    const struct cgroup_spot *spot = s->spot;
    AUTO_FREE char *controllers = xasprintf("%s/cgroup.controllers", spot->dir);
    AUTO_FREE char *type = xasprintf("%s/cgroup.type", spot->dir);

    if (!spot->visible || access(type, F_OK) < 0) /* the root has no type */
        return not_here(err);
    if (str_ends(str_from(spot->dir), "/" LEAF)) {
        AUTO_FREE char *above = xstrndup(spot->dir, strlen(spot->dir) - strlen("/" LEAF));
        return cgroup_v2_take(s, above, ret, err);
    }
    if (access(spot->dir, W_OK) < 0)
        return err_sys(err, "write to %s", spot->dir);
    if (!is_delegated(spot))
        return err_set(err, ERR_UNSUPPORTED, "%s is not delegated to us", spot->dir);
    if (!(read_controllers(AT_FDCWD, controllers) & s->available))
        return err_set(err, ERR_UNSUPPORTED, "%s has none of the needed controllers", controllers);
    if (!is_alone(spot->dir))
        return err_set(err, ERR_UNSUPPORTED, "%s also contains processes of others", spot->dir);
    return step_down(s, ret, err);
}

static int from_root(const struct search *s, struct cgroup_home *ret, struct err *err)
{
    AUTO_FREE char *path = xasprintf("%s/%s", s->spot->mount, HOME);
    struct cgroup_home mount;

    if (geteuid() != 0)
        return not_here(err);
    if (cgroup_v2_take(s, s->spot->mount, &mount, err) < 0)
        return -1;
    cgroup_home_done(&mount);
    if (mkdir(path, 0755) < 0 && errno != EEXIST)
        return err_sys(err, "make %s", path);
    return cgroup_v2_take(s, path, ret, err);
}

/* The controllers of dir if we may move our processes to a group below it, otherwise 0. That needs
 * the right to write to the cgroup.procs of the nearest common group (cgroup-v2.rst, "Delegation
 * Containment"). */
static unsigned usable(const char *dir)
{
    AUTO_FREE char *procs = xasprintf("%s/cgroup.procs", dir);
    AUTO_FREE char *below = xasprintf("%s/cgroup.subtree_control", dir);

    if (access(dir, W_OK) < 0 || access(procs, W_OK) < 0)
        return 0;
    return read_controllers(AT_FDCWD, below);
}

/* Under systemd, an ordinary user has user@UID.service and all groups below it, but not the
 * session's scope in which an ssh login is. So this chooses the group above our own with the most
 * controllers, the nearest of several. */
static int from_above(const struct search *s, struct cgroup_home *ret, struct err *err)
{
    AUTO_FREE char *dir = xstrdup(s->spot->dir);
    AUTO_FREE char *best = NULL;
    unsigned best_count = 0;
    size_t top = strlen(s->spot->mount);

    if (geteuid() == 0 || !s->spot->visible)
        return not_here(err);
    for (char *slash = strrchr(dir, '/'); slash && slash >= dir + top; slash = strrchr(dir, '/')) {
        *slash = '\0';
        unsigned count = (unsigned)__builtin_popcount(usable(dir) & s->available);
        if (count <= best_count)
            continue;
        mem_free_ptr(&best);
        best = xasprintf("%s/%s", dir, HOME);
        best_count = count;
    }
    if (!best)
        return err_set(err, ERR_UNSUPPORTED, "no group above %s is ours", s->spot->dir);
    if (mkdir(best, 0755) < 0 && errno != EEXIST)
        return err_sys(err, "make %s", best);
    return cgroup_v2_take(s, best, ret, err);
}

typedef int (*candidate)(const struct search *, struct cgroup_home *, struct err *);
static const candidate candidates[] = {from_environment, from_own, from_root, from_above};

/* Collects the reasons of all candidates in one line: a person has to see which of them could be
 * made to work. */
static int find_home(const struct search *s, struct cgroup_home *ret, struct err *err)
{
    AUTO_BUF struct buf reasons = {0};
    struct err one;

    buf_init(&reasons, sizeof err->msg - 1);
    for (size_t i = 0; i < ARRAY_LEN(candidates); i++) {
        if (candidates[i](s, ret, &one) == 0)
            return 0;
        if (one.kind != ERR_NONE)
            (void)buf_addf(&reasons, "%s%s", reasons.n ? "; " : "", one.msg);
    }
    return err_set(err, ERR_UNSUPPORTED, "%s", reasons.p);
}

static void v2_find(const struct cgroup_map *map, unsigned missing, struct cgroup_host *host)
{
    AUTO_FREE char *list = xasprintf("%s/cgroup.controllers", map->v2.mount ? map->v2.mount : "");
    const struct search s = {&map->v2, missing & read_controllers(AT_FDCWD, list)};
    struct cgroup_home home = {.controllers = 0};
    struct err err;

    if (!map->v2.mount)
        return;
    if (s.available && find_home(&s, &home, &err) == 0)
        cgroup_host_add(host, &home);
    for (unsigned i = 0; i < CGROUP_CONTROLLERS; i++) {
        if (!(missing & CGROUP_BIT(i)) || (home.controllers & CGROUP_BIT(i)))
            continue;
        const char *file = s.available & CGROUP_BIT(i) ? home.path : list;
        if (file)
            (void)err_set(&host->why[i], ERR_UNSUPPORTED, "no %s controller in %s",
                          cgroup_controller_names[i], file);
        else
            host->why[i] = err;
    }
}

static int put_optional(struct cgroup_part *p, const char *file, const char *text)
{
    return cgroup_put(p, file, text) < 0 && errno != ENOENT ? -1 : 0;
}

/* Pages that the host has reserved do not count in memory.max. The filter refuses them; this is a
 * second protection. The sizes are those of x86-64 and arm64. */
static void limit_huge_pages(struct cgroup_part *p)
{
    static const char *const files[] = {"hugetlb.2MB.max", "hugetlb.1GB.max", "hugetlb.64KB.max",
                                        "hugetlb.32MB.max"};

    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        (void)put_optional(p, files[i], "0");
}

static int limit_memory(struct cgroup_part *p, const struct jail_limits *limits, struct err *err)
{
    /* If the kernel chose a single victim, the program could continue without it: kill all
     * processes or none (Linux 4.19). */
    (void)put_optional(p, "memory.oom.group", "1");
    if (!limits->memory_bytes)
        return 0;
    limit_huge_pages(p);
    if (cgroup_put_u64(p, "memory.max", limits->memory_bytes, err) < 0)
        return -1;
    if (put_optional(p, "memory.swap.max", "0") < 0)
        return err_sys(err, "write %s/%s/memory.swap.max", p->home->path, p->name);
    return 0;
}

static int v2_ceiling(struct cgroup_part *all, uint64_t memory_bytes, struct err *err)
{
    AUTO_CLOSE int dir = openat(all->home->fd, all->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (dir < 0 || enable(dir, all->controllers) != all->controllers)
        return err_sys(err, "write %s/%s/cgroup.subtree_control", all->home->path, all->name);
    (void)fd_write_file_at(dir, "cgroup.subtree_control", "+hugetlb"); /* as in cgroup_v2_take */
    return cgroup_put_u64(all, "memory.max", memory_bytes, err);
}

static uint64_t v2_now(struct cgroup_part *p)
{
    return cgroup_get_u64(p, "memory.current");
}

/* Without slab_reclaimable: the slabs of files in a tmpfs are counted in it, but cannot be
 * freed. */
static uint64_t v2_caches(struct cgroup_part *p)
{
    return cgroup_get_key(p, "memory.stat", "inactive_file") +
           cgroup_get_key(p, "memory.stat", "active_file");
}

/* Events of the groups below are counted in those groups. Linux 5.2. */
static uint64_t v2_all_ooms(struct cgroup_part *all, uint64_t before)
{
    (void)before;
    return cgroup_get_key(all, "memory.events.local", "oom");
}

static bool v2_own_oom(struct cgroup_part *p, bool all)
{
    (void)all;
    return cgroup_get_key(p, "memory.events", "oom") > 0;
}

static int limit_cpu(struct cgroup_part *p, const struct jail_limits *limits, struct err *err)
{
    struct cgroup_quota quota;
    char text[48];

    if (!limits->cpu_milli)
        return 0;
    quota = cgroup_quota(limits->cpu_milli);
    (void)snprintf(text, sizeof text, "%llu %llu", (unsigned long long)quota.us,
                   (unsigned long long)quota.period_us);
    if (cgroup_put(p, "cpu.max", text) < 0)
        return err_sys(err, "write %s/%s/cpu.max", p->home->path, p->name);
    return 0;
}

static int v2_open(struct cgroup_part *p, struct err *err)
{
    p->dir_fd = openat(p->home->fd, p->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (p->dir_fd < 0)
        return err_sys(err, "open %s/%s", p->home->path, p->name);
    return 0;
}

/* A change of memory.events is reported as POLLPRI until the file is read. The file is also always
 * readable, so an epoll that waits only for POLLPRI turns the change into a plain "readable".
 * (inotify would do that, too, but a user may have only 128 inotify instances.) */
static int v2_watch_oom(struct cgroup_part *p)
{
    struct epoll_event want = {.events = EPOLLPRI};
    AUTO_CLOSE int events = cgroup_open_file(p, "memory.events", O_RDONLY);
    AUTO_CLOSE int epoll = epoll_create1(EPOLL_CLOEXEC);
    char text[512];

    if (events < 0 || epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, events, &want) < 0)
        return -1;
    (void)!pread(events, text, sizeof text, 0); /* a new one is pending until its first read */
    p->events_fd = fd_take(&events);
    p->oom_fd = fd_take(&epoll);
    return p->oom_fd;
}

static uint64_t oom_kills(struct cgroup_part *p)
{
    char text[512];
    ssize_t n;

    if (p->events_fd < 0)
        return cgroup_get_key(p, "memory.events", "oom_kill");
    n = pread(p->events_fd, text, sizeof text, 0);
    return n < 0 ? 0 : cgroup_text_key((struct str){text, (size_t)n}, "oom_kill");
}

static void v2_usage(struct cgroup_part *p, struct cgroup_usage *ret)
{
    ret->cpu_ns = cgroup_get_key(p, "cpu.stat", "usage_usec") * 1000;
    if (p->controllers & CGROUP_BIT(CGROUP_MEMORY)) {
        ret->memory_now = cgroup_get_u64(p, "memory.current");
        ret->memory_peak = cgroup_get_u64(p, "memory.peak"); /* Linux 5.19 */
        ret->oom_kills = oom_kills(p);
    }
    if (p->controllers & CGROUP_BIT(CGROUP_PIDS))
        ret->pids_hits = cgroup_get_key(p, "pids.events", "max");
}

static void v2_hurry(struct cgroup_part *p)
{
    if (p->controllers & CGROUP_BIT(CGROUP_CPU))
        (void)cgroup_put(p, "cpu.max", "max");
}

static void v2_kill(struct cgroup_part *p)
{
    if (cgroup_put(p, "cgroup.kill", "1") == 0) /* Linux 5.14 */
        return;
    cgroup_kill_listed(p);
}

/* Peaks and events cannot be reset (since Linux 6.12 memory.peak can, for one reader). */
static enum cgroup_renewal v2_renew(struct cgroup_part *p)
{
    (void)p;
    return CGROUP_SPENT;
}

const struct cgroup_ops cgroup_v2 = {
    .name = "v2",
    .find = v2_find,
    .setters = {[CGROUP_MEMORY] = limit_memory,
                [CGROUP_PIDS] = cgroup_limit_pids,
                [CGROUP_CPU] = limit_cpu},
    .open = v2_open,
    .usage = v2_usage,
    .watch_oom = v2_watch_oom,
    .ceiling = v2_ceiling,
    .all_ooms = v2_all_ooms,
    .own_oom = v2_own_oom,
    .now = v2_now,
    .caches = v2_caches,
    .hurry = v2_hurry,
    .kill = v2_kill,
    .renew = v2_renew,
};
