/* SPDX-License-Identifier: Apache-2.0
 *
 * Limits how much of a resource one owner may have when several owners need it. Each token's name
 * is an owner, and so is the host's own user on the Unix socket.
 *
 * An owner may have an equal part, if that is free. It may have more if its new total is at most
 * what was free before. An owner that has nothing may take anything that is free. So one owner
 * hardly ever takes everything, and capacity that other owners do not use is not wasted.
 */
#ifndef HOSTING_SHARE_H
#define HOSTING_SHARE_H

#include <stdbool.h>
#include <stdint.h>

/* True if an owner that has `own` may have `more`. All owners together have `all`, and may have
 * at most `most`. */
static inline bool share_allows(uint64_t own, uint64_t more, uint64_t all, uint64_t most,
                                unsigned owners)
{
    if (all > most || more > most - all)
        return false;
    return owners <= 1 || own == 0 || own + more <= most / owners || own + more <= most - all;
}

#endif
