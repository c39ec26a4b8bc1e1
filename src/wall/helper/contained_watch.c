/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts the usage of the guest's processes one by one, where no control group counts it.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/num.h"
#include "helper/contained.h"
#include "limits/proc_stat.h"

static struct {
    bool on, shared;
    uint64_t memory_limit, peak;
    bool over; /* the limit was exceeded once */
} watch;

void contained_watch(uint64_t memory_bytes, bool shared)
{
    watch.on = true;
    watch.shared = shared;
    watch.memory_limit = memory_bytes;
}

bool contained_is_watching(void)
{
    return watch.on;
}

bool contained_is_shared(void)
{
    return watch.shared;
}

/* True for a process of another user, by the owner of its folder. That is root, too, for an
 * undumpable process. */
static bool is_other(pid_t pid)
{
    char path[32];
    struct stat st;

    snprintf(path, sizeof path, "/proc/%d", (int)pid);
    return watch.shared && (stat(path, &st) < 0 || st.st_uid != geteuid());
}

static uint64_t time_ns(struct timeval t)
{
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_usec * 1000;
}

/* The process's share of memory (Pss): a shared page is divided among the processes that share it.
 */
static uint64_t memory_of(pid_t pid)
{
    char path[48], text[2048];

    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
    if (fd_read_file_at(AT_FDCWD, path, text, sizeof text) < 0)
        return 0;
    const char *at = strstr(text, "\nPss:");
    return at ? strtoull(at + strlen("\nPss:"), NULL, 10) << 10 : 0;
}

static void add_process(pid_t pid, struct contained_usage *ret)
{
    const uint64_t tick_ns = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
    struct proc_stat stat;

    if (pid == getpid() || is_other(pid) || proc_stat_read(pid, &stat) < 0)
        return;
    ret->cpu_ns +=
        tick_ns * (uint64_t)(stat.user + stat.system + stat.waited_user + stat.waited_system);
    ret->memory_now += memory_of(pid);
}

static uint64_t bytes_in(const char *path)
{
    struct statvfs st;

    return statvfs(path, &st) == 0 ? (st.f_blocks - st.f_bfree) * st.f_frsize : 0;
}

void contained_count(struct contained_usage *ret)
{
    struct rusage ended;
    struct dirent *entry;
    DIR *dir = opendir("/proc");
    int64_t pid;

    *ret = (struct contained_usage){0};
    if (getrusage(RUSAGE_CHILDREN, &ended) == 0)
        ret->cpu_ns = time_ns(ended.ru_utime) + time_ns(ended.ru_stime);
    while (dir && (entry = readdir(dir)))
        if (num_int64(str_from(entry->d_name), &pid))
            add_process((pid_t)pid, ret);
    if (dir)
        (void)closedir(dir);
    if (!watch.shared)
        ret->memory_now += bytes_in(CONTAINED_WORK) + bytes_in("/tmp") + bytes_in("/dev/shm");
    watch.peak = ret->memory_now > watch.peak ? ret->memory_now : watch.peak;
    watch.over |= watch.memory_limit && ret->memory_now >= watch.memory_limit;
    ret->memory_peak = watch.peak;
    ret->oom_kills = watch.over;
}
