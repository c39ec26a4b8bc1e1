/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/call.h"

#include "base/mem.h"
#include "base/utf8.h"

enum {
    NAME_MAX_BYTES = 80,
    ARGUMENT_MAX = 60, /* characters of one, */
    CALL_MAX = 200,    /* and of all */
    TEXT_MAX = 1000,   /* of a call that stands as text in the case */
};

bool call_is_name(struct str text)
{
    if (!text.n || text.n > NAME_MAX_BYTES || !utf8_valid(text))
        return false;
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        bool letter = (c | 32) >= 'a' && (c | 32) <= 'z', digit = c >= '0' && c <= '9';
        if (!letter && !digit && c != '_' && c != '.' && c < 0x80)
            return false;
    }
    return true;
}

char *call_only_function(struct str code, struct python_text *text)
{
    struct str found = {NULL, 0};
    size_t n = 0;

    if (python_text_parse(text, code)) {
        const struct node_list *body = &text->tree.module->module.body;
        for (size_t i = 0; i < body->n; i++) {
            const struct node *s = body->at[i];
            if ((s->kind != N_FUNCTION_DEF && s->kind != N_ASYNC_FUNCTION_DEF) ||
                s->function.name->text[0] == '_')
                continue;
            found = (struct str){s->function.name->text, s->function.name->n};
            n++;
        }
    }
    return n == 1 && call_is_name(found) ? xstrndup(found.p, found.n) : NULL;
}

/* False when there is no room for more of them. */
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

/* Puts the text on one line; it has a little more than is shown, so that the cut is visible. */
static void add_text(struct buf *b, struct str text)
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
        add_text(&b, c->call_text);
        return buf_take(&b);
    }
    (void)buf_addf(&b, "%.*s(", NAME_MAX_BYTES, func);
    add_arguments(&b, c);
    (void)buf_adds(&b, ")");
    return buf_take(&b);
}
