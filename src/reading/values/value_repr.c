/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "syntax/literal.h"
#include "syntax/tree.h"
#include "values/number.h"
#include "values/value.h"

struct writer {
    struct buf *b;
    size_t stop; /* no bytes after this many are needed */
};

enum { LARGEST_SHOWN = 446 }; /* limbs; a larger number has more digits than CPython prints */

static const char *const type_names[] = {
    [VALUE_NONE] = "NoneType", [VALUE_BOOL] = "bool", [VALUE_INT] = "int",
    [VALUE_FLOAT] = "float",   [VALUE_STR] = "str",   [VALUE_LIST] = "list",
    [VALUE_OBJECT] = "dict",
#define TYPED(kind, name, read) [VALUE_##kind] = (name),
#include "values/value_types.def"
#undef TYPED
};

static const struct {
    enum value_type type;
    const char *name;
} class_names[] = {
    {VALUE_DECIMAL, "Decimal"},
    {VALUE_FRACTION, "Fraction"},
    {VALUE_PATH, "PosixPath"},
};

const char *value_type_name(const struct value *v)
{
    for (size_t i = 0; i < ARRAY_LEN(class_names); i++)
        if (class_names[i].type == v->type)
            return class_names[i].name;
    return v->class_name && v->type != VALUE_NDARRAY ? v->class_name : type_names[v->type];
}

static bool value_repr_is_full(const struct writer *w)
{
    return w->b->n >= w->stop || w->b->overflow;
}

static void value_repr_put(struct writer *w, const char *text)
{
    (void)buf_adds(w->b, text);
}

static struct str beginning(const struct writer *w, struct str s)
{
    return str_slice(s, 0, utf8_cut(s, w->stop));
}

static void put_str(struct writer *w, const struct value *v)
{
    (void)literal_repr_str(beginning(w, v->text), PYTHON_OLDEST, w->b);
}

static void put_bytes(struct writer *w, const struct value *v)
{
    struct node n = {.kind = N_CONSTANT, .op = CONST_BYTES};

    n.constant.text = str_slice(v->text, 0, v->text.n < w->stop ? v->text.n : w->stop);
    (void)literal_repr(&n, PYTHON_OLDEST, w->b);
}

static void put_double(struct writer *w, double real, bool imaginary)
{
    struct node n = {.kind = N_CONSTANT, .op = imaginary ? CONST_COMPLEX : CONST_FLOAT};

    if (isnan(real)) {
        value_repr_put(w, imaginary ? "nanj" : "nan");
        return;
    }
    if (signbit(real))
        value_repr_put(w, "-");
    n.constant.real = fabs(real);
    (void)literal_repr(&n, PYTHON_OLDEST, w->b);
}

/* (1-2j), 2j: a real part of 0 is left out, and the parts have no ".0". */
static void put_complex(struct writer *w, const struct value *v)
{
    const double *parts = v->parts;

    if (parts[0] == 0 && !signbit(parts[0])) {
        put_double(w, parts[1], true);
        return;
    }
    size_t before = w->b->n + 1;
    value_repr_put(w, "(");
    put_double(w, parts[0], true);
    if (w->b->n > before)
        w->b->p[--w->b->n] = '\0'; /* removes the "j" of the part */
    if (!signbit(parts[1]))
        value_repr_put(w, "+");
    put_double(w, parts[1], true);
    value_repr_put(w, ")");
}

static void put_int(struct writer *w, const struct value *v)
{
    if (v->limbs && v->limb_n > LARGEST_SHOWN)
        (void)buf_addf(w->b, "<int of about %" PRIu64 " bits>", (uint64_t)v->limb_n * 32);
    else
        number_repr(v, w->b);
}

static void put_value(struct writer *w, const struct value *v);

static void put_items(struct writer *w, const struct value *items, size_t n)
{
    for (size_t i = 0; i < n && !value_repr_is_full(w); i++) {
        value_repr_put(w, i ? ", " : "");
        put_value(w, &items[i]);
    }
}

static void put_all_items(struct writer *w, const struct value *v)
{
    put_items(w, v->items, v->n);
}

static void put_tuple(struct writer *w, const struct value *v)
{
    put_all_items(w, v);
    value_repr_put(w, v->n == 1 ? "," : "");
}

