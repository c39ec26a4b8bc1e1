/* SPDX-License-Identifier: Apache-2.0
 *
 * The copy of a guest's workspace on this host. A copy of a living guest is brought up to date: the
 * helper sends the files that are new or have changed since it last sent the workspace, and names
 * the others. New entries arrive in a folder of their own, by the rules for files that go into a
 * jail (jail/lay.h). Then they are moved into the copy. An unchanged entry keeps its inode: so a
 * comparison of the copy with its earlier state finds the guest's changes only.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "far/far.h"
#include "jail/host_box.h"
#include "jail/lay.h"

enum { LEFT_S = 60, PIECE = 32 << 10 };

#define FOLDERS "glovebox-files-"

/* ---- folders ---- */

void far_folder_drop(struct far_folder *f)
{
    fd_close(&f->fd);
    if (f->path)
        host_box_remove(f->path);
    free(f->path);
    f->path = NULL;
}

/* Makes a folder and locks it: the lock shows that its owner is alive. */
int far_folder_make(struct far_folder *f, struct err *err)
{
    far_folder_drop(f);
    AUTO_FREE char *path = xasprintf("%s/" FOLDERS "XXXXXX", fd_temporary());
    if (!mkdtemp(path))
        return err_sys(err, "make a folder in %s", fd_temporary());
    f->path = mem_take(&path);
    f->fd = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (f->fd < 0 || flock(f->fd, LOCK_EX | LOCK_NB) < 0)
        return err_sys(err, "open %s", f->path);
    return 0;
}

/* True for a folder that no process has locked. A young one is not counted: its process may be
 * about to lock it. */
static bool is_left(int folder, const char *name)
{
    struct stat st;
    AUTO_CLOSE int fd =
        openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    return fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
           time(NULL) - st.st_ctime > LEFT_S && flock(fd, LOCK_EX | LOCK_NB) == 0;
}

void far_sweep_files(void)
{
    DIR *dir = opendir(fd_temporary());
    struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        if (strncmp(entry->d_name, FOLDERS, strlen(FOLDERS)) != 0 ||
            !is_left(dirfd(dir), entry->d_name))
            continue;
        AUTO_FREE char *path = xasprintf("%s/%s", fd_temporary(), entry->d_name);
        host_box_remove(path);
    }
    if (dir)
        (void)closedir(dir);
}

/* ---- entries without content ---- */

/* Makes a stand-in of this size, or of the largest size that the file system permits: an empty file
 * would look like the guest's own. */
static void make_large(int fd, uint64_t size)
{
    off_t n = size < INT64_MAX ? (off_t)size : INT64_MAX;

    while (n && ftruncate(fd, n) < 0)
        n /= 2;
}

static void stand_in(int dirfd, const char *name, unsigned mode, uint64_t size)
{
    if (!mode) /* the name is taken; far_files.c gives the reason */
        mode = S_IFIFO;
    if (S_ISLNK(mode))
        (void)!symlinkat("elsewhere", dirfd, name);
    if (S_ISFIFO(mode) || S_ISSOCK(mode))
        (void)mknodat(dirfd, name, (mode & S_IFMT) | 0600, 0);
    if (!S_ISREG(mode))
        return;
    AUTO_CLOSE int fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0)
        make_large(fd, size);
}

static void keep_path(struct far_kept *k, struct str path)
{
    if (k->n == k->size) {
        k->size = k->size ? k->size * 2 : 64;
        k->paths = xrealloc_array(k->paths, k->size, sizeof *k->paths);
    }
    k->paths[k->n++] = xstrndup(path.p, path.n);
}

void far_left_out(struct far_guest *guest, struct str record)
{
    struct wire w = {.rest = record};
    uint32_t mode = wire_u32(&w);
    uint64_t size = wire_u64(&w);
    struct str path = wire_str(&w), folder, name;
    struct lay_place place;
    char file[LAY_NAME_MAX + 1];

    if (!wire_ok(&w) || lay_path_problem(path) || guest->arriving.fd < 0 || !guest->entries_left)
        return;
    guest->entries_left--;
    if (!mode)
        keep_path(&guest->unread, path);
    lay_path_split(path, &folder, &name);
    snprintf(file, sizeof file, "%.*s", (int)name.n, name.p);
    lay_place_init(&place, guest->arriving.fd);
    int dirfd = lay_place_open(&place, folder, true);
    if (dirfd >= 0)
        stand_in(dirfd, file, mode, size);
    lay_place_done(&place);
}

bool far_kept(struct far_guest *guest, struct str path)
{
    if (!guest->entries_left || path.n > guest->max_bytes)
        return false;
    if (lay_path_problem(path) || guest->arriving.fd < 0)
        return true;
    guest->entries_left--;
    guest->max_bytes -= path.n;
    keep_path(&guest->kept, path);
    return true;
}

