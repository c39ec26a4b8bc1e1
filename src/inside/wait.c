/* SPDX-License-Identifier: Apache-2.0
 *
 * The pipe that an interpreter meets where its program will be. It has done all of its own start
 * when it opens that, and stays in the call: when the files are laid, what is in the program's is
 * written into the pipe. From then on nothing distinguishes it from one that was started now.
 */
#include "inside/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"

static int open_work(const struct inside *in)
{
    int work = openat(in->box_fd, "work", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (work < 0)
        die_sys("open the workspace");
    return work;
}

void wait_file_make(const struct inside *in)
{
    AUTO_CLOSE int work = open_work(in);

    if (mkfifoat(work, in->spec.wait_file, 0600) < 0)
        die_sys("make the pipe that the guest waits for");
}

int wait_file_take(const struct inside *in)
{
    AUTO_CLOSE int work = open_work(in);
    int pipe = openat(work, in->spec.wait_file, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);

    if (pipe < 0 && errno == ENXIO)
        return -1; /* no process reads */
    if (pipe < 0 || unlinkat(work, in->spec.wait_file, 0) < 0)
        die_sys("open the pipe that the guest waits for");
    if (fd_nonblock(pipe, false) < 0)
        die_sys("prepare the pipe that the guest waits for");
    return pipe;
}

/* A reader that dies ends us soon enough. */
static bool write_all(int pipe, const char *p, size_t n)
{
    while (n) {
        ssize_t wrote = write(pipe, p, n);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return false;
        p += wrote;
        n -= (size_t)wrote;
    }
    return true;
}

void wait_file_fill(const struct inside *in, int pipe)
{
    AUTO_CLOSE int work = open_work(in);
    AUTO_CLOSE int file = openat(work, in->spec.wait_file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    char part[65536];
    ssize_t got = file < 0 ? 0 : read(file, part, sizeof part);

    if (file < 0)
        die_sys("open the program");
    while (got > 0 && write_all(pipe, part, (size_t)got))
        got = read(file, part, sizeof part);
    close(pipe);
}
