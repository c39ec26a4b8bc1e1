/* SPDX-License-Identifier: Apache-2.0
 *
 * The results of library functions that matter here: looking things up by name (getattr,
 * __import__, vars), endless iterators, and wrappers that call something else later.
 */
#include <string.h>

#include "base/mem.h"
#include "policy/modules.h"
#include "program/resolve.h"

static struct arena *resolve_library_arena_of(struct resolver *r)
{
    return r->fold.arena;
}

/* ---- looking up by name ---- */

const struct value *resolve_names(struct resolver *r, const struct value *v,
                                  const struct value *names)
{
    bool known = v->kind == VALUE_INSTANCE || v->kind == VALUE_CLASS; /* any attribute is one
                                                                         that the program itself
                                                                         has set */
    const struct value *ret = &value_unknown;

    for (size_t i = 0; i < value_count(names); i++) {
        const struct value *name = value_at(names, i), *found;
        if (name->kind != VALUE_TEXT)
            continue;
        known = true;
        found = resolve_attribute(r, v, name->text);
        ret = value_either(resolve_library_arena_of(r), ret,
                           name->pieced ? value_hide(resolve_library_arena_of(r), found) : found);
    }
    if (!known)
        return &value_sought;
    return names->open ? value_open(resolve_library_arena_of(r), ret) : ret;
}

static const struct value *call_getattr(struct resolver *r, const struct arguments *args)
{
    const struct value *found =
        resolve_names(r, argument_at(args, 0, NULL), argument_at(args, 1, NULL));

    return found->sought
               ? found
               : value_either(resolve_library_arena_of(r), found, argument_at(args, 2, NULL));
}

static struct str first_part(struct str name)
{
    const char *dot = memchr(name.p, '.', name.n);

    return dot ? (struct str){name.p, (size_t)(dot - name.p)} : name;
}

static const struct value *import_by(struct resolver *r, const struct arguments *args, bool top)
{
    const struct value *names = argument_at(args, 0, "name"), *ret = &value_unknown, *found;

    for (size_t i = 0; i < value_count(names); i++) {
        const struct value *name = value_at(names, i);
        if (name->kind != VALUE_TEXT)
            continue;
        found = resolve_module(r, top ? first_part(name->text) : name->text);
        ret = value_either(resolve_library_arena_of(r), ret,
                           name->pieced ? value_hide(resolve_library_arena_of(r), found) : found);
    }
    return ret;
}

static const struct value *call_import(struct resolver *r, const struct arguments *args)
{
    const struct value *from = argument_at(args, 3, "fromlist");
    bool truth = false;

    return import_by(r, args, !value_truth(from, &truth) || !truth);
}

static const struct value *call_import_module(struct resolver *r, const struct arguments *args)
{
    return import_by(r, args, false);
}

static const struct value *call_vars(struct resolver *r, const struct arguments *args)
{
    const struct value *v = argument_at(args, 0, NULL);

    if (args->list.n && v->kind != VALUE_PATH)
        return &value_unknown;
    return value_text(resolve_library_arena_of(r), VALUE_SPACE, args->list.n ? v->text : STR(""));
}

/* The names in a module that leads to powerful ones: a search among them may find a module. */
static const struct value *call_dir(struct resolver *r, const struct arguments *args)
{
    const struct value *v = argument_at(args, 0, NULL);

    (void)r;
    return v->kind == VALUE_PATH && module_leads(v->text) ? &value_made : &value_unknown;
}

/* ---- iterators ---- */

static const struct value *endless(struct resolver *r, const char *what)
{
    return value_text(resolve_library_arena_of(r), VALUE_ENDLESS, str_from(what));
}

static const struct value *call_count(struct resolver *r, const struct arguments *args)
{
    (void)args;
    return endless(r, "itertools.count");
}

static const struct value *call_cycle(struct resolver *r, const struct arguments *args)
{
    (void)args;
    return endless(r, "itertools.cycle");
}

static const struct value *call_repeat(struct resolver *r, const struct arguments *args)
{
    return args->list.n == 1 && args->whole ? endless(r, "itertools.repeat") : &value_unknown;
}

static bool wants_result(const struct value *f, const struct value *sentinel)
{
    /* int(), str() and list() always return the same value, so a different sentinel is never
     * reached. */
    bool empty =
        value_is_path(f, "builtins.int") && sentinel->kind == VALUE_INT && sentinel->integer != 0;

    return empty ||
           (value_is_path(f, "builtins.str") && sentinel->kind != VALUE_TEXT &&
            sentinel->kind != VALUE_UNKNOWN) ||
           (value_is_path(f, "builtins.list") && sentinel->kind != VALUE_LIST &&
            sentinel->kind != VALUE_UNKNOWN);
}

