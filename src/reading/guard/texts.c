/* SPDX-License-Identifier: Apache-2.0
 *
 * The reason of a verdict, and the messages of a refused run for profiles that imitate another
 * system: programs may look for that system's messages.
 */
#include <string.h>

#include "base/mem.h"
#include "guard/guard.h"
#include "guard/texts_parts.h"

/* ---- plain words ---- */

static const struct note *worst(const struct text *t, size_t *ret_n)
{
    const struct note *best = NULL;

    *ret_n = 0;
    for (const struct note *n = findings_next(t->c, t->stage, NULL); n;
         n = findings_next(t->c, t->stage, n)) {
        ++*ret_n;
        if (!best || n->f.severity > best->f.severity)
            best = n;
    }
    return best;
}

static void plain(struct text *t)
{
    size_t n;
    const struct note *w = worst(t, &n);

    if (!w)
        return;
    (void)buf_adds(&t->reason, w->f.message);
    if (w->f.line && w->stage == GUARD_SYNTAX)
        (void)buf_addf(&t->reason, " (line %u)", w->f.line);
    else if (w->f.prelude_line)
        (void)buf_addf(&t->reason, " (line %u of the prelude)", w->f.prelude_line);
    else if (w->f.line)
        (void)buf_addf(&t->reason, " (line %u, %s)", w->f.line, w->f.rule);
    if (n > 1)
        (void)buf_addf(&t->reason, ", and %zu more", n - 1);
}

static void (*const fillers[])(struct text *t) = {
    [TEXTS_PLAIN] = plain,          [TEXTS_KODEAGENT] = text_kodeagent,
    [TEXTS_CHAPTER] = text_chapter, [TEXTS_RESTRICTED] = text_restricted,
    [TEXTS_AGENTOS] = text_agentos, [TEXTS_SMOLAGENTS] = text_smolagents,
};

static label_fn *const labels[TEXTS_COUNT] = {
    [TEXTS_KODEAGENT] = label_kodeagent,   [TEXTS_CHAPTER] = label_chapter,
    [TEXTS_RESTRICTED] = label_restricted, [TEXTS_AGENTOS] = label_agentos,
    [TEXTS_SMOLAGENTS] = label_smolagents,
};

/* Labels the verdict's findings, which are those of the check in the same order. */
static void add_labels(struct check *c, struct verdict *v)
{
    struct text t = {.c = c, .v = v, .stage = v->stage};

    if (!labels[c->policy->texts] || v->stage < GUARD_IMPORTS)
        return;
    buf_init(&t.reason, TEXT_LIMIT);
    for (const struct note *n = findings_next(t.c, t.stage, NULL); n;
         n = findings_next(t.c, t.stage, n)) {
        buf_clear(&t.reason);
        labels[c->policy->texts](&t, n);
        if (t.reason.n)
            v->findings[n - c->notes].label = xstrndup(t.reason.p, t.reason.n);
    }
    buf_done(&t.reason);
}

void texts_fill(struct check *c, struct verdict *v)
{
    struct text t = {.c = c, .v = v, .stage = v->stage};

    buf_init(&t.reason, TEXT_LIMIT);
    if (!v->allowed || c->policy->texts == TEXTS_KODEAGENT)
        fillers[c->policy->texts](&t);
    if (!v->allowed && !t.reason.n)
        plain(&t);
    if (!v->allowed && !t.reason.n)
        (void)buf_addf(&t.reason, "refused by the %s stage", guard_stage_name(t.stage));
    v->reason = xstrndup(t.reason.p, t.reason.n);
    add_labels(c, v);
    buf_done(&t.reason);
}
