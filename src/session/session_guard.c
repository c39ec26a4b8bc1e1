/* SPDX-License-Identifier: Apache-2.0
 *
 * The guard reads each cell before it is sent. Names that earlier cells gave to modules and
 * functions are known: the lines that did so stand before the cell, as if it were one text.
 */
#include <string.h>

#include "base/mem.h"
#include "explain/exception.h"
#include "explain/feedback.h"
#include "guard/modules.h"
#include "python/python.h"
#include "session/check.h"
#include "session/session_impl.h"

enum { LINE_MAX_BYTES = 1000 };

int guard_open(struct session *s, struct err *err)
{
    const struct run_request *q = &s->family->request.run;
    const char *tools = s->family->request.tools ? s->family->request.tools->source : NULL;

    if (check_read_prelude(q, &s->family->prelude, err) < 0)
        return -1;
    if (!q->no_check && !(s->family->policy = check_open_policy(q, err)))
        return -1;
    if (tools && s->family->policy && policy_reads_tools(s->family->policy) &&
        (buf_adds(&s->family->prelude, "\n\n") < 0 || buf_adds(&s->family->prelude, tools) < 0))
        return err_set(err, ERR_USAGE, "the tools' source and the prelude are too long");
    return 0;
}

static void check(struct session *s, const struct run_request *q, struct str prelude,
                  struct result *ret)
{
    struct guard_input input = {
        .code = q->code,
        .prelude = prelude,
        .language = s->family->prepared.language->name,
        .target = q->target,
        .cell = true,
    };

    check_by_policy(s->family->policy, q, &input, ret);
}

static void check_again(struct session *s, const struct run_request *q, struct result *ret)
{
    struct capture fresh;

    verdict_done(&ret->verdict);
    result_exception_free(ret->exception);
    ret->exception = NULL;
    capture_init(&fresh, ret->err.limit);
    capture_done(&ret->err);
    ret->err = fresh;
    check(s, q, buf_str(&s->family->prelude), ret);
}

static void look_at_cell(struct session *s, const struct cell_request *cell, unsigned number,
                         struct result *ret)
{
    struct run_request q = s->family->request.run;
    AUTO_BUF struct buf before = {0};
    AUTO_FREE char *file = NULL;

    file = xasprintf("<cell %u>", number);
    q.file = file;
    q.code = cell->code;
    if (!s->names.n) {
        check(s, &q, buf_str(&s->family->prelude), ret);
        return;
    }
    buf_init(&before, s->family->prelude.n + s->names.n + 2);
    (void)buf_add_str(&before, buf_str(&s->family->prelude));
    (void)buf_addc(&before, '\n');
    (void)buf_add_str(&before, buf_str(&s->names));
    check(s, &q, buf_str(&before), ret);
    /* What stands before may itself be the trouble: `from __future__ import` wants to be first. */
    if (result_refused(ret) && ret->verdict.stage <= GUARD_SYNTAX)
        check_again(s, &q, ret);
}

bool guard_cell(struct session *s, const struct cell_request *cell, unsigned number,
                struct result *ret)
{
    if (!s->family->policy || cell->no_check)
        return true;
    look_at_cell(s, cell, number, ret);
    if (ret->exception && ret->exception->line)
        ret->exception->cell = number;
    return !result_refused(ret);
}

/* ---- what later cells should know ---- */

static bool is_reference(const struct node *n)
{
    while (n->kind == N_ATTRIBUTE)
        n = n->attribute.value;
    return n->kind == N_NAME;
}

/* `import os as o`, `run = os.system`: what the guard follows. */
static bool names_something(const struct node *n)
{
    if (n->kind == N_IMPORT)
        return true;
    if (n->kind == N_IMPORT_FROM)
        return !n->import.module || strcmp(n->import.module->text, "__future__") != 0;
    return n->kind == N_ASSIGN && is_reference(n->assign.value);
}

