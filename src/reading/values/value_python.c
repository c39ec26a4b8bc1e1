/* SPDX-License-Identifier: Apache-2.0 */
#include "values/value_python.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "python/python.h"
#include "values/compare.h"
#include "values/number.h"

struct reader {
    struct arena *arena;
    struct err *err;
};

enum { TEXT_MAX = 16 << 20 };

static int read_node(struct reader *r, const struct node *n, unsigned depth, struct value *ret);

static int value_python_bad(struct reader *r, const struct node *n, const char *why)
{
    return err_set(r->err, ERR_USAGE, "line %u: %s", n ? n->line : 1, why);
}

/* ---- literals ---- */

/* Large integers are decimal or 0x: the parser keeps 0o and 0b literals as they are written, and
 * large ones are not needed. */
static int read_big(struct reader *r, const struct node *n, struct value *ret)
{
    struct str text = n->constant.text;

    if (str_starts(text, "0x") || str_starts(text, "0X")) {
        struct str lower = arena_str(r->arena, text);
        ((char *)(uintptr_t)lower.p)[1] = 'x';
        return number_from_hex(lower, r->arena, ret)
                   ? 0
                   : value_python_bad(r, n, "the integer has too many digits");
    }
    if (text.n > 1 && text.p[0] == '0' && (text.p[1] < '0' || text.p[1] > '9'))
        return value_python_bad(r, n, "write a large integer in decimal or with 0x");
    if (text.n > VALUE_MAX_DECIMAL)
        return value_python_bad(r, n, "the integer has too many digits");
    number_from_decimal(text, r->arena, ret);
    return 0;
}

static int read_constant(struct reader *r, const struct node *n, struct value *ret)
{
    switch ((enum constant_kind)n->op) {
    case CONST_NONE:
        ret->type = VALUE_NONE;
        return 0;
    case CONST_FALSE:
    case CONST_TRUE:
        ret->type = VALUE_BOOL;
        ret->truth = n->op == CONST_TRUE;
        return 0;
    case CONST_ELLIPSIS:
        return value_python_bad(r, n, "... cannot be an expected value");
    case CONST_INT:
        ret->type = VALUE_INT;
        ret->integer = n->constant.integer;
        return 0;
    case CONST_BIG_INT:
        return read_big(r, n, ret);
    case CONST_FLOAT:
        ret->type = VALUE_FLOAT;
        ret->real = n->constant.real;
        return 0;
    case CONST_COMPLEX:
        ret->type = VALUE_COMPLEX;
        ret->parts[0] = 0;
        ret->parts[1] = n->constant.real;
        return 0;
    case CONST_STR:
    case CONST_BYTES:
        ret->type = n->op == CONST_STR ? VALUE_STR : VALUE_BYTES;
        ret->text = arena_str(r->arena, n->constant.text);
        return 0;
    }
    return value_python_bad(r, n, "this is not a literal");
}

static int negate(struct reader *r, const struct node *n, struct value *ret)
{
    if (ret->type == VALUE_FLOAT) {
        ret->real = -ret->real;
    } else if (ret->type == VALUE_COMPLEX) {
        ret->parts[0] = -ret->parts[0];
        ret->parts[1] = -ret->parts[1];
    } else if (ret->type == VALUE_INT && ret->limbs) {
        ret->negative = !ret->negative;
    } else if (ret->type == VALUE_INT) {
        ret->integer = -ret->integer;
    } else {
        return value_python_bad(r, n, "a sign must be before a number");
    }
    return 0;
}

static int read_signed(struct reader *r, const struct node *n, unsigned depth, struct value *ret)
{
    if (n->op != OP_USUB && n->op != OP_UADD)
        return value_python_bad(r, n, "an expected value may not have operators");
    if (read_node(r, n->unary_op.operand, depth, ret) < 0)
        return -1;
    return n->op == OP_USUB ? negate(r, n, ret) : 0;
}

/* 1+2j */
static int read_complex(struct reader *r, const struct node *n, unsigned depth, struct value *ret)
{
    struct value real, imag;
    double part;

    if ((n->op != OP_ADD && n->op != OP_SUB) || read_node(r, n->bin_op.left, depth, &real) < 0 ||
        read_node(r, n->bin_op.right, depth, &imag) < 0 || imag.type != VALUE_COMPLEX ||
        !number_to_double(&real, &part))
        return value_python_bad(r, n, "an expected value may not have operators");
    ret->type = VALUE_COMPLEX;
    ret->parts[0] = part;
    ret->parts[1] = n->op == OP_ADD ? imag.parts[1] : -imag.parts[1];
    return 0;
}

