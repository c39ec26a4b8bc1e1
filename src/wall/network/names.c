/* SPDX-License-Identifier: Apache-2.0 */
#include "network/names.h"

#include <stdlib.h>

#include "base/mem.h"

enum {
    SLOTS = 2 * NAMES_MAX,
    FIRST = 16, /* the position in 198.18.0.0/15 of the first name's address */
};

void names_done(struct names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->list[i]);
    free(names->list);
    free(names->slots);
    *names = (struct names){0};
}

/* The slot that has the name, or the free one where it belongs. */
static uint16_t *find_slot(const struct names *names, struct str name)
{
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < name.n; i++)
        hash = (hash ^ (unsigned char)name.p[i]) * 16777619u;
    for (size_t at = hash % SLOTS;; at = (at + 1) % SLOTS) {
        uint16_t *slot = &names->slots[at];
        if (!*slot || str_is(name, names->list[*slot - 1]))
            return slot;
    }
}

bool names_give(struct names *names, struct str name, struct net_address *ret)
{
    if (!names->list) {
        names->list = xcalloc(NAMES_MAX, sizeof *names->list);
        names->slots = xcalloc(SLOTS, sizeof *names->slots);
    }
    uint16_t *slot = find_slot(names, name);
    if (!*slot) {
        if (names->n == NAMES_MAX)
            return false;
        names->list[names->n++] = xstrndup(name.p, name.n);
        *slot = (uint16_t)names->n;
    }
    net_address_make_fake(FIRST + *slot - 1u, ret);
    return true;
}

const char *names_find(const struct names *names, const struct net_address *address)
{
    long position = net_address_fake(address);

    return position >= FIRST && (size_t)(position - FIRST) < names->n
               ? names->list[position - FIRST]
               : NULL;
}
