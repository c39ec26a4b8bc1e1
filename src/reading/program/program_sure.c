/* SPDX-License-Identifier: Apache-2.0 */
#include "program/program_sure.h"

#include "base/mem.h"
#include "policy/modules.h"

struct sure_slot {
    const struct node *name; /* NULL: the slot is free */
};

enum { STEPS_MAX = 4 << 20 }; /* statements to read; after that, no use is sure */

/* ---- answers ---- */

static size_t program_sure_slot_of(const struct program *p, const struct node *name)
{
    size_t at = ((uintptr_t)name >> 4) * 0x9E3779B97F4A7C15u >> 20 & (p->sure_size - 1);

    while (p->sure[at].name && p->sure[at].name != name)
        at = (at + 1) & (p->sure_size - 1);
    return at;
}

static void program_sure_grow(struct program *p)
{
    struct sure_slot *old = p->sure;
    size_t size = p->sure_size;

    p->sure_size = size ? size * 2 : 64;
    p->sure = arena_zalloc(&p->arena, p->sure_size * sizeof *p->sure);
    for (size_t i = 0; i < size; i++) {
        if (old[i].name)
            p->sure[program_sure_slot_of(p, old[i].name)] = old[i];
    }
}

static void say_sure(struct program *p, const struct node *name)
{
    if (p->sure_n * 2 >= p->sure_size)
        program_sure_grow(p);
    p->sure[program_sure_slot_of(p, name)].name = name;
    p->sure_n++;
}

bool program_is_sure(const struct program *p, const struct node *name)
{
    return p->sure_n && p->sure[program_sure_slot_of(p, name)].name;
}

/* ---- names ---- */

bool program_falls(const struct name *name)
{
    struct str s = name_str(name);

    return s.n >= 2 && s.n <= 12 && (module_is_builtin(s) || str_is(s, "__builtins__"));
}

static const struct scope *next_class(const struct scope *s)
{
    do {
        if (s->first_child) {
            s = s->first_child;
            continue;
        }
        while (s && !s->next)
            s = s->parent;
        s = s ? s->next : NULL;
    } while (s && s->kind != SCOPE_CLASS);
    return s;
}

/* True if a name of a class also exists in the module or in builtins. */
static bool has_behind(const struct program *p, const struct name *name)
{
    const struct symbol *s = scope_find(p->module_scope, name);

    return (s && s->home != HOME_BUILTIN) || program_falls(name);
}

/* Marks the symbols that may fall through. False if there are none, as in most programs. */
static bool enlist_all(struct program *p)
{
    bool any = false;

    for (struct symbol *s = p->module_scope->symbols; s; s = s->next) {
        if (s->home != HOME_BUILTIN && program_falls(s->name)) {
            any = true;
            program_facts_of(p, s)->falls = true;
        }
    }
    for (const struct scope *c = next_class(p->module_scope); c; c = next_class(c)) {
        for (struct symbol *s = c->symbols; s; s = s->next) {
            bool own = s->home == HOME_LOCAL || s->home == HOME_CELL;
            if (own && (s->flags & SYMBOL_USED) && has_behind(p, s->name)) {
                any = true;
                program_facts_of(p, s)->falls = true;
            }
        }
    }
    return any;
}

/* ---- code that removes bindings ---- */

bool program_reflects(const struct item *i)
{
    static const char *const functions[] = {"globals", "locals", "vars",
                                            "exec",    "eval",   "__import__"};
    static const char *const attributes[] = {"__dict__",   "__globals__",   "f_globals", "f_locals",
                                             "f_builtins", "import_module", "modules"};
    const struct node *n = i->node;
    bool builtin = false;

    if (n->kind == N_ALIAS)
        return str_is(name_str(n->alias.name), "__main__");
    if (n->kind == N_NAME && n->op == CTX_LOAD) {
        for (size_t k = 0; k < ARRAY_LEN(functions); k++) {
            if (str_is(name_str(n->name.id), functions[k]))
                return !program_symbol(i->scope, n->name.id, &builtin);
        }
    }
    return n->kind == N_ATTRIBUTE &&
           name_is_in(name_str(n->attribute.attr), attributes, ARRAY_LEN(attributes));
}

