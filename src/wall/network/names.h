/* SPDX-License-Identifier: Apache-2.0
 *
 * The names that a guest has looked up, and the addresses of 198.18.0.0/15 that stand for them
 * inside. An address keeps its name as long as the guest lives: a program may remember it.
 */
#ifndef NETWORK_NAMES_H
#define NETWORK_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "network/address.h"

enum { NAMES_MAX = 4096 };

/* The proxy (proxy_head.h), which is there for every guest: 198.18.0.1. */
#define NAMES_PROXY          "proxy.glovebox"
#define NAMES_PROXY_POSITION 1

struct names {
    char **list;
    uint16_t *slots; /* a hash table: a position in the list plus 1, or 0 */
    size_t n;
};

void names_done(struct names *names);
/* The address for a name, which gets one now if it has none. False if there are NAMES_MAX names. */
bool names_give(struct names *names, struct str name, struct net_address *ret);
/* The name for an address; NULL if it stands for none. */
const char *names_find(const struct names *names, const struct net_address *address);

#endif
