/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the parser share: its state, and a function per production that more than one
 * file reads.
 *
 * The parser never goes back: wherever Python's grammar tries alternatives, either the next tokens
 * decide, or something is read as an expression and afterwards found fit to be a target. So it is
 * linear, and a function that returns NULL (or false) ends the whole reading.
 *
 * A list is collected on one stack that all lists share, and copied to the arena when its end is
 * known; lists inside it come and go above it meanwhile.
 */
#ifndef PYTHON_PARSE_PARTS_H
#define PYTHON_PARSE_PARTS_H

#include <string.h>

#include "base/buf.h"
#include "python/literal.h"
#include "python/parse.h"

enum {
    TALL = TREE_MAX_HEIGHT + 1, /* the height of everything that is too high */
    /* Brackets (200 of them at most) add to the recursion, but not to the tree. */
    DEPTH_MAX = TREE_MAX_HEIGHT + 600,
};

struct parser {
    const struct token *at; /* the next token; never past END */
    struct python_tree *tree;
    struct arena *arena;
    const char *text; /* what the tokens' offsets count from */
    unsigned target;
    const char *arena_end; /* when it moves, the memory limit is looked at */
    void **list;           /* the stack of lists: nodes, names, operators */
    size_t list_n, list_room;
    unsigned depth_before;
    struct name *soft_match, *soft_case, *soft_type, *underscore;
};

/* ---- parse.c: the state ---- */

void parser_init(struct parser *p, struct python_tree *tree, const struct token *first);
void parser_done(struct parser *p);
bool parser_too_deep(struct parser *p); /* always false, with tree->error */
bool parser_enough_memory(struct parser *p);
void parser_list_grow(struct parser *p);
/* Moves what was pushed since `mark` to the arena; no item may be NULL unless it is a list of
 * holes. The owner becomes higher than its new children. */
void list_take(struct parser *p, size_t mark, struct node *owner, struct node_list *ret);
void list_take_names(struct parser *p, size_t mark, struct name_list *ret);
/* After the last statement of a block stand tokens that nobody sees. */
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

/* ---- expressions (parse_expr.c) ---- */

/* Levels of binding, loosest first; `operators` reads all that binds at least so tightly. */
enum level {
    LEVEL_NONE,
    LEVEL_OR, /* disjunction */
    LEVEL_AND,
    LEVEL_NOT,
    LEVEL_COMPARE,
    LEVEL_BIT_OR,
    LEVEL_BIT_XOR,
    LEVEL_BIT_AND,
    LEVEL_SHIFT,
    LEVEL_SUM,
    LEVEL_TERM,
    LEVEL_UNARY,
    LEVEL_POWER,
};

/* Whether a token can begin an expression; `*` cannot. */
extern const bool starts_expression[T_COUNT];

struct node *operators(struct parser *p, unsigned least);
struct node *expression(struct parser *p);
struct node *named_expression(struct parser *p);
struct node *star_expression(struct parser *p);
struct node *star_named_expression(struct parser *p);
struct node *star_expressions(struct parser *p);
struct node *yield_expr(struct parser *p);
struct node *yield_or_star_expressions(struct parser *p);
/* '*' and what `value` reads; the `*` is the next token. */
struct node *starred(struct parser *p, struct node *value(struct parser *p));
struct node *bitwise_or(struct parser *p);
/* A tuple whose first item is read already and a ',' is next, as `item` reads them. */
struct node *tuple_rest(struct parser *p, const struct token *first, struct node *one,
                        struct node *item(struct parser *p));

/* ---- primaries and displays (parse_primary.c, parse_display.c, parse_call.c) ---- */

struct node *primary(struct parser *p);
struct node *await_primary(struct parser *p);
struct node *parentheses(struct parser *p);
struct node *brackets(struct parser *p);
struct node *braces(struct parser *p);
bool at_comprehension(const struct parser *p);
bool for_if_clauses(struct parser *p, struct node *owner, struct node_list *ret);
struct node *call_rest(struct parser *p, const struct token *first, struct node *func);
bool arguments(struct parser *p, struct node *owner, struct node_list *ret_args,
               struct node_list *ret_keywords);
struct node *strings(struct parser *p);
struct node *number(struct parser *p);

/* ---- targets (parse_target.c) ---- */

/* Gives an expression another context; false when it cannot be a target. */
bool set_context(struct node *n, enum expr_context context);
bool is_single_target(const struct node *n);
struct node *star_target(struct parser *p);
struct node *star_targets(struct parser *p);
bool del_targets(struct parser *p, struct node *owner, struct node_list *ret);

/* ---- parameters (parse_params.c) ---- */

/* Up to a ')' or the ':' of a lambda, which stay unread. */
struct node *parameters(struct parser *p, enum token_kind closing);
/* ['[' ... ']'], from 3.12 on. */
bool type_params(struct parser *p, struct node *owner, struct node_list *ret);

/* ---- statements (parse_stmt.c, parse_simple.c, parse_import.c, parse_pattern.c) ---- */

bool statements(struct parser *p, enum token_kind closing);
bool simple_statements(struct parser *p);
bool block(struct parser *p, struct node *owner, struct node_list *ret);
struct node *import_name(struct parser *p);
struct node *import_from(struct parser *p);
bool at_match(const struct parser *p);
struct node *match_statement(struct parser *p);

/* ---- strings (strings.c, strings_311.c, strings_format.c) ---- */

/* Text that comes in pieces: the first stays where it is until there is a second. */
struct pieces {
    struct str first;
    struct buf more;
};

bool pieces_add(struct python_tree *tree, struct pieces *pieces, struct str text);
/* All of it as one text; none is left. */
struct str pieces_take(struct python_tree *tree, struct pieces *pieces);

/* Sets tree->error at a token, in CPython's way inside a field of a 3.11 f-string too. Always
 * false. */
bool strings_fail(struct python_tree *tree, const struct token *t, const char *message);
/* Decodes the body of a token, or a part of it. False with tree->error, at the token `where`. */
bool strings_decode(struct python_tree *tree, const struct token *t, struct str body,
                    unsigned flags, const struct token *where, struct str *ret);
/* From 3.12 on: strings with an f-string or t-string among them; no further than `end`, if that is
 * not NULL. */
struct node *strings_format(struct parser *p, const struct token *end);
/* 3.11: STRING tokens with an f-string among them; whether the first is of bytes. */
struct node *strings_311(struct python_tree *tree, const struct token *first, size_t n, bool bytes);

#endif
