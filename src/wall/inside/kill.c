/* SPDX-License-Identifier: Apache-2.0
 *
 * How an init finds, reaps and kills processes, for guests that have forks.
 *
 * A guest may end while its forks live on, in pid namespaces below its own. If we exited, the
 * kernel would kill them too, so we kill only the guest's own processes. Processes that fork all
 * the time are stopped first, as in inside/end.c, until a look finds none that still runs. Also
 * here: killing the processes with capabilities after a fork that failed, and the exit status of a
 * process that is not our child. Init has locked itself in by then: its filter permits only openat
 * (musl's open calls fcntl as well), reading, listing and kill.
 */
#include "inside/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/num.h"
#include "base/wire.h"
#include "jail/proto.h"
#include "limits/proc_stat.h"

#define ROUNDS 500

struct entry { /* linux_dirent64 */
    uint64_t inode;
    int64_t next;
    uint16_t size;
    unsigned char type;
    char name[];
};

/* NSpid has one number for each namespace from ours down to the process's own: a process of ours
 * has one. */
static bool is_in_our_namespace(const char *status)
{
    const char *at = strstr(status, "\nNSpid:");

    if (!at)
        return false;
    at += strlen("\nNSpid:");
    at += strspn(at, " \t");
    at += strspn(at, "0123456789");
    return *at == '\n';
}

/* True if the process is stopped ("T") or dead ("Z", "X"), or its state is unknown. */
static bool is_quiet(const char *status)
{
    const char *at = strstr(status, "\nState:");

    if (!at)
        return true;
    at += strlen("\nState:");
    at += strspn(at, " \t");
    return *at == 'T' || *at == 'Z' || *at == 'X';
}

static bool signal_one(const char *name, intptr_t signal)
{
    char path[64], status[8192];
    int64_t pid;

    if (!num_int64(str_from(name), &pid) || pid == 1)
        return false;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    if (fd_read_file_at(AT_FDCWD, path, status, sizeof status) < 0 || !is_in_our_namespace(status))
        return false;
    (void)kill((pid_t)pid, (int)signal);
    return signal == SIGKILL || !is_quiet(status);
}

