/* SPDX-License-Identifier: Apache-2.0 */
#include "limits/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "limits/cgroup_impl.h"

static int none_open(struct cgroup_part *p, struct err *err)
{
    (void)p, (void)err;
    return 0;
}

static void none_usage(struct cgroup_part *p, struct cgroup_usage *ret)
{
    (void)p, (void)ret;
}

static int none_watch_oom(struct cgroup_part *p)
{
    (void)p;
    return -1;
}

static bool none_own_oom(struct cgroup_part *p, bool all)
{
    (void)p, (void)all;
    return false;
}

static void none_kill(struct cgroup_part *p)
{
    (void)p;
}

static enum cgroup_renewal none_renew(struct cgroup_part *p)
{
    (void)p;
    return CGROUP_NEW;
}

static const struct cgroup_ops cgroup_none = {
    .name = "none",
    .open = none_open,
    .usage = none_usage,
    .watch_oom = none_watch_oom,
    .own_oom = none_own_oom,
    .hurry = none_kill,
    .kill = none_kill,
    .renew = none_renew,
};

static struct cgroup_home nowhere = {.ops = &cgroup_none, .fd = -1};

struct cgroup_part cgroup_part_of(struct cgroup_home *home, const char *name)
{
    return (struct cgroup_part){
        .home = home, .name = name, .enter_fd = -1, .dir_fd = -1, .oom_fd = -1, .events_fd = -1};
}

int cgroup_part_remove(struct cgroup_part *p)
{
    if (p->home->fd < 0 || unlinkat(p->home->fd, p->name, AT_REMOVEDIR) == 0)
        return 0;
    return errno == ENOENT || errno == ENODEV ? 0 : -1;
}

void cgroup_part_close(struct cgroup_part *p)
{
    fd_close(&p->enter_fd);
    fd_close(&p->dir_fd);
    fd_close(&p->oom_fd);
    fd_close(&p->events_fd);
    cgroup_close_files(p);
}

static const struct {
    enum jail_layer layer;
    enum cgroup_controller controller;
} layers[CGROUP_PLACES] = {
    {LAYER_MEMORY, CGROUP_MEMORY},
    {LAYER_PIDS, CGROUP_PIDS},
    {LAYER_CPU, CGROUP_CPU},
};

static unsigned controllers_of(layer_mask wanted, const struct jail_limits *limits)
{
    unsigned controllers = 0;

    for (size_t i = 0; i < CGROUP_PLACES; i++)
        if (wanted & LAYER_BIT(layers[i].layer))
            controllers |= CGROUP_BIT(layers[i].controller);
    /* Most runs need no processor time while they run: wait() returns it afterwards, and the run
     * needs no cpuacct folder. */
    if (controllers & CGROUP_BIT(CGROUP_CPU) && (limits->cpu_ms || limits->count_cpu))
        controllers |= CGROUP_BIT(CGROUP_CPUACCT);
    return controllers;
}

static void blame(struct cgroup *c, unsigned controllers, const struct err *err)
{
    for (unsigned i = 0; i < CGROUP_CONTROLLERS; i++)
        if (controllers & CGROUP_BIT(i))
            c->why[i] = *err;
}

/* Sets the limits of one folder. Returns the controllers whose limits were set. */
static unsigned limit(struct cgroup *c, struct cgroup_part *p, const struct jail_limits *limits)
{
    unsigned held = p->controllers;

    for (unsigned i = 0; i < CGROUP_CONTROLLERS; i++) {
        cgroup_setter *set = p->home->ops->setters[i];
        if ((held & CGROUP_BIT(i)) && set && set(p, limits, &c->why[i]) < 0)
            held &= ~CGROUP_BIT(i);
    }
    return held;
}

/* Makes one folder and sets its limits. Returns the controllers that hold in it. *ret_errno is set
 * if the mkdir failed. */
