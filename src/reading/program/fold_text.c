/* SPDX-License-Identifier: Apache-2.0
 *
 * The methods of strings and bytes with which programs hide names. Upper and lower case are those
 * of ASCII: names of the library have no other letters.
 */
#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "program/fold.h"
#include "syntax/unicode.h"

typedef const struct value *method_fn(struct fold *f, const struct value *x,
                                      const struct fold_args *args);

static const struct value *fold_text_finish(struct fold *f, const struct value *x, struct buf *b)
{
    return b->overflow ? &value_unknown : fold_text(f, x->kind, buf_str(b), x->decoded);
}

static const struct value *argument(const struct fold_args *args, size_t i)
{
    return i < args->n - args->n_named ? args->at[i] : &value_none;
}

static bool text_argument(const struct value *x, const struct fold_args *args, size_t i,
                          struct str *ret)
{
    const struct value *v = argument(args, i);

    if (v->kind != x->kind)
        return false;
    *ret = v->text;
    return true;
}

/* ---- one character to one ---- */

static int swap_case(int c)
{
    return islower(c) ? toupper(c) : tolower(c);
}

static const struct value *mapped(struct fold *f, const struct value *x, int (*map)(int))
{
    char *room;
    struct value *v = fold_room(f, x->kind, x->text.n, &room);

    if (!v)
        return &value_unknown;
    for (size_t i = 0; i < x->text.n; i++) {
        int c = (unsigned char)x->text.p[i];
        room[i] = (char)(c < 0x80 ? map(c) : c);
    }
    v->decoded = x->decoded;
    return v;
}

static const struct value *lower(struct fold *f, const struct value *x,
                                 const struct fold_args *args)
{
    (void)args;
    return mapped(f, x, tolower);
}

static const struct value *upper(struct fold *f, const struct value *x,
                                 const struct fold_args *args)
{
    (void)args;
    return mapped(f, x, toupper);
}

static const struct value *swapcase(struct fold *f, const struct value *x,
                                    const struct fold_args *args)
{
    (void)args;
    return mapped(f, x, swap_case);
}

/* ---- strip, replace, split, join ---- */

static bool in_set(struct str set, char c)
{
    return memchr(set.p, c, set.n) != NULL;
}

static const struct value *strip_sides(struct fold *f, const struct value *x,
                                       const struct fold_args *args, bool left, bool right)
{
    struct str set = STR(" \t\n\r\v\f"), s = x->text;

    if (argument(args, 0)->kind != VALUE_NONE && !text_argument(x, args, 0, &set))
        return &value_unknown;
    if (!fold_pay(f, s.n + set.n))
        return &value_unknown;
    while (left && s.n && in_set(set, s.p[0]))
        s = str_slice(s, 1, s.n);
    while (right && s.n && in_set(set, s.p[s.n - 1]))
        s.n--;
    return fold_text(f, x->kind, s, x->decoded);
}

static const struct value *strip(struct fold *f, const struct value *x,
                                 const struct fold_args *args)
{
    return strip_sides(f, x, args, true, true);
}

static const struct value *lstrip(struct fold *f, const struct value *x,
                                  const struct fold_args *args)
{
    return strip_sides(f, x, args, true, false);
}

static const struct value *rstrip(struct fold *f, const struct value *x,
                                  const struct fold_args *args)
{
    return strip_sides(f, x, args, false, true);
}

static const struct value *removeprefix(struct fold *f, const struct value *x,
                                        const struct fold_args *args)
{
    struct str s;

    if (!text_argument(x, args, 0, &s))
        return &value_unknown;
    bool has = x->text.n >= s.n && memcmp(x->text.p, s.p, s.n) == 0;
    return fold_text(f, x->kind, str_slice(x->text, has ? s.n : 0, x->text.n), x->decoded);
}

static const struct value *removesuffix(struct fold *f, const struct value *x,
                                        const struct fold_args *args)
{
    struct str s;

    if (!text_argument(x, args, 0, &s))
        return &value_unknown;
    bool has = x->text.n >= s.n && memcmp(x->text.p + x->text.n - s.n, s.p, s.n) == 0;
    return fold_text(f, x->kind, str_slice(x->text, 0, x->text.n - (has ? s.n : 0)), x->decoded);
}

