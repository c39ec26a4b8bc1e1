/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads expressions: operators by precedence climbing, with a table indexed by the kind of token.
 */
#include "python/parse_parts.h"

static const uint8_t level_of[T_COUNT] = {
    [T_OR] = LEVEL_OR,
    [T_AND] = LEVEL_AND,
    [T_NOT] = LEVEL_COMPARE,
    [T_IN] = LEVEL_COMPARE,
    [T_IS] = LEVEL_COMPARE,
    [T_EQ_EQUAL] = LEVEL_COMPARE,
    [T_NOT_EQUAL] = LEVEL_COMPARE,
    [T_LESS] = LEVEL_COMPARE,
    [T_LESS_EQUAL] = LEVEL_COMPARE,
    [T_GREATER] = LEVEL_COMPARE,
    [T_GREATER_EQUAL] = LEVEL_COMPARE,
    [T_VBAR] = LEVEL_BIT_OR,
    [T_CIRCUMFLEX] = LEVEL_BIT_XOR,
    [T_AMPER] = LEVEL_BIT_AND,
    [T_LEFT_SHIFT] = LEVEL_SHIFT,
    [T_RIGHT_SHIFT] = LEVEL_SHIFT,
    [T_PLUS] = LEVEL_SUM,
    [T_MINUS] = LEVEL_SUM,
    [T_STAR] = LEVEL_TERM,
    [T_SLASH] = LEVEL_TERM,
    [T_DOUBLE_SLASH] = LEVEL_TERM,
    [T_PERCENT] = LEVEL_TERM,
    [T_AT] = LEVEL_TERM,
    [T_DOUBLE_STAR] = LEVEL_POWER,
};

static const uint8_t operator_of[T_COUNT] = {
    [T_OR] = OP_OR,
    [T_AND] = OP_AND,
    [T_IN] = OP_IN,
    [T_EQ_EQUAL] = OP_EQ,
    [T_NOT_EQUAL] = OP_NOT_EQ,
    [T_LESS] = OP_LT,
    [T_LESS_EQUAL] = OP_LT_E,
    [T_GREATER] = OP_GT,
    [T_GREATER_EQUAL] = OP_GT_E,
    [T_VBAR] = OP_BIT_OR,
    [T_CIRCUMFLEX] = OP_BIT_XOR,
    [T_AMPER] = OP_BIT_AND,
    [T_LEFT_SHIFT] = OP_LSHIFT,
    [T_RIGHT_SHIFT] = OP_RSHIFT,
    [T_PLUS] = OP_ADD,
    [T_MINUS] = OP_SUB,
    [T_STAR] = OP_MULT,
    [T_SLASH] = OP_DIV,
    [T_DOUBLE_SLASH] = OP_FLOOR_DIV,
    [T_PERCENT] = OP_MOD,
    [T_AT] = OP_MAT_MULT,
    [T_DOUBLE_STAR] = OP_POW,
};

const bool starts_expression[T_COUNT] = {
    [T_NAME] = true,     [T_NUMBER] = true,        [T_STRING] = true, [T_FSTRING_START] = true,
    [T_LPAR] = true,     [T_TSTRING_START] = true, [T_LSQB] = true,   [T_LBRACE] = true,
    [T_PLUS] = true,     [T_MINUS] = true,         [T_TILDE] = true,  [T_NOT] = true,
    [T_ELLIPSIS] = true, [T_LAMBDA] = true,        [T_AWAIT] = true,  [T_FALSE] = true,
    [T_NONE] = true,     [T_TRUE] = true,
};

/* A name or a literal before one of these is a whole expression. */
static const bool ends_expression[T_COUNT] = {
    [T_NEWLINE] = true, [T_RPAR] = true,  [T_RSQB] = true,  [T_RBRACE] = true,
    [T_COLON] = true,   [T_COMMA] = true, [T_EQUAL] = true, [T_SEMI] = true,
};

/* inversion: 'not' inversion;  factor: ('+' | '-' | '~') factor */
static struct node *unary(struct parser *p, enum operator op, unsigned level)
{
    struct node *n = start(p, N_UNARY_OP, p->at++);

    n->op = (uint8_t)op;
    n->unary_op.operand = operators(p, level);
    if (!n->unary_op.operand)
        return NULL;
    above(n, n->unary_op.operand);
    return finish(p, n);
}

