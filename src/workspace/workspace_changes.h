/* SPDX-License-Identifier: Apache-2.0
 *
 * What a cell did to the workspace, while the guest lives: its processes may be at work in there
 * meanwhile. Files are known by inode, size and times; those that look different are read, and told
 * when their content is. What is missed: a file that was changed through a shared mapping only and
 * kept its size. On tmpfs a shared mapping that was read before it is written leaves ctime as it
 * was (no write fault, hence no file_update_time; seen on Linux 6.18). Such a file is told when it
 * is next seen to change.
 */
#ifndef WORKSPACE_WORKSPACE_CHANGES_H
#define WORKSPACE_WORKSPACE_CHANGES_H

#include "workspace/workspace.h"

struct changes;

struct changes_limits {
    uint64_t max_bytes; /* read for one cell */
    size_t max_entries; /* that are known at all */
    size_t max_files;   /* told of one cell */
};

struct changes *changes_new(const struct changes_limits *limits);
void changes_free(struct changes *c);
/* How everything looks now. `laid` knows what is in the files that were laid, `like` what is in
 * those of a workspace that this one was copied from; both may be NULL. */
void changes_begin(struct changes *c, int root_fd, const struct lay_list *laid,
                   const struct changes *like);
/* What is new, other or gone since the last time; new content is copied below out_dirfd (or -1).
 * -1 when the workspace cannot be read or the copies cannot be written. */
int changes_collect(struct changes *c, int root_fd, int out_dirfd, struct file_set *ret,
                    struct err *err);
/* The host itself has put a file there: nothing to tell. */
void changes_forget(struct changes *c, int root_fd, const char *path);

#endif