/* ---- displays ---- */

static int read_list(struct reader *r, const struct node_list *list, unsigned depth,
                     enum value_type type, struct value *ret)
{
    struct value *items = arena_alloc(r->arena, (list->n + 1) * sizeof *items);

    for (size_t i = 0; i < list->n; i++)
        if (read_node(r, list->at[i], depth, &items[i]) < 0)
            return -1;
    ret->type = (uint8_t)type;
    ret->items = items;
    ret->n = list->n;
    if (type == VALUE_SET)
        value_drop_repeated(ret);
    return 0;
}

static int read_dict(struct reader *r, const struct node *n, unsigned depth, struct value *ret)
{
    const struct node_list *keys = &n->dict.keys;
    struct value *items = arena_alloc(r->arena, (2 * keys->n + 1) * sizeof *items);

    for (size_t i = 0; i < keys->n; i++) {
        if (!keys->at[i])
            return value_python_bad(r, n, "an expected value may not have **");
        if (read_node(r, keys->at[i], depth, &items[2 * i]) < 0 ||
            read_node(r, n->dict.values.at[i], depth, &items[2 * i + 1]) < 0)
            return -1;
    }
    ret->type = VALUE_DICT;
    ret->items = items;
    ret->n = keys->n;
    value_drop_repeated(ret);
    return 0;
}

/* ---- calls ---- */

/* set(), set([1, 2]) and similar. */
static int make_collection(enum value_type type, const struct value *args, size_t n,
                           struct value *ret)
{
    static const uint8_t sources[] = {VALUE_LIST, VALUE_TUPLE, VALUE_SET};

    ret->type = (uint8_t)type;
    ret->n = 0;
    ret->items = NULL;
    for (size_t i = 0; n == 1 && i < ARRAY_LEN(sources); i++)
        if (args[0].type == sources[i]) {
            ret->items = args[0].items;
            ret->n = args[0].n;
            if (type != VALUE_DEQUE)
                value_drop_repeated(ret);
            return 0;
        }
    return n ? -1 : 0;
}

static int make_set(struct reader *r, const struct value *args, size_t n, struct value *ret)
{
    (void)r;
    return make_collection(VALUE_SET, args, n, ret);
}

static int make_frozenset(struct reader *r, const struct value *args, size_t n, struct value *ret)
{
    (void)r;
    return make_collection(VALUE_FROZENSET, args, n, ret);
}

static int make_deque(struct reader *r, const struct value *args, size_t n, struct value *ret)
{
    (void)r;
    return make_collection(VALUE_DEQUE, args, n, ret);
}

static int make_float(struct reader *r, const struct value *args, size_t n, struct value *ret)
{
    struct value text;

    if (n != 1)
        return -1;
    text = args[0];
    ret->type = VALUE_FLOAT;
    if (text.type == VALUE_STR && number_is_decimal(text.text)) {
        text.text = arena_str(r->arena, text.text);
        ret->real = strtod(text.text.p, NULL);
        return 0;
    }
    return number_to_double(&text, &ret->real) ? 0 : -1;
}

static int make_bytearray(struct reader *r, const struct value *args, size_t n, struct value *ret)
{
    (void)r;
    if (n != 1 || args[0].type != VALUE_BYTES)
        return -1;
    ret->type = VALUE_BYTEARRAY;
    ret->text = args[0].text;
    return 0;
}

static int make_decimal(struct reader *r, const struct value *args, size_t n, struct value *ret)
{
    AUTO_BUF struct buf digits = {0};

    if (n != 1 || (args[0].type != VALUE_STR && args[0].type != VALUE_INT))
        return -1;
    buf_init(&digits, 1 << 20);
    if (args[0].type == VALUE_INT)
        number_repr(&args[0], &digits);
    ret->type = VALUE_DECIMAL;
    ret->text = args[0].type == VALUE_INT ? arena_str(r->arena, buf_str(&digits)) : args[0].text;
    return number_is_decimal(ret->text) ? 0 : -1;
}

static int take_ints(struct reader *r, const struct value *args, size_t n, struct value **ret)
{
    *ret = arena_zalloc(r->arena, 3 * sizeof **ret);
    for (size_t i = 0; i < n; i++) {
        if (args[i].type != VALUE_INT)
            return -1;
        (*ret)[i] = args[i];
    }
    return 0;
}

