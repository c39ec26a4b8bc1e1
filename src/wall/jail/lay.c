/* SPDX-License-Identifier: Apache-2.0 */
#include "jail/lay.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/wire.h"

#define CHUNK 32768

const char *lay_path_problem(struct str path)
{
    struct str piece;

    if (!path.n)
        return "is empty";
    if (path.n > LAY_PATH_MAX)
        return "is longer than 4095 bytes";
    if (memchr(path.p, '\0', path.n))
        return "contains a NUL byte";
    if (path.p[0] == '/')
        return "is absolute; it must lie inside the workspace";
    while (str_next(&path, '/', &piece)) {
        if (!piece.n || str_is(piece, "."))
            return "has an empty component";
        if (str_is(piece, ".."))
            return "contains '..'; it must lie inside the workspace";
        if (piece.n > LAY_NAME_MAX)
            return "has a component longer than 255 bytes";
    }
    return NULL;
}

void lay_path_split(struct str path, struct str *ret_folder, struct str *ret_name)
{
    const char *slash = path.n ? memrchr(path.p, '/', path.n) : NULL;
    size_t at = slash ? (size_t)(slash - path.p) : 0;

    *ret_folder = str_slice(path, 0, at);
    *ret_name = slash ? str_slice(path, at + 1, path.n) : path;
}

void lay_place_init(struct lay_place *place, int root_fd)
{
    place->root_fd = root_fd;
    place->fd = -1;
    place->path_n = 0;
}

void lay_place_done(struct lay_place *place)
{
    fd_close(&place->fd);
    place->path_n = 0;
}

