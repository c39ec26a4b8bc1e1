/* SPDX-License-Identifier: Apache-2.0 */
#include "workspace/workspace_each.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "workspace/workspace_parts.h"

enum { DEPTH_MAX = 128, ENTRIES_MAX = 100000 };

static int cannot_read(struct str path, struct err *err)
{
    char shown[PATH_SHOW];
    int saved = errno;

    path_show(path, shown, sizeof shown);
    errno = saved;
    return err_sys(err, "read '%s' of the workspace", shown);
}

static int see_one(struct walk *w, workspace_entry_fn *see, void *ctx, struct err *err)
{
    struct workspace_entry entry = {.path = walk_path(w), .mode = w->st.st_mode, .fd = -1};
    struct stat st;

    if (S_ISDIR(w->st.st_mode))
        return walk_enter(w) < 0 && errno != ENOENT ? cannot_read(entry.path, err) : 0;
    if (!S_ISREG(w->st.st_mode))
        return see(ctx, &entry, err);
    AUTO_CLOSE int fd = walk_open(w, &st);
    if (fd < 0)
        return errno == ENOENT ? 0 : cannot_read(entry.path, err);
    entry.fd = fd;
    entry.size = (uint64_t)st.st_size;
    return see(ctx, &entry, err);
}

static int see_all(struct walk *w, workspace_entry_fn *see, void *ctx, struct err *err)
{
    size_t n = 0;

    for (;;) {
        switch (walk_next(w)) {
        case WALK_DONE:
            return 0;
        case WALK_FAILED:
            return cannot_read(walk_path(w), err);
        case WALK_ENTRY:
            if (++n > ENTRIES_MAX)
                return err_set(err, ERR_LIMIT, "the workspace has more than %d entries",
                               ENTRIES_MAX);
            if (see_one(w, see, ctx, err) < 0)
                return -1;
            break;
        case WALK_LEAVE:
            break;
        }
    }
}

int workspace_each(int root_fd, workspace_entry_fn *see, void *ctx, struct err *err)
{
    struct walk w;
    int result = walk_init(&w, root_fd, DEPTH_MAX, true) < 0 ? err_sys(err, "read the workspace")
                                                             : see_all(&w, see, ctx, err);

    walk_done(&w);
    return result;
}

/* ---- before it is laid ---- */

static int open_laid(const struct lay_list *list, const struct lay_entry *entry)
{
    int dirfd = list->sources[entry->source].dirfd;
    struct lay_place place = {0};

    if (dirfd < 0)
        return lay_open_source(list, entry, &place);
    lay_place_init(&place, dirfd);
    int fd = lay_open_source(list, entry, &place);
    int saved = errno;
    lay_place_done(&place);
    errno = saved;
    return fd;
}

int lay_list_each(const struct lay_list *list, workspace_entry_fn *see, void *ctx, struct err *err)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct lay_entry *laid = &list->entries[i];
        struct workspace_entry entry = {.path = {laid->path, laid->path_len},
                                        .mode = S_IFREG,
                                        .size = laid->size,
                                        .fd = -1,
                                        .bytes = {laid->bytes, laid->bytes ? laid->size : 0}};
        if (laid->is_dir)
            continue;
        AUTO_CLOSE int fd = laid->bytes ? -1 : open_laid(list, laid);
        if (!laid->bytes && fd < 0)
            return cannot_read(entry.path, err);
        entry.fd = fd;
        if (see(ctx, &entry, err) < 0)
            return -1;
    }
    return 0;
}

ssize_t workspace_entry_read(const struct workspace_entry *entry, uint64_t at, char *to, size_t n)
{
    if (entry->fd >= 0)
        return pread(entry->fd, to, n, (off_t)at);
    struct str rest =
        at < entry->bytes.n ? str_slice(entry->bytes, (size_t)at, entry->bytes.n) : STR("");
    n = n < rest.n ? n : rest.n;
    memcpy(to, rest.p, n);
    return (ssize_t)n;
}