static unsigned add_part(struct cgroup *c, struct cgroup_home *home, unsigned wanted,
                         const struct jail_limits *limits, int *ret_errno)
{
    bool below = c->above == home;
    struct cgroup_part part = cgroup_part_of(home, below ? c->path : c->name);
    struct err err;

    part.controllers = home->controllers & wanted;
    if (!part.controllers)
        return 0;
    if (mkdirat(home->fd, part.name, 0755) < 0) {
        *ret_errno = errno;
        (void)err_sys(&err, "make %s/%s", home->path, part.name);
        blame(c, part.controllers, &err);
        return 0;
    }
    if (home->ops->open(&part, &err) < 0) {
        blame(c, part.controllers, &err);
        part.controllers = 0;
    }
    part.controllers = limit(c, &part, limits);
    if (!part.controllers) {
        cgroup_part_close(&part);
        (void)cgroup_part_remove(&part);
        return 0;
    }
    if (!below)
        atomic_fetch_add(&home->live, 1);
    c->parts[c->part_count++] = part;
    return part.controllers;
}

/* Adds a part of the ops "none" for the controllers that do not hold. */
static void add_nothing(struct cgroup *c, unsigned controllers)
{
    c->parts[c->part_count] = cgroup_part_of(&nowhere, c->name);
    c->parts[c->part_count++].controllers = controllers;
}

/* -1 if a home no longer exists. */
static int build(struct cgroup_host *host, const struct jail_limits *limits, unsigned wanted,
                 struct cgroup **ret)
{
    static atomic_uint counter;
    struct cgroup *c = xcalloc(1, sizeof *c);
    char all_name[CGROUP_NAME_MAX];
    unsigned held = 0;
    int failure = 0;

    c->host = host;
    c->above = cgroup_all_home(host, all_name);
    memcpy(c->why, host->why, sizeof c->why);
    (void)snprintf(c->path, sizeof c->path, "%s/glovebox-%d-%" PRId64 "-%s-%u", all_name,
                   host->self.pid, host->self.start, host->self.space,
                   atomic_fetch_add(&counter, 1));
    c->name = strrchr(c->path, '/') + 1;
    for (size_t i = 0; i < host->home_count; i++)
        held |= add_part(c, &host->homes[i], wanted, limits, &failure);
    if (wanted & ~held)
        add_nothing(c, wanted & ~held);
    *ret = c;
    return failure == ENOENT || failure == ENODEV ? -1 : 0;
}

static struct cgroup_spare_key key_of(const struct jail_limits *limits, layer_mask wanted)
{
    return (struct cgroup_spare_key){.controllers = controllers_of(wanted, limits),
                                     .memory_bytes = limits->memory_bytes,
                                     .pids = limits->pids,
                                     .cpu_milli = limits->cpu_milli};
}

static struct cgroup *cgroup_make(const struct cgroup_spare_key *key,
                                  const struct jail_limits *limits)
{
    struct cgroup_host *host = cgroup_host_get();
    struct cgroup *made;

    if (build(host, limits, key->controllers, &made) < 0) {
        cgroup_host_forget(host);
        cgroup_remove(made);
        (void)build(cgroup_host_get(), limits, key->controllers, &made);
    }
    made->made_for = *key;
    return made;
}

int cgroup_open(const struct jail_limits *limits, layer_mask wanted, struct cgroup **ret,
                struct err *err)
{
    struct cgroup_spare_key key = key_of(limits, wanted);

    (void)err;
    *ret = cgroup_spare_take(&key);
    if (!*ret)
        *ret = cgroup_make(&key, limits);
    cgroup_oom_over(*ret);
    return 0;
}

void cgroup_make_early(const struct jail_limits *limits, layer_mask wanted)
{
    struct cgroup_spare_key key = key_of(limits, wanted);

    if (!cgroup_spare_has(&key))
        cgroup_spare_add(cgroup_make(&key, limits));
}

