/* SPDX-License-Identifier: Apache-2.0 */
#include "report/check_report.h"

#include <string.h>

#include "formats/json_get.h"
#include "run/syntax_probe.h"

const struct rule_info *check_rule(size_t i)
{
    size_t n = guard_rule_count();

    return i < n ? guard_rule(i) : i == n ? &syntax_unchecked_rule : NULL;
}

const struct rule_info *check_rule_find(struct str id)
{
    return str_is(id, syntax_unchecked_rule.id) ? &syntax_unchecked_rule : guard_rule_find(id);
}

enum check_rank check_rank(const json_t *finding)
{
    const char *severity = json_get_text(finding, "severity");

    if (json_get_true(finding, "refuses"))
        return RANK_ERROR;
    return !severity || strcmp(severity, severity_name(SEVERITY_INFO)) == 0 ? RANK_NOTE
                                                                            : RANK_WARNING;
}

static void check_report_count(struct check_totals *t, const json_t *v)
{
    const json_t *finding;
    size_t i;

    t->files++;
    if (!v) {
        t->unread++;
        return;
    }
    if (json_get_true(v, "allowed"))
        t->allowed++;
    else
        t->refused++;
    json_array_foreach(json_object_get(v, "findings"), i, finding)
    {
        enum check_rank rank = check_rank(finding);
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
    check_report_count(&r->totals, item->verdict);
}

void check_report_end(struct check_report *r)
{
    r->format->end(r);
}
