/* SPDX-License-Identifier: Apache-2.0
 *
 * A fork's open files. It has those of the origin: the same descriptions, with one position for
 * both, of files on the origin's disk. Each gets a description of its own, at the same number, with
 * the same flags and position. It is opened by its name in the fork's jail, and so is the fork's
 * copy, or the same file of the read-only root. The origin's file itself is never used: a folder in
 * the origin's mounts would lead to the origin's disk by "..". Descriptors that lead to other
 * processes (pipes, sockets, event counters, watchers) become dead ends, of the same type where
 * possible.
 */
#include "inside/inside.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/num.h"

#define KEPT_FLAGS (O_APPEND | O_NONBLOCK)
#define MEMORY_DEV 1 /* the major number of null, zero, random... */

struct file {
    int number;
    char self[64];   /* its path below /proc */
    char path[4096]; /* the target of that link, as the kernel writes it */
    struct stat st;
    int flags;
    off_t position;
};

/* ---- the open file ---- */

static int64_t files_field(const char *info, const char *name, bool octal)
{
    const char *at = strstr(info, name);
    int64_t value = 0;

    if (!at)
        return 0;
    for (at += strlen(name); *at == ' ' || *at == '\t'; at++)
        ;
    for (int base = octal ? 8 : 10; *at >= '0' && *at < '0' + base; at++)
        value = value * base + (*at - '0');
    return value;
}

static int files_look(pid_t pid, int number, struct file *ret)
{
    char info[1024], path[64];

    ret->number = number;
    snprintf(ret->self, sizeof ret->self, "/proc/%d/fd/%d", (int)pid, number);
    snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", (int)pid, number);
    ssize_t n = readlink(ret->self, ret->path, sizeof ret->path - 1);
    if (n < 0 || stat(ret->self, &ret->st) < 0 ||
        fd_read_file_at(AT_FDCWD, path, info, sizeof info) < 0)
        return -1;
    ret->path[n] = '\0';
    ret->flags = (int)files_field(info, "flags:", true);
    ret->position = files_field(info, "pos:", false);
    return 0;
}

/* ---- its replacement ---- */

struct how {
    uint64_t flags, mode, resolve;
};
#define RESOLVE_BELOW (0x08 | 0x04) /* RESOLVE_BENEATH, RESOLVE_NO_SYMLINKS */

static uint64_t open_flags(const struct file *f)
{
    if (S_ISDIR(f->st.st_mode))
        return O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    if (f->flags & O_PATH) /* the gate can put no O_PATH descriptor into a process */
        return O_RDONLY | O_NONBLOCK | O_CLOEXEC;
    return (uint64_t)(f->flags & (O_ACCMODE | O_APPEND)) | O_NONBLOCK | O_CLOEXEC;
}

/* Opens the file of the same name in here. The kernel wrote the path, so it had no links; if it has
 * one by now, the open fails. Paths in /proc/1 are refused: in here they are our own. */
static int open_same(const struct file *f)
{
    AUTO_CLOSE int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    struct how how = {.flags = open_flags(f), .resolve = RESOLVE_BELOW};
    struct stat st;

    if (f->path[0] != '/' || strncmp(f->path, "/proc/1/", 8) == 0)
        return -1;
    const char *path = f->path[1] ? f->path + 1 : ".";
    AUTO_CLOSE int fd = (int)syscall(437, root, path, &how, sizeof how); /* openat2 */
    if (fd < 0 || fstat(fd, &st) < 0 || (st.st_mode & S_IFMT) != (f->st.st_mode & S_IFMT) ||
        st.st_rdev != f->st.st_rdev)
        return -1;
    return fd_take(&fd);
}

/* Files without a name that were copied: a process with several descriptors of one gets one copy.
 */
struct nameless {
    dev_t dev;
    ino_t ino;
    int fd;
};
#define NAMELESS_MAX 64
static struct nameless copies[NAMELESS_MAX];
static size_t copy_count;

static int find_copied(const struct file *f)
{
    for (size_t i = 0; i < copy_count; i++)
        if (copies[i].dev == f->st.st_dev && copies[i].ino == f->st.st_ino)
            return copies[i].fd;
    return -1;
}

