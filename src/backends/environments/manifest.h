/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of an unpacked wheel, with their hashes. As a text, a line for each file: its SHA-256,
 * "x" if it is executable or "-", its size, its path.
 */
#ifndef ENVIRONMENTS_MANIFEST_H
#define ENVIRONMENTS_MANIFEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/sha256.h"

struct manifest_file {
    char *path; /* zip_is_plain */
    char sha256[SHA256_HEX];
    uint64_t size;
    bool executable;
};

struct manifest {
    struct manifest_file *files;
    size_t count, room;
};

void manifest_done(struct manifest *m);
/* Adds a file and returns it, with an empty hash. */
struct manifest_file *manifest_add(struct manifest *m, struct str path);
void manifest_sort(struct manifest *m);
/* In a sorted manifest; NULL if the path is not in it. */
struct manifest_file *manifest_find(const struct manifest *m, struct str path);
uint64_t manifest_bytes(const struct manifest *m);

/* True if the file in this folder has the hash of its entry. */
bool manifest_file_fits(int folder, const struct manifest_file *file);

void manifest_write(const struct manifest *m, struct buf *ret);
/* -1 with ERR_SYSTEM if the text is not one that manifest_write wrote. */
int manifest_read(struct str text, struct manifest *ret, struct err *err);

#endif