static const struct cgroup_part *part_with(const struct cgroup *c,
                                           enum cgroup_controller controller)
{
    for (size_t i = 0; i < c->part_count; i++)
        if (c->parts[i].controllers & CGROUP_BIT(controller))
            return &c->parts[i];
    return NULL;
}

layer_mask cgroup_held(const struct cgroup *c)
{
    layer_mask held = 0;

    for (size_t i = 0; i < CGROUP_PLACES; i++) {
        const struct cgroup_part *p = part_with(c, layers[i].controller);
        if (p && p->home->ops != &cgroup_none)
            held |= LAYER_BIT(layers[i].layer);
    }
    return held;
}

size_t cgroup_enter_fds(struct cgroup *c, int ret_fds[CGROUP_ENTER_MAX])
{
    size_t n = 0;

    for (size_t i = 0; i < c->part_count; i++)
        if (c->parts[i].enter_fd >= 0)
            ret_fds[n++] = c->parts[i].enter_fd;
    return n;
}

int cgroup_dir_fd(struct cgroup *c)
{
    for (size_t i = 0; i < c->part_count; i++)
        if (c->parts[i].dir_fd >= 0)
            return c->parts[i].dir_fd;
    return -1;
}

void cgroup_usage(struct cgroup *c, struct cgroup_usage *ret)
{
    *ret = (struct cgroup_usage){0};
    for (size_t i = 0; i < c->part_count; i++)
        c->parts[i].home->ops->usage(&c->parts[i], ret);
}

uint64_t cgroup_taken(struct cgroup *c)
{
    for (size_t i = 0; i < c->part_count; i++)
        if (c->parts[i].home->ops->now && c->parts[i].controllers & CGROUP_BIT(CGROUP_MEMORY)) {
            uint64_t now = c->parts[i].home->ops->now(&c->parts[i]);
            uint64_t caches = c->parts[i].home->ops->caches(&c->parts[i]);
            return now > caches ? now - caches : 0;
        }
    return 0;
}

enum cgroup_oom cgroup_oom_cause(struct cgroup *c)
{
    bool all = cgroup_all_ooms(c->host) > c->all_ooms;

    for (size_t i = 0; i < c->part_count; i++)
        if (c->parts[i].controllers & CGROUP_BIT(CGROUP_MEMORY) &&
            c->parts[i].home->ops->own_oom(&c->parts[i], all))
            return CGROUP_OOM_OWN;
    return all ? CGROUP_OOM_ALL : CGROUP_OOM_HOST;
}

void cgroup_oom_over(struct cgroup *c)
{
    c->all_ooms = cgroup_all_ooms(c->host);
}

uint64_t cgroup_tasks(struct cgroup *c)
{
    for (size_t i = 0; i < c->part_count; i++)
        if (c->parts[i].controllers & CGROUP_BIT(CGROUP_PIDS))
            return cgroup_get_u64(&c->parts[i], "pids.current");
    return 0;
}

size_t cgroup_processes(struct cgroup *c, int *ret_pids, size_t max)
{
    for (size_t i = 0; i < c->part_count; i++)
        if (c->parts[i].home->fd >= 0)
            return cgroup_list(&c->parts[i], ret_pids, max);
    return 0;
}

int cgroup_oom_fd(struct cgroup *c)
{
    for (size_t i = 0; i < c->part_count; i++) {
        struct cgroup_part *p = &c->parts[i];
        if (p->controllers & CGROUP_BIT(CGROUP_MEMORY))
            return p->oom_fd >= 0 ? p->oom_fd : p->home->ops->watch_oom(p);
    }
    return -1;
}

void cgroup_hurry(struct cgroup *c)
{
    c->once = true;
    for (size_t i = 0; i < c->part_count; i++)
        c->parts[i].home->ops->hurry(&c->parts[i]);
}

/* Kills in the folder with the pids controller first: it can stop forking, so after that the other
 * lists can only shrink. */
