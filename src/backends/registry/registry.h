/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of all backends. It is above the rooms with a backend, so that none of these depends on
 * another.
 */
#ifndef REGISTRY_REGISTRY_H
#define REGISTRY_REGISTRY_H

#include "backends/backend.h"

extern const struct backend *const backends[]; /* NULL-terminated */
/* Finds a backend by its name or alias. NULL with *err, which lists the names. */
const struct backend *backend_find(struct str name, struct err *err);
/* "jail (behind the kernel's own locks, on this machine) or host (...)", for help. */
void backend_describe_all(struct buf *b);

#endif