static int make_fraction(struct reader *r, const struct value *args, size_t n, struct value *ret)
{
    struct value *items;

    if (n < 1 || n > 2 || take_ints(r, args, n, &items) < 0)
        return -1;
    if (n == 1)
        items[1] = (struct value){.type = VALUE_INT, .integer = 1};
    ret->type = VALUE_FRACTION;
    ret->items = items;
    ret->n = 2;
    return number_reduce(items, r->arena) ? 0 : -1;
}

static int make_range(struct reader *r, const struct value *args, size_t n, struct value *ret)
{
    struct value *items;

    if (n < 1 || n > 3 || take_ints(r, args, n, &items) < 0)
        return -1;
    if (n == 1) {
        items[1] = items[0];
        items[0] = (struct value){.type = VALUE_INT};
    }
    if (n < 3)
        items[2] = (struct value){.type = VALUE_INT, .integer = 1};
    ret->type = VALUE_RANGE;
    ret->items = items;
    ret->n = 3;
    return items[2].limbs || items[2].integer ? 0 : -1;
}

static const struct {
    const char *name;
    int (*make)(struct reader *r, const struct value *args, size_t n, struct value *ret);
} calls[] = {
    {"set", make_set},           {"frozenset", make_frozenset}, {"deque", make_deque},
    {"float", make_float},       {"bytearray", make_bytearray}, {"Decimal", make_decimal},
    {"Fraction", make_fraction}, {"range", make_range},
};

static int value_python_read_call(struct reader *r, const struct node *n, unsigned depth,
                                  struct value *ret)
{
    const struct node *func = n->call.func;
    const char *name = func->kind == N_NAME        ? func->name.id->text
                       : func->kind == N_ATTRIBUTE ? func->attribute.attr->text
                                                   : "";
    struct value args;

    for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
        if (strcmp(name, calls[i].name) != 0)
            continue;
        if (read_list(r, &n->call.args, depth, VALUE_LIST, &args) < 0)
            return -1;
        if (n->call.keywords.n || calls[i].make(r, args.items, args.n, ret) < 0)
            return value_python_bad(r, n,
                                    "this call is not in the form that an expected value may have");
        return 0;
    }
    return value_python_bad(
        r, n,
        "an expected value may only have calls of set, frozenset, deque, float, "
        "bytearray, Decimal, Fraction and range");
}

/* ---- any value ---- */

static int read_node(struct reader *r, const struct node *n, unsigned depth, struct value *ret)
{
    *ret = (struct value){0};
    if (depth++ == VALUE_MAX_DEPTH)
        return value_python_bad(r, n, "the value is nested too deeply");
    switch (n->kind) {
    case N_CONSTANT:
        return read_constant(r, n, ret);
    case N_LIST:
        return read_list(r, &n->elements.elts, depth, VALUE_LIST, ret);
    case N_TUPLE:
        return read_list(r, &n->elements.elts, depth, VALUE_TUPLE, ret);
    case N_SET:
        return read_list(r, &n->elements.elts, depth, VALUE_SET, ret);
    case N_DICT:
        return read_dict(r, n, depth, ret);
    case N_UNARY_OP:
        return read_signed(r, n, depth, ret);
    case N_BIN_OP:
        return read_complex(r, n, depth, ret);
    case N_CALL:
        return value_python_read_call(r, n, depth, ret);
    default:
        return value_python_bad(r, n, "an expected value must be in Python's notation of values");
    }
}

static int read_tree(struct reader *r, const struct python_tree *tree, struct value *ret)
{
    const struct node_list *body = &tree->module->module.body;

    if (body->n != 1 || body->at[0]->kind != N_EXPR)
        return value_python_bad(r, NULL, "this is not one value");
    return read_node(r, body->at[0]->value_of.value, 0, ret);
}

/* The text is parsed in parentheses, so that it may have several lines. */
int value_from_python(struct str text, struct arena *arena, struct value *ret, struct err *err)
{
    const struct python_options options = {.memory_limit = (size_t)256 << 20};
    struct reader r = {.arena = arena, .err = err};
    AUTO_BUF struct buf source = {0};
    struct python_tree tree;
    int result;

    buf_init(&source, TEXT_MAX);
    if (!str_trim(text).n || buf_adds(&source, "(") < 0 || buf_add_str(&source, text) < 0 ||
        buf_adds(&source, "\n)\n") < 0)
        return err_set(err, ERR_USAGE, text.n ? "the value is too long" : "this is not one value");
    if (python_parse(buf_str(&source), &options, &tree) == 0)
        result = read_tree(&r, &tree, ret);
    else
        result = err_set(err, ERR_USAGE, "line %u: %s", tree.error.line, tree.error.message);
    python_tree_done(&tree);
    return result;
}
