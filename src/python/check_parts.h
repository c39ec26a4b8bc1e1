/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of check_places share. They go over the tree as CPython's code generator does,
 * function by function, and keep what it keeps: which blocks are open in the function at hand.
 */
#ifndef PYTHON_CHECK_PARTS_H
#define PYTHON_CHECK_PARTS_H

#include "python/check.h"
#include "python/scope_parts.h"

enum block_type { OPEN_LOOP, OPEN_GROUP_HANDLER, OPEN_OTHER };

/* What a `break` or a `return` has to leave. */
struct open_block {
    enum block_type type;
    const struct node *finally; /* the `try` whose `finally` is not visited yet */
};

enum { MAX_OPEN_BLOCKS = 21 };

/* The code of one scope. */
struct unit {
    struct scope *scope;
    struct unit *outer;
    struct open_block *open; /* room for MAX_OPEN_BLOCKS where there are statements, else NULL */
    unsigned open_count;
    bool in_finally; /* and in no loop inside it: 3.14 warns of jumps out */
};

struct checker {
    struct python_tree *tree;
    struct unit *unit;
    struct name *debug;
    struct future future;
};

typedef int checker_fn(struct checker *c, const struct node *n);

/* NULL is fine. */
int check_statements(struct checker *c, struct node_list list);
int check_expression(struct checker *c, const struct node *n);
int check_expressions(struct checker *c, struct node_list list);
/* The same where stars may stand. */
int check_starrable(struct checker *c, struct node_list list);
int check_match(struct checker *c, const struct node *n);
checker_fn check_function, check_class, check_type_alias;
/* An annotation that is evaluated, unless all are text. */
int check_annotation(struct checker *c, const struct node *annotation);

/* Begins the code of the scope that n opens in the unit at hand; unit_end goes back. */
void unit_begin(struct checker *c, struct unit *unit, const struct node *n);
void unit_end(struct checker *c);
bool unit_is_function(const struct unit *unit);
bool unit_is_async(const struct unit *unit); /* `async def` */
/* The same, and the module's own level where that was asked for. */
bool unit_may_await(const struct checker *c);

/* Refuses __debug__ where a name is bound or deleted. */
int check_target(struct checker *c, const struct name *name, enum expr_context context,
                 const struct node *at);
int check_parameters(struct checker *c, const struct node *args, const struct node *owner);
int check_default_values(struct checker *c, const struct node *args);
int check_keywords(struct checker *c, struct node_list keywords, const struct node *owner);

/* Walks names and finds the first that comes again: *ret_first and *ret_again are their indexes.
 * NULLs are left out. */
bool names_repeat(struct name *const *names, size_t n, size_t *ret_first, size_t *ret_again);

/* ---- warnings ---- */

void warn_compare(struct checker *c, const struct node *n, bool negated);
void warn_call(struct checker *c, const struct node *n);
void warn_subscript(struct checker *c, const struct node *n);
void warn_assert(struct checker *c, const struct node *n);
void check_warn(struct checker *c, const struct node *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* True for what the compiler has turned into a constant by the time it looks. */
bool is_folded_constant(const struct checker *c, const struct node *n);

#endif
