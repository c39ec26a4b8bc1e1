/* SPDX-License-Identifier: Apache-2.0
 *
 * How the init of a guest that can be forked reaps.
 *
 * The inits of the guest's forks, and their first processes, are our children too. The kernel adds
 * the processor time of a child to that of its parent when the parent reaps it, so a watcher would
 * count the time of each dead fork as the guest's. The library subtracts what we report.
 */
#include "inside/inside.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/wire.h"
#include "jail/proto.h"

static bool is_of_a_fork(pid_t pid)
{
    char path[64], status[8192];

    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    return fd_read_file_at(AT_FDCWD, path, status, sizeof status) > 0 &&
           !is_in_our_namespace(status);
}

/* Does not block: what a stopped library cannot receive is sent with the next report. */
static void report_waited(const struct rusage *use)
{
    static uint64_t unsent_us;
    struct pollfd room = {.fd = SPEC_FD_CONTROL, .events = POLLOUT};
    AUTO_BUF struct buf b = {0};

    unsent_us += (uint64_t)(use->ru_utime.tv_sec + use->ru_stime.tv_sec) * 1000000 +
                 (uint64_t)(use->ru_utime.tv_usec + use->ru_stime.tv_usec);
    if (poll(&room, 1, 0) <= 0 || !(room.revents & POLLOUT))
        return;
    buf_init(&b, MSG_MAX);
    wire_put_u32(&b, MSG_WAITED);
    wire_put_u64(&b, unsent_us);
    report_buf(&b);
    unsent_us = 0;
}

pid_t reap(const struct inside *in, int *ret_status)
{
    siginfo_t info = {0};
    struct rusage use = {0};

    if (!in->spec.forks)
        return waitpid(-1, ret_status, WNOHANG);
    if (syscall(SYS_waitid, P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT, &use) < 0)
        return -1;
    if (!info.si_pid)
        return 0;
    if (is_of_a_fork(info.si_pid))
        report_waited(&use);
    return waitpid(info.si_pid, ret_status, WNOHANG);
}
