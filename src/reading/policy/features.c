/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/features.h"

#include "base/mem.h"

enum {
    F_ASYNC,
    F_AWAIT,
    F_CLASS,
    F_DEF,
    F_LAMBDA,
    F_TRY,
    F_TRY_STAR,
    F_WITH,
    F_MATCH,
    F_GLOBAL,
    F_NONLOCAL,
    F_YIELD,
    F_IMPORT,
    F_STAR_IMPORT,
    F_RELATIVE_IMPORT,
    F_WALRUS,
    F_ANNOTATION,
    F_DECORATOR,
    F_METACLASS,
    F_COMPREHENSION,
    F_GENERATOR,
    F_FSTRING,
    F_TSTRING,
    F_WHILE,
    F_FOR,
    F_DEL,
    F_ASSERT,
    F_RAISE,
    F_ELLIPSIS,
    F_TYPE_ALIAS,
    F_TYPE_PARAMETERS,
    F_AUGMENTED_MEMBER,
    F_IF_EXPRESSION,
    F_STAR_ARGUMENTS,
};

/* clang-format off */
const struct feature features[] = {
    [F_ASYNC] = {"async", "async def, async for, async with"},
    [F_AWAIT] = {"await", "await"},
    [F_CLASS] = {"class", "class statements"},
    [F_DEF] = {"def", "functions by def"},
    [F_LAMBDA] = {"lambda", "lambda"},
    [F_TRY] = {"try", "try, except, finally"},
    [F_TRY_STAR] = {"try_star", "except*"},
    [F_WITH] = {"with", "with"},
    [F_MATCH] = {"match", "match and case"},
    [F_GLOBAL] = {"global", "global"},
    [F_NONLOCAL] = {"nonlocal", "nonlocal"},
    [F_YIELD] = {"yield", "yield and yield from"},
    [F_IMPORT] = {"import", "every import"},
    [F_STAR_IMPORT] = {"star_import", "from m import *"},
    [F_RELATIVE_IMPORT] = {"relative_import", "from . import x"},
    [F_WALRUS] = {"walrus", "(x := y)"},
    [F_ANNOTATION] = {"annotated_assignment", "x: int = 1"},
    [F_DECORATOR] = {"decorator", "@decorators"},
    [F_METACLASS] = {"metaclass", "class C(metaclass=M)"},
    [F_COMPREHENSION] = {"comprehension", "[x for x in y] and its like"},
    [F_GENERATOR] = {"generator_expression", "(x for x in y)"},
    [F_FSTRING] = {"f_string", "f'...'"},
    [F_TSTRING] = {"t_string", "t'...'"},
    [F_WHILE] = {"while", "while loops"},
    [F_FOR] = {"for", "for loops"},
    [F_DEL] = {"del", "del"},
    [F_ASSERT] = {"assert", "assert"},
    [F_RAISE] = {"raise", "raise"},
    [F_ELLIPSIS] = {"ellipsis", "..."},
    [F_TYPE_ALIAS] = {"type_alias", "type X = Y"},
    [F_TYPE_PARAMETERS] = {"type_parameters", "def f[T](x: T)"},
    [F_AUGMENTED_MEMBER] = {"augmented_member", "x.y += 1 and x[y] += 1"},
    [F_IF_EXPRESSION] = {"if_expression", "x if y else z"},
    [F_STAR_ARGUMENTS] = {"star_arguments", "f(*x) and f(**y)"},
};
/* clang-format on */

_Static_assert(ARRAY_LEN(features) <= 64, "they are bits of a uint64_t");

#define BIT(feature) ((uint64_t)1 << (feature))

