/* SPDX-License-Identifier: Apache-2.0
 *
 * An interpreter's prefix has tens of thousands of files, and searching them takes longer than the
 * run. They are packages and rarely change, so the search is not repeated each time: a file of the
 * user, the stamp (spec_op.text), has a title and the names of the first STAMP_FOLDERS folders,
 * breadth first. It is valid for STAMP_S, while none of these folders was changed after the search
 * began; adding a name changes a folder.
 */
#include "inside/look.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/str.h"

enum { STAMP_S = 3600, STAMP_FOLDERS = 256, STAMP_BYTES_MAX = 1 << 20, WAIT_MS_MAX = 20000 };

struct look_ends {
    int64_t cpu_ms, wall_ms;
};

struct look {
    const struct spec_op *op;
    struct finds *finds;
    int top;
    dev_t device;
    char **folders; /* relative to top, "" is top itself; each was or will be searched */
    size_t count, size;
    unsigned entries;
    const struct look_ends *ends;
};

static int too_much(const struct look *l, const char *why, struct err *err)
{
    return err_set(err, ERR_LIMIT,
                   "%s cannot be shown: it was searched for sockets and named pipes, and %s; "
                   "show a smaller folder",
                   l->op->src, why);
}

static char *look_join(const char *folder, const char *name)
{
    return *folder ? xasprintf("%s/%s", folder, name) : xstrdup(name);
}

static int look_add(struct look *l, struct found found, struct err *err)
{
    struct finds *f = l->finds;

    if (f->count == LOOK_FOUND_MAX) {
        free(found.path);
        return too_much(l, "it has more than 512 of them", err);
    }
    f->list = xrealloc_array(f->list, f->count + 1, sizeof *f->list);
    f->list[f->count++] = found;
    return 0;
}

static int add_found(struct look *l, char *path, mode_t type, struct err *err)
{
    return look_add(l, (struct found){.op = l->op, .path = path, .type = type}, err);
}

/* Adds a folder in which a path is too long for a system call. */
static int add_deep(struct look *l, const char *folder, struct err *err)
{
    const struct finds *f = l->finds;

    if (f->count && f->list[f->count - 1].deep && strcmp(f->list[f->count - 1].path, folder) == 0)
        return 0;
    return look_add(l, (struct found){.op = l->op, .path = xstrdup(folder), S_IFDIR, true}, err);
}

static void add_folder(struct look *l, char *path)
{
    if (l->count == l->size) {
        l->size = l->size ? l->size * 2 : 64;
        l->folders = xrealloc_array(l->folders, l->size, sizeof *l->folders);
    }
    l->folders[l->count++] = path;
}

