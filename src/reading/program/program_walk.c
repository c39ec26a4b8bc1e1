/* SPDX-License-Identifier: Apache-2.0
 *
 * One walk over the tree. The effect of a node on names is recorded before its children are
 * visited. Most kinds need nothing else, so a table of the offsets of their children is enough.
 * Only nodes that open a scope have visit functions of their own.
 */
#include <string.h>

#include "base/mem.h"
#include "program/program_parts.h"
#include "syntax/lex.h"

struct walk {
    struct program *p;
    const struct scope *scope;
    uint32_t parent;
};

static void program_walk_visit(struct walk *w, const struct node *n);

static void visit_list(struct walk *w, struct node_list list)
{
    for (size_t i = 0; i < list.n; i++)
        program_walk_visit(w, list.at[i]);
}

/* Visits the nodes in another scope than the current one. */
static void visit_list_in(struct walk *w, const struct scope *scope, struct node_list list)
{
    const struct scope *before = w->scope;

    w->scope = scope ? scope : before;
    visit_list(w, list);
    w->scope = before;
}

static void visit_in(struct walk *w, const struct scope *scope, const struct node *n)
{
    const struct scope *before = w->scope;

    w->scope = scope ? scope : before;
    program_walk_visit(w, n);
    w->scope = before;
}

/* ---- the values that names get ---- */

static void program_walk_bind(struct walk *w, const struct name *name, enum binding_kind kind,
                              const struct node *node, uint32_t index)
{
    struct binding b = {.kind = kind, .node = node, .scope = w->scope, .index = index};

    program_bind(w->p, w->scope, name, b);
}

static void bind_target(struct walk *w, const struct node *target, enum binding_kind kind,
                        const struct node *value);

/* True for names, attributes, constants, lambdas and calls: no other value can hide what the rules
 * look for. */
static bool may_hold(const struct node *value)
{
    return value->kind == N_NAME || value->kind == N_ATTRIBUTE || value->kind == N_CONSTANT ||
           value->kind == N_LAMBDA || value->kind == N_CALL;
}

static const struct binding *first_binding(const struct scope *scope, const struct name *name)
{
    bool builtin = false;
    const struct symbol *s = program_symbol(scope, name, &builtin);
    const struct symbol_facts *facts = s ? s->user : NULL;

    return facts ? facts->first : NULL;
}

/* The class of the objects that a name may be: of a method's self, of x after x = A(), of A
 * itself. */
static const struct scope *class_of_name(const struct walk *w, const struct name *name)
{
    const struct binding *b = first_binding(w->scope, name);

    if (b && b->kind == BIND_INSTANCE)
        return b->class_scope;
    if (b && b->kind == BIND_VALUE && b->node->kind == N_CALL && b->node->call.func->kind == N_NAME)
        b = first_binding(b->scope, b->node->call.func->name.id);
    return b && b->kind == BIND_CLASS ? program_scope(w->p, b->node) : NULL;
}

static void bind_member(struct walk *w, const struct node *target, enum binding_kind kind,
                        const struct node *value)
{
    const struct node *object = target->attribute.value;
    const struct scope *of = object->kind == N_NAME ? class_of_name(w, object->name.id) : NULL;
    struct binding b = {.kind = kind, .node = value, .scope = w->scope};

    if (of)
        program_bind_member(w->p, of, target->attribute.attr, b);
}

/* x[key] = value; without a key x.append(value). */
static void bind_insert(struct walk *w, const struct node *object, const struct node *key,
                        const struct node *value)
{
    struct binding b = {.kind = BIND_INSERT, .node = value, .key = key, .scope = w->scope};

    if (object->kind == N_NAME && may_hold(value))
        program_bind(w->p, w->scope, object->name.id, b);
}

/* setattr(x, "name", value) */
static void bind_by_text(struct walk *w, struct node_list args)
{
    const struct scope *of =
        args.at[0]->kind == N_NAME ? class_of_name(w, args.at[0]->name.id) : NULL;
    struct binding b = {.kind = BIND_VALUE, .node = args.at[2], .scope = w->scope};

    if (of && args.at[1]->kind == N_CONSTANT && args.at[1]->op == CONST_STR)
        program_bind_member(w->p, of, name_get(w->p->tree, args.at[1]->constant.text), b);
}

static void bind_call(struct walk *w, const struct node *n)
{
    const struct node *f = n->call.func;

    if (f->kind == N_ATTRIBUTE && n->call.args.n == 1 &&
        str_is(name_str(f->attribute.attr), "append"))
        bind_insert(w, f->attribute.value, NULL, n->call.args.at[0]);
    else if (f->kind == N_NAME && n->call.args.n == 3 && str_is(name_str(f->name.id), "setattr"))
        bind_by_text(w, n->call.args);
}

