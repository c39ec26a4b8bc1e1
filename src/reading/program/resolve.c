/* SPDX-License-Identifier: Apache-2.0 */
#include "program/resolve.h"

#include <string.h>

#include "policy/modules.h"
#include "policy/policy_parts.h"

enum {
    MAX_DEPTH = 48,   /* of an expression */
    MAX_SYMBOLS = 12, /* names bound to names */
    FUEL = 2000000,   /* for an empty program */
    FUEL_PER_NODE = 20,
    TIDY = 1 << 20, /* bytes */
};

void resolver_init(struct resolver *r, struct program *p)
{
    *r = (struct resolver){.p = p};
    r->fold = (struct fold){.arena = &r->scratch, .fuel = FUEL + FUEL_PER_NODE * p->n};
}

void resolver_begin(struct resolver *r)
{
    for (struct symbol_facts *f = r->p->facts; f; f = f->next) {
        (void)resolve_symbol(r, f->symbol);
        resolver_tidy(r);
    }
}

void resolver_done(struct resolver *r)
{
    arena_done(&r->scratch);
}

void resolver_tidy(struct resolver *r)
{
    if (arena_used(&r->scratch) > TIDY)
        arena_done(&r->scratch);
}

static struct arena *resolve_arena_of(struct resolver *r)
{
    return r->fold.arena;
}

/* ---- names ---- */

/* The value of a name of the outer program. Only paths and strings are returned: a node of that
 * program's tree means nothing in this one. */
static const struct value *outer_name(struct resolver *r, struct str name)
{
    const struct resolver *o = r->outer;
    const struct symbol *symbol = o ? program_member(o->p, o->p->module_scope, name) : NULL;
    const struct value *v;

    if (!symbol || !symbol->user)
        return &value_unknown;
    v = resolve_symbol(r->outer, symbol);
    return v->kind == VALUE_PATH || v->kind == VALUE_TEXT ? v : &value_unknown;
}

static const struct value *builtin_of(struct resolver *r, const struct name *name)
{
    size_t slot = ((uintptr_t)name >> 4) % 128;
    struct str text = name_str(name);
    const struct value *v;

    if (r->builtins[slot].name == name)
        return r->builtins[slot].value;
    if (str_is(text, "__builtins__"))
        v = value_path(resolve_arena_of(r), STR("builtins"), "", STR(""));
    else if (str_is(text, "__name__"))
        v = value_text(resolve_arena_of(r), VALUE_TEXT, STR("__main__"));
    else if (module_is_builtin(text))
        v = value_path(resolve_arena_of(r), STR("builtins"), ".", text);
    else
        v = outer_name(r, text); /* an exception class, or unknown */
    for (size_t i = 0; i < r->p->n_stars; i++) {
        const struct value *star = resolve_attribute(r, resolve_module(r, r->p->stars[i]), text);
        if (star->kind == VALUE_PATH && module_knows(star->text))
            v = value_either(resolve_arena_of(r), v, star);
    }
    v = value_keep(&r->p->arena, v);
    r->builtins[slot].name = name;
    r->builtins[slot].value = v;
    return v;
}

const struct value *resolve_module(struct resolver *r, struct str name)
{
    return value_path(resolve_arena_of(r), module_plain_name(name), "", STR(""));
}

static const struct value *any_item(struct resolver *r, const struct value *v)
{
    if (value_is_path(v, "pathlib.Path().glob()") || value_is_path(v, "pathlib.Path().rglob()") ||
        value_is_path(v, "pathlib.Path().iterdir()"))
        return value_path(resolve_arena_of(r), STR("pathlib.Path()"), "", STR(""));
    const struct value *list = fold_list(&r->fold, v), *ret = &value_unknown;

    if (v->kind == VALUE_MADE)
        return v;
    for (size_t i = 0; list->kind == VALUE_LIST && i < list->n && i < VALUE_MAX_ANY; i++)
        ret = value_either(resolve_arena_of(r), ret, list->items[i]);
    return ret;
}

static const struct value *any_item_of_items(struct resolver *r, const struct value *v,
                                             const struct value *index)
{
    const struct value *list = fold_list(&r->fold, v), *ret = &value_unknown;

    for (size_t i = 0; list->kind == VALUE_LIST && i < list->n && i < VALUE_MAX_ANY; i++)
        ret = value_either(resolve_arena_of(r), ret, fold_item(&r->fold, list->items[i], index));
    return ret;
}

static const struct value *thing(struct resolver *r, enum value_kind kind, const struct node *node,
                                 const struct scope *scope)
{
    struct value *v = value_new(resolve_arena_of(r), kind);

    v->node = node;
    v->scope = scope;
    return v;
}