/* Cuts the part before the next `sep` off *rest; false if there is no `sep`. */
static bool fold_text_cut(struct str *rest, struct str sep, struct str *ret)
{
    long at = str_find(*rest, sep);

    if (at < 0)
        return false;
    *ret = str_slice(*rest, 0, (size_t)at);
    *rest = str_slice(*rest, (size_t)at + sep.n, rest->n);
    return true;
}

static const struct value *fold_text_replace(struct fold *f, const struct value *x,
                                             const struct fold_args *args)
{
    AUTO_BUF struct buf b = {0};
    struct str from, to, rest = x->text, piece;
    const struct value *limit = argument(args, 2);
    int64_t left = limit->kind == VALUE_INT && limit->integer >= 0 ? limit->integer : INT64_MAX;

    if (!text_argument(x, args, 0, &from) || !text_argument(x, args, 1, &to) || !from.n ||
        !fold_pay(f, x->text.n))
        return &value_unknown;
    buf_init(&b, VALUE_MAX_TEXT);
    for (; left > 0 && !b.overflow && fold_text_cut(&rest, from, &piece); left--) {
        (void)buf_add_str(&b, piece);
        (void)buf_add_str(&b, to);
    }
    (void)buf_add_str(&b, rest);
    return fold_text_finish(f, x, &b);
}

/* An empty list with room for the parts of a string: n characters have at most n + 1 parts. */
static struct value *pieces_for(struct fold *f, const struct value *x, size_t *ret_most)
{
    struct value *v;

    *ret_most = x->text.n < VALUE_MAX_ITEMS ? x->text.n + 1 : VALUE_MAX_ITEMS;
    v = value_list(f->arena, VALUE_LIST, *ret_most);
    v->n = 0;
    return v;
}

static const struct value *split_at(struct fold *f, const struct value *x, struct str sep)
{
    size_t most;
    struct value *v = pieces_for(f, x, &most);
    struct str rest = x->text, piece;

    while (v->n + 1 < most && fold_text_cut(&rest, sep, &piece))
        v->items[v->n++] = fold_text(f, x->kind, piece, x->decoded);
    v->items[v->n++] = fold_text(f, x->kind, rest, x->decoded);
    return v;
}

static const struct value *split_blank(struct fold *f, const struct value *x)
{
    size_t most;
    struct value *v = pieces_for(f, x, &most);
    struct str s = x->text;

    for (size_t i = 0; i < s.n && v->n < most;) {
        size_t start = i;
        while (i < s.n && !isspace((unsigned char)s.p[i]))
            i++;
        if (i > start)
            v->items[v->n++] = fold_text(f, x->kind, str_slice(s, start, i), x->decoded);
        while (i < s.n && isspace((unsigned char)s.p[i]))
            i++;
    }
    return v;
}

static const struct value *fold_text_split(struct fold *f, const struct value *x,
                                           const struct fold_args *args)
{
    struct str sep;

    if (args->n > 1 || !fold_pay(f, x->text.n))
        return &value_unknown;
    if (argument(args, 0)->kind == VALUE_NONE)
        return split_blank(f, x);
    return text_argument(x, args, 0, &sep) && sep.n ? split_at(f, x, sep) : &value_unknown;
}

static const struct value *fold_text_join(struct fold *f, const struct value *x,
                                          const struct fold_args *args)
{
    AUTO_BUF struct buf b = {0};
    const struct value *list = fold_list(f, argument(args, 0));
    bool decoded = x->decoded;

    if (argument(args, 0)->kind == VALUE_DECODED)
        return &value_decoded;
    if (list->kind != VALUE_LIST)
        return x->kind == VALUE_TEXT ? &value_made : &value_unknown;
    if (!fold_pay(f, list->n))
        return &value_unknown;
    buf_init(&b, VALUE_MAX_TEXT);
    for (size_t i = 0; i < list->n && !b.overflow; i++) {
        if (list->items[i]->kind != x->kind)
            return x->kind == VALUE_TEXT ? &value_made : &value_unknown;
        decoded |= list->items[i]->decoded;
        (void)buf_add_str(&b, i ? x->text : STR(""));
        (void)buf_add_str(&b, list->items[i]->text);
    }
    return b.overflow ? &value_unknown : fold_text(f, x->kind, buf_str(&b), decoded);
}

