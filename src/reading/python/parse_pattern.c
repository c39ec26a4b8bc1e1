/* SPDX-License-Identifier: Apache-2.0
 *
 * The match statement and its patterns.
 */
#include "python/parse_parts.h"

static struct node *pattern(struct parser *p);
static struct node *patterns(struct parser *p);

/* True if a `match` begins a statement. It is a name like others, unless its line ends like the
 * head of a block with cases. */
bool at_match(const struct parser *p)
{
    const struct token *t = p->at;

    if (!starts_expression[t[1].kind] && t[1].kind != T_STAR)
        return false;
    while (t->kind != T_NEWLINE && t->kind != T_END)
        t++;
    return t->kind == T_NEWLINE && t[-1].kind == T_COLON && t[1].kind == T_INDENT;
}

/* subject_expr: star_named_expression ',' [star_named_expressions] | named_expression */
static struct node *subject(struct parser *p)
{
    const struct token *first = p->at;
    struct node *n = star_named_expression(p);

    if (n && p->at->kind == T_COMMA)
        return tuple_rest(p, first, n, star_named_expression);
    return n && n->kind != N_STARRED ? n : NULL;
}

/* case_block: "case" patterns ['if' named_expression] ':' block */
static struct node *case_block(struct parser *p)
{
    struct node *n = node_new(p->arena, N_MATCH_CASE);

    n->height = 1;
    if (p->at->kind != T_NAME || p->at->name != p->soft_case)
        return NULL;
    p->at++;
    if (!(n->match_case.pattern = patterns(p)))
        return NULL;
    if (accept(p, T_IF) && !(n->match_case.guard = named_expression(p)))
        return NULL;
    above(n, n->match_case.pattern);
    above(n, n->match_case.guard);
    return accept(p, T_COLON) && block(p, n, &n->match_case.body) ? n : NULL;
}

/* match_stmt: "match" subject_expr ':' NEWLINE INDENT case_block+ DEDENT */
struct node *match_statement(struct parser *p)
{
    struct node *n = start(p, N_MATCH, p->at++);
    size_t mark = p->list_n;

    n->match_stmt.subject = subject(p);
    if (!n->match_stmt.subject || !accept(p, T_COLON) || !accept(p, T_NEWLINE) ||
        !accept(p, T_INDENT))
        return NULL;
    above(n, n->match_stmt.subject);
    do {
        struct node *one = case_block(p);
        if (!one)
            return NULL;
        push(p, one);
    } while (!accept(p, T_DEDENT));
    list_take(p, mark, n, &n->match_stmt.cases);
    finish_block(p, n);
    return n;
}

/* ---- closed patterns ---- */

static struct node *value_pattern(struct parser *p, const struct token *first, struct node *value)
{
    struct node *n = value ? start(p, N_MATCH_VALUE, first) : NULL;

    if (!n)
        return NULL;
    n->value_of.value = value;
    above(n, value);
    return finish(p, n);
}

/* signed_number: NUMBER | '-' NUMBER */
static struct node *signed_number(struct parser *p)
{
    const struct token *first = p->at;
    bool minus = accept(p, T_MINUS);
    struct node *value = p->at->kind == T_NUMBER ? number(p) : NULL;

    if (!value || !minus)
        return value;
    struct node *n = start(p, N_UNARY_OP, first);
    n->op = OP_USUB;
    n->unary_op.operand = value;
    above(n, value);
    return finish(p, n);
}

/* True if an imaginary number may be added to the number. */
static bool is_real(const struct node *n)
{
    return (n->kind == N_UNARY_OP ? n->unary_op.operand : n)->op != CONST_COMPLEX;
}

/* signed_number !('+' | '-') | complex_number: signed_real_number ('+' | '-') imaginary_number */
static struct node *number_literal(struct parser *p)
{
    const struct token *first = p->at;
    struct node *left = signed_number(p);

