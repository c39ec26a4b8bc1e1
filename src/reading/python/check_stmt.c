/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks statements, in the order in which CPython generates code for their parts.
 */
#include <string.h>

#include "python/check_parts.h"

/* ---- open blocks ---- */

static int block_open(struct checker *c, enum block_type type, const struct node *at)
{
    unsigned limit = c->tree->target < 13 ? 20 : MAX_OPEN_BLOCKS;

    if (c->unit->open_count >= limit)
        return scope_fail(c->tree, at, "too many statically nested blocks");
    c->unit->open[c->unit->open_count++] = (struct open_block){.type = type};
    return 0;
}

static void block_close(struct checker *c)
{
    c->unit->open_count--;
}

/* Checks a `finally` body. CPython generates its code for each jump out of the `try`, at the jump,
 * and twice more after the `try`. We check it once, at the earliest of these positions. */
static int check_finally(struct checker *c, const struct node *n)
{
    bool in_finally = c->unit->in_finally;

    if (block_open(c, OPEN_OTHER, n) < 0)
        return -1;
    c->unit->in_finally = true;
    int rc = check_statements(c, n->try_stmt.finalbody);
    c->unit->in_finally = in_finally;
    block_close(c);
    return rc;
}

/* Checks the `finally` body at a jump inside the `try`, with the `try` and the blocks inside it
 * closed for that time. */
static int check_finally_early(struct checker *c, struct open_block *block)
{
    struct open_block saved[MAX_OPEN_BLOCKS];
    struct unit *unit = c->unit;
    const struct node *n = block->finally;
    unsigned count = unit->open_count;

    if (!n)
        return 0;
    block->finally = NULL;
    memcpy(saved, unit->open, count * sizeof *saved);
    unit->open_count = (unsigned)(block - unit->open);
    int rc = check_finally(c, n);
    memcpy(unit->open, saved, count * sizeof *saved);
    unit->open_count = count;
    return rc;
}

/* Visits the open blocks from the inside out, as a jump leaves them. *ret_met is the block where
 * the jump ends: a loop (if the jump stops at one), the handler of an exception group, or else
 * OPEN_OTHER. */
static int leave_blocks(struct checker *c, bool stops_at_loop, enum block_type *ret_met)
{
    for (unsigned i = c->unit->open_count; i-- > 0;) {
        struct open_block *block = &c->unit->open[i];
        *ret_met = block->type;
        if (block->type == OPEN_GROUP_HANDLER || (block->type == OPEN_LOOP && stops_at_loop))
            return 0;
        if (check_finally_early(c, block) < 0)
            return -1;
    }
    *ret_met = OPEN_OTHER;
    return 0;
}

static int group_handler_fail(struct checker *c, const struct node *at)
{
    return scope_fail(c->tree, at,
                      "'break', 'continue' and 'return' cannot appear in an except* block");
}

static int check_return(struct checker *c, const struct node *n)
{
    const struct node *value = n->value_of.value;
    const struct scope *scope = c->unit->scope;

    if (!unit_is_function(c->unit))
        return scope_fail(c->tree, n, "'return' outside function");
    if (c->tree->target >= 14 && c->unit->in_finally)
        check_warn(c, n, "'return' in a 'finally' block");
    if (value && scope->coroutine && scope->generator)
        return scope_fail(c->tree, n, "'return' with value in async generator");
    if (check_expression(c, value) < 0)
        return -1;
    enum block_type met;
    if (leave_blocks(c, false, &met) < 0)
        return -1;
    if (met != OPEN_GROUP_HANDLER)
        return 0;
    bool at_value = value && value->line == n->line && is_folded_constant(c, value) &&
                    !(value->kind == N_TUPLE && c->tree->target >= 14);
    return group_handler_fail(c, at_value ? value : n);
}

static int check_jump(struct checker *c, const struct node *n)
{
    bool is_break = n->kind == N_BREAK;
    enum block_type met;

    if (c->tree->target >= 14 && c->unit->in_finally)
        check_warn(c, n, "'%s' in a 'finally' block", is_break ? "break" : "continue");
    if (leave_blocks(c, true, &met) < 0)
        return -1;
    if (met == OPEN_GROUP_HANDLER)
        return group_handler_fail(c, n);
    if (met == OPEN_LOOP)
        return 0;
    return scope_fail(c->tree, n,
                      is_break ? "'break' outside loop" : "'continue' not properly in loop");
}

/* ---- loops and with ---- */

static int loop_body(struct checker *c, struct node_list body)
{
    bool in_finally = c->unit->in_finally;

    c->unit->in_finally = false;
    int rc = check_statements(c, body);
    c->unit->in_finally = in_finally;
    return rc;
}

