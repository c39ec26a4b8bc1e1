/* SPDX-License-Identifier: Apache-2.0 */
#include "limits/watch_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <sys/pidfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/num.h"
#include "base/str.h"

#define THREADS_MAX 1024 /* of one process; further threads are ignored */

#ifndef PIDFD_THREAD
#define PIDFD_THREAD O_EXCL /* Linux 6.9 */
#endif

static int watch_files_number(const struct dirent *entry)
{
    int64_t n;

    return num_int64(str_from(entry->d_name), &n) && n >= 0 && n <= INT32_MAX ? (int)n : 0;
}

bool watch_threads(pid_t pid, bool (*look)(void *ctx, pid_t thread), void *ctx)
{
    char path[32];
    struct stat st;
    bool done = false;

    (void)snprintf(path, sizeof path, "/proc/%d/task", pid);
    /* The link count is 2 + threads (fs/proc/base.c, proc_task_getattr): skip a single thread. */
    DIR *dir = stat(path, &st) == 0 && st.st_nlink > 3 ? opendir(path) : NULL;
    if (!dir)
        return look(ctx, pid);
    struct dirent *entry = readdir(dir);
    for (int i = 0; entry && i < THREADS_MAX && !done; entry = readdir(dir), i++)
        if (entry->d_name[0] != '.')
            done = look(ctx, watch_files_number(entry));
    closedir(dir);
    return done;
}

struct watch_table {
    pid_t thread;
    bool is_first;
    int process; /* a pidfd; -1 until it is needed */
};

int watch_file_get(const struct watch_file *file)
{
    struct watch_table *t = file->table;

    if (t->process < 0)
        t->process = pidfd_open(t->thread, t->is_first ? 0 : PIDFD_THREAD);
    return t->process < 0 ? -1 : pidfd_getfd(t->process, file->number, 0);
}

struct tables {
    pid_t pid, last; /* last: the thread whose table was read last; 0: none */
    void (*look)(void *ctx, const struct watch_file *file);
    void *ctx;
};

static void look_at_listed(const struct tables *t, struct watch_table *table, DIR *dir)
{
    struct dirent *entry = readdir(dir);
    struct stat st;

    for (int i = 0; entry && i < WATCH_FILES_MAX; entry = readdir(dir), i++) {
        struct watch_file file = {.table = table, .number = watch_files_number(entry), .st = &st};
        if (entry->d_name[0] != '.' && fstatat(dirfd(dir), entry->d_name, &st, 0) == 0)
            t->look(t->ctx, &file);
    }
}

/* The size of a thread's table, which all may read: no number in it is as large. */
static int table_size(pid_t thread)
{
    char path[32], text[4096];
    struct str rest, line, name;
    int64_t size;

    (void)snprintf(path, sizeof path, "/proc/%d/status", thread);
    ssize_t n = fd_read_file_at(AT_FDCWD, path, text, sizeof text);
    rest = (struct str){text, n < 0 ? 0 : (size_t)n};
    while (str_next_line(&rest, &line))
        if (str_next(&line, ':', &name) && str_is(name, "FDSize") &&
            num_int64(str_trim(line), &size) && size < WATCH_FILES_MAX)
            return (int)size;
    return WATCH_FILES_MAX;
}

/* Tries the descriptor numbers from 0 on. Any process that may trace the other one may do this. */
static void look_at_numbers(const struct tables *t, struct watch_table *table)
{
    struct stat st;
    int size = table_size(table->thread);

    for (int i = 0; i < size; i++) {
        struct watch_file file = {.table = table, .number = i, .st = &st};
        AUTO_CLOSE int fd = watch_file_get(&file);
        if (fd < 0 && errno != EBADF)
            return;
        if (fd >= 0 && fstat(fd, &st) == 0)
            t->look(t->ctx, &file);
    }
}

/* Skips a thread that shares the previous thread's table, as most do. */
static bool look_at_table(void *ctx, pid_t thread)
{
    struct tables *t = ctx;
    char path[32];

    if (t->last && syscall(SYS_kcmp, t->last, thread, KCMP_FILES, 0, 0) == 0)
        return false;
    t->last = thread;
    struct watch_table table = {.thread = thread, .is_first = thread == t->pid, .process = -1};
    (void)snprintf(path, sizeof path, "/proc/%d/fd", thread);
    DIR *dir = opendir(path);
    if (dir)
        look_at_listed(t, &table, dir);
    else
        look_at_numbers(t, &table);
    if (dir)
        closedir(dir);
    fd_close(&table.process);
    return false;
}

void watch_files(pid_t pid, void (*look)(void *ctx, const struct watch_file *file), void *ctx)
{
    struct tables t = {.pid = pid, .look = look, .ctx = ctx};

    (void)watch_threads(pid, look_at_table, &t);
}
