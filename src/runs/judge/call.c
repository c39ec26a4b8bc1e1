/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/call.h"

#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/suggestion.h"
#include "base/utf8.h"

enum {
    NAME_MAX_BYTES = 80,
    ARGUMENT_MAX = 60, /* characters of one argument */
    CALL_MAX = 200,    /* characters of the whole call */
    TEXT_MAX = 1000,   /* characters of a call that the case has as text */
    LISTED_MAX = 10,   /* functions in advice */
};

static bool is_name_byte(char c)
{
    return ascii_is_word(c) || (unsigned char)c >= 0x80;
}

bool call_is_name(struct str text)
{
    if (!text.n || text.n > NAME_MAX_BYTES || !utf8_valid(text))
        return false;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (!is_name_byte(c) && c != '.')
            return false;
    }
    return true;
}

/* Returns the next public function at the top level; NULL after the last. */
static const struct name *next_function(const struct node_list *body, size_t *at)
{
    while (*at < body->n) {
        const struct node *s = body->at[(*at)++];
        if ((s->kind == N_FUNCTION_DEF || s->kind == N_ASYNC_FUNCTION_DEF) &&
            s->function.name->text[0] != '_')
            return s->function.name;
    }
    return NULL;
}

char *call_only_function(struct str code, struct python_text *text)
{
    const struct name *name, *found = NULL;
    size_t n = 0, at = 0;

    if (!python_text_parse(text, code))
        return NULL;
    while ((name = next_function(&text->tree.module->module.body, &at))) {
        found = name;
        n++;
    }
    return n == 1 && call_is_name((struct str){found->text, found->n})
               ? xstrndup(found->text, found->n)
               : NULL;
}

static bool has_word(struct str code, struct str word)
{
    long found;

    while (word.n && (found = str_find(code, word)) >= 0) {
        size_t from = (size_t)found, to = from + word.n;
        if ((!from || !is_name_byte((unsigned char)code.p[from - 1])) &&
            (to == code.n || !is_name_byte((unsigned char)code.p[to])))
            return true;
        code = str_slice(code, to, code.n);
    }
    return false;
}

char *call_missing(const char *func, struct str code, struct python_text *text)
{
    struct str word = str_slice(str_from(func), 0, strcspn(func, "."));
    struct suggestion near = {.word = word};
    AUTO_BUF struct buf b = {0};
    const struct name *name;
    size_t n = 0, at = 0;

    if (has_word(code, word) || str_find(code, STR("import *")) >= 0 ||
        !python_text_parse(text, code))
        return NULL;
    buf_init(&b, 16 * CALL_MAX);
    while ((name = next_function(&text->tree.module->module.body, &at))) {
        suggestion_try(&near, name->text);
        if (++n <= LISTED_MAX)
            (void)buf_addf(&b, "%s%.*s", n > 1 ? ", " : "it defines ", NAME_MAX_BYTES, name->text);
    }
    if (n > LISTED_MAX)
        (void)buf_addf(&b, " and %zu more", n - LISTED_MAX);
    if (near.best)
        (void)buf_addf(&b, "; did you mean %.*s?", NAME_MAX_BYTES, near.best);
    return n ? buf_take(&b) : xstrdup("it defines no function");
}

/* False if there is no room for further arguments. */
static bool add_argument(struct buf *b, bool first, struct str name, const struct value *v)
{
    if (!first)
        (void)buf_adds(b, ", ");
    if (b->n >= CALL_MAX) {
        (void)buf_adds(b, "...");
        return false;
    }
    if (name.n)
        (void)buf_addf(b, "%.*s=", (int)(name.n < ARGUMENT_MAX ? name.n : ARGUMENT_MAX), name.p);
    size_t from = b->n;
    value_repr(v, ARGUMENT_MAX, b);
    if (b->n - from >= ARGUMENT_MAX)
        (void)buf_adds(b, "...");
    return true;
}

static void add_arguments(struct buf *b, const struct test_case *c)
{
    bool first = true, room = true;

    for (size_t i = 0; room && i < c->arg_values.n; i++, first = false)
        room = add_argument(b, first, STR(""), &c->arg_values.items[i]);
    for (size_t i = 0; room && i < c->kwarg_values.n; i++, first = false)
        room = add_argument(b, first, c->kwarg_values.items[2 * i].text,
                            &c->kwarg_values.items[2 * i + 1]);
}

/* Adds the text on one line; a text that is too long is cut, and ends with "...". */
static void call_add_text(struct buf *b, struct str text)
{
    bool cut = text.n > TEXT_MAX;

    text = str_slice(text, 0, cut ? TEXT_MAX : text.n);
    text = str_slice(text, 0, utf8_valid_prefix(text));
    (void)buf_add_str(b, text);
    for (size_t i = 0; i < b->n; i++)
        if (b->p[i] == '\n' || b->p[i] == '\r' || b->p[i] == '\t')
            b->p[i] = ' ';
    if (cut)
        (void)buf_adds(b, "...");
}

char *call_text(const struct test_case *c, const char *func)
{
    AUTO_BUF struct buf b = {0};

    if (c->is_program || (!c->call.p && !func))
        return NULL;
    buf_init(&b, 16 * CALL_MAX);
    if (c->call.p) {
        call_add_text(&b, c->call_text);
        return buf_take(&b);
    }
    (void)buf_addf(&b, "%.*s(", NAME_MAX_BYTES, func);
    add_arguments(&b, c);
    (void)buf_adds(&b, ")");
    return buf_take(&b);
}