    if (!left || (p->at->kind != T_PLUS && p->at->kind != T_MINUS))
        return left;
    struct node *n = start(p, N_BIN_OP, first);
    n->op = p->at++->kind == T_PLUS ? OP_ADD : OP_SUB;
    n->bin_op.left = left;
    n->bin_op.right = p->at->kind == T_NUMBER ? number(p) : NULL;
    if (!n->bin_op.right || n->bin_op.right->op != CONST_COMPLEX || !is_real(left))
        return NULL;
    above(n, left);
    above(n, n->bin_op.right);
    return finish(p, n);
}

/* name_or_attr: NAME ('.' NAME)*; the next token is a NAME */
static struct node *name_or_attr(struct parser *p)
{
    const struct token *first = p->at;
    struct node *value = read_name(p, CTX_LOAD);

    while (accept(p, T_DOT)) {
        if (p->at->kind != T_NAME)
            return NULL;
        struct node *n = start(p, N_ATTRIBUTE, first);
        n->attribute.value = value;
        n->attribute.attr = p->at++->name;
        above(n, value);
        value = finish(p, n);
    }
    return value;
}

/* pattern_capture_target: !"_" NAME !('.' | '(' | '=') */
static struct name *capture_target(struct parser *p)
{
    const struct token *t = p->at;

    if (t->kind != T_NAME || t->name == p->underscore)
        return NULL;
    if (t[1].kind == T_DOT || t[1].kind == T_LPAR || t[1].kind == T_EQUAL)
        return NULL;
    p->at++;
    return t->name;
}

/* positional_patterns: ','.pattern+;  keyword_patterns: ','.(NAME '=' pattern)+; the names and
 * patterns of the latter alternate on the stack, from *ret_keywords on */
static bool class_arguments(struct parser *p, size_t *ret_keywords)
{
    size_t mark = p->list_n;

    *ret_keywords = SIZE_MAX;
    do {
        const struct token *t = p->at;
        if (t->kind == T_NAME && t[1].kind == T_EQUAL) {
            /* By the time CPython sees the `=`, it has read a `_` after a pattern as another
             * pattern. */
            if (*ret_keywords == SIZE_MAX && p->list_n > mark && t->name == p->underscore)
                return false;
            if (*ret_keywords == SIZE_MAX)
                *ret_keywords = p->list_n;
            push(p, t->name);
            p->at += 2;
        } else if (*ret_keywords != SIZE_MAX) {
            return false;
        }
        struct node *n = pattern(p);
        if (!n)
            return false;
        push(p, n);
    } while (accept(p, T_COMMA) && p->at->kind != T_RPAR);
    if (*ret_keywords == SIZE_MAX)
        *ret_keywords = p->list_n;
    return true;
}

static void take_keyword_patterns(struct parser *p, size_t mark, struct node *n)
{
    size_t count = (p->list_n - mark) / 2;
    struct name **names = arena_alloc(p->arena, count * sizeof *names);

    for (size_t i = 0; i < count; i++) {
        names[i] = p->list[mark + 2 * i];
        p->list[mark + i] = p->list[mark + 2 * i + 1];
    }
    p->list_n = mark + count;
    n->match_class.kwd_attrs = (struct name_list){names, count};
    list_take(p, mark, n, &n->match_class.kwd_patterns);
}

/* class_pattern: name_or_attr '(' [positional_patterns] [keyword_patterns] [','] ')' */
static struct node *class_pattern(struct parser *p, const struct token *first, struct node *cls)
{
    struct node *n = start(p, N_MATCH_CLASS, first);
    size_t mark = p->list_n, keywords;

    p->at++;
    n->match_class.cls = cls;
    above(n, cls);
    if (accept(p, T_RPAR))
        return finish(p, n);
    if (!class_arguments(p, &keywords) || !accept(p, T_RPAR))
        return NULL;
    take_keyword_patterns(p, keywords, n);
    list_take(p, mark, n, &n->match_class.patterns);
    return finish(p, n);
}

/* capture_pattern | wildcard_pattern: "_" | value_pattern: attr | class_pattern */
static struct node *name_pattern(struct parser *p)
{
    const struct token *first = p->at;
    bool wildcard = first->name == p->underscore;
    struct name *capture = capture_target(p);

