/* SPDX-License-Identifier: Apache-2.0
 *
 * How files get into a workspace. The library writes a stream into a pipe, and the jail's init
 * reads it. Also the only way, on both sides of the wall, to open a path below a folder whose
 * content is not trusted.
 *
 * The stream is a sequence of records, integers little-endian:
 *
 *     u32  kind      LAY_FILE, LAY_DIR or LAY_END
 *     u32  path_len  bytes of path, 1 to LAY_PATH_MAX; 0 in LAY_END
 *     u32  mode      permission bits, others are ignored; 0 in LAY_END
 *     u64  size      bytes of content; 0 in LAY_DIR; in LAY_END, the number of records before it
 *     path_len bytes: path relative to the workspace, not NUL-terminated (see lay_path_problem)
 *     size bytes: content
 *
 * LAY_END is the last record; bytes after it are not read. Missing parent folders are made. A
 * folder may occur more than once, a file only once.
 */
#ifndef JAIL_LAY_H
#define JAIL_LAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

#define LAY_FILE 0x4659414cu /* "LAYF" */
#define LAY_DIR  0x4459414cu /* "LAYD" */
#define LAY_END  0x4559414cu /* "LAYE" */

#define LAY_HEADER   20
#define LAY_PATH_MAX 4095 /* plus a NUL: the kernel's limit for one path */
#define LAY_NAME_MAX 255

struct lay_limits {
    uint64_t max_bytes;   /* of content, 0: no limit */
    uint64_t max_entries; /* files and folders, 0: no limit */
};

/* Receives a whole stream into the folder. Never leaves the folder, follows no link, overwrites
 * nothing. A file gets the mode of its record whatever the umask, and belongs to the caller's ids;
 * a folder also gets rwx for its owner. ERR_GUEST if the stream is malformed, ERR_LIMIT beyond a
 * limit, ERR_SYSTEM. Files that were laid before a failure stay. Needs a stack of 48 KiB and no
 * heap. */
/* err->sys is ENOSPC if the folder's file system is full. */
int lay_receive(int stream_fd, int work_dirfd, struct lay_limits limits, struct err *err);

/* NULL if the path is relative, at most LAY_PATH_MAX bytes, and consists of components of 1 to
 * LAY_NAME_MAX bytes that are neither "." nor ".." and contain no NUL. Otherwise the problem, as
 * the end of a sentence. */
const char *lay_path_problem(struct str path);

/* Splits "a/b/c" into "a/b" and "c"; the folder of "c" is "". */
void lay_path_split(struct str path, struct str *ret_folder, struct str *ret_name);

/* A location below `root_fd`, opened one component at a time and never through a symbolic link.
 * This is safe whatever is renamed meanwhile, on every kernel (since Linux 5.6, openat2 with
 * RESOLVE_BENEATH does it in one call). The last folder stays open, because files come folder by
 * folder. */
struct lay_place {
    int root_fd; /* belongs to the caller */
    int fd;      /* the folder `path`; -1: none yet */
    size_t path_n;
    char path[LAY_PATH_MAX + 1];
};

void lay_place_init(struct lay_place *place, int root_fd);
void lay_place_done(struct lay_place *place);
/* Returns a descriptor of that folder, or of the root for "". It is O_PATH, so only for *at calls;
 * `place` owns it, and the next call may close it. With `create`, missing folders are made with
 * mode 0777 less the umask. -1 with errno on failure: ENOTDIR if a link or a file is in the way. */
int lay_place_open(struct lay_place *place, struct str folder, bool create);

#endif
