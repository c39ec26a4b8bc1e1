/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the scope that holds each name. Scopes are visited from the outside in. One table has, at
 * any time, the meaning of each name for a function that starts at this point, so the cost of a
 * look-up does not depend on how deeply functions are nested.
 */

#include "base/mem.h"
#include "syntax/scope_parts.h"

/* The meaning of a name at the resolver's position. */
struct meaning {
    const struct name *name;
    /* the symbol in the innermost enclosing function that binds the name or declares it global (in
     * which case the name is the module's); or NULL */
    struct symbol_record *visible;
    struct symbol *global; /* the module's own symbol, or NULL */
};

struct resolver {
    struct builder *b;
    struct meaning *meanings;
    size_t mask;
};

static struct meaning *meaning_of(const struct resolver *r, const struct name *name)
{
    size_t slot = name->hash & r->mask;

    while (r->meanings[slot].name && r->meanings[slot].name != name)
        slot = (slot + 1) & r->mask;
    r->meanings[slot].name = name;
    return &r->meanings[slot];
}

/* Reports an error at the declaration of the name. */
static int scope_resolve_fail(const struct resolver *r, const struct symbol *s, const char *before,
                              const char *after)
{
    const struct symbol_record *record = (const struct symbol_record *)s;

    return scope_fail(r->b->tree, record->directive, "%s'%s'%s", before, s->name->text, after);
}

static void make_global(const struct resolver *r, struct symbol *s, const struct meaning *m)
{
    s->owner = r->b->module;
    s->home = m->global && (m->global->flags & FLAGS_GIVEN) ? HOME_GLOBAL : HOME_BUILTIN;
}

static void make_free(struct symbol *s, struct symbol *outer)
{
    s->owner = outer->owner;
    s->home = HOME_FREE;
    if (outer->home == HOME_LOCAL)
        outer->home = HOME_CELL;
}

static bool is_visible(const struct meaning *m)
{
    return m->visible && !(m->visible->symbol.flags & SYMBOL_GLOBAL);
}

static int resolve_nonlocal(const struct resolver *r, const struct scope *scope, struct symbol *s,
                            const struct meaning *m)
{
    if (scope->kind == SCOPE_MODULE)
        return scope_fail(r->b->tree, ((struct symbol_record *)s)->directive,
                          "nonlocal declaration not allowed at module level");
    if (!is_visible(m))
        return scope_resolve_fail(r, s, "no binding for nonlocal ", " found");
    if (m->visible->symbol.flags & OWN_TYPE_PARAM)
        return scope_resolve_fail(r, s, "nonlocal binding not allowed for type parameter ", "");
    make_free(s, &m->visible->symbol);
    return 0;
}

/* The symbol of the class that a scope for types is in. Such a scope can see the names of its
 * class; a function cannot. */
static struct symbol *class_symbol(const struct scope *scope, const struct name *name)
{
    while (scope->kind == SCOPE_TYPE)
        scope = scope->parent;
    return scope->kind == SCOPE_CLASS ? scope_find(scope, name) : NULL;
}

static void resolve_used(const struct resolver *r, const struct scope *scope, struct symbol *s,
                         const struct meaning *m)
{
    struct symbol *in_class =
        scope->kind == SCOPE_TYPE ? class_symbol(scope->parent, s->name) : NULL;

    if (in_class && (in_class->flags & SYMBOL_GLOBAL)) {
        make_global(r, s, m);
    } else if (in_class && (in_class->flags & FLAGS_GIVEN) &&
               !(in_class->flags & SYMBOL_NONLOCAL)) {
        s->owner = in_class->owner;
        s->home = HOME_FREE;
    } else if (is_visible(m)) {
        make_free(s, &m->visible->symbol);
    } else {
        make_global(r, s, m);
    }
}

/* In a function, any kind of binding makes a name local. In a module or class, a bare annotation or
 * `del` only hides the names of enclosing functions: the name then means the module's or the
 * builtin. */
static void resolve_bound(const struct resolver *r, struct scope *scope, struct symbol *s,
                          const struct meaning *m)
{
    bool by_name = scope->kind == SCOPE_MODULE || scope->kind == SCOPE_CLASS;

    if (by_name && !(s->flags & FLAGS_GIVEN)) {
        make_global(r, s, m);
        return;
    }
    s->owner = scope;
    s->home = HOME_LOCAL;
}

