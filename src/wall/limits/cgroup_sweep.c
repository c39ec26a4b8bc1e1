/* SPDX-License-Identifier: Apache-2.0 */
#include "limits/cgroup_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "limits/proc_stat.h"

static DIR *open_dir(const struct cgroup_home *home, const char *name)
{
    int fd = openat(home->fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return fd < 0 ? NULL : fdopendir(fd);
}

/* In doubt, the process runs: for another user's process whose /proc entry is hidden, the error is
 * EPERM. */
bool cgroup_process_runs(pid_t pid, int64_t *ret_start)
{
    struct proc_stat stat;

    if (kill(pid, 0) < 0)
        return errno != ESRCH;
    if (proc_stat_read(pid, &stat) < 0)
        return true;
    /* A zombie that its parent has not waited for counts as dead, unless only its first thread has
     * ended. */
    if (stat.state == 'Z' && stat.threads <= 1)
        return false;
    *ret_start = stat.start;
    return true;
}

/* Parses "glovebox-PID-START-SPACE-N", or with "all" for N; false for any other name. */
static bool parse_name(const char *name, struct cgroup_owner *ret)
{
    struct str rest = str_from(name), head, pid, start, space, count;
    int64_t pid_number, any;

    if (!str_next(&rest, '-', &head) || !str_is(head, "glovebox") || !str_next(&rest, '-', &pid) ||
        !str_next(&rest, '-', &start) || !str_next(&rest, '-', &space) ||
        !str_next(&rest, '-', &count) || rest.p)
        return false;
    if (!num_int64(pid, &pid_number) || !num_int64(start, &ret->start) ||
        !(num_int64(count, &any) || str_is(count, "all")))
        return false;
    if (pid_number <= 0 || pid_number > INT32_MAX || space.n >= sizeof ret->space)
        return false;
    ret->pid = (pid_t)pid_number;
    memcpy(ret->space, space.p, space.n);
    ret->space[space.n] = '\0';
    return true;
}

static bool is_dead(const struct cgroup_owner *owner, const struct cgroup_owner *self)
{
    int64_t start = owner->start;

    if (strcmp(owner->space, self->space) != 0)
        return false;
    if (owner->pid == self->pid)
        return owner->start != self->start;
    return !cgroup_process_runs(owner->pid, &start) || start != owner->start;
}

static bool cgroup_sweep_same(const struct cgroup_owner *a, const struct cgroup_owner *b)
{
    return a->pid == b->pid && a->start == b->start && strcmp(a->space, b->space) == 0;
}

static void remove_dead(struct cgroup_home *home, const char *name);

/* Removes the groups in an owner's folder of all groups. */
static void remove_below(struct cgroup_home *home, const char *name)
{
    struct cgroup_owner any;
    DIR *dir = open_dir(home, name);

    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
        if (!parse_name(entry->d_name, &any))
            continue;
        AUTO_FREE char *path = xasprintf("%s/%s", name, entry->d_name);
        remove_dead(home, path);
    }
    if (dir)
        closedir(dir);
}

static void remove_dead(struct cgroup_home *home, const char *name)
{
    struct cgroup_part part = cgroup_part_of(home, name);

    if (cgroup_part_remove(&part) == 0 || errno != EBUSY)
        return;
    if (str_ends(str_from(name), "-all"))
        remove_below(home, name);
    part.controllers = home->controllers;
    home->ops->kill(&part);
    for (int tries = 0; tries < 50 && cgroup_part_remove(&part) < 0 && errno == EBUSY; tries++)
        (void)usleep(200);
}

/* A folder has two links and one more for each subfolder (fs/kernfs/inode.c). If all of these
 * belong to our own runs, there is nothing to read. */
static bool has_others(const struct cgroup_home *home)
{
    struct stat st;

    return fstat(home->fd, &st) < 0 || st.st_nlink > 2 + atomic_load(&home->live);
}

static void sweep_home(struct cgroup_home *home, const struct cgroup_owner *self)
{
    struct cgroup_owner owner, judged = {.pid = 0};
    bool dead = false;
    DIR *dir;

    if (!has_others(home))
        return;
    dir = open_dir(home, ".");
    if (!dir)
        return;
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        if (!parse_name(entry->d_name, &owner))
            continue;
        if (!cgroup_sweep_same(&owner, &judged)) /* mostly the same owner again */
            dead = is_dead(&owner, self);
        judged = owner;
        if (dead)
            remove_dead(home, entry->d_name);
    }
    closedir(dir);
}

void cgroup_sweep(void)
{
    struct cgroup_host *host = cgroup_host_get();

    cgroup_retry_stuck();
    for (size_t i = 0; i < host->home_count; i++)
        sweep_home(&host->homes[i], &host->self);
    cgroup_host_put(host);
}
