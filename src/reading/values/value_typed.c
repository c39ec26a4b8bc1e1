/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads {"$type": ...}: the values that JSON has no form for.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "values/compare.h"
#include "values/number.h"
#include "values/value.h"
#include "values/value_time.h"

struct form {
    struct value *v; /* the object, which becomes the value */
    enum value_type type;
    struct str text;
    bool ours;
    struct arena *arena;
    struct err *err;
};

static int bad(const struct form *f, const struct value *where, const char *why)
{
    return value_error(f->text, where ? where->at : f->v->at, f->err, "%s", why);
}

/* ---- reading the keys ---- */

static struct value *member(const struct form *f, const char *key, enum value_type type)
{
    struct value *v = value_get(f->v, key);

    if (v && v->type == type)
        return v;
    value_error(f->text, v ? v->at : f->v->at, f->err, "\"%s\" is missing, or of the wrong type",
                key);
    return NULL;
}

/* The member "class"; NULL if it is missing, which is allowed. */
static const char *class_of(const struct form *f)
{
    const struct value *v = value_get(f->v, "class");

    return v && v->type == VALUE_STR ? arena_str(f->arena, v->text).p : NULL;
}

static int resolve_each(const struct form *f, struct value *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (value_resolve(&list[i], f->text, f->ours, f->arena, f->err) < 0)
            return -1;
    return 0;
}

static int read_base64(const struct form *f, const struct value *v, struct str *ret)
{
    char *out = arena_alloc(f->arena, v->text.n + 1);
    ssize_t n = base64_decode(v->text, out);

    if (n < 0)
        return bad(f, v, "this is not base64");
    *ret = (struct str){out, (size_t)n};
    return 0;
}

/* ---- the forms ---- */

static int read_int(struct form *f)
{
    struct value *hex = member(f, "hex", VALUE_STR);

    if (!hex)
        return -1;
    return number_from_hex(hex->text, f->arena, f->v)
               ? 0
               : bad(f, hex, "this is not an integer in the form \"-0x1f\"");
}

static int read_float(struct form *f)
{
    static const struct {
        const char *word;
        double real;
    } words[] = {{"nan", __builtin_nan("")}, {"inf", __builtin_inf()}, {"-inf", -__builtin_inf()}};
    struct value *v = member(f, "text", VALUE_STR);

    for (size_t i = 0; v && i < ARRAY_LEN(words); i++)
        if (str_is(v->text, words[i].word)) {
            f->v->type = VALUE_FLOAT;
            f->v->real = words[i].real;
            return 0;
        }
    return v ? bad(f, v, "this must be \"nan\", \"inf\" or \"-inf\"") : -1;
}

/* True for UTF-8 in which lone surrogates are allowed: the guest sends such strings as base64. */
static bool is_text(struct str s)
{
    for (;;) {
        size_t good = utf8_valid_prefix(s);
        if (good == s.n)
            return true;
        s = str_slice(s, good, s.n);
        if (s.n < 3 || s.p[0] != '\xED' || ((unsigned char)s.p[1] & 0xE0) != 0xA0 ||
            ((unsigned char)s.p[2] & 0xC0) != 0x80)
            return false;
        s = str_slice(s, 3, s.n);
    }
}

static int read_str(struct form *f)
{
    struct value *v = member(f, "base64", VALUE_STR);
    struct str text;

    if (!v || read_base64(f, v, &text) < 0)
        return -1;
    if (!is_text(text))
        return bad(f, v, "the decoded bytes are not UTF-8");
    f->v->type = VALUE_STR;
    f->v->text = text;
    return 0;
}

static int read_bytes(struct form *f)
{
    const struct value *text = value_get(f->v, "text");
    struct value *v;
    struct str bytes;

    if (text && text->type == VALUE_STR)
        bytes = text->text;
    else if (!(v = member(f, "base64", VALUE_STR)) || read_base64(f, v, &bytes) < 0)
        return -1;
    f->v->text = bytes;
    return 0;
}

