/* SPDX-License-Identifier: Apache-2.0
 *
 * How much of something one owner may take if several ask. Each token's name is an owner, and so is
 * the host's own user on the Unix socket.
 *
 * An owner may always have an equal part. Beyond that it may have as much as it leaves free for
 * others. So one owner never fills everything, and capacity that other owners do not use is not
 * wasted.
 */
#ifndef HOSTING_SHARE_H
#define HOSTING_SHARE_H

#include <stdbool.h>
#include <stdint.h>

/* May an owner that has `own` have `more`? All owners together have `all`, and may have `most`. */
static inline bool share_allows(uint64_t own, uint64_t more, uint64_t all, uint64_t most,
                                unsigned owners)
{
    if (all > most || more > most - all)
        return false;
    return owners <= 1 || own == 0 || own + more <= most / owners || own + more <= most - all;
}

#endif
