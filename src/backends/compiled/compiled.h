/* SPDX-License-Identifier: Apache-2.0
 *
 * The folder of compiled programs, $XDG_CACHE_HOME/glovebox/compiled or
 * ~/.cache/glovebox/compiled, which processes of one user share:
 *
 *     KEY/out/     the product: read-only, shown to runs, never written by one
 *     KEY/about    the size of the product, and what the compiler reported
 *     making-*     products that are not complete, each locked by its maker
 *     lock-*       one maker for each key at a time
 *
 * An entry appears under its key when it is complete, by a rename, so that a killed process leaves
 * nothing half made: the next pruning removes what it left. Entries are used under a shared lock,
 * and removed under an exclusive one. Beyond a ceiling, the least recently used ones go.
 *
 * What a compiler made is hostile: links and special files are refused, and nothing is followed.
 */
#ifndef COMPILED_COMPILED_H
#define COMPILED_COMPILED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/sha256.h"

/* The ceilings of the folder. */
#define COMPILED_BYTES_MAX   (1ull << 30)
#define COMPILED_ENTRIES_MAX 1000u

/* A product in use. */
struct compiled {
    char *folder;        /* the host path of out/; NULL: none */
    char *report;        /* the compiler's messages, such as warnings */
    int64_t duration_ms; /* of the compilation */
    int lock_fd;         /* keeps the folder */
    bool temporary;      /* it is removed when it is no longer used */
};

/* A product that is being made. */
struct compiled_making {
    char *folder; /* takes what the compiler wrote; its subfolder `out` is the product */
    int lock_fd;  /* of the key */
    int maker_fd; /* of making-* */
    bool kept;    /* it becomes an entry */
};

/* The subfolder of the workspace, and of a making's folder, that takes the product. */
#define COMPILED_OUT     "glovebox-compiled"
/* The product in it: a file or a folder, as the compiler makes it. */
#define COMPILED_PROGRAM "program"

/* Looks for an entry, and marks it as used. False if there is none. */
bool compiled_find(const char key[SHA256_HEX], struct compiled *ret);
/* Begins to make an entry; waits while another process or thread makes one with this key: look for
 * the entry again then. Without a usable folder, or with `key` NULL, the product is temporary, and
 * compiled_done removes it. 1 if cancel_fd (-1: none) became readable. */
int compiled_begin(const char *key, int cancel_fd, struct compiled_making *ret, struct err *err);
/* Takes the product, and ends the making. ERR_GUEST if there is none, or if it has anything but
 * files and folders. The report and the time are kept with it. */
int compiled_end(struct compiled_making *making, const char *key, const char *report,
                 int64_t duration_ms, struct compiled *ret, struct err *err);
/* Ends a making without a product; harmless after compiled_end. */
void compiled_abandon(struct compiled_making *making);
void compiled_done(struct compiled *compiled);

/* For `doctor` and its test: the folder's path, or NULL. The caller frees. */
char *compiled_folder(void);

#endif
