/* SPDX-License-Identifier: Apache-2.0
 *
 * Through the text in the order in which it runs, with the set of names that are bound by then on
 * every way there. Bodies of functions come last: what they may count on is what was bound at their
 * def, or before any function could run at all (program_runs.c).
 */
#include "guard/program_sure.h"

#define EVERYTHING (~(bits)0) /* where nothing gets to */

struct later {
    const struct node *node; /* def or lambda */
    const struct scope *scope;
    bits bound;
    struct later *next;
};

struct flow {
    struct program *p;
    const struct scope *scope;
    bits now, never, doors;
    bits at_break; /* on every way out of the loop around by `break` */
    bits ran;      /* bound when functions can have run for the first time */
    bool has_run;
    const struct node *drained; /* a generator that is run to its end where it stands */
    struct later *first, **end;
};

static void look(struct flow *f, const struct node *n);

static void look_list(struct flow *f, struct node_list list)
{
    for (size_t i = 0; i < list.n; i++) {
        if (list.at[i])
            look(f, list.at[i]);
    }
}

static int look_child(void *ctx, struct node *n)
{
    look(ctx, n);
    return 0;
}

static void look_maybe(struct flow *f, const struct node *n)
{
    if (n)
        look(f, n);
}

/* ---- names ---- */

static void bound(struct flow *f, const struct name *name)
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
        bound(f, n->name.id);
    else if (n->op == CTX_LOAD)
        use(f, n);
}

