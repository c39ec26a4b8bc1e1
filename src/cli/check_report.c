/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check_report.h"

#include "session/syntax_probe.h"

const struct rule_info *check_rule(size_t i)
{
    size_t n = guard_rule_count();

    return i < n ? guard_rule(i) : i == n ? &syntax_unchecked_rule : NULL;
}

const struct rule_info *check_rule_find(struct str id)
{
    return str_is(id, syntax_unchecked_rule.id) ? &syntax_unchecked_rule : guard_rule_find(id);
}

static bool is_of_stage(const struct finding *f, enum guard_stage stage)
{
    const struct rule_info *rule = check_rule_find(str_from(f->rule));

    return rule && rule->stage == stage;
}

/* Where grave findings refuse, small ones beside them do not; alone they did it by their number. */
struct check_ranks check_ranks(const struct verdict *v)
{
    struct check_ranks ranks = {.refused = !v->allowed, .stage = v->stage, .least = SEVERITY_LOW};

    for (size_t i = 0; i < v->n; i++)
        if (v->findings[i].severity >= SEVERITY_HIGH && is_of_stage(&v->findings[i], v->stage))
            ranks.least = SEVERITY_HIGH;
    return ranks;
}

enum check_rank check_rank(const struct check_ranks *ranks, const struct finding *f)
{
    if (f->severity == SEVERITY_INFO)
        return RANK_NOTE;
    return ranks->refused && f->severity >= ranks->least && is_of_stage(f, ranks->stage)
               ? RANK_ERROR
               : RANK_WARNING;
}

static void count(struct check_totals *t, const struct verdict *v)
{
    t->files++;
    if (!v) {
        t->unread++;
        return;
    }
    if (v->allowed)
        t->allowed++;
    else
        t->refused++;
    struct check_ranks ranks = check_ranks(v);
    for (size_t i = 0; i < v->n; i++) {
        enum check_rank rank = check_rank(&ranks, &v->findings[i]);
        t->errors += rank == RANK_ERROR;
        t->warnings += rank == RANK_WARNING;
    }
}

void check_report_begin(struct check_report *r)
{
    r->format->begin(r);
}

void check_report_item(struct check_report *r, const struct check_item *item)
{
    r->format->item(r, item);
    count(&r->totals, item->verdict);
}

void check_report_end(struct check_report *r)
{
    r->format->end(r);
}
