/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions: lambdas and comprehensions open scopes, `:=` binds in the scope around them.
 */
#include "syntax/scope_parts.h"

static int visit_name(struct builder *b, const struct node *n)
{
    static const unsigned flags[] = {
        [CTX_LOAD] = SYMBOL_USED, [CTX_STORE] = SYMBOL_ASSIGNED, [CTX_DEL] = SYMBOL_DELETED};
    struct name *name = n->name.id;
    unsigned flag = flags[n->op];

    if (scope_check_target(b, name, n, (enum expr_context)n->op) < 0)
        return -1;
    if (n->op == CTX_LOAD && b->at.block == BLOCK_ANNOTATION)
        flag = OWN_LATE_USE;
    if (scope_note_here(b, name, flag, n) < 0)
        return -1;
    /* super() without arguments reads the class from a cell of that name. */
    if (name == b->super && n->op == CTX_LOAD && b->at.block >= BLOCK_FUNCTION &&
        b->at.block <= BLOCK_GENERATOR)
        return scope_note_here(b, b->class_cells[0], SYMBOL_USED, n);
    return 0;
}

static int visit_attribute(struct builder *b, const struct node *n)
{
    if (scope_check_target(b, n->attribute.attr, n, (enum expr_context)n->op) < 0)
        return -1;
    return scope_visit(b, n->attribute.value);
}

static int visit_constant(struct builder *b, const struct node *n)
{
    (void)b;
    (void)n;
    return 0;
}

static int visit_call(struct builder *b, const struct node *n)
{
    if (scope_visit(b, n->call.func) < 0 || scope_visit_list(b, n->call.args) < 0)
        return -1;
    return scope_visit_keywords(b, n->call.keywords);
}

static int visit_elements(struct builder *b, const struct node *n)
{
    return scope_visit_list(b, n->elements.elts);
}

static int visit_subscript(struct builder *b, const struct node *n)
{
    return scope_visit(b, n->subscript.value) < 0 ? -1 : scope_visit(b, n->subscript.slice);
}

static int visit_binary(struct builder *b, const struct node *n)
{
    return scope_visit(b, n->bin_op.left) < 0 ? -1 : scope_visit(b, n->bin_op.right);
}

static int visit_unary(struct builder *b, const struct node *n)
{
    return scope_visit(b, n->unary_op.operand);
}

static int visit_if_exp(struct builder *b, const struct node *n)
{
    if (scope_visit(b, n->if_exp.test) < 0 || scope_visit(b, n->if_exp.body) < 0)
        return -1;
    return scope_visit(b, n->if_exp.orelse);
}

/* Only in 3.12: a scope for types that can see a class must not contain functions. */
static int check_type_in_class(struct builder *b, const struct node *n, const char *what)
{
    const struct scope *scope = b->at.scope;

    if (b->tree->target != 12 || scope->kind != SCOPE_TYPE || b->at.block == BLOCK_ANNOTATION)
        return 0;
    while (scope->kind == SCOPE_TYPE)
        scope = scope->parent;
    if (scope->kind != SCOPE_CLASS)
        return 0;
    return scope_fail(b->tree, n, "Cannot use %s in annotation scope within class scope", what);
}

static int visit_lambda(struct builder *b, const struct node *n)
{
    if (check_type_in_class(b, n, "lambda") < 0)
        return -1;
    if (scope_default_values(b, n->lambda.args) < 0)
        return -1;
    struct scope_place outside = scope_enter(b, SCOPE_FUNCTION, BLOCK_FUNCTION, n);
    if (scope_params(b, n->lambda.args) < 0 || scope_visit(b, n->lambda.body) < 0)
        return -1;
    scope_leave(b, outside);
    return 0;
}

/* ---- what some blocks refuse ---- */

/* CPython's words for the blocks in which some expressions are not allowed. */
static const char *const restricted_blocks[] = {
    [BLOCK_ANNOTATION] = "an annotation",
    [BLOCK_TYPE_PARAMS] = "the definition of a generic",
    [BLOCK_TYPE_ALIAS] = "a type alias",
    [BLOCK_TYPE_BOUND] = "a TypeVar bound",
    [BLOCK_TYPE_CONSTRAINT] = "a TypeVar constraint",
    [BLOCK_TYPE_VAR_DEFAULT] = "a TypeVar default",
    [BLOCK_PARAM_SPEC_DEFAULT] = "a ParamSpec default",
    [BLOCK_TYPE_VAR_TUPLE_DEFAULT] = "a TypeVarTuple default",
};