/* ---- encode, decode, translate ---- */

static const struct value *encode(struct fold *f, const struct value *x,
                                  const struct fold_args *args)
{
    const struct value *codec = argument(args, 0);

    if (x->kind != VALUE_TEXT)
        return &value_unknown;
    if (codec->kind == VALUE_TEXT && !str_is_nocase(codec->text, "utf-8") &&
        !str_is_nocase(codec->text, "utf8") && !str_is_nocase(codec->text, "ascii"))
        return &value_unknown;
    return fold_text(f, VALUE_BYTES, x->text, x->decoded);
}

static const struct value *fold_text_decode(struct fold *f, const struct value *x,
                                            const struct fold_args *args)
{
    const struct value *codec = argument(args, 0);

    if (x->kind != VALUE_BYTES || (codec->kind != VALUE_NONE && codec->kind != VALUE_TEXT))
        return &value_unknown;
    return fold_decode(f, x, codec->kind == VALUE_TEXT ? codec->text : STR("utf-8"));
}

static const struct value *hex(struct fold *f, const struct value *x, const struct fold_args *args)
{
    char *room;
    struct value *v;

    if (args->n || x->kind != VALUE_BYTES)
        return &value_unknown;
    v = fold_room(f, VALUE_TEXT, x->text.n * 2, &room);
    for (size_t i = 0; v && i < x->text.n; i++) {
        room[2 * i] = "0123456789abcdef"[(unsigned char)x->text.p[i] >> 4];
        room[2 * i + 1] = "0123456789abcdef"[x->text.p[i] & 15];
    }
    return v ? v : &value_unknown;
}

/* The table of str.translate for ASCII characters: a replacement for each, or NULL. False if a key
 * is not ASCII. */
static bool translation(const struct value *dict, const struct value *ret[128])
{
    memset(ret, 0, 128 * sizeof *ret);
    for (size_t i = 0; i < dict->n; i++) {
        const struct value *key = dict->keys[i];
        int64_t code = key->kind == VALUE_INT ? key->integer : -1;
        if (code < 0 || code >= 128)
            return false;
        ret[code] = dict->items[i];
    }
    return true;
}

static const struct value *translate(struct fold *f, const struct value *x,
                                     const struct fold_args *args)
{
    AUTO_BUF struct buf b = {0};
    const struct value *table[128], *dict = argument(args, 0);

    if (x->kind != VALUE_TEXT || dict->kind != VALUE_DICT || !fold_pay(f, x->text.n + dict->n) ||
        !translation(dict, table))
        return &value_unknown;
    buf_init(&b, VALUE_MAX_TEXT);
    for (size_t i = 0; i < x->text.n; i++) {
        const struct value *to =
            (unsigned char)x->text.p[i] < 128 ? table[(int)x->text.p[i]] : NULL;
        if (!to)
            (void)buf_addc(&b, x->text.p[i]);
        else if (to->kind == VALUE_TEXT)
            (void)buf_add_str(&b, to->text);
        else if (to->kind == VALUE_INT && to->integer >= 0 && to->integer < 0x110000)
            (void)unicode_add(&b, (uint32_t)to->integer);
        else if (to->kind != VALUE_NONE)
            return &value_unknown;
    }
    return fold_text_finish(f, x, &b);
}

static const struct value *fold_text_same(struct fold *f, const struct value *x,
                                          const struct fold_args *args)
{
    (void)args;
    return fold_text(f, x->kind, x->text, x->decoded);
}

