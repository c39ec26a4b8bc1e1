/* SPDX-License-Identifier: Apache-2.0
 *
 * Folders of products: for compiled.c only. Nothing is followed, and nothing deeper than
 * COMPILED_DEPTH is touched.
 */
#ifndef COMPILED_COMPILED_TREE_H
#define COMPILED_COMPILED_TREE_H

#include <stdint.h>

/* Makes files and folders below the folder read-only: 0555 where the owner may execute, else 0444.
 * Returns the number of bytes in *ret_bytes. -1 with errno; EINVAL for anything but files and
 * folders. */
int compiled_seal(int dirfd, uint64_t *ret_bytes);
/* Removes a folder with everything in it, read-only or not. */
void compiled_remove(int parent_fd, const char *name);
/* Removes entries until the folder is below the ceilings, and what dead makers left. */
void compiled_prune(int root_fd, uint64_t bytes_max, uint64_t entries_max);
/* Reads the size in an entry's file `about`; 0 if it is missing or invalid. */
uint64_t compiled_size(int entry_fd);

#endif
