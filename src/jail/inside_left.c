/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of a guest whose forks live on below its pid namespace: its end would be theirs. Who
 * forks all the time is outrun as in inside_end.c: first all are stopped, until a look finds nobody
 * new, and then killed. All in here after init has locked itself in: open, read, list, kill.
 */
#include "jail/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/num.h"

#define ROUNDS 500

struct entry { /* linux_dirent64 */
    uint64_t inode;
    int64_t next;
    uint16_t size;
    unsigned char type;
    char name[];
};

/* One number for each namespace from ours down to its own: ours have one. */
static bool is_ours(const char *status)
{
    const char *at = strstr(status, "\nNSpid:");

    if (!at)
        return false;
    at += strlen("\nNSpid:");
    at += strspn(at, " \t");
    at += strspn(at, "0123456789");
    return *at == '\n';
}

/* "T" stopped, "Z" and "X" dead. */
static bool is_quiet(const char *status)
{
    const char *at = strstr(status, "\nState:");

    if (!at)
        return true;
    at += strlen("\nState:");
    at += strspn(at, " \t");
    return *at == 'T' || *at == 'Z' || *at == 'X';
}

static bool signal_one(const char *name, int signal)
{
    char path[64], status[8192];
    int64_t pid;

    if (!num_int64(str_from(name), &pid) || pid == 1)
        return false;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    if (fd_read_file_at(AT_FDCWD, path, status, sizeof status) < 0 || !is_ours(status))
        return false;
    (void)kill((pid_t)pid, signal);
    return signal == SIGKILL || !is_quiet(status);
}

/* How many of ours were not stopped, or not gone, when we looked. */
static unsigned signal_all(int signal)
{
    _Alignas(struct entry) char list[4096];
    unsigned found = 0;
    AUTO_CLOSE int dir = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    long n;

    while (dir >= 0 && (n = syscall(SYS_getdents64, dir, list, sizeof list)) > 0)
        for (long at = 0; at < n;) {
            const struct entry *e = (const struct entry *)(list + at);
            found += signal_one(e->name, signal);
            at += e->size;
        }
    return found;
}

static void reap_all(void)
{
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
}

void end_ours(void)
{
    for (int round = 0; round < ROUNDS && signal_all(SIGSTOP); round++)
        ;
    for (int round = 0; round < ROUNDS && signal_all(SIGKILL); round++) {
        reap_all();
        (void)poll(NULL, 0, 1);
    }
    reap_all();
}

/* Of Linux 6.15; what it tells at least. */
struct pidfd_info {
    uint64_t mask, cgroup;
    uint32_t ids[11];
    int32_t exit_code;
};
#define PIDFD_INFO_EXIT 8
#define PIDFD_GET_INFO  _IOWR(0xff, 11, struct pidfd_info)
#define REAPED_MS       50

int pidfd_status(int pidfd)
{
    for (int ms = 0; ms < REAPED_MS; ms++) {
        struct pidfd_info info = {.mask = PIDFD_INFO_EXIT};
        if (ioctl(pidfd, PIDFD_GET_INFO, &info) < 0)
            return 0;
        if (info.mask & PIDFD_INFO_EXIT)
            return info.exit_code;
        (void)poll(NULL, 0, 1); /* it is not reaped yet */
    }
    return 0;
}
