/* SPDX-License-Identifier: Apache-2.0
 *
 * What can be assigned to or deleted. It is read as an expression, which allows more, and given its
 * context when it turns out to be a target.
 */
#include "python/parse_parts.h"

static bool set_contexts(const struct node_list *list, enum expr_context context)
{
    for (size_t i = 0; i < list->n; i++)
        if (!set_context(list->at[i], context))
            return false;
    return true;
}

bool set_context(struct node *n, enum expr_context context)
{
    switch (n->kind) {
    case N_NAME:
    case N_ATTRIBUTE:
    case N_SUBSCRIPT:
        n->op = (uint8_t)context;
        return true;
    case N_TUPLE:
    case N_LIST:
        n->op = (uint8_t)context;
        return set_contexts(&n->elements.elts, context);
    case N_STARRED:
        n->op = (uint8_t)context;
        return context == CTX_STORE && set_context(n->value_of.value, context);
    default:
        return false;
    }
}

/* single_target: NAME | t_primary '.' NAME | t_primary '[' slices ']' | '(' single_target ')' */
bool is_single_target(const struct node *n)
{
    return n->kind == N_NAME || n->kind == N_ATTRIBUTE || n->kind == N_SUBSCRIPT;
}

/* star_target: '*' star_target | target_with_star_atom */
struct node *star_target(struct parser *p)
{
    struct node *n = p->at->kind == T_STAR ? starred(p, primary) : primary(p);

    return n && set_context(n, CTX_STORE) ? n : NULL;
}

/* star_targets: star_target (',' star_target)* [','] */
struct node *star_targets(struct parser *p)
{
    const struct token *first = p->at;
    struct node *n = star_target(p);

    if (n && p->at->kind == T_COMMA) {
        n = tuple_rest(p, first, n, star_target);
        if (n)
            n->op = CTX_STORE;
    }
    return n;
}

/* del_targets: ','.del_target+ [','] */
bool del_targets(struct parser *p, struct node *owner, struct node_list *ret)
{
    size_t mark = p->list_n;

    do {
        struct node *n = primary(p);
        if (!n || !set_context(n, CTX_DEL))
            return false;
        push(p, n);
    } while (accept(p, T_COMMA) && starts_expression[p->at->kind]);
    list_take(p, mark, owner, ret);
    return true;
}