static void put_pairs(struct writer *w, const struct value *v)
{
    value_repr_put(w, "{");
    for (size_t i = 0; i < v->n && !value_repr_is_full(w); i++) {
        value_repr_put(w, i ? ", " : "");
        put_value(w, &v->items[2 * i]);
        value_repr_put(w, ": ");
        put_value(w, &v->items[2 * i + 1]);
    }
    value_repr_put(w, "}");
}

static void put_dict(struct writer *w, const struct value *v)
{
    if (v->class_name) {
        value_repr_put(w, v->class_name);
        value_repr_put(w, "(");
    }
    put_pairs(w, v);
    if (v->class_name)
        value_repr_put(w, ")");
}

static void put_set(struct writer *w, const struct value *v)
{
    bool frozen = v->type == VALUE_FROZENSET;

    if (!v->n) {
        value_repr_put(w, frozen ? "frozenset()" : "set()");
        return;
    }
    value_repr_put(w, frozen ? "frozenset({" : "{");
    put_items(w, v->items, v->n);
    value_repr_put(w, frozen ? "})" : "}");
}

static void put_named(struct writer *w, const struct value *v)
{
    value_repr_put(w, v->class_name);
    value_repr_put(w, "(");
    for (size_t i = 0; i < v->n && !value_repr_is_full(w); i++) {
        value_repr_put(w, i ? ", " : "");
        (void)buf_add_str(w->b, beginning(w, v->names[i]));
        value_repr_put(w, "=");
        put_value(w, &v->items[i]);
    }
    value_repr_put(w, ")");
}

static void put_range(struct writer *w, const struct value *v)
{
    bool steps = v->items[2].limbs || v->items[2].integer != 1;

    put_items(w, v->items, steps ? 3 : 2);
}

static void put_enum(struct writer *w, const struct value *v)
{
    (void)buf_addf(w->b, "<%s.", v->class_name);
    (void)buf_add_str(w->b, beginning(w, v->names[0]));
    value_repr_put(w, ": ");
    put_value(w, v->items);
    value_repr_put(w, ">");
}

static void put_array(struct writer *w, const struct value *v)
{
    value_repr_put(w, "array([");
    put_items(w, v->items + v->n, v->flat_n);
    value_repr_put(w, "]");
    if (v->n != 1) {
        value_repr_put(w, ", shape=(");
        put_items(w, v->items, v->n);
        value_repr_put(w, ")");
    }
    value_repr_put(w, ")");
}

/* ---- dates and times ---- */

/* Counts years from March, so that a leap day is the last day of a year; `days` is from 0001-01-01.
 */
static void put_day(struct writer *w, int64_t days)
{
    int64_t z = days + 306, era = z / 146097, day = z % 146097;
    int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    int64_t in_year = day - (365 * year + year / 4 - year / 100);
    int64_t month = (5 * in_year + 2) / 153;
    int64_t in_month = in_year - (153 * month + 2) / 5 + 1;

    month += month < 10 ? 3 : -9;
    year += era * 400 + (month <= 2);
    (void)buf_addf(w->b, "%" PRId64 ", %" PRId64 ", %" PRId64, year, month, in_month);
}

static void put_clock(struct writer *w, int64_t micro)
{
    int64_t seconds = micro / 1000000;

    micro %= 1000000;
    (void)buf_addf(w->b, "%" PRId64 ", %" PRId64, seconds / 3600, seconds / 60 % 60);
    if (seconds % 60 || micro)
        (void)buf_addf(w->b, ", %" PRId64, seconds % 60);
    if (micro)
        (void)buf_addf(w->b, ", %" PRId64, micro);
}

static void put_span(struct writer *w, int64_t days, int64_t micro)
{
    const int64_t parts[] = {days, micro / 1000000, micro % 1000000};
    static const char *const names[] = {"days", "seconds", "microseconds"};
    const char *between = "";

    value_repr_put(w, "datetime.timedelta(");
    for (int i = 0; i < 3; i++)
        if (parts[i]) {
            (void)buf_addf(w->b, "%s%s=%" PRId64, between, names[i], parts[i]);
            between = ", ";
        }
    value_repr_put(w, *between ? ")" : "0)");
}

static void put_zone(struct writer *w, const struct value *v)
{
    int64_t days = v->time.from_utc < 0 ? -1 : 0;

    if (!v->aware)
        return;
    value_repr_put(w, ", tzinfo=datetime.timezone");
    if (!v->time.from_utc) {
        value_repr_put(w, ".utc");
        return;
    }
    value_repr_put(w, "(");
    put_span(w, days, v->time.from_utc - days * 86400000000);
    value_repr_put(w, ")");
}

