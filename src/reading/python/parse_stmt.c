/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads statements that contain blocks.
 */
#include "python/parse_parts.h"

/* block: NEWLINE INDENT statements DEDENT | simple_stmts */
bool block(struct parser *p, struct node *owner, struct node_list *ret)
{
    size_t mark = p->list_n;

    if (accept(p, T_NEWLINE)) {
        if (!accept(p, T_INDENT) || !statements(p, T_DEDENT))
            return false;
        p->at++;
    } else if (!simple_statements(p)) {
        return false;
    }
    list_take(p, mark, owner, ret);
    return true;
}

/* ':' block */
static bool colon_block(struct parser *p, struct node *owner, struct node_list *ret)
{
    return accept(p, T_COLON) && block(p, owner, ret);
}

/* ['else' ':' block] */
static bool else_block(struct parser *p, struct node *owner, struct node_list *ret)
{
    return !accept(p, T_ELSE) || colon_block(p, owner, ret);
}

/* elif_stmt, as the only statement of an `else` */
static bool elif_block(struct parser *p, struct node *owner);

/* if_stmt: 'if' named_expression ':' block (elif_stmt | [else_block]);  elif_stmt the same after
 * an 'elif' */
static struct node *if_statement(struct parser *p)
{
    struct node *n = start(p, N_IF, p->at++);

    n->branch.test = named_expression(p);
    if (!n->branch.test || !colon_block(p, n, &n->branch.body))
        return NULL;
    above(n, n->branch.test);
    if (p->at->kind == T_ELIF ? !elif_block(p, n) : !else_block(p, n, &n->branch.orelse))
        return NULL;
    finish_block(p, n);
    return n;
}

static bool elif_block(struct parser *p, struct node *owner)
{
    size_t mark = p->list_n;

    if (!enter(p))
        return false;
    struct node *n = if_statement(p);
    if (!n)
        return false;
    leave(p);
    push(p, n);
    list_take(p, mark, owner, &owner->branch.orelse);
    return true;
}

/* while_stmt: 'while' named_expression ':' block [else_block] */
static struct node *while_statement(struct parser *p)
{
    struct node *n = start(p, N_WHILE, p->at++);

    n->branch.test = named_expression(p);
    if (!n->branch.test || !colon_block(p, n, &n->branch.body) ||
        !else_block(p, n, &n->branch.orelse))
        return NULL;
    above(n, n->branch.test);
    finish_block(p, n);
    return n;
}

/* for_stmt: ['async'] 'for' star_targets 'in' star_expressions ':' block [else_block]; from the
 * 'for' on */
static struct node *for_rest(struct parser *p, struct node *n)
{
    p->at++;
    n->for_stmt.target = star_targets(p);
    if (!n->for_stmt.target || !accept(p, T_IN) || !(n->for_stmt.iter = star_expressions(p)) ||
        !colon_block(p, n, &n->for_stmt.body) || !else_block(p, n, &n->for_stmt.orelse))
        return NULL;
    above(n, n->for_stmt.target);
    above(n, n->for_stmt.iter);
    finish_block(p, n);
    return n;
}

static struct node *for_statement(struct parser *p)
{
    return for_rest(p, start(p, N_FOR, p->at));
}

/* with_item: expression ['as' star_target] */
static struct node *with_item(struct parser *p)
{
    struct node *n = node_new(p->arena, N_WITH_ITEM);

    n->height = 1;
    if (!(n->with_item.context_expr = expression(p)))
        return NULL;
    if (accept(p, T_AS) && !(n->with_item.optional_vars = star_target(p)))
        return NULL;
    above(n, n->with_item.context_expr);
    above(n, n->with_item.optional_vars);
    return n;
}

/* The change of bracket depth at a token. */
static int bracket(const struct token *t)
{
    static const int8_t change[T_COUNT] = {
        [T_LPAR] = 1, [T_LSQB] = 1, [T_LBRACE] = 1, [T_RPAR] = -1, [T_RSQB] = -1, [T_RBRACE] = -1,
    };

    return change[t->kind];
}

/* True if a '(' after `with` encloses a list of items instead of beginning the first item: its ')'
 * is the last token before the ':', and it contains no token that only an expression can have. */
