/* SPDX-License-Identifier: Apache-2.0
 *
 * Single files of a workspace, by path. The guest may live and change them meanwhile: paths are
 * walked one component at a time, no link is followed, only regular files are opened. Paths must be
 * relative and stay inside, otherwise ERR_USAGE. ERR_USAGE with err->sys is about the file found
 * there, or a missing one (ENOENT).
 */
#ifndef WORKSPACE_WORKSPACE_FILES_H
#define WORKSPACE_WORKSPACE_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct workspace_file {
    char *path; /* "a/b.txt"; a folder ends in '/' */
    uint64_t size;
    int64_t mtime_ms;
};

/* Lists all regular files and folders, sorted by path, without an interpreter's caches. ERR_LIMIT
 * beyond 100 000. */
int workspace_files(int root_fd, struct workspace_file **ret, size_t *ret_count, struct err *err);
void workspace_files_done(struct workspace_file *files, size_t count);
/* Opens a regular file for reading; the caller closes it. */
int workspace_file_open(int root_fd, const char *path, uint64_t *ret_size, struct err *err);
/* Copies the content of `from`, at most `max` bytes (otherwise ERR_LIMIT), into a new file, which
 * replaces an old one when it is complete. Makes missing folders. The file belongs to the guest. */
int workspace_file_put(int root_fd, const char *path, int from, uint64_t max, struct err *err);
/* Removes a file, or an empty folder. */
int workspace_file_remove(int root_fd, const char *path, struct err *err);
/* Sets the error for such a change that was tried elsewhere and failed with errno `sys`. Returns
 * -1. */
int workspace_say_unchanged(const char *path, const char *doing, int sys, struct err *err);

#endif
