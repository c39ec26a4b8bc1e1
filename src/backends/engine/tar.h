/* SPDX-License-Identifier: Apache-2.0
 *
 * A tar archive in an unnamed file (POSIX ustar; a name that is too long for it is written as GNU
 * tar does). Owner and time are always 0, so equal content gives equal bytes and the same hash.
 *
 *     tar_open(&t, &err);
 *     tar_add(&t, &(struct tar_entry){.name = "a/b", .mode = 0644, .size = bytes.n}, bytes, &err);
 *     tar_end(&t, &err);      ... t.fd, t.size, t.hash ...
 *     tar_done(&t);
 */
#ifndef ENGINE_TAR_H
#define ENGINE_TAR_H

#include <stdint.h>

#include "base/err.h"
#include "base/sha256.h"
#include "base/str.h"

#define TAR_BYTES_MAX ((uint64_t)1 << 30)

enum tar_kind { TAR_FILE = '0', TAR_LINK = '2', TAR_FOLDER = '5' };

struct tar_entry {
    const char *name;   /* at most 4095 bytes */
    const char *target; /* of a link, at most 100 bytes; NULL for others */
    enum tar_kind kind; /* 0: a file */
    unsigned mode;      /* permission bits */
    uint64_t size;      /* of a file's content */
};

struct tar {
    int fd; /* after tar_end, at its start */
    uint64_t size;
    struct sha256 sum;
    char hash[SHA256_HEX]; /* after tar_end */
};

/* Each of these returns -1 with ERR_LIMIT beyond TAR_BYTES_MAX. */
int tar_open(struct tar *t, struct err *err);
int tar_add(struct tar *t, const struct tar_entry *entry, struct str content, struct err *err);
/* As tar_add, with the content from a file. ERR_SYSTEM if the file is shorter than the entry. */
int tar_add_file(struct tar *t, const struct tar_entry *entry, int fd, struct err *err);
int tar_end(struct tar *t, struct err *err);
void tar_done(struct tar *t); /* after {.fd = -1}, too */

#endif
