/* SPDX-License-Identifier: Apache-2.0
 *
 * A FIFO under the name of the program. The interpreter has completed its own start when it opens
 * the FIFO, and blocks in that call. When the job arrives, its files are laid, and we write the
 * program's text into the FIFO. From then on the interpreter behaves as one that was started now.
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
        return -1; /* no process has opened it for reading */
    if (pipe < 0 || unlinkat(work, in->spec.wait_file, 0) < 0)
        die_sys("open the pipe that the guest waits for");
    if (fd_nonblock(pipe, false) < 0)
        die_sys("prepare the pipe that the guest waits for");
    return pipe;
}

/* Returns false if the reader died: its end is handled elsewhere. */
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
