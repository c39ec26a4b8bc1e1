/* SPDX-License-Identifier: Apache-2.0 */
#include "environments/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/str.h"

enum { WAIT_MS = 50, WALK_FDS = 16 };

bool env_name_is_valid_here(const char *name)
{
    size_t n = strlen(name);

    if (!n || n > ENV_NAME_MAX || !ascii_is_alnum(name[0]))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!ascii_is_alnum(name[i]) && !strchr("._-", name[i]))
            return false;
    return true;
}

static char *root_path(void)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");

    if (data && data[0] == '/')
        return xasprintf("%s/glovebox/env", data);
    if (geteuid() != 0 && home && home[0] == '/')
        return xasprintf("%s/.local/share/glovebox/env", home);
    return xstrdup("/var/lib/glovebox/env");
}

char *env_path(const char *fmt, ...)
{
    AUTO_FREE char *root = root_path();
    va_list args;

    va_start(args, fmt);
    AUTO_FREE char *below = xvasprintf(fmt, args);
    va_end(args);
    return below[0] ? xasprintf("%s/%s", root, below) : mem_take(&root);
}

int env_folder(const char *path, struct err *err)
{
    if ((mkdir(path, 0755) < 0 && errno != EEXIST) || chmod(path, 0755) < 0)
        return err_sys(err, "make the folder %s", path);
    return 0;
}

int env_store_make(struct err *err)
{
    static const char *const folders[] = {"wheels", "trees", "env",  "name",
                                          "asked",  "lock",  "stage"};

    for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
        AUTO_FREE char *path = env_path("%s", folders[i]);
        if (mkdir(path, 0700) == 0 || errno == EEXIST)
            continue;
        for (char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
            *p = '\0';
            (void)mkdir(path, 0700);
            *p = '/';
        }
        if (mkdir(path, 0700) < 0 && errno != EEXIST)
            return err_sys(err, "make the folder %s", path);
    }
    AUTO_FREE char *wheels = env_path("wheels"); /* shown to the jails that fetch */
    return env_folder(wheels, err);
}

/* ---- locks ---- */

static bool is_cancelled(int cancel_fd)
{
    struct pollfd wait = {.fd = cancel_fd, .events = POLLIN};

    return poll(&wait, cancel_fd >= 0, WAIT_MS) > 0;
}

int env_lock(const char *name, int how, int cancel_fd, struct err *err)
{
    AUTO_FREE char *path = env_path("lock/%s", name);
    AUTO_CLOSE int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

    if (fd < 0)
        return err_sys(err, "open %s", path);
    while (flock(fd, how | LOCK_NB) < 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return err_sys(err, "lock %s", path);
        if (how & LOCK_NB || is_cancelled(cancel_fd))
            return err_set(err, ERR_LIMIT, "it is in use");
    }
    if (!(how & LOCK_NB))
        (void)futimens(fd, NULL);
    return fd_take(&fd);
}

/* ---- removal ---- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)at;
    return type == FTW_DP ? rmdir(path) : unlink(path);
}

static void remove_all(const char *path)
{
    (void)nftw(path, remove_one, WALK_FDS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

/* Removes the stages that no living process holds: their builders were killed. */
static void sweep(void)
{
    AUTO_FREE char *folder = env_path("stage");
    DIR *dir = opendir(folder);

    for (struct dirent *d; dir && (d = readdir(dir));) {
        if (d->d_name[0] == '.')
            continue;
        AUTO_FREE char *path = xasprintf("%s/%s", folder, d->d_name);
        AUTO_CLOSE int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
            remove_all(path);
    }
    if (dir)
        closedir(dir);
}

/* A lock on stage.lock keeps a sweep away between the folder's making and its lock. */
int env_stage_open(struct env_stage *ret, struct err *err)
{
    AUTO_FREE char *path = env_path("stage/XXXXXX");
    AUTO_CLOSE int all = env_store_make(err) < 0 ? -1 : env_lock("stages", LOCK_EX, -1, err);

    *ret = (struct env_stage){.fd = -1};
    if (all < 0)
        return -1;
    sweep();
    if (!mkdtemp(path))
        return err_sys(err, "make the folder %s", path);
    ret->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (ret->fd < 0 || flock(ret->fd, LOCK_EX | LOCK_NB) < 0) {
        fd_close(&ret->fd);
        return err_sys(err, "lock %s", path);
    }
    ret->path = mem_take(&path);
    return 0;
}

void env_stage_close(struct env_stage *stage)
{
    if (stage->path)
        remove_all(stage->path);
    free(stage->path);
    fd_close(&stage->fd);
    *stage = (struct env_stage){.fd = -1};
}

int env_drop(const char *path, struct err *err)
{
    struct env_stage stage;

    if (env_stage_open(&stage, err) < 0)
        return -1;
    AUTO_FREE char *to = xasprintf("%s/old", stage.path);
    int result = rename(path, to) == 0 || errno == ENOENT ? 0 : err_sys(err, "remove %s", path);
    env_stage_close(&stage);
    return result;
}

/* ---- making ---- */

int env_place(const char *from, const char *to, struct err *err)
{
    if (rename(from, to) == 0 || errno == EEXIST || errno == ENOTEMPTY)
        return 0;
    return err_sys(err, "move %s to %s", from, to);
}

int env_link_set(const char *path, const char *id, struct err *err)
{
    AUTO_FREE char *beside = xasprintf("%s.%d~", path, (int)getpid());

    (void)unlink(beside);
    if (symlink(id, beside) < 0 || rename(beside, path) < 0)
        return err_sys(err, "write %s", path);
    return 0;
}

bool env_link_get(const char *path, char ret_id[ENV_ID_MAX])
{
    ssize_t n = readlink(path, ret_id, ENV_ID_MAX - 1);

    if (n <= 0 || n >= ENV_ID_MAX - 1)
        return false;
    ret_id[n] = '\0';
    AUTO_FREE char *folder = env_path("env/%s", ret_id);
    return !strchr(ret_id, '/') && access(folder, F_OK) == 0;
}

int env_write(const char *path, const char *text, size_t n, unsigned mode, struct err *err)
{
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

    if (fd < 0 || fd_write_all(fd, text, n) < 0 || fchmod(fd, mode) < 0)
        return err_sys(err, "write %s", path);
    return 0;
}

/* ---- size ---- */

static _Thread_local uint64_t counted;

static int count_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)path;
    (void)at;
    if (type == FTW_F)
        counted += (uint64_t)st->st_blocks * 512 / (st->st_nlink ? (uint64_t)st->st_nlink : 1);
    return 0;
}

uint64_t env_bytes(const char *path)
{
    counted = 0;
    (void)nftw(path, count_one, WALK_FDS, FTW_PHYS | FTW_MOUNT);
    return counted;
}