static int read_complex(struct form *f)
{
    double parts[2];
    static const char *const keys[] = {"real", "imag"};

    for (int i = 0; i < 2; i++) {
        struct value *v = value_get(f->v, keys[i]);
        if (!v || value_resolve(v, f->text, f->ours, f->arena, f->err) < 0 ||
            !number_to_double(v, &parts[i]))
            return bad(f, v, "a complex number must have \"real\" and \"imag\"");
    }
    memcpy(f->v->parts, parts, sizeof parts);
    return 0;
}

static int read_items(struct form *f)
{
    struct value *list = member(f, "items", VALUE_LIST);

    if (!list || resolve_each(f, list->items, list->n) < 0)
        return -1;
    struct value items = *list;
    f->v->items = items.items;
    f->v->n = items.n;
    f->v->type = f->type == VALUE_PLAIN_LIST ? VALUE_LIST : (uint8_t)f->type;
    if (f->ours && (f->type == VALUE_SET || f->type == VALUE_FROZENSET))
        value_drop_repeated(f->v);
    return 0;
}

/* Reads [[key, value], ...] into one flat array. */
static struct value *read_pairs(struct form *f, size_t *ret_n)
{
    struct value *list = member(f, "items", VALUE_LIST);

    if (!list)
        return NULL;
    struct value *pairs = arena_alloc(f->arena, (2 * list->n + 1) * sizeof *pairs);
    for (size_t i = 0; i < list->n; i++) {
        if (list->items[i].type != VALUE_LIST || list->items[i].n != 2) {
            bad(f, &list->items[i], "an item must be a pair here: [key, value]");
            return NULL;
        }
        memcpy(&pairs[2 * i], list->items[i].items, 2 * sizeof *pairs);
    }
    *ret_n = list->n;
    return resolve_each(f, pairs, 2 * list->n) < 0 ? NULL : pairs;
}

static int read_dict(struct form *f)
{
    size_t n;
    struct value *pairs = read_pairs(f, &n);

    if (!pairs)
        return -1;
    f->v->class_name = class_of(f);
    f->v->items = pairs;
    f->v->n = n;
    f->v->type = VALUE_DICT;
    if (f->ours)
        value_drop_repeated(f->v);
    return 0;
}

static int read_named(struct form *f)
{
    size_t n;
    const char *class_name = class_of(f);
    struct value *pairs = read_pairs(f, &n);

    if (!pairs)
        return -1;
    if (!class_name)
        return bad(f, NULL, "\"class\" is missing");
    struct str *names = arena_alloc(f->arena, (n + 1) * sizeof *names);
    for (size_t i = 0; i < n; i++) {
        if (pairs[2 * i].type != VALUE_STR)
            return bad(f, &pairs[2 * i], "here a field's name is missing");
        names[i] = pairs[2 * i].text;
        pairs[i] = pairs[2 * i + 1];
    }
    f->v->class_name = class_name;
    f->v->names = names;
    f->v->items = pairs;
    f->v->n = n;
    return 0;
}

/* Reads the integers with these names. A missing one is an error if its default is NULL. */
static int read_ints(struct form *f, const char *const *keys, size_t n,
                     const int64_t *const *defaults, struct value *ret)
{
    for (size_t i = 0; i < n; i++) {
        struct value *v = value_get(f->v, keys[i]);
        if (v && value_resolve(v, f->text, f->ours, f->arena, f->err) < 0)
            return -1;
        if (!v && defaults[i])
            ret[i] = (struct value){.type = VALUE_INT, .integer = *defaults[i]};
        else if (v && v->type == VALUE_INT)
            ret[i] = *v;
        else
            return value_error(f->text, v ? v->at : f->v->at, f->err, "\"%s\" is not an integer",
                               keys[i]);
    }
    return 0;
}

static const int64_t nought = 0, one = 1;

static int read_range(struct form *f)
{
    static const char *const keys[] = {"start", "stop", "step"};
    static const int64_t *const defaults[] = {&nought, NULL, &one};
    struct value *items = arena_alloc(f->arena, 3 * sizeof *items);

    if (read_ints(f, keys, 3, defaults, items) < 0)
        return -1;
    if (!items[2].limbs && !items[2].integer)
        return bad(f, NULL, "the step of a range must not be 0");
    f->v->items = items;
    f->v->n = 3;
    return 0;
}

