/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of one folder: reads and writes numbers, and kills the processes in cgroup.procs.
 */
#include "limits/cgroup_impl.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/num.h"

struct path {
    char text[2 * CGROUP_NAME_MAX + 64];
};

static struct path cgroup_files_path_of(const struct cgroup_part *p, const char *file)
{
    struct path path;

    (void)snprintf(path.text, sizeof path.text, "%s/%s", p->name, file);
    return path;
}

int cgroup_put(const struct cgroup_part *p, const char *file, const char *text)
{
    return fd_write_file_at(p->home->fd, cgroup_files_path_of(p, file).text, text);
}

int cgroup_put_u64(const struct cgroup_part *p, const char *file, uint64_t value, struct err *err)
{
    char text[24];

    (void)snprintf(text, sizeof text, "%" PRIu64, value);
    if (cgroup_put(p, file, text) < 0)
        return err_sys(err, "write %s to %s/%s/%s", text, p->home->path, p->name, file);
    return 0;
}

int cgroup_limit_pids(struct cgroup_part *p, const struct jail_limits *limits, struct err *err)
{
    if (!limits->pids)
        return 0;
    return cgroup_put_u64(p, "pids.max", (uint64_t)limits->pids + 1, err);
}

int cgroup_open_file(const struct cgroup_part *p, const char *file, int flags)
{
    return openat(p->home->fd, cgroup_files_path_of(p, file).text, flags | O_CLOEXEC);
}

static struct str cgroup_files_get(const struct cgroup_part *p, const char *file, char *text,
                                   size_t n)
{
    ssize_t got = fd_read_file_at(p->home->fd, cgroup_files_path_of(p, file).text, text, n);

    return (struct str){text, got < 0 ? 0 : (size_t)got};
}

/* Opening a file takes four times as long as reading it, so some stay open; but a host with many
 * sessions needs descriptors for other purposes, too. */
#define OPEN_MAX_ALL 256
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static size_t descriptors_held;

static int keep_open(struct cgroup_part *p, const char *file)
{
    if (p->file_count == CGROUP_FILES || p->home->fd < 0 || descriptors_held == OPEN_MAX_ALL)
        return -1;
    int fd = cgroup_open_file(p, file, O_RDONLY);
    if (fd < 0)
        return -1;
    p->files[p->file_count++] = (struct cgroup_file){file, fd};
    descriptors_held++;
    return fd;
}

/* The lock is needed because several threads may read a session's usage. */
static int open_once(struct cgroup_part *p, const char *file)
{
    int fd = -1;

    pthread_mutex_lock(&open_lock);
    for (size_t i = 0; i < p->file_count && fd < 0; i++)
        if (strcmp(p->files[i].name, file) == 0)
            fd = p->files[i].fd;
    if (fd < 0)
        fd = keep_open(p, file);
    pthread_mutex_unlock(&open_lock);
    return fd;
}

static struct str get_again(struct cgroup_part *p, const char *file, char *text, size_t n)
{
    int fd = open_once(p, file);

    if (fd < 0)
        return cgroup_files_get(p, file, text, n);
    ssize_t got = pread(fd, text, n - 1, 0);
    text[got < 0 ? 0 : got] = '\0';
    return (struct str){text, got < 0 ? 0 : (size_t)got};
}

void cgroup_close_files(struct cgroup_part *p)
{
    pthread_mutex_lock(&open_lock);
    descriptors_held -= p->file_count;
    while (p->file_count)
        close(p->files[--p->file_count].fd);
    pthread_mutex_unlock(&open_lock);
}

uint64_t cgroup_text_number(struct str text)
{
    int64_t value;

    return num_int64(str_trim(text), &value) && value > 0 ? (uint64_t)value : 0;
}

uint64_t cgroup_get_u64(struct cgroup_part *p, const char *file)
{
    char text[64];

    return cgroup_text_number(get_again(p, file, text, sizeof text));
}

uint64_t cgroup_text_key(struct str text, const char *key)
{
    struct str line, name;

    while (str_next_line(&text, &line))
        if (str_next(&line, ' ', &name) && str_is(name, key))
            return cgroup_text_number(line);
    return 0;
}

uint64_t cgroup_get_key(struct cgroup_part *p, const char *file, const char *key)
{
    char text[4096]; /* memory.stat is the longest */

    return cgroup_text_key(get_again(p, file, text, sizeof text), key);
}

#define QUOTA_MIN_US  1000
#define CPU_MILLI_MAX 1000000 /* a thousand processors; the kernel's own ceiling is beyond that */

struct cgroup_quota cgroup_quota(uint32_t cpu_milli)
{
    uint64_t milli = cpu_milli < CPU_MILLI_MAX ? cpu_milli : CPU_MILLI_MAX;
    struct cgroup_quota quota = {.us = milli * CGROUP_PERIOD_US / 1000,
                                 .period_us = CGROUP_PERIOD_US};

    if (quota.us < QUOTA_MIN_US)
        quota = (struct cgroup_quota){QUOTA_MIN_US, QUOTA_MIN_US * 1000 / milli};
    return quota;
}

#define ROUND 64 /* pids killed between two reads of the list */

size_t cgroup_list(const struct cgroup_part *p, pid_t *ret_pids, size_t max)
{
    char text[12 * CGROUP_LIST_MAX];
    struct str rest = cgroup_files_get(p, "cgroup.procs", text, sizeof text), line;
    size_t n = 0;

    while (n < max && str_next_line(&rest, &line))
        ret_pids[n++] =
            (pid_t)cgroup_text_number(line); /* 0: in a pid namespace that is not below ours */
    return n;
}

static bool lists(const pid_t *pids, size_t n, pid_t pid)
{
    for (size_t i = 0; i < n; i++)
        if (pids[i] == pid)
            return true;
    return false;
}

/* The list is read again after the pidfds were opened: a pid that is still listed belongs to the
 * process of the pidfd, or to one that the pidfd cannot reach. Without pidfds (before Linux 5.3), a
 * pid may be reused between the read and the kill. */
static void kill_round(const struct cgroup_part *p, const pid_t *pids, size_t n)
{
    int fds[ROUND];
    pid_t again[2 * ROUND];
    size_t again_n;

    for (size_t i = 0; i < n; i++)
        fds[i] = pids[i] > 0 ? pidfd_open(pids[i], 0) : -1;
    again_n = cgroup_list(p, again, 2 * ROUND);
    for (size_t i = 0; i < n; i++) {
        bool still = pids[i] > 0 && lists(again, again_n, pids[i]);
        if (still && fds[i] >= 0)
            (void)pidfd_send_signal(fds[i], SIGKILL, NULL, 0);
        else if (still)
            (void)kill(pids[i], SIGKILL);
        fd_close(&fds[i]);
    }
}

#define KILL_FOR_NS      100000000
#define KILL_PAUSE_NS    50000
#define KILL_PAUSE_LIMIT 2000000

void cgroup_kill_listed(struct cgroup_part *p)
{
    int64_t deadline = clock_mono_ns() + KILL_FOR_NS;
    struct timespec pause = {.tv_nsec = KILL_PAUSE_NS};
    pid_t pids[ROUND];

    if (p->controllers & CGROUP_BIT(CGROUP_PIDS))
        (void)cgroup_put(p, "pids.max", "0");
    do {
        size_t n = cgroup_list(p, pids, ROUND);
        if (n == 0)
            return;
        kill_round(p, pids, n);
        (void)nanosleep(&pause, NULL);
        if (pause.tv_nsec < KILL_PAUSE_LIMIT)
            pause.tv_nsec *= 2;
    } while (clock_mono_ns() < deadline);
}