static void bind_elements(struct walk *w, struct node_list elts, enum binding_kind kind,
                          const struct node *value)
{
    const struct node *matching = NULL;
    bool each = kind == BIND_EACH, starred = false;

    for (size_t i = 0; i < elts.n; i++) {
        /* a, b = x, y: each has its own expression. */
        bool own = kind == BIND_VALUE && (value->kind == N_TUPLE || value->kind == N_LIST) &&
                   value->elements.elts.n == elts.n && elts.at[i]->kind != N_STARRED && !starred;
        matching = own ? value->elements.elts.at[i] : value;
        if (own)
            bind_target(w, elts.at[i], BIND_VALUE, matching);
        else if (starred && elts.at[i]->kind == N_NAME && kind == BIND_VALUE)
            program_walk_bind(w, elts.at[i]->name.id, BIND_EACH, value,
                              0); /* after a star, positions count from the end */
        else if (elts.at[i]->kind == N_NAME && (each || kind == BIND_VALUE))
            program_walk_bind(w, elts.at[i]->name.id, each ? BIND_EACH_ITEM : BIND_ITEM, value,
                              (uint32_t)i);
        else if (elts.at[i]->kind == N_STARRED && elts.at[i]->value_of.value->kind == N_NAME &&
                 kind == BIND_VALUE)
            program_walk_bind(w, elts.at[i]->value_of.value->name.id, BIND_REST, value,
                              (uint32_t)i);
        else
            bind_target(w, elts.at[i], BIND_OPAQUE, value);
        starred |= elts.at[i]->kind == N_STARRED;
    }
}

static void bind_target(struct walk *w, const struct node *target, enum binding_kind kind,
                        const struct node *value)
{
    if (target->kind == N_NAME)
        program_walk_bind(w, target->name.id, kind, value, 0);
    else if (target->kind == N_TUPLE || target->kind == N_LIST)
        bind_elements(w, target->elements.elts, kind, value);
    else if (target->kind == N_ATTRIBUTE)
        bind_member(w, target, kind, value);
    else if (target->kind == N_SUBSCRIPT && target->subscript.slice->kind == N_SLICE &&
             target->subscript.value->kind == N_NAME && kind == BIND_VALUE)
        program_walk_bind(w, target->subscript.value->name.id, BIND_VALUE, value, 0);
    else if (target->kind == N_SUBSCRIPT && kind == BIND_VALUE)
        bind_insert(w, target->subscript.value, target->subscript.slice, value);
    else if (target->kind == N_STARRED)
        bind_target(w, target->value_of.value, BIND_OPAQUE, value);
}

static bool repeats(const struct walk *w)
{
    for (uint32_t at = w->parent;; at = w->p->items[at].parent) {
        const struct node *n = w->p->items[at].node;
        if (n->kind == N_FOR || n->kind == N_WHILE || n->kind == N_ASYNC_FOR)
            return true;
        if (!at || n->kind == N_FUNCTION_DEF || n->kind == N_ASYNC_FUNCTION_DEF)
            return false;
    }
}

static void bind_alias(struct walk *w, const struct node *alias)
{
    struct str name = name_str(alias->alias.name), top = name;
    const struct name *bound = alias->alias.asname ? alias->alias.asname : alias->alias.name;
    struct binding b = {.kind = BIND_IMPORT, .node = alias, .scope = w->scope, .module = name};

    if (!alias->alias.asname) {
        const char *dot = memchr(name.p, '.', name.n);
        if (dot) { /* `import a.b` binds a, whose name the tree may not have: look it up */
            const struct symbol *s;
            top.n = (size_t)(dot - name.p);
            b.module = top;
            s = program_member(w->p, w->scope, top);
            if (s)
                program_bind(w->p, w->scope, s->name, b);
            return;
        }
    }
    program_bind(w->p, w->scope, bound, b);
}

/* Ways to get an exception without `except ... as x`. */
static bool gives_exceptions(const struct name *name)
{
    static const char *const names[] = {"exc_info", "exc_value",  "excepthook", "exception",
                                        "last_exc", "last_value", "push"};

    return name_is_in(name_str(name), names, ARRAY_LEN(names));
}

