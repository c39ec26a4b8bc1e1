/* SPDX-License-Identifier: Apache-2.0
 *
 * Visits statements: notes the names that each one binds, in the scope in which its parts are
 * evaluated.
 */
#include <string.h>

#include "syntax/lex.h"
#include "syntax/scope_parts.h"

int scope_visit_list(struct builder *b, struct node_list list)
{
    for (size_t i = 0; i < list.n; i++)
        if (list.at[i] && scope_visit(b, list.at[i]) < 0)
            return -1;
    return 0;
}

static int visit_child(void *ctx, struct node *child)
{
    return scope_visit(ctx, child);
}

static int scope_visit_children(struct builder *b, const struct node *n)
{
    return node_each_child(n, visit_child, b);
}

int scope_check_target(struct builder *b, const struct name *name, const struct node *at,
                       enum expr_context context)
{
    if (name != b->debug || context == CTX_LOAD || b->tree->target < 14)
        return 0;
    return scope_fail(b->tree, at, "cannot %s __debug__",
                      context == CTX_DEL ? "delete" : "assign to");
}

int scope_visit_keywords(struct builder *b, struct node_list keywords)
{
    for (size_t i = 0; i < keywords.n; i++)
        if (scope_check_target(b, keywords.at[i]->keyword.arg, keywords.at[i], CTX_STORE) < 0)
            return -1;
    for (size_t i = 0; i < keywords.n; i++)
        if (scope_visit(b, keywords.at[i]->keyword.value) < 0)
            return -1;
    return 0;
}

static int scope_walk_bind(struct builder *b, struct name *name, unsigned flags,
                           const struct node *at)
{
    if (scope_check_target(b, name, at, CTX_STORE) < 0)
        return -1;
    return scope_note_here(b, name, flags, at);
}

/* ---- functions ---- */

int scope_default_values(struct builder *b, const struct node *args)
{
    return scope_visit_list(b, args->arguments.defaults) < 0 ||
                   scope_visit_list(b, args->arguments.kw_defaults) < 0
               ? -1
               : 0;
}

static int param(struct builder *b, const struct node *arg)
{
    return arg ? scope_walk_bind(b, arg->arg.arg, SYMBOL_PARAMETER, arg) : 0;
}

static int params(struct builder *b, struct node_list list)
{
    for (size_t i = 0; i < list.n; i++)
        if (param(b, list.at[i]) < 0)
            return -1;
    return 0;
}

int scope_params(struct builder *b, const struct node *args)
{
    if (params(b, args->arguments.posonlyargs) < 0 || params(b, args->arguments.args) < 0 ||
        params(b, args->arguments.kwonlyargs) < 0 || param(b, args->arguments.vararg) < 0)
        return -1;
    return param(b, args->arguments.kwarg);
}

/* An annotation that is not evaluated here is a block with its own rules; its names belong to the
 * enclosing scope. */
static int annotation(struct builder *b, const struct node *expression)
{
    struct scope_place outside = b->at;

    if (b->late_annotations) {
        b->at.block = BLOCK_ANNOTATION;
        b->at.in_target = false;
    }
    int rc = scope_visit(b, expression);
    b->at = outside;
    return rc;
}

static int annotation_of(struct builder *b, const struct node *arg)
{
    return arg ? annotation(b, arg->arg.annotation) : 0;
}

static int annotations_of(struct builder *b, struct node_list args)
{
    for (size_t i = 0; i < args.n; i++)
        if (annotation_of(b, args.at[i]) < 0)
            return -1;
    return 0;
}

static int annotations(struct builder *b, const struct node *function)
{
    const struct node *args = function->function.args;

    if (annotations_of(b, args->arguments.posonlyargs) < 0 ||
        annotations_of(b, args->arguments.args) < 0 ||
        annotation_of(b, args->arguments.vararg) < 0 ||
        annotation_of(b, args->arguments.kwarg) < 0 ||
        annotations_of(b, args->arguments.kwonlyargs) < 0)
        return -1;
    return annotation(b, function->function.returns);
}

static int function_body(struct builder *b, const struct node *n)
{
    struct scope_place outside = scope_enter(b, SCOPE_FUNCTION, BLOCK_FUNCTION, n);

    b->at.scope->coroutine = n->kind == N_ASYNC_FUNCTION_DEF;
    if (scope_params(b, n->function.args) < 0 || scope_visit_list(b, n->function.body) < 0)
        return -1;
    scope_leave(b, outside);
    return 0;
}