static const char *block_words(const struct builder *b, enum block_kind block)
{
    if (block == BLOCK_TYPE_CONSTRAINT && b->tree->target < 13)
        block = BLOCK_TYPE_BOUND;
    return restricted_blocks[block];
}

static int check_restricted(struct builder *b, const struct node *n, const char *what)
{
    const char *block = block_words(b, b->at.block);

    if (!block)
        return 0;
    if (b->tree->target == 11)
        return scope_fail(b->tree, n, "'%s' can not be used within %s", what, block);
    return scope_fail(b->tree, n, "%s cannot be used within %s", what, block);
}

static bool is_comprehension(enum block_kind block)
{
    return block >= BLOCK_LIST_COMP && block <= BLOCK_GENERATOR;
}

static int visit_yield(struct builder *b, const struct node *n)
{
    static const char *const comprehensions[] = {
        [BLOCK_LIST_COMP] = "list comprehension",
        [BLOCK_SET_COMP] = "set comprehension",
        [BLOCK_DICT_COMP] = "dict comprehension",
        [BLOCK_GENERATOR] = "generator expression",
    };

    if (check_restricted(b, n, "yield expression") < 0 || scope_visit(b, n->value_of.value) < 0)
        return -1;
    b->at.scope->generator = true;
    if (is_comprehension(b->at.block))
        return scope_fail(b->tree, n, "'yield' inside %s", comprehensions[b->at.block]);
    return 0;
}

/* True at the top level of a notebook's cell. */
static bool is_top_await(const struct builder *b)
{
    return b->tree->top_await && b->at.block == BLOCK_MODULE;
}

static int check_await_place(struct builder *b, const struct node *n)
{
    enum block_kind block = b->at.block;

    if (b->tree->target < 14 || is_comprehension(block) || is_top_await(b))
        return 0;
    if (block != BLOCK_FUNCTION)
        return scope_fail(b->tree, n, "'await' outside function");
    if (b->at.scope->node->kind != N_ASYNC_FUNCTION_DEF)
        return scope_fail(b->tree, n, "'await' outside async function");
    return 0;
}

static int visit_await(struct builder *b, const struct node *n)
{
    if (check_restricted(b, n, "await expression") < 0 || check_await_place(b, n) < 0 ||
        scope_visit(b, n->value_of.value) < 0)
        return -1;
    b->at.scope->coroutine = true;
    return 0;
}

/* ---- := ---- */

/* In a comprehension, the name belongs to the nearest enclosing scope that is not a comprehension.
 */
static int bind_outside(struct builder *b, const struct node *target)
{
    struct name *name = target->name.id;
    /* until 3.12 private names are not mangled here */
    struct name *mangled = b->tree->target < 13 ? name : scope_mangle(b->tree, b->at.scope, name);
    struct scope *scope = b->at.scope;

    for (; scope->kind == SCOPE_COMPREHENSION; scope = scope->parent) {
        const struct symbol *known = scope_find(scope, mangled);
        if (known && (known->flags & OWN_COMP_TARGET))
            return scope_fail(
                b->tree, target,
                "assignment expression cannot rebind comprehension iteration variable '%s'",
                name->text);
    }
    if (scope->kind == SCOPE_CLASS)
        return scope_fail(b->tree, target,
                          "assignment expression within a comprehension cannot be used in a "
                          "class body");
    if (scope->kind == SCOPE_TYPE)
        return scope_fail(b->tree, target,
                          "assignment expression within a comprehension cannot be used %s",
                          scope->block == BLOCK_TYPE_PARAMS  ? "within the definition of a generic"
                          : scope->block == BLOCK_TYPE_ALIAS ? "in a type alias"
                                                             : "in a TypeVar bound");
    const struct symbol *known = scope_find(scope, mangled);
    bool global = scope->kind == SCOPE_MODULE || (known && (known->flags & SYMBOL_GLOBAL));
    if (scope_note_here(b, name, global ? SYMBOL_GLOBAL : SYMBOL_NONLOCAL, target) < 0)
        return -1;
    scope_note_directive(b, name, target);
    return scope_note(b, scope, name, scope->kind == SCOPE_MODULE ? SYMBOL_GLOBAL : SYMBOL_ASSIGNED,
                      target);
}

