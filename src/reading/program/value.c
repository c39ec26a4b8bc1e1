/* SPDX-License-Identifier: Apache-2.0 */
#include "program/value.h"

#include <string.h>

const struct value value_unknown = {.kind = VALUE_UNKNOWN, .kept = true};
const struct value value_sought = {.kind = VALUE_UNKNOWN, .sought = true, .kept = true};
const struct value value_none = {.kind = VALUE_NONE, .kept = true};
const struct value value_decoded = {.kind = VALUE_DECODED, .kept = true};
const struct value value_made = {.kind = VALUE_MADE, .kept = true};

struct value *value_new(struct arena *a, enum value_kind kind)
{
    struct value *v = arena_zalloc(a, sizeof *v);

    v->kind = kind;
    return v;
}

const struct value *value_int(struct arena *a, int64_t n)
{
    struct value *v = value_new(a, VALUE_INT);

    v->integer = n;
    return v;
}

const struct value *value_huge(struct arena *a, double bits)
{
    struct value *v = value_new(a, VALUE_HUGE);

    v->real = bits;
    return v;
}

const struct value *value_text(struct arena *a, enum value_kind kind, struct str text)
{
    struct value *v = value_new(a, kind);

    v->text = text;
    return v;
}

const struct value *value_path(struct arena *a, struct str base, const char *between,
                               struct str rest)
{
    size_t middle = strlen(between), n = base.n + middle + rest.n;

    if (n > VALUE_MAX_PATH)
        return &value_unknown;
    char *p = arena_alloc(a, n + 1);
    memcpy(p, base.p, base.n);
    memcpy(p + base.n, between, middle);
    memcpy(p + base.n + middle, rest.p, rest.n);
    p[n] = '\0';
    return value_text(a, VALUE_PATH, (struct str){p, n});
}

struct value *value_list(struct arena *a, enum value_kind kind, size_t n)
{
    struct value *v = value_new(a, kind);

    v->n = n;
    v->items = arena_alloc(a, (n + 1) * sizeof *v->items);
    return v;
}

size_t value_count(const struct value *v)
{
    return v->kind == VALUE_ANY ? v->n : 1;
}

const struct value *value_at(const struct value *v, size_t i)
{
    return v->kind == VALUE_ANY ? v->items[i] : v;
}

static bool value_same(const struct value *x, const struct value *y)
{
    if (x == y)
        return true;
    if (x->kind != y->kind)
        return false;
    switch ((int)x->kind) {
    case VALUE_PATH:
    case VALUE_TEXT:
    case VALUE_BYTES:
    case VALUE_SPACE:
        return str_eq(x->text, y->text);
    case VALUE_INT:
    case VALUE_BOOL:
        return x->integer == y->integer;
    case VALUE_FUNCTION:
    case VALUE_CLASS:
        return x->node == y->node;
    }
    return false;
}

static void add_alternatives(struct value *any, const struct value *v)
{
    for (size_t i = 0; i < value_count(v) && any->n < VALUE_MAX_ANY; i++) {
        bool known = false;
        for (size_t k = 0; k < any->n && !known; k++)
            known = value_same(any->items[k], value_at(v, i));
        if (!known)
            any->items[any->n++] = value_at(v, i);
    }
}

const struct value *value_either(struct arena *a, const struct value *x, const struct value *y)
{
    if (x->kind == VALUE_UNKNOWN)
        return y->kind == VALUE_UNKNOWN && x->sought ? x : y;
    if (value_same(x, y))
        return y;
    if (y->kind == VALUE_UNKNOWN)
        return x;
    struct value *any = value_list(a, VALUE_ANY, VALUE_MAX_ANY);
    any->n = 0;
    add_alternatives(any, x);
    add_alternatives(any, y);
    any->open = x->open || y->open;
    return any->n == 1 ? any->items[0] : any;
}

const struct value *value_hide(struct arena *a, const struct value *v)
{
    if (v->kind == VALUE_UNKNOWN || v->hidden)
        return v;
    struct value *copy = value_new(a, v->kind);
    *copy = *v;
    copy->hidden = true;
    copy->kept = false;
    return copy;
}

const struct value *value_guess(struct arena *a, const struct value *v)
{
    struct value *copy = value_new(a, v->kind);

    *copy = *v;
    copy->guessed = copy->open = true;
    copy->kept = false;
    return copy;
}

const struct value *value_open(struct arena *a, const struct value *v)
{
    if (v->kind == VALUE_UNKNOWN || v->open)
        return v;
    struct value *copy = value_new(a, v->kind);
    *copy = *v;
    copy->open = true;
    copy->kept = false;
    return copy;
}

static bool has_text(enum value_kind kind)
{
    return kind == VALUE_TEXT || kind == VALUE_BYTES || kind == VALUE_PATH || kind == VALUE_SPACE ||
           kind == VALUE_METHOD || kind == VALUE_ENDLESS;
}

static const struct value **keep_all(struct arena *a, const struct value **items, size_t n)
{
    const struct value **kept = arena_alloc(a, (n + 1) * sizeof *kept);

    for (size_t i = 0; i < n; i++)
        kept[i] = value_keep(a, items[i]);
    return kept;
}

const struct value *value_keep(struct arena *a, const struct value *v)
{
    struct value *kept;

    if (v->kept)
        return v;
    kept = value_new(a, v->kind);
    *kept = *v;
    kept->kept = true;
    if (has_text(v->kind) || (v->kind == VALUE_GETTER && v->text.p))
        kept->text = arena_str(a, v->text);
    if (v->items)
        kept->items = keep_all(a, v->items, v->n);
    if (v->keys)
        kept->keys = keep_all(a, v->keys, v->n);
    return kept;
}

bool value_truth(const struct value *v, bool *ret)
{
    switch ((int)v->kind) {
    case VALUE_NONE:
        *ret = false;
        return true;
    case VALUE_BOOL:
    case VALUE_INT:
        *ret = v->integer != 0;
        return true;
    case VALUE_FLOAT:
        *ret = v->real != 0;
        return true;
    case VALUE_HUGE:
        *ret = true;
        return true;
    case VALUE_TEXT:
    case VALUE_BYTES:
        *ret = v->text.n != 0;
        return true;
    case VALUE_LIST:
    case VALUE_DICT:
        *ret = v->n != 0;
        return true;
    case VALUE_FUNCTION:
    case VALUE_CLASS:
        *ret = true;
        return true;
    }
    return false;
}
