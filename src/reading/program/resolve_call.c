/* SPDX-License-Identifier: Apache-2.0
 *
 * The result of a call: that of a library function (resolve_library.c), the return value of a
 * function of the program that does little else, and constants.
 */
#include <string.h>

#include "program/resolve.h"

enum { MAX_CALLS = 4, MAX_BODY = 8, MAX_RESULTS = 16, MAX_SEEN = 200, MAX_LOOKED = 1000 };

static struct arena *resolve_call_arena_of(struct resolver *r)
{
    return r->fold.arena;
}

/* ---- arguments ---- */

static void add_argument(struct arguments *args, const struct value *v, struct str name)
{
    if (args->list.n == RESOLVE_MAX_ARGS) {
        args->whole = false;
        return;
    }
    args->at[args->list.n++] = v;
    if (name.p)
        args->names[args->list.n_named++] = name;
}

static void spread(struct resolver *r, struct arguments *args, const struct value *v)
{
    const struct value *list = fold_list(&r->fold, v);

    if (list->kind != VALUE_LIST)
        args->whole = false;
    for (size_t i = 0; list->kind == VALUE_LIST && i < list->n && args->whole; i++)
        add_argument(args, list->items[i], (struct str){0});
}

static void spread_dict(struct arguments *args, const struct value *v)
{
    for (size_t i = 0; v->kind == VALUE_DICT && i < v->n; i++) {
        if (v->keys[i]->kind == VALUE_TEXT)
            add_argument(args, v->items[i], v->keys[i]->text);
    }
    args->whole &= v->kind == VALUE_DICT;
}

void resolve_arguments(struct resolver *r, const struct node *call, const struct scope *scope,
                       struct arguments *ret)
{
    ret->list = (struct fold_args){.at = ret->at, .names = ret->names};
    ret->whole = true;
    for (size_t i = 0; i < call->call.args.n && ret->whole; i++) {
        const struct node *arg = call->call.args.at[i];
        if (arg->kind == N_STARRED)
            spread(r, ret, resolve(r, arg->value_of.value, scope));
        else
            add_argument(ret, resolve(r, arg, scope), (struct str){0});
    }
    for (size_t i = 0; i < call->call.keywords.n; i++) {
        const struct node *k = call->call.keywords.at[i];
        const struct value *v = resolve(r, k->keyword.value, scope);
        if (k->keyword.arg)
            add_argument(ret, v, name_str(k->keyword.arg));
        else
            spread_dict(ret, v);
    }
}

const struct value *argument_at(const struct arguments *args, int at, const char *name)
{
    size_t plain = args->list.n - args->list.n_named;

    if (at >= 0 && (size_t)at < plain)
        return args->at[at];
    for (size_t i = 0; name && i < args->list.n_named; i++) {
        if (str_is(args->names[i], name))
            return args->at[plain + i];
    }
    return &value_unknown;
}

/* ---- functions of the program ---- */

static const struct frame *frame_bind(struct resolver *r, const struct scope *scope,
                                      const struct node *target, const struct value *value,
                                      const struct frame *next)
{
    bool builtin;
    struct frame *frame;

    if (target->kind == N_TUPLE || target->kind == N_LIST) {
        for (size_t i = 0; i < target->elements.elts.n && i < VALUE_MAX_ANY; i++) {
            const struct value *index = value_int(resolve_call_arena_of(r), (int64_t)i);
            next = frame_bind(r, scope, target->elements.elts.at[i],
                              fold_item(&r->fold, value, index), next);
        }
        return next;
    }
    if (target->kind != N_NAME && target->kind != N_ARG)
        return next;
    frame = arena_alloc(resolve_call_arena_of(r), sizeof *frame);
    frame->symbol =
        program_symbol(scope, target->kind == N_NAME ? target->name.id : target->arg.arg, &builtin);
    frame->value = value;
    frame->next = next;
    return frame;
}

static const struct frame *bind_arguments(struct resolver *r, const struct scope *inner,
                                          const struct node *parameters,
                                          const struct arguments *args)
{
    const struct frame *frame = r->frame;
    struct node_list early = parameters->arguments.posonlyargs, late = parameters->arguments.args;
    size_t plain = args->list.n - args->list.n_named;

    for (size_t i = 0; i < early.n + late.n && i < RESOLVE_MAX_ARGS; i++) {
        const struct node *arg = i < early.n ? early.at[i] : late.at[i - early.n];
        const struct value *v = argument_at(args, i < plain ? (int)i : -1, arg->arg.arg->text);
        if (v->kind != VALUE_UNKNOWN)
            frame = frame_bind(r, inner, arg, v, frame);
    }
    return frame;
}