/* True for the names of functions that run when a subclass is made. */
static bool is_class_hook(const struct node *n)
{
    static const char *const names[] = {"__init_subclass__", "__mro_entries__", "__prepare__",
                                        "__set_name__", "metaclass"};
    const struct name *name = n->kind == N_FUNCTION_DEF ? n->function.name
                              : n->kind == N_NAME       ? n->name.id
                              : n->kind == N_KEYWORD    ? n->keyword.arg
                                                        : NULL;

    return name && name_is_in(name_str(name), names, ARRAY_LEN(names));
}

const struct name *program_deleted(const struct node *n)
{
    if (n->kind == N_NAME && n->op == CTX_DEL)
        return n->name.id;
    return n->kind == N_EXCEPT_HANDLER ? n->handler.name : NULL;
}

static struct symbol_facts *facts_of(const struct scope *scope, const struct name *name)
{
    bool builtin = false;
    const struct symbol *s = name ? program_symbol(scope, name, &builtin) : NULL;

    return s ? s->user : NULL;
}

/* Builtins that a later cell may restore with `del` while a function still uses the session's own.
 * Other builtins are harmless, and many programs bind their names: `input = 5`. */
static bool is_door(const struct name *name)
{
    static const char *const names[] = {
        "__builtins__", "__import__", "breakpoint", "compile", "delattr", "eval", "exec",
        "getattr",      "globals",    "locals",     "open",    "setattr", "vars"};

    return name_is_in(name_str(name), names, ARRAY_LEN(names));
}

/* ---- where functions run for the first time ---- */

static bool is_later(const struct scope *s)
{
    while (s && s->kind != SCOPE_FUNCTION)
        s = s->parent;
    return s;
}

/* True if the node is a base class: naming it there does not call it. */
static bool is_base(const struct program *p, const struct item *i)
{
    const struct node *up = p->items[i->parent].node;

    for (size_t k = 0; up->kind == N_CLASS_DEF && k < up->class_def.bases.n; k++) {
        if (up->class_def.bases.at[k] == i->node)
            return i->node->kind == N_NAME && !p->class_hooks;
    }
    return false;
}

/* The number of statements of the module before the first that can run functions. */
static size_t first_run(const struct program *p)
{
    size_t n = 0;

    for (size_t i = 1; i < p->n; i++) {
        n += !p->items[i].parent;
        if (!is_later(p->items[i].scope) && !is_base(p, &p->items[i]) &&
            runs_functions(p->items[i].scope, p->items[i].node))
            return n - 1;
    }
    return n;
}

/* ---- the statements before a use ---- */

struct asked {
    struct program *p;
    const struct name *name;
    size_t steps, first_run;
};

static bool any_binds(struct asked *u, struct node_list list, size_t n)
{
    for (size_t i = 0; i < n && i < list.n; i++) {
        if (++u->steps > STEPS_MAX)
            return false;
        if (statement_binds(list.at[i], u->name))
            return true;
    }
    return false;
}

/* True if `child` is in the list (*ret_in), after a statement that binds. */
static bool follows(struct asked *u, struct node_list list, const struct node *child, bool *ret_in)
{
    size_t at = 0;

    while (at < list.n && list.at[at] != child && ++u->steps <= STEPS_MAX)
        at++;
    *ret_in = at < list.n && list.at[at] == child;
    return *ret_in && any_binds(u, list, at);
}

static bool with_entered(struct asked *u, const struct node *n)
{
    for (size_t i = 0; i < n->with_stmt.items.n; i++) {
        const struct node *as = n->with_stmt.items.at[i]->with_item.optional_vars;
        if (as && target_binds(as, u->name))
            return true;
    }
    return false;
}