static void bind_from(struct walk *w, const struct node *n)
{
    struct str module = n->import.module ? name_str(n->import.module) : STR("");

    for (size_t i = 0; i < n->import.names.n; i++) {
        const struct node *alias = n->import.names.at[i];
        struct str name = name_str(alias->alias.name);
        bool star = str_is(name, "*");
        struct binding b = {.kind = n->import.level ? BIND_OPAQUE : BIND_FROM,
                            .node = alias,
                            .scope = w->scope,
                            .module = module,
                            .member = name};
        w->p->catches |= gives_exceptions(alias->alias.name);
        if (star && !n->import.level)
            program_star(w->p, module);
        else if (!star)
            program_bind(w->p, w->scope,
                         alias->alias.asname ? alias->alias.asname : alias->alias.name, b);
    }
}

static void bind_parameters(struct walk *w, const struct scope *inner, struct node_list args,
                            struct node_list defaults)
{
    /* Defaults belong to the last parameters; the list has NULL for a parameter without one. */
    size_t without = args.n - (defaults.n < args.n ? defaults.n : args.n);

    for (size_t i = 0; i < args.n; i++) {
        const struct node *value = i >= without && defaults.at ? defaults.at[i - without] : NULL;
        struct binding b = {
            .kind = value ? BIND_VALUE : BIND_OPAQUE, .node = value, .scope = w->scope};
        program_bind(w->p, inner, args.at[i]->arg.arg, b);
    }
}

static void bind_arguments(struct walk *w, const struct scope *inner, const struct node *n)
{
    struct node_list all = n->arguments.args, defaults = n->arguments.defaults;
    size_t plain = all.n < defaults.n ? all.n : defaults.n;
    /* If there are more defaults than plain parameters, the first ones belong to positional-only
     * parameters. */
    struct node_list early = {defaults.at, defaults.n - plain};
    struct node_list late = {defaults.at ? defaults.at + early.n : NULL, plain};

    bind_parameters(w, inner, n->arguments.posonlyargs, early);
    bind_parameters(w, inner, all, late);
    bind_parameters(w, inner, n->arguments.kwonlyargs, n->arguments.kw_defaults);
}

static void bind_statement(struct walk *w, const struct node *n)
{
    switch ((int)n->kind) {
    case N_ASSIGN:
        for (size_t i = 0; i < n->assign.targets.n; i++)
            bind_target(w, n->assign.targets.at[i], BIND_VALUE, n->assign.value);
        break;
    case N_ANN_ASSIGN:
        if (n->ann_assign.value)
            bind_target(w, n->ann_assign.target, BIND_VALUE, n->ann_assign.value);
        break;
    case N_NAMED_EXPR:
        bind_target(w, n->named_expr.target, BIND_VALUE, n->named_expr.value);
        break;
    case N_AUG_ASSIGN:
        if (n->aug_assign.target->kind == N_NAME)
            program_walk_bind(w, n->aug_assign.target->name.id,
                              repeats(w) ? BIND_GROWN : BIND_AUGMENT, n->aug_assign.value, n->op);
        break;
    case N_FOR:
    case N_ASYNC_FOR:
        bind_target(w, n->for_stmt.target, BIND_EACH, n->for_stmt.iter);
        break;
    case N_WITH_ITEM:
        if (n->with_item.optional_vars)
            bind_target(w, n->with_item.optional_vars, BIND_ENTERED, n->with_item.context_expr);
        break;
    case N_CALL:
        bind_call(w, n);
        break;
    case N_MATCH:
        program_bind_match(w->p, w->scope, n);
        break;
    case N_EXCEPT_HANDLER:
        w->p->catches |= n->handler.name != NULL;
        if (n->handler.name)
            program_walk_bind(w, n->handler.name, BIND_CAUGHT, NULL, 0);
        break;
    case N_IMPORT:
        for (size_t i = 0; i < n->import.names.n; i++)
            bind_alias(w, n->import.names.at[i]);
        break;
    case N_IMPORT_FROM:
        bind_from(w, n);
        break;
    }
}

/* ---- nodes that open a scope ---- */

static const struct name *first_parameter(const struct node *arguments)
{
    struct node_list early = arguments->arguments.posonlyargs, late = arguments->arguments.args;

    if (early.n)
        return early.at[0]->arg.arg;
    return late.n ? late.at[0]->arg.arg : NULL;
}

/* A method's self is an object of the class or, in a class method, the class: both have the same
 * attributes. */
static void bind_self(struct walk *w, const struct scope *inner, const struct node *n)
{
    const struct name *self = first_parameter(n->function.args);
    struct binding b = {.kind = BIND_INSTANCE,
                        .node = w->scope->node,
                        .scope = w->scope->parent,
                        .class_scope = w->scope};
    struct binding method = {.kind = BIND_FUNCTION, .node = n, .scope = w->scope};

    program_bind_member(w->p, NULL, n->function.name, method);
    if (self && !program_decorated(n, "staticmethod"))
        program_bind(w->p, inner, self, b);
}

