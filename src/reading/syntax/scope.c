/* SPDX-License-Identifier: Apache-2.0 */
#include "syntax/scope.h"

#include <stdarg.h>
#include <string.h>

#include "base/mem.h"
#include "syntax/future.h"
#include "syntax/lex.h"
#include "syntax/scope_parts.h"

int scope_fail(struct python_tree *tree, const struct node *at, const char *fmt, ...)
{
    va_list ap;

    if (tree->error.kind != PYTHON_NO_ERROR)
        return -1;
    va_start(ap, fmt);
    AUTO_FREE char *text = xvasprintf(fmt, ap);
    va_end(ap);
    tree->error = (struct python_error){
        .kind = PYTHON_SYNTAX_ERROR,
        .line = at->line,
        .column = (int32_t)at->column + 1,
        .end_line = at->end_line,
        .end_column = (int32_t)at->end_column + 1,
        .bytes = true,
        .message = arena_str(&tree->arena, str_from(text)).p,
    };
    return -1;
}

/* ---- private names ---- */

/* True for `__x`, but not for `__x__` or a dotted name. */
static bool name_is_private(const struct name *name)
{
    const char *s = name->text;

    if (name->n < 3 || s[0] != '_' || s[1] != '_')
        return false;
    return !(s[name->n - 1] == '_' && s[name->n - 2] == '_') && !strchr(s, '.');
}

static uint32_t mangled_slot(const struct scope_index *index, const struct name *class_name,
                             const struct name *name)
{
    uint32_t slot = (class_name->hash * 31 + name->hash) & (index->mangled_size - 1);

    while (index->mangled[slot].name &&
           (index->mangled[slot].name != name || index->mangled[slot].class_name != class_name))
        slot = (slot + 1) & (index->mangled_size - 1);
    return slot;
}

static void mangled_grow(struct python_tree *tree, struct scope_index *index)
{
    struct scope_index old = *index;

    index->mangled_size = old.mangled_size ? old.mangled_size * 4 : 16;
    index->mangled = arena_zalloc(&tree->arena, index->mangled_size * sizeof *index->mangled);
    for (uint32_t i = 0; i < old.mangled_size; i++) {
        const struct mangled *m = &old.mangled[i];
        if (m->name)
            index->mangled[mangled_slot(index, m->class_name, m->name)] = *m;
    }
}

/* Mangles a private name. The results are kept, because names of classes may be long and private
 * names many. */
static struct name *mangle(struct python_tree *tree, struct scope_index *index,
                           const struct name *class_name, struct name *name)
{
    const char *class_text = class_name->text + strspn(class_name->text, "_");

    if (!*class_text) /* a class name that has no letter but underscores mangles nothing */
        return name;
    if (index->mangled_count * 4 >= index->mangled_size * 3)
        mangled_grow(tree, index);
    struct mangled *m = &index->mangled[mangled_slot(index, class_name, name)];
    if (!m->name) {
        AUTO_FREE char *text = xasprintf("_%s%s", class_text, name->text);
        *m = (struct mangled){class_name, name, name_get_plain(tree, str_from(text))};
        index->mangled_count++;
        index->mangled_bytes += m->mangled->n;
    }
    return m->mangled;
}

static struct name *as_bound(struct builder *b, struct name *name)
{
    if (!b->private_class || !name_is_private(name))
        return name;
    return mangle(b->tree, b->index, b->private_class, name);
}

struct name *scope_mangle(struct python_tree *tree, const struct scope *scope, struct name *name)
{
    if (!name_is_private(name))
        return name;
    for (; scope; scope = scope->parent)
        if (scope->node->kind == N_CLASS_DEF)
            return mangle(tree, scope->index, scope->node->class_def.name, name);
    return name;
}

/* ---- scopes by their node ---- */

