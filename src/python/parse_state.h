/* SPDX-License-Identifier: Apache-2.0
 *
 * The parser's state, and how its functions read tokens, collect lists and make nodes.
 *
 * A list is collected on one stack that all lists share, and is copied to the arena when its end is
 * known. Lists inside it are pushed and taken above it meanwhile.
 */
#ifndef PYTHON_PARSE_STATE_H
#define PYTHON_PARSE_STATE_H

#include "python/literal.h"
#include "python/parse.h"

enum {
    TALL = TREE_MAX_HEIGHT + 1, /* the height of every node that is too high */
    /* Brackets (200 of them at most) add to the recursion, but not to the tree. */
    DEPTH_MAX = TREE_MAX_HEIGHT + 600,
};

struct parser {
    const struct token *at; /* the next token; never past END */
    struct python_tree *tree;
    struct arena *arena;
    const char *text; /* what the tokens' offsets count from */
    unsigned target;
    const char *arena_end; /* when it moves, the memory limit is checked */
    void **list;           /* the stack of lists: nodes, names, operators */
    size_t list_n, list_room;
    unsigned depth_before;
    struct name *soft_match, *soft_case, *soft_type, *underscore;
};

void parser_init(struct parser *p, struct python_tree *tree, const struct token *first);
void parser_done(struct parser *p);
bool parser_too_deep(struct parser *p); /* always false, with tree->error */
bool parser_enough_memory(struct parser *p);
void parser_list_grow(struct parser *p);
/* Moves what was pushed since `mark` to the arena; no item may be NULL unless it is a list of
 * holes. The owner becomes higher than its new children. */
void list_take(struct parser *p, size_t mark, struct node *owner, struct node_list *ret);
void list_take_names(struct parser *p, size_t mark, struct name_list *ret);
/* Ends a block's node at its last statement: the tokens behind that are no part of it. */
void finish_block(struct parser *p, struct node *n);

static inline void push(struct parser *p, void *item)
{
    if (p->list_n == p->list_room)
        parser_list_grow(p);
    p->list[p->list_n++] = item;
}

/* Before anything that recurses: false when the program is nested too deeply, or too large. */
static inline bool enter(struct parser *p)
{
    if (++p->tree->depth > DEPTH_MAX)
        return parser_too_deep(p);
    return p->arena_end == p->arena->end || parser_enough_memory(p);
}

static inline void leave(struct parser *p)
{
    p->tree->depth--;
}

static inline bool accept(struct parser *p, enum token_kind kind)
{
    if (p->at->kind != kind)
        return false;
    p->at++;
    return true;
}

/* A NAME, or NULL. */
static inline struct name *name_token(struct parser *p)
{
    return p->at->kind == T_NAME ? p->at++->name : NULL;
}

static inline bool next_is(const struct parser *p, enum token_kind kind)
{
    return p->at->kind != T_END && p->at[1].kind == kind;
}

static inline struct str token_text(const struct parser *p, const struct token *t)
{
    return (struct str){p->text + t->start, t->end - t->start};
}

/* ---- nodes ---- */

static inline struct node *start(struct parser *p, enum node_kind kind, const struct token *first)
{
    struct node *n = node_new(p->arena, kind);

    n->height = 1;
    n->line = first->line;
    n->column = first->column;
    return n;
}

/* The node ends with the token read last. */
static inline struct node *finish(struct parser *p, struct node *n)
{
    n->end_line = p->at[-1].end_line;
    n->end_column = p->at[-1].end_column;
    return n;
}

/* Makes a node higher than its child, which may be NULL. */
static inline void above(struct node *n, const struct node *child)
{
    if (child && child->height >= n->height)
        n->height = (uint16_t)(child->height < TALL ? child->height + 1 : TALL);
}

/* The name at the next token, which is a NAME. */
static inline struct node *read_name(struct parser *p, enum expr_context context)
{
    struct node *n = start(p, N_NAME, p->at);

    n->op = (uint8_t)context;
    n->name.id = p->at++->name;
    return finish(p, n);
}

#endif