static const struct value *apply_decorator(struct resolver *r, const struct value *f,
                                           const struct value *v)
{
    struct arguments one = {.whole = true};

    if (f->kind != VALUE_FUNCTION && f->kind != VALUE_CLASS)
        return &value_unknown;
    one.list = (struct fold_args){.at = one.at, .names = one.names, .n = 1};
    one.at[0] = v;
    return resolve_apply(r, f, &one);
}

/* A def or class, or what the program's own decorators return for it. */
static const struct value *defined(struct resolver *r, const struct binding *b,
                                   struct node_list decorators)
{
    enum value_kind kind = b->kind == BIND_CLASS ? VALUE_CLASS : VALUE_FUNCTION;
    const struct value *v = thing(r, kind, b->node, b->scope);

    for (size_t i = decorators.n; i > 0; i--) {
        const struct value *f = resolve(r, decorators.at[i - 1], b->scope), *made = v;
        for (size_t k = 0; k < value_count(f); k++)
            made = value_either(resolve_arena_of(r), made, apply_decorator(r, value_at(f, k), v));
        v = made;
    }
    return v;
}

/* A string that grows in each round of a loop. */
static const struct value *grown(struct resolver *r, const struct value *v)
{
    for (size_t i = 0; i < value_count(v); i++) {
        if (value_at(v, i)->kind == VALUE_TEXT)
            return value_either(resolve_arena_of(r), &value_made, v);
    }
    return v;
}

static const struct value *bound_value(struct resolver *r, const struct binding *b,
                                       const struct value *before)
{
    const struct value *index = value_int(resolve_arena_of(r), b->index);

    switch (b->kind) {
    case BIND_VALUE:
        return resolve(r, b->node, b->scope);
    case BIND_ITEM:
        return fold_item(&r->fold, resolve(r, b->node, b->scope), index);
    case BIND_REST:
        return fold_slice(&r->fold, resolve(r, b->node, b->scope),
                          (const struct value *const[3]){index, &value_none, &value_none});
    case BIND_EACH:
        return any_item(r, resolve(r, b->node, b->scope));
    case BIND_EACH_ITEM:
        return any_item_of_items(r, resolve(r, b->node, b->scope), index);
    case BIND_AUGMENT:
        return fold_binary(&r->fold, (enum operator)b->index, before,
                           resolve(r, b->node, b->scope));
    case BIND_GROWN:
        return grown(r, fold_binary(&r->fold, (enum operator)b->index, before,
                                    resolve(r, b->node, b->scope)));
    case BIND_IMPORT:
        return resolve_module(r, b->module);
    case BIND_FROM:
        return resolve_attribute(r, resolve_module(r, b->module), b->member);
    case BIND_FUNCTION:
        return defined(r, b, b->node->function.decorator_list);
    case BIND_CLASS:
        return defined(r, b, b->node->class_def.decorator_list);
    case BIND_INSERT:
        return resolve_inserted(r, before, b->key ? resolve(r, b->key, b->scope) : NULL,
                                resolve(r, b->node, b->scope));
    case BIND_ENTERED:
        return resolve_entered(r, resolve(r, b->node, b->scope));
    case BIND_INSTANCE:
        return thing(r, VALUE_INSTANCE, b->node, b->scope);
    case BIND_MATCHED:
        return resolve_matched(r, b->part, b->scope);
    case BIND_CAUGHT:
        return value_path(resolve_arena_of(r), STR("builtins.BaseException()"), "", STR(""));
    case BIND_OPAQUE:
        break;
    }
    return &value_unknown;
}

static const struct value *evaluate_symbol(struct resolver *r, const struct symbol_facts *facts,
                                           bool open)
{
    const struct value *ret = &value_unknown, *last = &value_unknown;
    unsigned depth = r->depth;

    r->depth = 0;
    r->symbols++;
    for (const struct binding *b = facts->first; b; b = b->next) {
        last = bound_value(r, b, last);
        open |= last->kind == VALUE_UNKNOWN || b->kind == BIND_INSERT;
        if (!b->next || b->next->kind != BIND_INSERT)
            ret = value_either(resolve_arena_of(r), ret, last);
    }
    r->symbols--;
    r->depth = depth;
    return open || facts->n > PROGRAM_MAX_BINDINGS ? value_open(resolve_arena_of(r), ret) : ret;
}

/* True for a parameter to which its function binds other values. */
static bool is_bound_again(const struct symbol *symbol)
{
    const struct symbol_facts *facts = symbol->user;

    for (const struct binding *b = facts ? facts->first : NULL; b; b = b->next) {
        if (b->scope == symbol->owner)
            return true;
    }
    return false;
}

