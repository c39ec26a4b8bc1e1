/* SPDX-License-Identifier: Apache-2.0
 *
 * What must not be seen of the folders that the guest is shown. A read-only mount does not keep a
 * guest from connecting to a socket, nor from reading what another process puts into a named pipe.
 * So before a root is made, such a folder (spec_op.look) is looked through by its names, and an
 * empty file is mounted over each socket and pipe. (Devices are closed by nodev.) No link is
 * followed; mounts below are entered, except for /proc and /sys. A folder in it that
 * we may not list is covered as a whole; one that is to be shown itself is refused.
 *
 * One that is made after the look is not covered: a Landlock that knows of sockets (Linux 7.1)
 * keeps the guest from those, too. The look has bounds: beyond LOOK_ENTRIES_MAX names in
 * one folder, LOOK_MS_MAX or LOOK_FOUND_MAX finds in all, the jail is not started.
 */
#ifndef INSIDE_LOOK_H
#define INSIDE_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "jail/spec.h"

#define LOOK_ENTRIES_MAX 2000000u
#define LOOK_MS_MAX      20000
#define LOOK_FOUND_MAX   512u

struct found {
    const struct spec_op *op; /* below the folder of this step, */
    char *path;               /* here */
    mode_t type;              /* S_IFSOCK, S_IFIFO, a device's, or S_IFDIR of one we may not list */
};
struct finds {
    struct found *list;
    size_t count;
    bool has_device; /* one is enough: it is never covered */
};

/* With the host's ids. The steps must stay where they are. */
int look_through(const struct jail_spec *spec, struct finds *ret, struct err *err);
/* Where nothing can be covered, because there is no private root: names one that would be open to
 * the guest. Sockets are not, the filter refuses them. */
int look_refuse(const struct finds *finds, struct err *err);

#endif
