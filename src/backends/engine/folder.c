/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>

#include "base/fd.h"

enum { ENTRIES_MAX = 100000, DEPTH_MAX = 100, PATH_MOST = 4095 };

struct walking {
    folder_entry_fn *see;
    void *ctx;
    struct buf path;
    unsigned entries, depth;
};

static int walk_into(struct walking *w, int dirfd, const char *name, struct err *err);

static int see_one(struct walking *w, int dirfd, const char *name, struct err *err)
{
    struct stat st;
    const struct folder_entry entry = {w->path.p, dirfd, name, &st};

    if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return err_sys(err, "read '%.200s'", w->path.p);
    if (++w->entries > ENTRIES_MAX)
        return err_set(err, ERR_LIMIT, "it has more than %d files", ENTRIES_MAX);
    if (w->see(w->ctx, &entry, err) < 0)
        return -1;
    return S_ISDIR(st.st_mode) ? walk_into(w, dirfd, name, err) : 0;
}

static int see_named(struct walking *w, int dirfd, const char *name, struct err *err)
{
    size_t before = w->path.n;

    if (buf_addf(&w->path, "%s%s", before ? "/" : "", name) < 0)
        return err_set(err, ERR_LIMIT, "it has a path of more than %d bytes", PATH_MOST);
    int result = see_one(w, dirfd, name, err);
    w->path.n = before;
    w->path.p[before] = '\0';
    return result;
}

static int walk_into(struct walking *w, int dirfd, const char *name, struct err *err)
{
    int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), result = 0;
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);

    if (!dir) {
        fd_close(&fd);
        return err_sys(err, "read '%.200s'", w->path.n ? w->path.p : ".");
    }
    if (++w->depth > DEPTH_MAX)
        result = err_set(err, ERR_LIMIT, "its folders are nested more than %d deep", DEPTH_MAX);
    for (struct dirent *e; result == 0 && (e = readdir(dir));) /* NOLINT: one thread reads it */
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            result = see_named(w, fd, e->d_name, err);
    w->depth--;
    (void)closedir(dir);
    return result;
}

int folder_walk(int fd, folder_entry_fn *see, void *ctx, struct err *err)
{
    struct walking w = {.see = see, .ctx = ctx};

    buf_init(&w.path, PATH_MOST);
    int result = walk_into(&w, fd, ".", err);
    buf_done(&w.path);
    return result;
}
