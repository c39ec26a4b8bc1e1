/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/local_seal.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "backends/local_parts.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/str.h"

#define PROCESSES_MAX 64
#define SETTLE_MS     2000
#define PAUSE_NS      50000

static bool local_seal_read_file(pid_t pid, const char *file, char *text, size_t n)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
    return fd_read_file_at(AT_FDCWD, path, text, n) > 0;
}

/* As clock_getcpuclockid, without its check that the process exists. */
static uint64_t cpu_of(pid_t pid)
{
    struct timespec used;
    clockid_t clock = (clockid_t)(~(unsigned)pid << 3 | 2);

    return clock_gettime(clock, &used) < 0
               ? UINT64_MAX
               : (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

/* True for pid 1 of a namespace: the last of its numbers is 1. */
static bool is_init(const char *status)
{
    const char *at = strstr(status, "\nNSpid:"), *end = at ? strchr(at + 1, '\n') : NULL;

    return end && end[-1] == '1' && (end[-2] == '\t' || end[-2] == ' ');
}

/* The lines of /proc/PID/status that other processes can change. */
static const char *const lines[] = {
    "NSpid:",  "Uid:",    "Gid:",    "Groups:", "Threads:",      "SigPnd:",
    "ShdPnd:", "SigBlk:", "SigIgn:", "SigCgt:", "Cpus_allowed:", "Mems_allowed:"};

static void sum_status(struct sha256 *h, const char *status)
{
    struct str rest = str_from(status), line;

    while (str_next_line(&rest, &line))
        for (size_t i = 0; i < ARRAY_LEN(lines); i++)
            if (str_starts(line, lines[i]))
                sha256_add(h, line.p, line.n);
}

/* Adds fields of /proc/PID/stat, counted from 1: nice, real-time priority, policy. */
static void sum_priorities(struct sha256 *h, const char *stat)
{
    const char *end = strrchr(stat, ')');
    struct str rest = str_from(end ? end + 2 : ""), word;

    for (int field = 3; str_next(&rest, ' ', &word); field++)
        if (field == 19 || field == 40 || field == 41)
            sha256_add(h, word.p, word.n);
}

static bool sleeps(const char *stat)
{
    const char *end = strrchr(stat, ')');

    return end && end[1] == ' ' && end[2] == 'S';
}

enum { IO_PROCESS = 1 }; /* IOPRIO_WHO_PROCESS */

/* Adds a process. Returns false if it does not sleep, or is gone. */
static bool local_seal_look_at(pid_t pid, struct sha256 *h, uint64_t *cpu_ns)
{
    char stat[1024], status[8192], limits[4096], score[32];

    if (!local_seal_read_file(pid, "stat", stat, sizeof stat) || !sleeps(stat) ||
        !local_seal_read_file(pid, "status", status, sizeof status) ||
        !local_seal_read_file(pid, "limits", limits, sizeof limits) ||
        !local_seal_read_file(pid, "oom_score_adj", score, sizeof score))
        return false;
    long io = syscall(SYS_ioprio_get, IO_PROCESS, pid);
    sha256_add(h, &pid, sizeof pid);
    sha256_add(h, &io, sizeof io);
    sha256_add(h, limits, strlen(limits));
    sha256_add(h, score, strlen(score));
    sum_status(h, status);
    sum_priorities(h, stat);
    if (!is_init(status))
        *cpu_ns += cpu_of(pid);
    return true;
}

static int by_number(const void *a, const void *b)
{
    return *(const pid_t *)a - *(const pid_t *)b;
}

static bool look_at_all(struct local_guest *l, struct local_seal *ret)
{
    pid_t pids[PROCESSES_MAX];
    size_t n = local_processes(l, pids, PROCESSES_MAX);
    struct sha256 h;

    ret->count = n;
    ret->cpu_ns = 0;
    sha256_init(&h);
    qsort(pids, n, sizeof *pids, by_number);
    for (size_t i = 0; i < n; i++)
        if (!local_seal_look_at(pids[i], &h, &ret->cpu_ns))
            return false;
    sha256_hex(&h, ret->processes);
    return n > 0;
}

bool local_seal_shares(pid_t a, pid_t b)
{
    enum { SAME_VM = 1, SAME_FILES = 2, SAME_FS = 3 }; /* include/uapi/linux/kcmp.h */

    for (int type = SAME_VM; type <= SAME_FS; type++)
        if (syscall(SYS_kcmp, a, b, type, 0, 0) == 0)
            return true;
    return false;
}

/* Call it while the origin is idle. */
static bool shares_with_origin(struct local_guest *l)
{
    pid_t own[PROCESSES_MAX], its[CGROUP_LIST_MAX];
    size_t own_n = local_processes(l, own, PROCESSES_MAX);
    size_t its_n = local_processes(l->origin, its, CGROUP_LIST_MAX);

    if (own_n == PROCESSES_MAX || its_n == CGROUP_LIST_MAX)
        return true; /* there may be more processes */
    for (size_t i = 0; i < own_n; i++)
        for (size_t k = 0; k < its_n; k++)
            if (local_seal_shares(own[i], its[k]))
                return true;
    return false;
}

/* How often limits of the copy's group were hit. Processes of the origin can enter the group
 * (zygote/zygote_fork.c). */
static uint64_t hits_of(struct cgroup *group)
{
    struct cgroup_usage use;

    cgroup_usage(group, &use);
    return use.oom_kills + use.pids_hits + use.buffer_hits;
}

/* True if there is output in its pipes: another process has printed it. */
static bool has_printed(const struct local_guest *l)
{
    struct pollfd out[] = {{.fd = l->pump.out[0], .events = POLLIN},
                           {.fd = l->pump.out[1], .events = POLLIN}};

    return poll(out, ARRAY_LEN(out), 0) > 0;
}

/* Waits until all processes sleep. Even an untouched process may be awake for a moment. If there
 * are fewer processes than `least`, one was killed: returns false at once. */
static bool comes_to_rest(struct local_guest *l, size_t least, struct local_seal *ret)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    int64_t until = clock_mono_ms() + SETTLE_MS;

    while (!look_at_all(l, ret)) {
        if (ret->count < least || clock_mono_ms() > until)
            return false;
        (void)nanosleep(&pause, NULL);
    }
    return true;
}

int local_seal(struct backend_guest *guest, struct err *err)
{
    struct local_guest *l = local_of(guest);

    guests_memory_seal(&l->counted, true);
    if (!comes_to_rest(l, 0, &l->seal))
        return err_set(err, ERR_GUEST, "the processes of the copy do not stop running");
    if (shares_with_origin(l))
        return err_set(err, ERR_GUEST,
                       "the copy shares memory or files with the session, or there are too many "
                       "processes to check");
    pump_drain(&l->pump);
    l->seal.group_hits = hits_of(l->group);
    if (box_sum(jail_box(l->jail), l->seal.files) < 0)
        return err_set(err, ERR_SYSTEM, "the copy's disk cannot be read");
    return 0;
}

static int local_seal_check(struct local_guest *l, struct err *err)
{
    struct local_seal now;

    if (l->over || !comes_to_rest(l, l->seal.count, &now) || now.count != l->seal.count)
        return err_set(err, ERR_GUEST, "it was killed or stopped");
    if (now.cpu_ns != l->seal.cpu_ns)
        return err_set(err, ERR_GUEST, "it was made to run");
    if (strcmp(now.processes, l->seal.processes) != 0)
        return err_set(err, ERR_GUEST, "its limits, priorities or signals were changed");
    if (hits_of(l->group) != l->seal.group_hits)
        return err_set(err, ERR_GUEST, "its control group was used");
    if (has_printed(l))
        return err_set(err, ERR_GUEST, "output was written in its name");
    if (box_sum(jail_box(l->jail), now.files) < 0)
        return err_set(err, ERR_SYSTEM, "the copy's disk cannot be read");
    if (strcmp(now.files, l->seal.files) != 0)
        return err_set(err, ERR_GUEST, "its files were changed");
    return 0;
}

int local_unseal(struct backend_guest *guest, struct err *err)
{
    struct local_guest *l = local_of(guest);
    int result = local_seal_check(l, err);

    guests_memory_seal(&l->counted, false);
    return result;
}
