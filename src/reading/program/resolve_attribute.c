/* SPDX-License-Identifier: Apache-2.0
 *
 * v.attr and v[index], for every kind of v.
 */
#include <string.h>

#include "base/mem.h"
#include "policy/modules.h"
#include "program/resolve.h"

static struct arena *resolve_attribute_arena_of(struct resolver *r)
{
    return r->fold.arena;
}

static const struct value *space(struct resolver *r, struct str module)
{
    return value_text(resolve_attribute_arena_of(r), VALUE_SPACE, module);
}

static const struct value *method(struct resolver *r, const struct value *self, struct str name)
{
    struct value *v = value_list(resolve_attribute_arena_of(r), VALUE_METHOD, 1);

    v->items[0] = self;
    v->text = name;
    return v;
}

/* The name without the underscores, as for `random._os`. */
static struct str bare(struct str name)
{
    while (name.n && name.p[0] == '_')
        name = str_slice(name, 1, name.n);
    return name;
}

/* If an unknown object has an attribute named like a door (module_is_door), guesses that module:
 * self.os. */
static const struct value *guessed(struct resolver *r, struct str attr)
{
    if (str_is(attr, "__self__"))
        return value_guess(resolve_attribute_arena_of(r), resolve_module(r, STR("builtins")));
    return module_is_door(bare(attr))
               ? value_guess(resolve_attribute_arena_of(r), resolve_module(r, bare(attr)))
               : &value_unknown;
}

/* __main__.x, for an x that the program binds. */
static const struct value *own_variable(struct resolver *r, struct str name)
{
    const struct symbol *symbol = program_member(r->p, r->p->module_scope, name);

    return symbol && symbol->user ? resolve_symbol(r, symbol) : &value_unknown;
}

/* A module that another module has imported: re.enum, numpy.os. */
static const struct value *borrowed(struct resolver *r, struct str base, struct str attr)
{
    struct str target;

    if (memchr(base.p, '(', base.n))
        return guessed(r, attr);
    if (str_is(base, "__main__"))
        return own_variable(r, attr);
    if (module_holds(base, attr, &target))
        return resolve_module(r, target);
    return module_is_door(bare(attr)) && !module_is_library(base) ? resolve_module(r, bare(attr))
                                                                  : &value_unknown;
}

/* The module to which a function belongs, for its __self__: os.getcwd.__self__. */
static const struct value *owner(struct resolver *r, struct str path)
{
    size_t n = path.n;

    while (n && path.p[n - 1] != '.')
        n--;
    return n ? resolve_module(r, str_slice(path, 0, n - 1)) : &value_unknown;
}

static bool same_type(struct str attr)
{
    static const char *const names[] = {"parent",      "joinpath",   "resolve",
                                        "absolute",    "expanduser", "with_name",
                                        "with_suffix", "home",       "cwd"};

    return name_is_in(attr, names, ARRAY_LEN(names));
}

/* Attributes that all objects have; unknown if the attribute leads nowhere. */
static const struct value *special_attribute(struct resolver *r, const struct value *v,
                                             struct str attr)
{
    if (str_is(attr, "__dict__"))
        return space(r, v->text);
    if (str_is(attr, "__call__") || str_is(attr, "__func__"))
        return v;
    if (str_is(attr, "__builtins__") || str_is(attr, "f_builtins"))
        return resolve_module(r, STR("builtins"));
    if (str_is(attr, "__globals__") || str_is(attr, "f_globals"))
        return space(r, STR(""));
    if (str_is(attr, "__self__"))
        return owner(r, v->text);
    if (str_is(attr, "__cause__") || str_is(attr, "__context__"))
        return value_is_path(v, "builtins.BaseException()") ? v : &value_unknown;
    if (str_is(attr, "__getattribute__") && !value_is_path(v, "builtins.object") &&
        !value_is_path(v, "builtins.type"))
        return method(r, v, attr);
    return &value_unknown;
}

static const struct value *path_attribute(struct resolver *r, const struct value *v,
                                          struct str attr)
{
    const struct value *ret = &value_unknown;

    if (str_starts(attr, "__") || str_starts(attr, "f_"))
        ret = special_attribute(r, v, attr);
    if (ret->kind == VALUE_UNKNOWN)
        ret = borrowed(r, v->text, attr);
    if (ret->kind != VALUE_UNKNOWN)
        return ret;
    if (str_starts(v->text, "pathlib.Path") && same_type(attr)) {
        bool property = str_is(attr, "parent");
        return property
                   ? v
                   : value_path(resolve_attribute_arena_of(r), STR("pathlib.Path"), "", STR(""));
    }
    ret = value_path(resolve_attribute_arena_of(r), v->text, ".", attr);
    if (ret->kind != VALUE_PATH)
        return ret;
    struct str plain = module_plain_path(ret->text);
    return plain.p == ret->text.p ? ret
                                  : value_path(resolve_attribute_arena_of(r), plain, "", STR(""));
}

