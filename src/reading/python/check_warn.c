/* SPDX-License-Identifier: Apache-2.0
 *
 * The compiler's warnings: about code that is valid, but cannot be intended.
 */
#include <stdarg.h>
#include <string.h>

#include "base/mem.h"
#include "python/check_parts.h"
#include "syntax/lex.h"

/* Columns are counted in bytes, as in the compiler's errors. */
void check_warn(struct checker *c, const struct node *at, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    AUTO_FREE char *text = xvasprintf(fmt, ap);
    va_end(ap);
    python_warn(c->tree, PYTHON_SYNTAX_WARNING, at->line, -1, "%s", text);
    struct python_error *warning = &c->tree->warnings.at[c->tree->warnings.n - 1];
    warning->column = (int32_t)at->column + 1;
    warning->end_line = at->end_line;
    warning->end_column = (int32_t)at->end_column + 1;
}

/* ---- types ---- */

enum type {
    TYPE_UNKNOWN,
    TYPE_NONE,
    TYPE_ELLIPSIS,
    TYPE_BOOL,
    TYPE_INT,
    TYPE_FLOAT,
    TYPE_COMPLEX,
    TYPE_STR,
    TYPE_BYTES,
    TYPE_TUPLE,
    TYPE_LIST,
    TYPE_DICT,
    TYPE_SET,
    TYPE_GENERATOR,
    TYPE_FUNCTION,
    TYPE_TEMPLATE,
    TYPE_INTERPOLATION,
};

static const char *const type_names[] = {
    [TYPE_NONE] = "NoneType",
    [TYPE_ELLIPSIS] = "ellipsis",
    [TYPE_BOOL] = "bool",
    [TYPE_INT] = "int",
    [TYPE_FLOAT] = "float",
    [TYPE_COMPLEX] = "complex",
    [TYPE_STR] = "str",
    [TYPE_BYTES] = "bytes",
    [TYPE_TUPLE] = "tuple",
    [TYPE_LIST] = "list",
    [TYPE_DICT] = "dict",
    [TYPE_SET] = "set",
    [TYPE_GENERATOR] = "generator",
    [TYPE_FUNCTION] = "function",
    [TYPE_TEMPLATE] = "string.templatelib.Template",
    [TYPE_INTERPOLATION] = "string.templatelib.Interpolation",
};

static const uint8_t constant_types[] = {
    [CONST_NONE] = TYPE_NONE,         [CONST_FALSE] = TYPE_BOOL,      [CONST_TRUE] = TYPE_BOOL,
    [CONST_ELLIPSIS] = TYPE_ELLIPSIS, [CONST_INT] = TYPE_INT,         [CONST_BIG_INT] = TYPE_INT,
    [CONST_FLOAT] = TYPE_FLOAT,       [CONST_COMPLEX] = TYPE_COMPLEX, [CONST_STR] = TYPE_STR,
    [CONST_BYTES] = TYPE_BYTES,
};

static const uint8_t display_types[N_COUNT] = {
    [N_TUPLE] = TYPE_TUPLE,
    [N_LIST] = TYPE_LIST,
    [N_LIST_COMP] = TYPE_LIST,
    [N_DICT] = TYPE_DICT,
    [N_DICT_COMP] = TYPE_DICT,
    [N_SET] = TYPE_SET,
    [N_SET_COMP] = TYPE_SET,
    [N_GENERATOR_EXP] = TYPE_GENERATOR,
    [N_LAMBDA] = TYPE_FUNCTION,
    [N_JOINED_STR] = TYPE_STR,
    [N_FORMATTED_VALUE] = TYPE_STR,
    [N_TEMPLATE_STR] = TYPE_TEMPLATE,
    [N_INTERPOLATION] = TYPE_INTERPOLATION,
};

static enum type folded_type(const struct checker *c, const struct node *n);

static bool is_number(enum type type)
{
    return type >= TYPE_BOOL && type <= TYPE_COMPLEX;
}

static enum type unary_type(const struct checker *c, const struct node *n)
{
    enum type operand = folded_type(c, n->unary_op.operand);

    if (operand == TYPE_UNKNOWN)
        return TYPE_UNKNOWN;
    if (n->op == OP_NOT)
        return TYPE_BOOL;
    if (!is_number(operand) || (n->op == OP_INVERT && operand > TYPE_INT))
        return TYPE_UNKNOWN;
    return operand == TYPE_BOOL ? TYPE_INT : operand;
}

/* True for 'ab' * 3 if the result is short enough for CPython to compute it at compile time. */
static bool is_repetition(const struct node *text, const struct node *times)
{
    return text->kind == N_CONSTANT && times->kind == N_CONSTANT && times->op == CONST_INT &&
           (text->constant.text.n == 0 ||
            times->constant.integer <= (int64_t)(4096 / text->constant.text.n));
}