/* Opens a subfolder of *fd and stores it in *fd. Closes the old *fd unless it is the root. */
static int lay_step(const struct lay_place *place, int *fd, struct str piece, bool create)
{
    char name[LAY_NAME_MAX + 1];

    if (!piece.n || piece.n > LAY_NAME_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(name, piece.p, piece.n);
    name[piece.n] = '\0';
    if (create && mkdirat(*fd, name, 0777) < 0 && errno != EEXIST)
        return -1;
    /* O_DIRECTORY with O_NOFOLLOW: a link is ENOTDIR even when it points to a folder. */
    int next = openat(*fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (next < 0)
        return -1;
    if (*fd != place->root_fd)
        close(*fd);
    *fd = next;
    return 0;
}

int lay_place_open(struct lay_place *place, struct str folder, bool create)
{
    struct str rest = folder, piece;
    int fd = place->root_fd;

    if (!folder.n)
        return place->root_fd;
    if (place->fd >= 0 && str_eq(folder, (struct str){place->path, place->path_n}))
        return place->fd;
    lay_place_done(place);
    if (folder.n > LAY_PATH_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    while (str_next(&rest, '/', &piece)) {
        if (lay_step(place, &fd, piece, create) == 0)
            continue;
        if (fd != place->root_fd)
            fd_close(&fd);
        return -1;
    }
    memcpy(place->path, folder.p, folder.n);
    place->path_n = folder.n;
    return place->fd = fd;
}

struct record {
    uint32_t kind;
    uint32_t mode;
    uint64_t size;
    struct str path; /* in receiver.path */
};

struct receiver {
    int stream_fd;
    struct lay_place place;
    struct lay_limits limits;
    uint64_t bytes, entries;
    char path[LAY_PATH_MAX];
    char chunk[CHUNK];
};

static int receive(int fd, char *p, size_t n, struct err *err)
{
    ssize_t got = fd_read_exactly(fd, p, n);

    if (got < 0)
        return err_sys(err, "read the input files");
    return (size_t)got == n ? 0 : err_set(err, ERR_GUEST, "the input files ended in the middle");
}

static int read_record(struct receiver *r, struct record *ret, struct err *err)
{
    char raw[LAY_HEADER];

    if (receive(r->stream_fd, raw, sizeof raw, err) < 0)
        return -1;
    struct wire w = {.rest = {raw, sizeof raw}};
    ret->kind = wire_u32(&w);
    uint32_t path_len = wire_u32(&w);
    ret->mode = wire_u32(&w);
    ret->size = wire_u64(&w);
    if (ret->kind != LAY_FILE && ret->kind != LAY_DIR && ret->kind != LAY_END)
        return err_set(err, ERR_GUEST, "input files: unknown record %#x", ret->kind);
    if (ret->kind == LAY_END)
        return path_len || ret->size != r->entries
                   ? err_set(err, ERR_GUEST, "input files: the end record does not match the files")
                   : 0;
    if (path_len > sizeof r->path)
        return err_set(err, ERR_GUEST, "input files: a path has %u bytes", path_len);
    if (receive(r->stream_fd, r->path, path_len, err) < 0)
        return -1;
    ret->path = (struct str){r->path, path_len};
    const char *problem = lay_path_problem(ret->path);
    if (problem)
        return err_set(err, ERR_GUEST, "input files: a path %s", problem);
    return ret->kind == LAY_DIR && ret->size
               ? err_set(err, ERR_GUEST, "input files: a folder has content")
               : 0;
}

static int count(struct receiver *r, const struct record *record, struct err *err)
{
    r->entries++;
    if (r->limits.max_entries && r->entries > r->limits.max_entries)
        return err_set(err, ERR_LIMIT, "there are more than %llu input files and folders",
                       (unsigned long long)r->limits.max_entries);
    if (r->limits.max_bytes && record->size > r->limits.max_bytes - r->bytes)
        return err_set(err, ERR_LIMIT, "the files take more than %llu bytes",
                       (unsigned long long)r->limits.max_bytes);
    r->bytes += record->size;
    return 0;
}

/* Opens the record's parent folder, and copies its name as a C string. */
static int open_parent(struct receiver *r, const struct record *record,
                       char ret_name[LAY_NAME_MAX + 1], struct err *err)
{
    struct str folder, name;

    lay_path_split(record->path, &folder, &name);
    memcpy(ret_name, name.p, name.n);
    ret_name[name.n] = '\0';
    int dirfd = lay_place_open(&r->place, folder, true);
    return dirfd < 0 ? err_sys(err, "make the folder of input file %s", ret_name) : dirfd;
}

static int make_folder(struct receiver *r, const struct record *record, struct err *err)
{
    struct stat st;
    char name[LAY_NAME_MAX + 1];
    int parent = open_parent(r, record, name, err);

    if (parent < 0)
        return -1;
    if (mkdirat(parent, name, 0700) < 0 && errno != EEXIST)
        return err_sys(err, "make input folder %s", name);
    if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return err_sys(err, "make input folder %s", name);
    if (!S_ISDIR(st.st_mode))
        return err_set(err, ERR_GUEST, "input folder %s: there is a file of that name", name);
    /* No other process is in this folder yet, so the entry is still a folder. */
    if (fchmodat(parent, name, (record->mode & 0777) | 0700, 0) < 0)
        return err_sys(err, "make input folder %s", name);
    return 0;
}

static int copy_content(struct receiver *r, int fd, uint64_t size, struct err *err)
{
    while (size) {
        size_t n = size < CHUNK ? (size_t)size : CHUNK;
        if (receive(r->stream_fd, r->chunk, n, err) < 0)
            return -1;
        if (fd_write_all(fd, r->chunk, n) < 0)
            return err_sys(err, "write an input file");
        size -= n;
    }
    return 0;
}

static int make_file(struct receiver *r, const struct record *record, struct err *err)
{
    char name[LAY_NAME_MAX + 1];
    int parent = open_parent(r, record, name, err);

    if (parent < 0)
        return -1;
    AUTO_CLOSE int fd =
        openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return err_sys(err, "make input file %s", name);
    if (copy_content(r, fd, record->size, err) < 0)
        return err_wrap(err, "input file %s", name);
    if (fchmod(fd, record->mode & 0777) < 0)
        return err_sys(err, "set the mode of input file %s", name);
    return 0;
}

static int receive_all(struct receiver *r, struct err *err)
{
    for (;;) {
        struct record record;
        if (read_record(r, &record, err) < 0)
            return -1;
        if (record.kind == LAY_END)
            return 0;
        if (count(r, &record, err) < 0)
            return -1;
        int made =
            record.kind == LAY_DIR ? make_folder(r, &record, err) : make_file(r, &record, err);
        if (made < 0)
            return -1;
    }
}

int lay_receive(int stream_fd, int work_dirfd, struct lay_limits limits, struct err *err)
{
    struct receiver r;

    r.stream_fd = stream_fd;
    r.limits = limits;
    r.bytes = r.entries = 0;
    lay_place_init(&r.place, work_dirfd);
    int result = receive_all(&r, err);
    if (result < 0 && err->sys == ENOSPC) {
        err_set(err, ERR_LIMIT, "the input files do not fit into the workspace's limits");
        err->sys = ENOSPC;
    }
    lay_place_done(&r.place);
    return result;
}