static bool is_dict_method(struct str attr)
{
    return str_is(attr, "get") || str_is(attr, "pop") || str_is(attr, "__getitem__") ||
           str_is(attr, "setdefault");
}

static const struct value *unknown_attribute(struct resolver *r, struct str attr)
{
    if (attr.n < 8 || (attr.p[0] != '_' && attr.p[0] != 'f'))
        return guessed(r, attr);
    if (str_is(attr, "__builtins__") || str_is(attr, "f_builtins"))
        return resolve_module(r, STR("builtins"));
    bool globals = str_is(attr, "__globals__") || str_is(attr, "f_globals");
    return globals ? space(r, STR("")) : guessed(r, attr);
}

static const struct value *class_attribute(struct resolver *r, const struct value *v,
                                           struct str attr)
{
    const struct value *found = resolve_member(r, v, attr);

    return found->kind == VALUE_UNKNOWN ? unknown_attribute(r, attr) : found;
}

static const struct value *object_attribute(const struct value *v, struct str attr)
{
    for (size_t i = 0; i < v->n; i++) {
        if (v->keys[i]->kind == VALUE_TEXT && str_eq(v->keys[i]->text, attr))
            return v->items[i];
    }
    return &value_unknown;
}

static const struct value *attribute_one(struct resolver *r, const struct value *v, struct str attr)
{
    switch ((int)v->kind) {
    case VALUE_UNKNOWN:
        return unknown_attribute(r, attr);
    case VALUE_PATH:
        if (str_is(v->text, "sys.modules") && is_dict_method(attr))
            return method(r, v, attr);
        return path_attribute(r, v, attr);
    case VALUE_SPACE:
        if (!v->text.n && str_is(attr, "__dict__")) /* sys.modules[__name__].__dict__ */
            return v;
        return is_dict_method(attr) || str_is(attr, "items") || str_is(attr, "values")
                   ? method(r, v, attr)
                   : &value_unknown;
    case VALUE_INT:
    case VALUE_TEXT:
    case VALUE_BYTES:
    case VALUE_LIST:
    case VALUE_DICT:
    case VALUE_DECODED:
    case VALUE_MADE:
        return method(r, v, attr);
    case VALUE_CLASS:
    case VALUE_INSTANCE:
        return class_attribute(r, v, attr);
    case VALUE_OBJECT:
        return object_attribute(v, attr);
    case VALUE_PARTIAL:
        return str_is(attr, "func") ? v->items[0] : &value_unknown;
    case VALUE_FUNCTION:
        return str_is(attr, "__call__") ? v : unknown_attribute(r, attr);
    }
    return unknown_attribute(r, attr);
}

const struct value *resolve_attribute(struct resolver *r, const struct value *v, struct str attr)
{
    const struct value *ret = &value_unknown;

    if (v->kind != VALUE_ANY)
        return attribute_one(r, v, attr);
    for (size_t i = 0; i < v->n; i++)
        ret = value_either(resolve_attribute_arena_of(r), ret, attribute_one(r, v->items[i], attr));
    return ret;
}

/* ---- subscripts ---- */

static const struct value *resolve_attribute_member(struct resolver *r, const struct value *v,
                                                    struct str key)
{
    if (v->kind == VALUE_SPACE && !v->text.n)
        return resolve_global(r, key);
    if (v->kind == VALUE_SPACE || value_is_path(v, "builtins"))
        return path_attribute(r, v, key);
    if (!value_is_path(v, "sys.modules"))
        return &value_unknown;
    return str_is(key, "__main__") ? space(r, STR("")) : resolve_module(r, key);
}

static const struct value *item_one(struct resolver *r, const struct value *v,
                                    const struct value *index)
{
    const struct value *ret = &value_unknown;

    if (v->kind == VALUE_INSTANCE) {
        struct arguments args = {.whole = true};
        args.list = (struct fold_args){.at = args.at, .names = args.names, .n = 1};
        args.at[0] = index;
        return resolve_special(r, v, STR("__getitem__"), &args);
    }
    if (v->kind != VALUE_SPACE && v->kind != VALUE_PATH)
        return fold_item(&r->fold, v, index);
    for (size_t i = 0; i < value_count(index); i++) {
        const struct value *key = value_at(index, i), *found;
        if (key->kind != VALUE_TEXT)
            continue;
        found = resolve_attribute_member(r, v, key->text);
        ret = value_either(resolve_attribute_arena_of(r), ret,
                           key->pieced ? value_hide(resolve_attribute_arena_of(r), found) : found);
    }
    return ret;
}

const struct value *resolve_item(struct resolver *r, const struct value *v,
                                 const struct value *index)
{
    const struct value *ret = &value_unknown;

    for (size_t i = 0; i < value_count(v); i++)
        ret = value_either(resolve_attribute_arena_of(r), ret, item_one(r, value_at(v, i), index));
    return ret;
}