static int visit_named(struct builder *b, const struct node *n)
{
    if (check_restricted(b, n, "named expression") < 0)
        return -1;
    if (b->at.in_iterable)
        return scope_fail(
            b->tree, n,
            "assignment expression cannot be used in a comprehension iterable expression");
    if (is_comprehension(b->at.block) && bind_outside(b, n->named_expr.target) < 0)
        return -1;
    if (scope_visit(b, n->named_expr.value) < 0)
        return -1;
    return scope_visit(b, n->named_expr.target);
}

/* ---- comprehensions ---- */

static int comp_target(struct builder *b, const struct node *target)
{
    b->at.in_target = true;
    int rc = scope_visit(b, target);
    b->at.in_target = false;
    return rc;
}

static int comp_iterable(struct builder *b, const struct node *iter)
{
    b->at.in_iterable++;
    int rc = scope_visit(b, iter);
    b->at.in_iterable--;
    return rc;
}

/* Visits everything in the comprehension's own scope. Of a dict comprehension CPython visits the
 * value first, then the key. */
static int comp_inside(struct builder *b, const struct node *n, struct node_list generators)
{
    for (size_t i = 0; i < generators.n; i++) {
        const struct node *generator = generators.at[i];
        if (generator->comprehension.is_async)
            b->at.scope->coroutine = true;
        if (comp_target(b, generator->comprehension.target) < 0 ||
            (i > 0 && comp_iterable(b, generator->comprehension.iter) < 0) ||
            scope_visit_list(b, generator->comprehension.ifs) < 0)
            return -1;
    }
    if (n->kind != N_DICT_COMP)
        return scope_visit(b, n->comp.elt);
    return scope_visit(b, n->dict_comp.value) < 0 ? -1 : scope_visit(b, n->dict_comp.key);
}

static int check_async_comp(struct builder *b, const struct node *n)
{
    bool allowed =
        is_comprehension(b->at.block) || is_top_await(b) ||
        (b->at.block == BLOCK_FUNCTION && b->at.scope->node->kind == N_ASYNC_FUNCTION_DEF);

    if (b->tree->target < 14 || allowed)
        return 0;
    return scope_fail(b->tree, n, "asynchronous comprehension outside of an asynchronous function");
}

static int visit_comprehension(struct builder *b, const struct node *n)
{
    static const uint8_t blocks[] = {
        [N_LIST_COMP] = BLOCK_LIST_COMP,
        [N_SET_COMP] = BLOCK_SET_COMP,
        [N_DICT_COMP] = BLOCK_DICT_COMP,
        [N_GENERATOR_EXP] = BLOCK_GENERATOR,
    };
    bool generator = n->kind == N_GENERATOR_EXP;
    struct node_list generators =
        n->kind == N_DICT_COMP ? n->dict_comp.generators : n->comp.generators;

    if (check_type_in_class(b, n, "comprehension") < 0)
        return -1;
    if (comp_iterable(b, generators.at[0]->comprehension.iter) < 0)
        return -1;
    struct scope_place outside =
        scope_enter(b, SCOPE_COMPREHENSION, (enum block_kind)blocks[n->kind], n);
    struct scope *scope = b->at.scope;
    if (comp_inside(b, n, generators) < 0)
        return -1;
    scope->generator = generator;
    scope_leave(b, outside);
    if (!scope->coroutine || generator)
        return 0;
    if (b->at.block != BLOCK_ANNOTATION)
        b->at.scope->coroutine = true;
    return check_async_comp(b, n);
}

scope_visitor *const scope_expression_visitors[N_COUNT] = {
    [N_NAMED_EXPR] = visit_named,
    [N_BIN_OP] = visit_binary,
    [N_UNARY_OP] = visit_unary,
    [N_LAMBDA] = visit_lambda,
    [N_IF_EXP] = visit_if_exp,
    [N_LIST_COMP] = visit_comprehension,
    [N_SET_COMP] = visit_comprehension,
    [N_DICT_COMP] = visit_comprehension,
    [N_GENERATOR_EXP] = visit_comprehension,
    [N_AWAIT] = visit_await,
    [N_YIELD] = visit_yield,
    [N_YIELD_FROM] = visit_yield,
    [N_CALL] = visit_call,
    [N_CONSTANT] = visit_constant,
    [N_ATTRIBUTE] = visit_attribute,
    [N_SUBSCRIPT] = visit_subscript,
    [N_NAME] = visit_name,
    [N_LIST] = visit_elements,
    [N_TUPLE] = visit_elements,
    [N_SET] = visit_elements,
};