static int check_for(struct checker *c, const struct node *n)
{
    bool async = n->kind == N_ASYNC_FOR;

    if (async && !unit_may_await(c))
        return scope_fail(c->tree, n, "'async for' outside async function");
    if (async && check_expression(c, n->for_stmt.iter) < 0)
        return -1;
    if (block_open(c, OPEN_LOOP, n) < 0 || (!async && check_expression(c, n->for_stmt.iter) < 0) ||
        check_expression(c, n->for_stmt.target) < 0 || loop_body(c, n->for_stmt.body) < 0)
        return -1;
    block_close(c);
    return check_statements(c, n->for_stmt.orelse);
}

static int check_while(struct checker *c, const struct node *n)
{
    if (block_open(c, OPEN_LOOP, n) < 0 || check_expression(c, n->branch.test) < 0 ||
        loop_body(c, n->branch.body) < 0)
        return -1;
    block_close(c);
    return check_statements(c, n->branch.orelse);
}

static int check_if(struct checker *c, const struct node *n)
{
    if (check_expression(c, n->branch.test) < 0 || check_statements(c, n->branch.body) < 0)
        return -1;
    return check_statements(c, n->branch.orelse);
}

static int check_with(struct checker *c, const struct node *n)
{
    struct node_list items = n->with_stmt.items;

    if (n->kind == N_ASYNC_WITH && !unit_may_await(c))
        return scope_fail(c->tree, n, "'async with' outside async function");
    for (size_t i = 0; i < items.n; i++) {
        const struct node *item = items.at[i];
        if (check_expression(c, item->with_item.context_expr) < 0 ||
            block_open(c, OPEN_OTHER, n) < 0 ||
            check_expression(c, item->with_item.optional_vars) < 0)
            return -1;
    }
    if (check_statements(c, n->with_stmt.body) < 0)
        return -1;
    c->unit->open_count -= (unsigned)items.n;
    return 0;
}

/* ---- try ---- */

static int check_handler(struct checker *c, const struct node *n)
{
    if (check_expression(c, n->handler.type) < 0 ||
        check_target(c, n->handler.name, CTX_STORE, n) < 0 || block_open(c, OPEN_OTHER, n) < 0 ||
        check_statements(c, n->handler.body) < 0)
        return -1;
    block_close(c);
    return 0;
}

static int check_handlers(struct checker *c, const struct node *n, enum block_type type)
{
    struct node_list handlers = n->try_stmt.handlers;

    if (block_open(c, type, n) < 0)
        return -1;
    for (size_t i = 0; i < handlers.n; i++) {
        if (!handlers.at[i]->handler.type && i + 1 < handlers.n)
            return scope_fail(c->tree, handlers.at[i], "default 'except:' must be last");
        if (check_handler(c, handlers.at[i]) < 0)
            return -1;
    }
    block_close(c);
    return 0;
}

static int check_try_body(struct checker *c, const struct node *n)
{
    if (!n->try_stmt.handlers.n)
        return check_statements(c, n->try_stmt.body);
    if (block_open(c, OPEN_OTHER, n) < 0 || check_statements(c, n->try_stmt.body) < 0)
        return -1;
    block_close(c);
    if (n->kind == N_TRY_STAR)
        return check_handlers(c, n, OPEN_GROUP_HANDLER) < 0
                   ? -1
                   : check_statements(c, n->try_stmt.orelse);
    return check_statements(c, n->try_stmt.orelse) < 0 ? -1 : check_handlers(c, n, OPEN_OTHER);
}

static int check_try(struct checker *c, const struct node *n)
{
    if (!n->try_stmt.finalbody.n)
        return check_try_body(c, n);
    if (block_open(c, OPEN_OTHER, n) < 0)
        return -1;
    struct open_block *block = &c->unit->open[c->unit->open_count - 1];
    block->finally = n;
    if (check_try_body(c, n) < 0)
        return -1;
    block_close(c);
    return block->finally ? check_finally(c, n) : 0;
}

/* ---- other statements ---- */

static int check_delete(struct checker *c, const struct node *n)
{
    return check_expressions(c, n->delete_stmt.targets);
}

static int check_assign(struct checker *c, const struct node *n)
{
    if (check_expression(c, n->assign.value) < 0)
        return -1;
    return check_expressions(c, n->assign.targets);
}

/* Checks an augmented assignment, which reads and writes its target. For the write, only a name can
 * be wrong. */