    if (capture || wildcard) { /* nothing may follow a wildcard, not even a dot */
        struct node *n = start(p, N_MATCH_AS, first);
        p->at = first + 1;
        n->match_as.name = capture;
        return finish(p, n);
    }
    struct node *value = name_or_attr(p);
    if (!value)
        return NULL;
    if (p->at->kind == T_LPAR)
        return class_pattern(p, first, value);
    return value->kind == N_ATTRIBUTE && p->at->kind != T_EQUAL ? value_pattern(p, first, value)
                                                                : NULL;
}

/* literal_pattern: signed_number !('+' | '-') | complex_number */
static struct node *number_pattern(struct parser *p)
{
    const struct token *first = p->at;

    return value_pattern(p, first, number_literal(p));
}

/* literal_pattern: strings */
static struct node *string_pattern(struct parser *p)
{
    const struct token *first = p->at;

    return value_pattern(p, first, strings(p));
}

static enum constant_kind keyword_constant(const struct token *t)
{
    return t->kind == T_NONE ? CONST_NONE : t->kind == T_TRUE ? CONST_TRUE : CONST_FALSE;
}

/* literal_pattern: 'None' | 'True' | 'False' */
static struct node *singleton_pattern(struct parser *p)
{
    struct node *n = start(p, N_MATCH_SINGLETON, p->at);

    n->op = (uint8_t)keyword_constant(p->at++);
    return finish(p, n);
}

/* star_pattern: '*' (pattern_capture_target | wildcard_pattern) */
static struct node *star_pattern(struct parser *p)
{
    struct node *n = start(p, N_MATCH_STAR, p->at++);

    if (p->at->kind == T_NAME && p->at->name == p->underscore)
        p->at++;
    else if (!(n->match_as.name = capture_target(p)))
        return NULL;
    return finish(p, n);
}

/* maybe_star_pattern: star_pattern | pattern */
static struct node *maybe_star_pattern(struct parser *p)
{
    return p->at->kind == T_STAR ? star_pattern(p) : pattern(p);
}

/* maybe_sequence_pattern: ','.maybe_star_pattern+ [',']; `one` is the first of them, read already.
 * Pushes them. */
static bool sequence_rest(struct parser *p, struct node *one, enum token_kind closing)
{
    push(p, one);
    while (accept(p, T_COMMA) && p->at->kind != closing && p->at->kind != T_IF) {
        one = maybe_star_pattern(p);
        if (!one)
            return false;
        push(p, one);
    }
    return true;
}

/* The patterns of a sequence, up to `closing`. */
static struct node *sequence(struct parser *p, const struct token *first, struct node *one,
                             enum token_kind closing)
{
    struct node *n = start(p, N_MATCH_SEQUENCE, first);
    size_t mark = p->list_n;

    if (one && !sequence_rest(p, one, closing))
        return NULL;
    list_take(p, mark, n, &n->patterns_of.patterns);
    if (closing != T_COLON && !accept(p, closing))
        return NULL;
    return finish(p, n);
}

/* sequence_pattern: '[' [maybe_sequence_pattern] ']' */
static struct node *bracket_pattern(struct parser *p)
{
    const struct token *first = p->at++;
    struct node *one = p->at->kind == T_RSQB ? NULL : maybe_star_pattern(p);

    return one || p->at->kind == T_RSQB ? sequence(p, first, one, T_RSQB) : NULL;
}

/* group_pattern: '(' pattern ')';  sequence_pattern: '(' [open_sequence_pattern] ')' */
static struct node *parenthesis_pattern(struct parser *p)
{
    const struct token *first = p->at++;

    if (p->at->kind == T_RPAR)
        return sequence(p, first, NULL, T_RPAR);
    struct node *one = maybe_star_pattern(p);
    if (!one)
        return NULL;
    if (p->at->kind == T_COMMA)
        return sequence(p, first, one, T_RPAR);
    return one->kind != N_MATCH_STAR && accept(p, T_RPAR) ? one : NULL;
}

