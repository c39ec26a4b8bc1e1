/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files of check_places. They walk the tree like CPython's code generator, function
 * by function, and keep the same state: the blocks that are open in the current function.
 */
#ifndef PYTHON_CHECK_PARTS_H
#define PYTHON_CHECK_PARTS_H

#include "python/check.h"
#include "syntax/scope_parts.h"

enum block_type { OPEN_LOOP, OPEN_GROUP_HANDLER, OPEN_OTHER };

/* A block that a `break` or a `return` has to leave. */
struct open_block {
    enum block_type type;
    const struct node *finally; /* a `try` whose `finally` has not been visited */
};

enum { MAX_OPEN_BLOCKS = 21 };

/* The state for the code of one scope. */
struct unit {
    struct scope *scope;
    struct unit *outer;
    /* has room for MAX_OPEN_BLOCKS if the scope has statements, else NULL */
    struct open_block *open;
    unsigned open_count;
    bool in_finally; /* in a `finally`, not in a loop inside it: 3.14 warns of jumps out of it */
};

struct checker {
    struct python_tree *tree;
    struct unit *unit;
    struct name *debug;
    struct future future;
};

typedef int checker_fn(struct checker *c, const struct node *n);

/* These functions accept NULL. */
int check_statements(struct checker *c, struct node_list list);
int check_expression(struct checker *c, const struct node *n);
int check_expressions(struct checker *c, struct node_list list);
/* As check_expressions, where starred expressions are allowed. */
int check_starrable(struct checker *c, struct node_list list);
int check_match(struct checker *c, const struct node *n);
checker_fn check_function, check_class, check_type_alias;
/* Checks an annotation if it is evaluated: not if the program turns annotations into strings. */
int check_annotation(struct checker *c, const struct node *annotation);

/* Begins the code of the scope that n opens in the current unit; unit_end returns to that unit. */
void unit_begin(struct checker *c, struct unit *unit, const struct node *n);
void unit_end(struct checker *c);
bool unit_is_function(const struct unit *unit);
bool unit_is_async(const struct unit *unit); /* `async def` */
/* True in an async unit, and at the module's own level if the options allow it there. */
bool unit_may_await(const struct checker *c);

/* Refuses __debug__ as a name that is bound or deleted. */
int check_target(struct checker *c, const struct name *name, enum expr_context context,
                 const struct node *at);
int check_parameters(struct checker *c, const struct node *args, const struct node *owner);
int check_default_values(struct checker *c, const struct node *args);
int check_keywords(struct checker *c, struct node_list keywords, const struct node *owner);

/* True if a name is repeated; *ret_first and *ret_again are the indexes of the first such pair.
 * NULLs are ignored. */
bool names_repeat(struct name *const *names, size_t n, size_t *ret_first, size_t *ret_again);

/* ---- warnings ---- */

void warn_compare(struct checker *c, const struct node *n, bool negated);
void warn_call(struct checker *c, const struct node *n);
void warn_subscript(struct checker *c, const struct node *n);
void warn_assert(struct checker *c, const struct node *n);
void check_warn(struct checker *c, const struct node *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* True if the compiler has turned the expression into a constant before it checks for warnings. */
bool is_folded_constant(const struct checker *c, const struct node *n);

#endif
