/* SPDX-License-Identifier: Apache-2.0
 *
 * The messages of smolagents' Python executor: one exception, for the first refusal.
 */
#include <string.h>

#include "base/mem.h"
#include "guard/guard.h"
#include "guard/texts_parts.h"
#include "syntax/literal.h"

static void interpreter_error(struct text *t, char *message)
{
    t->v->texts.exception_type = xstrdup("InterpreterError");
    t->v->texts.exception_message = message;
}

static void syntax(struct text *t)
{
    const struct python_error *e = &t->c->text->tree.error;
    struct str line = check_line(t->c, e->line);
    int caret = e->column > 0 ? (int)e->column : 0;

    (void)buf_addf(&t->reason, "Code parsing failed on line %u due to: %s: %s (<unknown>, line %u)",
                   e->line, python_error_name(e->kind), e->message ? e->message : "", e->line);
    interpreter_error(t, xasprintf("%s\n%.*s\n%*s^", t->reason.p, (int)line.n, line.p,
                                   caret < 10000 ? caret : 0, ""));
}

/* The source of the module's statement that contains the node. */
static struct str texts_smolagents_statement(struct text *t, const struct node *n)
{
    struct node_list body = t->c->text->tree.module->module.body;
    struct str text = t->c->text->tree.text;

    for (size_t i = 0; n && i < body.n; i++) {
        const struct node *s = body.at[i];
        struct node_list before = node_decorators(s);
        if (n->line < (before.n ? before.at[0] : s)->line || n->line > s->end_line)
            continue;
        size_t from = (size_t)(check_line(t->c, s->line).p - text.p) + s->column;
        size_t to = (size_t)(check_line(t->c, s->end_line).p - text.p) + s->end_column;
        if (from <= to && to <= text.n)
            return str_slice(text, from, to);
    }
    return STR("");
}

static void add_authorized(struct text *t)
{
    const struct name_set *s = &t->c->policy->allowed_imports;

    (void)buf_adds(&t->reason, "[");
    for (size_t i = 0; i < s->n; i++) {
        (void)buf_adds(&t->reason, i ? ", " : "");
        (void)literal_repr_str(str_from(s->at[i]), PYTHON_NEWEST, &t->reason);
    }
    (void)buf_adds(&t->reason, "]");
}

static bool is_call_of(const struct text *t, const struct node *name)
{
    const struct program *p = &t->c->program;

    for (size_t i = 0; i < p->n; i++) {
        if (p->items[i].node->kind == N_CALL && p->items[i].node->call.func == name)
            return true;
    }
    return false;
}

static bool is_called(const struct text *t, const struct note *n)
{
    return n->node && (n->node->kind == N_NAME || is_call_of(t, n->node));
}

/* smolagents reports a builtin that is used by its name as missing, and otherwise as not being a
 * tool. */
static void say_builtin(struct text *t, const struct note *n)
{
    if (!n->node || n->node->kind != N_NAME)
        (void)buf_addf(&t->reason,
                       "Invoking a builtin function that has not been explicitly added as a tool "
                       "is not allowed (%s).",
                       n->subject);
    else if (is_call_of(t, n->node))
        (void)buf_addf(&t->reason,
                       "Forbidden function evaluation: '%s' is not among the explicitly allowed "
                       "tools or defined/imported in the preceding code",
                       n->subject);
    else
        (void)buf_addf(&t->reason, "The variable `%s` is not defined.", n->subject);
}

void label_smolagents(struct text *t, const struct note *n)
{
    bool statement_node = n->node && (n->node->kind == N_ALIAS || n->node->kind == N_IMPORT_FROM);

    switch ((int)n->rule) {
    case RULE_IMPORT_NOT_ALLOWED:
    case RULE_IMPORT_FORBIDDEN:
        if (!statement_node) {
            (void)buf_addf(&t->reason, "Forbidden access to module: %s", n->subject);
            return;
        }
        (void)buf_addf(&t->reason, "Import %s %s is not allowed. Authorized imports are: ",
                       n->node->kind == N_ALIAS ? "of" : "from", n->subject);
        add_authorized(t);
        return;
    case RULE_NAME_FORBIDDEN:
        (void)buf_addf(&t->reason, "Forbidden access to function: %s",
                       str_after_last(n->subject, '.'));
        return;
    case RULE_BUILTIN_NOT_ALLOWED:
        say_builtin(t, n);
        return;
    case RULE_KEPT_NAME:
        (void)buf_addf(&t->reason,
                       "Cannot assign to name '%s': doing this would erase the existing tool!",
                       n->subject);
        return;
    case RULE_DUNDER_FORBIDDEN:
        (void)buf_addf(&t->reason, "Forbidden %s: %s",
                       is_called(t, n) ? "call to dunder function" : "access to dunder attribute",
                       n->subject);
        return;
    }
    (void)buf_adds(&t->reason, n->f.message);
}

/* True if smolagents checks the name before it evaluates the object. */
static bool is_asked_first(const struct text *t, const struct note *n)
{
    return n->rule == RULE_DUNDER_FORBIDDEN && n->node && n->node->kind == N_ATTRIBUTE &&
           !is_called(t, n);
}

static bool is_within(const struct note *inner, const struct note *outer)
{
    if (inner->f.end_line != outer->f.end_line)
        return inner->f.end_line < outer->f.end_line;
    if (inner->f.end_column != outer->f.end_column)
        return inner->f.end_column < outer->f.end_column;
    return inner->rule == RULE_NAME_FORBIDDEN;
}

/* Of two findings at one location, true if n comes first: the outermost checked attribute,
 * otherwise the innermost. */
static bool comes_before(const struct text *t, const struct note *n, const struct note *other)
{
    bool asked = is_asked_first(t, n);

    if (asked != is_asked_first(t, other))
        return asked;
    return asked ? is_within(other, n) : is_within(n, other);
}

static const struct note *first_refusal(const struct text *t)
{
    const struct note *first = findings_next(t->c, t->stage, NULL);

    for (const struct note *n = first; n && n->f.line == first->f.line;
         n = findings_next(t->c, t->stage, n)) {
        if (n->f.column == first->f.column && comes_before(t, n, first))
            first = n;
    }
    return first;
}

void text_smolagents(struct text *t)
{
    const struct note *first = first_refusal(t);
    struct str source;

    if (t->c->text->parsed && !t->c->has_program) {
        syntax(t);
        return;
    }
    if (!first || t->stage < GUARD_IMPORTS)
        return;
    label_smolagents(t, first);
    source = texts_smolagents_statement(t, first->node);
    interpreter_error(t,
                      xasprintf("Code execution failed at line '%.*s' due to: InterpreterError: %s",
                                (int)source.n, source.p, t->reason.p));
}