/* Only operations that never fail and whose results stay small: sums, differences and products. */
static enum type binary_type(const struct checker *c, const struct node *n)
{
    if (n->op != OP_ADD && n->op != OP_SUB && n->op != OP_MULT)
        return TYPE_UNKNOWN;
    enum type left = folded_type(c, n->bin_op.left), right = folded_type(c, n->bin_op.right);
    enum type wider = left > right ? left : right;
    if (n->op == OP_ADD && left == right && (left == TYPE_STR || left == TYPE_BYTES))
        return left;
    if (n->op == OP_MULT && (left == TYPE_STR || left == TYPE_BYTES))
        return is_repetition(n->bin_op.left, n->bin_op.right) ? left : TYPE_UNKNOWN;
    if (!is_number(left) || !is_number(right))
        return TYPE_UNKNOWN;
    return wider == TYPE_BOOL ? TYPE_INT : wider;
}

static bool all_folded(const struct checker *c, struct node_list elements)
{
    for (size_t i = 0; i < elements.n; i++)
        if (folded_type(c, elements.at[i]) == TYPE_UNKNOWN)
            return false;
    return true;
}

/* The type of an expression that the compiler has turned into a constant, otherwise TYPE_UNKNOWN.
 * From 3.14 on the compiler computes constants only after it has warned. */
static enum type folded_type(const struct checker *c, const struct node *n)
{
    bool calculates = c->tree->target < 14;

    if (n->kind == N_CONSTANT)
        return constant_types[n->op];
    if (n->kind == N_NAME)
        return n->name.id == c->debug ? TYPE_BOOL : TYPE_UNKNOWN;
    if (n->kind == N_TUPLE && n->op == CTX_LOAD)
        return all_folded(c, n->elements.elts) ? TYPE_TUPLE : TYPE_UNKNOWN;
    if (n->kind == N_UNARY_OP && calculates)
        return unary_type(c, n);
    if (n->kind == N_BIN_OP && calculates)
        return binary_type(c, n);
    return TYPE_UNKNOWN;
}

static enum type check_warn_type_of(const struct checker *c, const struct node *n)
{
    enum type type = folded_type(c, n);

    return type == TYPE_UNKNOWN ? display_types[n->kind] : type;
}

bool is_folded_constant(const struct checker *c, const struct node *n)
{
    return folded_type(c, n) != TYPE_UNKNOWN;
}

/* ---- the warnings ---- */

/* The type of a constant of which several equal objects can exist. */
static enum type literal_type(const struct checker *c, const struct node *n)
{
    enum type type = folded_type(c, n);

    return type <= TYPE_BOOL ? TYPE_UNKNOWN : type;
}

static void warn_identity(struct checker *c, const struct node *n, bool same, enum type type)
{
    const char *is = same ? "is" : "is not", *instead = same ? "==" : "!=";

    if (c->tree->target == 11)
        check_warn(c, n, "\"%s\" with a literal. Did you mean \"%s\"?", is, instead);
    else
        check_warn(c, n, "\"%s\" with '%s' literal. Did you mean \"%s\"?", is, type_names[type],
                   instead);
}

void warn_compare(struct checker *c, const struct node *n, bool negated)
{
    const struct node *left = n->compare.left;

    for (size_t i = 0; i < n->compare.comparators.n; i++) {
        const struct node *right = n->compare.comparators.at[i];
        unsigned op = n->compare.ops[i];
        if (op == OP_IS || op == OP_IS_NOT) {
            enum type type = literal_type(c, left);
            type = type == TYPE_UNKNOWN ? literal_type(c, right) : type;
            if (type != TYPE_UNKNOWN) {
                warn_identity(c, n, (op == OP_IS) != negated, type);
                return;
            }
        }
        left = right;
    }
}

void warn_call(struct checker *c, const struct node *n)
{
    enum type type = check_warn_type_of(c, n->call.func);

    if (type != TYPE_UNKNOWN && type != TYPE_FUNCTION)
        check_warn(c, n, "'%s' object is not callable; perhaps you missed a comma?",
                   type_names[type]);
}

static bool has_no_items(enum type type)
{
    return type == TYPE_NONE || type == TYPE_ELLIPSIS || is_number(type) || type == TYPE_SET ||
           type == TYPE_GENERATOR || type == TYPE_FUNCTION || type == TYPE_TEMPLATE ||
           type == TYPE_INTERPOLATION;
}

static bool wants_integers(enum type type)
{
    return type == TYPE_STR || type == TYPE_BYTES || type == TYPE_TUPLE || type == TYPE_LIST;
}

void warn_subscript(struct checker *c, const struct node *n)
{
    enum type type = check_warn_type_of(c, n->subscript.value),
              index = check_warn_type_of(c, n->subscript.slice);

    if (has_no_items(type))
        check_warn(c, n, "'%s' object is not subscriptable; perhaps you missed a comma?",
                   type_names[type]);
    else if (wants_integers(type) && index != TYPE_UNKNOWN && index != TYPE_INT &&
             index != TYPE_BOOL)
        check_warn(c, n,
                   "%s indices must be integers or slices, not %s; perhaps you missed a comma?",
                   type_names[type], type_names[index]);
}

void warn_assert(struct checker *c, const struct node *n)
{
    const struct node *test = n->assert_stmt.test;

    if (test->kind == N_TUPLE && test->elements.elts.n)
        check_warn(c, n, "assertion is always true, perhaps remove parentheses?");
}
