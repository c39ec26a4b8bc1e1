/* SPDX-License-Identifier: Apache-2.0
 *
 * Records what the guard needs to know about a cell when it reads later ones: statements that
 * import, or that put a module or function of the library where other code finds it (a variable, a
 * list, a function's result), and which names of builtins are the session's own.
 */
#include <string.h>

#include "base/mem.h"
#include "guard/guard.h"
#include "guard/rules_parts.h"
#include "program/program_parts.h"

enum {
    RECORD_MAX = 8 << 10,   /* bytes of a statement */
    RECORDS_MAX = 16 << 10, /* bytes of all statements */
    HOLDS_DEEP = 4,
    KEPT_MAX = 64,
};

struct memory {
    struct check *c;
    struct verdict *v;
    const struct node *kept[KEPT_MAX]; /* the statements that later cells need */
    size_t n_kept;
};

/* ---- records ---- */

static void record(struct buf *b, struct str text)
{
    if (text.n && text.n <= RECORD_MAX && buf_add_str(b, text) == 0)
        (void)buf_addc(b, '\0');
}

static void record_both(struct memory *m, const char *text)
{
    record(&m->v->ended, str_from(text));
    record(&m->v->failed, str_from(text));
}

static struct str remember_text_of(struct check *c, const struct node *n)
{
    struct node_list decorators = node_decorators(n);
    const char *end = check_line(c, n->end_line).p + n->end_column;
    const char *from = decorators.n ? check_line(c, decorators.at[0]->line).p
                                    : check_line(c, n->line).p + n->column;

    return (struct str){from, end > from ? (size_t)(end - from) : 0};
}

/* ---- expressions that pass a module or function on ---- */

static bool is_within(const struct node *n, const struct node *statement)
{
    return n->line >= statement->line && n->line <= statement->end_line;
}

/* True if the node is in a statement that was kept: the function or class made there may itself
 * return a module or function of the library. */
static bool was_kept(const struct memory *m, const struct node *n)
{
    if (n->line <= m->c->prelude_lines || m->n_kept == KEPT_MAX)
        return true;
    for (size_t i = 0; i < m->n_kept; i++) {
        if (is_within(n, m->kept[i]))
            return true;
    }
    return false;
}

static bool is_known(struct str path)
{
    bool module = !memchr(path.p, '.', path.n) && module_is_library(path);

    return module || module_is_powerful(path) || module_knows(path) ||
           resolve_handler(path); /* getattr, functools.partial */
}

/* True if the string is the name of a module or builtin that matters: getattr(builtins, text) may
 * come later. */
static bool names_known(struct check *c, struct str text)
{
    const char *builtin;

    if (!text.n || text.n > 40)
        return false;
    builtin = arena_printf(&c->arena, "builtins.%.*s", (int)text.n, text.p);
    return module_is_powerful(text) || module_path(str_from(builtin));
}

static bool holds(const struct memory *m, const struct value *v, unsigned depth)
{
    switch ((int)v->kind) {
    case VALUE_PATH:
        return is_known(v->text);
    case VALUE_TEXT:
        return names_known(m->c, v->text);
    case VALUE_SPACE:
        return true;
    case VALUE_FUNCTION:
    case VALUE_CLASS:
    case VALUE_INSTANCE:
        return was_kept(m, v->node);
    case VALUE_ANY:
    case VALUE_LIST:
    case VALUE_DICT:
    case VALUE_OBJECT:
    case VALUE_PARTIAL:
        for (size_t i = 0; i < v->n && depth < HOLDS_DEEP; i++) {
            if (holds(m, v->items[i], depth + 1))
                return true;
        }
        return v->n && depth == HOLDS_DEEP;
    }
    return false;
}

/* False if the item is only called, or only an attribute of it is used: then the call or the
 * attribute is looked at instead. */
static bool is_taken_on(const struct check *c, const struct item *i)
{
    const struct node *up = parent_of(c, i);

    if (up->kind == N_CALL && up->call.func == i->node)
        return false;
    return up->kind != N_ATTRIBUTE;
}

static bool hands_on(struct memory *m, const struct item *i)
{
    switch ((int)i->node->kind) {
    case N_NAME:
    case N_ATTRIBUTE:
    case N_SUBSCRIPT:
        if (i->node->op != CTX_LOAD)
            return false;
        break;
    case N_CALL:
    case N_CONSTANT:
    case N_BIN_OP:
        break;
    case N_IMPORT:
    case N_IMPORT_FROM:
        return true;
    default:
        return false;
    }
    resolver_tidy(&m->c->resolver);
    return is_taken_on(m->c, i) && holds(m, value_of(m->c, i->node, i->scope), 0);
}

/* ---- names of builtins ---- */

