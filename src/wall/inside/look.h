/* SPDX-License-Identifier: Apache-2.0
 *
 * Sockets, named pipes and unlistable folders in the folders that the guest is shown. A read-only
 * mount does not keep a guest from connecting to a socket, nor from reading data that another
 * process writes to a named pipe. So before a root is made, each shown folder (spec_op.look) is
 * searched, and an empty file is mounted over each socket and pipe. (Devices are closed by nodev.)
 * No link is followed; mounts below are entered, except for /proc and /sys. If we may not list a
 * subfolder, or the path of a folder, socket or pipe in it is too long, the whole subfolder is
 * covered. If we may not list the shown folder itself, the jail is refused.
 *
 * A socket that is made after the search is not covered; from Linux 7.1, Landlock keeps the guest
 * from it. The search has bounds: with more than LOOK_ENTRIES_MAX names in one shown folder, or
 * more than LOOK_CPU_MS_MAX, LOOK_WALL_MS_MAX or LOOK_FOUND_MAX finds in all, the jail is not
 * started. The first bound is processor time, because a busy host makes nothing wrong with a
 * folder.
 */
#ifndef INSIDE_LOOK_H
#define INSIDE_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "jail/spec.h"

#define LOOK_ENTRIES_MAX 2000000u
#define LOOK_CPU_MS_MAX  20000
#define LOOK_WALL_MS_MAX 120000
#define LOOK_FOUND_MAX   512u

struct found {
    const struct spec_op *op; /* the step that shows the folder */
    char *path;               /* relative to that folder */
    mode_t type; /* S_IFSOCK, S_IFIFO, a device's, or S_IFDIR for a folder that we may not list */
    bool deep;   /* a folder in which a path is too long */
};
struct finds {
    struct found *list;
    size_t count;
    bool has_device; /* only the first device is kept: devices are never covered */
};

/* Searches with the host's ids. The result points to the spec's steps, so these must not move. */
int look_through(const struct jail_spec *spec, struct finds *ret, struct err *err);
/* For a jail without a private root, where nothing can be covered: returns -1, with *err, if a
 * pipe, device or too long path would be open to the guest. Sockets would not: the filter refuses
 * them. */
int look_refuse(const struct finds *finds, struct err *err);

#endif
