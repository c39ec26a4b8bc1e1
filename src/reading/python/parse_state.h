/* SPDX-License-Identifier: Apache-2.0
 *
 * The parser's state, and how its functions read tokens, collect lists and make nodes.
 *
 * A list is collected on one stack that all lists share, and is copied to the arena when its end is
 * known. In the meantime, lists inside it are pushed above it, and taken off.
 */
#ifndef PYTHON_PARSE_STATE_H
#define PYTHON_PARSE_STATE_H

#include "python/parse.h"
#include "syntax/literal.h"

enum {
    TALL = TREE_MAX_HEIGHT + 1, /* the height of every node that is too high */
    /* Brackets (at most 200) add to the recursion, but not to the height of the tree. */
    DEPTH_MAX = TREE_MAX_HEIGHT + 600,
};

struct parser {
    const struct token *at; /* the next token; never past END */
    struct python_tree *tree;
    struct arena *arena;
    const char *text; /* the text to which the tokens' offsets refer */
    unsigned target;
    const char *arena_end; /* the memory limit is checked when this changes */
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
/* Moves the items pushed since `mark` to the arena. No item may be NULL, except in a list of holes.
 * The owner's height is raised above its new children. */
void list_take(struct parser *p, size_t mark, struct node *owner, struct node_list *ret);
/* As list_take, for keys and values that alternate on the stack. */
void list_take_pairs(struct parser *p, size_t mark, struct node *owner, struct node_list *ret_keys,
                     struct node_list *ret_values);
void list_take_names(struct parser *p, size_t mark, struct name_list *ret);
/* Ends a block's node at its last statement: the tokens after it are not part of the block. */
void finish_block(struct parser *p, struct node *n);

static inline void push(struct parser *p, void *item)
{
    if (p->list_n == p->list_room)
        parser_list_grow(p);
    p->list[p->list_n++] = item;
}

/* Call it before recursion: false if the program is nested too deeply or is too large. */
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

/* Reads a NAME, or returns NULL. */
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

/* Ends the node at the last token that was read. */
static inline struct node *finish(struct parser *p, struct node *n)
{
    n->end_line = p->at[-1].end_line;
    n->end_column = p->at[-1].end_column;
    return n;
}

/* Raises a node's height above that of its child, which may be NULL. */
static inline void above(struct node *n, const struct node *child)
{
    if (child && child->height >= n->height)
        n->height = (uint16_t)(child->height < TALL ? child->height + 1 : TALL);
}

/* Reads the next token, a NAME, as a Name node. */
static inline struct node *read_name(struct parser *p, enum expr_context context)
{
    struct node *n = start(p, N_NAME, p->at);

    n->op = (uint8_t)context;
    n->name.id = p->at++->name;
    return finish(p, n);
}

#endif