void cgroup_kill(struct cgroup *c)
{
    cgroup_hurry(c);
    for (int pids = 1; pids >= 0; pids--)
        for (size_t i = 0; i < c->part_count; i++)
            if (pids == !!(c->parts[i].controllers & CGROUP_BIT(CGROUP_PIDS)))
                c->parts[i].home->ops->kill(&c->parts[i]);
}

/* Tries once to remove every remaining folder, the last one made first. True if none is left. */
static bool remove_parts(struct cgroup *c)
{
    while (c->part_count) {
        struct cgroup_part *p = &c->parts[c->part_count - 1];
        cgroup_part_close(p);
        if (cgroup_part_remove(p) < 0)
            return false;
        if (p->home->fd >= 0 && p->name == c->name)
            atomic_fetch_sub(&p->home->live, 1);
        c->part_count--;
    }
    return true;
}

static void discard(struct cgroup *c)
{
    cgroup_host_put(c->host);
    free(c);
}

#define CLOSE_FOR_NS      1000000000
#define CLOSE_PAUSE_NS    50000
#define CLOSE_PAUSE_LIMIT 10000000

/* Kills and waits until the folders can be removed. False after one second. */
static bool remove_patiently(struct cgroup *c)
{
    int64_t deadline = clock_mono_ns() + CLOSE_FOR_NS;
    struct timespec pause = {.tv_nsec = CLOSE_PAUSE_NS};

    do {
        cgroup_kill(c);
        if (remove_parts(c))
            return true;
        (void)nanosleep(&pause, NULL);
        if (pause.tv_nsec < CLOSE_PAUSE_LIMIT)
            pause.tv_nsec *= 2;
    } while (clock_mono_ns() < deadline);
    return false;
}

static pthread_mutex_t stuck_lock = PTHREAD_MUTEX_INITIALIZER;
static struct cgroup *stuck; /* closed, but a process in it sleeps uninterruptibly */

static void keep_stuck(struct cgroup *c)
{
    pthread_mutex_lock(&stuck_lock);
    c->next = stuck;
    stuck = c;
    pthread_mutex_unlock(&stuck_lock);
}

void cgroup_retry_stuck(void)
{
    struct cgroup *c, *next;

    pthread_mutex_lock(&stuck_lock);
    c = stuck;
    stuck = NULL;
    pthread_mutex_unlock(&stuck_lock);
    for (; c; c = next) {
        next = c->next;
        if (remove_parts(c))
            discard(c);
        else
            keep_stuck(c);
    }
}

void cgroup_use_once(struct cgroup *c)
{
    c->once = true;
}

void cgroup_remove(struct cgroup *c)
{
    if (remove_parts(c) || remove_patiently(c))
        discard(c);
    else
        keep_stuck(c);
}

void cgroup_close(struct cgroup *c)
{
    if (c && !cgroup_spare_keep(c, false))
        cgroup_remove(c);
}

void cgroup_close_dying(struct cgroup *c)
{
    if (c && !cgroup_spare_keep(c, true))
        cgroup_remove(c);
}

void cgroup_describe(struct cgroup_place ret[CGROUP_PLACES])
{
    const struct jail_limits limits = {.memory_bytes = 64 << 20, .pids = 16, .cpu_milli = 1000};
    struct cgroup *c;
    struct err err;

    if (cgroup_open(&limits, CGROUP_LAYERS, &c, &err) < 0)
        return;
    for (size_t i = 0; i < CGROUP_PLACES; i++) {
        const struct cgroup_part *p = part_with(c, layers[i].controller);
        bool holds = p->home->path;
        ret[i] = (struct cgroup_place){.layer = layers[i].layer, .by = p->home->ops->name};
        (void)snprintf(ret[i].where, sizeof ret[i].where, "%s", holds ? p->home->path : "");
        (void)snprintf(ret[i].why, sizeof ret[i].why, "%s",
                       holds ? "" : c->why[layers[i].controller].msg);
    }
    cgroup_close(c);
}
