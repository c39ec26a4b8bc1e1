/* SPDX-License-Identifier: Apache-2.0
 *
 * Names, literals, and what may follow them: attributes, calls, subscripts.
 */
#include "python/parse_parts.h"

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

/* slice: [expression] ':' [expression] [':' [expression]]; what stands before the ':' is read */
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
