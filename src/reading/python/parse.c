/* SPDX-License-Identifier: Apache-2.0 */
#include "python/parse.h"

#include <stdlib.h>

#include "base/mem.h"
#include "python/parse_parts.h"

void parser_init(struct parser *p, struct python_tree *tree, const struct token *first)
{
    *p = (struct parser){
        .at = first,
        .tree = tree,
        .arena = &tree->arena,
        .text = tree->text.p,
        .target = tree->target,
        .arena_end = tree->arena.end,
        .depth_before = tree->depth,
        .soft_match = name_get_plain(tree, STR("match")),
        .soft_case = name_get_plain(tree, STR("case")),
        .soft_type = name_get_plain(tree, STR("type")),
        .underscore = name_get_plain(tree, STR("_")),
    };
}

void parser_done(struct parser *p)
{
    p->tree->depth = p->depth_before;
    free(p->list);
}

bool parser_too_deep(struct parser *p)
{
    const struct token *t = p->at;

    python_fail(p->tree, PYTHON_RECURSION_ERROR, t->line, (int32_t)t->column, t->end_line,
                (int32_t)t->end_column,
                "too many nested expressions or statements; split this into several statements");
    return false;
}

bool parser_enough_memory(struct parser *p)
{
    const struct token *t = p->at;

    p->arena_end = p->arena->end;
    if (arena_used(p->arena) <= p->tree->memory_limit)
        return true;
    python_fail(p->tree, PYTHON_MEMORY_ERROR, t->line, (int32_t)t->column, t->end_line,
                (int32_t)t->end_column,
                "the program is too large for the memory limit of %zu bytes",
                p->tree->memory_limit);
    return false;
}

void parser_list_grow(struct parser *p)
{
    p->list_room = p->list_room ? p->list_room * 2 : 256;
    p->list = xrealloc_array(p->list, p->list_room, sizeof *p->list);
}

void list_take(struct parser *p, size_t mark, struct node *owner, struct node_list *ret)
{
    size_t n = p->list_n - mark;

    *ret = (struct node_list){NULL, n};
    if (n == 0)
        return;
    ret->at = arena_alloc(p->arena, n * sizeof *ret->at);
    for (size_t i = 0; i < n; i++) {
        ret->at[i] = p->list[mark + i];
        above(owner, ret->at[i]);
    }
    p->list_n = mark;
}

void list_take_pairs(struct parser *p, size_t mark, struct node *owner, struct node_list *ret_keys,
                     struct node_list *ret_values)
{
    size_t count = (p->list_n - mark) / 2;
    struct node **keys = arena_alloc(p->arena, count * sizeof *keys);

    for (size_t i = 0; i < count; i++) {
        keys[i] = p->list[mark + 2 * i];
        above(owner, keys[i]);
        p->list[mark + i] = p->list[mark + 2 * i + 1];
    }
    p->list_n = mark + count;
    *ret_keys = (struct node_list){keys, count};
    list_take(p, mark, owner, ret_values);
}

void list_take_names(struct parser *p, size_t mark, struct name_list *ret)
{
    size_t n = p->list_n - mark;

    *ret = (struct name_list){NULL, n};
    if (n == 0)
        return;
    ret->at = arena_alloc(p->arena, n * sizeof *ret->at);
    for (size_t i = 0; i < n; i++)
        ret->at[i] = p->list[mark + i];
    p->list_n = mark;
}

void finish_block(struct parser *p, struct node *n)
{
    const struct token *t = p->at - 1;

    while (t->kind == T_NEWLINE || t->kind == T_INDENT || t->kind == T_DEDENT)
        t--;
    n->end_line = t->end_line;
    n->end_column = t->end_column;
}

/* file: [statements] ENDMARKER */
static struct node *file(struct parser *p)
{
    struct node *n = node_new(p->arena, N_MODULE);

    n->height = 1;
    if (!statements(p, T_END) || !parser_enough_memory(p))
        return NULL;
    list_take(p, 0, n, &n->module.body);
    return n->height < TALL || parser_too_deep(p) ? n : NULL;
}

struct node *parse_module(struct python_tree *tree, const struct tokens *tokens)
{
    struct parser p;

    if (tokens->error.kind != PYTHON_NO_ERROR)
        return NULL;
    parser_init(&p, tree, tokens->at);
    struct node *n = file(&p);
    parser_done(&p);
    return n;
}

/* fstring: star_expressions */
struct node *parse_fstring_field(struct python_tree *tree, const struct tokens *tokens)
{
    struct parser p;

    if (tokens->error.kind != PYTHON_NO_ERROR)
        return NULL;
    parser_init(&p, tree, tokens->at);
    struct node *n = star_expressions(&p);
    parser_done(&p);
    return n;
}
