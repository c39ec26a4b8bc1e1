/* SPDX-License-Identifier: Apache-2.0
 *
 * How files get into a workspace: a stream that the library writes on a pipe and the jail's init
 * reads, and the one way, used on both sides of the wall, to reach a place below a folder whose
 * content is not to be trusted.
 *
 * The stream is a sequence of records, integers little-endian:
 *
 *     u32  kind      LAY_FILE, LAY_DIR or LAY_END
 *     u32  path_len  bytes of path, 1 to LAY_PATH_MAX; 0 in LAY_END
 *     u32  mode      permission bits, others are ignored; 0 in LAY_END
 *     u64  size      bytes of content; 0 in LAY_DIR; in LAY_END, the number of records before it
 *     path_len bytes: path relative to the workspace, no NUL at the end (lay_path_problem says
 * which) size bytes: content
 *
 * LAY_END is the last record; what follows it is not read. Missing parents are made. Naming a
 * folder twice is fine, a file only once.
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
#define LAY_PATH_MAX 4095 /* with the NUL, what the kernel takes as one path */
#define LAY_NAME_MAX 255

struct lay_limits {
    uint64_t max_bytes;   /* of content, 0: no limit */
    uint64_t max_entries; /* files and folders, 0: no limit */
};

/* Receives a whole stream into the folder. Never leaves the folder, follows no link, overwrites
 * nothing. Files get the mode of their record whatever the umask, and belong to the caller's ids;
 * folders also get rwx for their owner. ERR_GUEST when the stream is malformed, ERR_LIMIT beyond a
 * limit, ERR_SYSTEM. What was laid before a failure stays. Needs a stack of 48 KiB and no heap. */
/* With ENOSPC in err->sys where the folder itself is full. */
int lay_receive(int stream_fd, int work_dirfd, struct lay_limits limits, struct err *err);

/* NULL when the path is relative, at most LAY_PATH_MAX bytes, and made of components of 1 to
 * LAY_NAME_MAX bytes that are neither "." nor ".." and hold no NUL; else what is wrong, as the end
 * of a sentence. */
const char *lay_path_problem(struct str path);

/* Cuts "a/b/c" into "a/b" and "c"; the folder of "c" is "". */
void lay_path_split(struct str path, struct str *ret_folder, struct str *ret_name);

/* A place below `root_fd`, reached one component at a time and never through a symbolic link. That
 * holds whatever is renamed meanwhile, on every kernel (openat2 with RESOLVE_BENEATH does the
 * same in one call, since Linux 5.6). The last folder stays open, because files come folder by
 * folder. */
struct lay_place {
    int root_fd; /* the caller's */
    int fd;      /* the folder `path`, -1 for none yet */
    size_t path_n;
    char path[LAY_PATH_MAX + 1];
};

void lay_place_init(struct lay_place *place, int root_fd);
void lay_place_done(struct lay_place *place);
/* A descriptor of that folder (O_PATH, so good for *at calls only), which stays the place's and is
 * valid until the next call; "" is the root itself. With `create`, missing folders are made with
 * mode 0777 less the umask. -1 with errno: ENOTDIR when a link or a file is in the way. */
int lay_place_open(struct lay_place *place, struct str folder, bool create);

#endif
