/* SPDX-License-Identifier: Apache-2.0 */
#include "hosting/holding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct holding *holding_of(struct holding **all, const char *owner)
{
    struct holding *h = *all;

    while (h && strcmp(h->owner, owner) != 0)
        h = h->next;
    if (h)
        return h;
    h = xcalloc(1, sizeof *h);
    snprintf(h->owner, sizeof h->owner, "%s", owner);
    h->next = *all;
    *all = h;
    return h;
}

void holdings_free(struct holding *all)
{
    for (struct holding *next; all; all = next) {
        next = all->next;
        free(all);
    }
}
