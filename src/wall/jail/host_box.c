/* SPDX-License-Identifier: Apache-2.0
 *
 * The tree may be deeper than a path can be long, and than we have descriptors. So we do not
 * descend: the entries of a folder that is not empty are moved to the top, and removed there later.
 */
#include "jail/host_box.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"

struct removal {
    int top;
    int64_t until_ms;
    unsigned long moved;
    bool progress;
};

static DIR *open_folder(int dirfd, const char *name)
{
    AUTO_CLOSE int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);

    if (dir)
        (void)fd_take(&fd);
    return dir;
}

static const char *next_name(DIR *dir)
{
    struct dirent *entry;

    while ((entry = readdir(dir)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            return entry->d_name;
    return NULL;
}

static const char *next_in_time(const struct removal *r, DIR *dir)
{
    return clock_mono_ms() < r->until_ms ? next_name(dir) : NULL;
}

static bool remove_one(struct removal *r, int dirfd, const char *name)
{
    bool gone = unlinkat(dirfd, name, 0) == 0 || unlinkat(dirfd, name, AT_REMOVEDIR) == 0;

    r->progress |= gone;
    return gone;
}

/* Restores our access to a folder: the guest may have removed its permission bits. */
static void unlock(int dirfd, const char *name)
{
    struct stat st;

    if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode))
        (void)!fchmodat(dirfd, name, 0700, 0);
}

static void lift_content(struct removal *r, const char *folder)
{
    char fresh[32];
    const char *name;

    unlock(r->top, folder);
    DIR *dir = open_folder(r->top, folder);
    if (!dir)
        return;
    while ((name = next_in_time(r, dir))) {
        if (remove_one(r, dirfd(dir), name))
            continue;
        unlock(dirfd(dir), name);
        snprintf(fresh, sizeof fresh, ".moved-%lx", r->moved++);
        r->progress |=
            syscall(SYS_renameat2, dirfd(dir), name, r->top, fresh, 1 /* RENAME_NOREPLACE */) == 0;
    }
    closedir(dir);
}

bool host_box_empty_until(int folder, int64_t until_ms)
{
    (void)!fchmod(folder, 0700);
    DIR *dir = open_folder(folder, ".");
    struct removal r = {.top = dir ? dirfd(dir) : -1, .until_ms = until_ms, .progress = true};
    bool left = true;
    const char *name;

    while (dir && left && r.progress && clock_mono_ms() < until_ms) {
        left = r.progress = false;
        rewinddir(dir);
        while ((name = next_in_time(&r, dir))) {
            if (remove_one(&r, r.top, name))
                continue;
            left = true;
            if (errno == ENOTEMPTY)
                lift_content(&r, name);
        }
    }
    if (dir)
        closedir(dir);
    return !left;
}

bool host_box_empty(int folder)
{
    return host_box_empty_until(folder, INT64_MAX);
}

void host_box_remove(const char *path)
{
    unlock(AT_FDCWD, path);
    AUTO_CLOSE int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (folder >= 0)
        (void)host_box_empty(folder);
    (void)rmdir(path);
}
