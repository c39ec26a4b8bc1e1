/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads statements of one line.
 */
#include "python/parse_parts.h"

static struct node *pass_statement(struct parser *p)
{
    static const uint8_t kind_of[T_COUNT] = {
        [T_PASS] = N_PASS,
        [T_BREAK] = N_BREAK,
        [T_CONTINUE] = N_CONTINUE,
    };
    struct node *n = start(p, kind_of[p->at->kind], p->at);

    p->at++;
    return finish(p, n);
}

/* return_stmt: 'return' [star_expressions] */
static struct node *return_statement(struct parser *p)
{
    struct node *n = start(p, N_RETURN, p->at++);

    if (starts_expression[p->at->kind] || p->at->kind == T_STAR) {
        n->value_of.value = star_expressions(p);
        if (!n->value_of.value)
            return NULL;
        above(n, n->value_of.value);
    }
    return finish(p, n);
}

/* raise_stmt: 'raise' [expression ['from' expression]] */
static struct node *raise_statement(struct parser *p)
{
    struct node *n = start(p, N_RAISE, p->at++);

    if (!starts_expression[p->at->kind])
        return finish(p, n);
    if (!(n->raise_stmt.exc = expression(p)))
        return NULL;
    if (accept(p, T_FROM) && !(n->raise_stmt.cause = expression(p)))
        return NULL;
    above(n, n->raise_stmt.exc);
    above(n, n->raise_stmt.cause);
    return finish(p, n);
}

/* global_stmt: 'global' ','.NAME+;  nonlocal_stmt: 'nonlocal' ','.NAME+ */
static struct node *global_statement(struct parser *p)
{
    struct node *n = start(p, p->at->kind == T_GLOBAL ? N_GLOBAL : N_NONLOCAL, p->at);
    size_t mark = p->list_n;

    do {
        p->at++;
        struct name *name = name_token(p);
        if (!name)
            return NULL;
        push(p, name);
    } while (p->at->kind == T_COMMA);
    list_take_names(p, mark, &n->names_of.names);
    return finish(p, n);
}

/* del_stmt: 'del' del_targets &(';' | NEWLINE) */
static struct node *del_statement(struct parser *p)
{
    struct node *n = start(p, N_DELETE, p->at++);

    return del_targets(p, n, &n->delete_stmt.targets) ? finish(p, n) : NULL;
}

/* assert_stmt: 'assert' expression [',' expression] */
static struct node *assert_statement(struct parser *p)
{
    struct node *n = start(p, N_ASSERT, p->at++);

    if (!(n->assert_stmt.test = expression(p)))
        return NULL;
    if (accept(p, T_COMMA) && !(n->assert_stmt.msg = expression(p)))
        return NULL;
    above(n, n->assert_stmt.test);
    above(n, n->assert_stmt.msg);
    return finish(p, n);
}

/* (star_targets '=')+ (yield_expr | star_expressions); the first target is read */
static struct node *assign_rest(struct parser *p, const struct token *first, struct node *value)
{
    struct node *n = start(p, N_ASSIGN, first);
    size_t mark = p->list_n;

    while (accept(p, T_EQUAL)) {
        if (!set_context(value, CTX_STORE))
            return NULL;
        push(p, value);
        value = yield_or_star_expressions(p);
        if (!value)
            return NULL;
    }
    list_take(p, mark, n, &n->assign.targets);
    n->assign.value = value;
    above(n, value);
    return finish(p, n);
}

/* single_target ':' expression ['=' annotated_rhs]; the target is read */
static struct node *annotated_rest(struct parser *p, const struct token *first, struct node *target)
{
    struct node *n = start(p, N_ANN_ASSIGN, first);

    if (!is_single_target(target))
        return NULL;
    p->at++;
    set_context(target, CTX_STORE);
    n->ann_assign.target = target;
    n->ann_assign.simple = target->kind == N_NAME && first->kind == T_NAME;
    if (!(n->ann_assign.annotation = expression(p)))
        return NULL;
    if (accept(p, T_EQUAL) && !(n->ann_assign.value = yield_or_star_expressions(p)))
        return NULL;
    above(n, target);
    above(n, n->ann_assign.annotation);
    above(n, n->ann_assign.value);
    return finish(p, n);
}