/* Returns 0 if the entry was removed meanwhile. */
static mode_t look_type_of(int folder, const struct dirent *entry)
{
    struct stat st;

    if (entry->d_type != DT_UNKNOWN)
        return DTTOIF(entry->d_type);
    return fstatat(folder, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ? 0 : st.st_mode & S_IFMT;
}

static int look_note(struct look *l, int fd, const char *folder, const struct dirent *entry,
                     struct err *err)
{
    mode_t type = look_type_of(fd, entry);

    if (++l->entries > LOOK_ENTRIES_MAX)
        return too_much(l, "it has more than 2000000 files", err);
    if (!type || type == S_IFREG || type == S_IFLNK || strcmp(entry->d_name, ".") == 0 ||
        strcmp(entry->d_name, "..") == 0)
        return 0;
    if ((type == S_IFCHR || type == S_IFBLK) && l->finds->has_device)
        return 0;
    l->finds->has_device |= type == S_IFCHR || type == S_IFBLK;
    if (strlen(folder) + 1 + strlen(entry->d_name) >= PATH_MAX)
        return add_deep(l, folder, err);
    if (type != S_IFDIR)
        return add_found(l, look_join(folder, entry->d_name), type, err);
    add_folder(l, look_join(folder, entry->d_name));
    return 0;
}

/* True for a mounted /proc or /sys: they have no sockets or pipes, but very many files. */
static bool is_kernels(const struct look *l, int fd)
{
    struct stat st;
    struct statfs fs;

    if (fstat(fd, &st) < 0 || st.st_dev == l->device || fstatfs(fd, &fs) < 0)
        return false;
    return fs.f_type == PROC_SUPER_MAGIC || fs.f_type == SYSFS_MAGIC;
}

static int cannot_look(const struct look *l, const char *folder, struct err *err)
{
    return err_sys(err, "look through %s/%s", l->op->src, folder);
}

static int note_all(struct look *l, DIR *dir, const char *folder, struct err *err)
{
    struct dirent *entry;
    int result = 0;

    while (result == 0 && (errno = 0, entry = readdir(dir)))
        result = look_note(l, dirfd(dir), folder, entry, err);
    return result == 0 && errno ? cannot_look(l, folder, err) : result;
}

static int64_t look_cpu_ms(void)
{
    struct timespec used = {0};

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (int64_t)used.tv_sec * 1000 + used.tv_nsec / 1000000;
}

static int look_at_folder(struct look *l, const char *folder, struct err *err)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    AUTO_CLOSE int fd = openat(l->top, *folder ? folder : ".", flags);

    if (fd < 0 && errno == EACCES && *folder)
        return add_found(l, xstrdup(folder), S_IFDIR, err);
    if (fd < 0 && errno == EACCES)
        return err_set(err, ERR_USAGE,
                       "%s cannot be shown: it cannot be searched for sockets and named pipes, "
                       "because it may not be listed; show a readable folder in it",
                       l->op->src);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP))
        return 0; /* it was removed meanwhile */
    if (fd < 0)
        return cannot_look(l, folder, err);
    if (look_cpu_ms() > l->ends->cpu_ms)
        return too_much(l, "that took more than 20 s of processor time", err);
    if (clock_mono_ms() > l->ends->wall_ms)
        return too_much(l, "that took more than 2 minutes", err);
    if (is_kernels(l, fd))
        return 0;
    DIR *dir = fdopendir(fd);
    if (!dir)
        return cannot_look(l, folder, err);
    (void)fd_take(&fd);
    int result = note_all(l, dir, folder, err);
    closedir(dir);
    return result;
}

/* ---- the stamp ---- */

/* The kernel's clock for file times has steps of several milliseconds. */
static bool is_older(const struct timespec *a, const struct timespec *b)
{
    const int64_t coarse_ms = 20;

    return (a->tv_sec - b->tv_sec) * 1000 + (a->tv_nsec - b->tv_nsec) / 1000000 < -coarse_ms;
}

static bool is_unchanged(int top, const char *folder, const struct timespec *since)
{
    struct stat st;

    return fstatat(top, *folder ? folder : ".", &st, AT_SYMLINK_NOFOLLOW) == 0 &&
           is_older(&st.st_ctim, since);
}

/* The start of the stamp: the searched folder, and the first line of the list, the folder "". */
static char *stamp_title(const struct look *l)
{
    return xasprintf("looked through %s\n\n", l->op->src);
}

static bool is_fresh(const struct stat *st)
{
    int64_t age_s = time(NULL) - st->st_mtim.tv_sec;

    return S_ISREG(st->st_mode) && st->st_uid == geteuid() && age_s >= 0 && age_s <= STAMP_S;
}

/* The stamp has one folder on a line. A name with a line break becomes a folder that does not
 * exist, so the stamp is invalid. O_NONBLOCK: any type of file may be there, such as a pipe. */
