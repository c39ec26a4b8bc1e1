/* SPDX-License-Identifier: Apache-2.0
 *
 * Sends the workspace of a container to the backend, and receives files from it. The guest may have
 * put anything there, and may be alive: entries are opened below descriptors, no link is followed,
 * and an entry that cannot be sent is reported by name. The backend does not trust these frames
 * either.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "helper/contained.h"
#include "inside/inside.h"
#include "jail/lay.h"

#define DEPTH_MAX 135 /* more than the backend accepts, so that it sees that there is more */

struct tree {
    bool notes;    /* remember what is sent */
    uint64_t left; /* bytes of content that may still be sent */
    uint64_t records;
    char path[PATH_MAX + NAME_MAX + 2];
};

static void send_head(uint32_t kind, const char *path, uint32_t mode, uint64_t size)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, LAY_HEADER + LAY_PATH_MAX + 1);
    wire_put_u32(&b, kind);
    wire_put_u32(&b, (uint32_t)strlen(path));
    wire_put_u32(&b, mode & 0777);
    wire_put_u64(&b, size);
    (void)buf_adds(&b, path);
    contained_send_buf(CONTAINED_TREE, &b);
}

static void leave_out(const struct tree *t, uint32_t mode, uint64_t size)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 16 + sizeof t->path);
    wire_put_u32(&b, mode);
    wire_put_u64(&b, size);
    wire_put_cstr(&b, t->path);
    contained_send_buf(CONTAINED_LEFT_OUT, &b);
}

