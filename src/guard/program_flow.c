/* SPDX-License-Identifier: Apache-2.0
 *
 * Through the text in the order in which it runs, with the set of names that are bound by then on
 * every way there. Bodies of functions come last: what they may count on is what was bound at their
 * def, or before any function could run at all (program_runs.c).
 */
#include "guard/program_flow.h"

struct later {
    const struct node *node; /* def or lambda */
    const struct scope *scope;
    bits bound;
    struct later *next;
};

void flow_list(struct flow *f, struct node_list list)
{
    for (size_t i = 0; i < list.n; i++) {
        if (list.at[i])
            flow_look(f, list.at[i]);
    }
}

int flow_child(void *ctx, struct node *n)
{
    flow_look(ctx, n);
    return 0;
}

void flow_maybe(struct flow *f, const struct node *n)
{
    if (n)
        flow_look(f, n);
}

/* ---- names ---- */

void flow_bind(struct flow *f, const struct name *name)
{
    if (name)
        f->now |= sure_bit(f->scope, name) & ~f->never;
}

static void use(struct flow *f, const struct node *name)
{
    bits bit = sure_bit(f->scope, name->name.id);

    if (bit)
        sure_say(f->p, name, (f->now & bit & ~f->never) != 0);
}

static void may_run(struct flow *f, const struct node *n)
{
    if (f->has_run || !runs_functions(f->scope, n))
        return;
    f->has_run = true;
    f->ran = f->now;
}

static void look_name(struct flow *f, const struct node *n)
{
    if (n->op == CTX_STORE)
        flow_bind(f, n->name.id);
    else if (n->op == CTX_LOAD)
        use(f, n);
}

static void look_import(struct flow *f, const struct node *n)
{
    for (size_t i = 0; i < n->import.names.n; i++) {
        const struct node *alias = n->import.names.at[i];
        flow_bind(f, alias->alias.asname ? alias->alias.asname : alias->alias.name);
    }
}

/* ---- what opens a scope ---- */

static void put_off(struct flow *f, const struct node *n)
{
    const struct scope *inner = program_scope(f->p, n);
    struct later *l;

    if (!inner)
        return;
    l = arena_zalloc(&f->p->arena, sizeof *l);
    *l = (struct later){.node = n, .scope = inner, .bound = f->now};
    *f->end = l;
    f->end = &l->next;
}

static void look_function(struct flow *f, const struct node *n)
{
    flow_list(f, n->function.decorator_list);
    flow_look(f, n->function.args);
    flow_maybe(f, n->function.returns);
    put_off(f, n);
    flow_bind(f, n->function.name);
}

/* A class that is a base is only looked at. */
static void look_bases(struct flow *f, struct node_list bases)
{
    for (size_t i = 0; i < bases.n; i++) {
        if (bases.at[i]->kind == N_NAME && !f->p->class_hooks)
            use(f, bases.at[i]);
        else
            flow_look(f, bases.at[i]);
    }
}

/* A body that runs at once, in a namespace that is empty each time. */
static void look_class(struct flow *f, const struct node *n)
{
    const struct scope *inner = program_scope(f->p, n), *before = f->scope;
    bits own = inner ? sure_bits_of(inner) : 0, outside;

    flow_list(f, n->class_def.decorator_list);
    look_bases(f, n->class_def.bases);
    flow_list(f, n->class_def.keywords);
    outside = f->now & own;
    f->now &= ~own;
    f->scope = inner ? inner : before;
    flow_list(f, n->class_def.body);
    f->scope = before;
    f->now = (f->now & ~own) | outside;
    flow_bind(f, n->class_def.name);
}

