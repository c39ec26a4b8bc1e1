/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "result/verdict_json.h"
#include "verdicts/check_report.h"

/* Characters other than ASCII could be controls, or turn the direction of writing. */
static size_t flags(FILE *out)
{
    return isatty(fileno(out)) ? JSON_ENSURE_ASCII : 0;
}

static void begin(struct check_report *r)
{
    fputs("{\"files\": [", r->out);
}

static json_t *error_json(const struct err *err)
{
    return json_pack("{s:s, s:o}", "kind", err_kind_name(err->kind), "message",
                     json_text(str_from(err->msg)));
}

static void item(struct check_report *r, const struct check_item *it)
{
    json_t *object = json_object();

    json_object_set_new(object, "path", json_text(str_from(it->path)));
    json_set_if_odd(object, "path", str_from(it->path));
    json_object_set_new(object, "verdict",
                        it->verdict ? json_incref((json_t *)it->verdict) : json_null());
    if (!it->verdict)
        json_object_set_new(object, "error", error_json(it->err));
    fputs(r->totals.files ? ",\n" : "\n", r->out);
    json_dumpf(object, r->out, flags(r->out));
    json_decref(object);
}

static void end(struct check_report *r)
{
    const struct check_totals *t = &r->totals;

    fprintf(r->out, "%s], \"allowed\": %s}\n", t->files ? "\n" : "",
            t->allowed == t->files ? "true" : "false");
}

const struct check_format check_json = {begin, item, end};
