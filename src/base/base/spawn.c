/* SPDX-License-Identifier: Apache-2.0 */
#include "base/spawn.h"

#include <signal.h>

void spawn_plainly(posix_spawnattr_t *attr)
{
    sigset_t set;

    posix_spawnattr_init(attr);
    sigfillset(&set);
    posix_spawnattr_setsigdefault(attr, &set);
    sigemptyset(&set);
    posix_spawnattr_setsigmask(attr, &set);
    posix_spawnattr_setpgroup(attr, 0);
    posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                                       POSIX_SPAWN_SETPGROUP);
}