/* Opens the entry even if the guest has removed its own permissions; we are the same user. */
static int open_anyway(int dirfd, const char *name, int flags, const struct stat *st)
{
    int fd = openat(dirfd, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd >= 0 || errno != EACCES)
        return fd;
    if (fchmodat(dirfd, name, (st->st_mode & 0777) | (S_ISDIR(st->st_mode) ? 0700 : 0400), 0) < 0)
        return -1;
    return openat(dirfd, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

/* Sends exactly the announced number of bytes: a file that shrinks meanwhile ends in zeros. */
static void send_content(int fd, uint64_t size)
{
    static char piece[CONTAINED_PIECE_MAX];

    while (size) {
        size_t want = size < sizeof piece ? (size_t)size : sizeof piece;
        ssize_t got = read(fd, piece, want);
        if (got <= 0) {
            memset(piece, 0, want);
            got = (ssize_t)want;
        }
        contained_send(CONTAINED_TREE, piece, (size_t)got);
        size -= (uint64_t)got;
    }
}

static void send_contained_file(struct tree *t, int dirfd, const char *name, const struct stat *st)
{
    struct stat opened;
    AUTO_CLOSE int fd = open_anyway(dirfd, name, O_RDONLY, st);

    if (fd < 0 || fstat(fd, &opened) < 0 || !S_ISREG(opened.st_mode))
        return; /* another type of file has the name now */
    uint64_t size = (uint64_t)opened.st_size;
    if (size > t->left) {
        leave_out(t, S_IFREG | (st->st_mode & 0777), size);
        return;
    }
    t->left -= size;
    if (t->notes && contained_known(t->path, &opened)) {
        contained_send(CONTAINED_KEPT, t->path, strlen(t->path));
        return;
    }
    t->records++;
    send_head(LAY_FILE, t->path, st->st_mode, size);
    send_content(fd, size);
}

static void send_folder(struct tree *t, int fd, size_t path_n, unsigned depth);

static void send_entry(struct tree *t, int dirfd, const char *name, size_t path_n, unsigned depth)
{
    struct stat st;

    if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return;
    if (S_ISREG(st.st_mode)) {
        send_contained_file(t, dirfd, name, &st);
        return;
    }
    if (!S_ISDIR(st.st_mode)) {
        leave_out(t, st.st_mode, 0);
        return;
    }
    t->records++;
    send_head(LAY_DIR, t->path, st.st_mode, 0);
    int fd = depth < DEPTH_MAX ? open_anyway(dirfd, name, O_RDONLY | O_DIRECTORY, &st) : -1;
    if (fd >= 0)
        send_folder(t, fd, path_n, depth + 1);
}

/* Takes ownership of the descriptor. The first `path_n` bytes of the path are the folder's path. */
static void send_folder(struct tree *t, int fd, size_t path_n, unsigned depth)
{
    struct dirent *entry;
    DIR *dir = fdopendir(fd);

    if (!dir) {
        close(fd);
        return;
    }
    while ((entry = readdir(dir))) {
        const char *name = entry->d_name;
        size_t slash = path_n ? 1 : 0, length = strlen(name);
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
            path_n + slash + length > LAY_PATH_MAX)
            continue;
        if (slash)
            t->path[path_n] = '/';
        memcpy(t->path + path_n + slash, name, length + 1);
        send_entry(t, dirfd(dir), name, path_n + slash + length, depth);
        t->path[path_n] = '\0';
    }
    (void)closedir(dir);
}

void contained_files(int work, uint64_t max_bytes, bool last, bool since)
{
    static struct tree t;
    AUTO_BUF struct buf end = {0};
    int root = openat(work, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (root < 0 && fchmod(work, 0700) == 0)
        root = openat(work, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    t = (struct tree){.left = max_bytes, .notes = !last || since};
    if (t.notes)
        contained_known_begin(since);
    if (root >= 0)
        send_folder(&t, root, 0, 0);
    buf_init(&end, LAY_HEADER);
    wire_put_u32(&end, LAY_END);
    wire_put_u32(&end, 0);
    wire_put_u32(&end, 0);
    wire_put_u64(&end, t.records);
    contained_send_buf(CONTAINED_TREE, &end);
    contained_send_err(CONTAINED_DONE, &(struct err){0});
}

/* ---- single files ---- */

/* Opens the folder of a path, and sets *ret_name to the last component. Refuses an invalid path. */
static int open_parent(struct lay_place *place, const char *path, bool create,
                       const char **ret_name, struct err *err)
{
    struct str folder, name;
    const char *problem = lay_path_problem(str_from(path));

    if (problem)
        return err_set(err, ERR_USAGE, "the path %s", problem);
    lay_path_split(str_from(path), &folder, &name);
    *ret_name = name.p;
    int dirfd = lay_place_open(place, folder, create);
    if (dirfd < 0) {
        err_sys(err, "open its folder");
        err->kind = ERR_USAGE;
    }
    return dirfd;
}

/* The name of an arriving file if the file system has no O_TMPFILE: beside the workspace. */
#define ARRIVING CONTAINED_BOX "/arriving"
#define REPLACES ".glovebox-arriving" /* for a moment, in the folder of the replaced file */

/* The backend may have given up in the middle of the previous file. */
void contained_put_begin(struct contained_arriving *a, int work)
{
    fd_close(&a->fd);
    *a = (struct contained_arriving){.fd = -1};
    a->fd = openat(work, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644);
    if (a->fd < 0) {
        (void)unlink(ARRIVING);
        a->fd = open(ARRIVING, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    }
    if (a->fd < 0)
        err_sys(&a->err, "make the file");
}

void contained_put_bytes(struct contained_arriving *a, struct str bytes)
{
    if (a->err.kind || fd_write_all(a->fd, bytes.p, bytes.n) == 0)
        return;
    err_sys(&a->err, "write the file");
    if (a->err.sys == ENOSPC)
        a->err.kind = ERR_LIMIT;
}

static int give_name(int fd, int dirfd, const char *name)
{
    char link[40];

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, link, dirfd, name, AT_SYMLINK_FOLLOW);
}

static int replace_name(int fd, int dirfd, const char *name)
{
    (void)unlinkat(dirfd, REPLACES, 0);
    if (give_name(fd, dirfd, REPLACES) < 0)
        return -1;
    int result = renameat(dirfd, REPLACES, dirfd, name), why = errno;
    (void)unlinkat(dirfd, REPLACES, 0);
    errno = why;
    return result;
}

static void put_in_place(struct contained_arriving *a, int work, const char *path)
{
    struct lay_place place;
    const char *name;

    lay_place_init(&place, work);
    int dirfd = open_parent(&place, path, true, &name, &a->err);
    if (dirfd >= 0 && give_name(a->fd, dirfd, name) < 0 &&
        (errno != EEXIST || replace_name(a->fd, dirfd, name) < 0)) {
        err_sys(&a->err, "put the file in place");
        a->err.kind = ERR_USAGE;
    }
    lay_place_done(&place);
}

void contained_put_end(struct contained_arriving *a, int work, const char *path)
{
    if (!a->err.kind)
        put_in_place(a, work, path);
    fd_close(&a->fd);
    (void)unlink(ARRIVING);
}

int contained_remove(int work, const char *path, struct err *err)
{
    struct lay_place place;
    const char *name;

    lay_place_init(&place, work);
    int dirfd = open_parent(&place, path, false, &name, err), result = -1;
    if (dirfd >= 0) {
        result = unlinkat(dirfd, name, 0);
        if (result < 0 && errno == EISDIR)
            result = unlinkat(dirfd, name, AT_REMOVEDIR);
        if (result < 0) {
            err_sys(err, "remove it");
            err->kind = ERR_USAGE;
        }
    }
    lay_place_done(&place);
    return result;
}

int contained_make_workspace(struct err *err)
{
    AUTO_CLOSE int begin = open(CONTAINED_SNAPSHOT, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    AUTO_CLOSE int work = -1;

    if ((mkdir(CONTAINED_WORK, 0755) < 0 && errno != EEXIST) ||
        (work = open(CONTAINED_WORK, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0)
        return err_sys(err, "make the workspace");
    if (begin >= 0 && copy_tree(begin, work, err) < 0)
        return err_wrap(err, "the image's snapshot");
    return fd_take(&work);
}
