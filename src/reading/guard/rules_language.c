/* SPDX-License-Identifier: Apache-2.0
 *
 * The policy's rules about the language itself: features, attributes, names, calls. Nothing here is
 * dangerous by itself.
 */
#include <string.h>

#include "guard/rules_parts.h"
#include "policy/features.h"

static bool is_dunder(struct str s)
{
    return s.n > 4 && str_starts(s, "__") && str_ends(s, "__");
}

static void forbidden_features(struct check *c, const struct node *n)
{
    uint64_t bits = features_of(n) & c->policy->forbidden_features;

    for (; bits; bits &= bits - 1) {
        const struct feature *f = &features[__builtin_ctzll(bits)];
        found(c, RULE_FEATURE_FORBIDDEN, n, str_from(f->name), "%s is forbidden (%s)", f->name,
              f->summary);
    }
}

/* ---- attributes ---- */

/* True if the attribute is set or deleted: only reading it can reach internals. */
static bool is_set(const struct node *n)
{
    return n->kind == N_ATTRIBUTE && n->op != CTX_LOAD;
}

static void attribute(struct check *c, const struct node *n, struct str attr)
{
    const struct policy *p = c->policy;

    if (name_set_matches(&p->forbidden_attributes, attr))
        found(c, RULE_ATTRIBUTE_FORBIDDEN, n, attr, "the attribute %.*s is forbidden", (int)attr.n,
              attr.p);
    if (p->list_dunders && is_dunder(attr) && !name_set_has(&p->allowed_dunders, attr) &&
        !is_set(n))
        found(c, RULE_DUNDER_FORBIDDEN, n, attr, "%.*s is not on the list of allowed attributes",
              (int)attr.n, attr.p);
}

/* An attribute that objects of the library also have: x.obj, where x may be an AttributeError. */
static void foreign(struct check *c, const struct item *i)
{
    const struct node *n = i->node;
    struct str attr = name_str(n->attribute.attr);
    const struct value *v;

    /* Only a program that catches exceptions can have such an object. */
    if (!c->program.catches || n->op != CTX_LOAD ||
        !name_set_has(&c->policy->foreign_attributes, attr))
        return;
    v = value_of(c, n->attribute.value, i->scope);
    if (v->open || (v->kind != VALUE_INSTANCE && v->kind != VALUE_CLASS))
        found(c, RULE_ATTRIBUTE_FORBIDDEN, n, attr, "the attribute %.*s is forbidden", (int)attr.n,
              attr.p);
}

/* __helper__(): a call of a function of the program with such a name. */
static void dunder_call(struct check *c, const struct node *func)
{
    const struct policy *p = c->policy;
    struct str name;

    if (func->kind != N_NAME)
        return;
    name = name_str(func->name.id);
    if (is_dunder(name) && !name_set_has(&p->allowed_dunders, name) &&
        !name_set_has(&p->forbidden_names, name))
        found(c, RULE_DUNDER_FORBIDDEN, func, name, "a call of %.*s, which is not on the list",
              (int)name.n, name.p);
}

static bool reads_attribute(const struct value *f)
{
    return value_is_path(f, "builtins.getattr") || value_is_path(f, "builtins.setattr") ||
           value_is_path(f, "builtins.delattr") || value_is_path(f, "operator.attrgetter");
}

/* getattr(x, "__class__") is x.__class__. */
static void attribute_by_call(struct check *c, const struct item *i)
{
    const struct value *f = value_of(c, i->node->call.func, i->scope), *names;
    struct arguments args;

    if (!reads_attribute(f))
        return;
    resolve_arguments(&c->resolver, i->node, i->scope, &args);
    names = argument_at(&args, str_ends(f->text, "attrgetter") ? 0 : 1, NULL);
    for (size_t k = 0; k < value_count(names); k++) {
        if (value_at(names, k)->kind == VALUE_TEXT)
            attribute(c, i->node, value_at(names, k)->text);
    }
}

static void rules_language_call(struct check *c, const struct item *i)
{
    const struct value *all = value_of(c, i->node->call.func, i->scope);

    for (size_t k = 0; k < value_count(all); k++) {
        const struct value *v = value_at(all, k);
        struct str path = v->text, name;
        if (v->kind != VALUE_PATH)
            continue;
        name = shown(path);
        if (name_set_matches(&c->policy->forbidden_calls, path) ||
            name_set_matches(&c->policy->forbidden_calls, name))
            found_call(c, RULE_CALL_FORBIDDEN, i->node->call.func, path, "%s is forbidden%s",
                       name.p, reached(c, i->node->call.func, path));
    }
}

/* ---- names ---- */

static void name(struct check *c, const struct node *n, const struct name *id, bool binds)
{
    const struct policy *p = c->policy;
    struct str s;

    if (!id)
        return;
    s = name_str(id);
    if (name_set_matches(&p->invalid_names, s) ||
        (binds && name_set_matches(&p->reserved_names, s)))
        found(c, RULE_NAME_INVALID, n, s, "the name %.*s is forbidden", (int)s.n, s.p);
}

/* In classes, methods may have the names that the policy allows. */
static void function_name(struct check *c, const struct node *n)
{
    struct str s = name_str(n->function.name);
    bool allowed = c->policy->list_dunders && name_set_has(&c->policy->allowed_dunders, s);

    if (!allowed || !n->column)
        name(c, n, n->function.name, true);
}

static void names(struct check *c, const struct node *n)
{
    switch ((int)n->kind) {
    case N_NAME:
        name(c, n, n->name.id, n->op != CTX_LOAD);
        break;
    case N_ARG:
        name(c, n, n->arg.arg, true);
        break;
    case N_FUNCTION_DEF:
    case N_ASYNC_FUNCTION_DEF:
        function_name(c, n);
        break;
    case N_CLASS_DEF:
        name(c, n, n->class_def.name, true);
        break;
    case N_ALIAS:
        name(c, n, n->alias.name, true);
        name(c, n, n->alias.asname, true);
        break;
    case N_EXCEPT_HANDLER:
        name(c, n, n->handler.name, true);
        break;
    case N_MATCH_AS:
    case N_MATCH_STAR:
        name(c, n, n->match_as.name, true);
        break;
    case N_MATCH_MAPPING:
        name(c, n, n->match_mapping.rest, true);
        break;
    }
}

void rules_language(struct check *c, const struct item *i)
{
    const struct policy *p = c->policy;
    const struct node *n = i->node;

    if (p->forbidden_features)
        forbidden_features(c, n);
    if (p->invalid_names.n || p->reserved_names.n)
        names(c, n);
    if (p->forbidden_attributes.n || p->list_dunders) {
        if (n->kind == N_ATTRIBUTE)
            attribute(c, n, name_str(n->attribute.attr));
        else if (n->kind == N_CALL)
            attribute_by_call(c, i);
        if (p->list_dunders && n->kind == N_CALL)
            dunder_call(c, n->call.func);
    }
    if (p->foreign_attributes.n && n->kind == N_ATTRIBUTE)
        foreign(c, i);
    if (p->forbidden_calls.n && n->kind == N_CALL)
        rules_language_call(c, i);
}
