/* SPDX-License-Identifier: Apache-2.0
 *
 * Iterates over all files of a workspace with their content, for a reader on the host's side. The
 * workspace either has a guest, or is still to be laid. It is walked by descriptor; no link is
 * followed.
 */
#ifndef WORKSPACE_WORKSPACE_EACH_H
#define WORKSPACE_WORKSPACE_EACH_H

#include <sys/stat.h>
#include <sys/types.h>

#include "workspace/workspace.h"

struct workspace_entry {
    struct str path; /* raw bytes */
    mode_t mode;
    uint64_t size;
    int fd; /* a regular file, open for reading; -1 if it has another type, or its content is in
               `bytes` */
    struct str bytes; /* .p is NULL if there are none */
};

/* Returning -1, with *err, ends the walk. */
typedef int workspace_entry_fn(void *ctx, const struct workspace_entry *entry, struct err *err);

/* Calls `see` for all entries but folders. Also returns -1 when a part of the workspace cannot be
 * read, or with ERR_LIMIT beyond 100 000 entries: then there may be entries that `see` has not
 * seen. */
int workspace_each(int root_fd, workspace_entry_fn *see, void *ctx, struct err *err);
/* As workspace_each, for the files that will be laid. */
int lay_list_each(const struct lay_list *list, workspace_entry_fn *see, void *ctx, struct err *err);
/* Reads up to n bytes from offset `at`. Returns the number of bytes, 0 at the end, or -1 with
 * errno. */
ssize_t workspace_entry_read(const struct workspace_entry *entry, uint64_t at, char *to, size_t n);

#endif
