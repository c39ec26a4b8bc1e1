/* SPDX-License-Identifier: Apache-2.0
 *
 * Constants, containers and formatted strings as literals.
 */
#include "program/resolve.h"

static struct arena *resolve_literal_arena_of(struct resolver *r)
{
    return r->fold.arena;
}

static double big_int_bits(struct str digits)
{
    bool hex = digits.n > 1 && (digits.p[1] | 0x20) == 'x';

    return (double)digits.n * (hex ? 4 : 3.33);
}

const struct value *resolve_constant(struct resolver *r, const struct node *n)
{
    struct value *v;

    switch ((enum constant_kind)n->op) {
    case CONST_NONE:
    case CONST_ELLIPSIS:
        return n->op == CONST_NONE ? &value_none : &value_unknown;
    case CONST_FALSE:
    case CONST_TRUE:
        v = value_new(resolve_literal_arena_of(r), VALUE_BOOL);
        v->integer = n->op == CONST_TRUE;
        return v;
    case CONST_INT:
        return value_int(resolve_literal_arena_of(r), n->constant.integer);
    case CONST_BIG_INT:
        return value_huge(resolve_literal_arena_of(r), big_int_bits(n->constant.text));
    case CONST_FLOAT:
        v = value_new(resolve_literal_arena_of(r), VALUE_FLOAT);
        v->real = n->constant.real;
        return v;
    case CONST_STR:
    case CONST_BYTES:
        return value_text(resolve_literal_arena_of(r),
                          n->op == CONST_STR ? VALUE_TEXT : VALUE_BYTES, n->constant.text);
    case CONST_COMPLEX:
        break;
    }
    return &value_unknown;
}

/* [x, *y, z]: inserts the items of starred parts; one endless starred part makes the whole
 * endless. */
static const struct value *spread_elements(struct resolver *r, struct node_list elts,
                                           const struct value *const *parts)
{
    struct value *v;
    size_t total = 0, n = 0;

    for (size_t i = 0; i < elts.n; i++) {
        if (elts.at[i]->kind == N_STARRED && parts[i]->kind == VALUE_ENDLESS)
            return parts[i];
        if (elts.at[i]->kind == N_STARRED && parts[i]->kind != VALUE_LIST)
            return &value_unknown;
        total += elts.at[i]->kind == N_STARRED ? parts[i]->n : 1;
    }
    if (total > VALUE_MAX_ITEMS || !fold_pay(&r->fold, total))
        return &value_unknown;
    v = value_list(resolve_literal_arena_of(r), VALUE_LIST, total);
    for (size_t i = 0; i < elts.n; i++) {
        bool spread = elts.at[i]->kind == N_STARRED;
        for (size_t k = 0; k < (spread ? parts[i]->n : 1); k++)
            v->items[n++] = spread ? parts[i]->items[k] : parts[i];
    }
    return v;
}

static const struct value *starred(struct resolver *r, const struct value *v)
{
    return v->kind == VALUE_ENDLESS ? v : fold_list(&r->fold, v);
}

const struct value *resolve_elements(struct resolver *r, struct node_list elts,
                                     const struct scope *scope)
{
    struct value *v;
    bool spread = false;

    if (elts.n > VALUE_MAX_ITEMS || !fold_pay(&r->fold, elts.n))
        return &value_unknown;
    v = value_list(resolve_literal_arena_of(r), VALUE_LIST, elts.n);
    for (size_t i = 0; i < elts.n; i++) {
        bool star = elts.at[i]->kind == N_STARRED;
        const struct node *n = star ? elts.at[i]->value_of.value : elts.at[i];
        const struct value *one = resolve(r, n, scope);
        v->items[i] = star ? starred(r, one) : one;
        spread |= star;
    }
    return spread ? spread_elements(r, elts, v->items) : v;
}

/* {**a, "x": y}: inserts the items of a. */
static const struct value *spread_dict(struct resolver *r, const struct value *v)
{
    struct value *all;
    size_t total = 0, n = 0;

    for (size_t i = 0; i < v->n; i++)
        total += v->keys[i] ? 1 : v->items[i]->kind == VALUE_DICT ? v->items[i]->n : 0;
    if (total > VALUE_MAX_ITEMS || !fold_pay(&r->fold, total))
        return &value_unknown;
    all = value_list(resolve_literal_arena_of(r), VALUE_DICT, total);
    all->keys = arena_alloc(resolve_literal_arena_of(r), (total + 1) * sizeof *all->keys);
    for (size_t i = 0; i < v->n; i++) {
        const struct value *inner = v->items[i];
        for (size_t k = 0; !v->keys[i] && inner->kind == VALUE_DICT && k < inner->n; k++) {
            all->keys[n] = inner->keys[k];
            all->items[n++] = inner->items[k];
        }
        if (v->keys[i]) {
            all->keys[n] = v->keys[i];
            all->items[n++] = inner;
        }
    }
    return value_open(resolve_literal_arena_of(r), all);
}

const struct value *resolve_dict(struct resolver *r, const struct node *n,
                                 const struct scope *scope)
{
    size_t count = n->dict.keys.n;
    bool spread = false;
    struct value *v;

    if (count > VALUE_MAX_ITEMS || !fold_pay(&r->fold, count))
        return &value_unknown;
    v = value_list(resolve_literal_arena_of(r), VALUE_DICT, count);
    v->keys = arena_alloc(resolve_literal_arena_of(r), (count + 1) * sizeof *v->keys);
    for (size_t i = 0; i < count; i++) {
        const struct node *key = n->dict.keys.at[i];
        v->keys[i] = key ? resolve(r, key, scope) : NULL;
        v->items[i] = resolve(r, n->dict.values.at[i], scope);
        spread |= !key;
    }
    return spread ? spread_dict(r, v) : v;
}

const struct value *resolve_joined(struct resolver *r, const struct node *n,
                                   const struct scope *scope)
{
    const struct value *v = value_text(resolve_literal_arena_of(r), VALUE_TEXT, STR(""));

    if (n->joined.values.n > VALUE_MAX_ITEMS)
        return &value_unknown;
    for (size_t i = 0; i < n->joined.values.n && v->kind != VALUE_UNKNOWN; i++) {
        const struct node *part = n->joined.values.at[i];
        const struct value *text = &value_unknown;
        if (part->kind == N_CONSTANT)
            text = resolve_constant(r, part);
        else if (part->kind == N_FORMATTED_VALUE && !part->formatted.format_spec &&
                 (part->formatted.conversion < 0 || part->formatted.conversion == 's'))
            text = fold_str(&r->fold, resolve(r, part->formatted.value, scope));
        v = fold_binary(&r->fold, OP_ADD, v, text);
    }
    return v;
}
