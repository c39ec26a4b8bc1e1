/* SPDX-License-Identifier: Apache-2.0
 *
 * Entries of a tar archive (POSIX ustar; a name that is too long for it is written as GNU tar
 * does). Owner and time are always 0, so equal content gives equal bytes.
 *
 *     tar_add_head(&b, &(struct tar_entry){.name = "a/b", .mode = 0644, .size = n});
 *     buf_add(&b, bytes, n);
 *     tar_add_padding(&b, n);
 *     tar_add_end(&b);
 */
#ifndef DOCKER_TAR_H
#define DOCKER_TAR_H

#include <stdint.h>

#include "base/buf.h"

enum { TAR_BLOCK = 512, TAR_HEAD_MAX = 16 << 10 }; /* with two names of 4095 bytes */

enum tar_kind { TAR_FILE = '0', TAR_LINK = '2', TAR_FOLDER = '5' };

struct tar_entry {
    const char *name;
    const char *target; /* of a link; else NULL */
    enum tar_kind kind; /* 0: a file */
    unsigned mode;      /* permission bits */
    uint64_t size;      /* of a file's content; below 8 GiB */
};

void tar_add_head(struct buf *b, const struct tar_entry *entry);
void tar_add_padding(struct buf *b, uint64_t size);
void tar_add_end(struct buf *b);

#endif
