/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies a box into another. Everything in it is hostile: the depth, the names, and changes during
 * the copy (the origin may have processes that continue). Entries are opened below descriptors,
 * never by following a link. Of a file that grows meanwhile, we copy as many bytes as it had when
 * we looked.
 */
#include "inside/inside.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"

#define DEPTH_MAX 200
#define PIECE     (128 << 10)

static int copy_folder(int from, int to, int depth, struct err *err);

static int set_times(int fd, const char *name, const struct stat *st)
{
    struct timespec times[] = {st->st_atim, st->st_mtim};

    return utimensat(fd, name, times, AT_SYMLINK_NOFOLLOW);
}

/* Copies the bytes from `at` to `end`, in which there is no hole. */
static int copy_bytes(int from, int to, off_t at, off_t end)
{
    static char piece[PIECE];

    while (at < end) {
        size_t want = (size_t)(end - at < PIECE ? end - at : PIECE);
        ssize_t got = pread(from, piece, want, at);
        if (got <= 0)
            return got < 0 ? -1 : 0;
        if (pwrite(to, piece, (size_t)got, at) != got)
            return -1;
        at += got;
    }
    return 0;
}

int copy_content(int from, int to, off_t size)
{
    off_t at = 0;

    if (ftruncate(to, size) < 0)
        return -1;
    while (at < size) {
        off_t data = lseek(from, at, SEEK_DATA);
        if (data < 0)
            return errno == ENXIO ? 0 : -1; /* the rest is a hole */
        off_t hole = lseek(from, data, SEEK_HOLE);
        if (copy_bytes(from, to, data, hole < 0 || hole > size ? size : hole) < 0)
            return -1;
        at = hole < 0 ? size : hole;
    }
    return 0;
}

static int copy_file(int from, int to, const char *name, const struct stat *st)
{
    struct stat opened;
    AUTO_CLOSE int in = openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (in < 0)
        return errno == ENOENT || errno == ELOOP || errno == ENXIO ? 0 : -1; /* it was removed */
    if (fstat(in, &opened) < 0 || !S_ISREG(opened.st_mode))
        return 0; /* another type of file has the name now */
    AUTO_CLOSE int out = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (out < 0 && errno == EEXIST)
        return 0; /* listed twice: it was renamed meanwhile */
    if (out < 0 || copy_content(in, out, opened.st_size) < 0 || fchmod(out, st->st_mode & 0777) < 0)
        return -1;
    return set_times(to, name, st);
}

static int copy_link(int from, int to, const char *name)
{
    char target[PATH_MAX + 1];
    ssize_t n = readlinkat(from, name, target, sizeof target - 1);

    if (n < 0)
        return errno == ENOENT || errno == EINVAL ? 0 : -1;
    target[n] = '\0';
    return symlinkat(target, to, name) < 0 && errno != EEXIST ? -1 : 0;
}

static int copy_subfolder(int from, int to, const char *name, const struct stat *st, int depth,
                          struct err *err)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    AUTO_CLOSE int in = openat(from, name, flags);

    if (in < 0)
        return errno == ENOENT || errno == ENOTDIR || errno == ELOOP
                   ? 0
                   : err_sys(err, "open a folder to copy it");
    if (mkdirat(to, name, 0700) < 0)
        return errno == EEXIST ? 0 : err_sys(err, "copy a folder");
    AUTO_CLOSE int out = openat(to, name, flags);
    if (out < 0)
        return err_sys(err, "copy a folder");
    if (copy_folder(in, out, depth + 1, err) < 0)
        return -1;
    if (fchmod(out, st->st_mode & 01777) < 0 || set_times(to, name, st) < 0)
        return err_sys(err, "copy a folder");
    return 0;
}

static int copy_entry(int from, int to, const char *name, int depth, struct err *err)
{
    struct stat st;
    int result = 0;

    if (fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? 0 : err_sys(err, "look at a file to copy it");
    if (S_ISDIR(st.st_mode))
        return copy_subfolder(from, to, name, &st, depth, err);
    if (S_ISREG(st.st_mode))
        result = copy_file(from, to, name, &st);
    else if (S_ISLNK(st.st_mode))
        result = copy_link(from, to, name);
    else if (S_ISFIFO(st.st_mode))
        result = mkfifoat(to, name, st.st_mode & 0777) < 0 && errno != EEXIST ? -1 : 0;
    return result < 0 ? err_sys(err, "copy a file of the session") : 0;
}

/* Opens the folder anew: a duplicated descriptor would share its position in the list. */
static int copy_folder(int from, int to, int depth, struct err *err)
{
    int list = depth < DEPTH_MAX ? openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    struct dirent *entry;
    int result = 0;

    if (depth >= DEPTH_MAX)
        return err_set(err, ERR_LIMIT, "its folders are nested more than %d deep", DEPTH_MAX);
    DIR *dir = list < 0 ? NULL : fdopendir(list);
    if (!dir)
        return err_sys(err, "list a folder to copy it");
    while (result == 0 && (entry = readdir(dir))) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            result = copy_entry(from, to, entry->d_name, depth, err);
    }
    closedir(dir);
    return result;
}

int copy_tree(int from, int to, struct err *err)
{
    return copy_folder(from, to, 0, err);
}

int copy_box(int from, int to, struct err *err)
{
    static const char *const places[] = {"work", "tmp", "shm"};
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int result = 0;

    for (size_t i = 0; i < ARRAY_LEN(places) && result == 0; i++) {
        AUTO_CLOSE int in = openat(from, places[i], flags);
        AUTO_CLOSE int out = openat(to, places[i], flags);
        if (in < 0 || out < 0)
            return err_sys(err, "open the session's files to copy them");
        result = copy_folder(in, out, 0, err);
    }
    return result;
}
