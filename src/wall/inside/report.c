/* SPDX-License-Identifier: Apache-2.0
 *
 * The reports of the keeper and of pid 1 to the library: why they cannot continue, why a layer is
 * missing, that the guest runs, why init ends, and how the guest ended.
 */
#include "inside/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/wire.h"
#include "jail/proto.h"

void report_buf(const struct buf *message)
{
    (void)fd_send(SPEC_FD_CONTROL, message->p, message->n, NULL, 0);
}

void report(uint32_t kind, int fd)
{
    unsigned char raw[4] = {(unsigned char)kind};

    (void)fd_send(SPEC_FD_CONTROL, raw, sizeof raw, &fd, fd >= 0);
}

void report_lost(layer_mask layers, const char *why)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, MSG_MAX);
    wire_put_u32(&b, MSG_LOST);
    wire_put_u32(&b, layers);
    wire_put_cstr(&b, why);
    report_buf(&b);
}

void die_err(const struct err *err)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, MSG_MAX);
    wire_put_u32(&b, MSG_ERROR);
    wire_put_u32(&b, err->kind);
    wire_put_u32(&b, (uint32_t)err->sys);
    wire_put_cstr(&b, err->msg);
    report_buf(&b);
    _exit(1);
}

void die(enum err_kind kind, const char *fmt, ...)
{
    struct err err = {.kind = kind};
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(err.msg, sizeof err.msg, fmt, ap);
    va_end(ap);
    die_err(&err);
}

void die_sys(const char *fmt, ...)
{
    struct err err = {.kind = ERR_SYSTEM, .sys = errno};
    char text[256];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    snprintf(err.msg, sizeof err.msg, "cannot %s: %s", text, strerror(err.sys));
    die_err(&err);
}

void report_guest(struct inside *in, uint32_t kind, pid_t guest)
{
    AUTO_CLOSE int pidfd = guest ? (int)syscall(SYS_pidfd_open, guest, 0) : -1;
    const int fds[] = {in->box_fd, pidfd};
    size_t count = in->box_fd < 0 ? 0 : pidfd < 0 ? 1 : 2;
    AUTO_BUF struct buf b = {0};

    buf_init(&b, MSG_MAX);
    wire_put_u32(&b, kind);
    wire_put_u32(&b, in->held);
    (void)fd_send(SPEC_FD_CONTROL, b.p, b.n, fds, count);
}

void report_state(struct inside *in, uint32_t kind)
{
    report_guest(in, kind, 0);
}

void report_end(const struct guest_end *end, const struct denials *denials,
                struct end_report report)
{
    struct rusage use;
    AUTO_BUF struct buf b = {0};

    getrusage(RUSAGE_CHILDREN, &use);
    buf_init(&b, MSG_MAX);
    wire_put_u32(&b, report.kind);
    wire_put_u32(&b, (uint32_t)report.status);
    wire_put_u32(&b, report.alone);
    wire_put_u64(&b, end->user_us + (uint64_t)use.ru_utime.tv_sec * 1000000 +
                         (uint64_t)use.ru_utime.tv_usec);
    wire_put_u64(&b, end->system_us + (uint64_t)use.ru_stime.tv_sec * 1000000 +
                         (uint64_t)use.ru_stime.tv_usec);
    wire_put_u64(&b, end->max_rss_kib > (uint64_t)use.ru_maxrss ? end->max_rss_kib
                                                                : (uint64_t)use.ru_maxrss);
    denials_put(denials, &b);
    report_buf(&b);
}

void report_why(uint32_t why)
{
    struct pollfd room = {.fd = SPEC_FD_CONTROL, .events = POLLOUT};
    AUTO_BUF struct buf b = {0};

    buf_init(&b, MSG_MAX);
    wire_put_u32(&b, MSG_ENDS);
    wire_put_u32(&b, why);
    if (poll(&room, 1, 0) > 0 && room.revents & POLLOUT)
        report_buf(&b);
}

/* ---- the birth ---- */

/* The descriptors that the library needs of a jail in a nest: the init's pidfd, and, if its guest
 * can be forked, the namespaces below which a fork's jail is made.
 *
 * The init sends them itself, as its first message. The nest could open them from outside only
 * while the init is dumpable, and a fast init may have cleared that before the nest gets to it. */
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