static bool stamp_counts(const struct look *l)
{
    AUTO_CLOSE int fd = open(l->op->text.p, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    AUTO_FREE char *title = stamp_title(l);
    AUTO_BUF struct buf text = {0};
    struct str rest, line;
    struct stat st;

    buf_init(&text, STAMP_BYTES_MAX);
    if (fd < 0 || fstat(fd, &st) < 0 || !is_fresh(&st) || fd_read_all(fd, &text) < 0 ||
        !str_starts(buf_str(&text), title))
        return false;
    rest = buf_str(&text);
    rest = str_slice(rest, strlen(title) - 1, rest.n); /* with the first folder's line break */
    while (str_next_line(&rest, &line)) {
        AUTO_FREE char *folder = xstrndup(line.p, line.n);
        if (!is_unchanged(l->top, folder, &st.st_mtim))
            return false;
    }
    return true;
}

/* Writes the stamp of a folder in which nothing was found. Writes none if the user's folder for
 * stamps does not exist. */
static void stamp_write(const struct look *l, const struct timespec *begin)
{
    const struct timespec times[2] = {*begin, *begin};
    AUTO_FREE char *fresh = xasprintf("%s.%d", l->op->text.p, (int)getpid());
    AUTO_FREE char *title = stamp_title(l);
    AUTO_CLOSE int fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    AUTO_BUF struct buf text = {0};

    if (fd < 0)
        return;
    buf_init(&text, STAMP_BYTES_MAX);
    (void)buf_add_str(&text, str_from(title));
    for (size_t i = 1; i < l->count && i < STAMP_FOLDERS; i++)
        (void)buf_addf(&text, "%s\n", l->folders[i]);
    if (text.overflow || fd_write_all(fd, text.p, text.n) < 0 || futimens(fd, times) < 0 ||
        rename(fresh, l->op->text.p) < 0)
        (void)unlink(fresh);
}

/* Opens the user's folder for stamps; -1 if there is none. */
static int open_stamps(const char *stamp)
{
    size_t n = strlen(stamp) - strlen(str_after_last(stamp, '/'));
    AUTO_FREE char *folder = xstrndup(stamp, n);

    return open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Many first runs at once would each search the same prefix, and take the processors from each
 * other. So the first one locks the folder of the stamps while it searches, and the others wait:
 * true if this process did, and the stamp may be there. */
static bool waited_for_another(int stamps)
{
    const struct timespec step = {.tv_nsec = 10 * 1000 * 1000};
    int64_t end_ms = clock_mono_ms() + WAIT_MS_MAX;

    if (stamps < 0 || flock(stamps, LOCK_EX | LOCK_NB) == 0)
        return false;
    while (flock(stamps, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK && clock_mono_ms() < end_ms)
        nanosleep(&step, NULL);
    (void)flock(stamps, LOCK_UN);
    return true;
}

/* ---- all ---- */

static int look_below(struct look *l, struct err *err)
{
    int result = 0;

    add_folder(l, xstrdup(""));
    for (size_t i = 0; i < l->count && result == 0; i++)
        result = look_at_folder(l, l->folders[i], err);
    return result;
}

static int look_one(const struct spec_op *op, const struct look_ends *ends, struct finds *finds,
                    struct err *err)
{
    AUTO_CLOSE int top = open(op->src, O_PATH | O_DIRECTORY | O_CLOEXEC);
    struct look l = {.op = op, .finds = finds, .top = top, .ends = ends};
    size_t before = finds->count;
    struct timespec begin;
    struct stat st;

    if (top < 0 || fstat(top, &st) < 0)
        return 0; /* a file, or a path that cannot be shown either */
    l.device = st.st_dev;
    if (op->text.n && stamp_counts(&l))
        return 0;
    AUTO_CLOSE int stamps = op->text.n ? open_stamps(op->text.p) : -1;
    if (waited_for_another(stamps) && stamp_counts(&l))
        return 0;
    (void)clock_gettime(CLOCK_REALTIME, &begin);
    int result = look_below(&l, err);
    if (result == 0 && op->text.n && finds->count == before)
        stamp_write(&l, &begin);
    for (size_t i = 0; i < l.count; i++)
        free(l.folders[i]);
    free(l.folders);
    return result;
}

int look_through(const struct jail_spec *spec, struct finds *ret, struct err *err)
{
    const struct look_ends ends = {look_cpu_ms() + LOOK_CPU_MS_MAX,
                                   clock_mono_ms() + LOOK_WALL_MS_MAX};

    for (size_t i = 0; i < spec->op_count; i++)
        if (spec->ops[i].look && look_one(&spec->ops[i], &ends, ret, err) < 0)
            return -1;
    return 0;
}

int look_refuse(const struct finds *finds, struct err *err)
{
    for (size_t i = 0; i < finds->count; i++) {
        const struct found *f = &finds->list[i];
        if (f->deep)
            return err_set(err, ERR_UNSUPPORTED,
                           "%s cannot be shown: paths below %.100s... are too long to be searched, "
                           "and only a private root can cover them",
                           f->op->src, f->path);
        if (f->type == S_IFDIR || f->type == S_IFSOCK)
            continue;
        return err_set(err, ERR_UNSUPPORTED,
                       "%s cannot be shown: %s in it is a %s, and only a private root can cover it",
                       f->op->src, f->path, f->type == S_IFIFO ? "named pipe" : "device");
    }
    return 0;
}
