/* SPDX-License-Identifier: Apache-2.0
 *
 * The arguments of calls and class definitions. Their order has three stages: positional ones, from
 * the first `name=` on only those and `*`, from the first `**` on only those and `name=`.
 */
#include "python/parse_parts.h"

enum stage { POSITIONAL, KEYWORDS, UNPACKING };

/* Arguments that are being read. */
struct call {
    struct node *owner;
    struct node_list *args, *keywords; /* the owner's */
    size_t mark, keyword_count;        /* where they lie on the stack; how many are keywords */
    enum stage stage;
};

/* NAME '=' expression | '**' expression; what stands before the expression is `skip` tokens */
static struct node *keyword(struct parser *p, struct name *arg, unsigned skip)
{
    struct node *n = start(p, N_KEYWORD, p->at);

    p->at += skip;
    n->keyword.arg = arg;
    n->keyword.value = expression(p);
    if (!n->keyword.value)
        return NULL;
    above(n, n->keyword.value);
    return finish(p, n);
}

/* (starred_expression | (assignment_expression | expression !':=') !'=') | kwarg_or_starred
 * | kwarg_or_double_starred, as the stage allows */
static struct node *argument(struct parser *p, enum stage *stage)
{
    const struct token *t = p->at;

    if (t->kind == T_NAME && t[1].kind == T_EQUAL) {
        if (*stage == POSITIONAL)
            *stage = KEYWORDS;
        return keyword(p, t->name, 2);
    }
    if (t->kind == T_DOUBLE_STAR) {
        *stage = UNPACKING;
        return keyword(p, NULL, 1);
    }
    if (t->kind == T_STAR)
        return *stage < UNPACKING ? starred(p, expression) : NULL;
    return *stage == POSITIONAL ? named_expression(p) : NULL;
}

static void push_argument(struct parser *p, struct call *call, struct node *n)
{
    call->keyword_count += n->kind == N_KEYWORD;
    push(p, n);
}

/* Keywords apart from the others. */
static void take_mixed(struct parser *p, const struct call *call)
{
    size_t n = p->list_n - call->mark, args = 0, keywords = 0;
    size_t first_keyword = n - call->keyword_count;
    struct node **at = arena_alloc(p->arena, n * sizeof *at);

    *call->args = (struct node_list){at, first_keyword};
    *call->keywords = (struct node_list){at + first_keyword, call->keyword_count};
    for (size_t i = call->mark; i < p->list_n; i++) {
        struct node *item = p->list[i];
        above(call->owner, item);
        if (item->kind == N_KEYWORD)
            at[first_keyword + keywords++] = item;
        else
            at[args++] = item;
    }
    p->list_n = call->mark;
}

/* The rest of ','.argument+ [','], from the first ',' on or the ')', which stays unread. */
static bool arguments_rest(struct parser *p, struct call *call)
{
    while (accept(p, T_COMMA) && p->at->kind != T_RPAR) {
        struct node *n = argument(p, &call->stage);
        if (!n)
            return false;
        push_argument(p, call, n);
    }
    if (call->keyword_count > 0)
        take_mixed(p, call);
    else
        list_take(p, call->mark, call->owner, call->args);
    return true;
}

/* arguments: args [','] &')' */
bool arguments(struct parser *p, struct node *owner, struct node_list *ret_args,
               struct node_list *ret_keywords)
{
    struct call call = {owner, ret_args, ret_keywords, p->list_n, 0, POSITIONAL};
    struct node *one = argument(p, &call.stage);

    if (!one)
        return false;
    push_argument(p, &call, one);
    return arguments_rest(p, &call);
}

/* genexp: '(' (assignment_expression | expression !':=') for_if_clauses ')', as the only argument;
 * from the 'for' on */
static bool sole_generator(struct parser *p, const struct token *first, struct node *elt,
                           struct node *call)
{
    struct node *n = start(p, N_GENERATOR_EXP, first);
    size_t mark = p->list_n;

    n->comp.elt = elt;
    above(n, elt);
    if (elt->kind == N_STARRED || elt->kind == N_KEYWORD ||
        !for_if_clauses(p, n, &n->comp.generators) || !accept(p, T_RPAR))
        return false;
    push(p, finish(p, n));
    list_take(p, mark, call, &call->call.args);
    return true;
}

/* primary genexp | primary '(' [arguments] ')' */
struct node *call_rest(struct parser *p, const struct token *first, struct node *func)
{
    struct node *n = start(p, N_CALL, first);
    struct call call = {n, &n->call.args, &n->call.keywords, p->list_n, 0, POSITIONAL};
    const struct token *open = p->at++;

    n->call.func = func;
    above(n, func);
    if (accept(p, T_RPAR))
        return finish(p, n);
    struct node *one = argument(p, &call.stage);
    if (!one)
        return NULL;
    if (at_comprehension(p))
        return sole_generator(p, open, one, n) ? finish(p, n) : NULL;
    push_argument(p, &call, one);
    return arguments_rest(p, &call) && accept(p, T_RPAR) ? finish(p, n) : NULL;
}