static bool constant_function(const struct value *f)
{
    return f->kind == VALUE_FUNCTION && f->node->kind == N_LAMBDA &&
           f->node->lambda.body->kind == N_CONSTANT;
}

static const struct value *call_iter(struct resolver *r, const struct arguments *args)
{
    const struct value *x = argument_at(args, 0, NULL), *sentinel = argument_at(args, 1, NULL);

    if (args->list.n == 2)
        return wants_result(x, sentinel) || constant_function(x) ? endless(r, "iter")
                                                                 : &value_unknown;
    return x->kind == VALUE_ENDLESS ? x : fold_list(&r->fold, x);
}

static const struct value *call_next(struct resolver *r, const struct arguments *args)
{
    return fold_item(&r->fold, fold_list(&r->fold, argument_at(args, 0, NULL)),
                     value_int(resolve_library_arena_of(r), 0));
}

/* Endless if the argument is endless. (zip() ends with its shortest argument.) */
static const struct value *call_enumerate(struct resolver *r, const struct arguments *args)
{
    (void)r;
    return argument_at(args, 0, NULL)->kind == VALUE_ENDLESS ? args->at[0] : &value_unknown;
}

static const struct value *call_zip(struct resolver *r, const struct arguments *args)
{
    (void)r;
    for (size_t i = 0; i < args->list.n; i++) {
        if (args->at[i]->kind != VALUE_ENDLESS)
            return &value_unknown;
    }
    return args->list.n && args->whole ? args->at[0] : &value_unknown;
}

static const struct value *call_chain(struct resolver *r, const struct arguments *args)
{
    (void)r;
    for (size_t i = 0; i < args->list.n; i++) {
        if (args->at[i]->kind == VALUE_ENDLESS)
            return args->at[i];
    }
    return &value_unknown;
}

static const struct value *call_map(struct resolver *r, const struct arguments *args)
{
    const struct value *f = argument_at(args, 0, NULL);
    const struct value *list = fold_list(&r->fold, argument_at(args, 1, NULL));

    if (argument_at(args, 1, NULL)->kind == VALUE_ENDLESS)
        return args->at[1];
    if (args->list.n != 2 || list->kind != VALUE_LIST || !fold_pay(&r->fold, list->n * 4))
        return &value_unknown;
    struct value *v = value_list(resolve_library_arena_of(r), VALUE_LIST, list->n);
    for (size_t i = 0; i < list->n; i++) {
        struct arguments one = {.whole = true};
        one.list = (struct fold_args){.at = one.at, .names = one.names, .n = 1};
        one.at[0] = list->items[i];
        v->items[i] = resolve_apply(r, f, &one);
    }
    return v;
}

/* ---- wrappers ---- */

static const struct value *wrapper(struct resolver *r, enum value_kind kind,
                                   const struct arguments *args)
{
    struct value *v = value_list(resolve_library_arena_of(r), kind, args->list.n);

    memcpy(v->items, args->at, args->list.n * sizeof *v->items);
    return v;
}

static const struct value *call_partial(struct resolver *r, const struct arguments *args)
{
    return args->list.n && !args->list.n_named ? wrapper(r, VALUE_PARTIAL, args) : &value_unknown;
}

static const struct value *getter(struct resolver *r, const struct arguments *args, bool call)
{
    const struct value *name = argument_at(args, 0, NULL);
    struct value *v;

    call &= name->kind == VALUE_TEXT;
    v = value_list(resolve_library_arena_of(r), VALUE_GETTER, call ? 1 : 0);
    if (name->kind != VALUE_TEXT)
        return v;
    if (call)
        v->items[0] = &value_unknown;
    v->text = name->text;
    v->pieced = name->pieced;
    return v;
}

static const struct value *call_attrgetter(struct resolver *r, const struct arguments *args)
{
    return getter(r, args, false);
}

static const struct value *call_methodcaller(struct resolver *r, const struct arguments *args)
{
    return getter(r, args, true);
}

static const struct value *call_itemgetter(struct resolver *r, const struct arguments *args)
{
    struct value *v = value_list(resolve_library_arena_of(r), VALUE_GETTER, 1);

    v->items[0] = argument_at(args, 0, NULL);
    return args->list.n == 1 ? v : &value_unknown;
}

static const struct value *call_reduce(struct resolver *r, const struct arguments *args)
{
    const struct value *list = fold_list(&r->fold, argument_at(args, 1, NULL));
    const struct value *v = argument_at(args, 2, NULL);
    struct arguments two = {.whole = true};

    two.list = (struct fold_args){.at = two.at, .names = two.names, .n = 2};
    if (list->kind != VALUE_LIST || !args->whole || !fold_pay(&r->fold, list->n * 8))
        return &value_unknown;
    for (size_t i = 0; i < list->n; i++) {
        two.at[0] = v;
        two.at[1] = list->items[i];
        v = !i && args->list.n < 3 ? two.at[1] : resolve_apply(r, args->at[0], &two);
    }
    return v;
}

