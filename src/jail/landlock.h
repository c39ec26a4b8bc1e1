/* SPDX-License-Identifier: Apache-2.0
 *
 * Landlock: a second wall, made of the guest's own paths. Debian 12's headers know ABI 2 at most,
 * so the definitions are our own; on an older kernel the newer rights are masked out.
 */
#ifndef JAIL_LANDLOCK_H
#define JAIL_LANDLOCK_H

#include <stdbool.h>

#include "base/err.h"

/* The kernel's ABI version, 0 when there is no Landlock. */
int landlock_abi(void);

enum landlock_grant {
    LANDLOCK_LIST,   /* folder names may be read, nothing else */
    LANDLOCK_READ,   /* read and execute */
    LANDLOCK_WRITE,  /* everything but device nodes */
    LANDLOCK_DEVICE, /* read and write an existing device */
};

/* A ruleset that denies all it can: files, TCP unless `net`, signals and abstract sockets to the
 * outside. Returns its descriptor. */
int landlock_create(bool net, struct err *err);
/* A path that does not exist is no failure: it cannot be reached either. */
int landlock_allow(int ruleset, const char *path, enum landlock_grant grant, struct err *err);
/* Closes the door; no_new_privs must be set. */
int landlock_enforce(int ruleset, struct err *err);

#endif
