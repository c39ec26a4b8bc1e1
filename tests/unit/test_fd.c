/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "tap.h"

static char folder[] = "/tmp/test_fd.XXXXXX";

static char *in_folder(const char *name)
{
    return xasprintf("%s/%s", folder, name);
}

static bool is_cloexec(int fd)
{
    return fcntl(fd, F_GETFD) == FD_CLOEXEC;
}

static void test_close(void)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC), none = -1;
    int same = fd;

    errno = EXDEV;
    fd_close(&fd);
    fd_close(&none);
    EQ_INT(fd, -1);
    EQ_INT(errno, EXDEV);
    OK(fcntl(same, F_GETFD) < 0, "it is closed");
    int kept = 42;
    EQ_INT(fd_take(&kept), 42);
    EQ_INT(kept, -1);
}

/* More than a pipe holds, through a writer that must wait and a reader that is slow. */
static void test_write_all(void)
{
    enum { SIZE = 1 << 20 };
    AUTO_BUF struct buf b = {0};
    AUTO_FREE char *bytes = xmalloc(SIZE);
    int ends[2];
    struct err err;

    for (int i = 0; i < SIZE; i++)
        bytes[i] = (char)(i * 7 >> 3);
    OK(fd_pipe(ends, &err) == 0 && is_cloexec(ends[0]) && is_cloexec(ends[1]), "a pipe");
    OK(fd_nonblock(ends[1], true) == 0, "that does not block its writer");
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        _exit(fd_write_all(ends[1], bytes, SIZE) < 0);
    }
    fd_close(&ends[1]);
    buf_init(&b, SIZE);
    EQ_INT(fd_read_all(ends[0], &b), 0);
    OK(b.n == SIZE && memcmp(b.p, bytes, SIZE) == 0, "all arrives, in order");
    int status = -1;
    waitpid(pid, &status, 0);
    EQ_INT(status, 0);

    fd_close(&ends[0]);
    (void)signal(SIGPIPE, SIG_IGN);
    OK(fd_pipe(ends, &err) == 0, "another pipe");
    fd_close(&ends[0]);
    EQ_INT(fd_write_all(ends[1], "x", 1), -1);
    EQ_INT(errno, EPIPE);
    fd_close(&ends[1]);
}

static void test_read_ceiling(void)
{
    AUTO_BUF struct buf b = {0};
    struct err err;
    AUTO_CLOSE int fd = fd_memory("test", "0123456789", 10, &err);

    OK(fd >= 0 && is_cloexec(fd), "ten bytes in memory");
    buf_init(&b, 9);
    EQ_INT(fd_read_all(fd, &b), -1);
    EQ_INT(errno, EFBIG);
}

