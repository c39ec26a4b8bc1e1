/* SPDX-License-Identifier: Apache-2.0
 *
 * The guard reads each cell before it is sent. Names that earlier cells gave to modules and
 * functions are known: the lines that did so stand before the cell, as if it were one text.
 */
#include <string.h>

#include "base/mem.h"
#include "python/python.h"
#include "session/check.h"
#include "session/exception.h"
#include "session/feedback.h"
#include "session/session_impl.h"

enum { LINE_MAX_BYTES = 1000 };

int guard_open(struct session *s, struct err *err)
{
    const struct run_request *q = &s->family->request.run;
    const char *tools = s->family->request.tools ? s->family->request.tools->source : NULL;

    if (check_read_prelude(q, &s->family->prelude, err) < 0)
        return -1;
    if (tools &&
        (buf_adds(&s->family->prelude, "\n\n") < 0 || buf_adds(&s->family->prelude, tools) < 0))
        return err_set(err, ERR_USAGE, "the tools' source and the prelude are too long");
    if (!q->no_check && !(s->family->policy = check_open_policy(q, err)))
        return -1;
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
    exception_free(ret->exception);
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

void guard_learn(struct session *s, struct str code)
{
    struct python_tree tree;

    if (!s->family->policy || strcmp(s->family->prepared.language->name, "python") != 0)
        return;
    /* Most cells name nothing: no second reading for them. */
    if (str_find(code, STR("import")) < 0 && str_find(code, STR("=")) < 0)
        return;
    if (python_parse(code, &(struct python_options){.target = s->family->request.run.target},
                     &tree) == 0) {
        struct node_list body = tree.module->module.body;
        for (size_t i = 0; i < body.n; i++) {
            const struct node *n = body.at[i];
            const char *from = python_line(&tree, n->line).p + n->column;
            const char *to = python_line(&tree, n->end_line).p + n->end_column;
            if (names_something(n) && to > from)
                add_line(&s->names, (struct str){from, (size_t)(to - from)});
        }
    }
    python_tree_done(&tree);
}
