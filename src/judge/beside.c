/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of cases are expressions of the candidate's program, so they are read after it, with
 * its names: all of them as one text, in which each stands in parentheses of its own. Each must be
 * an expression by itself, or a quote that one opens and another closes would hide those between.
 */
#include "judge/parts.h"

#include <string.h>

#include "base/mem.h"
#include "python/python.h"

enum { CALLS_MAX = 64 << 20 };

static bool is_expression(struct str text)
{
    struct python_tree tree;
    bool good = python_parse(text, &(struct python_options){0}, &tree) == 0 &&
                tree.module->module.body.n == 1 && tree.module->module.body.at[0]->kind == N_EXPR;

    python_tree_done(&tree);
    return good;
}

static void add(struct judge_beside *b, const struct beside_text *text)
{
    b->texts[b->n++] = *text;
}

/* False when it is no expression, or there are too many. */
static bool add_call(struct buf *calls, struct str call)
{
    size_t from = calls->n;

    (void)buf_adds(calls, "(\n");
    (void)buf_add_str(calls, call);
    (void)buf_adds(calls, "\n)\n");
    return !calls->overflow && is_expression(str_slice(buf_str(calls), from, calls->n));
}

static void add_calls(struct judge_beside *b, const struct case_file *cases)
{
    for (size_t i = 0; i < cases->n; i++) {
        const struct test_case *c = &cases->at[i];
        if (c->call.p && !add_call(&b->calls, c->call_text)) {
            add(b, &(struct beside_text){.what = "the call of a case", .unread = "no expression"});
            return;
        }
    }
    if (b->calls.n)
        add(b, &(struct beside_text){.what = "the calls of the cases",
                                     .text = buf_str(&b->calls),
                                     .language = "python",
                                     .follows = true});
}

void judge_beside_find(const struct judge_request *q, struct judge_beside *ret)
{
    const char *func = q->func ? q->func : q->cases->func;

    *ret = (struct judge_beside){0};
    buf_init(&ret->calls, CALLS_MAX);
    buf_init(&ret->func, CALLS_MAX);
    if (!q->run.reads_beside)
        return;
    add_calls(ret, q->cases);
    if (func) {
        (void)buf_addf(&ret->func, "%s()\n", func);
        add(ret, &(struct beside_text){.what = "the function's name",
                                       .text = buf_str(&ret->func),
                                       .language = "python",
                                       .follows = true});
    }
    if (q->checker.p)
        add(ret, &(struct beside_text){.what = "the checker", .text = q->checker});
}

void judge_beside_done(struct judge_beside *b)
{
    buf_done(&b->calls);
    buf_done(&b->func);
}
