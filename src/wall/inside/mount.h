/* SPDX-License-Identifier: Apache-2.0
 *
 * Mounts by descriptor: the mount API of Linux 5.2 to 5.12. A mount is made or cloned detached,
 * gets its attributes while no guest can see it, and is then attached. Every function returns -1
 * with errno on failure, unless it has an err.
 */
#ifndef INSIDE_MOUNT_H
#define INSIDE_MOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum mount_flags {
    MOUNT_RDONLY = 0x1,
    MOUNT_NOSUID = 0x2,
    MOUNT_NODEV = 0x4,
    MOUNT_NOEXEC = 0x8,
};

/* A detached clone of the mount at `path`; recursive: with the mounts below it. */
int mount_clone(const char *path, bool recursive);
/* Adds attributes (MOUNT_*). */
int mount_set(int tree, bool recursive, uint64_t attr);
int mount_attach_over(int tree, int over); /* `over` is an open file or folder that is attached */
int mount_attach(int tree, const char *where);
/* Makes a new filesystem, detached. `options` is a NULL-terminated list of names and values, or
 * NULL. */
int mount_make(const char *type, const char *const *options, unsigned attr, struct err *err);

#endif