static void look_import(struct flow *f, const struct node *n)
{
    for (size_t i = 0; i < n->import.names.n; i++) {
        const struct node *alias = n->import.names.at[i];
        bound(f, alias->alias.asname ? alias->alias.asname : alias->alias.name);
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
    look_list(f, n->function.decorator_list);
    look(f, n->function.args);
    look_maybe(f, n->function.returns);
    put_off(f, n);
    bound(f, n->function.name);
}

/* A class that is a base is only looked at. */
static void look_bases(struct flow *f, struct node_list bases)
{
    for (size_t i = 0; i < bases.n; i++) {
        if (bases.at[i]->kind == N_NAME && !f->p->class_hooks)
            use(f, bases.at[i]);
        else
            look(f, bases.at[i]);
    }
}

/* A body that runs at once, in a namespace that is empty each time. */
static void look_class(struct flow *f, const struct node *n)
{
    const struct scope *inner = program_scope(f->p, n), *before = f->scope;
    bits own = inner ? sure_bits_of(inner) : 0, outside;

    look_list(f, n->class_def.decorator_list);
    look_bases(f, n->class_def.bases);
    look_list(f, n->class_def.keywords);
    outside = f->now & own;
    f->now &= ~own;
    f->scope = inner ? inner : before;
    look_list(f, n->class_def.body);
    f->scope = before;
    f->now = (f->now & ~own) | outside;
    bound(f, n->class_def.name);
}

/* What a comprehension binds outside of itself (by :=) it may never get to. */
static void look_generators(struct flow *f, const struct node *n, struct node_list generators)
{
    const struct scope *before = f->scope, *inner = program_scope(f->p, n);
    bits now;

    look(f, generators.at[0]->comprehension.iter);
    now = f->now;
    if (n->kind == N_GENERATOR_EXP && f->drained != n)
        f->now &= ~f->doors;
    f->scope = inner ? inner : before;
    for (size_t i = 0; i < generators.n; i++) {
        const struct node *c = generators.at[i];
        if (i)
            look(f, c->comprehension.iter);
        look(f, c->comprehension.target);
        look_list(f, c->comprehension.ifs);
    }
    if (n->kind == N_DICT_COMP) {
        look(f, n->dict_comp.key);
        look(f, n->dict_comp.value);
    } else {
        look(f, n->comp.elt);
    }
    f->scope = before;
    f->now = now;
}

static void look_call(struct flow *f, const struct node *n)
{
    if (drains_generator(f->scope, n))
        f->drained = n->call.args.at[0];
    (void)node_each_child(n, look_child, f);
}

/* ---- ways that part and meet ---- */

static void look_if(struct flow *f, const struct node *n)
{
    bits before, after;

    look(f, n->branch.test);
    before = f->now;
    look_list(f, n->branch.body);
    after = f->now;
    f->now = before;
    look_list(f, n->branch.orelse);
    f->now &= after;
}

static void look_choice(struct flow *f, const struct node *n)
{
    bits before, after;

    look(f, n->if_exp.test);
    before = f->now;
    look(f, n->if_exp.body);
    after = f->now;
    f->now = before;
    look(f, n->if_exp.orelse);
    f->now &= after;
}

/* The first for sure, the others perhaps. */
static void look_some(struct flow *f, struct node_list list, size_t surely)
{
    bits now = f->now;

    for (size_t i = 0; i < list.n; i++) {
        look(f, list.at[i]);
        if (i < surely)
            now = f->now;
    }
    f->now = now;
}

static bool is_true(const struct node *test)
{
    return test->kind == N_CONSTANT &&
           (test->op == CONST_TRUE || (test->op == CONST_INT && test->constant.integer));
}

/* `entry`: the state when the loop is entered; f->now: in its body. */
static void look_body(struct flow *f, struct node_list body, struct node_list orelse, bits entry)
{
    bits around = f->at_break, out;

    f->at_break = EVERYTHING;
    look_list(f, body);
    out = f->at_break;
    f->at_break = around;
    f->now = entry;
    look_list(f, orelse);
    f->now &= out;
}

static void look_for(struct flow *f, const struct node *n)
{
    bits entry;

    look(f, n->for_stmt.iter);
    entry = f->now;
    look(f, n->for_stmt.target);
    look_body(f, n->for_stmt.body, n->for_stmt.orelse, entry);
}

static void look_while(struct flow *f, const struct node *n)
{
    look(f, n->branch.test);
    look_body(f, n->branch.body, n->branch.orelse, is_true(n->branch.test) ? EVERYTHING : f->now);
}

/* Whatever is raised in the body, a handler may start with no more than was there before. */
static void look_try(struct flow *f, const struct node *n)
{
    bits before = f->now, after;

    look_list(f, n->try_stmt.body);
    look_list(f, n->try_stmt.orelse);
    after = f->now;
    for (size_t i = 0; i < n->try_stmt.handlers.n; i++) {
        const struct node *h = n->try_stmt.handlers.at[i];
        f->now = before;
        look_maybe(f, h->handler.type);
        look_list(f, h->handler.body);
        after &= f->now;
    }
    if (!n->try_stmt.finalbody.n) {
        f->now = after;
        return;
    }
    f->now = before;
    look_list(f, n->try_stmt.finalbody);
    f->now |= after;
}

/* Files let exceptions through. */
static bool is_file(const struct flow *f, const struct node *n)
{
    bool builtin = false;

    return n->kind == N_CALL && n->call.func->kind == N_NAME &&
           str_is(name_str(n->call.func->name.id), "open") &&
           !program_symbol(f->scope, n->call.func->name.id, &builtin) && builtin;
}

static void look_with(struct flow *f, const struct node *n)
{
    bool files = true;
    bits first = f->now;

    for (size_t i = 0; i < n->with_stmt.items.n; i++) {
        const struct node *item = n->with_stmt.items.at[i];
        const struct node *as = item->with_item.optional_vars;
        files &= is_file(f, item->with_item.context_expr);
        look(f, item->with_item.context_expr);
        first = i ? first : f->now;
        look_maybe(f, as);
        first = i || (as && as->kind != N_NAME) ? first : f->now;
    }
    look_list(f, n->with_stmt.body);
    f->now = files ? f->now : f->now & first;
}

static bool takes_all(const struct node *c)
{
    const struct node *p = c->match_case.pattern;

    return !c->match_case.guard && p->kind == N_MATCH_AS && !p->match_as.pattern;
}

static void look_match(struct flow *f, const struct node *n)
{
    bits before, after = EVERYTHING;
    bool all = false;

    look(f, n->match_stmt.subject);
    before = f->now;
    for (size_t i = 0; i < n->match_stmt.cases.n; i++) {
        const struct node *c = n->match_stmt.cases.at[i];
        f->now = before;
        look(f, c->match_case.pattern);
        look_maybe(f, c->match_case.guard);
        look_list(f, c->match_case.body);
        after &= f->now;
        all |= takes_all(c);
    }
    f->now = all ? after : after & before;
}

static void look_pattern(struct flow *f, const struct node *n)
{
    bits before = f->now, after = EVERYTHING;

    if (n->kind == N_MATCH_OR) {
        for (size_t i = 0; i < n->patterns_of.patterns.n; i++) {
            f->now = before;
            look(f, n->patterns_of.patterns.at[i]);
            after &= f->now;
        }
        f->now = after;
        return;
    }
    (void)node_each_child(n, look_child, f);
    if (n->kind == N_MATCH_AS || n->kind == N_MATCH_STAR)
        bound(f, n->match_as.name);
    else if (n->kind == N_MATCH_MAPPING)
        bound(f, n->match_mapping.rest);
}

/* ---- everything ---- */

static void look_assigned(struct flow *f, const struct node *n)
{
    if (n->kind == N_ASSIGN) {
        look(f, n->assign.value);
        look_list(f, n->assign.targets);
    } else if (n->kind == N_NAMED_EXPR) {
        look(f, n->named_expr.value);
        look(f, n->named_expr.target);
    } else if (n->kind == N_AUG_ASSIGN) {
        if (n->aug_assign.target->kind == N_NAME)
            use(f, n->aug_assign.target);
        look(f, n->aug_assign.value);
        look(f, n->aug_assign.target);
    } else {
        look(f, n->ann_assign.annotation);
        look_maybe(f, n->ann_assign.value);
        if (n->ann_assign.value || n->ann_assign.target->kind != N_NAME)
            look(f, n->ann_assign.target);
    }
}

static void look_out(struct flow *f, const struct node *n)
{
    (void)node_each_child(n, look_child, f);
    if (n->kind == N_BREAK)
        f->at_break &= f->now;
    f->now = EVERYTHING;
}

static void look_branching(struct flow *f, const struct node *n)
{
    bits now = f->now;

    switch ((int)n->kind) {
    case N_IF:
        look_if(f, n);
        break;
    case N_FOR:
    case N_ASYNC_FOR:
        look_for(f, n);
        break;
    case N_WHILE:
        look_while(f, n);
        break;
    case N_TRY:
    case N_TRY_STAR:
        look_try(f, n);
        break;
    case N_WITH:
    case N_ASYNC_WITH:
        look_with(f, n);
        break;
    case N_MATCH:
        look_match(f, n);
        break;
    case N_IF_EXP:
        look_choice(f, n);
        break;
    case N_BOOL_OP:
        look_some(f, n->bool_op.values, 1);
        break;
    case N_COMPARE:
        look(f, n->compare.left);
        look_some(f, n->compare.comparators, 1);
        break;
    case N_ASSERT: /* -O leaves it out */
        (void)node_each_child(n, look_child, f);
        f->now = now;
        break;
    }
}

static void look(struct flow *f, const struct node *n)
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
        look(f, n->lambda.args);
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
    case N_MATCH_AS:
    case N_MATCH_STAR:
    case N_MATCH_MAPPING:
    case N_MATCH_OR:
        look_pattern(f, n);
        break;
    case N_BREAK:
    case N_CONTINUE:
    case N_RETURN:
    case N_RAISE:
        look_out(f, n);
        break;
    case N_IF:
    case N_FOR:
    case N_ASYNC_FOR:
    case N_WHILE:
    case N_TRY:
    case N_TRY_STAR:
    case N_WITH:
    case N_ASYNC_WITH:
    case N_MATCH:
    case N_IF_EXP:
    case N_BOOL_OP:
    case N_COMPARE:
    case N_ASSERT:
        look_branching(f, n);
        break;
    default:
        (void)node_each_child(n, look_child, f);
        break;
    }
}

static void look_later(struct flow *f, const struct later *l)
{
    f->scope = l->scope;
    f->now = (l->bound | f->ran) & ~f->doors; /* a later cell may call it after `del` */
    f->at_break = EVERYTHING;
    if (l->node->kind == N_LAMBDA)
        look(f, l->node->lambda.body);
    else
        look_list(f, l->node->function.body);
}

void program_flow(struct program *p, bits never, bits doors)
{
    struct flow f = {
        .p = p, .scope = p->module_scope, .never = never, .doors = doors, .at_break = EVERYTHING};

    f.end = &f.first;
    look_list(&f, p->tree->module->module.body);
    p->sure_end = f.now & ~never;
    if (!f.has_run)
        f.ran = f.now & ~never;
    f.has_run = true;
    for (const struct later *l = f.first; l; l = l->next)
        look_later(&f, l);
}