/* What a comprehension binds outside of itself (by :=) it may never get to. */
static void look_generators(struct flow *f, const struct node *n, struct node_list generators)
{
    const struct scope *before = f->scope, *inner = program_scope(f->p, n);
    bits now;

    flow_look(f, generators.at[0]->comprehension.iter);
    now = f->now;
    if (n->kind == N_GENERATOR_EXP && f->drained != n)
        f->now &= ~f->doors;
    f->scope = inner ? inner : before;
    for (size_t i = 0; i < generators.n; i++) {
        const struct node *c = generators.at[i];
        if (i)
            flow_look(f, c->comprehension.iter);
        flow_look(f, c->comprehension.target);
        flow_list(f, c->comprehension.ifs);
    }
    if (n->kind == N_DICT_COMP) {
        flow_look(f, n->dict_comp.key);
        flow_look(f, n->dict_comp.value);
    } else {
        flow_look(f, n->comp.elt);
    }
    f->scope = before;
    f->now = now;
}

static void look_call(struct flow *f, const struct node *n)
{
    if (drains_generator(f->scope, n))
        f->drained = n->call.args.at[0];
    (void)node_each_child(n, flow_child, f);
}

/* ---- everything ---- */

static void look_assigned(struct flow *f, const struct node *n)
{
    if (n->kind == N_ASSIGN) {
        flow_look(f, n->assign.value);
        flow_list(f, n->assign.targets);
    } else if (n->kind == N_NAMED_EXPR) {
        flow_look(f, n->named_expr.value);
        flow_look(f, n->named_expr.target);
    } else if (n->kind == N_AUG_ASSIGN) {
        if (n->aug_assign.target->kind == N_NAME)
            use(f, n->aug_assign.target);
        flow_look(f, n->aug_assign.value);
        flow_look(f, n->aug_assign.target);
    } else {
        flow_look(f, n->ann_assign.annotation);
        flow_maybe(f, n->ann_assign.value);
        if (n->ann_assign.value || n->ann_assign.target->kind != N_NAME)
            flow_look(f, n->ann_assign.target);
    }
}

static void look_out(struct flow *f, const struct node *n)
{
    (void)node_each_child(n, flow_child, f);
    if (n->kind == N_BREAK)
        f->at_break &= f->now;
    f->now = EVERYTHING;
}

void flow_look(struct flow *f, const struct node *n)
{
    may_run(f, n);
    switch ((int)n->kind) {
    case N_NAME:
        look_name(f, n);
        break;
    case N_ASSIGN:
    case N_NAMED_EXPR:
    case N_AUG_ASSIGN:
    case N_ANN_ASSIGN:
        look_assigned(f, n);
        break;
    case N_FUNCTION_DEF:
    case N_ASYNC_FUNCTION_DEF:
        look_function(f, n);
        break;
    case N_LAMBDA:
        flow_look(f, n->lambda.args);
        put_off(f, n);
        break;
    case N_CLASS_DEF:
        look_class(f, n);
        break;
    case N_CALL:
        look_call(f, n);
        break;
    case N_LIST_COMP:
    case N_SET_COMP:
    case N_GENERATOR_EXP:
        look_generators(f, n, n->comp.generators);
        break;
    case N_DICT_COMP:
        look_generators(f, n, n->dict_comp.generators);
        break;
    case N_IMPORT:
    case N_IMPORT_FROM:
        look_import(f, n);
        break;
    case N_BREAK:
    case N_CONTINUE:
    case N_RETURN:
    case N_RAISE:
        look_out(f, n);
        break;
    default:
        if (!flow_branch(f, n))
            (void)node_each_child(n, flow_child, f);
        break;
    }
}

static void look_later(struct flow *f, const struct later *l)
{
    f->scope = l->scope;
    f->now = (l->bound | f->ran) & ~f->doors; /* a later cell may call it after `del` */
    f->at_break = EVERYTHING;
    if (l->node->kind == N_LAMBDA)
        flow_look(f, l->node->lambda.body);
    else
        flow_list(f, l->node->function.body);
}

void program_flow(struct program *p, bits never, bits doors)
{
    struct flow f = {
        .p = p, .scope = p->module_scope, .never = never, .doors = doors, .at_break = EVERYTHING};

    f.end = &f.first;
    flow_list(&f, p->tree->module->module.body);
    p->sure_end = f.now & ~never;
    if (!f.has_run)
        f.ran = f.now & ~never;
    f.has_run = true;
    for (const struct later *l = f.first; l; l = l->next)
        look_later(&f, l);
}
