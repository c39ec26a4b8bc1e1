/* SPDX-License-Identifier: Apache-2.0
 *
 * The open files of a process, seen from outside, however it hides them: a thread can have a table
 * of descriptors of its own (unshare); the first thread can end before the others, which empties
 * /proc/PID/fd and /proc/PID/status; and /proc/PID/fd cannot be read if a process is not dumpable.
 */
#ifndef LIMITS_WATCH_FILES_H
#define LIMITS_WATCH_FILES_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#define WATCH_FILES_MAX 4096 /* of one table; further ones are ignored */

struct watch_file {
    struct watch_table *table;
    int number;
    const struct stat *st;
};

/* Returns a descriptor of our own for the file, or -1. Needs Linux 5.6, and the right to trace the
 * process. */
int watch_file_get(const struct watch_file *file);

/* Calls `look` for each descriptor in each table of the process. The same file may occur more than
 * once. */
void watch_files(pid_t pid, void (*look)(void *ctx, const struct watch_file *file), void *ctx);

/* Calls `look` for each thread of a process, including the first, until it returns true. False if
 * it never did. */
bool watch_threads(pid_t pid, bool (*look)(void *ctx, pid_t thread), void *ctx);

#endif
