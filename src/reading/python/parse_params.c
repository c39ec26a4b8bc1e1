/* SPDX-License-Identifier: Apache-2.0
 *
 * Parameters of functions and lambdas, and type parameters.
 */
#include "python/parse_parts.h"

struct params {
    struct node *n;
    enum token_kind closing; /* T_RPAR: with annotations */
};

/* param: NAME [':' expression];  after a '*' also NAME ':' star_expression; no annotations in a
 * lambda */
static struct node *param(struct parser *p, const struct params *params,
                          struct node *annotation(struct parser *p))
{
    if (p->at->kind != T_NAME)
        return NULL;
    struct node *n = start(p, N_ARG, p->at);
    n->arg.arg = p->at++->name;
    if (params->closing == T_RPAR && accept(p, T_COLON)) {
        n->arg.annotation = annotation(p);
        if (!n->arg.annotation)
            return NULL;
        above(n, n->arg.annotation);
    }
    return finish(p, n);
}

/* ',' or the closing token, which stays unread */
static bool param_end(struct parser *p, const struct params *params)
{
    return accept(p, T_COMMA) || p->at->kind == params->closing;
}

/* default: '=' expression; *ret is NULL if there is none */
static bool default_value(struct parser *p, struct node **ret)
{
    *ret = NULL;
    return !accept(p, T_EQUAL) || (*ret = expression(p));
}

/* Splits the pairs of parameter and default on the stack. With `holes`, a missing default is a NULL
 * in *ret_defaults; otherwise it is left out. */
static void take_pairs(struct parser *p, size_t mark, struct node *n, struct node_list *ret_args,
                       struct node_list *ret_defaults, bool holes)
{
    size_t count = (p->list_n - mark) / 2, k = 0;
    struct node **at = arena_alloc(p->arena, 2 * count * sizeof *at);

    for (size_t i = 0; i < count; i++) {
        struct node *value = p->list[mark + 2 * i + 1];
        at[i] = p->list[mark + 2 * i];
        above(n, at[i]);
        above(n, value);
        if (value || holes)
            at[count + k++] = value;
    }
    p->list_n = mark;
    *ret_args = (struct node_list){at, count};
    *ret_defaults = (struct node_list){at + count, k};
}

/* param [default], both pushed; after a parameter with a default, every one needs a default */
static bool positional_param(struct parser *p, const struct params *params, bool *defaults)
{
    struct node *arg = param(p, params, expression), *value;

    if (!arg || !default_value(p, &value) || (*defaults && !value))
        return false;
    *defaults = value;
    push(p, arg);
    push(p, value);
    return true;
}

/* Takes the parameters since `mark`; those before `slash` are positional-only. */
static void take_positional(struct parser *p, const struct params *params, size_t mark,
                            size_t slash)
{
    struct node *n = params->n;
    size_t before = (slash - mark) / 2;

    if (p->list_n == mark)
        return;
    take_pairs(p, mark, n, &n->arguments.args, &n->arguments.defaults, false);
    n->arguments.posonlyargs = (struct node_list){n->arguments.args.at, before};
    n->arguments.args.at += before;
    n->arguments.args.n -= before;
}

/* param_no_default* param_with_default*, with a '/' somewhere after the first */
static bool positional(struct parser *p, const struct params *params)
{
    size_t mark = p->list_n, slash = mark;
    bool defaults = false;

    for (;;) {
        if (p->at->kind == T_SLASH && p->list_n > mark && slash == mark) {
            slash = p->list_n;
            p->at++;
        } else if (p->at->kind != T_NAME) {
            break;
        } else if (!positional_param(p, params, &defaults)) {
            return false;
        }
        if (!param_end(p, params))
            return false;
    }
    take_positional(p, params, mark, slash);
    return true;
}

/* param_maybe_default* */
static bool keyword_only(struct parser *p, const struct params *params)
{
    struct node *n = params->n, *value;
    size_t mark = p->list_n;

    while (p->at->kind == T_NAME) {
        struct node *arg = param(p, params, expression);
        if (!arg || !default_value(p, &value) || !param_end(p, params))
            return false;
        push(p, arg);
        push(p, value);
    }
    if (p->list_n > mark)
        take_pairs(p, mark, n, &n->arguments.kwonlyargs, &n->arguments.kw_defaults, true);
    return true;
}

/* '*' param_no_default param_maybe_default* | '*' ',' param_maybe_default+ */
static bool star_params(struct parser *p, const struct params *params)
{
    struct node *n = params->n;

    p->at++;
    if (accept(p, T_COMMA))
        return p->at->kind == T_NAME && keyword_only(p, params);
    n->arguments.vararg = param(p, params, star_expression);
    above(n, n->arguments.vararg);
    return n->arguments.vararg && param_end(p, params) && keyword_only(p, params);
}

/* kwds: '**' param_no_default */
static bool double_star_param(struct parser *p, const struct params *params)
{
    struct node *n = params->n;

    p->at++;
    n->arguments.kwarg = param(p, params, expression);
    above(n, n->arguments.kwarg);
    return n->arguments.kwarg && param_end(p, params);
}

/* parameters: positional ones, then [star_etc]. A ',' follows each; after the last it is optional.
 */
struct node *parameters(struct parser *p, enum token_kind closing)
{
    const struct params params = {node_new(p->arena, N_ARGUMENTS), closing};

    params.n->height = 1;
    if (p->at->kind == closing)
        return params.n;
    if (!positional(p, &params) || (p->at->kind == T_STAR && !star_params(p, &params)) ||
        (p->at->kind == T_DOUBLE_STAR && !double_star_param(p, &params)))
        return NULL;
    return p->at->kind == closing ? params.n : NULL;
}

/* ['=' expression], from 3.13 on; after a '*' a star_expression */
static bool type_param_default(struct parser *p, struct node *n,
                               struct node *value(struct parser *p))
{
    if (p->target < 13 || !accept(p, T_EQUAL))
        return true;
    n->type_param.default_value = value(p);
    above(n, n->type_param.default_value);
    return n->type_param.default_value;
}

/* type_param: NAME [':' expression] [default] | '*' NAME [default] | '**' NAME [default] */
static struct node *type_param(struct parser *p)
{
    const struct token *first = p->at;
    enum node_kind kind = accept(p, T_STAR)          ? N_TYPE_VAR_TUPLE
                          : accept(p, T_DOUBLE_STAR) ? N_PARAM_SPEC
                                                     : N_TYPE_VAR;
    struct node *n = start(p, kind, first);

    if (!(n->type_param.name = name_token(p)))
        return NULL;
    if (kind == N_TYPE_VAR && accept(p, T_COLON)) {
        n->type_param.bound = expression(p);
        if (!n->type_param.bound)
            return NULL;
        above(n, n->type_param.bound);
    }
    if (!type_param_default(p, n, kind == N_TYPE_VAR_TUPLE ? star_expression : expression))
        return NULL;
    return finish(p, n);
}

/* type_params: '[' ','.type_param+ [','] ']' */
bool type_params(struct parser *p, struct node *owner, struct node_list *ret)
{
    size_t mark = p->list_n;

    if (p->target < 12 || !accept(p, T_LSQB))
        return true;
    do {
        struct node *n = type_param(p);
        if (!n)
            return false;
        push(p, n);
    } while (accept(p, T_COMMA) && p->at->kind != T_RSQB);
    list_take(p, mark, owner, ret);
    return accept(p, T_RSQB);
}
