/* SPDX-License-Identifier: Apache-2.0
 *
 * The folders for the groups of this process's runs: found once, kept until one is gone.
 */
#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "limits/cgroup_impl.h"

#define MOUNTINFO_LIMIT (4 << 20)
#define SELF_LIMIT      (1 << 16)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for `current` and every `refs` */
static struct cgroup_host *current;

static bool is_cgroup_fs(int fd)
{
    struct statfs fs;

    return fstatfs(fd, &fs) == 0 &&
           (fs.f_type == CGROUP2_SUPER_MAGIC || fs.f_type == CGROUP_SUPER_MAGIC);
}

int cgroup_home_open(const char *path, const struct cgroup_ops *ops, unsigned controllers,
                     struct cgroup_home *ret, struct err *err)
{
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return err_sys(err, "open %s", path);
    if (!is_cgroup_fs(fd))
        return err_set(err, ERR_UNSUPPORTED, "%s is not in the cgroup file system", path);
    if (faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) < 0)
        return err_sys(err, "write to %s", path);
    *ret = (struct cgroup_home){
        .ops = ops, .controllers = controllers, .fd = fd_take(&fd), .path = xstrdup(path)};
    return 0;
}

void cgroup_home_done(struct cgroup_home *home)
{
    fd_close(&home->fd);
    mem_free_ptr(&home->path);
}

void cgroup_host_add(struct cgroup_host *host, struct cgroup_home *home)
{
    struct cgroup_home *slot = &host->homes[host->home_count++];

    *slot = (struct cgroup_home){.ops = home->ops,
                                 .controllers = home->controllers,
                                 .fd = fd_take(&home->fd),
                                 .path = mem_take(&home->path)};
}

static void host_free(struct cgroup_host *host)
{
    cgroup_all_done(host);
    for (size_t i = 0; i < host->home_count; i++)
        cgroup_home_done(&host->homes[i]);
    free(host);
}

static unsigned long inode(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 ? st.st_ino : 0;
}

static struct cgroup_owner own_identity(void)
{
    struct cgroup_owner self = {.pid = getpid()};

    (void)cgroup_process_runs(self.pid, &self.start);
    (void)snprintf(self.space, sizeof self.space, "%08lx%08lx", inode("/proc/self/ns/pid"),
                   inode("/proc/self/ns/time"));
    return self;
}

void cgroup_map_read(struct cgroup_map *ret)
{
    AUTO_BUF struct buf mounts, self;
    struct err err;

    buf_init(&mounts, MOUNTINFO_LIMIT);
    buf_init(&self, SELF_LIMIT);
    /* The part that was read before a failure is still useful. */
    (void)fd_read_file("/proc/self/mountinfo", &mounts, &err);
    (void)fd_read_file("/proc/self/cgroup", &self, &err);
    cgroup_map_parse(buf_str(&mounts), buf_str(&self), ret);
}

static struct cgroup_host *host_find(void)
{
    struct cgroup_host *host = xcalloc(1, sizeof *host);
    struct cgroup_map map;
    unsigned on_v1 = 0;

    host->self = own_identity();
    host->refs = 1;
    cgroup_map_read(&map);
    for (unsigned i = 0; i < CGROUP_CONTROLLERS; i++) {
        on_v1 |= map.v1[i].mount ? CGROUP_BIT(i) : 0;
        (void)err_set(&host->why[i], ERR_UNSUPPORTED,
                      "/proc/self/mountinfo shows no cgroup mount with the %s controller",
                      cgroup_controller_names[i]);
    }
    cgroup_v1.find(&map, on_v1, host);
    cgroup_v2.find(&map, ~on_v1 & (CGROUP_BIT(CGROUP_CONTROLLERS) - 1), host);
    cgroup_map_done(&map);
    (void)cgroup_all_set(host);
    return host;
}

static void unref(struct cgroup_host *host)
{
    if (host && --host->refs == 0)
        host_free(host);
}

struct cgroup_host *cgroup_host_get(void)
{
    struct cgroup_host *host;

    pthread_mutex_lock(&lock);
    if (!current || current->self.pid != getpid()) { /* a forked process is another owner */
        unref(current);
        current = host_find();
    }
    host = current;
    host->refs++;
    pthread_mutex_unlock(&lock);
    return host;
}

void cgroup_host_put(struct cgroup_host *host)
{
    pthread_mutex_lock(&lock);
    unref(host);
    pthread_mutex_unlock(&lock);
}

void cgroup_host_forget(struct cgroup_host *host)
{
    pthread_mutex_lock(&lock);
    if (current == host) {
        current = NULL;
        unref(host);
    }
    pthread_mutex_unlock(&lock);
}
