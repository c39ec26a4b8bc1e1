/* SPDX-License-Identifier: Apache-2.0
 *
 * Names are resolved by the host's own resolver (/etc/hosts, name servers, and whatever else it is
 * set up for), in threads, because it blocks.
 */
#ifndef NETWORK_LOOKUP_H
#define NETWORK_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "network/address.h"

enum { LOOKUP_ADDRESSES = 8 };

struct lookup {
    char *name;
    void *owner; /* NULL: nothing needs the answer any more */
    uint64_t guest;
    bool is_further; /* the guest had others when it began */
    struct net_address list[LOOKUP_ADDRESSES];
    size_t n;        /* 0: it failed */
    const char *why; /* static; the reason then */
    struct lookup *next;
};

/* `answered` is called in the loop's thread with each answer, also without an owner; the lookup is
 * freed afterwards. */
void lookup_open(void (*answered)(struct lookup *lookup));
struct lookup *lookup_begin(const char *name, void *owner, uint64_t guest, bool is_further);

#endif