/* 1 + the operator of an augmented assignment. */
static const uint8_t augmented[T_COUNT] = {
    [T_PLUS_EQUAL] = 1 + OP_ADD,
    [T_MIN_EQUAL] = 1 + OP_SUB,
    [T_STAR_EQUAL] = 1 + OP_MULT,
    [T_AT_EQUAL] = 1 + OP_MAT_MULT,
    [T_SLASH_EQUAL] = 1 + OP_DIV,
    [T_PERCENT_EQUAL] = 1 + OP_MOD,
    [T_AMPER_EQUAL] = 1 + OP_BIT_AND,
    [T_VBAR_EQUAL] = 1 + OP_BIT_OR,
    [T_CIRCUMFLEX_EQUAL] = 1 + OP_BIT_XOR,
    [T_LEFT_SHIFT_EQUAL] = 1 + OP_LSHIFT,
    [T_RIGHT_SHIFT_EQUAL] = 1 + OP_RSHIFT,
    [T_DOUBLE_STAR_EQUAL] = 1 + OP_POW,
    [T_DOUBLE_SLASH_EQUAL] = 1 + OP_FLOOR_DIV,
};

/* single_target augassign (yield_expr | star_expressions); the target is read */
static struct node *augmented_rest(struct parser *p, const struct token *first, struct node *target)
{
    struct node *n = start(p, N_AUG_ASSIGN, first);

    if (!is_single_target(target))
        return NULL;
    set_context(target, CTX_STORE);
    n->op = (uint8_t)(augmented[p->at++->kind] - 1);
    n->aug_assign.target = target;
    n->aug_assign.value = yield_or_star_expressions(p);
    if (!n->aug_assign.value)
        return NULL;
    above(n, target);
    above(n, n->aug_assign.value);
    return finish(p, n);
}

/* assignment | star_expressions | yield_stmt */
static struct node *expression_statement(struct parser *p)
{
    const struct token *first = p->at;
    struct node *value = yield_or_star_expressions(p);

    if (!value)
        return NULL;
    if (p->at->kind == T_EQUAL)
        return assign_rest(p, first, value);
    if (p->at->kind == T_COLON)
        return annotated_rest(p, first, value);
    if (augmented[p->at->kind])
        return augmented_rest(p, first, value);
    struct node *n = start(p, N_EXPR, first);
    n->value_of.value = value;
    above(n, value);
    return finish(p, n);
}

/* type_alias: "type" NAME [type_params] '=' expression */
static struct node *type_alias(struct parser *p)
{
    struct node *n = start(p, N_TYPE_ALIAS, p->at++);

    n->type_alias.name = read_name(p, CTX_STORE);
    above(n, n->type_alias.name);
    if (!type_params(p, n, &n->type_alias.type_params) || !accept(p, T_EQUAL))
        return NULL;
    n->type_alias.value = expression(p);
    if (!n->type_alias.value)
        return NULL;
    above(n, n->type_alias.value);
    return finish(p, n);
}

static struct node *name_statement(struct parser *p)
{
    if (p->at->name == p->soft_type && p->at[1].kind == T_NAME && p->target >= 12)
        return type_alias(p);
    return expression_statement(p);
}

/* Indexed by the first token. Any other token begins an expression or an assignment. */
static struct node *(*const simple[T_COUNT])(struct parser *) = {
    [T_NAME] = name_statement,     [T_PASS] = pass_statement,       [T_BREAK] = pass_statement,
    [T_CONTINUE] = pass_statement, [T_RETURN] = return_statement,   [T_RAISE] = raise_statement,
    [T_GLOBAL] = global_statement, [T_NONLOCAL] = global_statement, [T_DEL] = del_statement,
    [T_ASSERT] = assert_statement, [T_IMPORT] = import_name,        [T_FROM] = import_from,
};

/* simple_stmts: ';'.simple_stmt+ [';'] NEWLINE */
bool simple_statements(struct parser *p)
{
    do {
        struct node *(*const statement)(struct parser *) = simple[p->at->kind];
        struct node *n = statement ? statement(p) : expression_statement(p);
        if (!n)
            return false;
        if (n->height >= TALL)
            return parser_too_deep(p);
        push(p, n);
    } while (accept(p, T_SEMI) && p->at->kind != T_NEWLINE);
    return accept(p, T_NEWLINE);
}
