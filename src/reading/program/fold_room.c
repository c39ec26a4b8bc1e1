/* SPDX-License-Identifier: Apache-2.0
 *
 * The limits on the cost of folding, and the memory for its strings.
 */
#include <string.h>

#include "program/fold.h"

bool fold_pay(struct fold *f, size_t cost)
{
    if (f->fuel <= cost || arena_used(f->arena) > FOLD_ROOM) {
        f->fuel = f->fuel <= cost ? 0 : f->fuel;
        f->gave_up = true;
        return false;
    }
    f->fuel -= cost;
    return true;
}

struct value *fold_room(struct fold *f, enum value_kind kind, size_t n, char **ret)
{
    if (n > VALUE_MAX_TEXT || !fold_pay(f, n / 8 + 2))
        return NULL;
    struct value *v = value_new(f->arena, kind);
    *ret = arena_alloc(f->arena, n + 1);
    (*ret)[n] = '\0';
    v->text = (struct str){*ret, n};
    v->pieced = true;
    return v;
}

const struct value *fold_text(struct fold *f, enum value_kind kind, struct str text, bool decoded)
{
    char *room;
    struct value *v = fold_room(f, kind, text.n, &room);

    if (!v)
        return &value_unknown;
    memcpy(room, text.p, text.n);
    v->decoded = decoded;
    return v;
}
