/* SPDX-License-Identifier: Apache-2.0
 *
 * The folder of all groups of this process that hold memory, and its limit.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/mem.h"
#include "limits/cgroup_impl.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for `all` of every host */
static _Atomic uint64_t ceiling, less;

/* The ceiling less the memory outside of all groups, but at least half of the ceiling. */
static uint64_t limit_now(void)
{
    uint64_t all = atomic_load(&ceiling), gone = atomic_load(&less);

    return gone < all / 2 ? all - gone : all - all / 2;
}

static struct cgroup_home *home_of_memory(struct cgroup_host *host)
{
    for (size_t i = 0; i < host->home_count; i++)
        if (host->homes[i].controllers & CGROUP_BIT(CGROUP_MEMORY))
            return &host->homes[i];
    return NULL;
}

/* Called with the lock held. */
static bool cgroup_all_make(struct cgroup_host *host)
{
    struct cgroup_home *home = home_of_memory(host);
    struct cgroup_part all;
    struct err err;

    if (!home)
        return false;
    (void)snprintf(host->all_name, sizeof host->all_name, "glovebox-%d-%" PRId64 "-%s-all",
                   host->self.pid, host->self.start, host->self.space);
    all = cgroup_part_of(home, host->all_name);
    all.controllers = home->controllers;
    if (mkdirat(home->fd, all.name, 0755) < 0 && errno != EEXIST)
        return false;
    if (home->ops->ceiling(&all, limit_now(), &err) < 0) {
        (void)cgroup_part_remove(&all);
        return false;
    }
    (void)home->ops->watch_oom(&all);
    atomic_fetch_add(&home->live, 1);
    host->all = all;
    return true;
}

/* Called with the lock held. While groups are in the folder, it stays, but limits nothing. */
static void drop(struct cgroup_host *host)
{
    struct err err;

    if (!host->all.home)
        return;
    if (cgroup_part_remove(&host->all) < 0) {
        (void)host->all.home->ops->ceiling(&host->all, UINT64_MAX, &err);
        return;
    }
    atomic_fetch_sub(&host->all.home->live, 1);
    cgroup_part_close(&host->all);
    host->all.home = NULL;
}

bool cgroup_all_set(struct cgroup_host *host)
{
    struct err err;
    bool holds = false;

    pthread_mutex_lock(&lock);
    if (!atomic_load(&ceiling))
        drop(host);
    else if (host->all.home)
        holds = host->all.home->ops->ceiling(&host->all, limit_now(), &err) == 0;
    else
        holds = cgroup_all_make(host);
    pthread_mutex_unlock(&lock);
    return holds;
}

void cgroup_all_done(struct cgroup_host *host)
{
    pthread_mutex_lock(&lock);
    drop(host);
    if (host->all.home)
        cgroup_part_close(&host->all);
    pthread_mutex_unlock(&lock);
}

const struct cgroup_home *cgroup_all_home(struct cgroup_host *host, char ret_name[CGROUP_NAME_MAX])
{
    pthread_mutex_lock(&lock);
    const struct cgroup_home *home = host->all.home;
    memcpy(ret_name, host->all_name, CGROUP_NAME_MAX);
    pthread_mutex_unlock(&lock);
    return home;
}

uint64_t cgroup_all_ooms(struct cgroup_host *host)
{
    pthread_mutex_lock(&lock);
    if (host->all.home)
        host->all_ooms = host->all.home->ops->all_ooms(&host->all, host->all_ooms);
    uint64_t ooms = host->all_ooms;
    pthread_mutex_unlock(&lock);
    return ooms;
}

bool cgroup_together(struct cgroup_together *ret)
{
    struct cgroup_host *host = cgroup_host_get();

    pthread_mutex_lock(&lock);
    bool holds = atomic_load(&ceiling) && host->all.home;
    if (holds)
        *ret = (struct cgroup_together){host->all.home->ops->now(&host->all), limit_now()};
    pthread_mutex_unlock(&lock);
    cgroup_host_put(host);
    return holds;
}

static bool set_now(void)
{
    struct cgroup_host *host = cgroup_host_get();
    bool holds = cgroup_all_set(host);

    cgroup_host_put(host);
    return holds;
}

bool cgroup_ceiling(uint64_t memory_bytes)
{
    atomic_store(&ceiling, memory_bytes);
    return set_now();
}

bool cgroup_ceiling_less(uint64_t bytes)
{
    atomic_store(&less, bytes);
    return !atomic_load(&ceiling) || set_now();
}

/* ---- the process that the kernel kills ---- */

static bool is_in(const char *text, const char *name)
{
    size_t n = strlen(name);

    while ((text = strstr(text, name))) {
        text += n;
        if (!*text || *text == '\n' || *text == '/')
            return true;
    }
    return false;
}

/* The descriptor refers to one process, even if the number is used again. Before the open, the
 * number may have passed to a stranger, so the group is checked. */
static bool set_score(const struct cgroup *c, int pid, const char *score)
{
    char path[24], text[4096];

    (void)snprintf(path, sizeof path, "/proc/%d", pid);
    AUTO_CLOSE int dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0 || fd_read_file_at(dir, "cgroup", text, sizeof text) <= 0 || !is_in(text, c->name))
        return true;
    return fd_write_file_at(dir, "oom_score_adj", score) == 0 || errno == ESRCH;
}

bool cgroup_kill_first(struct cgroup *c, bool first)
{
    int pids[CGROUP_LIST_MAX];
    size_t n = cgroup_processes(c, pids, CGROUP_LIST_MAX);
    char own[16];
    bool set = true;

    if (fd_read_file_at(AT_FDCWD, "/proc/self/oom_score_adj", own, sizeof own) <= 0)
        return false;
    for (size_t i = 0; i < n; i++)
        if (pids[i] > 0 && !set_score(c, pids[i], first ? "1000" : own))
            set = false;
    return set;
}

/* ---- the limits around us ---- */

static uint64_t read_limit(const char *dir, const char *file, const char *key)
{
    AUTO_FREE char *path = xasprintf("%s/%s", dir, file);
    char text[8192];
    ssize_t n = fd_read_file_at(AT_FDCWD, path, text, sizeof text);
    struct str all = {text, n < 0 ? 0 : (size_t)n};
    uint64_t bytes = key ? cgroup_text_key(all, key) : cgroup_text_number(all);

    return bytes && bytes < (uint64_t)1 << 60 ? bytes : UINT64_MAX;
}

static uint64_t least_above(const struct cgroup_spot *spot)
{
    AUTO_FREE char *dir = xstrdup(spot->dir);
    size_t top = strlen(spot->mount);
    uint64_t least = UINT64_MAX;

    while (strlen(dir) >= top) {
        uint64_t one = read_limit(dir, "memory.max", NULL);
        least = one < least ? one : least;
        char *slash = strrchr(dir, '/');
        if (!slash || slash == dir)
            break;
        *slash = '\0';
    }
    return least;
}

uint64_t cgroup_memory_around(void)
{
    struct cgroup_map map;
    uint64_t least = UINT64_MAX;

    cgroup_map_read(&map);
    if (map.v1[CGROUP_MEMORY].mount)
        least = read_limit(map.v1[CGROUP_MEMORY].dir, "memory.stat", "hierarchical_memory_limit");
    else if (map.v2.mount)
        least = least_above(&map.v2);
    cgroup_map_done(&map);
    return least;
}
