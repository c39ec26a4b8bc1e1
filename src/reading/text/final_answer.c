/* SPDX-License-Identifier: Apache-2.0 */
#include "text/final_answer.h"

#include <stdlib.h>

#include "base/mem.h"
#include "python/python.h"

#define NAME     "final_answer"
#define VARIABLE "final_answer_variable"

struct use {
    uint32_t line, column;
    size_t at;
};

struct uses {
    struct use *at; /* where the name is used as a variable */
    size_t n, room;
    bool called, assigned;
    bool odd; /* bound in a way that has no location of its own in the text */
};

static bool is_it(const struct name *name)
{
    return name && str_is((struct str){name->text, name->n}, NAME);
}

static void add_use(struct uses *uses, const struct node *node)
{
    if (uses->n == uses->room)
        uses->at = mem_grow(uses->at, &uses->room, sizeof *uses->at);
    uses->at[uses->n++] = (struct use){node->line, node->column, 0};
}

static int find_parameter(void *ctx, struct node *child)
{
    bool *found = ctx;

    *found |= child->kind == N_ARG && is_it(child->arg.arg);
    return 0;
}

/* Inside a function with such a parameter, the name means the parameter. */
static bool has_parameter(const struct node *args)
{
    bool found = false;

    if (args)
        (void)node_each_child(args, find_parameter, &found);
    return found;
}

static bool has_name(const struct name_list *names)
{
    for (size_t i = 0; i < names->n; i++)
        if (is_it(names->at[i]))
            return true;
    return false;
}

static int final_answer_visit(void *ctx, struct node *node);

static int visit_call(struct uses *uses, const struct node *call)
{
    const struct node *function = call->call.func;

    if (function->kind != N_NAME || !is_it(function->name.id))
        return node_each_child(call, final_answer_visit, uses);
    uses->called = true;
    for (size_t i = 0; i < call->call.args.n; i++)
        (void)final_answer_visit(uses, call->call.args.at[i]);
    for (size_t i = 0; i < call->call.keywords.n; i++)
        (void)final_answer_visit(uses, call->call.keywords.at[i]);
    return 0;
}

static int final_answer_visit(void *ctx, struct node *node)
{
    struct uses *uses = ctx;

    switch (node->kind) {
    case N_NAME:
        if (is_it(node->name.id)) {
            uses->assigned |= node->op == CTX_STORE;
            add_use(uses, node);
        }
        return 0;
    case N_CALL:
        return visit_call(uses, node);
    case N_FUNCTION_DEF:
    case N_ASYNC_FUNCTION_DEF:
        return has_parameter(node->function.args) ? 0
                                                  : node_each_child(node, final_answer_visit, uses);
    case N_LAMBDA:
        return has_parameter(node->lambda.args) ? 0
                                                : node_each_child(node, final_answer_visit, uses);
    case N_GLOBAL:
    case N_NONLOCAL:
        uses->odd |= has_name(&node->names_of.names);
        return 0;
    case N_ALIAS:
        uses->odd |= is_it(node->alias.asname ? node->alias.asname : node->alias.name);
        return 0;
    case N_EXCEPT_HANDLER:
        uses->odd |= is_it(node->handler.name);
        return node_each_child(node, final_answer_visit, uses);
    case N_MATCH_AS:
        uses->odd |= is_it(node->match_as.name);
        return node_each_child(node, final_answer_visit, uses);
    default:
        return node_each_child(node, final_answer_visit, uses);
    }
}

/* ---- locations in the original text ---- */

static int by_place(const void *a, const void *b)
{
    const struct use *x = a, *y = b;

    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->column < y->column ? -1 : x->column > y->column;
}

static size_t final_answer_next_line(struct str code, size_t at)
{
    while (at < code.n && code.p[at] != '\n' && code.p[at] != '\r')
        at++;
    if (at < code.n && code.p[at] == '\r' && at + 1 < code.n && code.p[at + 1] == '\n')
        at++;
    return at < code.n ? at + 1 : at;
}

/* False if the name is not at one of its locations. */
static bool find_places(struct str code, struct uses *uses)
{
    size_t at = str_starts(code, "\xef\xbb\xbf") ? 3 : 0;
    uint32_t line = 1;

    qsort(uses->at, uses->n, sizeof *uses->at, by_place);
    for (size_t i = 0; i < uses->n; i++) {
        for (; line < uses->at[i].line; line++)
            at = final_answer_next_line(code, at);
        uses->at[i].at = at + uses->at[i].column;
        if (!str_starts(str_slice(code, uses->at[i].at, code.n), NAME))
            return false;
    }
    return true;
}

static void add_renamed(struct str code, const struct uses *uses, struct buf *out)
{
    size_t at = 0;

    for (size_t i = 0; i < uses->n; i++) {
        (void)buf_add_str(out, str_slice(code, at, uses->at[i].at));
        (void)buf_adds(out, VARIABLE);
        at = uses->at[i].at + sizeof NAME - 1;
    }
    (void)buf_add_str(out, str_slice(code, at, code.n));
}

static bool find_uses(struct str code, struct uses *uses)
{
    struct python_tree tree;

    if (python_parse(code, &(struct python_options){0}, &tree) == 0)
        (void)final_answer_visit(uses, tree.module);
    python_tree_done(&tree);
    return uses->called && uses->assigned && !uses->odd && find_places(code, uses);
}

bool final_answer_fix(struct str code, struct buf *out)
{
    struct uses uses = {0};
    bool change = str_find(code, STR(NAME)) >= 0 && find_uses(code, &uses);

    if (change)
        add_renamed(code, &uses, out);
    else
        (void)buf_add_str(out, code);
    free(uses.at);
    return change;
}
