/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_SPAWN_H
#define BASE_SPAWN_H

#include <spawn.h>

/* Attributes of a program of ours that a host starts: the host may ignore or block signals, and
 * the program must start without that. It has a process group of its own, because what is typed at
 * a terminal goes to a whole group: Ctrl-C is for the host, which then ends the program and says
 * why. The caller destroys *attr. */
void spawn_plainly(posix_spawnattr_t *attr);

#endif
