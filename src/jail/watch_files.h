/* SPDX-License-Identifier: Apache-2.0
 *
 * The open files of a process, seen from outside, however it hides them: a thread can have a table
 * of descriptors for itself (unshare), the first thread can end before the others, which empties
 * /proc/PID/fd and /proc/PID/status, and a process that is not dumpable closes /proc/PID/fd.
 */
#ifndef JAIL_WATCH_FILES_H
#define JAIL_WATCH_FILES_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#define WATCH_FILES_MAX 4096 /* looked at in one table */

struct watch_file {
    struct watch_table *table;
    int number;
    const struct stat *st;
};

/* A descriptor of our own for it, or -1. Needs Linux 5.6, and the right to trace the process. */
int watch_file_get(const struct watch_file *file);

/* Calls `look` for each descriptor in each of its tables. The same file may come more than once. */
void watch_files(pid_t pid, void (*look)(void *ctx, const struct watch_file *file), void *ctx);

/* Threads of a process, the first one among them: calls `look` until it says true. False when it
 * never did. */
bool watch_threads(pid_t pid, bool (*look)(void *ctx, pid_t thread), void *ctx);

#endif
