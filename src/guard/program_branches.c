/* SPDX-License-Identifier: Apache-2.0
 *
 * Ways through a program that part and meet again: what is bound where they meet is what each of
 * them binds.
 */
#include "guard/program_flow.h"

static void look_if(struct flow *f, const struct node *n)
{
    bits before, after;

    flow_look(f, n->branch.test);
    before = f->now;
    flow_list(f, n->branch.body);
    after = f->now;
    f->now = before;
    flow_list(f, n->branch.orelse);
    f->now &= after;
}

static void look_choice(struct flow *f, const struct node *n)
{
    bits before, after;

    flow_look(f, n->if_exp.test);
    before = f->now;
    flow_look(f, n->if_exp.body);
    after = f->now;
    f->now = before;
    flow_look(f, n->if_exp.orelse);
    f->now &= after;
}

/* The first for sure, the others perhaps. */
static void look_some(struct flow *f, struct node_list list, size_t surely)
{
    bits now = f->now;

    for (size_t i = 0; i < list.n; i++) {
        flow_look(f, list.at[i]);
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
    flow_list(f, body);
    out = f->at_break;
    f->at_break = around;
    f->now = entry;
    flow_list(f, orelse);
    f->now &= out;
}

static void look_for(struct flow *f, const struct node *n)
{
    bits entry;

    flow_look(f, n->for_stmt.iter);
    entry = f->now;
    flow_look(f, n->for_stmt.target);
    look_body(f, n->for_stmt.body, n->for_stmt.orelse, entry);
}

static void look_while(struct flow *f, const struct node *n)
{
    flow_look(f, n->branch.test);
    look_body(f, n->branch.body, n->branch.orelse, is_true(n->branch.test) ? EVERYTHING : f->now);
}

/* Whatever is raised in the body, a handler may start with no more than was there before. */
static void look_try(struct flow *f, const struct node *n)
{
    bits before = f->now, after;

    flow_list(f, n->try_stmt.body);
    flow_list(f, n->try_stmt.orelse);
    after = f->now;
    for (size_t i = 0; i < n->try_stmt.handlers.n; i++) {
        const struct node *h = n->try_stmt.handlers.at[i];
        f->now = before;
        flow_maybe(f, h->handler.type);
        flow_list(f, h->handler.body);
        after &= f->now;
    }
    if (!n->try_stmt.finalbody.n) {
        f->now = after;
        return;
    }
    f->now = before;
    flow_list(f, n->try_stmt.finalbody);
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
        flow_look(f, item->with_item.context_expr);
        first = i ? first : f->now;
        flow_maybe(f, as);
        first = i || (as && as->kind != N_NAME) ? first : f->now;
    }
    flow_list(f, n->with_stmt.body);
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

    flow_look(f, n->match_stmt.subject);
    before = f->now;
    for (size_t i = 0; i < n->match_stmt.cases.n; i++) {
        const struct node *c = n->match_stmt.cases.at[i];
        f->now = before;
        flow_look(f, c->match_case.pattern);
        flow_maybe(f, c->match_case.guard);
        flow_list(f, c->match_case.body);
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
            flow_look(f, n->patterns_of.patterns.at[i]);
            after &= f->now;
        }
        f->now = after;
        return;
    }
    (void)node_each_child(n, flow_child, f);
    if (n->kind == N_MATCH_AS || n->kind == N_MATCH_STAR)
        flow_bind(f, n->match_as.name);
    else if (n->kind == N_MATCH_MAPPING)
        flow_bind(f, n->match_mapping.rest);
}

bool flow_branch(struct flow *f, const struct node *n)
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
        flow_look(f, n->compare.left);
        look_some(f, n->compare.comparators, 1);
        break;
    case N_MATCH_AS:
    case N_MATCH_STAR:
    case N_MATCH_MAPPING:
    case N_MATCH_OR:
        look_pattern(f, n);
        break;
    case N_ASSERT: /* -O leaves it out */
        (void)node_each_child(n, flow_child, f);
        f->now = now;
        break;
    default:
        return false;
    }
    return true;
}
