/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts in the program that the library runs as code.
 *
 * doctest runs the code after >>> in docstrings. If the docstrings are plain strings of the
 * program, they are read as code; otherwise it is unknown what will run, and the call is reported.
 * functools.singledispatch and typing.get_type_hints evaluate string annotations.
 */
#include <string.h>

#include "base/buf.h"
#include "guard/rules_parts.h"

enum { EXAMPLES_MAX = 256 << 10 };

/* ---- whose docstrings? ---- */

static bool is_name_of_docs(struct str s)
{
    return str_is(s, "__doc__") || str_is(s, "__test__");
}

/* True if the program sets docstrings other than those below def and class. */
static bool gives_docs(const struct node *n)
{
    switch ((int)n->kind) {
    case N_NAME:
        return n->op != CTX_LOAD && is_name_of_docs(name_str(n->name.id));
    case N_ATTRIBUTE:
        return n->op != CTX_LOAD && is_name_of_docs(name_str(n->attribute.attr));
    case N_CONSTANT:
        return n->op == CONST_STR && is_name_of_docs(n->constant.text);
    case N_KEYWORD:
        return n->keyword.arg && str_is(name_str(n->keyword.arg), "doc") &&
               n->keyword.value->kind != N_CONSTANT;
    }
    return false;
}

static bool is_about_others(const struct node *call)
{
    if (call->call.args.n)
        return true;
    for (size_t i = 0; i < call->call.keywords.n; i++) {
        const struct name *name = call->call.keywords.at[i]->keyword.arg;
        if (!name || str_is(name_str(name), "m"))
            return true;
    }
    return false;
}

/* ---- the examples ---- */

static void add_examples(struct buf *b, struct str text)
{
    struct str line;

    while (str_next_line(&text, &line)) {
        line = str_trim(line);
        if ((str_starts(line, ">>> ") || str_starts(line, "... ")) &&
            buf_add_str(b, str_slice(line, 4, line.n)) == 0)
            (void)buf_addc(b, '\n');
    }
}

bool doctest_is_read(struct check *c, const struct node *call, bool own_module)
{
    AUTO_BUF struct buf examples = {0};

    if (call->kind != N_CALL || (own_module && is_about_others(call)))
        return false;
    buf_init(&examples, EXAMPLES_MAX);
    for (size_t i = 0; i < c->program.n; i++) {
        const struct node *n = c->program.items[i].node;
        if (gives_docs(n))
            return false;
        if (n->kind == N_CONSTANT && n->op == CONST_STR &&
            str_find(n->constant.text, STR(">>> ")) >= 0)
            add_examples(&examples, n->constant.text);
    }
    return examples.n < 3 ||
           (examples.n < EXAMPLES_MAX && check_run_text(c, call, buf_str(&examples)));
}

/* ---- annotations ---- */

enum { ANNOTATIONS_MAX = 100 };

struct annotations {
    struct check *c;
    unsigned n;
};

static int read_texts(void *ctx, struct node *n)
{
    struct annotations *a = ctx;

    if (n->kind == N_CONSTANT && n->op == CONST_STR && n->constant.text.n > 2) {
        if (++a->n > ANNOTATIONS_MAX)
            return 1;
        (void)check_run_text(a->c, n, n->constant.text); /* invalid code cannot run */
    }
    return node_each_child(n, read_texts, ctx);
}

static struct node *annotation_of(const struct node *n)
{
    switch ((int)n->kind) {
    case N_ARG:
        return n->arg.annotation;
    case N_ANN_ASSIGN:
        return n->ann_assign.annotation;
    case N_FUNCTION_DEF:
    case N_ASYNC_FUNCTION_DEF:
        return n->function.returns;
    }
    return NULL;
}

bool annotations_are_read(struct check *c)
{
    struct annotations a = {.c = c};

    for (size_t i = 0; i < c->program.n && a.n <= ANNOTATIONS_MAX && !c->annotations_read; i++) {
        struct node *n = annotation_of(c->program.items[i].node);
        if (n)
            (void)read_texts(&a, n);
    }
    c->annotations_read = a.n <= ANNOTATIONS_MAX;
    return c->annotations_read;
}
