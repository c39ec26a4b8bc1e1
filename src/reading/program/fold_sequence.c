/* SPDX-License-Identifier: Apache-2.0
 *
 * Items, slices and iteration: of strings by character, of bytes by number, of lists and dicts.
 */
#include <string.h>

#include "program/fold.h"
#include "syntax/unicode.h"

/* The offset at which each character of a string starts, and the offset of the end. NULL if every
 * character is one byte. */
static const uint32_t *starts_of(struct fold *f, const struct value *x, size_t *ret_n)
{
    size_t n = 0, i = 0;

    *ret_n = x->text.n;
    if (x->kind == VALUE_BYTES)
        return NULL;
    while (i < x->text.n && (unsigned char)x->text.p[i] < 0x80)
        i++;
    if (i == x->text.n)
        return NULL;
    uint32_t *starts = arena_alloc(f->arena, (x->text.n + 1) * sizeof *starts);
    for (i = 0; i < x->text.n;) {
        starts[n++] = (uint32_t)i;
        (void)unicode_next(x->text, &i);
    }
    starts[n] = (uint32_t)x->text.n;
    *ret_n = n;
    return starts;
}

static struct str character(const struct value *x, const uint32_t *starts, size_t i)
{
    size_t from = starts ? starts[i] : i, to = starts ? starts[i + 1] : i + 1;

    return (struct str){x->text.p + from, to - from};
}

static bool sequence(const struct value *v)
{
    return v->kind == VALUE_TEXT || v->kind == VALUE_BYTES || v->kind == VALUE_LIST;
}

static size_t length(struct fold *f, const struct value *x, const uint32_t **ret_starts)
{
    size_t n = x->n;

    *ret_starts = NULL;
    if (x->kind != VALUE_LIST)
        *ret_starts = starts_of(f, x, &n);
    return n;
}

static const struct value *element(struct fold *f, const struct value *x, const uint32_t *starts,
                                   size_t i)
{
    if (x->kind == VALUE_LIST)
        return x->items[i];
    if (x->kind == VALUE_BYTES)
        return value_int(f->arena, (unsigned char)x->text.p[i]);
    return fold_text(f, VALUE_TEXT, character(x, starts, i), x->decoded);
}

static bool key_matches(const struct value *key, const struct value *want)
{
    if (key->kind == VALUE_TEXT && want->kind == VALUE_TEXT)
        return str_eq(key->text, want->text);
    return key->kind == VALUE_INT && want->kind == VALUE_INT && key->integer == want->integer;
}

static const struct value *dict_item(struct fold *f, const struct value *x,
                                     const struct value *index)
{
    if (!fold_pay(f, x->n))
        return &value_unknown;
    for (size_t i = x->n; i > 0; i--) {
        if (key_matches(x->keys[i - 1], index))
            return x->items[i - 1];
    }
    return &value_unknown;
}

/* An unknown index into a list or dict: the value is one of its first items. */
static const struct value *some_item(struct fold *f, const struct value *x)
{
    const struct value *ret = &value_unknown;

    for (size_t i = 0; i < x->n && i < VALUE_MAX_ANY; i++)
        ret = value_either(f->arena, ret, x->items[i]);
    return ret;
}

const struct value *fold_item(struct fold *f, const struct value *x, const struct value *index)
{
    const uint32_t *starts;
    size_t n;

    if (x->kind == VALUE_MADE)
        return x;
    if (x->kind == VALUE_DICT)
        return index->kind == VALUE_UNKNOWN ? some_item(f, x) : dict_item(f, x, index);
    if (x->kind == VALUE_LIST && index->kind == VALUE_UNKNOWN)
        return some_item(f, x);
    if (!sequence(x) || (index->kind != VALUE_INT && index->kind != VALUE_BOOL) ||
        !fold_pay(f, x->kind == VALUE_LIST ? 1 : x->text.n / 8 + 1))
        return &value_unknown;
    n = length(f, x, &starts);
    int64_t i = index->integer < 0 ? index->integer + (int64_t)n : index->integer;
    if (i < 0 || (uint64_t)i >= n)
        return &value_unknown;
    return element(f, x, starts, (size_t)i);
}

