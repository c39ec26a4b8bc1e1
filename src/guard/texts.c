/* SPDX-License-Identifier: Apache-2.0
 *
 * The reason of a verdict, and what a refused run says where a profile has words of its own: those
 * of the system it stands in for, which programs may look for.
 */
#include <string.h>

#include "base/mem.h"
#include "guard/texts_parts.h"

static bool in_stage(const struct check *c, const struct note *n, enum guard_stage stage)
{
    bool both = c->policy->together && stage >= GUARD_IMPORTS && n->stage >= GUARD_IMPORTS;

    return n->stage == stage || both;
}

/* ---- what refused ---- */

const struct note *text_next(const struct text *t, const struct note *after)
{
    const struct check *c = t->c;
    bool by_score = !c->stages[t->stage].refuses && !c->policy->together;

    for (size_t i = after ? (size_t)(after - c->notes) + 1 : 0; i < c->n; i++) {
        const struct note *n = &c->notes[i];
        if (in_stage(c, n, t->stage) && (by_score || n->f.severity >= c->policy->refuse_at))
            return n;
    }
    return NULL;
}

/* ---- plain words ---- */

static const struct note *worst(const struct text *t, size_t *ret_n)
{
    const struct note *best = NULL;

    *ret_n = 0;
    for (const struct note *n = text_next(t, NULL); n; n = text_next(t, n)) {
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

/* The verdict's findings are those of the check, in the same order. */
static void add_labels(struct check *c, struct verdict *v)
{
    struct text t = {.c = c, .v = v, .stage = v->stage};

    if (!labels[c->policy->texts] || v->stage < GUARD_IMPORTS)
        return;
    buf_init(&t.reason, TEXT_LIMIT);
    for (const struct note *n = text_next(&t, NULL); n; n = text_next(&t, n)) {
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