const struct value *resolve_symbol(struct resolver *r, const struct symbol *symbol)
{
    struct symbol_facts *facts = symbol->user;
    const struct frame *frame = r->frame;
    const struct value *v;

    for (const struct frame *f = frame; f; f = f->next) {
        if (f->symbol == symbol)
            return is_bound_again(symbol) ? value_open(resolve_arena_of(r), f->value) : f->value;
    }
    if (!facts || facts->state == FACTS_BUSY)
        return &value_unknown;
    if (facts->state == FACTS_KNOWN)
        return facts->value;
    if (r->symbols >= MAX_SYMBOLS)
        return &value_unknown;
    /* The value of a function's variable depends on the arguments of the call that is followed. */
    bool keep = !frame || symbol->owner == r->p->module_scope;
    r->frame = keep ? NULL : frame;
    facts->state = FACTS_BUSY;
    v = evaluate_symbol(r, facts, symbol->flags & SYMBOL_PARAMETER);
    if (keep)
        facts->value = v = value_keep(&r->p->arena, v);
    facts->state = keep ? FACTS_KNOWN : FACTS_NEW;
    r->frame = frame;
    return v;
}

const struct value *resolve_assigned(struct resolver *r, struct symbol_facts *facts)
{
    const struct frame *frame = r->frame;

    if (!facts || facts->state == FACTS_BUSY)
        return &value_unknown;
    if (facts->state == FACTS_KNOWN)
        return facts->value;
    if (r->symbols >= MAX_SYMBOLS)
        return &value_unknown;
    r->frame = NULL;
    facts->state = FACTS_BUSY;
    facts->value = value_keep(&r->p->arena, evaluate_symbol(r, facts, true));
    facts->state = FACTS_KNOWN;
    r->frame = frame;
    return facts->value;
}

/* True if the name may be unbound here, so that the use means the outer name or the builtin. */
static bool falls_through(const struct resolver *r, const struct symbol *symbol,
                          const struct node *n)
{
    const struct symbol_facts *facts = symbol->user;

    if (r->spelled && r->spelled->n && name_set_has(r->spelled, name_str(n->name.id)))
        return true;
    if (facts && !facts->falls)
        return facts->n == 0 && symbol->home == HOME_GLOBAL && program_falls(n->name.id);
    if (!facts)
        return symbol->home != HOME_FREE && symbol->home != HOME_CELL &&
               !(symbol->flags & SYMBOL_PARAMETER) && symbol->owner == r->p->module_scope &&
               program_falls(n->name.id);
    return !program_is_sure(r->p, n);
}

/* The outer value of a name: after the class's name comes the module's, then the builtin. */
static const struct value *behind(struct resolver *r, const struct symbol *symbol,
                                  const struct name *name)
{
    const struct scope *module = r->p->module_scope;
    const struct symbol *global = scope_find(module, name);
    const struct value *v = &value_unknown;

    if (symbol->owner != module && global && global->home != HOME_BUILTIN && global->user)
        v = resolve_symbol(r, global);
    return program_falls(name) ? value_either(resolve_arena_of(r), v, builtin_of(r, name)) : v;
}

static const struct value *resolve_name(struct resolver *r, const struct node *n,
                                        const struct scope *scope)
{
    bool builtin = false;
    const struct symbol *symbol = program_symbol(scope, n->name.id, &builtin);

    if (builtin)
        return builtin_of(r, n->name.id);
    if (!symbol)
        return &value_unknown;
    if (!falls_through(r, symbol, n))
        return resolve_symbol(r, symbol);
    return value_either(resolve_arena_of(r), resolve_symbol(r, symbol),
                        behind(r, symbol, n->name.id));
}

const struct value *resolve_global(struct resolver *r, struct str name)
{
    const struct symbol *symbol = program_member(r->p, r->p->module_scope, name);

    if (symbol && symbol->user)
        return resolve_symbol(r, symbol);
    if (str_is(name, "__builtins__"))
        return resolve_module(r, STR("builtins"));
    if (module_is_powerful(name)) /* it may be in the globals of some other function */
        return resolve_module(r, name);
    return value_path(resolve_arena_of(r), STR("builtins"), ".", name);
}

/* ---- operators ---- */

static const struct value *resolve_either(struct resolver *r, struct node_list list,
                                          const struct scope *scope)
{
    const struct value *v = &value_unknown;

    bool open = list.n > VALUE_MAX_ANY;

    for (size_t i = 0; i < list.n && i < VALUE_MAX_ANY; i++) {
        const struct value *one = resolve(r, list.at[i], scope);
        open |= one->kind == VALUE_UNKNOWN;
        v = value_either(resolve_arena_of(r), v, one);
    }
    return open ? value_open(resolve_arena_of(r), v) : v;
}

