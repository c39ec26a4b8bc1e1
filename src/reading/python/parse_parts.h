/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files of the parser: a function for each production that more than one file reads.
 *
 * The parser never goes back. Where Python's grammar tries alternatives, the next tokens decide, or
 * an expression is read first and then checked for being a target. So parsing takes linear time. A
 * function that returns NULL (or false) ends the parsing, with tree->error.
 */
#ifndef PYTHON_PARSE_PARTS_H
#define PYTHON_PARSE_PARTS_H

#include "base/buf.h"
#include "python/parse_state.h"

/* ---- expressions (parse_expr.c) ---- */

/* Levels of precedence, loosest first; `operators` reads operators of the given level or tighter.
 */
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

/* True for a token that can begin an expression; `*` cannot. */
extern const bool starts_expression[T_COUNT];

struct node *operators(struct parser *p, unsigned least);
struct node *expression(struct parser *p);
struct node *named_expression(struct parser *p);
struct node *star_expression(struct parser *p);
struct node *star_named_expression(struct parser *p);
struct node *star_expressions(struct parser *p);
struct node *yield_expr(struct parser *p);
struct node *yield_or_star_expressions(struct parser *p);
/* '*', which is the next token, and then an expression that `value` reads. */
struct node *starred(struct parser *p, struct node *value(struct parser *p));
struct node *bitwise_or(struct parser *p);
/* The rest of a tuple after its first item. The next token is a ','; `item` reads each item. */
struct node *tuple_rest(struct parser *p, const struct token *first, struct node *one,
                        struct node *item(struct parser *p));

/* ---- primaries and displays (parse_primary.c, parse_display.c) ---- */

struct node *primary(struct parser *p);
struct node *await_primary(struct parser *p);
struct node *parentheses(struct parser *p);
struct node *brackets(struct parser *p);
struct node *braces(struct parser *p);
bool at_comprehension(const struct parser *p);
bool for_if_clauses(struct parser *p, struct node *owner, struct node_list *ret);
bool arguments(struct parser *p, struct node *owner, struct node_list *ret_args,
               struct node_list *ret_keywords);
struct node *strings(struct parser *p);
struct node *number(struct parser *p);

/* ---- targets (parse_primary.c) ---- */

/* Sets the context of an expression; false if it cannot be a target. */
bool set_context(struct node *n, enum expr_context context);
bool is_single_target(const struct node *n);
struct node *star_target(struct parser *p);
struct node *star_targets(struct parser *p);
bool del_targets(struct parser *p, struct node *owner, struct node_list *ret);

/* ---- parameters (parse_params.c) ---- */

/* Reads up to the closing token, ')' or the ':' of a lambda, which stays unread. */
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

/* A text in several parts. The first part is not copied until there is a second. */
struct pieces {
    struct str first;
    struct buf more;
};

bool pieces_add(struct python_tree *tree, struct pieces *pieces, struct str text);
/* Returns all parts as one text, and empties *pieces. */
struct str pieces_take(struct python_tree *tree, struct pieces *pieces);

/* Sets tree->error at a token, with CPython's location, even inside a field of a 3.11 f-string.
 * Always returns false. */
bool strings_fail(struct python_tree *tree, const struct token *t, const char *message);
/* Decodes the body of a token, or a part of the body. False with tree->error, at the token `where`.
 */
bool strings_decode(struct python_tree *tree, const struct token *t, struct str body,
                    unsigned flags, const struct token *where, struct str *ret);
/* From 3.12 on: reads adjacent strings of which one is an f-string or t-string, up to `end` if that
 * is not NULL. */
struct node *strings_format(struct parser *p, const struct token *end);
/* In 3.11: joins STRING tokens of which one is an f-string; `bytes` is true if the first is a bytes
 * literal. */
struct node *strings_311(struct python_tree *tree, const struct token *first, size_t n, bool bytes);

#endif
