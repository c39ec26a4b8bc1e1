/* SPDX-License-Identifier: Apache-2.0
 *
 * The folders that a client names as its roots, and which of them may be shown to programs.
 */
#ifndef MCP_ROOTS_H
#define MCP_ROOTS_H

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"

enum {
    ROOTS_MAX = 32,           /* shown at once; each has a line in the tools' description */
    ROOTS_WHY_MAX = 16 << 10, /* bytes of reasons */
};

struct root {
    char *path; /* resolved; the same on this host and inside */
    char *name; /* the client's name for it; NULL if it has none, or the last part of the path */
};

struct roots {
    struct root at[ROOTS_MAX];
    size_t n;
    struct buf why; /* a line for each root that is left out; of many, the first and their number */
};

/* Reads `list`, the array of a client's answer; any other value, NULL too, is an empty list. Looks
 * at the folders, so it may wait for a file system. Call roots_done. */
void roots_read(const json_t *list, struct roots *ret);
void roots_done(struct roots *roots);
/* The root with this path, or NULL. */
const struct root *roots_find(const struct roots *roots, const char *path);
/* False if one of the paths no longer exists. May wait for a file system. */
bool roots_are_there(const struct roots *roots);

#endif
