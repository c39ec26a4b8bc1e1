/* SPDX-License-Identifier: Apache-2.0
 *
 * Every file of a workspace with its content, for a reader on the host's side: of one that will be
 * laid, and of one that has a guest. Walked by descriptor, no link is followed.
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
    int fd;           /* of a regular file, open for reading; -1: it is another kind, or its content
                         is in `bytes` */
    struct str bytes; /* .p NULL for none */
};

/* -1 with *err ends the walk. */
typedef int workspace_entry_fn(void *ctx, const struct workspace_entry *entry, struct err *err);

/* Everything but folders. -1 also when a part of the workspace cannot be read, or ERR_LIMIT beyond
 * 100 000 entries: what `see` has not seen may be anything. */
int workspace_each(int root_fd, workspace_entry_fn *see, void *ctx, struct err *err);
/* The same of what will be laid. */
int lay_list_each(const struct lay_list *list, workspace_entry_fn *see, void *ctx, struct err *err);
/* Up to n bytes from `at` on; the number of bytes, 0 at the end, or -1 with errno. */
ssize_t workspace_entry_read(const struct workspace_entry *entry, uint64_t at, char *to, size_t n);

#endif