static int read_fraction(struct form *f)
{
    static const char *const keys[] = {"numerator", "denominator"};
    static const int64_t *const defaults[] = {NULL, &one};
    struct value *items = arena_alloc(f->arena, 2 * sizeof *items);

    if (read_ints(f, keys, 2, defaults, items) < 0)
        return -1;
    if (items[1].limbs ? items[1].negative : items[1].integer <= 0)
        return bad(f, NULL, "a denominator must be positive");
    if (f->ours && !number_reduce(items, f->arena))
        return bad(f, NULL, "the fraction has more than 16384 bits");
    f->v->items = items;
    f->v->n = 2;
    return 0;
}

static int read_text(struct form *f)
{
    struct value *v = member(f, "text", VALUE_STR);

    if (!v)
        return -1;
    if (f->type == VALUE_DECIMAL && !number_is_decimal(v->text))
        return bad(f, v, "Decimal does not accept this text");
    struct str text = v->text;
    f->v->text = text;
    return 0;
}

static int read_other(struct form *f)
{
    struct value *v = member(f, "repr", VALUE_STR);
    const char *class_name = class_of(f);

    if (!v)
        return -1;
    struct str text = v->text;
    f->v->class_name = class_name ? class_name : "object";
    f->v->text = text;
    return 0;
}

static int read_enum(struct form *f)
{
    struct value *name = member(f, "name", VALUE_STR), *value = value_get(f->v, "value");
    const struct value *base = value_get(f->v, "base");
    const char *class_name = class_of(f);
    uint8_t kind = VALUE_NONE;

    if (!name || !value || !class_name ||
        value_resolve(value, f->text, f->ours, f->arena, f->err) < 0)
        return bad(f, NULL, "an enum must have \"class\", \"name\" and \"value\"");
    if (base && base->type == VALUE_STR)
        kind = str_is(base->text, "int")     ? VALUE_INT
               : str_is(base->text, "str")   ? VALUE_STR
               : str_is(base->text, "float") ? VALUE_FLOAT
                                             : VALUE_NONE;
    struct value *items = arena_alloc(f->arena, sizeof *items);
    struct str *names = arena_alloc(f->arena, sizeof *names);
    *items = *value;
    *names = name->text;
    f->v->base = kind == value->type ? kind : VALUE_NONE;
    f->v->class_name = class_name;
    f->v->names = names;
    f->v->items = items;
    f->v->n = 1;
    return 0;
}

static int read_scalar(struct form *f)
{
    struct value *value = value_get(f->v, "value");
    const char *class_name = class_of(f);

    if (!value || !class_name || value_resolve(value, f->text, f->ours, f->arena, f->err) < 0)
        return bad(f, NULL, "a scalar must have \"class\" and \"value\"");
    struct value *items = arena_alloc(f->arena, sizeof *items);
    *items = *value;
    f->v->class_name = class_name;
    f->v->items = items;
    f->v->n = 1;
    return 0;
}

/* Reads an array: its items are the sizes of its shape (n), then the flat items (flat_n). */
static int read_array(struct form *f)
{
    struct value *list = member(f, "items", VALUE_LIST), *shape = value_get(f->v, "shape");
    const char *class_name = class_of(f);
    size_t dimensions = shape && shape->type == VALUE_LIST ? shape->n : 1;
    int64_t product = 1;

    if (!list || resolve_each(f, list->items, list->n) < 0)
        return -1;
    struct value *items = arena_alloc(f->arena, (dimensions + list->n + 1) * sizeof *items);
    items[0] = (struct value){.type = VALUE_INT, .integer = (int64_t)list->n};
    for (size_t i = 0; i < dimensions; i++) {
        if (shape && shape->type == VALUE_LIST)
            items[i] = shape->items[i];
        if (items[i].type != VALUE_INT || items[i].limbs || items[i].integer < 0 ||
            __builtin_mul_overflow(product, items[i].integer, &product))
            return bad(f, shape, "a shape must be a list of sizes");
    }
    if ((size_t)product != list->n)
        return bad(f, NULL, "the shape does not match the number of items");
    if (list->n)
        memcpy(items + dimensions, list->items, list->n * sizeof *items);
    f->v->class_name = class_name;
    f->v->items = items;
    f->v->n = dimensions;
    f->v->flat_n = (size_t)product;
    return 0;
}

