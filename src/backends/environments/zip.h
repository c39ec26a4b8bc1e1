/* SPDX-License-Identifier: Apache-2.0
 *
 * A strict reader of zip files, which is what wheels are. The bytes may be hostile.
 *
 * An archive is refused as a whole, with the reason, if it has a name that is not a plain relative
 * path, a link or another special file, a name twice, encryption, another method than "stored" and
 * "deflated", parts that overlap, a size or a checksum that is wrong, or more than the ceilings
 * below. Nothing that the archive says is believed before it was checked: a file never gets more
 * bytes than were announced.
 */
#ifndef ENVIRONMENTS_ZIP_H
#define ENVIRONMENTS_ZIP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum { ZIP_NAME_MAX = 1024, ZIP_DEPTH_MAX = 64, ZIP_FILES_MAX = 65534 };
#define ZIP_BYTES_MAX (8ULL << 30) /* of all files together */

struct zip_file {
    struct str name; /* valid UTF-8 without control characters, backslashes, "." and ".." */
    uint64_t size;
    bool executable;
};

/* Each returns 0, or -1 with *err to stop. Folders are not reported. */
struct zip_sink {
    void *ctx;
    int (*begin)(void *ctx, const struct zip_file *file, struct err *err);
    int (*data)(void *ctx, const void *p, size_t n, struct err *err);
    int (*end)(void *ctx, struct err *err);
};

/* Calls the sink for each file. -1 with ERR_GUEST if the archive is refused; the sink may have
 * received a part of it. */
int zip_read(struct str bytes, const struct zip_sink *sink, struct err *err);
/* True for a relative path as it may be in an archive, without a slash at the end. */
bool zip_is_plain(struct str name);

#endif