static const struct name *name_bound(const struct node *n)
{
    switch ((int)n->kind) {
    case N_NAME:
        return n->op == CTX_STORE ? n->name.id : NULL;
    case N_FUNCTION_DEF:
    case N_ASYNC_FUNCTION_DEF:
        return n->function.name;
    case N_CLASS_DEF:
        return n->class_def.name;
    case N_ALIAS:
        return n->alias.asname ? n->alias.asname : n->alias.name;
    }
    return NULL;
}

static void record_deleted(struct memory *m, const struct name *name)
{
    if (name && program_falls(name))
        record_both(m, arena_printf(&m->c->arena, "if 0: del %s", name->text));
}

static bool runs_texts(const struct verdict *v)
{
    static const char *const rules[] = {"exec-call",       "eval-call",   "code-reference",
                                        "exec-by-library", "import-call", "code-interpreter"};

    for (size_t i = 0; i < v->n; i++) {
        for (size_t k = 0; k < ARRAY_LEN(rules); k++) {
            if (strcmp(v->findings[i].rule, rules[k]) == 0)
                return true;
        }
    }
    return false;
}

/* Records that the cell may change the session's names by strings: from then on no name is
 * certain. */
static void record_reflection(struct memory *m)
{
    const struct program *p = &m->c->program;
    bool found = runs_texts(m->v);

    for (size_t k = 0; k < p->n && !found; k++)
        found = program_reflects(&p->items[k]);
    if (found)
        record_both(m, "if 0: __earlier__.modules");
}

/* Records the names of builtins that certainly are the session's own if the cell runs to its
 * end. */
static void record_own(struct memory *m)
{
    const struct program *p = &m->c->program;

    for (const struct symbol *s = p->module_scope->symbols; s; s = s->next) {
        if (program_is_bound(p, s))
            record(&m->v->ended,
                   str_from(arena_printf(&m->c->arena, "%s = __earlier__", s->name->text)));
    }
}

/* ---- statements ---- */

static bool is_one_line(const struct node *n)
{
    return n->line == n->end_line && (n->kind == N_ASSIGN || n->kind == N_IMPORT ||
                                      n->kind == N_IMPORT_FROM || n->kind == N_EXPR);
}

/* How far a failed cell came is unknown. A statement that may not have run is recorded after
 * `if 0:`, which the guard reads as "may not have run". */
static void record_failed(struct memory *m, const struct node *n, struct str text, size_t from,
                          size_t to)
{
    const struct program *p = &m->c->program;

    if (is_one_line(n)) {
        record(&m->v->failed,
               str_from(arena_printf(&m->c->arena, "if 0: %.*s", (int)text.n, text.p)));
        return;
    }
    record(&m->v->failed, text);
    for (size_t k = from; k < to; k++) {
        const struct name *name = name_bound(p->items[k].node);
        if (name && program_falls(name))
            record(&m->v->failed, str_from(arena_printf(&m->c->arena, "if 0: del %s", name->text)));
    }
}

/* The value of a cell's last expression is `_` in the next cell. */
static void record_last(struct memory *m, const struct node *n, struct str text)
{
    const struct program *p = &m->c->program;
    struct node_list body = p->tree->module->module.body;

    if (n->kind == N_EXPR && body.at[body.n - 1] == n)
        record(&m->v->ended,
               str_from(arena_printf(&m->c->arena, "_ = (%.*s)", (int)text.n, text.p)));
}

/* Records the statement with the items [from, to), if later cells need it. */
static void statement(struct memory *m, size_t from, size_t to)
{
    const struct program *p = &m->c->program;
    const struct node *n = p->items[from].node;
    bool keep = false;

    if (n->kind == N_IMPORT_FROM && n->import.module &&
        str_is(name_str(n->import.module), "__future__"))
        return;
    for (size_t k = from; k < to && !keep; k++)
        keep = hands_on(m, &p->items[k]);
    for (size_t k = from; k < to; k++)
        record_deleted(m, program_deleted(p->items[k].node));
    if (!keep)
        return;
    if (m->n_kept < KEPT_MAX)
        m->kept[m->n_kept++] = n;
    struct str text = remember_text_of(m->c, n);
    record(&m->v->ended, text);
    record_failed(m, n, text, from, to);
    record_last(m, n, text);
}

void remember(struct check *c, struct verdict *v)
{
    struct memory m = {.c = c, .v = v};
    const struct program *p = &c->program;

    buf_init(&v->ended, RECORDS_MAX);
    buf_init(&v->failed, RECORDS_MAX);
    for (size_t from = 1, to; from < p->n; from = to) {
        for (to = from + 1; to < p->n && p->items[to].parent;)
            to++;
        if (p->items[from].node->line > c->prelude_lines)
            statement(&m, from, to);
    }
    record_reflection(&m);
    record_own(&m);
}