/* ---- dates and times ---- */

static int read_moment(struct form *f, bool date, bool clock)
{
    struct value *v = member(f, "text", VALUE_STR);

    if (!v)
        return -1;
    struct str text = v->text;
    uint32_t at = v->at;
    return value_read_moment(text, date, clock, f->v)
               ? 0
               : value_error(f->text, at, f->err, "this is not the form of isoformat()");
}

static int read_date(struct form *f)
{
    return read_moment(f, true, false);
}

static int read_time(struct form *f)
{
    return read_moment(f, false, true);
}

static int read_datetime(struct form *f)
{
    return read_moment(f, true, true);
}

static int read_timedelta(struct form *f)
{
    static const char *const keys[] = {"days", "seconds", "microseconds"};
    static const int64_t *const defaults[] = {&nought, &nought, &nought};
    static const int64_t largest[] = {999999999, 100000000000000, 1000000000000000000};
    struct value parts[3];

    if (read_ints(f, keys, 3, defaults, parts) < 0)
        return -1;
    for (int i = 0; i < 3; i++)
        if (parts[i].limbs || parts[i].integer > largest[i] || parts[i].integer < -largest[i])
            return bad(f, NULL, "the timedelta is longer than Python's longest");
    value_make_span(parts[0].integer, parts[1].integer, parts[2].integer, f->v);
    return 0;
}

/* ---- choosing the form ---- */

static const struct {
    const char *name;
    enum value_type type;
    int (*read)(struct form *f);
} forms[] = {
#define TYPED(kind, name, read) {name, VALUE_##kind, read},
#include "values/value_types.def"
#undef TYPED
};

static int resolve_form(struct form *f, const struct value *name)
{
    for (size_t i = 0; name->type == VALUE_STR && i < ARRAY_LEN(forms); i++)
        if (str_is(name->text, forms[i].name)) {
            f->type = forms[i].type;
            if (forms[i].read(f) < 0)
                return -1;
            if (f->v->type == VALUE_OBJECT)
                f->v->type = (uint8_t)forms[i].type;
            return 0;
        }
    return bad(f, name, "this \"$type\" is unknown; 'glovebox help cases' lists them");
}

static int compare_keys(const void *a, const void *b)
{
    const struct str *x = &(*(const struct value *const *)a)->text,
                     *y = &(*(const struct value *const *)b)->text;
    int order = memcmp(x->p, y->p, x->n < y->n ? x->n : y->n);

    return order ? order : (x->n > y->n) - (x->n < y->n);
}

/* JSON allows two members with one name, but here that is always a mistake. */
static int check_keys(const struct form *f)
{
    struct arena scratch = {0};
    const struct value **keys = arena_alloc(&scratch, (f->v->n + 1) * sizeof *keys);
    int result = 0;

    for (size_t i = 0; i < f->v->n; i++)
        keys[i] = &f->v->items[2 * i];
    qsort(keys, f->v->n, sizeof *keys, compare_keys);
    for (size_t i = 1; i < f->v->n && result == 0; i++)
        if (str_eq(keys[i - 1]->text, keys[i]->text))
            result =
                value_error(f->text, keys[i]->at, f->err, "the key \"%.*s\" is given twice",
                            (int)(keys[i]->text.n < 60 ? keys[i]->text.n : 60), keys[i]->text.p);
    arena_done(&scratch);
    return result;
}

/* Recursion is limited by the depth of the JSON text. */
int value_resolve(struct value *v, struct str text, bool ours, struct arena *arena, struct err *err)
{
    struct form f = {.v = v, .text = text, .ours = ours, .arena = arena, .err = err};

    if (v->type == VALUE_LIST)
        return resolve_each(&f, v->items, v->n);
    if (v->type != VALUE_OBJECT)
        return 0;
    if (check_keys(&f) < 0)
        return -1;
    const struct value *name = value_get(v, "$type");
    if (name)
        return resolve_form(&f, name);
    v->type = VALUE_DICT;
    return resolve_each(&f, v->items, 2 * v->n);
}
