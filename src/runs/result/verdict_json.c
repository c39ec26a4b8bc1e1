/* SPDX-License-Identifier: Apache-2.0 */
#include "result/verdict_json.h"

#include <stdio.h>

#include "base/utf8.h"

json_t *json_lines(struct str lines)
{
    json_t *list = json_array();
    struct str line;

    while (str_next_line(&lines, &line))
        json_array_append_new(list, json_text(line));
    return list;
}

void json_set_if_odd(json_t *object, const char *key, struct str s)
{
    AUTO_BUF struct buf b = {0};
    char name[32];

    if (utf8_valid(s))
        return;
    buf_init(&b, 2 * s.n + 8);
    (void)base64_add(&b, s);
    snprintf(name, sizeof name, "%s_base64", key);
    json_object_set_new_nocheck(object, name, json_stringn_nocheck(b.p, b.n));
}

static void verdict_json_set(json_t *object, const char *key, json_t *value)
{
    json_object_set_new_nocheck(object, key, value);
}

static json_t *number_or_null(uint32_t n)
{
    return n ? json_integer(n) : json_null();
}

static json_t *finding_json(const struct finding *f)
{
    json_t *object = json_object();

    verdict_json_set(object, "rule", json_text(str_from(f->rule)));
    verdict_json_set(object, "severity", json_string(severity_name(f->severity)));
    verdict_json_set(object, "points", json_integer(f->points));
    verdict_json_set(object, "refuses", json_boolean(f->refuses));
    verdict_json_set(object, "message", json_text(str_from(f->message)));
    verdict_json_set(object, "hint", json_text_or_null(str_from(f->hint)));
    verdict_json_set(object, "name", json_text_or_null(str_from(f->name)));
    verdict_json_set(object, "module", json_text_or_null(str_from(f->module)));
    verdict_json_set(object, "call", json_text_or_null(str_from(f->call)));
    verdict_json_set(object, "label", json_text_or_null(str_from(f->label)));
    verdict_json_set(object, "line", number_or_null(f->line));
    verdict_json_set(object, "column", number_or_null(f->column));
    verdict_json_set(object, "end_line", number_or_null(f->end_line));
    verdict_json_set(object, "end_column", number_or_null(f->end_column));
    verdict_json_set(object, "prelude_line", number_or_null(f->prelude_line));
    verdict_json_set(object, "excerpt", f->excerpt ? json_text(str_from(f->excerpt)) : json_null());
    json_set_if_odd(object, "excerpt", str_from(f->excerpt));
    verdict_json_set(object, "excerpt_column", number_or_null(f->excerpt_column));
    return object;
}

json_t *verdict_json(const struct verdict *v)
{
    json_t *object = json_object(), *findings = json_array();

    for (size_t i = 0; i < v->n; i++)
        json_array_append_new(findings, finding_json(&v->findings[i]));
    verdict_json_set(object, "allowed", json_boolean(v->allowed));
    verdict_json_set(object, "stage", json_string(guard_stage_name(v->stage)));
    verdict_json_set(object, "reason", json_text_or_null(str_from(v->reason)));
    verdict_json_set(object, "risk", json_integer(v->risk));
    verdict_json_set(object, "findings", findings);
    if (v->left_out)
        verdict_json_set(object, "findings_left_out", json_integer((json_int_t)v->left_out));
    return object;
}