static bool at_item_list(const struct parser *p)
{
    const struct token *t = p->at;
    unsigned lambdas = 0; /* lambdas whose ':' has not come; their parameters may have a `*` */

    if (t->kind != T_LPAR || t[1].kind == T_RPAR || t[1].kind == T_YIELD)
        return false;
    for (int depth = 0; (depth += bracket(t)) > 0; t++) {
        if (t->kind == T_END)
            return false;
        if (depth > 1)
            continue;
        if (t->kind == T_LAMBDA)
            lambdas++;
        else if (t->kind == T_COLON && lambdas > 0)
            lambdas--;
        else if (t->kind == T_COLON_EQUAL || t->kind == T_FOR)
            return false;
        else if (t->kind == T_STAR && lambdas == 0 &&
                 (t[-1].kind == T_LPAR || t[-1].kind == T_COMMA))
            return false;
    }
    return t[1].kind == T_COLON;
}

/* ','.with_item+; in parentheses, a final ',' is allowed */
static bool with_items(struct parser *p, struct node *owner, bool parentheses)
{
    size_t mark = p->list_n;

    do {
        struct node *n = with_item(p);
        if (!n)
            return false;
        push(p, n);
    } while (accept(p, T_COMMA) && !(parentheses && p->at->kind == T_RPAR));
    list_take(p, mark, owner, &owner->with_stmt.items);
    return true;
}

/* with_stmt: ['async'] 'with' '(' ','.with_item+ [','] ')' ':' block
 * | ['async'] 'with' ','.with_item+ ':' block; from the 'with' on */
static struct node *with_rest(struct parser *p, struct node *n)
{
    p->at++;
    if (at_item_list(p)) {
        p->at++;
        if (!with_items(p, n, true) || !accept(p, T_RPAR))
            return NULL;
    } else if (!with_items(p, n, false)) {
        return NULL;
    }
    if (!colon_block(p, n, &n->with_stmt.body))
        return NULL;
    finish_block(p, n);
    return n;
}

static struct node *with_statement(struct parser *p)
{
    return with_rest(p, start(p, N_WITH, p->at));
}

/* expression ['as' NAME]; from 3.14 on also several expressions, which then have no name */
static bool except_type(struct parser *p, struct node *n)
{
    const struct token *first = p->at;

    n->handler.type = expression(p);
    if (!n->handler.type)
        return false;
    if (p->at->kind == T_COMMA && p->target >= 14)
        n->handler.type = tuple_rest(p, first, n->handler.type, expression);
    else if (accept(p, T_AS) && !(n->handler.name = name_token(p)))
        return false;
    above(n, n->handler.type);
    return n->handler.type;
}

/* except_block: 'except' [expression ['as' NAME]] ':' block
 * except_star_block: 'except' '*' expression ['as' NAME] ':' block */
static struct node *except_block(struct parser *p, bool star)
{
    struct node *n = start(p, N_EXCEPT_HANDLER, p->at++);

    if (accept(p, T_STAR) != star)
        return NULL;
    if ((star || p->at->kind != T_COLON) && !except_type(p, n))
        return NULL;
    if (!colon_block(p, n, &n->handler.body))
        return NULL;
    finish_block(p, n);
    return n;
}

/* except_block+ | except_star_block+ */
static bool except_blocks(struct parser *p, struct node *owner)
{
    bool star = owner->kind == N_TRY_STAR;
    size_t mark = p->list_n;

    while (p->at->kind == T_EXCEPT) {
        struct node *n = except_block(p, star);
        if (!n)
            return false;
        push(p, n);
    }
    list_take(p, mark, owner, &owner->try_stmt.handlers);
    return true;
}

/* try_stmt: 'try' ':' block (finally_block | except_block+ [else_block] [finally_block]);
 * finally_block: 'finally' ':' block */
static struct node *try_statement(struct parser *p)
{
    struct node *n = start(p, N_TRY, p->at++);

    if (!colon_block(p, n, &n->try_stmt.body))
        return NULL;
    if (p->at->kind == T_EXCEPT) {
        n->kind = p->at[1].kind == T_STAR ? N_TRY_STAR : N_TRY;
        if (!except_blocks(p, n) || !else_block(p, n, &n->try_stmt.orelse))
            return NULL;
    } else if (p->at->kind != T_FINALLY) {
        return NULL;
    }
    if (accept(p, T_FINALLY) && !colon_block(p, n, &n->try_stmt.finalbody))
        return NULL;
    finish_block(p, n);
    return n;
}

