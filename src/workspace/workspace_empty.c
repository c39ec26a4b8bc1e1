/* SPDX-License-Identifier: Apache-2.0
 *
 * Removing a tree that may be deeper than there are descriptors, or bytes in a path. Instead of
 * going down, the tree is brought up: a folder that is not empty has its own folders moved to the
 * top, and is empty then. Each folder is moved at most once.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/fd.h"
#include "workspace/workspace_parts.h"

struct emptying {
    int top;
    unsigned long counter; /* of names at the top */
    bool progress;
};

static void close_dir(DIR **dir)
{
    if (*dir)
        closedir(*dir);
}

static DIR *open_dir(int dirfd, const char *name)
{
    struct stat st;
    AUTO_CLOSE int fd = -1;

    if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return NULL;
    (void)unlock_at(dirfd, name, &st, 0700);
    fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (dir)
        (void)fd_take(&fd);
    return dir;
}

/* The next entry that is not the folder itself or its parent. */
static const char *next_name(DIR *dir)
{
    const struct dirent *entry;

    while ((entry = readdir(dir)))
        if (!str_is(STR("."), entry->d_name) && !str_is(STR(".."), entry->d_name))
            return entry->d_name;
    return NULL;
}

/* A file or an empty folder. -1 with ENOTEMPTY for a folder that is not empty. */
static int remove_simple(struct emptying *e, int dirfd, const char *name)
{
    int result = unlinkat(dirfd, name, 0);

    if (result < 0 && errno == EISDIR)
        result = unlinkat(dirfd, name, AT_REMOVEDIR);
    if (result == 0)
        e->progress = true;
    return result;
}

static int move_to_top(struct emptying *e, int dirfd, const char *name)
{
    struct stat st;
    char fresh[48];

    /* Moving a folder rewrites its "..", for which it must be writable. */
    if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        (void)unlock_at(dirfd, name, &st, 0700);
    for (;;) {
        snprintf(fresh, sizeof fresh, ".glovebox-%lx", e->counter++);
        if (renameat2(dirfd, name, e->top, fresh, RENAME_NOREPLACE) == 0) {
            e->progress = true;
            return 0;
        }
        if (errno != EEXIST)
            return -1;
    }
}

/* Files go, folders move up, and with them gone the folder itself goes. */
static int flatten(struct emptying *e, const char *folder)
{
    __attribute__((cleanup(close_dir))) DIR *dir = open_dir(e->top, folder);
    const char *name;

    if (!dir)
        return -1;
    while ((name = next_name(dir))) {
        if (remove_simple(e, dirfd(dir), name) == 0)
            continue;
        if (errno != ENOTEMPTY || move_to_top(e, dirfd(dir), name) < 0)
            return -1;
    }
    if (unlinkat(e->top, folder, AT_REMOVEDIR) < 0 && errno != ENOTEMPTY)
        return -1;
    return 0;
}

/* *ret_left: there was something that a further pass has to look at. */
static int one_pass(struct emptying *e, DIR *dir, bool *ret_left)
{
    const char *name;

    *ret_left = false;
    rewinddir(dir);
    while ((name = next_name(dir))) {
        if (remove_simple(e, e->top, name) == 0)
            continue;
        *ret_left = true;
        if (errno != ENOTEMPTY || flatten(e, name) < 0)
            return -1;
    }
    return 0;
}

int workspace_empty(int folder_fd, struct err *err)
{
    (void)unlock_fd(folder_fd, 0700);
    __attribute__((cleanup(close_dir))) DIR *dir = open_dir(folder_fd, ".");
    struct emptying e = {.progress = true};
    bool left = true;

    if (!dir)
        return err_sys(err, "empty a workspace");
    e.top = dirfd(dir);
    while (left && e.progress) {
        e.progress = false;
        if (one_pass(&e, dir, &left) < 0)
            return err_sys(err, "empty a workspace");
    }
    return left ? err_set(err, ERR_SYSTEM, "empty a workspace: something keeps filling it") : 0;
}