struct results {
    struct resolver *r;
    const struct node *at[MAX_RESULTS];
    size_t n, seen;
    int kind; /* N_RETURN or N_YIELD */
};

static int find_results(void *ctx, struct node *n)
{
    struct results *found = ctx;

    if (++found->seen > MAX_SEEN || !fold_pay(&found->r->fold, 1))
        return 1;
    switch ((int)n->kind) {
    case N_FUNCTION_DEF:
    case N_ASYNC_FUNCTION_DEF:
    case N_CLASS_DEF:
    case N_LAMBDA:
        return 0;
    }
    if ((int)n->kind == found->kind && n->value_of.value && found->n < MAX_RESULTS)
        found->at[found->n++] = n->value_of.value;
    return node_each_child(n, find_results, ctx);
}

/* The values of a short body's return statements, or a list of the values that it yields. */
static const struct value *returned(struct resolver *r, struct node_list body,
                                    const struct scope *inner)
{
    struct results found = {.r = r, .kind = inner->generator ? N_YIELD : N_RETURN};
    const struct value *v = &value_unknown;
    struct value *list;

    for (size_t i = 0; i < body.n && body.n <= MAX_BODY; i++)
        (void)find_results(&found, body.at[i]);
    if (!inner->generator) {
        for (size_t i = 0; i < found.n; i++)
            v = value_either(resolve_call_arena_of(r), v, resolve(r, found.at[i], inner));
        return v;
    }
    list = value_list(resolve_call_arena_of(r), VALUE_LIST, found.n);
    for (size_t i = 0; i < found.n; i++)
        list->items[i] = resolve(r, found.at[i], inner);
    return found.n ? value_open(resolve_call_arena_of(r), list) : v;
}

static const struct value *call_function(struct resolver *r, const struct value *f,
                                         const struct arguments *args)
{
    const struct scope *inner = program_scope(r->p, f->node);
    const struct frame *frame = r->frame;
    bool lambda = f->node->kind == N_LAMBDA;
    const struct value *v;

    if (!inner || r->calls >= MAX_CALLS || ++r->looked > MAX_LOOKED)
        return &value_unknown;
    r->frame =
        bind_arguments(r, inner, lambda ? f->node->lambda.args : f->node->function.args, args);
    r->calls++;
    v = lambda ? resolve(r, f->node->lambda.body, inner)
               : returned(r, f->node->function.body, inner);
    r->calls--;
    r->frame = frame;
    return v;
}

/* ---- comprehensions ---- */

/* Evaluates only one generator without conditions: enough for programs that hide names. */
const struct value *resolve_comprehension(struct resolver *r, const struct node *n,
                                          const struct scope *scope)
{
    const struct scope *inner = program_scope(r->p, n);
    const struct node *c = n->comp.generators.at[0];
    const struct frame *frame = r->frame;
    const struct value *list;
    struct value *v;

    if (n->comp.generators.n != 1 || !inner || c->comprehension.ifs.n || r->calls >= MAX_CALLS)
        return &value_unknown;
    list = resolve(r, c->comprehension.iter, scope);
    if (list->kind == VALUE_ENDLESS && n->kind == N_GENERATOR_EXP)
        return list;
    list = fold_list(&r->fold, list);
    if (list->kind != VALUE_LIST || !fold_pay(&r->fold, list->n * 4))
        return &value_unknown;
    v = value_list(resolve_call_arena_of(r), VALUE_LIST, list->n);
    r->calls++;
    for (size_t i = 0; i < list->n; i++) {
        r->frame = frame_bind(r, inner, c->comprehension.target, list->items[i], frame);
        v->items[i] = resolve(r, n->comp.elt, inner);
    }
    r->calls--;
    r->frame = frame;
    return v;
}

/* ---- calls ---- */

/* True if the call makes a string out of characters, or out of a string made that way: chr(n),
 * sorted(dir(os)). */
static bool makes_text(struct str path, const struct arguments *args)
{
    static const char *const names[] = {"builtins.bytearray", "builtins.bytes", "builtins.chr",
                                        "builtins.reversed", "builtins.str.join"};

    if (name_is_in(path, names, sizeof names / sizeof *names))
        return true;
    for (size_t i = 0; i < args->list.n; i++) {
        if (args->at[i]->kind == VALUE_MADE)
            return str_starts(path, "builtins.");
    }
    return false;
}

