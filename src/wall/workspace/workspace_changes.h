/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds a cell's changes to the workspace while the guest lives: its processes may change files
 * meanwhile. A file is recognised by inode, size and times; if these differ, it is read, and
 * reported if its content differs. A file that was changed only through a shared mapping and kept
 * its size is missed. On tmpfs a shared mapping that was read before it is written leaves ctime as
 * it was (no write fault, hence no file_update_time; seen on Linux 6.18). Such a file is reported
 * at its next visible change.
 */
#ifndef WORKSPACE_WORKSPACE_CHANGES_H
#define WORKSPACE_WORKSPACE_CHANGES_H

#include "workspace/workspace.h"

struct changes;

struct changes_limits {
    uint64_t max_bytes; /* read for one cell */
    size_t max_entries; /* in the table */
    size_t max_files;   /* reported for one cell */
};

struct changes *changes_new(const struct changes_limits *limits);
void changes_free(struct changes *c);
/* Records the current state. Hashes of files come from `laid`, or from `like`, the changes of the
 * workspace that this one was copied from; both may be NULL. */
void changes_begin(struct changes *c, int root_fd, const struct lay_list *laid,
                   const struct changes *like);
/* Finds the files that are new, changed or deleted since the last call; new content is copied below
 * out_dirfd (or -1). Returns -1 when the workspace cannot be read or the copies cannot be written.
 */
int changes_collect(struct changes *c, int root_fd, int out_dirfd, struct file_set *ret,
                    struct err *err);
/* Call it when the host itself has put a file there: it will not be reported. */
void changes_forget(struct changes *c, int root_fd, const char *path);

#endif
