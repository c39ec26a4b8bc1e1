/* SPDX-License-Identifier: Apache-2.0
 *
 * A hash of a guest's disk, from outside. Everything on it is hostile: no link is followed, and
 * only regular files are opened. The order of a folder's entries is part of the hash: in a tmpfs it
 * does not change by itself.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/local_seal.h"
#include "base/fd.h"

#define DEPTH_MAX  200 /* the maximum depth of a copy (inside/copy.c) */
#define PIECE      (64 << 10)
#define TARGET_MAX 4096

static int sum_folder(struct sha256 *h, int folder, int depth);

static int sum_bytes(struct sha256 *h, int fd, off_t at, off_t end)
{
    char piece[PIECE];

    sha256_add(h, &at, sizeof at);
    while (at < end) {
        ssize_t n = pread(fd, piece, (size_t)(end - at < PIECE ? end - at : PIECE), at);
        if (n <= 0)
            return n < 0 ? -1 : 0;
        sha256_add(h, piece, (size_t)n);
        at += n;
    }
    return 0;
}

static int sum_content(struct sha256 *h, int fd, off_t size)
{
    off_t at = 0;

    while (at < size) {
        off_t data = lseek(fd, at, SEEK_DATA);
        if (data < 0)
            return errno == ENXIO ? 0 : -1; /* the rest is a hole */
        off_t hole = lseek(fd, data, SEEK_HOLE);
        at = hole < 0 || hole > size ? size : hole;
        if (sum_bytes(h, fd, data, at) < 0)
            return -1;
    }
    return 0;
}

/* Opens without changing the access time, which the guest's programs see. */
static int open_quietly(int folder, const char *name, int flags)
{
    int fd = openat(folder, name, flags | O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOATIME);

    return fd < 0 && errno == EPERM ? openat(folder, name, flags | O_NOFOLLOW | O_CLOEXEC) : fd;
}

/* Adds the attributes, except for the access time, and for st_blocks, which may change with another
 * file. */
static void sum_attributes(struct sha256 *h, const char *name, const struct stat *st)
{
    const uint64_t numbers[] = {
        st->st_ino,
        st->st_mode,
        st->st_nlink,
        st->st_uid,
        st->st_gid,
        st->st_rdev,
        (uint64_t)st->st_size,
        (uint64_t)st->st_mtim.tv_sec,
        (uint64_t)st->st_mtim.tv_nsec,
        (uint64_t)st->st_ctim.tv_sec,
        (uint64_t)st->st_ctim.tv_nsec,
    };

    sha256_add(h, name, strlen(name) + 1);
    sha256_add(h, numbers, sizeof numbers);
}

static int sum_link(struct sha256 *h, int folder, const char *name)
{
    char target[TARGET_MAX];
    ssize_t n = readlinkat(folder, name, target, sizeof target);

    if (n > 0)
        sha256_add(h, target, (size_t)n);
    return n < 0 ? -1 : 0;
}

/* Adds an entry. A file that its owner may not read is not read: no process can have changed it
 * without a change of its attributes. */
static int sum_entry(struct sha256 *h, int folder, const char *name, int depth)
{
    struct stat st;

    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return -1;
    sum_attributes(h, name, &st);
    if (S_ISLNK(st.st_mode))
        return sum_link(h, folder, name);
    if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return 0;
    AUTO_CLOSE int fd = open_quietly(folder, name, S_ISDIR(st.st_mode) ? O_DIRECTORY : O_NONBLOCK);
    if (fd < 0)
        return errno == EACCES ? 0 : -1;
    return S_ISDIR(st.st_mode) ? sum_folder(h, fd, depth + 1) : sum_content(h, fd, st.st_size);
}

static int sum_folder(struct sha256 *h, int folder, int depth)
{
    int own = depth > DEPTH_MAX ? -1 : fcntl(folder, F_DUPFD_CLOEXEC, 0), result = 0;
    DIR *dir = own < 0 ? NULL : fdopendir(own);

    if (!dir) {
        fd_close(&own);
        return -1;
    }
    for (struct dirent *e; result == 0 && (e = readdir(dir));) /* NOLINT: one thread reads it */
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            result = sum_entry(h, folder, e->d_name, depth);
    closedir(dir);
    sha256_add(h, "/", 1);
    return result;
}

int box_sum(int box, char ret[SHA256_HEX])
{
    struct sha256 h;
    AUTO_CLOSE int root = open_quietly(box, ".", O_DIRECTORY);

    sha256_init(&h);
    if (root < 0 || sum_folder(&h, root, 0) < 0)
        return -1;
    sha256_hex(&h, ret);
    return 0;
}