static const struct value *call_path(struct resolver *r, const struct value *f,
                                     const struct arguments *args)
{
    bool known = false;
    call_fn *handler = resolve_handler(f->text);
    const struct value *v;

    if (handler)
        return handler(r, args);
    if (args->whole) {
        v = fold_call(&r->fold, f->text, &args->list, &known);
        if (known && v->kind != VALUE_UNKNOWN)
            return v;
    }
    if (makes_text(f->text, args))
        return &value_made;
    return value_path(resolve_call_arena_of(r), f->text, "()", STR(""));
}

static const struct value *call_method(struct resolver *r, const struct value *f,
                                       const struct arguments *args)
{
    const struct value *self = f->items[0], *v;

    if (self->kind != VALUE_SPACE && self->kind != VALUE_PATH)
        return args->whole ? fold_method(&r->fold, self, f->text, &args->list) : &value_unknown;
    if (str_is(f->text, "__getattribute__"))
        return resolve_names(r, self, argument_at(args, 0, NULL));
    v = resolve_item(r, self, argument_at(args, 0, NULL));
    return value_either(resolve_call_arena_of(r), v, argument_at(args, 1, NULL));
}

static const struct value *call_wrapped(struct resolver *r, const struct value *f,
                                        const struct arguments *args)
{
    struct arguments all = {.whole = args->whole};
    size_t before = f->n - 1;

    all.list = (struct fold_args){.at = all.at, .names = all.names};
    if (before + args->list.n > RESOLVE_MAX_ARGS || r->calls >= MAX_CALLS)
        return &value_unknown;
    memcpy(all.at, f->items + 1, before * sizeof *all.at);
    memcpy(all.at + before, args->at, args->list.n * sizeof *all.at);
    memcpy(all.names, args->names, args->list.n_named * sizeof *all.names);
    all.list.n = before + args->list.n;
    all.list.n_named = args->list.n_named;
    r->calls++;
    const struct value *v = resolve_apply(r, f->items[0], &all);
    r->calls--;
    return v;
}

/* attrgetter("a.b")(x); methodcaller() also calls the attribute. */
static const struct value *call_getter(struct resolver *r, const struct value *f,
                                       const struct arguments *args)
{
    const struct value *v = argument_at(args, 0, NULL);
    struct str rest = f->text, part;

    if (!f->text.p)
        return f->n ? resolve_item(r, v, f->items[0]) : &value_sought;
    while (str_next(&rest, '.', &part))
        v = resolve_attribute(r, v, part);
    if (f->n && v->kind == VALUE_PATH)
        v = value_path(resolve_call_arena_of(r), v->text, "()", STR(""));
    return f->pieced ? value_hide(resolve_call_arena_of(r), v) : v;
}

/* An object of the class, or the result of its __new__. */
static const struct value *call_class(struct resolver *r, const struct value *f,
                                      const struct arguments *args)
{
    struct value *v = value_new(resolve_call_arena_of(r), VALUE_INSTANCE);
    const struct value *made;

    v->node = f->node;
    v->scope = f->scope;
    if (r->calls >= MAX_CALLS)
        return v;
    made = resolve_special(r, v, STR("__new__"), args);
    return value_either(resolve_call_arena_of(r), v, made);
}

const struct value *resolve_apply(struct resolver *r, const struct value *f,
                                  const struct arguments *args)
{
    switch ((int)f->kind) {
    case VALUE_PATH:
        return call_path(r, f, args);
    case VALUE_METHOD:
        return call_method(r, f, args);
    case VALUE_FUNCTION:
        return call_function(r, f, args);
    case VALUE_PARTIAL:
        return call_wrapped(r, f, args);
    case VALUE_GETTER:
        return call_getter(r, f, args);
    case VALUE_CLASS:
        return call_class(r, f, args);
    case VALUE_INSTANCE:
        return r->calls < MAX_CALLS ? resolve_special(r, f, STR("__call__"), args) : &value_unknown;
    }
    return &value_unknown;
}

const struct value *resolve_call(struct resolver *r, const struct node *n,
                                 const struct scope *scope)
{
    const struct value *f = resolve(r, n->call.func, scope), *v = &value_unknown;
    struct arguments args;

    if (f->kind == VALUE_UNKNOWN)
        return &value_unknown;
    resolve_arguments(r, n, scope, &args);
    for (size_t i = 0; i < value_count(f); i++)
        v = value_either(resolve_call_arena_of(r), v, resolve_apply(r, value_at(f, i), &args));
    return v;
}
