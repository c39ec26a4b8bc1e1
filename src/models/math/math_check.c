/* SPDX-License-Identifier: Apache-2.0
 *
 * A whole number is refused before it is made, so that `9**9**9` costs nothing.
 */
#include "math/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "math/math_parts.h"
#include "python/python.h"
#include "syntax/name.h"

enum home { IN_BUILTINS = 1, IN_MATH = 2, IN_BOTH = 3 };

static const struct math_name {
    const char *name;
    enum home home;
    enum size_rule rule;
} names[] = {
#define NAME(name, home, rule) {#name, home, rule},
#include "math/math_names.def"
#undef NAME
};

static const char allowed[] =
    "use numbers, + - * / // % ** << >> & | ^ ~, comparisons, and, or, not, if-else, lists inside "
    "max, min and sum, and the names of Python's math module, abs, float, int, max, min, pow, "
    "round, sum";

/* ---- refusals ---- */

static int math_check_refuse(const char *what, struct err *err)
{
    return err_set(err, ERR_POLICY, "%s is not allowed; %s", what, allowed);
}

static int refuse_name(struct str name, struct err *err)
{
    char what[120];

    snprintf(what, sizeof what, "the name '%.*s'", (int)(name.n < 80 ? name.n : 80), name.p);
    return math_check_refuse(what, err);
}

static int refuse_node(const struct node *n, struct err *err)
{
    static const struct {
        enum node_kind kind;
        const char *what;
    } words[] = {
        {N_ATTRIBUTE, "an attribute other than math's"},
        {N_LAMBDA, "a lambda"},
        {N_LIST_COMP, "a comprehension"},
        {N_SET_COMP, "a comprehension"},
        {N_DICT_COMP, "a comprehension"},
        {N_GENERATOR_EXP, "a comprehension"},
        {N_LIST, "a list outside of a function that takes one"},
        {N_TUPLE, "a tuple outside of a function that takes one"},
        {N_JOINED_STR, "a text"},
        {N_SUBSCRIPT, "an index"},
        {N_NAMED_EXPR, "an assignment"},
        {N_STARRED, "a starred argument"},
        {N_CONSTANT, "a constant that is not a number"},
    };
    char what[80];

    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (words[i].kind == n->kind)
            return math_check_refuse(words[i].what, err);
    snprintf(what, sizeof what, "%s", node_types[n->kind].name);
    return math_check_refuse(what, err);
}

static int check_bits(struct bound *b, struct err *err)
{
    if (b->kind == REAL && b->bits > REAL_BITS)
        b->bits = REAL_BITS;
    if (b->bits <= BITS_MAX)
        return 0;
    return err_set(err, ERR_LIMIT, "a number in it may get more than %.0f digits",
                   floor(BITS_MAX * log10(2) / 1000) * 1000);
}

/* ---- operators ---- */

static int math_check_measure(const struct node *n, struct bound *ret, struct err *err);

static int measure_number(const struct node *n, struct bound *ret, struct err *err)
{
    if (math_check_measure(n, ret, err) < 0)
        return -1;
    return ret->kind != PAIR ? 0 : math_check_refuse("arithmetic with a pair of numbers", err);
}

static int measure_binary(const struct node *n, struct bound *ret, struct err *err)
{
    struct bound a, b;

    if (n->op == OP_MAT_MULT)
        return math_check_refuse("the operator @", err);
    if (measure_number(n->bin_op.left, &a, err) < 0 || measure_number(n->bin_op.right, &b, err) < 0)
        return -1;
    *ret = size_operate(n->op, a, b);
    return 0;
}

static int measure_unary(const struct node *n, struct bound *ret, struct err *err)
{
    if (measure_number(n->unary_op.operand, ret, err) < 0)
        return -1;
    if (n->op == OP_NOT)
        *ret = (struct bound){WHOLE, 0};
    else if (n->op == OP_INVERT)
        ret->bits += 1;
    return 0;
}