/* function_def_raw: ['async'] 'def' NAME [type_params] '(' [params] ')' ['->' expression] ':'
 * block; from the 'def' on */
static struct node *function_rest(struct parser *p, struct node *n)
{
    p->at++;
    if (!(n->function.name = name_token(p)))
        return NULL;
    if (!type_params(p, n, &n->function.type_params) || !accept(p, T_LPAR) ||
        !(n->function.args = parameters(p, T_RPAR)) || !accept(p, T_RPAR))
        return NULL;
    above(n, n->function.args);
    if (accept(p, T_ARROW) && !(n->function.returns = expression(p)))
        return NULL;
    above(n, n->function.returns);
    if (!colon_block(p, n, &n->function.body))
        return NULL;
    finish_block(p, n);
    return n;
}

static struct node *function_def(struct parser *p)
{
    return function_rest(p, start(p, N_FUNCTION_DEF, p->at));
}

/* class_def_raw: 'class' NAME [type_params] ['(' [arguments] ')'] ':' block */
static struct node *class_def(struct parser *p)
{
    struct node *n = start(p, N_CLASS_DEF, p->at++);

    if (!(n->class_def.name = name_token(p)))
        return NULL;
    if (!type_params(p, n, &n->class_def.type_params))
        return NULL;
    if (accept(p, T_LPAR) && !accept(p, T_RPAR)) {
        if (!arguments(p, n, &n->class_def.bases, &n->class_def.keywords) || !accept(p, T_RPAR))
            return NULL;
    }
    if (!colon_block(p, n, &n->class_def.body))
        return NULL;
    finish_block(p, n);
    return n;
}

/* 'async' ('def' | 'for' | 'with') and the rest of each */
static struct node *async_statement(struct parser *p)
{
    const struct token *first = p->at++;

    switch (p->at->kind) {
    case T_DEF:
        return function_rest(p, start(p, N_ASYNC_FUNCTION_DEF, first));
    case T_FOR:
        return for_rest(p, start(p, N_ASYNC_FOR, first));
    case T_WITH:
        return with_rest(p, start(p, N_ASYNC_WITH, first));
    default:
        return NULL;
    }
}

/* decorators: ('@' named_expression NEWLINE)+, on the stack */
static bool decorators(struct parser *p)
{
    while (accept(p, T_AT)) {
        struct node *n = named_expression(p);
        if (!n || !accept(p, T_NEWLINE))
            return false;
        push(p, n);
    }
    return true;
}

/* decorators (class_def_raw | function_def_raw) */
static struct node *decorated(struct parser *p)
{
    size_t mark = p->list_n;
    struct node *n = NULL;

    if (!decorators(p))
        return NULL;
    if (p->at->kind == T_CLASS)
        n = class_def(p);
    else if (p->at->kind == T_DEF)
        n = function_def(p);
    else if (p->at->kind == T_ASYNC && p->at[1].kind == T_DEF)
        n = async_statement(p);
    if (n)
        list_take(p, mark, n,
                  n->kind == N_CLASS_DEF ? &n->class_def.decorator_list
                                         : &n->function.decorator_list);
    return n;
}

static struct node *(*const compound[T_COUNT])(struct parser *) = {
    [T_IF] = if_statement,     [T_WHILE] = while_statement, [T_FOR] = for_statement,
    [T_WITH] = with_statement, [T_TRY] = try_statement,     [T_DEF] = function_def,
    [T_CLASS] = class_def,     [T_ASYNC] = async_statement, [T_AT] = decorated,
};

/* statement: compound_stmt | simple_stmts */
static bool parse_stmt_statement(struct parser *p)
{
    struct node *(*const fn)(struct parser *) =
        p->at->kind == T_NAME && p->at->name == p->soft_match && at_match(p)
            ? match_statement
            : compound[p->at->kind];

    if (!enter(p))
        return false;
    if (fn) {
        struct node *n = fn(p);
        if (!n)
            return false;
        if (n->height >= TALL)
            return parser_too_deep(p);
        push(p, n);
    } else if (!simple_statements(p)) {
        return false;
    }
    leave(p);
    return true;
}

/* statements: statement+, up to a DEDENT or the END */
bool statements(struct parser *p, enum token_kind closing)
{
    while (p->at->kind != closing)
        if (!parse_stmt_statement(p))
            return false;
    return true;
}