static const uint64_t by_kind[N_COUNT] = {
    [N_ASYNC_FUNCTION_DEF] = BIT(F_ASYNC),
    [N_ASYNC_FOR] = BIT(F_ASYNC),
    [N_ASYNC_WITH] = BIT(F_ASYNC),
    [N_AWAIT] = BIT(F_AWAIT),
    [N_CLASS_DEF] = BIT(F_CLASS),
    [N_FUNCTION_DEF] = BIT(F_DEF),
    [N_LAMBDA] = BIT(F_LAMBDA),
    [N_TRY] = BIT(F_TRY),
    [N_TRY_STAR] = BIT(F_TRY_STAR),
    [N_WITH] = BIT(F_WITH),
    [N_MATCH] = BIT(F_MATCH),
    [N_GLOBAL] = BIT(F_GLOBAL),
    [N_NONLOCAL] = BIT(F_NONLOCAL),
    [N_YIELD] = BIT(F_YIELD),
    [N_YIELD_FROM] = BIT(F_YIELD),
    [N_IMPORT] = BIT(F_IMPORT),
    [N_IMPORT_FROM] = BIT(F_IMPORT),
    [N_NAMED_EXPR] = BIT(F_WALRUS),
    [N_ANN_ASSIGN] = BIT(F_ANNOTATION),
    [N_LIST_COMP] = BIT(F_COMPREHENSION),
    [N_SET_COMP] = BIT(F_COMPREHENSION),
    [N_DICT_COMP] = BIT(F_COMPREHENSION),
    [N_GENERATOR_EXP] = BIT(F_GENERATOR),
    [N_JOINED_STR] = BIT(F_FSTRING),
    [N_TEMPLATE_STR] = BIT(F_TSTRING),
    [N_WHILE] = BIT(F_WHILE),
    [N_FOR] = BIT(F_FOR),
    [N_DELETE] = BIT(F_DEL),
    [N_ASSERT] = BIT(F_ASSERT),
    [N_RAISE] = BIT(F_RAISE),
    [N_TYPE_ALIAS] = BIT(F_TYPE_ALIAS),
    [N_TYPE_VAR] = BIT(F_TYPE_PARAMETERS),
    [N_PARAM_SPEC] = BIT(F_TYPE_PARAMETERS),
    [N_TYPE_VAR_TUPLE] = BIT(F_TYPE_PARAMETERS),
    [N_IF_EXP] = BIT(F_IF_EXPRESSION),
};

size_t feature_count(void)
{
    return ARRAY_LEN(features);
}

static uint64_t of_import(const struct node *n)
{
    uint64_t bits = n->import.level ? BIT(F_RELATIVE_IMPORT) : 0;

    for (size_t i = 0; i < n->import.names.n; i++) {
        const struct name *name = n->import.names.at[i]->alias.name;
        if (name->n == 1 && name->text[0] == '*')
            bits |= BIT(F_STAR_IMPORT);
    }
    return bits;
}

static bool has_metaclass(const struct node *n)
{
    for (size_t i = 0; i < n->class_def.keywords.n; i++) {
        const struct name *arg = n->class_def.keywords.at[i]->keyword.arg;
        if (arg && str_is((struct str){arg->text, arg->n}, "metaclass"))
            return true;
    }
    return false;
}

static bool has_stars(const struct node *n)
{
    for (size_t i = 0; i < n->call.args.n; i++) {
        if (n->call.args.at[i]->kind == N_STARRED)
            return true;
    }
    for (size_t i = 0; i < n->call.keywords.n; i++) {
        if (!n->call.keywords.at[i]->keyword.arg)
            return true;
    }
    return false;
}

uint64_t features_of(const struct node *n)
{
    uint64_t bits = by_kind[n->kind];

    switch ((int)n->kind) {
    case N_FUNCTION_DEF:
    case N_ASYNC_FUNCTION_DEF:
        return bits | (n->function.decorator_list.n ? BIT(F_DECORATOR) : 0);
    case N_CLASS_DEF:
        return bits | (n->class_def.decorator_list.n ? BIT(F_DECORATOR) : 0) |
               (has_metaclass(n) ? BIT(F_METACLASS) : 0);
    case N_IMPORT_FROM:
        return bits | of_import(n);
    case N_CONSTANT:
        return n->op == CONST_ELLIPSIS ? BIT(F_ELLIPSIS) : 0;
    case N_COMPREHENSION:
        return n->comprehension.is_async ? BIT(F_ASYNC) : 0;
    case N_AUG_ASSIGN:
        return n->aug_assign.target->kind == N_NAME ? 0 : BIT(F_AUGMENTED_MEMBER);
    case N_CALL:
        return has_stars(n) ? BIT(F_STAR_ARGUMENTS) : 0;
    }
    return bits;
}