static int group_add(struct group *g, const struct node *n, struct err *err)
{
    struct bound b;

    if (measure_number(n, &b, err) < 0)
        return -1;
    if (g->n == 0)
        g->first = b;
    if (g->n == 1)
        g->second = b;
    g->kind = g->n ? size_join(g->kind, b.kind) : b.kind;
    g->largest = size_most(g->largest, b.bits);
    g->sum += b.bits;
    g->n++;
    return 0;
}

static int group_add_all(struct group *g, struct node_list list, struct err *err)
{
    for (size_t i = 0; i < list.n; i++)
        if (group_add(g, list.at[i], err) < 0)
            return -1;
    return 0;
}

static int measure_compare(const struct node *n, struct bound *ret, struct err *err)
{
    struct group g = {0};

    for (size_t i = 0; i < n->compare.comparators.n; i++)
        if (n->compare.ops[i] > OP_GT_E)
            return math_check_refuse("'is' or 'in'", err);
    if (group_add(&g, n->compare.left, err) < 0 ||
        group_add_all(&g, n->compare.comparators, err) < 0)
        return -1;
    *ret = (struct bound){WHOLE, 0};
    return 0;
}

static int measure_choice(struct group *g, struct bound *ret)
{
    *ret = (struct bound){g->kind, g->largest};
    return 0;
}

static int measure_bool(const struct node *n, struct bound *ret, struct err *err)
{
    struct group g = {0};

    return group_add_all(&g, n->bool_op.values, err) < 0 ? -1 : measure_choice(&g, ret);
}

static int measure_if(const struct node *n, struct bound *ret, struct err *err)
{
    struct group g = {0};
    struct bound test;

    if (measure_number(n->if_exp.test, &test, err) < 0 || group_add(&g, n->if_exp.body, err) < 0 ||
        group_add(&g, n->if_exp.orelse, err) < 0)
        return -1;
    return measure_choice(&g, ret);
}

static double digits_bits(struct str text)
{
    return 4.0 * (double)text.n;
}

static int measure_constant(const struct node *n, struct bound *ret, struct err *err)
{
    switch (n->op) {
    case CONST_TRUE:
    case CONST_FALSE:
        *ret = (struct bound){WHOLE, 0};
        return 0;
    case CONST_INT:
        *ret =
            (struct bound){WHOLE, n->constant.integer > 1 ? log2((double)n->constant.integer) : 0};
        return 0;
    case CONST_BIG_INT:
        *ret = (struct bound){WHOLE, digits_bits(n->constant.text)};
        return 0;
    case CONST_FLOAT:
    case CONST_COMPLEX:
        *ret = (struct bound){REAL, n->constant.real > 1 ? log2(n->constant.real) : 0};
        return 0;
    case CONST_STR:
    case CONST_BYTES:
        return math_check_refuse("a text", err);
    default:
        return refuse_node(n, err);
    }
}

/* ---- names and calls ---- */

static const struct math_name *math_check_find(const struct name *name, enum home home)
{
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (names[i].home & home && strcmp(names[i].name, name->text) == 0)
            return &names[i];
    return NULL;
}

/* Finds `sqrt` or `math.sqrt`. NULL when the node is neither form, or when the name is not
 * permitted. */
static const struct math_name *math_check_look_up(const struct node *n)
{
    if (n->kind == N_NAME)
        return math_check_find(n->name.id, IN_BOTH);
    if (n->kind == N_ATTRIBUTE && n->attribute.value->kind == N_NAME &&
        strcmp(n->attribute.value->name.id->text, "math") == 0)
        return math_check_find(n->attribute.attr, IN_MATH);
    return NULL;
}

static int refuse_unknown(const struct node *n, struct err *err)
{
    bool in_math = n->kind == N_ATTRIBUTE && n->attribute.value->kind == N_NAME &&
                   strcmp(n->attribute.value->name.id->text, "math") == 0;
    const struct name *name = n->kind == N_NAME ? n->name.id : in_math ? n->attribute.attr : NULL;

    return name ? refuse_name((struct str){name->text, name->n}, err) : refuse_node(n, err);
}

