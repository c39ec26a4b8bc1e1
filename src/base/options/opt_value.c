/* SPDX-License-Identifier: Apache-2.0 */
#include "options/opt_value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/suggestion.h"

static int check_range(const struct opt *row, int64_t v, char *(*format)(int64_t, char *, size_t),
                       struct err *err)
{
    char got[32], min[32], max[32];

    if ((!row->min && !row->max) || (v >= row->min && (!row->max || v <= row->max)))
        return 0;
    format(v, got, sizeof got);
    format(row->min, min, sizeof min);
    if (!row->max)
        return err_set(err, ERR_USAGE, "%s is too little; give %s or more", got, min);
    return err_set(err, ERR_USAGE, "%s is out of range; give %s to %s", got, min,
                   format(row->max, max, sizeof max));
}

static char *format_int(int64_t v, char *out, size_t n)
{
    snprintf(out, n, "%" PRId64, v);
    return out;
}

static char *format_size(int64_t v, char *out, size_t n)
{
    return num_format_size((uint64_t)v, out, n);
}

static char *format_milli(int64_t v, char *out, size_t n)
{
    int len = snprintf(out, n, "%" PRId64 ".%03" PRId64, v / 1000, v % 1000);

    while (len > 2 && (size_t)len < n && out[len - 1] == '0' && out[len - 2] != '.')
        out[--len] = '\0';
    return out;
}

static int read_flag(const struct opt *row, struct str s, union opt_value *ret, struct err *err)
{
    static const char *const words[] = {"false", "no", "off", "0", "true", "yes", "on", "1"};
    bool negated = row->kind == OPT_NEGATION;

    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (!str_is_nocase(s, words[i]))
            continue;
        ret->flag = (i >= ARRAY_LEN(words) / 2) != negated;
        return 0;
    }
    return err_set(err, ERR_USAGE, "'%.*s' is neither true nor false", (int)(s.n < 80 ? s.n : 80),
                   s.p);
}

static int opt_value_read_string(const struct opt *row, struct str s, union opt_value *ret,
                                 struct err *err)
{
    (void)row;
    if (s.n && memchr(s.p, '\0', s.n))
        return err_set(err, ERR_USAGE, "the value contains a NUL byte");
    ret->string = xstrndup(s.p, s.n);
    return 0;
}

static int opt_value_read_size(const struct opt *row, struct str s, union opt_value *ret,
                               struct err *err)
{
    if (num_size(s, &ret->size, err) < 0)
        return -1;
    return check_range(row, (int64_t)ret->size, format_size, err);
}

static int read_duration(const struct opt *row, struct str s, union opt_value *ret, struct err *err)
{
    if (row->zero && str_is(s, row->zero))
        ret->number = 0;
    else if (num_duration_ms(s, &ret->number, err) < 0)
        return -1;
    return check_range(row, ret->number, num_format_duration, err);
}

static int read_milli(const struct opt *row, struct str s, union opt_value *ret, struct err *err)
{
    if (row->none && str_is(s, row->none)) {
        ret->number = -1;
        return 0;
    }
    if (num_milli(s, &ret->number, err) < 0)
        return -1;
    return check_range(row, ret->number, format_milli, err);
}

static int read_int(const struct opt *row, struct str s, union opt_value *ret, struct err *err)
{
    if (!num_int64(s, &ret->number))
        return err_set(err, ERR_USAGE, "'%.*s' is not a whole number", (int)(s.n < 80 ? s.n : 80),
                       s.p);
    return check_range(row, ret->number, format_int, err);
}

static int read_choice(const struct opt *row, struct str s, union opt_value *ret, struct err *err)
{
    struct suggestion near = {.word = s};
    AUTO_BUF struct buf words = {0};

    buf_init(&words, 300);
    for (int i = 0; row->choices[i]; i++) {
        if (str_is(s, row->choices[i])) {
            ret->choice = i;
            return 0;
        }
        suggestion_try(&near, row->choices[i]);
        (void)buf_addf(&words, "%s%s", i ? ", " : "", row->choices[i]);
    }
    err_set(err, ERR_USAGE, "'%.*s' is not one of %s", (int)(s.n < 80 ? s.n : 80), s.p, words.p);
    if (near.best) {
        size_t used = strlen(err->msg);
        snprintf(err->msg + used, sizeof err->msg - used, "; did you mean '%s'?", near.best);
    }
    return -1;
}

static void add_flag(struct buf *b, const struct opt *row, const union opt_value *v)
{
    (void)buf_adds(b, v->flag != (row->kind == OPT_NEGATION) ? "true" : "false");
}

static void add_string(struct buf *b, const struct opt *row, const union opt_value *v)
{
    (void)row;
    (void)conf_add_value(b, str_from(v->string));
}

static void add_list(struct buf *b, const struct opt *row, const union opt_value *v)
{
    size_t line = b->n;

    (void)buf_addc(b, '[');
    for (size_t i = 0; i < v->list.n; i++) {
        /* A line of a config file has a maximal length; an array may have any number of lines. */
        bool full = b->n - line > 70;
        if (full)
            line = b->n;
        (void)buf_adds(b, i == 0 ? "" : full ? ",\n    " : ", ");
        struct str item = str_from(v->list.items[i]);
        const char *equals = row->flags & OPT_NAMES ? memchr(item.p, '=', item.n) : NULL;
        AUTO_FREE char *name =
            equals ? xasprintf("%.*s=***", (int)(equals - item.p), item.p) : NULL;
        (void)conf_add_value(b, name ? str_from(name) : item);
    }
    (void)buf_addc(b, ']');
}

