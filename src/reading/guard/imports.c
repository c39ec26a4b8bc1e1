/* SPDX-License-Identifier: Apache-2.0
 *
 * The policy's rules about modules and builtins, by name: import statements, imports by a function
 * call, and modules that are reached through others (random._os, sys.modules["os"]).
 */
#include <string.h>

#include "guard/rules_parts.h"

static bool has_import_rules(const struct policy *p)
{
    return p->list_imports || p->forbidden_imports.n;
}

static void module(struct check *c, const struct node *n, struct str name, const char *how)
{
    if (!name.n)
        return;
    if (policy_forbids_import(c->policy, name))
        found(c, RULE_IMPORT_FORBIDDEN, n, name, "import of %.*s is forbidden%s", (int)name.n,
              name.p, how);
    else if (!policy_allows_import(c->policy, name))
        found(c, RULE_IMPORT_NOT_ALLOWED, n, name, "import of %.*s is not allowed%s", (int)name.n,
              name.p, how);
}

static struct str imports_member(struct check *c, struct str name, struct str inner)
{
    return str_from(
        arena_printf(&c->arena, "%.*s.%.*s", (int)name.n, name.p, (int)inner.n, inner.p));
}

/* from enum import bltns: a powerful module, imported from another module that holds it. */
static void held(struct check *c, const struct node *alias, struct str from, struct str name)
{
    struct str target;

    if (module_holds(from, name, &target) && module_is_powerful(target))
        module(c, alias, target,
               arena_printf(&c->arena, ", imported from %.*s", (int)from.n, from.p));
}

static void imports_statement(struct check *c, const struct node *n)
{
    struct str from;

    if (n->kind == N_IMPORT) {
        for (size_t i = 0; i < n->import.names.n; i++)
            module(c, n->import.names.at[i], name_str(n->import.names.at[i]->alias.name), "");
        return;
    }
    if (n->import.level || !n->import.module)
        return;
    from = name_str(n->import.module);
    module(c, n, from, "");
    for (size_t i = 0; i < n->import.names.n; i++) {
        const struct node *alias = n->import.names.at[i];
        struct str whole = imports_member(c, from, name_str(alias->alias.name));
        if (policy_forbids_import(c->policy, whole) && !policy_forbids_import(c->policy, from))
            module(c, alias, whole, "");
        else
            held(c, alias, from, name_str(alias->alias.name));
    }
}

static void dynamic(struct check *c, const struct item *i)
{
    const struct value *f = value_of(c, i->node->call.func, i->scope), *names;
    bool imports =
        value_is_path(f, "builtins.__import__") || value_is_path(f, "importlib.import_module");
    struct arguments args;

    if (!imports)
        return;
    resolve_arguments(&c->resolver, i->node, i->scope, &args);
    names = argument_at(&args, 0, "name");
    for (size_t k = 0; k < value_count(names); k++) {
        if (value_at(names, k)->kind == VALUE_TEXT)
            module(c, i->node, value_at(names, k)->text,
                   arena_printf(&c->arena, ", by %s", shown(f->text).p));
    }
}

/* True if a pattern of a match statement bound the name. Other names are reported where they are
 * bound, but a pattern has no expression for that. */
static bool came_by_pattern(const struct item *i)
{
    bool builtin = false;
    const struct symbol *s = program_symbol(i->scope, i->node->name.id, &builtin);
    const struct symbol_facts *facts = s ? s->user : NULL;

    for (const struct binding *b = facts ? facts->first : NULL; b; b = b->next) {
        if (b->kind == BIND_MATCHED && b->part->kind != PART_SUBJECT)
            return true;
    }
    return false;
}

/* A forbidden path, or a powerful module that is reached through another module. */
static void thing(struct check *c, const struct item *i, struct str path)
{
    bool is_module = module_is_powerful(path);

    if ((i->node->kind == N_NAME && !came_by_pattern(i)) || memchr(path.p, '(', path.n))
        return;
    if (name_set_has(&c->policy->forbidden_imports, path))
        found(c, RULE_IMPORT_FORBIDDEN, i->node, path, "use of %s is forbidden%s", path.p,
              reached(c, i->node, path));
    else if (is_module && i->node->kind != N_CALL)
        module(c, i->node, path, reached(c, i->node, path));
}