/* The operand on the left of an operator. */
static struct node *operand(struct parser *p, unsigned least)
{
    switch (p->at->kind) {
    case T_NOT:
        return least <= LEVEL_NOT ? unary(p, OP_NOT, LEVEL_NOT) : NULL;
    case T_PLUS:
        return unary(p, OP_UADD, LEVEL_UNARY);
    case T_MINUS:
        return unary(p, OP_USUB, LEVEL_UNARY);
    case T_TILDE:
        return unary(p, OP_INVERT, LEVEL_UNARY);
    case T_AWAIT:
        return await_primary(p);
    default:
        return primary(p);
    }
}

/* sum: sum '+' term and the like; power: await_primary '**' factor, which binds to the right */
static struct node *binary(struct parser *p, const struct token *first, struct node *left,
                           unsigned level)
{
    struct node *n = start(p, N_BIN_OP, first);

    n->op = operator_of[p->at++->kind];
    n->bin_op.left = left;
    n->bin_op.right = operators(p, level == LEVEL_POWER ? LEVEL_UNARY : level + 1);
    if (!n->bin_op.right)
        return NULL;
    above(n, left);
    above(n, n->bin_op.right);
    return finish(p, n);
}

/* disjunction: conjunction ('or' conjunction)+;  conjunction: inversion ('and' inversion)+ */
static struct node *logical(struct parser *p, const struct token *first, struct node *left,
                            unsigned level)
{
    struct node *n = start(p, N_BOOL_OP, first);
    enum token_kind kind = p->at->kind;
    size_t mark = p->list_n;

    n->op = operator_of[kind];
    push(p, left);
    while (accept(p, kind)) {
        struct node *right = operators(p, level + 1);
        if (!right)
            return NULL;
        push(p, right);
    }
    list_take(p, mark, n, &n->bool_op.values);
    return finish(p, n);
}

/* '==' | '!=' | '<=' | '<' | '>=' | '>' | 'not' 'in' | 'in' | 'is' 'not' | 'is' */
static bool comparison_operator(struct parser *p, uint8_t *ret)
{
    switch (p->at->kind) {
    case T_NOT:
        *ret = OP_NOT_IN;
        p->at++;
        return accept(p, T_IN);
    case T_IS:
        p->at++;
        *ret = accept(p, T_NOT) ? OP_IS_NOT : OP_IS;
        return true;
    case T_NOT_EQUAL:
        if (p->text[p->at->start] == '<') /* `<>` is the same token, but not a valid operator */
            return false;
        break;
    default:
        break;
    }
    *ret = operator_of[p->at++->kind];
    return true;
}

/* Moves operators and operands, which alternate on the stack, into the node. */
static void take_comparison(struct parser *p, size_t mark, struct node *n)
{
    size_t count = (p->list_n - mark) / 2;
    uint8_t *ops = arena_alloc(p->arena, count);

    for (size_t i = 0; i < count; i++) {
        ops[i] = (uint8_t)(uintptr_t)p->list[mark + 2 * i];
        p->list[mark + i] = p->list[mark + 2 * i + 1];
    }
    p->list_n = mark + count;
    n->compare.ops = ops;
    list_take(p, mark, n, &n->compare.comparators);
}

/* comparison: bitwise_or compare_op_bitwise_or_pair+ */
static struct node *comparison(struct parser *p, const struct token *first, struct node *left)
{
    struct node *n = start(p, N_COMPARE, first);
    size_t mark = p->list_n;
    uint8_t op;

    n->compare.left = left;
    above(n, left);
    while (level_of[p->at->kind] == LEVEL_COMPARE) {
        if (!comparison_operator(p, &op))
            return NULL;
        struct node *right = operators(p, LEVEL_BIT_OR);
        if (!right)
            return NULL;
        push(p, (void *)(uintptr_t)op);
        push(p, right);
    }
    take_comparison(p, mark, n);
    return finish(p, n);
}

struct node *operators(struct parser *p, unsigned least)
{
    const struct token *first = p->at;

    if (!enter(p))
        return NULL;
    struct node *left = operand(p, least);
    for (unsigned level; left && (level = level_of[p->at->kind]) >= least;) {
        if (level > LEVEL_COMPARE)
            left = binary(p, first, left, level);
        else if (level == LEVEL_COMPARE)
            left = comparison(p, first, left);
        else
            left = logical(p, first, left, level);
    }
    leave(p);
    return left;
}

/* bitwise_or and all operators that bind more tightly */
struct node *bitwise_or(struct parser *p)
{
    return operators(p, LEVEL_BIT_OR);
}

/* lambdef: 'lambda' [lambda_params] ':' expression */
static struct node *lambdef(struct parser *p)
{
    struct node *n = start(p, N_LAMBDA, p->at++);