/* literal_expr: signed_number | complex_number | strings | 'None' | 'True' | 'False';  or attr */
static struct node *mapping_key(struct parser *p)
{
    switch (p->at->kind) {
    case T_NUMBER:
    case T_MINUS:
        return number_literal(p);
    case T_STRING:
    case T_FSTRING_START:
    case T_TSTRING_START:
        return strings(p);
    case T_NONE:
    case T_TRUE:
    case T_FALSE: {
        struct node *n = start(p, N_CONSTANT, p->at);
        n->op = (uint8_t)keyword_constant(p->at++);
        return finish(p, n);
    }
    case T_NAME:
        return next_is(p, T_DOT) ? name_or_attr(p) : NULL;
    default:
        return NULL;
    }
}

/* key_value_pattern: (literal_expr | attr) ':' pattern; both are pushed */
static bool key_value_pattern(struct parser *p)
{
    struct node *key = mapping_key(p);

    if (!key || !accept(p, T_COLON))
        return false;
    push(p, key);
    struct node *value = pattern(p);
    push(p, value);
    return value;
}

/* mapping_pattern: '{' [','.key_value_pattern+] [',' '**' pattern_capture_target] [','] '}' */
static struct node *mapping_pattern(struct parser *p)
{
    struct node *n = start(p, N_MATCH_MAPPING, p->at++);
    size_t mark = p->list_n;

    while (p->at->kind != T_RBRACE) {
        if (accept(p, T_DOUBLE_STAR)) {
            n->match_mapping.rest = capture_target(p);
            if (!n->match_mapping.rest)
                return NULL;
        } else if (!key_value_pattern(p)) {
            return NULL;
        }
        if (!accept(p, T_COMMA) || n->match_mapping.rest)
            break;
    }
    if (!accept(p, T_RBRACE))
        return NULL;
    list_take_pairs(p, mark, n, &n->match_mapping.keys, &n->match_mapping.patterns);
    return finish(p, n);
}

/* ---- patterns of patterns ---- */

/* Indexed by the first token of a closed pattern. */
static struct node *(*const closed[T_COUNT])(struct parser *) = {
    [T_NUMBER] = number_pattern,
    [T_MINUS] = number_pattern,
    [T_STRING] = string_pattern,
    [T_FSTRING_START] = string_pattern,
    [T_TSTRING_START] = string_pattern,
    [T_NONE] = singleton_pattern,
    [T_TRUE] = singleton_pattern,
    [T_FALSE] = singleton_pattern,
    [T_NAME] = name_pattern,
    [T_LPAR] = parenthesis_pattern,
    [T_LSQB] = bracket_pattern,
    [T_LBRACE] = mapping_pattern,
};

static struct node *closed_pattern(struct parser *p)
{
    return closed[p->at->kind] ? closed[p->at->kind](p) : NULL;
}

/* or_pattern: '|'.closed_pattern+ */
static struct node *or_pattern(struct parser *p)
{
    const struct token *first = p->at;
    struct node *one = closed_pattern(p);

    if (!one || p->at->kind != T_VBAR)
        return one;
    struct node *n = start(p, N_MATCH_OR, first);
    size_t mark = p->list_n;
    push(p, one);
    while (accept(p, T_VBAR)) {
        one = closed_pattern(p);
        if (!one)
            return NULL;
        push(p, one);
    }
    list_take(p, mark, n, &n->patterns_of.patterns);
    return finish(p, n);
}

/* pattern: or_pattern ['as' pattern_capture_target] */
static struct node *pattern(struct parser *p)
{
    const struct token *first = p->at;

    if (!enter(p))
        return NULL;
    struct node *n = or_pattern(p);
    leave(p);
    if (!n || !accept(p, T_AS))
        return n;
    struct node *as = start(p, N_MATCH_AS, first);
    as->match_as.pattern = n;
    as->match_as.name = capture_target(p);
    above(as, n);
    return as->match_as.name ? finish(p, as) : NULL;
}

/* patterns: open_sequence_pattern | pattern */
static struct node *patterns(struct parser *p)
{
    const struct token *first = p->at;
    struct node *n = maybe_star_pattern(p);

    if (n && p->at->kind == T_COMMA)
        return sequence(p, first, n, T_COLON);
    return n && n->kind != N_MATCH_STAR ? n : NULL;
}
