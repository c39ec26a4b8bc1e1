/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads names and literals, and the attributes, calls and subscripts after them.
 */
#include "python/parse_parts.h"

static struct node *call_rest(struct parser *p, const struct token *first, struct node *func);

static struct node *name(struct parser *p)
{
    return read_name(p, CTX_LOAD);
}

static struct node *keyword_constant(struct parser *p)
{
    static const uint8_t constant_of[T_COUNT] = {
        [T_NONE] = CONST_NONE,
        [T_FALSE] = CONST_FALSE,
        [T_TRUE] = CONST_TRUE,
        [T_ELLIPSIS] = CONST_ELLIPSIS,
    };
    struct node *n = start(p, N_CONSTANT, p->at);

    n->op = constant_of[p->at++->kind];
    return finish(p, n);
}

struct node *number(struct parser *p)
{
    const struct token *t = p->at++;
    struct node *n = start(p, N_CONSTANT, t);

    if (literal_number(p->tree, token_text(p, t), n) < 0)
        return NULL;
    return finish(p, n);
}

static struct node *(*const atoms[T_COUNT])(struct parser *) = {
    [T_NAME] = name,
    [T_NUMBER] = number,
    [T_STRING] = strings,
    [T_FSTRING_START] = strings,
    [T_TSTRING_START] = strings,
    [T_LPAR] = parentheses,
    [T_LSQB] = brackets,
    [T_LBRACE] = braces,
    [T_NONE] = keyword_constant,
    [T_FALSE] = keyword_constant,
    [T_TRUE] = keyword_constant,
    [T_ELLIPSIS] = keyword_constant,
};

/* slice: [expression] ':' [expression] [':' [expression]]; the part before the ':' is read */
static struct node *slice_rest(struct parser *p, const struct token *first, struct node *lower)
{
    struct node *n = start(p, N_SLICE, first);

    p->at++;
    n->slice.lower = lower;
    if (starts_expression[p->at->kind] && !(n->slice.upper = expression(p)))
        return NULL;
    if (accept(p, T_COLON) && starts_expression[p->at->kind] && !(n->slice.step = expression(p)))
        return NULL;
    above(n, lower);
    above(n, n->slice.upper);
    above(n, n->slice.step);
    return finish(p, n);
}

/* slice: [expression] ':' [expression] [':' [expression]] | named_expression;  or a
 * starred_expression:
 * '*' expression */
static struct node *slice(struct parser *p)
{
    const struct token *first = p->at;

    if (first->kind == T_COLON)
        return slice_rest(p, first, NULL);
    if (first->kind == T_STAR)
        return starred(p, expression);
    if (first->kind == T_NAME && first[1].kind == T_COLON_EQUAL)
        return named_expression(p);
    struct node *n = expression(p);
    return n && p->at->kind == T_COLON ? slice_rest(p, first, n) : n;
}

/* slices: slice !',' | ','.(slice | starred_expression)+ [','] */
static struct node *slices(struct parser *p)
{
    const struct token *first = p->at;
    struct node *one = slice(p);

    if (!one || (p->at->kind != T_COMMA && one->kind != N_STARRED))
        return one;
    struct node *n = start(p, N_TUPLE, first);
    size_t mark = p->list_n;
    push(p, one);
    while (accept(p, T_COMMA) && p->at->kind != T_RSQB) {
        one = slice(p);
        if (!one)
            return NULL;
        push(p, one);
    }
    list_take(p, mark, n, &n->elements.elts);
    return finish(p, n);
}

/* primary '[' slices ']' */
static struct node *subscript(struct parser *p, const struct token *first, struct node *value)
{
    struct node *n = start(p, N_SUBSCRIPT, first);

    p->at++;
    n->subscript.value = value;
    n->subscript.slice = slices(p);
    if (!n->subscript.slice || !accept(p, T_RSQB))
        return NULL;
    above(n, value);
    above(n, n->subscript.slice);
    return finish(p, n);
}

/* primary '.' NAME */
static struct node *attribute(struct parser *p, const struct token *first, struct node *value)
{
    if (p->at[1].kind != T_NAME)
        return NULL;
    struct node *n = start(p, N_ATTRIBUTE, first);
    n->attribute.value = value;
    n->attribute.attr = p->at[1].name;
    above(n, value);
    p->at += 2;
    return finish(p, n);
}

/* primary: primary '.' NAME | primary genexp | primary '(' [arguments] ')' | primary '[' slices ']'
 * | atom */
struct node *primary(struct parser *p)
{
    const struct token *first = p->at;
    struct node *(*const atom)(struct parser *) = atoms[first->kind];
    struct node *n = atom ? atom(p) : NULL;

    while (n) {
        switch (p->at->kind) {
        case T_DOT:
            n = attribute(p, first, n);
            break;
        case T_LPAR:
            n = call_rest(p, first, n);
            break;
        case T_LSQB:
            n = subscript(p, first, n);
            break;
        default:
            return n;
        }
    }
    return NULL;
}

/* await_primary: 'await' primary; the next token is the 'await' */
struct node *await_primary(struct parser *p)
{
    struct node *n = start(p, N_AWAIT, p->at++);

    n->value_of.value = primary(p);
    if (!n->value_of.value)
        return NULL;
    above(n, n->value_of.value);
    return finish(p, n);
}

/* The arguments of calls and class definitions come in three stages: positional ones; from the
 * first `name=` on, only `name=` and `*`; from the first `**` on, only `name=` and `**`. */
enum stage { POSITIONAL, KEYWORDS, UNPACKING };

/* The arguments that are being read. */
struct call {
    struct node *owner;
    struct node_list *args, *keywords; /* the owner's */
    size_t mark, keyword_count;        /* their start on the stack; the number of keywords */
    enum stage stage;
};

/* NAME '=' expression | '**' expression; `skip` is the number of tokens before the expression */
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

/* Separates keywords from the other arguments. */
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

/* The rest of ','.argument+ [','], from the first ',' on, up to the ')', which stays unread. */
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
static struct node *call_rest(struct parser *p, const struct token *first, struct node *func)
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

/* Targets of assignments and `del`. A target is first read as an expression, which allows more, and
 * gets its context when it turns out to be a target. */
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
