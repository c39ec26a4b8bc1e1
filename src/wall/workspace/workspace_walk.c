/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "workspace/workspace_parts.h"

static int unlock_fd(int fd, mode_t want)
{
    struct stat st;
    char path[40];

    if (fstat(fd, &st) < 0)
        return -1;
    if (st.st_uid != geteuid() || (st.st_mode & want) == want)
        return 0;
    if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
        errno = EACCES;
        return -1;
    }
    /* fchmod(2) does not take an O_PATH descriptor; fchmodat2 with AT_EMPTY_PATH is as new as
     * Linux 6.6. */
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return chmod(path, (st.st_mode | want) & 07777);
}

int unlock_at(int dirfd, const char *name, const struct stat *st, mode_t want)
{
    if (st->st_uid != geteuid() || (st->st_mode & want) == want)
        return 0;
    AUTO_CLOSE int fd = openat(dirfd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    return fd < 0 ? -1 : unlock_fd(fd, want);
}

static int workspace_walk_push(struct walk *w, int *fd)
{
    DIR *dir = fdopendir(*fd);

    if (!dir)
        return -1;
    (void)fd_take(fd);
    w->frames = xrealloc_array(w->frames, w->depth + 1, sizeof w->frames[0]);
    w->frames[w->depth++] = (struct walk_frame){.dir = dir, .path_n = w->path_n, .st = w->st};
    return 0;
}

int walk_init(struct walk *w, int root_fd, size_t max_depth, bool hostile)
{
    *w = (struct walk){.max_depth = max_depth, .hostile = hostile};
    if (fstat(root_fd, &w->st) < 0)
        return -1;
    w->dev = w->st.st_dev;
    if (hostile)
        (void)unlock_fd(root_fd, 0500);
    AUTO_CLOSE int fd = openat(root_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? -1 : workspace_walk_push(w, &fd);
}

void walk_done(struct walk *w)
{
    while (w->depth)
        closedir(w->frames[--w->depth].dir);
    free(w->frames);
    w->frames = NULL;
}

int walk_dirfd(const struct walk *w)
{
    return dirfd(w->frames[w->depth - 1].dir);
}

struct str walk_path(const struct walk *w)
{
    return (struct str){w->path, w->path_n};
}

bool walk_at_cache(const struct walk *w)
{
    return S_ISDIR(w->st.st_mode) && strcmp(w->name, "__pycache__") == 0;
}

/* Leaves a folder: path and st become the folder's own. */
static enum walk_step workspace_walk_leave(struct walk *w, int failed)
{
    struct walk_frame *frame = &w->frames[--w->depth];

    w->path_n = frame->path_n;
    w->st = frame->st;
    w->met = frame->met;
    w->name = NULL;
    closedir(frame->dir);
    errno = failed;
    if (failed)
        return WALK_FAILED;
    return w->depth ? WALK_LEAVE : WALK_DONE;
}

static void set_path(struct walk *w, size_t folder_n, const char *name)
{
    size_t n = strnlen(name, LAY_NAME_MAX);

    w->path_n = folder_n;
    if (folder_n)
        w->path[w->path_n++] = '/';
    memcpy(w->path + w->path_n, name, n);
    w->path_n += n;
}

enum walk_step walk_next(struct walk *w)
{
    while (w->depth) {
        struct walk_frame *frame = &w->frames[w->depth - 1];
        errno = 0;
        const struct dirent *entry = readdir(frame->dir);
        if (!entry)
            return workspace_walk_leave(w, errno);
        if (str_is(STR("."), entry->d_name) || str_is(STR(".."), entry->d_name))
            continue;
        frame->met++;
        w->name = entry->d_name;
        set_path(w, frame->path_n, entry->d_name);
        if (fstatat(walk_dirfd(w), w->name, &w->st, AT_SYMLINK_NOFOLLOW) == 0)
            return WALK_ENTRY;
        if (errno != ENOENT)
            return WALK_FAILED;
    }
    return WALK_DONE;
}

enum skip_reason walk_refusal(int sys)
{
    return sys == EMLINK         ? SKIP_TOO_DEEP
           : sys == ENAMETOOLONG ? SKIP_LONG_PATH
           : sys == EXDEV        ? SKIP_OTHER_FS
                                 : SKIP_UNREADABLE;
}

int walk_enter(struct walk *w)
{
    if (w->depth > w->max_depth || w->path_n > LAY_PATH_MAX) {
        errno = w->depth > w->max_depth ? EMLINK : ENAMETOOLONG;
        return -1;
    }
    if (w->hostile && w->st.st_dev != w->dev) {
        errno = EXDEV;
        return -1;
    }
    /* Without search permission we could list its entries but not stat them. */
    if (w->hostile)
        (void)unlock_at(walk_dirfd(w), w->name, &w->st, 0500);
    AUTO_CLOSE int fd =
        openat(walk_dirfd(w), w->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return fd < 0 ? -1 : workspace_walk_push(w, &fd);
}

/* O_NONBLOCK and the second fstat are needed because something else may have replaced the file
 * since the walk saw it. */
int walk_open(const struct walk *w, struct stat *ret_st)
{
    int dirfd = walk_dirfd(w);

    (void)unlock_at(dirfd, w->name, &w->st, 0400);
    AUTO_CLOSE int fd =
        openat(dirfd, w->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, ret_st) < 0)
        return -1;
    if (!S_ISREG(ret_st->st_mode)) {
        errno = ESTALE;
        return -1;
    }
    return fd_take(&fd);
}