/* True if the name is one of these decorators, or is in an annotation and is not called. */
static bool is_unevaluated(const struct check *c, const struct item *i, struct str name)
{
    bool decorator =
        str_is(name, "property") || str_is(name, "staticmethod") || str_is(name, "classmethod");

    return is_called(c, i) ? decorator && parent_of(c, i)->kind != N_CALL : in_annotation(c, i);
}

/* smolagents treats super() as syntax: it may be called, but its name may not be used otherwise. It
 * evaluates no annotations, and ignores these decorators. */
static bool is_syntax(const struct check *c, const struct item *i, struct str name)
{
    return c->policy->texts == TEXTS_SMOLAGENTS && i->node->kind == N_NAME &&
           ((str_is(name, "super") && is_called(c, i)) || is_unevaluated(c, i, name));
}

static void builtin(struct check *c, const struct item *i, struct str path)
{
    const struct policy *p = c->policy;
    struct str name = shown(path);
    const char *how;

    if (name_set_has(&p->forbidden_names, name)) {
        how = reached(c, i->node, path);
        found(c, RULE_NAME_FORBIDDEN, i->node, name, "%s is forbidden%s", name.p, how);
    } else if (p->list_builtins && name.n != path.n && module_is_builtin(name) &&
               !name_set_has(&p->allowed_builtins, name) && !is_syntax(c, i, name)) {
        how = reached(c, i->node, path);
        found(c, RULE_BUILTIN_NOT_ALLOWED, i->node, name, "%s is not allowed%s", name.p, how);
    }
}

static void expression(struct check *c, const struct item *i)
{
    const struct value *all = value_of(c, i->node, i->scope);

    for (size_t k = 0; k < value_count(all); k++) {
        const struct value *v = value_at(all, k);
        if (v->kind != VALUE_PATH || v->guessed)
            continue;
        builtin(c, i, v->text);
        if (has_import_rules(c->policy))
            thing(c, i, v->text);
    }
    if (i->node->kind == N_CALL && has_import_rules(c->policy))
        dynamic(c, i);
}

/* Reports a name that the program binds or deletes, if the policy keeps it or it always means the
 * builtin. */
static void imports_spelling(struct check *c, const struct item *i)
{
    const struct node *n = i->node;
    struct str name = name_str(n->name.id);

    if (i->scope->kind == SCOPE_MODULE && n->op == CTX_STORE &&
        name_set_has(&c->policy->kept_names, name))
        found(c, RULE_KEPT_NAME, n, name,
              "%s is the name of a function, and may not be assigned to", name.p);
    if (name_set_has(&c->policy->spelled_builtins, name) &&
        name_set_has(&c->policy->forbidden_names, name))
        found(c, RULE_NAME_FORBIDDEN, n, name, "%s is forbidden", name.p);
}

void check_imports(struct check *c)
{
    const struct policy *p = c->policy;

    if (!has_import_rules(p) && !p->forbidden_names.n && !p->list_builtins && !p->kept_names.n)
        return;
    resolver_begin(&c->resolver);
    for (size_t k = 0; k < c->program.n; k++) {
        const struct item *i = &c->program.items[k];
        int kind = i->node->kind;
        if (node_types[kind].position && check_is_earlier(c, i->node->line))
            continue;
        resolver_tidy(&c->resolver);
        if ((kind == N_IMPORT || kind == N_IMPORT_FROM) && has_import_rules(p))
            imports_statement(c, i->node);
        else if (kind == N_NAME && i->node->op != CTX_LOAD)
            imports_spelling(c, i);
        else if (kind == N_CALL ||
                 ((kind == N_NAME || kind == N_ATTRIBUTE || kind == N_SUBSCRIPT) &&
                  i->node->op == CTX_LOAD))
            expression(c, i);
    }
}
