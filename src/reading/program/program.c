/* SPDX-License-Identifier: Apache-2.0 */
#include "program/program_sure.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "syntax/lex.h"

/* ---- node to scope ---- */

struct scope_slot {
    const struct node *node;
    const struct scope *scope;
};

static size_t program_slot_of(const struct program *p, const struct node *node)
{
    size_t at = ((uintptr_t)node >> 4) * 0x9E3779B97F4A7C15u >> 20 & p->scopes_mask;

    while (p->scopes[at].node && p->scopes[at].node != node)
        at = (at + 1) & p->scopes_mask;
    return at;
}

/* The next scope in depth-first order, without recursion: scopes can be nested as deeply as the
 * tree. */
static const struct scope *next_scope(const struct scope *s)
{
    if (s->first_child)
        return s->first_child;
    while (s && !s->next)
        s = s->parent;
    return s ? s->next : NULL;
}

void program_index_scopes(struct program *p)
{
    size_t n = 0, size = 16;

    for (const struct scope *s = p->module_scope; s; s = next_scope(s))
        n++;
    while (size < n * 2)
        size *= 2;
    p->scopes = arena_zalloc(&p->arena, size * sizeof *p->scopes);
    p->scopes_mask = size - 1;
    for (const struct scope *s = p->module_scope; s; s = next_scope(s)) {
        if (s->kind != SCOPE_TYPE && s->node)
            p->scopes[program_slot_of(p, s->node)] = (struct scope_slot){s->node, s};
    }
}

const struct scope *program_scope(const struct program *p, const struct node *node)
{
    return p->scopes[program_slot_of(p, node)].scope;
}

/* ---- names ---- */

/* The scope in which an outer name is looked up. Class bodies are skipped: their names are visible
 * only in the body itself. */
static const struct scope *outer(const struct scope *s)
{
    do
        s = s->parent;
    while (s && s->kind == SCOPE_CLASS);
    return s;
}

static const struct symbol *in_owner(const struct symbol *s, const struct scope *at,
                                     const struct name *name)
{
    const struct symbol *there = NULL;

    if (s->owner && s->owner != at)
        there = scope_find(s->owner, name);
    return there ? there : s;
}

const struct symbol *program_symbol(const struct scope *scope, const struct name *name,
                                    bool *ret_builtin)
{
    for (const struct scope *at = scope; at; at = outer(at)) {
        const struct symbol *s = scope_find(at, name);
        if (!s)
            continue;
        *ret_builtin = s->home == HOME_BUILTIN;
        return *ret_builtin ? NULL : in_owner(s, at, name);
    }
    *ret_builtin = true;
    return NULL;
}

const struct symbol *program_member(const struct program *p, const struct scope *scope,
                                    struct str name)
{
    const struct symbol *s = scope_find(scope, name_get(p->tree, name));

    return s && s->home != HOME_BUILTIN ? s : NULL;
}

struct symbol_facts *program_facts(struct program *p)
{
    struct symbol_facts *facts = arena_zalloc(&p->arena, sizeof *facts);

    facts->end = &facts->first;
    return facts;
}

struct symbol_facts *program_facts_of(struct program *p, struct symbol *s)
{
    if (s->user)
        return s->user;
    struct symbol_facts *facts = program_facts(p);
    facts->symbol = s;
    if (p->facts)
        p->last_facts->next = facts;
    else
        p->facts = facts;
    s->user = p->last_facts = facts;
    return facts;
}

void program_add_binding(struct program *p, struct symbol_facts *facts, struct binding b)
{
    if (facts->n++ >= PROGRAM_MAX_BINDINGS)
        return;
    struct binding *kept = arena_alloc(&p->arena, sizeof *kept);
    *kept = b;
    kept->next = NULL;
    *facts->end = kept;
    facts->end = &kept->next;
}

void program_bind(struct program *p, const struct scope *scope, const struct name *name,
                  struct binding b)
{
    bool builtin;
    struct symbol *s = (struct symbol *)program_symbol(scope, name, &builtin);

    if (s)
        program_add_binding(p, program_facts_of(p, s), b);
}

void program_star(struct program *p, struct str module)
{
    if (!p->stars)
        p->stars = arena_alloc(&p->arena, PROGRAM_MAX_STARS * sizeof *p->stars);
    if (p->n_stars < PROGRAM_MAX_STARS)
        p->stars[p->n_stars++] = module;
}

uint32_t program_add(struct program *p, const struct node *node, const struct scope *scope,
                     uint32_t parent)
{
    if (p->n == p->room) {
        p->room = p->room ? p->room * 2 : 1024;
        p->items = xrealloc_array(p->items, p->room, sizeof *p->items);
    }
    p->items[p->n] = (struct item){node, scope, parent};
    return (uint32_t)p->n++;
}

void program_done(struct program *p)
{
    for (struct symbol_facts *facts = p->facts; facts; facts = facts->next)
        facts->symbol->user = NULL;
    arena_done(&p->arena);
    free(p->items);
    free(p->members);
    *p = (struct program){0};
}