/* Copies a file that has no name any more. */
static int copy_nameless(const struct file *f, bool in_memory)
{
    AUTO_CLOSE int from = open(f->self, O_RDONLY | O_CLOEXEC);
    AUTO_CLOSE int to = in_memory ? memfd_create("copy", MFD_CLOEXEC)
                                  : open("/box/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    if (copy_count == NAMELESS_MAX || from < 0 || to < 0 ||
        copy_content(from, to, f->st.st_size) < 0)
        return -1;
    copies[copy_count++] = (struct nameless){f->st.st_dev, f->st.st_ino, to};
    return fd_take(&to);
}

static int open_nameless(const struct file *f, bool in_memory)
{
    char path[64];
    int copy = find_copied(f);

    if (copy < 0)
        copy = copy_nameless(f, in_memory);
    if (copy < 0)
        return -1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", copy);
    return open(path, (f->flags & (O_ACCMODE | O_APPEND)) | O_CLOEXEC);
}

static int open_regular(const struct file *f, dev_t box)
{
    if (f->st.st_dev == box && !f->st.st_nlink)
        return open_nameless(f, false);
    if (f->st.st_dev != box && strncmp(f->path, "/memfd:", 7) == 0)
        return open_nameless(f, true);
    return open_same(f);
}

static int dead_pipe(const struct file *f)
{
    int ends[2];
    bool reads = (f->flags & O_ACCMODE) == O_RDONLY;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    close(ends[reads]);
    return ends[!reads];
}

static int dead_socket(void)
{
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return -1;
    close(ends[1]);
    return ends[0];
}

static int dead_end(const struct file *f)
{
    if (S_ISFIFO(f->st.st_mode))
        return dead_pipe(f);
    if (strcmp(f->path, "anon_inode:[eventpoll]") == 0)
        return epoll_create1(EPOLL_CLOEXEC);
    if (strcmp(f->path, "anon_inode:[eventfd]") == 0)
        return eventfd(0, EFD_CLOEXEC);
    return dead_socket();
}

static int open_anew(const struct file *f, dev_t box)
{
    int fd = -1;

    if (S_ISREG(f->st.st_mode))
        fd = open_regular(f, box);
    else if (S_ISDIR(f->st.st_mode) ||
             (S_ISCHR(f->st.st_mode) && major(f->st.st_rdev) == MEMORY_DEV))
        fd = open_same(f);
    if (fd < 0)
        return dead_end(f);
    if (!(f->flags & O_PATH)) {
        (void)lseek(fd, f->position, SEEK_SET);
        (void)fcntl(fd, F_SETFL, f->flags & KEPT_FLAGS);
    }
    return fd;
}

static bool is_given(const struct reopening *r, int64_t number)
{
    for (size_t i = 0; i < r->given_count; i++)
        if (r->given[i] == number)
            return true;
    return false;
}

int reopen_files(const struct reopening *r, pid_t pid, struct err *err)
{
    char path[64];
    struct stat box;
    struct dirent *entry;
    int64_t number;
    int result = 0;

    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *dir = fstat(r->origin_box, &box) < 0 ? NULL : opendir(path);
    if (!dir)
        return err_sys(err, "look at the fork's open files");
    while (result == 0 && (entry = readdir(dir))) {
        struct file f = {0};
        if (!num_int64(str_from(entry->d_name), &number) || is_given(r, number))
            continue;
        /* A file that cannot be inspected becomes a dead end, as an unknown one does. */
        AUTO_CLOSE int fd =
            files_look(pid, (int)number, &f) < 0 ? dead_socket() : open_anew(&f, box.st_dev);
        struct new_fd new = {
            .number = (int)number, .fd = fd, .cloexec = (f.flags & O_CLOEXEC) != 0};
        result = fd < 0 ? -1 : r->put(r->ctx, &new);
    }
    closedir(dir);
    while (copy_count)
        close(copies[--copy_count].fd);
    return result < 0 ? err_sys(err, "open the fork's files again") : 0;
}
