/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_SPAWN_H
#define BASE_SPAWN_H

#include <spawn.h>

/* Attributes for starting one of our own programs. The host program may ignore or block signals;
 * the new program starts with the defaults. It has its own process group, because Ctrl-C at a
 * terminal goes to a whole group: only the host program receives it, then terminates the new
 * program and reports why. The caller destroys *attr. */
void spawn_plainly(posix_spawnattr_t *attr);

#endif