static int resolve_symbol(const struct resolver *r, struct scope *scope, struct symbol *s)
{
    const struct meaning *m = meaning_of(r, s->name);
    unsigned declared = s->flags & (SYMBOL_GLOBAL | SYMBOL_NONLOCAL);

    if (s->flags & OWN_LATE_USE)
        s->flags |= SYMBOL_USED;
    if (declared == (SYMBOL_GLOBAL | SYMBOL_NONLOCAL))
        return scope_resolve_fail(r, s, "name ", " is nonlocal and global");
    if (declared & SYMBOL_NONLOCAL)
        return resolve_nonlocal(r, scope, s, m);
    if (declared && scope->kind != SCOPE_MODULE)
        make_global(r, s, m);
    else if (s->flags & (FLAGS_BOUND | OWN_BOUND_ELSEWHERE))
        resolve_bound(r, scope, s, m);
    else
        resolve_used(r, scope, s, m);
    return 0;
}

/* True if functions inside the scope see the symbol: a name that it binds or declares global. */
static bool is_seen_inside(const struct symbol *s)
{
    return (s->flags & SYMBOL_GLOBAL) || s->home == HOME_LOCAL || s->home == HOME_CELL;
}

static void scope_resolve_show(const struct resolver *r, const struct scope *scope)
{
    for (struct symbol *s = scope->symbols; s; s = s->next) {
        if (!is_seen_inside(s))
            continue;
        struct symbol_record *record = (struct symbol_record *)s;
        struct meaning *m = meaning_of(r, s->name);
        record->hidden = m->visible;
        m->visible = record;
    }
}

static void hide(const struct resolver *r, const struct scope *scope)
{
    for (struct symbol *s = scope->symbols; s; s = s->next)
        if (is_seen_inside(s))
            meaning_of(r, s->name)->visible = ((struct symbol_record *)s)->hidden;
}

static int resolve(const struct resolver *r, struct scope *scope);

static int resolve_children(const struct resolver *r, const struct scope *scope)
{
    for (struct scope *child = scope->first_child; child; child = child->next)
        if (resolve(r, child) < 0)
            return -1;
    return 0;
}

/* Resolves the scopes in a class. They do not see the names of the class, except for a few that
 * Python itself defines there (class_cells). */
static int resolve_methods(const struct resolver *r, struct scope *scope)
{
    struct symbol_record cells[ARRAY_LEN(r->b->class_cells)];
    int n = 0;

    for (; n < (int)ARRAY_LEN(cells) && r->b->class_cells[n]; n++) {
        struct meaning *m = meaning_of(r, r->b->class_cells[n]);
        cells[n] = (struct symbol_record){.symbol = {.name = r->b->class_cells[n], .owner = scope},
                                          .hidden = m->visible};
        m->visible = &cells[n];
    }
    int rc = resolve_children(r, scope);
    while (n-- > 0)
        meaning_of(r, r->b->class_cells[n])->visible = cells[n].hidden;
    return rc;
}

static int resolve(const struct resolver *r, struct scope *scope)
{
    for (struct symbol *s = scope->symbols; s; s = s->next)
        if (resolve_symbol(r, scope, s) < 0)
            return -1;
    if (!scope->first_child)
        return 0;
    if (scope->kind == SCOPE_CLASS)
        return resolve_methods(r, scope);
    if (scope->kind == SCOPE_MODULE)
        return resolve_children(r, scope);
    scope_resolve_show(r, scope);
    int rc = resolve_children(r, scope);
    hide(r, scope);
    return rc;
}

int scope_resolve(struct builder *b)
{
    size_t size = 16;

    while (size < 2 * (b->symbols + ARRAY_LEN(b->class_cells)))
        size *= 2;
    AUTO_FREE struct meaning *meanings = xcalloc(size, sizeof *meanings);
    struct resolver r = {b, meanings, size - 1};
    for (struct symbol *s = b->module->symbols; s; s = s->next)
        meaning_of(&r, s->name)->global = s;
    return resolve(&r, b->module);
}
