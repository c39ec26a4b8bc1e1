/* SPDX-License-Identifier: Apache-2.0
 *
 * Forks a guest into the jail that waits for the fork (inside/gate.c is the other side). This is
 * guest code: it has no rights, and the other side checks everything.
 *
 *     guest --vfork--> helper: joins the jail's namespaces --fork--> the fork: gives up what the
 *                      joining gave it, reports its arrival, and continues
 *
 * The helper shares the guest's memory and stack while the guest waits, so that the memory is
 * copied once, by the C library's fork, with its handlers.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inside/gate.h"
#include "inside/inside.h"
#include "zygote/zygote.h"

#define FILES_MAX 8

/* Returns the first of `count` consecutive unused descriptor numbers, or -1. */
static int free_numbers(int count)
{
    int top = fcntl(0, F_DUPFD_CLOEXEC, 200), fds[GATE_SPACES + FILES_MAX], n = 0;
    bool in_a_row = true;

    for (; n < count && (n == 0 || in_a_row); n++) {
        fds[n] = n ? fcntl(0, F_DUPFD_CLOEXEC, fds[n - 1] + 1) : top;
        in_a_row = fds[n] >= 0 && (n == 0 || fds[n] == fds[n - 1] + 1);
    }
    for (int i = 0; i < n; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    return in_a_row && top >= 0 ? top : -1;
}

/* The helper's results. The helper shares the guest's memory, so the guest reads them here. */
struct joining {
    int base;
    int error;
    bool forked;
};

/* Joins the namespaces. The gate puts all descriptors into this process at its first call. The
 * descriptors after the namespaces have another type, so they end the loop. Returns how many were
 * joined, or -1. */
static int zygote_fork_join(volatile struct joining *j)
{
    int joined = 0;

    do {
        if (setns(j->base + joined, gate_spaces[joined].flag) < 0) {
            j->error = errno;
            return -1;
        }
        joined++;
    } while (joined < GATE_SPACES &&
             ioctl(j->base + joined, NS_GET_NSTYPE) == gate_spaces[joined].flag);
    return joined;
}

static void enter_groups(int first)
{
    for (int fd = first; fd < first + FILES_MAX; fd++)
        if (write(fd, "0", 1) < 0)
            break;
}

static void give_up(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0}};

    for (int cap = 0; cap < 64 && prctl(PR_CAPBSET_DROP, cap) == 0; cap++)
        ;
    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    (void)syscall(SYS_capset, &head, none);
    (void)prctl(PR_SET_DUMPABLE, 1);
}

static void arrive(int base, int joined, const char *folder, int channel_in, int channel_out)
{
    enter_groups(base + joined);
    (void)syscall(SYS_close_range, base, base + joined + FILES_MAX - 1, 0);
    (void)setsid();
    if (chdir(folder) < 0)
        (void)!chdir(SPEC_WORK);
    give_up();
    if (syscall(SYS_setns, -1, GATE_HELLO, channel_in, channel_out) < 0)
        _exit(127);
    /* The fork was inspected. Until it is used, it is undumpable, so that its origin cannot use its
     * /proc entries: that needs rights in the user namespace in which the zygote was started. */
    (void)prctl(PR_SET_DUMPABLE, 0);
}

void zygote_fork_show(void)
{
    (void)prctl(PR_SET_DUMPABLE, 1);
}

int zygote_fork(int channel_in, int channel_out)
{
    volatile struct joining j = {.base = free_numbers(GATE_SPACES + FILES_MAX)};
    char folder[PATH_MAX];
    int status;

    if (j.base < 0 || !getcwd(folder, sizeof folder))
        return -(j.base < 0 ? EMFILE : errno);
    pid_t helper = vfork(); /* NOLINT: we are to wait; it ends after a few calls */
    if (helper == 0) {
        int joined =
            zygote_fork_join(&j); /* NOLINT: it may change our variables, because we wait for it */
        if (joined < 0)
            _exit(1);
        pid_t pid = fork(); /* NOLINT: the fork changes its own memory only */
        if (pid == 0) {
            arrive(j.base, joined, folder, channel_in, channel_out);
            return 0;
        }
        j.error = pid < 0 ? errno : 0;
        j.forked = pid > 0;
        _exit(0);
    }
    if (helper < 0)
        return -errno;
    while (waitpid(helper, &status, 0) < 0 && errno == EINTR)
        ;
    return j.forked ? 1 : -(j.error ? j.error : ECHILD);
}
