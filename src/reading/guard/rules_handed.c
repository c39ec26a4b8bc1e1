/* SPDX-License-Identifier: Apache-2.0
 *
 * Powerful modules that go out of sight. resolve.h follows names of the module, and what is read
 * from it. A module that goes anywhere else (an argument, an item of a list, an attribute, a
 * function's result) may be used in any way later. So the passing itself is a finding; the guard
 * does not list all the ways.
 */
#include <string.h>

#include "base/mem.h"
#include "guard/rules_parts.h"

/* Functions that read or change a module and do not keep it. */
static bool only_looks(struct check *c, const struct item *i, const struct node *call)
{
    static const char *const names[] = {
        "builtins.bool",     "builtins.delattr", "builtins.dir",     "builtins.getattr",
        "builtins.hasattr",  "builtins.help",    "builtins.id",      "builtins.len",
        "builtins.print",    "builtins.repr",    "builtins.setattr", "builtins.str",
        "builtins.vars",     "importlib.reload", "inspect.getdoc",   "inspect.getfile",
        "inspect.getsource",
    };
    const struct value *f = value_of(c, call->call.func, i->scope);

    if (call->call.args.at[0] != i->node)
        return false;
    for (size_t k = 0; k < ARRAY_LEN(names); k++) {
        if (value_is_path(f, names[k]))
            return true;
    }
    return false;
}

/* True for a variable, which the resolver follows. A name bound in a class body does not count: it
 * is also in the class's namespace. */
static bool is_variable(const struct item *i, const struct node *target)
{
    const struct symbol *symbol;
    const struct symbol_facts *facts;
    bool builtin = false;

    if (target->kind != N_NAME || i->scope->kind == SCOPE_CLASS)
        return false;
    symbol = program_symbol(i->scope, target->name.id, &builtin);
    facts = symbol ? symbol->user : NULL;
    return facts && facts->n <= PROGRAM_MAX_BINDINGS;
}

static bool takes_name(const struct node *attribute)
{
    static const char *const names[] = {"__getitem__", "get",    "items", "keys",
                                        "pop",         "update", "values"};

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (str_is(name_str(attribute->attribute.attr), names[i]))
            return true;
    }
    return false;
}

/* `os is None`, `"fork" in vars(os)`: other comparisons may call a method of the other operand. */
static bool is_asked(const struct node *compare, const struct node *n, const struct value *v)
{
    int op = compare->compare.ops[0];

    return op == OP_IS || op == OP_IS_NOT ||
           (v->kind == VALUE_SPACE && compare->compare.left != n &&
            (op == OP_IN || op == OP_NOT_IN));
}

static bool formats(struct check *c, const struct item *i)
{
    const struct item *call = &c->program.items[c->program.items[i->parent].parent];
    const struct value *f =
        call->node->kind == N_CALL ? value_of(c, call->node->call.func, i->scope) : &value_unknown;

    return f->kind == VALUE_METHOD && f->items[0]->kind == VALUE_TEXT && str_is(f->text, "format");
}

static bool stays_in_sight(struct check *c, const struct item *i, const struct value *v)
{
    const struct node *up = parent_of(c, i);

    switch ((int)up->kind) {
    case N_COMPARE:
        return is_asked(up, i->node, v);
    case N_EXPR:
    case N_AWAIT:
    case N_ASSERT:
    case N_IF:
    case N_IF_EXP:
    case N_WHILE:
    case N_UNARY_OP:
    case N_FORMATTED_VALUE:
        return true;
    case N_BIN_OP: /* "%(name)s" % locals() */
        return up->op == OP_MOD && v->kind == VALUE_SPACE && up->bin_op.right == i->node &&
               value_of(c, up->bin_op.left, i->scope)->kind == VALUE_TEXT;
    case N_KEYWORD: /* "{name}".format(**locals()) */
        return !up->keyword.arg && v->kind == VALUE_SPACE && formats(c, i);
    case N_ATTRIBUTE:
        return v->kind == VALUE_PATH || takes_name(up);
    case N_SUBSCRIPT:
        return up->subscript.value == i->node;
    case N_ANN_ASSIGN:
        return is_variable(i, up->ann_assign.target);
    case N_ASSIGN:
        for (size_t k = 0; k < up->assign.targets.n; k++) {
            if (!is_variable(i, up->assign.targets.at[k]))
                return false;
        }
        return true;
    case N_CALL:
        return up->call.func == i->node || (up->call.args.n && only_looks(c, i, up));
    }
    return false;
}

enum { LOCALS_MAX = 200 };

static bool scope_leads(struct check *c, const struct scope *scope, size_t most)
{
    size_t n = 0;

    for (const struct symbol *s = scope->symbols; s; s = s->next) {
        const struct value *all =
            s->user && s->owner == scope ? resolve_symbol(&c->resolver, s) : NULL;
        if (++n > most)
            return true;
        for (size_t k = 0; all && k < value_count(all); k++) {
            const struct value *v = value_at(all, k);
            if (v->kind == VALUE_PATH && !v->guessed && module_leads(v->text))
                return true;
        }
    }
    return false;
}

bool own_space_leads(struct check *c, const struct item *i, const struct node *space)
{
    const struct scope *module = c->program.module_scope;

    if (space->kind == N_ATTRIBUTE)
        space = space->attribute.value;
    if (i->scope != module && scope_leads(c, i->scope, LOCALS_MAX))
        return true;
    if (i->scope != module && space->kind == N_CALL &&
        !value_is_path(value_of(c, space->call.func, i->scope), "builtins.globals"))
        return false;
    if (c->globals == LEADS_NEW)
        c->globals = scope_leads(c, module, SIZE_MAX) ? LEADS : LEADS_NOT;
    return c->globals == LEADS;
}

/* The powerful module that the value is; or the module whose names it is, if they lead to one.
 * Otherwise "". */
static struct str module_of(struct check *c, const struct item *i, const struct value *v)
{
    if (v->kind == VALUE_METHOD)
        v = v->items[0];
    if (v->guessed)
        return STR("");
    if (v->kind == VALUE_PATH)
        return module_is_door(v->text) ? v->text : STR("");
    if (v->kind != VALUE_SPACE)
        return STR("");
    if (v->text.n)
        return module_leads(v->text) ? v->text : STR("");
    return own_space_leads(c, i, i->node) ? STR("__main__") : STR("");
}

/* Excludes most values quickly: functions and results of calls. */
static bool may_lead(const struct value *v)
{
    if (v->kind != VALUE_PATH)
        return v->kind == VALUE_SPACE || v->kind == VALUE_METHOD;
    return !str_starts(v->text, "builtins.") && !str_ends(v->text, ")");
}

struct str handed_module(struct check *c, const struct item *i, const struct value *all)
{
    for (size_t k = 0; k < value_count(all); k++) {
        const struct value *v = value_at(all, k);
        if (!may_lead(v) || stays_in_sight(c, chosen(c, i), v))
            continue;
        struct str module = module_of(c, i, v);
        if (module.n)
            return module;
    }
    return STR("");
}

void handed_on(struct check *c, const struct item *i, const struct value *all)
{
    struct str module = handed_module(c, i, all);

    if (module.n)
        found(c, RULE_MODULE_HANDED_ON, i->node, module,
              "%.*s is passed to where the guard cannot follow it", (int)module.n, module.p);
}
