/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of kinds, from src/reading/syntax/nodes.def, and the functions that need only this
 * table.
 */
#include "syntax/tree.h"

#include <string.h>

const char *const operator_names[OP_COUNT] = {
    [OP_ADD] = "Add",
    [OP_SUB] = "Sub",
    [OP_MULT] = "Mult",
    [OP_MAT_MULT] = "MatMult",
    [OP_DIV] = "Div",
    [OP_MOD] = "Mod",
    [OP_POW] = "Pow",
    [OP_LSHIFT] = "LShift",
    [OP_RSHIFT] = "RShift",
    [OP_BIT_OR] = "BitOr",
    [OP_BIT_XOR] = "BitXor",
    [OP_BIT_AND] = "BitAnd",
    [OP_FLOOR_DIV] = "FloorDiv",
    [OP_INVERT] = "Invert",
    [OP_NOT] = "Not",
    [OP_UADD] = "UAdd",
    [OP_USUB] = "USub",
    [OP_AND] = "And",
    [OP_OR] = "Or",
    [OP_EQ] = "Eq",
    [OP_NOT_EQ] = "NotEq",
    [OP_LT] = "Lt",
    [OP_LT_E] = "LtE",
    [OP_GT] = "Gt",
    [OP_GT_E] = "GtE",
    [OP_IS] = "Is",
    [OP_IS_NOT] = "IsNot",
    [OP_IN] = "In",
    [OP_NOT_IN] = "NotIn",
};

/* clang-format off */
#define SIZE(member) (offsetof(struct node, member) + sizeof((struct node *)NULL)->member)

#define FIELD(type, name, since)
#define END
#define POSITION true
#define NODE(kind, name, member, position) [N_##kind] = {name, SIZE(member), position},
const struct node_type node_types[N_COUNT] = {
#include "syntax/nodes.def"
};
#undef NODE
#undef POSITION

/* The sizes alone, in units of eight bytes: the whole table fits into two cache lines. */
#define NODE(kind, name, member, position) [N_##kind] = (SIZE(member) + 7) / 8,
static const uint8_t node_words[N_COUNT] = {
#include "syntax/nodes.def"
};
#undef NODE
#undef FIELD
#undef END

/* The offset of a field depends on the member of the union that its kind uses. FIELD needs a scope
 * to know that member, so this is a function with one array for each kind, not a table. */
#define NODE(kind, name, member, position)                                                         \
    case N_##kind: {                                                                               \
        typedef __typeof__(((struct node *)NULL)->member) shape;                                   \
        enum { BASE = offsetof(struct node, member), LAST = BASE + sizeof(shape) };                \
        static const struct node_field fields[] = {
#define FIELD(type, name, since) {#name, FIELD_##type, since, AT_##type(name)},
#define END                                                                                        \
            {0}};                                                                                  \
        return fields;                                                                             \
    }
#define PLACED(name) (BASE + offsetof(shape, name))
#define APART(name) 0 /* not reached by offset: read by its own name, or never */
#define AT_NODE PLACED
#define AT_LIST PLACED
#define AT_HOLES PLACED
#define AT_NAME PLACED
#define AT_NAMES PLACED
#define AT_INT PLACED
#define AT_STR PLACED
#define AT_CONSTANT APART
#define AT_OP APART
#define AT_CTX APART
#define AT_OPS APART
#define AT_EMPTY APART
const struct node_field *node_fields(enum node_kind kind)
{
    switch (kind) {
#include "syntax/nodes.def"
    case N_COUNT:
        break;
    }
    return NULL;
}
/* clang-format on */

/* Clears 32 to 128 bytes in overlapping blocks of fixed size. These are a few stores; a loop or one
 * memset would cost more than the rest of making a node. */
static void clear(char *p, size_t n)
{
    enum { PIECE = 32 };
    _Static_assert(sizeof(struct node) <= 4 * PIECE, "four pieces cover a node");

    memset(p, 0, PIECE);
    memset(p + n - PIECE, 0, PIECE);
    if (n > 2 * PIECE) {
        memset(p + PIECE, 0, PIECE);
        memset(p + n - 2 * PIECE, 0, PIECE);
    }
}

struct node *node_new(struct arena *arena, enum node_kind kind)
{
    size_t size = (size_t)node_words[kind] * 8;
    struct node *n = arena_alloc(arena, size);

    clear((char *)n, size);
    n->kind = (uint8_t)kind;
    return n;
}

struct node_list node_decorators(const struct node *n)
{
    if (n->kind == N_FUNCTION_DEF || n->kind == N_ASYNC_FUNCTION_DEF)
        return n->function.decorator_list;
    return n->kind == N_CLASS_DEF ? n->class_def.decorator_list : (struct node_list){0};
}

static int each_in_list(const struct node_list *list, int (*fn)(void *, struct node *), void *ctx)
{
    int answer = 0;

    for (size_t i = 0; i < list->n && !answer; i++)
        if (list->at[i])
            answer = fn(ctx, list->at[i]);
    return answer;
}

int node_each_child(const struct node *n, int (*fn)(void *ctx, struct node *child), void *ctx)
{
    int answer = 0;

    for (const struct node_field *f = node_fields(n->kind); f->name && !answer; f++) {
        const void *at = (const char *)n + f->offset;
        if (f->type == FIELD_LIST || f->type == FIELD_HOLES) {
            answer = each_in_list(at, fn, ctx);
        } else if (f->type == FIELD_NODE) {
            struct node *child = *(struct node *const *)at;
            answer = child ? fn(ctx, child) : 0;
        }
    }
    return answer;
}
