/* SPDX-License-Identifier: Apache-2.0 */
#include "workspace/workspace_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "workspace/workspace_parts.h"

enum { FILES_MAX = 100000, DEPTH_MAX = 128, CHUNK = 64 << 10 };

/* A folder of the workspace, and a name in it. */
struct file_place {
    struct lay_place folder;
    int dirfd;
    char name[LAY_NAME_MAX + 1];
};

static int no_file(const char *path, struct err *err)
{
    char shown[PATH_SHOW];

    err_set(err, ERR_USAGE, "there is no file '%s' in the workspace",
            path_show(str_from(path), shown, sizeof shown));
    err->sys = ENOENT;
    return -1;
}

/* Sets *err for errno after a change to a folder failed; `doing` describes the change if the errno
 * has no text here. */
static int no_change(const char *doing, struct err *err)
{
    static const struct {
        int sys;
        const char *what;
    } known[] = {
        {EACCES, "the guest has made a folder on the way unwritable"},
        {EPERM, "the guest has made a folder on the way unwritable"},
        {ENOTDIR, "a file or a link is in the way"},
        {EISDIR, "a folder has that name"},
        {ENOTEMPTY, "the folder is not empty"},
    };
    int sys = errno;

    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (sys == known[i].sys) {
            err_set(err, ERR_USAGE, "%s", known[i].what);
            err->sys = sys;
            return -1;
        }
    return errno == ENOSPC ? err_set(err, ERR_LIMIT, "the session's disk is full")
                           : err_sys(err, "%s", doing);
}

int workspace_say_unchanged(const char *path, const char *doing, int sys, struct err *err)
{
    if (sys == ENOENT)
        return no_file(path, err);
    errno = sys;
    return no_change(doing, err);
}

static int check_path(const char *path, struct err *err)
{
    char shown[PATH_SHOW];
    const char *problem = lay_path_problem(str_from(path));

    if (!problem)
        return 0;
    return err_set(err, ERR_USAGE, "path '%s' %s", path_show(str_from(path), shown, sizeof shown),
                   problem);
}

static void workspace_files_split(struct file_place *p, const char *path, struct str *ret_folder)
{
    struct str name;

    lay_path_split(str_from(path), ret_folder, &name);
    memcpy(p->name, name.p, name.n);
    p->name[name.n] = '\0';
}

static int find_place(int root_fd, const char *path, struct file_place *p, struct err *err)
{
    struct str folder;

    lay_place_init(&p->folder, root_fd);
    workspace_files_split(p, path, &folder);
    p->dirfd = lay_place_open(&p->folder, folder, false);
    return p->dirfd < 0 ? no_file(path, err) : 0;
}

/* ---- list ---- */

void workspace_files_done(struct workspace_file *files, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(files[i].path);
    free(files);
}

struct list {
    struct workspace_file *at;
    size_t n, room;
};

static void workspace_files_add(struct list *list, const struct walk *walk)
{
    struct str path = walk_path(walk);
    bool folder = S_ISDIR(walk->st.st_mode);

    if (list->n == list->room)
        list->at = mem_grow(list->at, &list->room, sizeof *list->at);
    list->at[list->n++] = (struct workspace_file){
        .path = xasprintf("%.*s%s", (int)path.n, path.p, folder ? "/" : ""),
        .size = folder ? 0 : (uint64_t)walk->st.st_size,
        .mtime_ms = walk->st.st_mtim.tv_sec * 1000LL + walk->st.st_mtim.tv_nsec / 1000000,
    };
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct workspace_file *)a)->path,
                  ((const struct workspace_file *)b)->path);
}

static int list_all(int root_fd, struct list *list, struct err *err)
{
    struct walk walk;
    enum walk_step step;
    uint64_t visited = 0;
    int result = 0;

    if (walk_init(&walk, root_fd, DEPTH_MAX, true) < 0)
        result = err_sys(err, "read the workspace");
    while (result == 0 && (step = walk_next(&walk)) != WALK_DONE) {
        if (step != WALK_ENTRY || walk_at_cache(&walk))
            continue;
        if (++visited > 10ULL * FILES_MAX || list->n == FILES_MAX)
            result = err_set(err, ERR_LIMIT, "there are more than %d files", FILES_MAX);
        else if (S_ISREG(walk.st.st_mode))
            workspace_files_add(list, &walk);
        else if (S_ISDIR(walk.st.st_mode) && walk_enter(&walk) == 0)
            workspace_files_add(list, &walk);
    }
    walk_done(&walk);
    return result;
}

int workspace_files(int root_fd, struct workspace_file **ret, size_t *ret_count, struct err *err)
{
    struct list list = {0};

    if (list_all(root_fd, &list, err) < 0) {
        workspace_files_done(list.at, list.n);
        return -1;
    }
    if (list.n)
        qsort(list.at, list.n, sizeof *list.at, by_path);
    *ret = list.at;
    *ret_count = list.n;
    return 0;
}

/* ---- read ---- */