static int generic_function(struct builder *b, const struct node *n)
{
    if (!n->function.type_params.n)
        return annotations(b, n) < 0 ? -1 : function_body(b, n);
    struct scope_place outside = scope_enter(b, SCOPE_TYPE, BLOCK_TYPE_PARAMS, n);
    if (scope_visit_list(b, n->function.type_params) < 0 || annotations(b, n) < 0 ||
        function_body(b, n) < 0)
        return -1;
    scope_leave(b, outside);
    return 0;
}

static int visit_function(struct builder *b, const struct node *n)
{
    if (scope_walk_bind(b, n->function.name, SYMBOL_DEFINED, n) < 0 ||
        scope_default_values(b, n->function.args) < 0)
        return -1;
    if (b->tree->target > 11)
        return scope_visit_list(b, n->function.decorator_list) < 0 ? -1 : generic_function(b, n);
    if (annotations(b, n) < 0 || scope_visit_list(b, n->function.decorator_list) < 0)
        return -1;
    return function_body(b, n);
}

/* ---- classes ---- */

static int bases(struct builder *b, const struct node *n)
{
    if (scope_visit_list(b, n->class_def.bases) < 0)
        return -1;
    return scope_visit_keywords(b, n->class_def.keywords);
}

static int class_body(struct builder *b, const struct node *n)
{
    struct scope_place outside = scope_enter(b, SCOPE_CLASS, BLOCK_CLASS, n);
    struct name *outer_class = b->private_class;

    b->private_class = n->class_def.name;
    if (scope_visit_list(b, n->class_def.body) < 0)
        return -1;
    b->private_class = outer_class;
    scope_leave(b, outside);
    return 0;
}

static int generic_class(struct builder *b, const struct node *n)
{
    if (!n->class_def.type_params.n)
        return bases(b, n) < 0 ? -1 : class_body(b, n);
    struct scope_place outside = scope_enter(b, SCOPE_TYPE, BLOCK_TYPE_PARAMS, n);
    struct name *outer_class = b->private_class;
    b->private_class = n->class_def.name;
    if (scope_visit_list(b, n->class_def.type_params) < 0 || bases(b, n) < 0 ||
        class_body(b, n) < 0)
        return -1;
    b->private_class = outer_class;
    scope_leave(b, outside);
    return 0;
}

static int visit_class(struct builder *b, const struct node *n)
{
    if (scope_walk_bind(b, n->class_def.name, SYMBOL_DEFINED, n) < 0)
        return -1;
    if (b->tree->target > 11)
        return scope_visit_list(b, n->class_def.decorator_list) < 0 ? -1 : generic_class(b, n);
    if (bases(b, n) < 0 || scope_visit_list(b, n->class_def.decorator_list) < 0)
        return -1;
    return class_body(b, n);
}

/* ---- types (3.12) ---- */

static int type_block(struct builder *b, enum block_kind block, const struct node *owner,
                      const struct node *expression)
{
    if (!expression)
        return 0;
    struct scope_place outside = scope_enter(b, SCOPE_TYPE, block, owner);
    if (scope_visit(b, expression) < 0)
        return -1;
    scope_leave(b, outside);
    return 0;
}

static int visit_type_alias(struct builder *b, const struct node *n)
{
    struct scope_place outside = b->at;

    if (scope_visit(b, n->type_alias.name) < 0)
        return -1;
    if (n->type_alias.type_params.n) {
        (void)scope_enter(b, SCOPE_TYPE, BLOCK_TYPE_PARAMS, n);
        if (scope_visit_list(b, n->type_alias.type_params) < 0)
            return -1;
    }
    if (type_block(b, BLOCK_TYPE_ALIAS, n, n->type_alias.value) < 0)
        return -1;
    scope_leave(b, outside);
    return 0;
}

static int visit_type_param(struct builder *b, const struct node *n)
{
    static const uint8_t default_blocks[] = {
        [N_TYPE_VAR] = BLOCK_TYPE_VAR_DEFAULT,
        [N_PARAM_SPEC] = BLOCK_PARAM_SPEC_DEFAULT,
        [N_TYPE_VAR_TUPLE] = BLOCK_TYPE_VAR_TUPLE_DEFAULT,
    };
    const struct node *bound = n->type_param.bound, *value = n->type_param.default_value;

    if (scope_walk_bind(b, n->type_param.name, SYMBOL_ASSIGNED | OWN_TYPE_PARAM, n) < 0)
        return -1;
    bool constraint = bound && bound->kind == N_TUPLE;
    if (type_block(b, constraint ? BLOCK_TYPE_CONSTRAINT : BLOCK_TYPE_BOUND, bound, bound) < 0)
        return -1;
    return type_block(b, default_blocks[n->kind], value, value);
}

