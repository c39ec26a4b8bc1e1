/* SPDX-License-Identifier: Apache-2.0
 *
 * System calls that were refused, by name.
 */
#include <stdio.h>
#include <string.h>

#include "base/wire.h"
#include "inside/inside.h"

static struct denial *denials_find(struct denials *all, const char *name)
{
    for (unsigned i = 0; i < all->count; i++)
        if (strcmp(all->list[i].name, name) == 0)
            return &all->list[i];
    if (all->count > MSG_DENIED_NAMES)
        return &all->list[MSG_DENIED_NAMES];
    struct denial *d = &all->list[all->count++];
    snprintf(d->name, sizeof d->name, "%s", all->count > MSG_DENIED_NAMES ? "other" : name);
    return d;
}

void denials_report_one(const struct denial *d)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, MSG_MAX);
    wire_put_u32(&b, MSG_DENIED);
    wire_put_cstr(&b, d->name);
    wire_put_u64(&b, d->count);
    report_buf(&b);
}

const struct denial *denials_count(struct denials *all, const char *name)
{
    struct denial *d = denials_find(all, name);

    d->count++;
    return d;
}

void denials_report(const struct denials *all)
{
    for (unsigned i = 0; i < all->count; i++)
        denials_report_one(&all->list[i]);
}

void denials_put(const struct denials *all, struct buf *message)
{
    wire_put_u32(message, all->count);
    for (unsigned i = 0; i < all->count; i++) {
        wire_put_cstr(message, all->list[i].name);
        wire_put_u64(message, all->list[i].count);
    }
}
