/* SPDX-License-Identifier: Apache-2.0
 *
 * A result's document, read back as far as a report needs it.
 */
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "cli/check_report.h"
#include "cli/run_remote.h"
#include "request/limits.h"
#include "result/wall_json.h"

static bool is_true(const json_t *object, const char *key)
{
    return json_is_true(json_object_get(object, key));
}

static int64_t number(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static char *text_or_null(const json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));

    return s ? xstrdup(s) : NULL;
}

/* ---- the verdict ---- */

static enum severity severity_of(const char *name)
{
    for (int s = SEVERITY_INFO; name && s <= SEVERITY_CRITICAL; s++)
        if (strcmp(name, severity_name((enum severity)s)) == 0)
            return (enum severity)s;
    return SEVERITY_INFO;
}

static enum guard_stage stage_of(const char *name)
{
    for (int s = GUARD_INPUT; name && s <= GUARD_REVIEW; s++)
        if (strcmp(name, guard_stage_name((enum guard_stage)s)) == 0)
            return (enum guard_stage)s;
    return GUARD_INPUT;
}

static void read_finding(const json_t *v, struct finding *f)
{
    const char *rule = json_string_value(json_object_get(v, "rule"));
    const struct rule_info *known = check_rule_find(str_from(rule));

    *f = (struct finding){
        .rule = known ? known->id : "other",
        .severity = severity_of(json_string_value(json_object_get(v, "severity"))),
        .points = (int)number(v, "points"),
        .refuses = is_true(v, "refuses"),
        .message = text_or_null(v, "message"),
        .hint = text_or_null(v, "hint"),
        .name = text_or_null(v, "name"),
        .module = text_or_null(v, "module"),
        .call = text_or_null(v, "call"),
        .label = text_or_null(v, "label"),
        .line = (uint32_t)number(v, "line"),
        .end_line = (uint32_t)number(v, "end_line"),
        .column = (uint32_t)number(v, "column"),
        .end_column = (uint32_t)number(v, "end_column"),
        .excerpt = text_or_null(v, "excerpt"),
    };
    if (!f->message)
        f->message = xstrdup("");
    /* A line that was cut shows its beginning, or has the place somewhere within. */
    bool within = f->excerpt && f->column <= utf8_count(str_from(f->excerpt)) + 1;
    f->excerpt_column = within ? f->column : 1;
}

static void read_verdict(const json_t *v, struct result *r)
{
    const json_t *list = json_object_get(v, "findings");
    const char *stage = json_string_value(json_object_get(v, "stage"));
    size_t n =
        json_array_size(list) < GUARD_MAX_FINDINGS ? json_array_size(list) : GUARD_MAX_FINDINGS;

    if (!stage)
        return;
    r->checked = true;
    r->verdict.allowed = is_true(v, "allowed");
    r->verdict.stage = stage_of(stage);
    r->verdict.reason = text_or_null(v, "reason");
    r->verdict.risk = (int)number(v, "risk");
    r->verdict.left_out = (size_t)number(v, "findings_left_out");
    r->verdict.findings = xcalloc(n + 1, sizeof *r->verdict.findings);
    for (size_t i = 0; i < n; i++)
        read_finding(json_array_get(list, i), &r->verdict.findings[r->verdict.n++]);
}

/* ---- how it ended ---- */

static void read_error(const json_t *v, struct err *ret)
{
    const char *kind = json_string_value(json_object_get(v, "kind"));
    const char *message = json_string_value(json_object_get(v, "message"));

    for (int k = ERR_USAGE; kind && k <= ERR_BUG; k++)
        if (strcmp(kind, err_kind_name((enum err_kind)k)) == 0)
            err_set(ret, (enum err_kind)k, "%s", message ? message : "");
}

static void read_denied(const json_t *list, struct backend_outcome *o)
{
    for (size_t i = 0; i < json_array_size(list) && i < JAIL_DENIED_MAX; i++) {
        const json_t *v = json_array_get(list, i);
        const char *name = json_string_value(json_object_get(v, "name"));
        struct jail_denial *d = &o->denied[o->denied_count++];
        snprintf(d->name, sizeof d->name, "%s", name ? name : "");
        d->count = (uint64_t)number(v, "count");
    }
}

static void read_limits(const json_t *list, struct result *r)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        for (unsigned bit = 1; name && bit <= LIMIT_LAST; bit <<= 1)
            if (strcmp(name, limit_name((enum jail_limit_hit)bit)) == 0)
                r->limits_hit |= bit;
    }
}

static void read_cell(const json_t *v, struct result_cell *ret)
{
    const char *session = json_string_value(json_object_get(v, "session"));
    const char *ended = json_string_value(json_object_get(v, "ended"));

    snprintf(ret->session, sizeof ret->session, "%s", session ? session : "");
    ret->number = (unsigned)number(v, "number");
    for (int e = CELL_DONE; ended && e <= CELL_REFUSED; e++)
        if (strcmp(ended, cell_end_name((enum cell_end)e)) == 0)
            ret->ended = (enum cell_end)e;
    const char *attempt = json_string_value(json_object_get(v, "attempt"));
    for (int a = CELL_KEPT; attempt && a <= CELL_DROPPED; a++)
        if (strcmp(attempt, cell_attempt_name((enum cell_attempt)a)) == 0)
            ret->attempt = (enum cell_attempt)a;
    ret->exited = is_true(v, "exited");
}

void remote_result(const json_t *doc, struct result *r)
{
    const char *id = json_string_value(json_object_get(doc, "id"));

    snprintf(r->id, sizeof r->id, "%s", id ? id : "");
    r->success = is_true(doc, "success");
    r->timed_out = is_true(doc, "timed_out");
    r->oom_killed = is_true(doc, "oom_killed");
    r->exit_code = (int)number(doc, "exit_code");
    r->signal = (int)number(doc, "signal");
    r->duration_ms = number(doc, "duration_ms");
    r->cpu_ms = number(doc, "cpu_ms");
    r->memory_peak =
        (uint64_t)(json_number_value(json_object_get(doc, "max_memory_mb")) * (1 << 20));
    read_limits(json_object_get(doc, "limits"), r);
    limits_read(json_object_get(doc, "limits_set"), &r->limits);
    read_denied(json_object_get(doc, "denied"), &r->outcome);
    read_error(json_object_get(doc, "error"), &r->error);
    if (!r->error.kind)
        read_verdict(json_object_get(doc, "verdict"), r);
    read_cell(json_object_get(doc, "cell"), &r->cell);
}