/* ---- assignments and declarations ---- */

static int visit_assign(struct builder *b, const struct node *n)
{
    return scope_visit_list(b, n->assign.targets) < 0 ? -1 : scope_visit(b, n->assign.value);
}

static int annotated_name(struct builder *b, const struct node *n)
{
    struct name *name = n->ann_assign.target->name.id;
    const struct symbol *known = scope_find(b->at.scope, scope_mangle(b->tree, b->at.scope, name));
    unsigned flags = n->ann_assign.value ? SYMBOL_ASSIGNED : 0;

    if (n->ann_assign.simple)
        flags |= SYMBOL_ANNOTATED;
    if (flags && scope_check_target(b, name, n->ann_assign.target, CTX_STORE) < 0)
        return -1;
    if (n->ann_assign.simple && b->at.scope != b->module && known &&
        (known->flags & (SYMBOL_GLOBAL | SYMBOL_NONLOCAL)))
        return scope_fail(b->tree, n, "annotated name '%s' can't be %s", name->text,
                          known->flags & SYMBOL_GLOBAL ? "global" : "nonlocal");
    return flags ? scope_note_here(b, name, flags, n->ann_assign.target) : 0;
}

static int visit_ann_assign(struct builder *b, const struct node *n)
{
    int rc = n->ann_assign.target->kind == N_NAME ? annotated_name(b, n)
                                                  : scope_visit(b, n->ann_assign.target);

    if (rc < 0 || annotation(b, n->ann_assign.annotation) < 0)
        return -1;
    return scope_visit(b, n->ann_assign.value);
}

/* Refuses to declare a name after other uses of it. */
static int declared_late(struct builder *b, const struct name *name, unsigned flags,
                         const struct node *n)
{
    const char *what = n->kind == N_GLOBAL ? "global" : "nonlocal";

    if (flags & SYMBOL_PARAMETER)
        return scope_fail(b->tree, n, "name '%s' is parameter and %s", name->text, what);
    if (flags & SYMBOL_USED)
        return scope_fail(b->tree, n, "name '%s' is used prior to %s declaration", name->text,
                          what);
    if (flags & SYMBOL_ANNOTATED)
        return scope_fail(b->tree, n, "annotated name '%s' can't be %s", name->text, what);
    if (flags & FLAGS_LOCAL)
        return scope_fail(b->tree, n, "name '%s' is assigned to before %s declaration", name->text,
                          what);
    return 0;
}

static int visit_declaration(struct builder *b, const struct node *n)
{
    struct name_list names = n->names_of.names;
    unsigned flag = n->kind == N_GLOBAL ? SYMBOL_GLOBAL : SYMBOL_NONLOCAL;

    for (size_t i = 0; i < names.n; i++) {
        struct name *name = names.at[i];
        const struct symbol *known =
            scope_find(b->at.scope, scope_mangle(b->tree, b->at.scope, name));
        if (known && declared_late(b, name, known->flags, n) < 0)
            return -1;
        if (scope_note_here(b, name, flag, n) < 0)
            return -1;
        scope_note_directive(b, name, n);
    }
    return 0;
}

/* ---- imports ---- */

static int visit_alias(struct builder *b, const struct node *n)
{
    struct name *name = n->alias.asname ? n->alias.asname : n->alias.name;
    const char *dot = strchr(name->text, '.');

    if (dot)
        name = name_get_plain(b->tree, (struct str){name->text, (size_t)(dot - name->text)});
    if (name != b->star)
        return scope_walk_bind(b, name, SYMBOL_IMPORTED, n);
    if (b->at.scope != b->module)
        return scope_fail(b->tree, n, "import * only allowed at module level");
    b->module->star_import = true;
    return 0;
}

static int visit_import_from(struct builder *b, const struct node *n)
{
    if (scope_visit_list(b, n->import.names) < 0)
        return -1;
    if (b->tree->target < 14 || n->line <= b->future_line || !n->import.module ||
        strcmp(n->import.module->text, "__future__") != 0)
        return 0;
    return scope_fail(b->tree, n,
                      "from __future__ imports must occur at the beginning of the file");
}

/* ---- other statements ---- */