unsigned each_entry(const char *folder, bool (*look)(const char *name, intptr_t with),
                    intptr_t with)
{
    _Alignas(struct entry) char list[4096];
    unsigned found = 0;
    AUTO_CLOSE int dir = openat(AT_FDCWD, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    long n;

    while (dir >= 0 && (n = syscall(SYS_getdents64, dir, list, sizeof list)) > 0)
        for (long at = 0; at < n;) {
            const struct entry *e = (const struct entry *)(list + at);
            found += look(e->name, with);
            at += e->size;
        }
    return found;
}

/* Sends the signal to all other processes of our namespace. Returns how many, not counting those
 * that were stopped or dead already if the signal is not SIGKILL. */
static unsigned signal_all(int signal)
{
    return each_entry("/proc", signal_one, signal);
}

/* ---- reaping ----
 *
 * The inits of the guest's forks, and their first processes, are our children too. The kernel adds
 * the processor time of a child to ours when we reap it, and a watcher would count the time of each
 * dead fork as the guest's. The library subtracts what we report. */

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

/* ---- killing ---- */

static void reap_all(const struct inside *in)
{
    while (reap(in, NULL) > 0)
        ;
}

void kill_own_processes(const struct inside *in)
{
    for (int round = 0; round < ROUNDS && signal_all(SIGSTOP); round++)
        ;
    for (int round = 0; round < ROUNDS && signal_all(SIGKILL); round++) {
        reap_all(in);
        (void)poll(NULL, 0, 1);
    }
    reap_all(in);
}

/* ---- capabilities ---- */

static bool holds(const char *status, const char *set)
{
    const char *at = strstr(status, set);

    if (!at)
        return false;
    at += strlen(set);
    at += strspn(at, " \t0");
    return *at != '\n';
}

static bool holds_any(const char *status)
{
    return holds(status, "\nCapInh:") || holds(status, "\nCapPrm:") || holds(status, "\nCapEff:") ||
           holds(status, "\nCapAmb:");
}

/* True for pid 1 of a namespace: the last of its numbers is 1. */
static bool is_first(const char *status)
{
    const char *at = strstr(status, "\nNSpid:"), *end = at ? strchr(at + 1, '\n') : NULL;

    return end && end[-1] == '1' && (end[-2] == '\t' || end[-2] == ' ');
}

static bool is_dead(const char *status)
{
    const char *at = strstr(status, "\nState:");

    return at && (strncmp(at, "\nState:\tZ", 9) == 0 || strncmp(at, "\nState:\tX", 9) == 0);
}

static bool thread_holds(const char *name, intptr_t process)
{
    char path[96], status[8192];
    int64_t thread;

    if (!num_int64(str_from(name), &thread))
        return false;
    snprintf(path, sizeof path, "/proc/%d/task/%d/status", (int)process, (int)thread);
    return fd_read_file_at(AT_FDCWD, path, status, sizeof status) > 0 && !is_dead(status) &&
           holds_any(status);
}

static bool kill_capable(const char *name, intptr_t also)
{
    char path[64], status[8192];
    int64_t pid;

    if (!num_int64(str_from(name), &pid) || pid == 1)
        return false;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    /* A process without a seccomp filter is ours, setting up the next jail: do not kill it. */
    if (fd_read_file_at(AT_FDCWD, path, status, sizeof status) < 0 || is_first(status) ||
        !strstr(status, "\nSeccomp:\t2"))
        return false;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    bool wanted = (pid == also && !is_dead(status)) || each_entry(path, thread_holds, (int)pid);
    if (wanted)
        (void)kill((pid_t)pid, SIGKILL);
    return wanted;
}

void kill_capable_processes(pid_t also)
{
    for (int round = 0; round < ROUNDS && each_entry("/proc", kill_capable, also); round++)
        (void)poll(NULL, 0, 1);
}

/* ---- namespaces ---- */

/* Linux 5.14 has the number in fdinfo. Uses only calls that init's own filter permits. */
uint64_t namespace_number_fd(int fd)
{
    char path[64], info[512];
    uint64_t number = 0;

    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
    if (fd < 0 || fd_read_file_at(AT_FDCWD, path, info, sizeof info) < 0)
        return 0;
    const char *at = strstr(info, "\nino:");
    if (!at)
        return 0;
    for (at += strlen("\nino:"); *at == ' ' || *at == '\t'; at++)
        ;
    for (; *at >= '0' && *at <= '9'; at++)
        number = number * 10 + (uint64_t)(*at - '0');
    return number;
}

uint64_t namespace_number(const char *path)
{
    AUTO_CLOSE int fd = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);

    return namespace_number_fd(fd);
}

/* ---- the exit status ---- */

/* struct pidfd_info of Linux 6.15: the members that every version has. */
struct pidfd_info {
    uint64_t mask, cgroup;
    uint32_t ids[11];
    int32_t exit_code;
};
#define PIDFD_INFO_EXIT 8
#define PIDFD_GET_INFO  _IOWR(0xff, 11, struct pidfd_info)
#define REAPED_MS       2000

int pidfd_status(int pidfd)
{
    for (int ms = 0; ms < REAPED_MS; ms++) {
        struct pidfd_info info = {.mask = PIDFD_INFO_EXIT};
        int result = ioctl(pidfd, PIDFD_GET_INFO, &info);
        if (result < 0 && errno != ESRCH) /* ESRCH: it is being reaped */
            return 0;
        if (result == 0 && info.mask & PIDFD_INFO_EXIT)
            return info.exit_code;
        (void)poll(NULL, 0, 1); /* it is not reaped yet */
    }
    return 0;
}

/* As clock_getcpuclockid, but without its check that the process exists, which the filter does not
 * permit (include/linux/posix-timers_types.h, MAKE_PROCESS_CPUCLOCK and CPUCLOCK_SCHED). */
static clockid_t clock_of(pid_t pid)
{
    return (clockid_t)(~(unsigned)pid << 3 | 2);
}

bool childless_usage(pid_t pid, struct guest_end *ret)
{
    struct proc_stat stat;
    struct timespec used;

    if (proc_stat_read(pid, &stat) < 0 || stat.waited_faults ||
        clock_gettime(clock_of(pid), &used) < 0)
        return false;
    *ret = (struct guest_end){.user_us =
                                  (uint64_t)used.tv_sec * 1000000 + (uint64_t)used.tv_nsec / 1000};
    return true;
}
