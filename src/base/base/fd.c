/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

void fd_close(int *fd)
{
    int saved = errno;

    if (*fd >= 0)
        close(*fd);
    *fd = -1;
    errno = saved;
}

int fd_take(int *fd)
{
    int taken = *fd;

    *fd = -1;
    return taken;
}

int fd_write_all(int fd, const void *p, size_t n)
{
    const char *at = p;

    while (n) {
        ssize_t done = write(fd, at, n);
        if (done >= 0) {
            at += done;
            n -= (size_t)done;
        } else if (errno == EAGAIN) {
            struct pollfd wait = {.fd = fd, .events = POLLOUT};
            (void)poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            return -1;
        }
    }
    return 0;
}

void fd_quiet_begin(struct fd_quiet *quiet)
{
    sigset_t broken, waiting;

    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    sigpending(&waiting);
    quiet->was_waiting = sigismember(&waiting, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &broken, &quiet->before);
}

void fd_quiet_end(const struct fd_quiet *quiet)
{
    const struct timespec now = {0};
    sigset_t broken;
    int error = errno;

    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    if (!quiet->was_waiting)
        (void)sigtimedwait(&broken, NULL, &now);
    pthread_sigmask(SIG_SETMASK, &quiet->before, NULL);
    errno = error;
}

ssize_t fd_read_exactly(int fd, void *p, size_t n)
{
    size_t have = 0;

    while (have < n) {
        ssize_t got = read(fd, (char *)p + have, n - have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        have += (size_t)got;
    }
    return (ssize_t)have;
}

int fd_read_all(int fd, struct buf *b)
{
    for (;;) {
        char chunk[65536];
        ssize_t got = read(fd, chunk, sizeof chunk);
        if (got == 0)
            return 0;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (buf_add(b, chunk, (size_t)got) < 0) {
            errno = EFBIG;
            return -1;
        }
    }
}

/* True for a pipe that this process was given, as the shell's `<(command)` does: another process is
 * writing to it, so a read may wait. */
static bool is_given_pipe(const char *path, mode_t mode)
{
    return S_ISFIFO(mode) && (strncmp(path, "/dev/fd/", strlen("/dev/fd/")) == 0 ||
                              strncmp(path, "/proc/self/fd/", strlen("/proc/self/fd/")) == 0);
}

int fd_read_file(const char *path, struct buf *b, struct err *err)
{
    struct stat st;
    /* O_NONBLOCK so that a FIFO cannot hang the open. */
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    if (fd < 0)
        return err_sys(err, "read %s", path);
    if (fstat(fd, &st) < 0)
        return err_sys(err, "read %s", path);
    if (S_ISDIR(st.st_mode))
        return err_set(err, ERR_USAGE, "%s: is a folder, not a file", path);
    if (!S_ISREG(st.st_mode) && !is_given_pipe(path, st.st_mode))
        return err_set(err, ERR_USAGE, "%s: is not a regular file", path);
    if (S_ISFIFO(st.st_mode) && fcntl(fd, F_SETFL, O_RDONLY) < 0)
        return err_sys(err, "read %s", path);
    if (fd_read_all(fd, b) < 0)
        return err_sys(err, "read %s", path);
    return 0;
}

int fd_write_file_at(int dirfd, const char *path, const char *text)
{
    AUTO_CLOSE int fd = openat(dirfd, path, O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return -1;
    return write(fd, text, strlen(text)) < 0 ? -1 : 0;
}

ssize_t fd_read_file_at(int dirfd, const char *path, char *out, size_t n)
{
    AUTO_CLOSE int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);
    ssize_t have = fd < 0 ? -1 : fd_read_exactly(fd, out, n - 1);

    if (have >= 0)
        out[have] = '\0';
    return have;
}

int fd_pipe(int ret_fds[2], struct err *err)
{
    if (pipe2(ret_fds, O_CLOEXEC) < 0)
        return err_sys(err, "make a pipe");
    return 0;
}

void fd_raise_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur == limit.rlim_max)
        return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

int fd_pipe_for_guest(int ret_fds[2], struct err *err)
{
    if (fd_pipe(ret_fds, err) < 0)
        return -1;
    return fchmod(ret_fds[0], 0666) < 0 ? err_sys(err, "open a pipe to others") : 0;
}