/* One item of a list: max, min, random.choice. Unknown for several arguments. */
static const struct value *call_any_of(struct resolver *r, const struct arguments *args)
{
    const struct value *list = fold_list(&r->fold, argument_at(args, 0, NULL));
    size_t plain = args->list.n - args->list.n_named;

    if (plain != 1 || list->kind != VALUE_LIST || !list->n)
        return &value_unknown;
    return fold_item(&r->fold, list,
                     list->n == 1 ? value_int(resolve_library_arena_of(r), 0) : &value_unknown);
}

static const struct value *call_namespace(struct resolver *r, const struct arguments *args)
{
    struct value *v = value_list(resolve_library_arena_of(r), VALUE_OBJECT, args->list.n_named);
    size_t plain = args->list.n - args->list.n_named;

    v->keys = arena_alloc(resolve_library_arena_of(r), (v->n + 1) * sizeof *v->keys);
    for (size_t i = 0; i < v->n; i++) {
        v->keys[i] = value_text(resolve_library_arena_of(r), VALUE_TEXT, args->names[i]);
        v->items[i] = args->at[plain + i];
    }
    return v;
}

/* type(x), if x is code, a function or a class: such a type can make more of them. */
static const struct value *call_type(struct resolver *r, const struct arguments *args)
{
    const struct value *v = argument_at(args, 0, NULL);

    if (args->list.n != 1)
        return &value_unknown;
    if (v->kind == VALUE_FUNCTION)
        return value_path(resolve_library_arena_of(r), STR("types.FunctionType"), "", STR(""));
    if (v->kind == VALUE_CLASS || value_is_path(v, "builtins.int") ||
        value_is_path(v, "builtins.object") || value_is_path(v, "builtins.str"))
        return value_path(resolve_library_arena_of(r), STR("builtins.type"), "", STR(""));
    if (value_is_path(v, "builtins.compile()"))
        return value_path(resolve_library_arena_of(r), STR("types.CodeType"), "", STR(""));
    return &value_unknown;
}

/* The result is unknown, and certainly not a thing of the library. */
static const struct value *call_unknown(struct resolver *r, const struct arguments *args)
{
    (void)r;
    (void)args;
    return &value_unknown;
}

static const struct value *call_first(struct resolver *r, const struct arguments *args)
{
    (void)r;
    return argument_at(args, 0, NULL);
}

static const struct value *call_last(struct resolver *r, const struct arguments *args)
{
    (void)r;
    return argument_at(args, 1, NULL);
}

static const struct {
    const char *path;
    call_fn *fn;
} handlers[] = {
    {"argparse.Namespace", call_namespace},
    {"asyncio.run", call_first},
    {"builtins.__import__", call_import},
    {"builtins.dir", call_dir},
    {"builtins.enumerate", call_enumerate},
    {"builtins.getattr", call_getattr},
    {"builtins.globals", call_vars},
    {"builtins.iter", call_iter},
    {"builtins.locals", call_vars},
    {"builtins.map", call_map},
    {"builtins.max", call_any_of},
    {"builtins.min", call_any_of},
    {"builtins.next", call_next},
    {"builtins.object.__getattribute__", call_getattr},
    {"builtins.staticmethod", call_first},
    {"builtins.super", call_unknown},
    {"builtins.type", call_type},
    {"builtins.type.__getattribute__", call_getattr},
    {"builtins.vars", call_vars},
    {"builtins.zip", call_zip},
    {"collections.namedtuple", call_unknown},
    {"contextlib.closing", call_first},
    {"contextlib.nullcontext", call_first},
    {"copy.copy", call_first},
    {"copy.deepcopy", call_first},
    {"functools.partial", call_partial},
    {"functools.reduce", call_reduce},
    {"importlib.import_module", call_import_module},
    {"inspect.getattr_static", call_getattr},
    {"itertools.chain", call_chain},
    {"itertools.count", call_count},
    {"itertools.cycle", call_cycle},
    {"itertools.repeat", call_repeat},
    {"operator.attrgetter", call_attrgetter},
    {"operator.itemgetter", call_itemgetter},
    {"operator.methodcaller", call_methodcaller},
    {"random.choice", call_any_of},
    {"types.SimpleNamespace", call_namespace},
    {"typing.cast", call_last},
};

call_fn *resolve_handler(struct str path)
{
    size_t low = 0, high = ARRAY_LEN(handlers);

    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(path.p, handlers[middle].path);
        if (order == 0)
            return handlers[middle].fn;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}
