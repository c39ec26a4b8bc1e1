/* SPDX-License-Identifier: Apache-2.0
 *
 * A walk through a folder of this host. No link is followed, so nothing outside of it is read.
 */
#ifndef ENGINE_FOLDER_H
#define ENGINE_FOLDER_H

#include <sys/stat.h>

#include "base/err.h"

struct folder_entry {
    const char *path; /* relative to the folder */
    int dirfd;        /* its parent folder */
    const char *name;
    const struct stat *st;
};

/* Returning -1, with *err, ends the walk. */
typedef int folder_entry_fn(void *ctx, const struct folder_entry *entry, struct err *err);

/* Calls `see` for each entry, for a folder before its entries. ERR_LIMIT beyond 100 000 entries,
 * 100 levels or a path of 4095 bytes; ERR_SYSTEM when a part cannot be read. The caller keeps the
 * descriptor. */
int folder_walk(int fd, folder_entry_fn *see, void *ctx, struct err *err);

#endif
