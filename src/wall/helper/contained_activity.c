/* SPDX-License-Identifier: Apache-2.0
 *
 * Shows whether any process in the container runs. A thread that runs gives up the processor from
 * time to time, or loses it. The kernel counts both for each thread.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/num.h"
#include "helper/contained.h"

enum { THREADS_MAX = 4096 };

static uint64_t number_after(const char *text, const char *word)
{
    const char *at = strstr(text, word);

    return at ? strtoull(at + strlen(word), NULL, 10) : 0;
}

/* The number of context switches of a thread, plus 1: so threads that start or end change the sum
 * as well. */
static uint64_t switches_of(int tasks, const char *thread)
{
    char path[40], text[8192];

    snprintf(path, sizeof path, "%.20s/status", thread);
    if (fd_read_file_at(tasks, path, text, sizeof text) < 0)
        return 0;
    return 1 + number_after(text, "\nvoluntary_ctxt_switches:") +
           number_after(text, "\nnonvoluntary_ctxt_switches:");
}

static uint64_t add_threads(int64_t pid, unsigned *left)
{
    char path[40];
    uint64_t sum = 0;
    struct dirent *entry;
    int64_t number;

    snprintf(path, sizeof path, "/proc/%lld/task", (long long)pid);
    DIR *dir = opendir(path);
    while (dir && *left && (entry = readdir(dir)))
        if (num_int64(str_from(entry->d_name), &number)) {
            sum += switches_of(dirfd(dir), entry->d_name);
            --*left;
        }
    if (dir)
        (void)closedir(dir);
    return sum;
}

static uint64_t activity(void)
{
    unsigned left = THREADS_MAX;
    uint64_t sum = 0;
    struct dirent *entry;
    int64_t pid;
    DIR *dir = opendir("/proc");

    while (dir && (entry = readdir(dir)))
        if (num_int64(str_from(entry->d_name), &pid) && pid != getpid())
            sum += add_threads(pid, &left);
    if (dir)
        (void)closedir(dir);
    return sum;
}

void contained_send_activity(int work)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 64);
    wire_put_u64(&b, activity());
    wire_put_u32(&b, contained_is_full(work));
    contained_send_buf(CONTAINED_ACTIVITY, &b);
    contained_send_err(CONTAINED_DONE, &(struct err){0});
}
