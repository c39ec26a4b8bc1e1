/* SPDX-License-Identifier: Apache-2.0
 *
 * Landlock: a second wall, which holds by the guest's paths. The headers of Debian 12 know only ABI
 * 2, so the definitions are our own. On an older kernel, rights that it does not know are left out.
 */
#ifndef JAIL_LANDLOCK_H
#define JAIL_LANDLOCK_H

#include <stdbool.h>

#include "base/err.h"

/* The kernel's ABI version, or 0 if there is no Landlock. */
int landlock_abi(void);

enum landlock_grant {
    LANDLOCK_LIST,   /* only read the names in folders */
    LANDLOCK_READ,   /* read and execute */
    LANDLOCK_WRITE,  /* everything but device nodes */
    LANDLOCK_DEVICE, /* read and write an existing device */
};

/* Creates a ruleset that denies everything that Landlock can deny: files, TCP (unless `net`), and
 * signals and abstract sockets to processes outside. Returns its descriptor. */
int landlock_create(bool net, struct err *err);
/* A missing path is no failure: the guest cannot reach it either. */
int landlock_allow(int ruleset, const char *path, enum landlock_grant grant, struct err *err);
/* Applies the ruleset to this thread; no_new_privs must be set. */
int landlock_enforce(int ruleset, struct err *err);

#endif
