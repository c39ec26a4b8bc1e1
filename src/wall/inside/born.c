/* SPDX-License-Identifier: Apache-2.0
 *
 * The descriptors that the library needs of a jail in a nest: the init's pidfd, and, if its guest
 * can be forked, the namespaces below which a fork's jail is made.
 *
 * The init sends them itself, as its first message. The nest could open them from outside only
 * while the init is dumpable, and a fast init may have cleared that before the nest gets to it.
 */
#include "inside/inside.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/wire.h"

static int open_or_die(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        die_sys("open %s", path);
    return fd;
}

void report_born(bool forks)
{
    AUTO_BUF struct buf b = {0};
    int fds[3];
    size_t count = 0;

    fds[count++] = (int)syscall(SYS_pidfd_open, getpid(), 0);
    if (fds[0] < 0)
        die_sys("open a pidfd");
    if (forks) {
        fds[count++] = open_or_die("/proc/self/ns/pid");
        fds[count++] = open_or_die("/proc/self/ns/user");
    }
    buf_init(&b, MSG_MAX);
    wire_put_u32(&b, MSG_BORN);
    if (fd_send(SPEC_FD_CONTROL, b.p, b.n, fds, count) < 0)
        die_sys("report the birth");
    while (count)
        close(fds[--count]);
}