    if (!enter(p)) /* a default may be a lambda, too */
        return NULL;
    n->lambda.args = parameters(p, T_COLON);
    n->lambda.body = n->lambda.args && accept(p, T_COLON) ? expression(p) : NULL;
    leave(p);
    if (!n->lambda.body)
        return NULL;
    above(n, n->lambda.args);
    above(n, n->lambda.body);
    return finish(p, n);
}

/* expression: disjunction 'if' disjunction 'else' expression; the next token is the 'if' */
static struct node *if_exp(struct parser *p, const struct token *first, struct node *body)
{
    struct node *n = start(p, N_IF_EXP, first);

    p->at++;
    n->if_exp.body = body;
    n->if_exp.test = operators(p, LEVEL_OR);
    if (!n->if_exp.test || !accept(p, T_ELSE) || !enter(p))
        return NULL;
    n->if_exp.orelse = expression(p);
    leave(p);
    if (!n->if_exp.orelse)
        return NULL;
    above(n, n->if_exp.test);
    above(n, body);
    above(n, n->if_exp.orelse);
    return finish(p, n);
}

/* expression: disjunction ['if' disjunction 'else' expression] | lambdef */
struct node *expression(struct parser *p)
{
    const struct token *first = p->at;

    if (first->kind == T_NAME && ends_expression[first[1].kind] && p->arena_end == p->arena->end)
        return read_name(p, CTX_LOAD);
    if (first->kind == T_LAMBDA)
        return lambdef(p);
    struct node *n = operators(p, LEVEL_OR);
    return n && p->at->kind == T_IF ? if_exp(p, first, n) : n;
}

/* named_expression: NAME ':=' expression | expression !':=' */
struct node *named_expression(struct parser *p)
{
    if (p->at->kind != T_NAME || p->at[1].kind != T_COLON_EQUAL)
        return expression(p);
    struct node *n = start(p, N_NAMED_EXPR, p->at);
    n->named_expr.target = read_name(p, CTX_STORE);
    p->at++;
    n->named_expr.value = expression(p);
    if (!n->named_expr.value)
        return NULL;
    above(n, n->named_expr.target);
    above(n, n->named_expr.value);
    return finish(p, n);
}

struct node *starred(struct parser *p, struct node *value(struct parser *p))
{
    struct node *n = start(p, N_STARRED, p->at++);

    n->value_of.value = value(p);
    if (!n->value_of.value)
        return NULL;
    above(n, n->value_of.value);
    return finish(p, n);
}

/* star_expression: '*' bitwise_or | expression */
struct node *star_expression(struct parser *p)
{
    return p->at->kind == T_STAR ? starred(p, bitwise_or) : expression(p);
}

/* star_named_expression: '*' bitwise_or | named_expression */
struct node *star_named_expression(struct parser *p)
{
    return p->at->kind == T_STAR ? starred(p, bitwise_or) : named_expression(p);
}

struct node *tuple_rest(struct parser *p, const struct token *first, struct node *one,
                        struct node *item(struct parser *p))
{
    struct node *n = start(p, N_TUPLE, first);
    size_t mark = p->list_n;

    push(p, one);
    while (accept(p, T_COMMA) && (starts_expression[p->at->kind] || p->at->kind == T_STAR)) {
        one = item(p);
        if (!one)
            return NULL;
        push(p, one);
    }
    list_take(p, mark, n, &n->elements.elts);
    return finish(p, n);
}

/* star_expressions: star_expression (',' star_expression)* [','] */
struct node *star_expressions(struct parser *p)
{
    const struct token *first = p->at;
    struct node *n = star_expression(p);

    return n && p->at->kind == T_COMMA ? tuple_rest(p, first, n, star_expression) : n;
}

/* yield_expr: 'yield' 'from' expression | 'yield' [star_expressions] */
struct node *yield_expr(struct parser *p)
{
    const struct token *first = p->at++;
    bool from = accept(p, T_FROM);
    struct node *n = start(p, from ? N_YIELD_FROM : N_YIELD, first);

    if (from || starts_expression[p->at->kind] || p->at->kind == T_STAR) {
        n->value_of.value = from ? expression(p) : star_expressions(p);
        if (!n->value_of.value)
            return NULL;
        above(n, n->value_of.value);
    }
    return finish(p, n);
}

/* annotated_rhs: yield_expr | star_expressions */
struct node *yield_or_star_expressions(struct parser *p)
{
    return p->at->kind == T_YIELD ? yield_expr(p) : star_expressions(p);
}
