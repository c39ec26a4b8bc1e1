/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads expressions in brackets: groups, tuples, lists, sets, dicts, and the comprehensions of
 * each.
 */
#include "python/parse_parts.h"

bool at_comprehension(const struct parser *p)
{
    return p->at->kind == T_FOR || (p->at->kind == T_ASYNC && p->at[1].kind == T_FOR);
}

/* for_if_clause: ['async'] 'for' star_targets 'in' disjunction ('if' disjunction)* */
static struct node *for_if_clause(struct parser *p)
{
    struct node *n = node_new(p->arena, N_COMPREHENSION);
    size_t mark = p->list_n;

    n->height = 1;
    n->comprehension.is_async = accept(p, T_ASYNC);
    p->at++;
    n->comprehension.target = star_targets(p);
    if (!n->comprehension.target || !accept(p, T_IN))
        return NULL;
    n->comprehension.iter = operators(p, LEVEL_OR);
    if (!n->comprehension.iter)
        return NULL;
    while (accept(p, T_IF)) {
        struct node *test = operators(p, LEVEL_OR);
        if (!test)
            return NULL;
        push(p, test);
    }
    above(n, n->comprehension.target);
    above(n, n->comprehension.iter);
    list_take(p, mark, n, &n->comprehension.ifs);
    return n;
}

/* for_if_clauses: for_if_clause+ */
bool for_if_clauses(struct parser *p, struct node *owner, struct node_list *ret)
{
    size_t mark = p->list_n;

    while (at_comprehension(p)) {
        struct node *n = for_if_clause(p);
        if (!n)
            return false;
        push(p, n);
    }
    list_take(p, mark, owner, ret);
    return true;
}

/* named_expression for_if_clauses and the closing bracket; the expression is read */
static struct node *comprehension(struct parser *p, enum node_kind kind, const struct token *first,
                                  struct node *elt, enum token_kind closing)
{
    struct node *n = start(p, kind, first);

    n->comp.elt = elt;
    above(n, elt);
    if (elt->kind == N_STARRED || !for_if_clauses(p, n, &n->comp.generators) || !accept(p, closing))
        return NULL;
    return finish(p, n);
}

/* tuple: '(' [star_named_expression ',' [star_named_expressions]] ')'; from the ',' on, or the ')'
 * of an empty one */
static struct node *tuple(struct parser *p, const struct token *first, struct node *one)
{
    struct node *n = start(p, N_TUPLE, first);
    size_t mark = p->list_n;

    if (one)
        push(p, one);
    while (one && accept(p, T_COMMA) && p->at->kind != T_RPAR) {
        one = star_named_expression(p);
        if (!one)
            return NULL;
        push(p, one);
    }
    if (!accept(p, T_RPAR))
        return NULL;
    list_take(p, mark, n, &n->elements.elts);
    return finish(p, n);
}

/* group: '(' (yield_expr | named_expression) ')', or a tuple, or
 * genexp: '(' (assignment_expression | expression !':=') for_if_clauses ')' */
struct node *parentheses(struct parser *p)
{
    const struct token *first = p->at++;

    if (p->at->kind == T_RPAR)
        return tuple(p, first, NULL);
    if (p->at->kind == T_YIELD) {
        struct node *n = yield_expr(p);
        return accept(p, T_RPAR) ? n : NULL;
    }
    struct node *one = star_named_expression(p);
    if (!one)
        return NULL;
    if (p->at->kind == T_COMMA)
        return tuple(p, first, one);
    if (at_comprehension(p))
        return comprehension(p, N_GENERATOR_EXP, first, one, T_RPAR);
    return one->kind != N_STARRED && accept(p, T_RPAR) ? one : NULL;
}

/* star_named_expressions: ','.star_named_expression+ [','] and the closing bracket; the first
 * expression is read */
static struct node *elements_rest(struct parser *p, struct node *n, struct node *one,
                                  enum token_kind closing)
{
    size_t mark = p->list_n;