bool fd_readable(int fd)
{
    struct pollfd look = {.fd = fd, .events = POLLIN};

    return poll(&look, 1, 0) > 0;
}

int fd_nonblock(int fd, bool on)
{
    int flags = fcntl(fd, F_GETFL);

    if (flags < 0)
        return -1;
    return fcntl(fd, F_SETFL, on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK);
}

int fd_memory(const char *name, const void *p, size_t n, struct err *err)
{
    AUTO_CLOSE int fd = memfd_create(name, MFD_CLOEXEC);

    if (fd < 0 || fd_write_all(fd, p, n) < 0 || lseek(fd, 0, SEEK_SET) < 0)
        return err_sys(err, "store %zu bytes in memory", n);
    return fd_take(&fd);
}

const char *fd_temporary(void)
{
    const char *folder = getenv("TMPDIR");

    return folder && folder[0] == '/' ? folder : "/tmp";
}

static int make_and_unlink(const char *folder)
{
    AUTO_FREE char *path = xasprintf("%s/.glovebox-XXXXXX", folder);
    int fd = mkostemp(path, O_CLOEXEC);

    if (fd >= 0)
        (void)unlink(path);
    return fd;
}

/* EOPNOTSUPP: NFS and vfat cannot make files without a name, and overlay cannot before Linux 6.1.
 * EISDIR: the file system does not know O_TMPFILE. */
int fd_unnamed(const char *folder)
{
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    return fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR) ? make_and_unlink(folder) : fd;
}

int fd_spool(struct err *err)
{
    int fd = fd_unnamed(fd_temporary());

    return fd < 0 ? err_sys(err, "make a temporary file in %s", fd_temporary()) : fd;
}

union control {
    char room[CMSG_SPACE(FD_MSG_MAX * sizeof(int))];
    struct cmsghdr align;
};

int fd_send(int sock, const void *p, size_t n, const int *fds, size_t fd_count)
{
    union control control;
    struct iovec iov = {.iov_base = (void *)p, .iov_len = n};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

    if (fd_count > FD_MSG_MAX) {
        errno = EINVAL;
        return -1;
    }
    if (fd_count) {
        memset(&control, 0, sizeof control);
        msg.msg_control = control.room;
        msg.msg_controllen = (socklen_t)CMSG_SPACE(fd_count * sizeof(int)); /* musl has socklen_t
                                                                               here, glibc size_t */
        struct cmsghdr *head = CMSG_FIRSTHDR(&msg);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = (socklen_t)CMSG_LEN(fd_count * sizeof(int));
        memcpy(CMSG_DATA(head), fds, fd_count * sizeof(int));
    }
    for (;;) {
        ssize_t done = sendmsg(sock, &msg, MSG_NOSIGNAL);
        if (done >= 0)
            return 0;
        if (errno != EINTR)
            return -1;
    }
}

static size_t take_fds(struct msghdr *msg, int ret_fds[FD_MSG_MAX])
{
    size_t count = 0;

    for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < n; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof fd);
            if (count < FD_MSG_MAX)
                ret_fds[count++] = fd;
            else
                close(fd);
        }
    }
    return count;
}

ssize_t fd_recv(int sock, void *p, size_t n, int ret_fds[FD_MSG_MAX], size_t *ret_count, int flags)
{
    union control control;
    struct iovec iov = {.iov_base = p, .iov_len = n};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control.room,
                         .msg_controllen = sizeof control.room};
    ssize_t got;

    do
        got = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC | flags);
    while (got < 0 && errno == EINTR);
    *ret_count = 0;
    if (got < 0)
        return -1;
    *ret_count = take_fds(&msg, ret_fds);
    if (!(msg.msg_flags & MSG_TRUNC))
        return got;
    while (*ret_count)
        close(ret_fds[--*ret_count]);
    errno = EMSGSIZE;
    return -1;
}

int fd_either(int a, int b, struct err *err)
{
    struct epoll_event event = {.events = EPOLLIN};
    int both = epoll_create1(EPOLL_CLOEXEC);

    if (both >= 0 && (a < 0 || epoll_ctl(both, EPOLL_CTL_ADD, a, &event) == 0) &&
        (b < 0 || epoll_ctl(both, EPOLL_CTL_ADD, b, &event) == 0))
        return both;
    (void)err_sys(err, "watch two descriptors");
    fd_close(&both);
    return -1;
}
