// SPDX-License-Identifier: Apache-2.0
// source: fs/locks.c: a lock on a range of a file is some 200 bytes of the kernel's memory that is charged to no
//     memory group and bounded by no limit (RLIMIT_LOCKS has no effect)
// stopped-by: seccomp
// alone: nothing else counts them
// expect: ENOLCK
// denied: fcntl(F_SETLK)
// bare: yes
// args: --timeout 60s
#include "attack.h"
#include <fcntl.h>

/* A file's locks are a list that the kernel walks: many files with some each are quicker. */
enum { FILES = 100, EACH = 200, ROUNDS = 3 };

static int open_file(int i)
{
    char name[32];

    snprintf(name, sizeof name, "locked-%d", i);
    int fd = open(name, O_RDWR | O_CREAT, 0600);
    return fd < 0 ? (held_errno(), -1) : fd;
}

static int lock(int fd, int command, short type, long start, long length)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = length};

    return fcntl(fd, command, &lock);
}

/* Far enough apart that the kernel joins none of them; by holes in a large one, each makes two. */
static int lock_many(const int *fds, int command, int holes)
{
    for (int i = 0; i < FILES; i++) {
        if (holes && lock(fds[i], command, F_WRLCK, 0, 0) < 0)
            return errno;
        for (int k = 0; k < EACH; k++)
            if (lock(fds[i], command, holes ? F_RDLCK : F_WRLCK, 2L * k + 1, 1) < 0)
                return errno;
    }
    return 0;
}

/* Closing gives all back; what is over the limit is not looked at again at once. */
static int try(int command, int holes)
{
    int fds[FILES], error = 0;

    for (int round = 0; round < ROUNDS && !error; round++) {
        for (int i = 0; i < FILES; i++)
            fds[i] = open_file(i);
        error = lock_many(fds, command, holes);
        for (int i = 0; i < FILES; i++)
            close(fds[i]);
        usleep(300000);
        if (lock(fds[0] = open_file(0), command, F_WRLCK, 0, 1) < 0)
            escaped("but locks are refused for good");
        close(fds[0]);
        if (!error)
            escaped("%d locks by command %d%s", FILES * EACH, command, holes ? ", by holes" : "");
    }
    return error;
}

int main(void)
{
    int error = try(F_SETLK, 0);

    if (error == ENOLCK)
        error = try(F_SETLKW, 1);
    if (error == ENOLCK && lock(open_file(0), F_OFD_SETLK, F_WRLCK, 0, 1) == 0)
        error = try(F_OFD_SETLK, 0);
    held(error == ENOLCK ? "ENOLCK" : "another errno");
}