static void test_read_file(void)
{
    AUTO_BUF struct buf b = {0};
    AUTO_FREE char *fifo = in_folder("fifo");
    AUTO_FREE char *plain = in_folder("plain");
    AUTO_FREE char *absent = in_folder("absent");
    struct err err = {0};

    buf_init(&b, 100);
    OK(mkfifo(fifo, 0600) == 0, "a FIFO");
    OK(fd_read_file(fifo, &b, &err) < 0 && err.kind == ERR_USAGE, "does not hang us: %s", err.msg);
    OK(fd_read_file(folder, &b, &err) < 0 && err.kind == ERR_USAGE, "a folder: %s", err.msg);
    OK(fd_read_file("/dev/zero", &b, &err) < 0 && err.kind == ERR_USAGE, "a device: %s", err.msg);
    OK(fd_read_file(absent, &b, &err) < 0 && err.sys == ENOENT, "nothing: %s", err.msg);
    close(open(plain, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    OK(fd_read_file(plain, &b, &err) == 0 && b.n == 0, "an empty file is a file");
    EQ_INT(fd_write_file_at(AT_FDCWD, plain, "some text"), 0);
    OK(fd_read_file(plain, &b, &err) == 0 && str_is(buf_str(&b), "some text"), "a file");
}

static void test_small_files(void)
{
    char text[5] = "....";
    AUTO_CLOSE int dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    EQ_INT(fd_read_file_at(dir, "plain", text, sizeof text), 4);
    EQ_STR(text, "some");
    EQ_INT(fd_read_file_at(dir, "absent", text, sizeof text), -1);
    EQ_INT(errno, ENOENT);
    EQ_INT(fd_write_file_at(dir, "absent", "x"), -1); /* never makes a file */
    EQ_INT(faccessat(dir, "absent", F_OK, 0), -1);
}

static int count_open(void)
{
    int n = 0;

    for (int fd = 0; fd < 200; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static void test_messages(void)
{
    char room[8];
    int pair[2], got[FD_MSG_MAX], many[FD_MSG_MAX + 1] = {0};
    size_t count = 77;

    OK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0, "a socket pair");
    int before = count_open();
    EQ_INT(fd_send(pair[0], "hello", 5, (int[]){0, 1}, 2), 0);
    EQ_INT(fd_recv(pair[1], room, sizeof room, got, &count, 0), 5);
    OK(memcmp(room, "hello", 5) == 0, "the bytes");
    EQ_INT(count, 2);
    OK(is_cloexec(got[0]) && is_cloexec(got[1]), "close-on-exec from birth");
    close(got[0]);
    close(got[1]);

    EQ_INT(fd_send(pair[0], "longer than the room", 20, (int[]){0}, 1), 0);
    EQ_INT(fd_recv(pair[1], room, sizeof room, got, &count, 0), -1);
    EQ_INT(errno, EMSGSIZE);
    EQ_INT(count, 0);
    EQ_INT(count_open(), before); /* what came with a message that is refused is closed */

    EQ_INT(fd_send(pair[0], "x", 1, many, FD_MSG_MAX + 1), -1);
    EQ_INT(errno, EINVAL);
    EQ_INT(fd_send(pair[0], "x", 1, many, FD_MSG_MAX), 0);
    EQ_INT(fd_recv(pair[1], room, sizeof room, got, &count, 0), 1);
    EQ_INT(count, FD_MSG_MAX);
    while (count)
        close(got[--count]);
    close(pair[0]);
    EQ_INT(fd_recv(pair[1], room, sizeof room, got, &count, 0), 0);
    EQ_INT(fd_send(pair[1], "x", 1, NULL, 0), -1); /* and no SIGPIPE */
    close(pair[1]);
}

/* From now on, this process sees a file system without files that have no name, as NFS is. */
static bool refuse_tmpfile(void)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    bool done = filter &&
                seccomp_rule_add(filter, SCMP_ACT_ERRNO(EOPNOTSUPP), SCMP_SYS(openat), 1,
                                 SCMP_A2(SCMP_CMP_MASKED_EQ, O_TMPFILE & ~O_DIRECTORY,
                                         O_TMPFILE & ~O_DIRECTORY)) == 0 &&
                seccomp_load(filter) == 0;

    seccomp_release(filter);
    return done;
}

static void check_unnamed(const char *what)
{
    int fd = fd_unnamed(folder);
    struct stat st;
    char byte = 0;

    OK(fd >= 0 && is_cloexec(fd), "%s", what);
    OK(fstat(fd, &st) == 0 && st.st_nlink == 0 && (st.st_mode & 0777) == 0600, "it has no name");
    OK(write(fd, "x", 1) == 1 && pread(fd, &byte, 1, 0) == 1 && byte == 'x', "it keeps a byte");
    fd_close(&fd);
    OK(stat(folder, &st) == 0 && st.st_nlink == 2, "nothing is left");
}

/* The last: its filter stays. */
static void test_unnamed(void)
{
    check_unnamed("a file without a name");
    OK(refuse_tmpfile() && open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) < 0,
       "a file system without such files");
    check_unnamed("one that had a name");
    EQ_INT(fd_unnamed("/nowhere"), -1);
    EQ_INT(errno, ENOENT);
}

static void clean_up(void)
{
    static const char *const names[] = {"fifo", "plain"};

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        AUTO_FREE char *path = in_folder(names[i]);
        unlink(path);
    }
    rmdir(folder);
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    RUN(test_close());
    RUN(test_write_all());
    RUN(test_read_ceiling());
    RUN(test_read_file());
    RUN(test_small_files());
    RUN(test_messages());
    RUN(test_unnamed());
    clean_up();
    return tap_done();
}