static void visit_function(struct walk *w, const struct node *n)
{
    const struct scope *inner = program_scope(w->p, n);

    program_walk_bind(w, n->function.name, BIND_FUNCTION, n, 0);
    if (inner && w->scope->kind == SCOPE_CLASS)
        bind_self(w, inner, n);
    if (inner)
        bind_arguments(w, inner, n->function.args);
    visit_list(w, n->function.decorator_list);
    visit_list_in(w, inner, n->function.type_params);
    program_walk_visit(w, n->function.args);
    if (n->function.returns)
        program_walk_visit(w, n->function.returns);
    visit_list_in(w, inner, n->function.body);
}

static void visit_class(struct walk *w, const struct node *n)
{
    const struct scope *inner = program_scope(w->p, n);

    program_walk_bind(w, n->class_def.name, BIND_CLASS, n, 0);
    visit_list(w, n->class_def.decorator_list);
    visit_list_in(w, inner, n->class_def.type_params);
    visit_list(w, n->class_def.bases);
    visit_list(w, n->class_def.keywords);
    visit_list_in(w, inner, n->class_def.body);
}

static void visit_lambda(struct walk *w, const struct node *n)
{
    const struct scope *inner = program_scope(w->p, n);

    if (inner)
        bind_arguments(w, inner, n->lambda.args);
    program_walk_visit(w, n->lambda.args);
    visit_in(w, inner, n->lambda.body);
}

/* The first iterable of a comprehension is evaluated in the outer scope. */
static void visit_generators(struct walk *w, const struct scope *inner, struct node_list generators)
{
    const struct scope *before = w->scope;
    uint32_t parent = w->parent;

    for (size_t i = 0; i < generators.n; i++) {
        const struct node *c = generators.at[i];
        w->parent = program_add(w->p, c, before, parent);
        visit_in(w, i ? inner : before, c->comprehension.iter);
        w->scope = inner ? inner : before;
        if (inner) {
            struct walk outside = *w;
            outside.scope = inner;
            bind_target(&outside, c->comprehension.target, BIND_EACH, c->comprehension.iter);
        }
        program_walk_visit(w, c->comprehension.target);
        visit_list(w, c->comprehension.ifs);
        w->scope = before;
        w->parent = parent;
    }
}

static void visit_comprehension(struct walk *w, const struct node *n)
{
    const struct scope *inner = program_scope(w->p, n);

    if (n->kind == N_DICT_COMP) {
        visit_generators(w, inner, n->dict_comp.generators);
        visit_in(w, inner, n->dict_comp.key);
        visit_in(w, inner, n->dict_comp.value);
    } else {
        visit_generators(w, inner, n->comp.generators);
        visit_in(w, inner, n->comp.elt);
    }
}

/* ---- everything else ---- */

static void visit_field(struct walk *w, const struct node *n, const struct node_field *f)
{
    const char *at = (const char *)n + f->offset;

    if (f->type == FIELD_NODE) {
        const struct node *child = *(struct node *const *)(const void *)at;
        if (child)
            program_walk_visit(w, child);
    } else if (f->type == FIELD_LIST || f->type == FIELD_HOLES) {
        struct node_list list = *(const struct node_list *)(const void *)at;
        for (size_t i = 0; i < list.n; i++) {
            if (list.at[i])
                program_walk_visit(w, list.at[i]);
        }
    }
}

static void visit_children(struct walk *w, const struct node *n)
{
    for (const struct node_field *f = node_fields(n->kind); f->name; f++)
        visit_field(w, n, f);
}

static void program_walk_visit(struct walk *w, const struct node *n)
{
    uint32_t parent = w->parent;

    w->parent = program_add(w->p, n, w->scope, parent);
    switch ((int)n->kind) {
    case N_NAME:
    case N_CONSTANT:
        break;
    case N_ATTRIBUTE:
        w->p->catches |= gives_exceptions(n->attribute.attr);
        program_walk_visit(w, n->attribute.value);
        break;
    case N_FUNCTION_DEF:
    case N_ASYNC_FUNCTION_DEF:
        visit_function(w, n);
        break;
    case N_LAMBDA:
        visit_lambda(w, n);
        break;
    case N_CLASS_DEF:
        visit_class(w, n);
        break;
    case N_LIST_COMP:
    case N_SET_COMP:
    case N_DICT_COMP:
    case N_GENERATOR_EXP:
        visit_comprehension(w, n);
        break;
    default:
        bind_statement(w, n);
        visit_children(w, n);
        break;
    }
    w->parent = parent;
}

void program_walk(struct program *p)
{
    struct walk w = {.p = p, .scope = p->module_scope};

    program_walk_visit(&w, p->tree->module);
}