static int measure_name(const struct node *n, struct bound *ret, struct err *err)
{
    const struct math_name *name = math_check_look_up(n);

    if (!name)
        return refuse_unknown(n, err);
    if (name->rule != SIZE_CONSTANT)
        return math_check_refuse("a function that is not called", err);
    *ret = (struct bound){REAL, 2};
    return 0;
}

static int measure_arguments(const struct node *n, enum size_rule rule, struct group *g,
                             struct err *err)
{
    for (size_t i = 0; i < n->call.args.n; i++) {
        const struct node *arg = n->call.args.at[i];
        bool list = arg->kind == N_LIST || arg->kind == N_TUPLE;
        bool taken = list && rule >= SIZE_LIST_LARGEST;
        if ((taken ? group_add_all(g, arg->elements.elts, err) : group_add(g, arg, err)) < 0)
            return -1;
    }
    for (size_t i = 0; i < n->call.keywords.n; i++) {
        const struct node *keyword = n->call.keywords.at[i];
        if (!keyword->keyword.arg)
            return math_check_refuse("a starred argument", err);
        if (group_add(g, keyword->keyword.value, err) < 0)
            return -1;
    }
    return 0;
}

static int measure_call(const struct node *n, struct bound *ret, struct err *err)
{
    const struct math_name *name = math_check_look_up(n->call.func);
    struct group g = {0};

    if (!name)
        return refuse_unknown(n->call.func, err);
    if (name->rule == SIZE_CONSTANT)
        return math_check_refuse("a call of a number", err);
    if (measure_arguments(n, name->rule, &g, err) < 0)
        return -1;
    *ret = size_call(name->rule, &g);
    return 0;
}

/* ---- the expression ---- */

static int measure_any(const struct node *n, struct bound *ret, struct err *err)
{
    switch ((int)n->kind) {
    case N_CONSTANT:
        return measure_constant(n, ret, err);
    case N_BIN_OP:
        return measure_binary(n, ret, err);
    case N_UNARY_OP:
        return measure_unary(n, ret, err);
    case N_BOOL_OP:
        return measure_bool(n, ret, err);
    case N_COMPARE:
        return measure_compare(n, ret, err);
    case N_IF_EXP:
        return measure_if(n, ret, err);
    case N_NAME:
    case N_ATTRIBUTE:
        return measure_name(n, ret, err);
    case N_CALL:
        return measure_call(n, ret, err);
    default:
        return refuse_node(n, err);
    }
}

static int math_check_measure(const struct node *n, struct bound *ret, struct err *err)
{
    *ret = (struct bound){0};
    return measure_any(n, ret, err) < 0 ? -1 : check_bits(ret, err);
}

static int check_tree(const struct node *module, struct err *err)
{
    struct bound size;

    if (module->module.body.n != 1)
        return math_check_refuse(
            module->module.body.n ? "more than one expression" : "an empty expression", err);
    const struct node *only = module->module.body.at[0];
    if (only->kind != N_EXPR)
        return math_check_refuse("a statement", err);
    return math_check_measure(only->value_of.value, &size, err);
}

/* The text that is checked here must be the text that Python reads: no encodings, no second lines,
 * no comments. */
static int math_check_text(struct str text, struct err *err)
{
    if (text.n > MATH_MAX_TEXT)
        return err_set(err, ERR_USAGE, "it is longer than %d characters", MATH_MAX_TEXT);
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] < ' ' || text.p[i] > '~' || strchr("#;\\", text.p[i]))
            return math_check_refuse(text.p[i] == '\n' ? "a second line" : "one of its characters",
                                     err);
    return 0;
}

int math_check(struct str expression, struct err *err)
{
    struct str text = str_trim(expression);
    struct python_tree tree;

    if (math_check_text(text, err) < 0)
        return -1;
    int result =
        python_parse(text, &(struct python_options){0}, &tree) < 0 || python_check(&tree) < 0
            ? err_set(err, ERR_USAGE, "%s: %s", python_error_name(tree.error.kind),
                      tree.error.message)
            : check_tree(tree.module, err);
    python_tree_done(&tree);
    return result;
}