static int check_aug_assign(struct checker *c, const struct node *n)
{
    const struct node *target = n->aug_assign.target;

    if (target->kind == N_ATTRIBUTE && check_expression(c, target->attribute.value) < 0)
        return -1;
    if (target->kind == N_SUBSCRIPT && (check_expression(c, target->subscript.value) < 0 ||
                                        check_expression(c, target->subscript.slice) < 0))
        return -1;
    if (check_expression(c, n->aug_assign.value) < 0)
        return -1;
    return target->kind == N_NAME ? check_target(c, target->name.id, CTX_STORE, target) : 0;
}

/* Checks the parts of a target without a value that are evaluated nevertheless. */
static int check_bare_target(struct checker *c, const struct node *n)
{
    const struct node *target = n->ann_assign.target;

    if (target->kind == N_NAME)
        return c->tree->target < 14 ? check_target(c, target->name.id, CTX_STORE, n) : 0;
    if (target->kind == N_ATTRIBUTE)
        return check_target(c, target->attribute.attr, CTX_STORE, n) < 0
                   ? -1
                   : check_expression(c, target->attribute.value);
    if (target->kind != N_SUBSCRIPT)
        return 0;
    const struct node *slice = target->subscript.slice;
    if (check_expression(c, target->subscript.value) < 0)
        return -1;
    return slice->kind == N_TUPLE ? check_expressions(c, slice->elements.elts)
                                  : check_expression(c, slice);
}

static int check_ann_assign(struct checker *c, const struct node *n)
{
    if (n->ann_assign.value) {
        if (check_expression(c, n->ann_assign.value) < 0 ||
            check_expression(c, n->ann_assign.target) < 0)
            return -1;
    } else if (check_bare_target(c, n) < 0) {
        return -1;
    }
    bool evaluated = !unit_is_function(c->unit) && (n->ann_assign.simple || c->tree->target < 14);
    return evaluated ? check_annotation(c, n->ann_assign.annotation) : 0;
}

static int check_expression_statement(struct checker *c, const struct node *n)
{
    return check_expression(c, n->value_of.value);
}

static int check_raise(struct checker *c, const struct node *n)
{
    if (check_expression(c, n->raise_stmt.exc) < 0)
        return -1;
    return check_expression(c, n->raise_stmt.cause);
}

static int check_assert(struct checker *c, const struct node *n)
{
    warn_assert(c, n);
    if (check_expression(c, n->assert_stmt.test) < 0)
        return -1;
    return check_expression(c, n->assert_stmt.msg);
}

/* `import a.b` binds a. */
static bool binds(const struct node *alias, const struct name *name)
{
    const struct name *bound = alias->alias.asname;

    if (bound)
        return bound == name;
    size_t n = strcspn(alias->alias.name->text, ".");
    return n == name->n && !memcmp(alias->alias.name->text, name->text, n);
}

static int check_import(struct checker *c, const struct node *n)
{
    struct node_list names = n->import.names;

    if (n->kind == N_IMPORT_FROM && n->line > c->future.line && n->import.module &&
        !strcmp(n->import.module->text, "__future__"))
        return scope_fail(c->tree, n,
                          "from __future__ imports must occur at the beginning of the file");
    for (size_t i = 0; i < names.n; i++)
        if (binds(names.at[i], c->debug) && check_target(c, c->debug, CTX_STORE, n) < 0)
            return -1;
    return 0;
}

static int check_statement(struct checker *c, const struct node *n)
{
    static checker_fn *const statements[N_COUNT] = {
        [N_FUNCTION_DEF] = check_function,
        [N_ASYNC_FUNCTION_DEF] = check_function,
        [N_CLASS_DEF] = check_class,
        [N_RETURN] = check_return,
        [N_DELETE] = check_delete,
        [N_ASSIGN] = check_assign,
        [N_TYPE_ALIAS] = check_type_alias,
        [N_AUG_ASSIGN] = check_aug_assign,
        [N_ANN_ASSIGN] = check_ann_assign,
        [N_FOR] = check_for,
        [N_ASYNC_FOR] = check_for,
        [N_WHILE] = check_while,
        [N_IF] = check_if,
        [N_WITH] = check_with,
        [N_ASYNC_WITH] = check_with,
        [N_MATCH] = check_match,
        [N_RAISE] = check_raise,
        [N_TRY] = check_try,
        [N_TRY_STAR] = check_try,
        [N_ASSERT] = check_assert,
        [N_IMPORT] = check_import,
        [N_IMPORT_FROM] = check_import,
        [N_EXPR] = check_expression_statement,
        [N_BREAK] = check_jump,
        [N_CONTINUE] = check_jump,
    };
    checker_fn *check = statements[n->kind];

    return check ? check(c, n) : 0;
}

int check_statements(struct checker *c, struct node_list list)
{
    for (size_t i = 0; i < list.n; i++)
        if (check_statement(c, list.at[i]) < 0)
            return -1;
    return 0;
}