/* Oldest lines go first; a line that is there already is not added again. */
static void add_line(struct buf *names, struct str line)
{
    AUTO_BUF struct buf whole = {0};

    if (line.n > LINE_MAX_BYTES || memchr(line.p, '\n', line.n))
        return;
    buf_init(&whole, LINE_MAX_BYTES + 2);
    (void)buf_add_str(&whole, line);
    (void)buf_addc(&whole, '\n');
    long at = str_find(buf_str(names), buf_str(&whole));
    if (at == 0 || (at > 0 && names->p[at - 1] == '\n'))
        return;
    while (names->n + whole.n > names->limit) {
        const char *end = memchr(names->p, '\n', names->n);
        buf_drop(names, end ? (size_t)(end - names->p) + 1 : names->n);
    }
    (void)buf_add_str(names, buf_str(&whole));
}

/* ---- names of builtins ---- */

static bool is_builtin(const struct name *name)
{
    struct str s = {name->text, name->n};

    return module_is_builtin(s) || str_is(s, "__builtins__");
}

static int binds_builtin(void *ctx, struct node *n)
{
    (void)ctx;
    if (n->kind == N_NAME && n->op != CTX_LOAD)
        return is_builtin(n->name.id);
    if (n->kind == N_ALIAS)
        return is_builtin(n->alias.asname ? n->alias.asname : n->alias.name);
    return node_each_child(n, binds_builtin, ctx);
}

/* What may not have happened stands behind `if 0:`, which the guard takes for that. */
static void add_perhaps(struct buf *names, struct str line)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, LINE_MAX_BYTES);
    if (buf_adds(&b, "if 0: ") == 0 && buf_add_str(&b, line) == 0)
        add_line(names, buf_str(&b));
}

static int learn_deleted(void *ctx, struct node *n)
{
    struct buf *names = ctx;
    const struct name *name = NULL;

    if (n->kind == N_NAME && n->op == CTX_DEL)
        name = n->name.id;
    else if (n->kind == N_EXCEPT_HANDLER)
        name = n->handler.name;
    if (name && is_builtin(name)) {
        AUTO_FREE char *line = xasprintf("del %s", name->text);
        add_perhaps(names, str_from(line));
    }
    return node_each_child(n, learn_deleted, ctx);
}

/* Ways to change the session's names by their texts: from then on nothing is certain. */
static bool may_change_names(struct str code, const struct verdict *v)
{
    static const char *const words[] = {"globals",  "locals",    "vars",    "modules",
                                        "__dict__", "f_globals", "__main__"};
    static const char *const rules[] = {"exec-call",       "eval-call",   "code-reference",
                                        "exec-by-library", "import-call", "code-interpreter"};

    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (str_find(code, str_from(words[i])) >= 0)
            return true;
    }
    for (size_t i = 0; i < v->n; i++) {
        for (size_t k = 0; k < ARRAY_LEN(rules); k++) {
            if (strcmp(v->findings[i].rule, rules[k]) == 0)
                return true;
        }
    }
    return false;
}

void guard_learn(struct session *s, struct str code, const struct result *r)
{
    bool whole = r->success && !r->exception;
    struct python_tree tree;

    if (!s->family->policy || strcmp(s->family->prepared.language->name, "python") != 0)
        return;
    if (may_change_names(code, &r->verdict))
        add_perhaps(&s->names, STR("x.modules"));
    /* Most cells name nothing: no second reading for them. */
    if (str_find(code, STR("import")) < 0 && str_find(code, STR("=")) < 0 &&
        str_find(code, STR("del")) < 0 && str_find(code, STR("except")) < 0)
        return;
    if (python_parse(code, &(struct python_options){.target = s->family->request.run.target},
                     &tree) == 0) {
        struct node_list body = tree.module->module.body;
        for (size_t i = 0; i < body.n; i++) {
            const struct node *n = body.at[i];
            const char *from = python_line(&tree, n->line).p + n->column;
            const char *to = python_line(&tree, n->end_line).p + n->end_column;
            struct str line = {from, to > from ? (size_t)(to - from) : 0};
            if (!line.n || !names_something(n))
                continue;
            if (!whole && binds_builtin(NULL, body.at[i]))
                add_perhaps(&s->names, line);
            else
                add_line(&s->names, line);
        }
        (void)learn_deleted(&s->names, tree.module);
    }
    python_tree_done(&tree);
}