static uint32_t index_slot(const struct scope_index *index, const struct scope *parent,
                           const struct node *node)
{
    uint64_t key = (uintptr_t)parent * 31 + (uintptr_t)node;
    uint32_t slot = (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (index->size - 1);

    while (index->at[slot] && (index->at[slot]->node != node || index->at[slot]->parent != parent))
        slot = (slot + 1) & (index->size - 1);
    return slot;
}

static void index_put(struct scope_index *index, struct scope *scope)
{
    uint32_t slot = index_slot(index, scope->parent, scope->node);

    if (!index->at[slot])
        index->at[slot] = scope;
}

static void index_add(struct builder *b, struct scope *scope)
{
    struct scope_index *index = b->index, old = *index;

    if (index->count++ * 4 >= index->size * 3) {
        index->size = old.size ? old.size * 4 : 16;
        index->at = arena_zalloc(&b->tree->arena, index->size * sizeof *index->at);
        for (uint32_t i = 0; i < old.size; i++)
            if (old.at[i])
                index_put(index, old.at[i]);
    }
    index_put(index, scope);
}

struct scope *scope_of(const struct scope *parent, const struct node *node)
{
    const struct scope_index *index = parent->index;

    return index->size ? index->at[index_slot(index, parent, node)] : NULL;
}

struct scope_place scope_enter(struct builder *b, enum scope_kind kind, enum block_kind block,
                               const struct node *node)
{
    struct scope_place outside = b->at;
    struct scope *parent = outside.scope;
    struct scope *scope = arena_zalloc(&b->tree->arena, sizeof *scope);

    *scope = (struct scope){
        .kind = kind, .node = node, .parent = parent, .block = (uint8_t)block, .index = b->index};
    if (parent && parent->last_child)
        parent->last_child->next = scope;
    else if (parent)
        parent->first_child = scope;
    if (parent) {
        parent->last_child = scope;
        index_add(b, scope);
    }
    b->at = (struct scope_place){scope, block, false, outside.in_iterable};
    return outside;
}

void scope_leave(struct builder *b, struct scope_place outside)
{
    b->at = outside;
}

/* ---- symbols by name ---- */

static uint32_t symbol_slot(const struct scope *scope, const struct name *name)
{
    uint32_t slot = name->hash & (scope->table_size - 1);

    while (scope->table[slot] && scope->table[slot]->name != name)
        slot = (slot + 1) & (scope->table_size - 1);
    return slot;
}

struct symbol *scope_find(const struct scope *scope, const struct name *name)
{
    return scope->table_size ? scope->table[symbol_slot(scope, name)] : NULL;
}

static void table_grow(struct arena *arena, struct scope *scope)
{
    scope->table_size = scope->table_size ? scope->table_size * 2 : 8;
    scope->table = arena_zalloc(arena, scope->table_size * sizeof *scope->table);
    for (struct symbol *s = scope->symbols; s; s = s->next)
        scope->table[symbol_slot(scope, s->name)] = s;
}

/* Returns the symbol for a mangled name, which is made if it is missing. */
static struct symbol *scope_symbol(struct builder *b, struct scope *scope, struct name *name)
{
    struct symbol *found = scope_find(scope, name);

    if (found)
        return found;
    if (scope->count * 4 >= scope->table_size * 3)
        table_grow(&b->tree->arena, scope);
    struct symbol_record *record = arena_zalloc(&b->tree->arena, sizeof *record);
    struct symbol *symbol = &record->symbol;
    symbol->name = name;
    if (scope->last_symbol)
        scope->last_symbol->next = symbol;
    else
        scope->symbols = symbol;
    scope->last_symbol = symbol;
    scope->table[symbol_slot(scope, name)] = symbol;
    scope->count++;
    b->symbols++;
    return symbol;
}

/* If a scope declares the name `global`, notes its use of the name at the module's symbol, too. */
static void note_global(struct builder *b, const struct symbol *symbol)
{
    struct symbol *global = scope_symbol(b, b->module, symbol->name);

    global->flags |= SYMBOL_GLOBAL;
    if (symbol != global && (symbol->flags & FLAGS_GIVEN))
        global->flags |= OWN_BOUND_ELSEWHERE;
}

/* A long class name makes every mangled name long, so these get only a part of the memory limit. */
static bool is_too_large(const struct builder *b)
{
    size_t limit = b->tree->memory_limit;

    return arena_used(&b->tree->arena) > limit || b->index->mangled_bytes > limit / 16;
}

int scope_note(struct builder *b, struct scope *scope, struct name *name, unsigned flags,
               const struct node *at)
{
    size_t known = b->symbols;
    struct symbol *symbol = scope_symbol(b, scope, as_bound(b, name));

    if (b->symbols != known && is_too_large(b))
        return python_fail(b->tree, PYTHON_MEMORY_ERROR, at->line, -1, 0, -1,
                           "the program is too large for the memory limit of %zu bytes",
                           b->tree->memory_limit);
    if (flags & symbol->flags & SYMBOL_PARAMETER)
        return scope_fail(b->tree, at, "duplicate argument '%s' in function definition",
                          name->text);
    if (flags & symbol->flags & OWN_TYPE_PARAM)
        return scope_fail(b->tree, at, "duplicate type parameter '%s'", name->text);
    symbol->flags |= flags;
    if (b->at.in_target && scope == b->at.scope) {
        if (symbol->flags & (SYMBOL_GLOBAL | SYMBOL_NONLOCAL))
            return scope_fail(b->tree, at,
                              "comprehension inner loop cannot rebind assignment expression "
                              "target '%s'",
                              name->text);
        symbol->flags |= OWN_COMP_TARGET;
    }
    if (symbol->flags & SYMBOL_GLOBAL)
        note_global(b, symbol);
    return 0;
}

int scope_note_here(struct builder *b, struct name *name, unsigned flags, const struct node *at)
{
    return scope_note(b, b->at.scope, name, flags, at);
}

void scope_note_directive(struct builder *b, struct name *name, const struct node *at)
{
    struct symbol *symbol = scope_symbol(b, b->at.scope, as_bound(b, name));
    struct symbol_record *record = (struct symbol_record *)symbol;

    if (!record->directive)
        record->directive = at;
}

/* ---- the whole program ---- */

static void set_class_cells(struct builder *b)
{
    unsigned n = 0;

    b->class_cells[n++] = name_get_plain(b->tree, STR("__class__"));
    if (b->tree->target >= 12)
        b->class_cells[n++] = name_get_plain(b->tree, STR("__classdict__"));
    if (b->tree->target >= 14)
        b->class_cells[n++] = name_get_plain(b->tree, STR("__conditional_annotations__"));
}

struct scope *scope_build(struct python_tree *tree)
{
    struct future future;

    if (future_read(tree, &future) < 0)
        return NULL;
    struct builder b = {
        .tree = tree,
        .index = arena_zalloc(&tree->arena, sizeof *b.index),
        .super = name_get_plain(tree, STR("super")),
        .debug = name_get_plain(tree, STR("__debug__")),
        .star = name_get_plain(tree, STR("*")),
        .late_annotations = future.annotations || tree->target >= 14,
        .future_line = future.line,
    };
    set_class_cells(&b);
    (void)scope_enter(&b, SCOPE_MODULE, BLOCK_MODULE, tree->module);
    b.module = b.at.scope;
    if (scope_visit_list(&b, tree->module->module.body) < 0 || scope_resolve(&b) < 0)
        return NULL;
    return b.module;
}