static int64_t clipped(int64_t at, int64_t size, bool back)
{
    int64_t least = back ? -1 : 0, most = back ? size - 1 : size;

    if (at < 0)
        at = at < -size ? -1 : at + size;
    if (at < least)
        return least;
    return at > most ? most : at;
}

/* Slice bounds, clipped as Python does. False if a bound is not a constant. */
static bool bounds_of(const struct value *const in[3], size_t n, int64_t ret[3])
{
    int64_t size = (int64_t)n;

    for (int i = 0; i < 3; i++) {
        if (in[i]->kind != VALUE_NONE && in[i]->kind != VALUE_INT)
            return false;
    }
    ret[2] = in[2]->kind == VALUE_INT ? in[2]->integer : 1;
    if (ret[2] == 0 || ret[2] == INT64_MIN)
        return false;
    bool back = ret[2] < 0;
    ret[0] = back ? size - 1 : 0;
    ret[1] = back ? -1 : size;
    for (int i = 0; i < 2; i++) {
        if (in[i]->kind == VALUE_INT)
            ret[i] = clipped(in[i]->integer, size, back);
    }
    return true;
}

static const struct value *slice_text(struct fold *f, const struct value *x, const uint32_t *starts,
                                      const int64_t b[3], size_t count)
{
    char *room;
    size_t bytes = 0;
    int64_t at = b[0];

    for (size_t i = 0; i < count; i++, at += b[2])
        bytes += character(x, starts, (size_t)at).n;
    struct value *v = fold_room(f, x->kind, bytes, &room);
    if (!v)
        return &value_unknown;
    at = b[0];
    for (size_t i = 0; i < count; i++, at += b[2]) {
        struct str c = character(x, starts, (size_t)at);
        memcpy(room, c.p, c.n);
        room += c.n;
    }
    v->decoded = x->decoded || b[2] < 0; /* reversed */
    return v;
}

const struct value *fold_slice(struct fold *f, const struct value *x,
                               const struct value *const bounds[3])
{
    const uint32_t *starts;
    int64_t b[3];

    if (x->kind == VALUE_DECODED || x->kind == VALUE_MADE)
        return x;
    if (!sequence(x) || !fold_pay(f, x->kind == VALUE_LIST ? x->n + 1 : x->text.n / 2 + 1))
        return &value_unknown;
    size_t n = length(f, x, &starts);
    if (!bounds_of(bounds, n, b))
        return &value_unknown;
    int64_t gap = b[2] > 0 ? b[1] - b[0] : b[0] - b[1], step = b[2] > 0 ? b[2] : -b[2];
    size_t count = gap > 0 ? (size_t)((gap - 1) / step + 1) : 0;
    if (x->kind != VALUE_LIST)
        return slice_text(f, x, starts, b, count);
    struct value *v = value_list(f->arena, VALUE_LIST, count);
    for (size_t i = 0; i < count; i++)
        v->items[i] = x->items[b[0] + (int64_t)i * b[2]];
    return v;
}

const struct value *fold_list(struct fold *f, const struct value *x)
{
    const uint32_t *starts;

    if (x->kind == VALUE_LIST)
        return x;
    if (x->kind == VALUE_DICT) {
        struct value *keys = value_list(f->arena, VALUE_LIST, x->n);
        memcpy(keys->items, x->keys, x->n * sizeof *keys->items);
        return keys;
    }
    if (!sequence(x) || x->text.n > VALUE_MAX_ITEMS || !fold_pay(f, x->text.n + 1))
        return &value_unknown;
    size_t n = length(f, x, &starts);
    struct value *v = value_list(f->arena, VALUE_LIST, n);
    for (size_t i = 0; i < n; i++)
        v->items[i] = element(f, x, starts, i);
    return v;
}