static void put_moment(struct writer *w, const struct value *v)
{
    (void)buf_addf(w->b, "datetime.%s(", type_names[v->type]);
    if (v->type != VALUE_TIME)
        put_day(w, v->time.days);
    if (v->type == VALUE_DATETIME)
        value_repr_put(w, ", ");
    if (v->type != VALUE_DATE)
        put_clock(w, v->time.micro);
    put_zone(w, v);
    value_repr_put(w, ")");
}

/* ---- any value ---- */

static void put_word(struct writer *w, const struct value *v)
{
    value_repr_put(w, v->type == VALUE_NONE ? "None" : v->truth ? "True" : "False");
}

static void put_float(struct writer *w, const struct value *v)
{
    put_double(w, v->real, false);
}

static void put_timedelta(struct writer *w, const struct value *v)
{
    put_span(w, v->time.days, v->time.micro);
}

static void put_other(struct writer *w, const struct value *v)
{
    (void)buf_add_str(w->b, beginning(w, v->text));
}

/* What a type's repr has before and after its content. */
static const struct {
    void (*content)(struct writer *w, const struct value *v);
    const char *before, *after;
} writers[] = {
    [VALUE_NONE] = {put_word, "", ""},
    [VALUE_BOOL] = {put_word, "", ""},
    [VALUE_INT] = {put_int, "", ""},
    [VALUE_FLOAT] = {put_float, "", ""},
    [VALUE_STR] = {put_str, "", ""},
    [VALUE_LIST] = {put_all_items, "[", "]"},
    [VALUE_OBJECT] = {put_dict, "", ""},
    [VALUE_COMPLEX] = {put_complex, "", ""},
    [VALUE_BYTES] = {put_bytes, "", ""},
    [VALUE_BYTEARRAY] = {put_bytes, "bytearray(", ")"},
    [VALUE_TUPLE] = {put_tuple, "(", ")"},
    [VALUE_SET] = {put_set, "", ""},
    [VALUE_FROZENSET] = {put_set, "", ""},
    [VALUE_DEQUE] = {put_all_items, "deque([", "])"},
    [VALUE_DICT] = {put_dict, "", ""},
    [VALUE_RANGE] = {put_range, "range(", ")"},
    [VALUE_DECIMAL] = {put_str, "Decimal(", ")"},
    [VALUE_FRACTION] = {put_all_items, "Fraction(", ")"},
    [VALUE_PATH] = {put_str, "PosixPath(", ")"},
    [VALUE_DATE] = {put_moment, "", ""},
    [VALUE_TIME] = {put_moment, "", ""},
    [VALUE_DATETIME] = {put_moment, "", ""},
    [VALUE_TIMEDELTA] = {put_timedelta, "", ""},
    [VALUE_ENUM] = {put_enum, "", ""},
    [VALUE_NAMEDTUPLE] = {put_named, "", ""},
    [VALUE_DATACLASS] = {put_named, "", ""},
    [VALUE_SCALAR] = {put_all_items, "", ""},
    [VALUE_NDARRAY] = {put_array, "", ""},
    [VALUE_OTHER] = {put_other, "", ""},
};

/* Types that value_resolve always turns into others have no writer. */
static void put_value(struct writer *w, const struct value *v)
{
    if (!writers[v->type].content)
        return;
    value_repr_put(w, writers[v->type].before);
    writers[v->type].content(w, v);
    value_repr_put(w, writers[v->type].after);
}

/* `max` counts characters, each of at most four bytes. */
static void write_value(const struct value *v, size_t max, bool as_is, struct buf *ret)
{
    AUTO_BUF struct buf b = {0};
    struct writer w = {.b = &b, .stop = 4 * max + 16};
    size_t at = 0;

    buf_init(&b, 64 * w.stop + 65536);
    if (as_is && v->type == VALUE_STR)
        (void)buf_add_str(&b, beginning(&w, v->text));
    else
        put_value(&w, v);
    for (size_t i = 0; i < max && at < b.n; i++)
        for (at++; at < b.n && ((unsigned char)b.p[at] & 0xC0) == 0x80;)
            at++;
    (void)buf_add(ret, b.p, at);
}

void value_repr(const struct value *v, size_t max, struct buf *ret)
{
    write_value(v, max, false, ret);
}

void value_show(const struct value *v, size_t max, struct buf *ret)
{
    write_value(v, max, true, ret);
}
