/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of control groups share.
 */
#ifndef CGROUP_COMMON_H
#define CGROUP_COMMON_H

#include <dirent.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "limits/cgroup.h"
#include "limits/cgroup_paths.h"
#include "tap.h"

#define MIB       ((uint64_t)1 << 20)
#define NEED_ROOT "needs root and a writable cgroup"

static struct cgroup_place places[CGROUP_PLACES];

static inline struct cgroup *open_or_die(struct jail_limits limits)
{
    struct cgroup *c = NULL;
    struct err err;

    if (cgroup_open(&limits, CGROUP_LAYERS, &c, &err) < 0)
        abort();
    return c;
}

/* A child in the group, before anything else happens in it. 0 in the child, as fork. */
static inline pid_t fork_into(struct cgroup *c)
{
    int fds[CGROUP_ENTER_MAX], dir = cgroup_dir_fd(c);
    size_t n = cgroup_enter_fds(c, fds);
    struct clone_args args = {.flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = dir};
    pid_t pid = dir >= 0 ? (pid_t)syscall(SYS_clone3, &args, sizeof args) : fork();

    for (size_t i = 0; pid == 0 && i < n; i++)
        if (write(fds[i], "0", 1) != 1)
            _exit(99);
    return pid;
}

/* How many directories of this owner are in all trees we know of. */
static inline int count_in(const char *dir, pid_t owner)
{
    DIR *d = dir ? opendir(dir) : NULL;
    AUTO_FREE char *prefix = xasprintf("glovebox-%d-", owner);
    int n = 0;

    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d))
        n += str_starts(str_from(e->d_name), prefix);
    if (d)
        closedir(d);
    return n;
}

static inline int count_dirs(pid_t owner)
{
    AUTO_BUF struct buf mounts, self;
    struct cgroup_map map;
    struct err err;
    int n = 0;

    buf_init(&mounts, 1 << 20);
    buf_init(&self, 1 << 16);
    if (fd_read_file("/proc/self/mountinfo", &mounts, &err) < 0 ||
        fd_read_file("/proc/self/cgroup", &self, &err) < 0)
        abort();
    cgroup_map_parse(buf_str(&mounts), buf_str(&self), &map);
    for (size_t i = 0; i < CGROUP_CONTROLLERS; i++)
        n += count_in(map.v1[i].dir, owner);
    for (size_t i = 0, seen = 0; i < CGROUP_PLACES && !seen; i++) {
        seen = strcmp(places[i].by, "v2") == 0; /* one home for all that v2 holds */
        n += seen ? count_in(places[i].where, owner) : 0;
    }
    cgroup_map_done(&map);
    return n;
}

static inline void pause_ms(long ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};

    (void)nanosleep(&t, NULL);
}

static inline int reap_all(void)
{
    int n = 0;

    for (int i = 0; i < 6000; i++) {
        pid_t pid = waitpid(-1, NULL, WNOHANG);
        if (pid < 0)
            return n;
        n += pid > 0;
        if (pid == 0)
            pause_ms(10);
    }
    return -1; /* something would not die */
}

static inline bool can_run(void)
{
    struct cgroup *c = open_or_die((struct jail_limits){.pids = 4});
    bool all = cgroup_held(c) == CGROUP_LAYERS;

    cgroup_close(c);
    cgroup_describe(places);
    for (size_t i = 0; i < CGROUP_PLACES; i++)
        printf("# %s: %s %s%s\n", jail_layers[places[i].layer].name, places[i].by, places[i].where,
               places[i].why);
    return all;
}

#endif
