/* SPDX-License-Identifier: Apache-2.0
 *
 * The guard reads each cell before it is sent. It knows the names from earlier cells: the
 * statements that bound them stand before the cell, as if it were one text.
 */
#include "base/mem.h"
#include "explain/exception.h"
#include "explain/feedback.h"
#include "guard/earlier.h"
#include "session/check.h"
#include "session/session_impl.h"

int guard_open(struct session *s, struct err *err)
{
    const struct run_request *q = &s->shared->request.run;
    const char *tools = s->shared->request.tools ? s->shared->request.tools->source : NULL;

    if (check_read_prelude(q, &s->shared->prelude, err) < 0)
        return -1;
    if (!q->no_check && !(s->shared->policy = check_open_policy(q, err)))
        return -1;
    if (tools && s->shared->policy && policy_reads_tools(s->shared->policy) &&
        (buf_adds(&s->shared->prelude, "\n\n") < 0 || buf_adds(&s->shared->prelude, tools) < 0))
        return err_set(err, ERR_USAGE, "the tools' source and the prelude are too long");
    return 0;
}

static void check(struct session *s, const struct run_request *q, struct str earlier,
                  struct result *ret)
{
    struct examination e;

    examine_init(&e, q, s->shared->policy);
    e.language = s->shared->prepared.language;
    e.prelude = buf_str(&s->shared->prelude);
    e.earlier = earlier;
    e.cell = true;
    examine_for(&e, ret);
    examine_done(&e);
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
    check(s, q, STR(""), ret);
}

static void look_at_cell(struct session *s, const struct cell_request *cell, unsigned number,
                         struct result *ret)
{
    struct run_request q = s->shared->request.run;
    AUTO_BUF struct buf before = {0};
    AUTO_FREE char *file = NULL;

    file = xasprintf("<cell %u>", number);
    q.file = file;
    q.code = cell->code;
    buf_init(&before, s->names.n);
    earlier_text(&s->names, &before);
    check(s, &q, buf_str(&before), ret);
    /* The earlier statements may cause the error themselves: `from __future__ import` must be
     * first. */
    if (before.n && result_refused(ret) && ret->verdict.stage <= GUARD_SYNTAX)
        check_again(s, &q, ret);
}

bool guard_cell(struct session *s, const struct cell_request *cell, unsigned number,
                struct result *ret)
{
    if (!s->shared->policy || cell->no_check)
        return true;
    look_at_cell(s, cell, number, ret);
    if (ret->exception && ret->exception->line)
        ret->exception->cell = number;
    return !result_refused(ret);
}

/* ---- statements for later cells ---- */

void guard_learn(struct session *s, const struct result *r)
{
    bool whole = r->success && !r->exception;

    if (s->shared->policy)
        earlier_learn(&s->names, buf_str(whole ? &r->verdict.ended : &r->verdict.failed));
}
