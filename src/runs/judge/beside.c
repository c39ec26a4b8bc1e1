/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of cases are expressions that use the candidate's names, so they are read after its
 * program: all of them as one text, each in parentheses of its own. Each must also be an expression
 * by itself. Otherwise a quote that one call opens and another one closes would hide the calls
 * between them.
 *
 * A case with arguments calls the function by its name. The program may have imported that
 * function, and an argument can decide what the function does, so these cases are read as calls,
 * too.
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

/* False if it is not an expression, or if there are too many. */
static bool beside_add_call(struct buf *calls, struct str call)
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
        if (c->call.p && !beside_add_call(&b->calls, c->call_text)) {
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

static struct str python_word(char first)
{
    return first == 't' ? STR("True") : first == 'f' ? STR("False") : STR("None");
}

/* JSON is an expression of Python, except for three words and the escape of a slash. */
static void add_json(struct buf *out, struct str json)
{
    bool quoted = false;

    for (size_t i = 0; i < json.n; i++) {
        char c = json.p[i];
        if (c == '"') {
            quoted = !quoted;
        } else if (quoted && c == '\\' && i + 1 < json.n) {
            if (json.p[++i] != '/')
                (void)buf_adds(out, "\\");
        } else if (!quoted && c >= 'a' && strchr("tfn", c)) {
            (void)buf_add_str(out, python_word(c));
            i += c == 'f' ? 4 : 3;
            continue;
        }
        (void)buf_add_str(out, str_slice(json, i, i + 1));
    }
}

static void add_function_call(struct buf *out, const char *func, const struct test_case *c)
{
    (void)buf_addf(out, "%s(*", func);
    add_json(out, c->args.p ? c->args : STR("[]"));
    (void)buf_adds(out, ", **");
    add_json(out, c->kwargs.p ? c->kwargs : STR("{}"));
    (void)buf_adds(out, ")\n");
}

static void add_function_calls(struct judge_beside *b, const char *func,
                               const struct case_file *cases)
{
    for (size_t i = 0; i < cases->n; i++) {
        const struct test_case *c = &cases->at[i];
        if (!c->is_program && !c->call.p)
            add_function_call(&b->func, func, c);
    }
    if (!b->func.n)
        (void)buf_addf(&b->func, "%s()\n", func);
    add(b, &(struct beside_text){.what = "the function's name and its arguments",
                                 .unread = b->func.overflow ? "too long" : NULL,
                                 .text = buf_str(&b->func),
                                 .language = "python",
                                 .follows = true});
}

void judge_beside_find(const struct judge_request *q, struct judge_beside *ret)
{
    const char *func = q->func ? q->func : q->cases->func;

    *ret = (struct judge_beside){0};
    buf_init(&ret->calls, CALLS_MAX);
    buf_init(&ret->func, CALLS_MAX);
    if (!q->run.policy.reads_beside)
        return;
    add_calls(ret, q->cases);
    if (func)
        add_function_calls(ret, func, q->cases);
    if (q->checker.p)
        add(ret, &(struct beside_text){.what = "the checker", .text = q->checker});
}

void judge_beside_done(struct judge_beside *b)
{
    buf_done(&b->calls);
    buf_done(&b->func);
}
