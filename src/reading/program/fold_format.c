/* SPDX-License-Identifier: Apache-2.0
 *
 * '{}{1}{name}'.format(...) and 'sy%s' % 'stem', for fields that only select an argument.
 */
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "program/fold.h"
#include "syntax/unicode.h"

const struct value *fold_str(struct fold *f, const struct value *x)
{
    AUTO_BUF struct buf b = {0};

    switch ((int)x->kind) {
    case VALUE_TEXT:
    case VALUE_DECODED:
        return x;
    case VALUE_NONE:
        return fold_text(f, VALUE_TEXT, STR("None"), false);
    case VALUE_BOOL:
        return fold_text(f, VALUE_TEXT, x->integer ? STR("True") : STR("False"), false);
    case VALUE_INT:
        buf_init(&b, 32);
        (void)buf_addf(&b, "%lld", (long long)x->integer);
        return fold_text(f, VALUE_TEXT, buf_str(&b), false);
    }
    return &value_unknown;
}

struct filler {
    struct fold *f;
    const struct fold_args *args;
    struct buf out;
    size_t next;
    bool decoded;
};

static const struct value *named(const struct fold_args *args, struct str name)
{
    for (size_t i = 0; i < args->n_named; i++) {
        if (str_eq(args->names[i], name))
            return args->at[args->n - args->n_named + i];
    }
    return &value_unknown;
}

static const struct value *field_value(struct filler *p, struct str field)
{
    int64_t n = (int64_t)p->next;

    if (str_ends(field, "!s"))
        field.n -= 2;
    if (!field.n)
        p->next++;
    else if (!num_int64(field, &n))
        return named(p->args, field);
    if (n < 0 || (uint64_t)n >= p->args->n - p->args->n_named)
        return &value_unknown;
    return p->args->at[n];
}

static bool fold_format_add_value(struct filler *p, const struct value *v)
{
    const struct value *s = fold_str(p->f, v);

    if (s->kind != VALUE_TEXT)
        return false;
    p->decoded |= s->decoded;
    return buf_add_str(&p->out, s->text) == 0;
}

/* One step of the template: a doubled brace, a field, or the string up to the next brace. */
static bool fill_step(struct filler *p, struct str *rest)
{
    char c = rest->p[0];
    size_t n = 0;

    if (c != '{' && c != '}') {
        while (n < rest->n && rest->p[n] != '{' && rest->p[n] != '}')
            n++;
        (void)buf_add(&p->out, rest->p, n);
        *rest = str_slice(*rest, n, rest->n);
        return !p->out.overflow;
    }
    if (rest->n > 1 && rest->p[1] == c) {
        *rest = str_slice(*rest, 2, rest->n);
        return buf_addc(&p->out, c) == 0;
    }
    const char *end = c == '{' ? memchr(rest->p, '}', rest->n) : NULL;
    if (!end)
        return false;
    struct str field = {rest->p + 1, (size_t)(end - rest->p) - 1};
    *rest = str_slice(*rest, field.n + 2, rest->n);
    return fold_format_add_value(p, field_value(p, field));
}

static const struct value *filled(struct filler *p, bool whole)
{
    const struct value *v = &value_unknown;

    if (whole && !p->out.overflow)
        v = fold_text(p->f, VALUE_TEXT, buf_str(&p->out), p->decoded);
    buf_done(&p->out);
    return v;
}

const struct value *fold_format(struct fold *f, const struct value *x, const struct fold_args *args)
{
    struct filler p = {.f = f, .args = args, .decoded = x->decoded};
    struct str rest = x->text;
    bool going = true;

    if (x->kind != VALUE_TEXT || !fold_pay(f, x->text.n))
        return &value_unknown;
    buf_init(&p.out, VALUE_MAX_TEXT);
    while (rest.n && going)
        going = fill_step(&p, &rest);
    return filled(&p, going);
}

static bool add_character(struct filler *p, const struct value *v)
{
    if (v->kind == VALUE_TEXT)
        return buf_add_str(&p->out, v->text) == 0;
    if (v->kind != VALUE_INT || v->integer < 0 || v->integer >= 0x110000)
        return false;
    return unicode_add(&p->out, (uint32_t)v->integer) == 0;
}

static bool percent_field(struct filler *p, char kind)
{
    if (kind == '%')
        return buf_addc(&p->out, '%') == 0;
    if (p->next >= p->args->n)
        return false;
    const struct value *v = p->args->at[p->next++];
    if (kind == 'c')
        return add_character(p, v);
    if ((kind == 'd' || kind == 'i') && v->kind == VALUE_TEXT)
        return false;
    return (kind == 's' || kind == 'd' || kind == 'i') && fold_format_add_value(p, v);
}

/* Formats %(name)s. *at is the position of the '(', and then of the last character, the 's'. */
static bool percent_name(struct filler *p, struct str text, size_t *at, const struct value *dict)
{
    const char *end = memchr(text.p + *at, ')', text.n - *at);
    struct str key;

    if (!end || dict->kind != VALUE_DICT || end + 1 == text.p + text.n || end[1] != 's')
        return false;
    key = str_slice(text, *at + 1, (size_t)(end - text.p));
    *at = (size_t)(end - text.p) + 1;
    return fold_format_add_value(p,
                                 fold_item(p->f, dict, value_text(p->f->arena, VALUE_TEXT, key)));
}

const struct value *fold_percent(struct fold *f, const struct value *x, const struct value *args)
{
    struct fold_args list = {.at = &args, .n = 1};
    struct filler p = {.f = f, .args = &list, .decoded = x->decoded};
    bool going = true;

    if (args->kind == VALUE_LIST)
        list = (struct fold_args){.at = args->items, .n = args->n};
    if (x->kind != VALUE_TEXT || !fold_pay(f, x->text.n))
        return &value_unknown;
    buf_init(&p.out, VALUE_MAX_TEXT);
    for (size_t i = 0; i < x->text.n && going; i++) {
        if (x->text.p[i] != '%')
            going = buf_addc(&p.out, x->text.p[i]) == 0;
        else if (++i < x->text.n && x->text.p[i] == '(')
            going = percent_name(&p, x->text, &i, args);
        else
            going = i < x->text.n && percent_field(&p, x->text.p[i]);
    }
    return filled(&p, going);
}
