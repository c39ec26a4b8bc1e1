/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks the statements that open a scope: functions, classes, types.
 */
#include "python/check_parts.h"
#include "syntax/scope_parts.h"
#include <string.h>

/* Annotations of functions are evaluated when the function is made, unless they are strings. */
int check_annotation(struct checker *c, const struct node *annotation)
{
    if (!annotation || c->future.annotations)
        return 0;
    bool unpacked = annotation->kind == N_STARRED; /* *args: *Ts */
    return check_expression(c, unpacked ? annotation->value_of.value : annotation);
}

static int check_arg_annotations(struct checker *c, struct node_list args)
{
    for (size_t i = 0; i < args.n; i++)
        if (check_annotation(c, args.at[i]->arg.annotation) < 0)
            return -1;
    return 0;
}

static int check_annotations(struct checker *c, const struct node *n)
{
    const struct node *args = n->function.args;
    const struct node *vararg = args->arguments.vararg, *kwarg = args->arguments.kwarg;

    if (check_arg_annotations(c, args->arguments.args) < 0 ||
        check_arg_annotations(c, args->arguments.posonlyargs) < 0 ||
        (vararg && check_annotation(c, vararg->arg.annotation) < 0) ||
        check_arg_annotations(c, args->arguments.kwonlyargs) < 0 ||
        (kwarg && check_annotation(c, kwarg->arg.annotation) < 0))
        return -1;
    return check_annotation(c, n->function.returns);
}

/* Checks a body in its own unit. */
static int check_body(struct checker *c, const struct node *n, struct node_list body)
{
    struct open_block open[MAX_OPEN_BLOCKS];
    struct unit unit;

    unit_begin(c, &unit, n);
    unit.open = open;
    unit.in_finally = n->kind == N_CLASS_DEF && unit.outer->in_finally;
    int rc = check_statements(c, body);
    unit_end(c);
    return rc;
}

static int check_type_expression(struct checker *c, const struct node *owner,
                                 const struct node *expression)
{
    struct unit unit;

    if (!expression)
        return 0;
    unit_begin(c, &unit, owner);
    int rc = check_expression(c, expression);
    unit_end(c);
    return rc;
}

static int check_type_param(struct checker *c, const struct node *n, bool *after_default)
{
    const struct node *bound = n->type_param.bound, *value = n->type_param.default_value;
    bool unpacked = value && value->kind == N_STARRED; /* *Ts = *tuple[int] */

    if (check_type_expression(c, bound, bound) < 0 ||
        check_type_expression(c, value, unpacked ? value->value_of.value : value) < 0)
        return -1;
    if (*after_default && !value)
        return scope_fail(c->tree, n,
                          "non-default type parameter '%s' follows default type parameter",
                          n->type_param.name->text);
    *after_default = value;
    return check_target(c, n->type_param.name, CTX_STORE, n);
}

static int check_type_params(struct checker *c, struct node_list params)
{
    bool after_default = false;

    for (size_t i = 0; i < params.n; i++)
        if (check_type_param(c, params.at[i], &after_default) < 0)
            return -1;
    return 0;
}

static int check_function_code(struct checker *c, const struct node *n)
{
    return check_annotations(c, n) < 0 ? -1 : check_body(c, n, n->function.body);
}

int check_function(struct checker *c, const struct node *n)
{
    struct unit generic;
    int rc;

    if (check_parameters(c, n->function.args, n) < 0 ||
        check_expressions(c, n->function.decorator_list) < 0 ||
        check_default_values(c, n->function.args) < 0)
        return -1;
    if (n->function.type_params.n) {
        unit_begin(c, &generic, n);
        rc = check_type_params(c, n->function.type_params) < 0 ? -1 : check_function_code(c, n);
        unit_end(c);
    } else {
        rc = check_function_code(c, n);
    }
    return rc < 0 ? -1 : check_target(c, n->function.name, CTX_STORE, n);
}

static int check_class_code(struct checker *c, const struct node *n)
{
    if (check_body(c, n, n->class_def.body) < 0 ||
        check_keywords(c, n->class_def.keywords, n) < 0 ||
        check_starrable(c, n->class_def.bases) < 0)
        return -1;
    return check_expressions(c, n->class_def.keywords);
}

int check_class(struct checker *c, const struct node *n)
{
    struct unit generic;
    int rc;

    if (check_expressions(c, n->class_def.decorator_list) < 0)
        return -1;
    if (n->class_def.type_params.n) {
        unit_begin(c, &generic, n);
        rc = check_type_params(c, n->class_def.type_params) < 0 ? -1 : check_class_code(c, n);
        unit_end(c);
    } else {
        rc = check_class_code(c, n);
    }
    return rc < 0 ? -1 : check_target(c, n->class_def.name, CTX_STORE, n);
}

int check_type_alias(struct checker *c, const struct node *n)
{
    struct unit generic;
    int rc;

    if (n->type_alias.type_params.n) {
        unit_begin(c, &generic, n);
        rc = check_type_params(c, n->type_alias.type_params);
        if (rc == 0)
            rc = check_type_expression(c, n, n->type_alias.value);
        unit_end(c);
    } else {
        rc = check_type_expression(c, n, n->type_alias.value);
    }
    return rc < 0 ? -1 : check_target(c, n->type_alias.name->name.id, CTX_STORE, n);
}