static int visit_try(struct builder *b, const struct node *n)
{
    if (scope_visit_list(b, n->try_stmt.body) < 0 || scope_visit_list(b, n->try_stmt.orelse) < 0 ||
        scope_visit_list(b, n->try_stmt.handlers) < 0)
        return -1;
    return scope_visit_list(b, n->try_stmt.finalbody);
}

static int visit_handler(struct builder *b, const struct node *n)
{
    if (scope_visit(b, n->handler.type) < 0)
        return -1;
    if (n->handler.name && scope_walk_bind(b, n->handler.name, SYMBOL_ASSIGNED, n) < 0)
        return -1;
    return scope_visit_list(b, n->handler.body);
}

static int visit_async(struct builder *b, const struct node *n)
{
    bool top = b->tree->top_await && b->at.block == BLOCK_MODULE;

    if (b->tree->target >= 14 && b->at.scope->node->kind != N_ASYNC_FUNCTION_DEF && !top)
        return scope_fail(b->tree, n, "'async %s' outside async function",
                          n->kind == N_ASYNC_FOR ? "for" : "with");
    return scope_visit_children(b, n);
}

static int visit_value(struct builder *b, const struct node *n)
{
    return scope_visit(b, n->value_of.value);
}

static int visit_branch(struct builder *b, const struct node *n)
{
    if (scope_visit(b, n->branch.test) < 0 || scope_visit_list(b, n->branch.body) < 0)
        return -1;
    return scope_visit_list(b, n->branch.orelse);
}

static int visit_name_pattern(struct builder *b, const struct node *n)
{
    if (scope_visit(b, n->match_as.pattern) < 0)
        return -1;
    return n->match_as.name ? scope_walk_bind(b, n->match_as.name, SYMBOL_ASSIGNED, n) : 0;
}

static int visit_mapping_pattern(struct builder *b, const struct node *n)
{
    if (scope_visit_list(b, n->match_mapping.keys) < 0 ||
        scope_visit_list(b, n->match_mapping.patterns) < 0)
        return -1;
    return n->match_mapping.rest ? scope_walk_bind(b, n->match_mapping.rest, SYMBOL_ASSIGNED, n)
                                 : 0;
}

static int visit_class_pattern(struct builder *b, const struct node *n)
{
    if (scope_visit(b, n->match_class.cls) < 0 || scope_visit_list(b, n->match_class.patterns) < 0)
        return -1;
    for (size_t i = 0; i < n->match_class.kwd_attrs.n; i++)
        if (scope_check_target(b, n->match_class.kwd_attrs.at[i], n->match_class.kwd_patterns.at[i],
                               CTX_STORE) < 0)
            return -1;
    return scope_visit_list(b, n->match_class.kwd_patterns);
}

static scope_visitor *const statement_visitors[N_COUNT] = {
    [N_FUNCTION_DEF] = visit_function,
    [N_ASYNC_FUNCTION_DEF] = visit_function,
    [N_CLASS_DEF] = visit_class,
    [N_RETURN] = visit_value,
    [N_ASSIGN] = visit_assign,
    [N_TYPE_ALIAS] = visit_type_alias,
    [N_ANN_ASSIGN] = visit_ann_assign,
    [N_ASYNC_FOR] = visit_async,
    [N_WHILE] = visit_branch,
    [N_IF] = visit_branch,
    [N_ASYNC_WITH] = visit_async,
    [N_TRY] = visit_try,
    [N_TRY_STAR] = visit_try,
    [N_IMPORT_FROM] = visit_import_from,
    [N_GLOBAL] = visit_declaration,
    [N_NONLOCAL] = visit_declaration,
    [N_EXPR] = visit_value,
    [N_EXCEPT_HANDLER] = visit_handler,
    [N_ALIAS] = visit_alias,
    [N_MATCH_MAPPING] = visit_mapping_pattern,
    [N_MATCH_CLASS] = visit_class_pattern,
    [N_MATCH_STAR] = visit_name_pattern,
    [N_MATCH_AS] = visit_name_pattern,
    [N_TYPE_VAR] = visit_type_param,
    [N_PARAM_SPEC] = visit_type_param,
    [N_TYPE_VAR_TUPLE] = visit_type_param,
};

int scope_visit(struct builder *b, const struct node *n)
{
    if (!n)
        return 0;
    bool expression = n->kind >= N_BOOL_OP && n->kind <= N_SLICE;
    scope_visitor *visit =
        expression ? scope_expression_visitors[n->kind] : statement_visitors[n->kind];
    return visit ? visit(b, n) : scope_visit_children(b, n);
}
