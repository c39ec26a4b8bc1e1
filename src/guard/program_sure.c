/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/program_sure.h"

#include "base/mem.h"
#include "guard/modules.h"
#include "python/lex.h"

struct sure_slot {
    const struct node *name; /* NULL: the slot is free */
    bool sure;
};

/* ---- answers ---- */

static size_t slot_of(const struct program *p, const struct node *name)
{
    size_t at = ((uintptr_t)name >> 4) * 0x9E3779B97F4A7C15u >> 20 & (p->sure_size - 1);

    while (p->sure[at].name && p->sure[at].name != name)
        at = (at + 1) & (p->sure_size - 1);
    return at;
}

static void grow(struct program *p)
{
    struct sure_slot *old = p->sure;
    size_t size = p->sure_size;

    p->sure_size = size ? size * 2 : 64;
    p->sure = arena_zalloc(&p->arena, p->sure_size * sizeof *p->sure);
    for (size_t i = 0; i < size; i++) {
        if (old[i].name)
            p->sure[slot_of(p, old[i].name)] = old[i];
    }
}

void sure_say(struct program *p, const struct node *name, bool sure)
{
    if (p->sure_n * 2 >= p->sure_size)
        grow(p);
    struct sure_slot *slot = &p->sure[slot_of(p, name)];
    if (!slot->name) {
        *slot = (struct sure_slot){name, sure};
        p->sure_n++;
    }
    slot->sure &= sure;
}

bool program_is_sure(const struct program *p, const struct node *name)
{
    return p->sure_n && p->sure[slot_of(p, name)].sure;
}

bool program_is_bound(const struct program *p, const struct symbol *symbol)
{
    const struct symbol_facts *facts = symbol->user;

    return symbol->home != HOME_BUILTIN && facts && facts->bit &&
           (p->sure_end & (uint64_t)1 << (facts->bit - 1));
}

/* ---- names ---- */

static struct symbol_facts *facts_of(const struct scope *scope, const struct name *name)
{
    bool builtin = false;
    const struct symbol *s = program_symbol(scope, name, &builtin);

    return s ? s->user : NULL;
}

bits sure_bit(const struct scope *scope, const struct name *name)
{
    const struct symbol_facts *facts = facts_of(scope, name);

    return facts && facts->bit ? (bits)1 << (facts->bit - 1) : 0;
}

bits sure_bits_of(const struct scope *class_scope)
{
    bits ret = 0;

    for (const struct symbol *s = class_scope->symbols; s; s = s->next) {
        const struct symbol_facts *facts = s->owner == class_scope || !s->owner ? s->user : NULL;
        if (facts && facts->bit)
            ret |= (bits)1 << (facts->bit - 1);
    }
    return ret;
}

bool program_falls(const struct name *name)
{
    struct str s = name_str(name);

    return s.n >= 2 && s.n <= 12 && (module_is_builtin(s) || str_is(s, "__builtins__"));
}

static void enlist(struct program *p, struct symbol *s, unsigned *n)
{
    struct symbol_facts *facts = program_facts_of(p, s);

    facts->falls = true;
    facts->bit = *n < SURE_MAX_NAMES ? (uint8_t)++ * n : 0;
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

/* Whether something stands behind a name of a class. */
static bool has_behind(const struct program *p, const struct name *name)
{
    const struct symbol *s = scope_find(p->module_scope, name);

    return (s && s->home != HOME_BUILTIN) || program_falls(name);
}

/* False when there are none, as in most programs. */
static bool enlist_all(struct program *p)
{
    unsigned n = 0;
    bool any = false;

    for (struct symbol *s = p->module_scope->symbols; s; s = s->next) {
        if (s->home != HOME_BUILTIN && program_falls(s->name)) {
            any = true;
            enlist(p, s, &n);
        }
    }
    for (const struct scope *c = next_class(p->module_scope); c; c = next_class(c)) {
        for (struct symbol *s = c->symbols; s; s = s->next) {
            bool own = s->home == HOME_LOCAL || s->home == HOME_CELL;
            if (own && (s->flags & SYMBOL_USED) && has_behind(p, s->name)) {
                any = true;
                enlist(p, s, &n);
            }
        }
    }
    return any;
}

/* ---- what takes bindings away ---- */

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
    for (size_t k = 0; n->kind == N_ATTRIBUTE && k < ARRAY_LEN(attributes); k++) {
        if (str_is(name_str(n->attribute.attr), attributes[k]))
            return true;
    }
    return false;
}

/* What runs when a class is made of another one. */
static bool is_class_hook(const struct node *n)
{
    static const char *const names[] = {"__init_subclass__", "__mro_entries__", "__prepare__",
                                        "__set_name__", "metaclass"};
    const struct name *name = n->kind == N_FUNCTION_DEF ? n->function.name
                              : n->kind == N_NAME       ? n->name.id
                              : n->kind == N_KEYWORD    ? n->keyword.arg
                                                        : NULL;

    for (size_t k = 0; name && k < ARRAY_LEN(names); k++) {
        if (str_is(name_str(name), names[k]))
            return true;
    }
    return false;
}

static bits deleted(const struct item *i)
{
    if (i->node->kind == N_NAME && i->node->op == CTX_DEL)
        return sure_bit(i->scope, i->node->name.id);
    if (i->node->kind == N_EXCEPT_HANDLER && i->node->handler.name)
        return sure_bit(i->scope, i->node->handler.name);
    return 0;
}

/* What a later cell may uncover under a function's feet by `del`. Other builtins do no harm, and
 * their names are everybody's: `input = 5`. */
static bits find_doors(const struct scope *module)
{
    static const char *const names[] = {
        "__builtins__", "__import__", "breakpoint", "compile", "delattr", "eval", "exec",
        "getattr",      "globals",    "locals",     "open",    "setattr", "vars"};
    bits ret = 0;

    for (const struct symbol *s = module->symbols; s; s = s->next) {
        const struct symbol_facts *facts = s->user;
        for (size_t k = 0; facts && facts->bit && k < ARRAY_LEN(names); k++)
            ret |= str_is(name_str(s->name), names[k]) ? (bits)1 << (facts->bit - 1) : 0;
    }
    return ret;
}

void program_find_sure(struct program *p)
{
    bits never = 0;

    if (!enlist_all(p))
        return;
    for (size_t i = 0; i < p->n; i++) {
        if (program_reflects(&p->items[i]))
            never = ~(bits)0;
        never |= deleted(&p->items[i]);
        p->class_hooks |= is_class_hook(p->items[i].node);
    }
    program_flow(p, never, p->cell ? find_doors(p->module_scope) : 0);
}