static const struct {
    const char *name;
    method_fn *fn;
} methods[] = {
    {"join", fold_text_join},
    {"lower", lower},
    {"casefold", lower},
    {"upper", upper},
    {"swapcase", swapcase},
    {"strip", strip},
    {"lstrip", lstrip},
    {"rstrip", rstrip},
    {"removeprefix", removeprefix},
    {"removesuffix", removesuffix},
    {"replace", fold_text_replace},
    {"split", fold_text_split},
    {"encode", encode},
    {"decode", fold_text_decode},
    {"hex", hex},
    {"translate", translate},
    {"format", fold_format},
    {"__str__", fold_text_same},
};

/* ---- all kinds ---- */

static const struct value *text_method(struct fold *f, const struct value *x, struct str name,
                                       const struct fold_args *args)
{
    if (str_is(name, "__getitem__") && args->n == 1)
        return fold_item(f, x, args->at[0]);
    if (str_is(name, "__add__") && args->n == 1)
        return fold_binary(f, OP_ADD, x, args->at[0]);
    for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
        if (str_is(name, methods[i].name))
            return methods[i].fn(f, x, args);
    }
    return &value_unknown;
}

/* The methods that return items of a list or dict. */
static const struct value *container_method(struct fold *f, const struct value *x, struct str name,
                                            const struct fold_args *args)
{
    const struct value *last = value_int(f->arena, -1);

    if (str_is(name, "__getitem__") || str_is(name, "get") || str_is(name, "setdefault") ||
        (str_is(name, "pop") && args->n))
        return args->n ? fold_item(f, x, args->at[0]) : &value_unknown;
    if (str_is(name, "pop"))
        return fold_item(f, x, last);
    if (str_is(name, "values") && x->kind == VALUE_DICT) {
        struct value *v = value_list(f->arena, VALUE_LIST, 0);
        v->items = x->items;
        v->n = x->n;
        return v;
    }
    if (str_is(name, "__next__"))
        return fold_item(f, x, value_int(f->arena, 0));
    if (str_is(name, "__iter__") || str_is(name, "keys"))
        return fold_list(f, x);
    return str_is(name, "copy") ? x : &value_unknown;
}

/* (0x6c73).to_bytes(2, "big") */
static const struct value *to_bytes(struct fold *f, const struct value *x,
                                    const struct fold_args *args)
{
    const struct value *length = args->n ? args->at[0] : &value_unknown;
    bool little =
        args->n > 1 && args->at[1]->kind == VALUE_TEXT && str_is(args->at[1]->text, "little");
    char *room;
    struct value *v;

    if (length->kind != VALUE_INT || length->integer < 0 || length->integer > 1000)
        return &value_unknown;
    size_t n = (size_t)length->integer;
    v = fold_room(f, VALUE_BYTES, n, &room);
    if (!v)
        return &value_unknown;
    for (size_t i = 0; i < n; i++)
        room[little ? i : n - 1 - i] = (char)(i < 8 ? (uint64_t)x->integer >> (8 * i) & 0xFF : 0);
    v->decoded = true;
    return v;
}

static const struct value *method_one(struct fold *f, const struct value *x, struct str name,
                                      const struct fold_args *args)
{
    if (x->kind == VALUE_TEXT || x->kind == VALUE_BYTES)
        return text_method(f, x, name, args);
    if (x->kind == VALUE_LIST || x->kind == VALUE_DICT)
        return container_method(f, x, name, args);
    if (x->kind == VALUE_INT)
        return str_is(name, "to_bytes") ? to_bytes(f, x, args) : &value_unknown;
    return x->kind == VALUE_DECODED || x->kind == VALUE_MADE ? x : &value_unknown;
}

const struct value *fold_method(struct fold *f, const struct value *x, struct str name,
                                const struct fold_args *args)
{
    const struct value *ret = &value_unknown;
    bool open = x->open;

    if (!fold_pay(f, 1))
        return ret;
    for (size_t i = 0; i < value_count(x); i++)
        ret = value_either(f->arena, ret, method_one(f, value_at(x, i), name, args));
    for (size_t i = 0; i < args->n; i++)
        open |= args->at[i]->open;
    return open ? value_open(f->arena, ret) : ret;
}