/* True if the name is bound by the time the part `child` of the statement starts. */
static bool bound_within(struct asked *u, const struct node *n, const struct node *child)
{
    bool in = false;

    switch ((int)n->kind) {
    case N_MODULE:
        return follows(u, n->module.body, child, &in);
    case N_CLASS_DEF:
        return follows(u, n->class_def.body, child, &in);
    case N_FUNCTION_DEF:
    case N_ASYNC_FUNCTION_DEF:
        return follows(u, n->function.body, child, &in);
    case N_IF:
    case N_WHILE:
        return follows(u, n->branch.body, child, &in) ||
               (in && n->branch.test->kind == N_NAMED_EXPR &&
                target_binds(n->branch.test, u->name)) ||
               follows(u, n->branch.orelse, child, &in);
    case N_FOR:
    case N_ASYNC_FOR:
        return follows(u, n->for_stmt.body, child, &in) ||
               (in && target_binds(n->for_stmt.target, u->name)) ||
               follows(u, n->for_stmt.orelse, child, &in);
    case N_TRY:
    case N_TRY_STAR:
        return follows(u, n->try_stmt.body, child, &in) ||
               follows(u, n->try_stmt.orelse, child, &in) ||
               (in && any_binds(u, n->try_stmt.body, n->try_stmt.body.n)) ||
               follows(u, n->try_stmt.finalbody, child, &in);
    case N_EXCEPT_HANDLER:
        return follows(u, n->handler.body, child, &in);
    case N_WITH:
    case N_ASYNC_WITH:
        return follows(u, n->with_stmt.body, child, &in) || (in && with_entered(u, n));
    case N_MATCH_CASE:
        return follows(u, n->match_case.body, child, &in) ||
               (child != n->match_case.pattern && pattern_binds(n->match_case.pattern, u->name));
    }
    return false;
}

static bool runs_later(const struct item *up, const struct item *at)
{
    return up->scope != at->scope && at->scope && at->scope->kind == SCOPE_FUNCTION &&
           at->scope->node == up->node;
}

static bool is_bound_before(struct asked *u, const struct item *use)
{
    struct program *p = u->p;
    const struct symbol_facts *facts = facts_of(use->scope, u->name);
    bool later = false, lazy = false;

    for (const struct item *at = use; at->node->kind != N_MODULE;) {
        const struct item *up = &p->items[at->parent];
        if (facts_of(at->scope, u->name) == facts && bound_within(u, up->node, at->node))
            return true;
        later |= runs_later(up, at);
        lazy |= later || up->node->kind == N_GENERATOR_EXP;
        if (lazy && p->cell && is_door(u->name)) /* a later cell may call it after `del` */
            return false;
        if (later && up->node->kind == N_FUNCTION_DEF && up->node->function.name == u->name)
            return facts_of(up->scope, u->name) == facts;
        at = up;
    }
    return later && facts->symbol->owner == p->module_scope &&
           any_binds(u, p->tree->module->module.body, u->first_run);
}

bool program_is_bound(const struct program *p, const struct symbol *symbol)
{
    const struct symbol_facts *facts = symbol->user;
    struct node_list body = p->tree->module->module.body;
    struct asked u = {.name = symbol->name};

    return symbol->home != HOME_BUILTIN && facts && facts->falls && !facts->deleted &&
           !p->reflects && any_binds(&u, body, body.n);
}

void program_find_sure(struct program *p)
{
    struct asked u = {.p = p};

    if (!enlist_all(p))
        return;
    for (size_t i = 0; i < p->n; i++) {
        struct symbol_facts *gone = facts_of(p->items[i].scope, program_deleted(p->items[i].node));
        if (gone)
            gone->deleted = true;
        p->reflects |= program_reflects(&p->items[i]);
        p->class_hooks |= is_class_hook(p->items[i].node);
    }
    u.first_run = first_run(p);
    for (size_t i = 0; i < p->n && !p->reflects; i++) {
        const struct item *use = &p->items[i];
        if (use->node->kind != N_NAME || use->node->op == CTX_STORE)
            continue;
        u.name = use->node->name.id;
        const struct symbol_facts *facts = facts_of(use->scope, u.name);
        if (facts && facts->falls && !facts->deleted && is_bound_before(&u, use))
            say_sure(p, use->node);
    }
}