static int open_regular(struct file_place *p, const char *path, uint64_t *ret_size, struct err *err)
{
    struct stat st;

    if (fstatat(p->dirfd, p->name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
        return no_file(path, err);
    (void)unlock_at(p->dirfd, p->name, &st, 0400);
    AUTO_CLOSE int fd =
        openat(p->dirfd, p->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    /* It may be another file by now. */
    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
        return no_file(path, err);
    *ret_size = (uint64_t)st.st_size;
    return fd_take(&fd);
}

int workspace_file_open(int root_fd, const char *path, uint64_t *ret_size, struct err *err)
{
    struct file_place p;

    if (check_path(path, err) < 0)
        return -1;
    int fd = find_place(root_fd, path, &p, err) < 0 ? -1 : open_regular(&p, path, ret_size, err);
    lay_place_done(&p.folder);
    return fd;
}

/* ---- write ---- */

/* Files that we make must belong to the guest: it could not change root's files, and its disk,
 * mounted in a user namespace, refuses files of users that are unknown there. The change affects
 * only this thread, which loses root's rights over files meanwhile. */
struct disguise {
    bool on;
    uid_t uid;
    gid_t gid;
};

static int become_guest(const struct stat *owner, struct disguise *d)
{
    *d = (struct disguise){.on = geteuid() == 0 && owner->st_uid != 0};
    if (!d->on)
        return 0;
    d->gid = (gid_t)setfsgid(owner->st_gid);
    d->uid = (uid_t)setfsuid(owner->st_uid);
    /* These calls do not report failures; with the invalid id -1 they change nothing and return the
     * current id. */
    if ((uid_t)setfsuid((uid_t)-1) == owner->st_uid && (gid_t)setfsgid((gid_t)-1) == owner->st_gid)
        return 0;
    errno = EPERM;
    return -1;
}

static void become_us(const struct disguise *d)
{
    int before = errno;

    if (d->on) {
        (void)setfsuid(d->uid);
        (void)setfsgid(d->gid);
    }
    errno = before;
}

/* Opens the folder `piece` in *fd, and replaces *fd by it. */
static int step_down(int *fd, struct str piece)
{
    char name[LAY_NAME_MAX + 1];

    memcpy(name, piece.p, piece.n);
    name[piece.n] = '\0';
    if (mkdirat(*fd, name, 0755) < 0 && errno != EEXIST)
        return -1;
    int next = openat(*fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (next < 0)
        return -1;
    fd_close(fd);
    *fd = next;
    return 0;
}

/* Opens the folder of a new file, and creates missing folders. */
static int make_folder(int root_fd, struct str folder)
{
    AUTO_CLOSE int fd = openat(root_fd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    struct str piece;

    while (fd >= 0 && folder.n && str_next(&folder, '/', &piece))
        if (step_down(&fd, piece) < 0)
            return -1;
    return fd_take(&fd);
}

static int copy_all(int from, int to, uint64_t max, struct err *err)
{
    AUTO_FREE char *chunk = xmalloc(CHUNK);
    uint64_t left = max;

    for (;;) {
        ssize_t n = read(from, chunk, CHUNK);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_sys(err, "read the new content");
        if (n == 0)
            return 0;
        if ((uint64_t)n > left)
            return err_set(err, ERR_LIMIT, "it has more than %llu bytes", (unsigned long long)max);
        left -= (uint64_t)n;
        if (fd_write_all(to, chunk, (size_t)n) < 0)
            return no_change("write the file", err);
    }
}

static int put_workspace_file(int dirfd, const char *name, int from, uint64_t max, struct err *err)
{
    uint64_t id = 0;
    char temp[40];

    if (getrandom(&id, sizeof id, 0) != sizeof id)
        return err_sys(err, "get a random name");
    snprintf(temp, sizeof temp, ".glovebox-put-%016" PRIx64, id);
    AUTO_CLOSE int fd =
        openat(dirfd, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return no_change("make the file", err);
    int result = copy_all(from, fd, max, err);
    if (result == 0 && fchmod(fd, 0644) < 0)
        result = err_sys(err, "set its mode");
    if (result == 0 && renameat(dirfd, temp, dirfd, name) < 0)
        result = no_change("name the file", err);
    if (result < 0)
        (void)unlinkat(dirfd, temp, 0);
    return result;
}

static int put_as_guest(int root_fd, const char *path, int from, uint64_t max, struct err *err)
{
    struct file_place p;
    struct str folder;

    workspace_files_split(&p, path, &folder);
    AUTO_CLOSE int dirfd = make_folder(root_fd, folder);
    if (dirfd < 0)
        return no_change("make the folder", err);
    return put_workspace_file(dirfd, p.name, from, max, err);
}

static int workspace_files_put(int root_fd, const char *path, int from, uint64_t max,
                               struct err *err)
{
    struct disguise d = {0};
    struct stat owner;
    int result = -1;

    if (fstat(root_fd, &owner) < 0)
        return err_sys(err, "look at the workspace");
    if (become_guest(&owner, &d) < 0)
        err_sys(err, "act as the guest's user");
    else
        result = put_as_guest(root_fd, path, from, max, err);
    become_us(&d);
    return result;
}

int workspace_file_put(int root_fd, const char *path, int from, uint64_t max, struct err *err)
{
    char shown[PATH_SHOW];

    if (check_path(path, err) < 0)
        return -1;
    return workspace_files_put(root_fd, path, from, max, err) == 0
               ? 0
               : err_wrap(err, "cannot put '%s'", path_show(str_from(path), shown, sizeof shown));
}

/* ---- remove ---- */

static int remove_at(const struct file_place *p, const char *path, struct err *err)
{
    struct stat st;

    if (fstatat(p->dirfd, p->name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
        unlinkat(p->dirfd, p->name, S_ISDIR(st.st_mode) ? AT_REMOVEDIR : 0) == 0)
        return 0;
    return errno == ENOENT ? no_file(path, err) : no_change("remove it", err);
}

int workspace_file_remove(int root_fd, const char *path, struct err *err)
{
    struct file_place p;

    if (check_path(path, err) < 0)
        return -1;
    int result = find_place(root_fd, path, &p, err) < 0 ? -1 : remove_at(&p, path, err);
    lay_place_done(&p.folder);
    return result;
}