    push(p, one);
    while (accept(p, T_COMMA) && p->at->kind != closing) {
        one = star_named_expression(p);
        if (!one)
            return NULL;
        push(p, one);
    }
    list_take(p, mark, n, &n->elements.elts);
    return accept(p, closing) ? finish(p, n) : NULL;
}

/* list: '[' [star_named_expressions] ']';  listcomp: '[' named_expression for_if_clauses ']' */
struct node *brackets(struct parser *p)
{
    const struct token *first = p->at++;

    if (accept(p, T_RSQB))
        return finish(p, start(p, N_LIST, first));
    struct node *one = star_named_expression(p);
    if (!one)
        return NULL;
    if (at_comprehension(p))
        return comprehension(p, N_LIST_COMP, first, one, T_RSQB);
    return elements_rest(p, start(p, N_LIST, first), one, T_RSQB);
}

/* kvpair: expression ':' expression; from the ':' on */
static struct node *dict_value(struct parser *p)
{
    return accept(p, T_COLON) ? expression(p) : NULL;
}

/* double_starred_kvpair: '**' bitwise_or | kvpair. The key, or NULL, and the value. */
static bool dict_item(struct parser *p, struct node **ret_key, struct node **ret_value)
{
    if (accept(p, T_DOUBLE_STAR)) {
        *ret_key = NULL;
        *ret_value = bitwise_or(p);
        return *ret_value;
    }
    *ret_key = expression(p);
    *ret_value = *ret_key ? dict_value(p) : NULL;
    return *ret_value;
}

/* dict: '{' [','.double_starred_kvpair+ [',']] '}'; after its first item */
static struct node *dict_rest(struct parser *p, const struct token *first, struct node *key,
                              struct node *value)
{
    struct node *n = start(p, N_DICT, first);
    size_t mark = p->list_n;

    push(p, key);
    push(p, value);
    while (accept(p, T_COMMA) && p->at->kind != T_RBRACE) {
        if (!dict_item(p, &key, &value))
            return NULL;
        push(p, key);
        push(p, value);
    }
    list_take_pairs(p, mark, n, &n->dict.keys, &n->dict.values);
    return accept(p, T_RBRACE) ? finish(p, n) : NULL;
}

/* dictcomp: '{' kvpair for_if_clauses '}'; the pair is read */
static struct node *dict_comprehension(struct parser *p, const struct token *first,
                                       struct node *key, struct node *value)
{
    struct node *n = start(p, N_DICT_COMP, first);

    n->dict_comp.key = key;
    n->dict_comp.value = value;
    above(n, key);
    above(n, value);
    if (!for_if_clauses(p, n, &n->dict_comp.generators) || !accept(p, T_RBRACE))
        return NULL;
    return finish(p, n);
}

/* A dict or dictcomp that begins with a pair; the key is already read. */
static struct node *dict_or_comprehension(struct parser *p, const struct token *first,
                                          struct node *key)
{
    struct node *value = dict_value(p);

    if (!value)
        return NULL;
    return at_comprehension(p) ? dict_comprehension(p, first, key, value)
                               : dict_rest(p, first, key, value);
}

/* '{' and a dict, a dictcomp, a set: '{' star_named_expressions '}', or a
 * setcomp: '{' named_expression for_if_clauses '}' */
struct node *braces(struct parser *p)
{
    const struct token *first = p->at++;

    if (accept(p, T_RBRACE))
        return finish(p, start(p, N_DICT, first));
    if (p->at->kind == T_DOUBLE_STAR) {
        struct node *key, *value;
        return dict_item(p, &key, &value) ? dict_rest(p, first, key, value) : NULL;
    }
    struct node *one = star_named_expression(p);
    if (!one)
        return NULL;
    if (p->at->kind == T_COLON && one->kind != N_STARRED && first[2].kind != T_COLON_EQUAL)
        return dict_or_comprehension(p, first, one);
    if (at_comprehension(p))
        return comprehension(p, N_SET_COMP, first, one, T_RBRACE);
    return elements_rest(p, start(p, N_SET, first), one, T_RBRACE);
}