static void add_size(struct buf *b, const struct opt *row, const union opt_value *v)
{
    char text[32];

    (void)row;
    (void)buf_adds(b, num_format_size(v->size, text, sizeof text));
}

static void add_number(struct buf *b, const struct opt *row, const union opt_value *v)
{
    char text[32];

    if (row->none && v->number < 0)
        snprintf(text, sizeof text, "%s", row->none);
    else if (row->kind == OPT_DURATION)
        num_format_duration(v->number, text, sizeof text);
    else if (row->kind == OPT_MILLI)
        format_milli(v->number, text, sizeof text);
    else
        format_int(v->number, text, sizeof text);
    (void)buf_adds(b, text);
}

static void add_choice(struct buf *b, const struct opt *row, const union opt_value *v)
{
    (void)buf_adds(b, row->choices[v->choice]);
}

static const struct kind {
    size_t size; /* of the settings' member */
    int (*read)(const struct opt *row, struct str s, union opt_value *ret, struct err *err);
    void (*add)(struct buf *b, const struct opt *row, const union opt_value *v);
} kinds[] = {
    [OPT_FLAG] = {sizeof(bool), read_flag, add_flag},
    [OPT_NEGATION] = {sizeof(bool), read_flag, add_flag},
    [OPT_STRING] = {sizeof(char *), opt_value_read_string, add_string},
    [OPT_LIST] = {sizeof(struct opt_list), opt_value_read_string, add_list}, /* one item */
    [OPT_SIZE] = {sizeof(uint64_t), opt_value_read_size, add_size},
    [OPT_DURATION] = {sizeof(int64_t), read_duration, add_number},
    [OPT_MILLI] = {sizeof(int64_t), read_milli, add_number},
    [OPT_INT] = {sizeof(int64_t), read_int, add_number},
    [OPT_CHOICE] = {sizeof(int), read_choice, add_choice},
};

union opt_value opt_value_get(const struct opt *row, const void *settings)
{
    union opt_value v = {0};

    memcpy(&v, (const char *)settings + row->offset, kinds[row->kind].size);
    return v;
}

void opt_value_put(const struct opt *row, void *settings, const union opt_value *v)
{
    memcpy((char *)settings + row->offset, v, kinds[row->kind].size);
}

void opt_add_value(struct buf *b, const struct opt *row, const void *settings)
{
    union opt_value v = opt_value_get(row, settings);

    kinds[row->kind].add(b, row, &v);
}

void opt_value_free(const struct opt *row, union opt_value *v)
{
    if (row->kind == OPT_STRING)
        free(v->string);
    for (size_t i = 0; row->kind == OPT_LIST && i < v->list.n; i++)
        free(v->list.items[i]);
    if (row->kind == OPT_LIST)
        free(v->list.items);
}

static void add_item(struct opt_list *list, char *item)
{
    size_t n = list->n;

    if ((n & (n + 1)) == 0) /* n and the NULL fill a power of two */
        list->items = xrealloc_array(list->items, (n + 1) * 2, sizeof *list->items);
    list->items[n] = item;
    list->items[n + 1] = NULL;
    list->n++;
}

/* Takes ownership of text. */
static void add_items(const struct opt *row, struct opt_list *list, char *text)
{
    struct str rest = str_from(text), part;

    if (!(row->flags & OPT_COMMAS)) {
        add_item(list, text);
        return;
    }
    while (str_next(&rest, ',', &part)) {
        part = str_trim(part);
        if (part.n)
            add_item(list, xstrndup(part.p, part.n));
    }
    free(text);
}

int opt_value_read(const struct opt *row, const struct str *texts, size_t n, union opt_value *ret,
                   struct err *err)
{
    union opt_value v = {0}, item;

    if (row->kind != OPT_LIST) {
        if (n != 1)
            return err_set(err, ERR_USAGE, "takes one value, not %zu", n);
        return kinds[row->kind].read(row, texts[0], ret, err);
    }
    for (size_t i = 0; i < n; i++) {
        if (kinds[row->kind].read(row, texts[i], &item, err) < 0) {
            opt_value_free(row, &v);
            return -1;
        }
        add_items(row, &v.list, item.string);
    }
    *ret = v;
    return 0;
}

void opt_value_join(union opt_value *list, union opt_value *more)
{
    for (size_t i = 0; i < more->list.n; i++)
        add_item(&list->list, more->list.items[i]);
    free(more->list.items);
    more->list = (struct opt_list){0};
}

/* For comparison: 0, which means no limit, wraps to the largest value. */
static uint64_t as_limit(const struct opt *row, const union opt_value *v)
{
    return (row->kind == OPT_SIZE ? v->size : (uint64_t)v->number) - 1;
}

bool opt_value_is_more(const struct opt *row, const union opt_value *a, const union opt_value *b)
{
    bool number = row->kind == OPT_SIZE || row->kind == OPT_DURATION || row->kind == OPT_MILLI ||
                  row->kind == OPT_INT;

    return number && as_limit(row, a) > as_limit(row, b);
}

bool opt_value_is_on(const struct opt *row, const union opt_value *v)
{
    return opt_takes_value(row) || v->flag == (row->kind == OPT_FLAG);
}
