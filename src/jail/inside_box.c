/* SPDX-License-Identifier: Apache-2.0
 *
 * The guest's disk where there can be no private root: three folders in a folder of the host's.
 * Normally the library removes them after it has read the results. When it was killed, the keeper
 * does.
 */
#include "jail/inside.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"

int host_box_make(struct inside *in, struct err *err)
{
    static const char *const places[] = {"work", "tmp", "shm"};
    const char *path = in->spec.box_host;

    if (mkdir(path, 0700) < 0)
        return err_sys(err, "make %s", path);
    in->box_fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (in->box_fd < 0)
        return err_sys(err, "open %s", path);
    for (size_t i = 0; i < ARRAY_LEN(places); i++)
        if (mkdirat(in->box_fd, places[i], 0700) < 0)
            return err_sys(err, "make %s/%s", path, places[i]);
    return 0;
}

/* The tree may be deeper than a path is long or descriptors are many. So nothing goes down: what
 * lies in a folder that is not empty is moved to the top, where its turn comes. */
struct removal {
    int top;
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

static bool remove_one(struct removal *r, int dirfd, const char *name)
{
    bool gone = unlinkat(dirfd, name, 0) == 0 || unlinkat(dirfd, name, AT_REMOVEDIR) == 0;

    r->progress |= gone;
    return gone;
}

/* The guest may have locked its folders. */
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
    while ((name = next_name(dir))) {
        if (remove_one(r, dirfd(dir), name))
            continue;
        unlock(dirfd(dir), name);
        snprintf(fresh, sizeof fresh, ".moved-%lx", r->moved++);
        r->progress |=
            syscall(SYS_renameat2, dirfd(dir), name, r->top, fresh, 1 /* RENAME_NOREPLACE */) == 0;
    }
    closedir(dir);
}

void host_box_remove(const struct inside *in)
{
    DIR *dir = open_folder(AT_FDCWD, in->spec.box_host);
    struct removal r = {.top = dir ? dirfd(dir) : -1, .progress = true};
    bool left = true;
    const char *name;

    while (dir && left && r.progress) {
        left = r.progress = false;
        rewinddir(dir);
        while ((name = next_name(dir))) {
            if (remove_one(&r, r.top, name))
                continue;
            left = true;
            if (errno == ENOTEMPTY)
                lift_content(&r, name);
        }
    }
    if (dir)
        closedir(dir);
    (void)rmdir(in->spec.box_host);
}
