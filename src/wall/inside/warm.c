/* SPDX-License-Identifier: Apache-2.0
 *
 * Pid 1 of a jail in a nest: makes the parts of the jail that belong to this guest alone, asks the
 * zygote for a fork, and serves it as any jail's pid 1 does.
 */
#include "inside/inside.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "inside/zygote_ask.h"

static void warm_enter_cgroups(const struct inside *in, const struct warm_request *r)
{
    for (uint32_t i = 0; i < r->enter_count; i++)
        if (write(r->enter[i], "0", 1) < 0)
            die_sys("enter cgroup");
    if (!r->enter_v2 || in->born_inside)
        return;
    AUTO_CLOSE int procs = openat(r->enter[r->enter_count], "cgroup.procs", O_WRONLY | O_CLOEXEC);
    if (procs < 0 || write(procs, "0", 1) < 0)
        die_sys("enter cgroup");
}

/* Writes the id maps of our new user namespace, and takes the guest's ids. Until the guest is
 * locked in (inside/serve.c), we stay dumpable: a process that joins our namespaces by our pidfd
 * needs permission to inspect us, and otherwise root owns our files in /proc. */
static void take_ids(const struct inside *in)
{
    AUTO_CLOSE int self = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (self < 0 || root_map_ids(in, self, in->uid_above) < 0)
        die_sys("give a jail its ids");
    if (setresgid(in->spec.gid, in->spec.gid, in->spec.gid) < 0 ||
        setresuid(in->spec.uid, in->spec.uid, in->spec.uid) < 0)
        die_sys("become the guest's user");
    /* The kernel has reset both when the ids changed. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || prctl(PR_SET_DUMPABLE, 1) < 0)
        die_sys("ask to die with the nest");
}

/* The zygote's fork joins our namespaces, so they must be complete by now. */
static void ask_zygote(struct inside *in, const struct warm_request *r, int guest_fd, int exit_fd)
{
    struct zygote_ask ask = {.held = in->held,
                             .enter_count = r->enter_count,
                             .enter_v2 = r->enter_v2,
                             .channel = r->channel[0] >= 0};
    AUTO_CLOSE int self = (int)syscall(SYS_pidfd_open, getpid(), 0);
    int fds[FD_MSG_MAX] = {self, guest_fd, exit_fd, r->standard[0], r->standard[1], r->standard[2]};
    size_t count = 6;

    if (self < 0)
        die_sys("open a pidfd");
    for (int i = 0; ask.channel && i < 2; i++)
        fds[count++] = r->channel[i];
    for (uint32_t i = 0; i < r->enter_count + r->enter_v2; i++)
        fds[count++] = r->enter[i];
    if (fd_send(r->zygote, &ask, sizeof ask, fds, count) < 0)
        die_sys("ask for a fork");
}

static void close_given(const struct warm_request *r)
{
    for (int i = 0; i < 3; i++)
        close(r->standard[i]);
    for (int i = 0; i < 2 && r->channel[i] >= 0; i++)
        close(r->channel[i]);
    for (uint32_t i = 0; i < r->enter_count + r->enter_v2; i++)
        close(r->enter[i]);
    close(r->zygote);
}

void warm_main(struct inside *in, const struct warm_request *r)
{
    int guest[2], end[2];
    struct err err;

    if (prctl(PR_SET_DUMPABLE, 1) < 0)
        die_sys("set dumpable");
    report_born(in->spec.forks);
    take_ids(in);
    warm_enter_cgroups(in, r);
    if (in->mode & LAYER_BIT(LAYER_CGROUPNS) && unshare(CLONE_NEWCGROUP) == 0)
        in->held |= LAYER_BIT(LAYER_CGROUPNS);
    in->held &= ~LAYER_BIT(LAYER_PROC);
    if (chdir("/") < 0 || root_build_own(in, &err) < 0)
        die_err(&err);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, guest) < 0 ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, end) < 0)
        die_sys("make a socket pair");
    in->held |= LAYER_BIT(LAYER_CAPS) | LAYER_BIT(LAYER_NNP);
    ask_zygote(in, r, guest[1], end[1]);
    close(guest[1]);
    close(end[1]);
    close_given(r);
    in->spec.lay = in->spec.channel = false;
    serve_main(in, 2, guest[0], end[0]);
}