void far_kept_done(struct far_kept *k)
{
    for (size_t i = 0; i < k->n; i++)
        free(k->paths[i]);
    free(k->paths);
    *k = (struct far_kept){0};
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_kept(const struct far_kept *k, const char *path)
{
    return k->n && bsearch(&path, k->paths, k->n, sizeof *k->paths, by_text);
}

/* ---- updating the copy; no other process can change the two folders ---- */

struct merge {
    const struct far_kept *kept;
    uint64_t bytes_left;
    char path[LAY_PATH_MAX + LAY_NAME_MAX + 2];
};

static bool same_content(int a, int b)
{
    char one[PIECE], other[PIECE];
    ssize_t n;

    do {
        n = fd_read_exactly(a, one, sizeof one);
        if (fd_read_exactly(b, other, sizeof other) != n ||
            (n > 0 && memcmp(one, other, (size_t)n) != 0))
            return false;
    } while (n == PIECE);
    return n >= 0;
}

static bool is_same(int old, int new, const char *name, const struct stat *st)
{
    struct stat was;

    if (fstatat(old, name, &was, AT_SYMLINK_NOFOLLOW) < 0 || was.st_mode != st->st_mode ||
        (S_ISREG(st->st_mode) && was.st_size != st->st_size))
        return false;
    if (!S_ISREG(st->st_mode))
        return true;
    AUTO_CLOSE int a = openat(old, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    AUTO_CLOSE int b = openat(new, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    return a >= 0 && b >= 0 && same_content(a, b);
}

static void remove_any(int dirfd, const char *name)
{
    if (unlinkat(dirfd, name, 0) == 0 || errno == ENOENT)
        return;
    int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0) {
        (void)host_box_empty(fd);
        close(fd);
    }
    (void)unlinkat(dirfd, name, AT_REMOVEDIR);
}

/* Counts a file's bytes on disk, because the stand-in for a large file is only a hole. */
static bool far_mirror_count(struct merge *m, const struct stat *st)
{
    uint64_t size = (uint64_t)st->st_size, held = (uint64_t)st->st_blocks * 512;

    size = !S_ISREG(st->st_mode) ? 0 : size < held ? size : held;
    if (size > m->bytes_left)
        return false;
    m->bytes_left -= size;
    return true;
}

static bool merge_folder(struct merge *m, int old, int new, size_t path_n);

static bool merge_child(struct merge *m, int old, int new, const char *name, const struct stat *st,
                        size_t path_n)
{
    struct stat was;

    if (fstatat(old, name, &was, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(was.st_mode))
        remove_any(old, name);
    (void)mkdirat(old, name, 0700);
    (void)!fchmodat(old, name, st->st_mode & 07777, 0);
    AUTO_CLOSE int a = openat(old, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    AUTO_CLOSE int b = openat(new, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return a >= 0 && b >= 0 && merge_folder(m, a, b, path_n);
}

static bool merge_entry(struct merge *m, int old, int new, const char *name, size_t path_n)
{
    struct stat st;

    if (fstatat(new, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return false;
    if (S_ISDIR(st.st_mode))
        return merge_child(m, old, new, name, &st, path_n);
    if (!far_mirror_count(m, &st))
        return false;
    if (is_same(old, new, name, &st))
        return true;
    remove_any(old, name);
    return renameat(new, name, old, name) == 0;
}

/* Removes an entry that the guest no longer has. Every folder that it has is among the arrived
 * entries. */
static bool drop_old(struct merge *m, int old, int new, const char *name, const struct stat *st)
{
    struct stat there;

    if (fstatat(new, name, &there, AT_SYMLINK_NOFOLLOW) == 0)
        return true;
    if (S_ISREG(st->st_mode) && is_kept(m->kept, m->path))
        return far_mirror_count(m, st);
    remove_any(old, name);
    return true;
}

enum pass { DROP, TAKE };

static bool each(struct merge *m, enum pass pass, int old, int new, size_t path_n)
{
    int fd = openat(pass == DROP ? old : new, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *entry;
    bool good = dir != NULL;
    struct stat st;

    if (!dir && fd >= 0)
        close(fd);
    while (good && (entry = readdir(dir))) {
        const char *name = entry->d_name;
        size_t n = strlen(name), at = path_n ? path_n + 1 : 0;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        if (at + n >= sizeof m->path)
            good = false;
        if (!good)
            break;
        if (at)
            m->path[path_n] = '/';
        memcpy(m->path + at, name, n + 1);
        if (pass == TAKE)
            good = merge_entry(m, old, new, name, at + n);
        else if (fstatat(old, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
            good = drop_old(m, old, new, name, &st);
        m->path[path_n] = '\0';
    }
    if (dir)
        (void)closedir(dir);
    return good;
}

static bool merge_folder(struct merge *m, int old, int new, size_t path_n)
{
    return each(m, DROP, old, new, path_n) && each(m, TAKE, old, new, path_n);
}

int far_mirror_update(struct far_guest *guest, uint64_t max_bytes, struct err *err)
{
    struct merge merge = {.kept = &guest->kept, .bytes_left = max_bytes};

    if (guest->mirror.fd < 0) {
        guest->mirror = guest->arriving;
        guest->arriving = (struct far_folder){.fd = -1};
        return 0;
    }
    if (guest->kept.n)
        qsort(guest->kept.paths, guest->kept.n, sizeof *guest->kept.paths, by_text);
    if (merge_folder(&merge, guest->mirror.fd, guest->arriving.fd, 0))
        return 0;
    return err_set(err, ERR_GUEST, "the files that arrived contradict the previous ones");
}
