/* SPDX-License-Identifier: Apache-2.0
 *
 * Modules by family: those for processes, threads, the network, machine code. The import itself is
 * a finding, whatever the program does with the module.
 */
#include "guard/rules_parts.h"

void module_came(struct check *c, const struct node *n, struct str module, const char *how)
{
    enum rule rule = module_find(module);

    if (rule == RULE_COUNT)
        return;
    c->excused = is_excused(c, module);
    found(c, rule, n, module, "import of %.*s%s%s", (int)module.n, module.p, how,
          c->excused ? ", which the policy allows" : "");
    c->excused = false;
}

static struct str joined(struct check *c, struct str module, struct str member)
{
    return str_from(
        arena_printf(&c->arena, "%.*s.%.*s", (int)module.n, module.p, (int)member.n, member.p));
}

/* `from os import system`: the function itself is imported. */
static void member_came(struct check *c, const struct node *alias, struct str module)
{
    struct str name = name_str(alias->alias.name);
    const struct value *v =
        resolve_attribute(&c->resolver, resolve_module(&c->resolver, module), name);
    const struct known_path *k = v->kind == VALUE_PATH ? module_path(v->text) : NULL;
    bool code = k && (k->rule == RULE_EXEC_CALL || k->rule == RULE_EVAL_CALL ||
                      k->rule == RULE_COMPILE_CALL || k->rule == RULE_IMPORT_CALL);

    if (k && k->rule == RULE_PROCESS_START && module_find(module) == RULE_PROCESS_MODULE)
        return; /* the finding about the module is enough; each call is reported separately */
    if (k && (k->use == USE_ANY || code))
        found(c, code ? RULE_CODE_REFERENCE : k->rule, alias, v->text, "import of %s",
              shown(v->text).p);
}

static void from_came(struct check *c, const struct node *n)
{
    struct str module = n->import.module ? name_str(n->import.module) : STR("");

    if (n->import.level)
        return;
    module_came(c, n, module, "");
    for (size_t i = 0; i < n->import.names.n; i++) {
        const struct node *alias = n->import.names.at[i];
        if (str_is(name_str(alias->alias.name), "*"))
            continue;
        if (module_find(module) == RULE_COUNT)
            module_came(c, alias, joined(c, module, name_str(alias->alias.name)), "");
        member_came(c, alias, module);
    }
}

/* A module that a class body imports is in the class's namespace. */
static void into_class(struct check *c, const struct node *alias, struct str module)
{
    if (module_is_door(module))
        found(c, RULE_MODULE_HANDED_ON, alias, module, "%.*s is imported into a class",
              (int)module.n, module.p);
}

void rules_import(struct check *c, const struct item *i)
{
    const struct node *n = i->node;

    if (n->kind == N_IMPORT_FROM) {
        from_came(c, n);
        return;
    }
    for (size_t k = 0; k < n->import.names.n; k++) {
        const struct node *alias = n->import.names.at[k];
        module_came(c, alias, name_str(alias->alias.name), "");
        if (i->scope->kind == SCOPE_CLASS)
            into_class(c, alias, name_str(alias->alias.name));
    }
}