static const struct value *resolve_if(struct resolver *r, const struct node *n,
                                      const struct scope *scope)
{
    const struct value *x, *y, *v;
    bool truth;

    if (value_truth(resolve(r, n->if_exp.test, scope), &truth))
        return resolve(r, truth ? n->if_exp.body : n->if_exp.orelse, scope);
    x = resolve(r, n->if_exp.body, scope);
    y = resolve(r, n->if_exp.orelse, scope);
    v = value_either(resolve_arena_of(r), x, y);
    return x->kind == VALUE_UNKNOWN || y->kind == VALUE_UNKNOWN ? value_open(resolve_arena_of(r), v)
                                                                : v;
}

/* Path("a") / "b" is a Path. */
static bool joins_paths(const struct node *n, const struct value *left)
{
    return n->op == OP_DIV && value_is_path(left, "pathlib.Path()");
}

static const struct value *resolve_binary(struct resolver *r, const struct node *n,
                                          const struct scope *scope)
{
    const struct value *left = resolve(r, n->bin_op.left, scope);

    if (left->kind == VALUE_UNKNOWN || joins_paths(n, left))
        return left;
    return fold_binary(&r->fold, (enum operator)n->op, left, resolve(r, n->bin_op.right, scope));
}

/* [::-1] */
static bool is_turned(const struct node *slice)
{
    const struct node *step = slice->kind == N_SLICE ? slice->slice.step : NULL;

    return step && step->kind == N_UNARY_OP && !slice->slice.lower && !slice->slice.upper;
}

static const struct value *resolve_subscript(struct resolver *r, const struct node *n,
                                             const struct scope *scope)
{
    const struct value *v = resolve(r, n->subscript.value, scope), *bounds[3];
    const struct node *slice = n->subscript.slice;

    if (v->kind == VALUE_UNKNOWN)
        return is_turned(slice) ? &value_made : v;
    if (slice->kind != N_SLICE)
        return resolve_item(r, v, resolve(r, slice, scope));
    const struct node *const nodes[3] = {slice->slice.lower, slice->slice.upper, slice->slice.step};
    for (int i = 0; i < 3; i++)
        bounds[i] = nodes[i] ? resolve(r, nodes[i], scope) : &value_none;
    return fold_slice(&r->fold, v, bounds);
}

static const struct value *resolve_kind(struct resolver *r, const struct node *n,
                                        const struct scope *scope)
{
    switch ((int)n->kind) {
    case N_NAME:
        return resolve_name(r, n, scope);
    case N_ATTRIBUTE:
        return resolve_attribute(r, resolve(r, n->attribute.value, scope),
                                 name_str(n->attribute.attr));
    case N_CONSTANT:
        return resolve_constant(r, n);
    case N_CALL:
        return resolve_call(r, n, scope);
    case N_SUBSCRIPT:
        return resolve_subscript(r, n, scope);
    case N_BIN_OP:
        return resolve_binary(r, n, scope);
    case N_UNARY_OP:
        return fold_unary(&r->fold, (enum operator)n->op, resolve(r, n->unary_op.operand, scope));
    case N_BOOL_OP:
        return resolve_either(r, n->bool_op.values, scope);
    case N_IF_EXP:
        return resolve_if(r, n, scope);
    case N_NAMED_EXPR:
        return resolve(r, n->named_expr.value, scope);
    case N_AWAIT:
        return resolve(r, n->value_of.value, scope);
    case N_LAMBDA:
        return thing(r, VALUE_FUNCTION, n, scope);
    case N_LIST:
    case N_TUPLE:
    case N_SET:
        return resolve_elements(r, n->elements.elts, scope);
    case N_DICT:
        return resolve_dict(r, n, scope);
    case N_JOINED_STR:
        return resolve_joined(r, n, scope);
    case N_LIST_COMP:
    case N_SET_COMP:
    case N_GENERATOR_EXP:
        return resolve_comprehension(r, n, scope);
    }
    return &value_unknown;
}

const struct value *resolve(struct resolver *r, const struct node *n, const struct scope *scope)
{
    const struct value *v;

    /* Names and attributes cost no fuel: otherwise a program could use up all of it first and then
     * do anything unseen; depth bounds them. Names in followed functions have no such bound, so
     * they cost fuel. */
    if (r->depth >= MAX_DEPTH || (r->calls && !fold_pay(&r->fold, 1)))
        return &value_unknown;
    if (!r->depth && !r->calls)
        r->looked = 0;
    r->depth++;
    v = resolve_kind(r, n, scope);
    r->depth--;
    return v;
}
