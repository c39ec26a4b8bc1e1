/* SPDX-License-Identifier: Apache-2.0
 *
 * Classes of the program and their objects: attributes from class bodies, from bases, and from
 * assignments to self in methods; methods bound to their object; properties and descriptors. Also
 * the content of containers after something was put into them.
 */
#include <string.h>

#include "program/resolve.h"

enum { MAX_BASES = 4, MAX_ANCESTORS = 3 };

static struct arena *resolve_object_arena_of(struct resolver *r)
{
    return r->fold.arena;
}

/* ---- methods ---- */

static const struct value *bound(struct resolver *r, const struct value *f,
                                 const struct value *self)
{
    struct value *v = value_list(resolve_object_arena_of(r), VALUE_PARTIAL, 2);

    v->items[0] = f;
    v->items[1] = self;
    return v;
}

static bool is_property(const struct node *def)
{
    static const char *const names[] = {"property", "cached_property", "setter", "getter"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (program_decorated(def, names[i]))
            return true;
    }
    return false;
}

static const struct value *called_with(struct resolver *r, const struct value *f,
                                       const struct value *self)
{
    struct arguments args = {.whole = true};

    args.list = (struct fold_args){.at = args.at, .names = args.names, .n = 1};
    args.at[0] = self;
    return resolve_apply(r, f, &args);
}

/* A member found in a class, as it appears through the class or one of its objects (self). */
static const struct value *reached_member(struct resolver *r, const struct value *found,
                                          const struct value *self)
{
    const struct value *got;
    bool object = self->kind == VALUE_INSTANCE;

    if (found->kind == VALUE_INSTANCE && found->node != self->node) {
        got = resolve_special(r, found, STR("__get__"), &(struct arguments){.whole = true});
        return got->kind == VALUE_UNKNOWN ? found : got;
    }
    if (found->kind != VALUE_FUNCTION || found->node->kind == N_LAMBDA)
        return found->kind == VALUE_FUNCTION && object ? bound(r, found, self) : found;
    if (program_decorated(found->node, "staticmethod"))
        return found;
    if (object && is_property(found->node))
        return called_with(r, found, self);
    if (object || program_decorated(found->node, "classmethod"))
        return bound(r, found, self);
    return found;
}

/* ---- attributes ---- */

static const struct value *own_member(struct resolver *r, const struct value *v, struct str attr)
{
    const struct scope *body = program_scope(r->p, v->node);
    const struct symbol *symbol = body ? program_member(r->p, body, attr) : NULL;
    const struct value *found = &value_unknown, *assigned;

    if (symbol && (symbol->owner == body || !symbol->owner))
        found = resolve_symbol(r, symbol);
    assigned = body ? resolve_assigned(r, program_assigned(r->p, body, attr)) : found;
    return value_either(resolve_object_arena_of(r), found, assigned);
}

static const struct value *any_member(struct resolver *r, const struct value *v, struct str attr,
                                      int ancestors)
{
    const struct value *found = own_member(r, v, attr), *base;
    struct node_list bases = v->node->class_def.bases;

    for (size_t i = 0; i < bases.n && i < MAX_BASES && ancestors; i++) {
        if (found->kind != VALUE_UNKNOWN || !fold_pay(&r->fold, 4))
            break;
        base = resolve(r, bases.at[i], v->scope);
        if (base->kind == VALUE_CLASS)
            found = any_member(r, base, attr, ancestors - 1);
    }
    return found;
}

const struct value *resolve_member(struct resolver *r, const struct value *v, struct str attr)
{
    const struct value *all = any_member(r, v, attr, MAX_ANCESTORS), *ret = &value_unknown;

    for (size_t i = 0; i < value_count(all); i++)
        ret = value_either(resolve_object_arena_of(r), ret, reached_member(r, value_at(all, i), v));
    return all->open ? value_open(resolve_object_arena_of(r), ret) : ret;
}

const struct value *resolve_special(struct resolver *r, const struct value *v, struct str name,
                                    const struct arguments *args)
{
    const struct value *f = any_member(r, v, name, MAX_ANCESTORS);

    if (f->kind == VALUE_FUNCTION)
        return resolve_apply(r, bound(r, f, v), args);
    return f->kind == VALUE_PATH ? resolve_apply(r, f, args) : &value_unknown;
}

/* ---- with ---- */

const struct value *resolve_entered(struct resolver *r, const struct value *v)
{
    const struct value *got = &value_unknown;

    if (v->kind == VALUE_INSTANCE) {
        got = resolve_special(r, v, STR("__enter__"), &(struct arguments){.whole = true});
        return got->kind == VALUE_UNKNOWN ? v : got;
    }
    for (size_t i = 0; v->kind == VALUE_LIST && i < v->n && i < VALUE_MAX_ANY; i++)
        got = value_either(resolve_object_arena_of(r), got,
                           v->items[i]); /* a generator with contextmanager */
    return got->kind == VALUE_UNKNOWN ? v : got;
}

/* ---- containers ---- */

static const struct value *extended(struct resolver *r, const struct value *old,
                                    const struct value *key, const struct value *v)
{
    size_t n = old->kind == VALUE_LIST || old->kind == VALUE_DICT ? old->n : 0;
    struct value *ret;

    if (n >= VALUE_MAX_ITEMS || !fold_pay(&r->fold, n + 4))
        return old;
    ret = value_list(resolve_object_arena_of(r), key ? VALUE_DICT : VALUE_LIST, n + 1);
    ret->keys = key ? arena_alloc(resolve_object_arena_of(r), (n + 2) * sizeof *ret->keys) : NULL;
    for (size_t i = 0; i < n; i++) {
        ret->items[i] = old->items[i];
        if (key)
            ret->keys[i] =
                old->keys ? old->keys[i] : value_int(resolve_object_arena_of(r), (int64_t)i);
    }
    ret->items[n] = v;
    if (key)
        ret->keys[n] = key;
    return ret;
}

static bool is_new_dict(const struct value *v)
{
    return v->kind == VALUE_UNKNOWN || v->kind == VALUE_DICT || v->kind == VALUE_LIST ||
           value_is_path(v, "collections.defaultdict()") ||
           value_is_path(v, "collections.OrderedDict()");
}

const struct value *resolve_inserted(struct resolver *r, const struct value *container,
                                     const struct value *key, const struct value *v)
{
    if (key)
        return is_new_dict(container) ? extended(r, container, key, v) : container;
    return container->kind == VALUE_LIST ? extended(r, container, NULL, v) : container;
}
