/* SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include "report/check_report.h"
#include "result/verdict_json.h"

/* Characters other than ASCII could be control characters, or change the direction of writing. */
static size_t flags(FILE *out)
{
    return isatty(fileno(out)) ? JSON_ENSURE_ASCII : 0;
}

static void check_json_begin(struct check_report *r)
{
    fputs("{\"files\": [", r->out);
}

static void check_json_item(struct check_report *r, const struct check_item *it)
{
    json_t *object = json_object();

    json_object_set_new(object, "path", json_text(str_from(it->path)));
    json_set_if_odd(object, "path", str_from(it->path));
    json_object_set_new(object, "verdict",
                        it->verdict ? json_incref((json_t *)it->verdict) : json_null());
    if (!it->verdict)
        json_object_set_new(object, "error", json_error(it->err));
    fputs(r->totals.files ? ",\n" : "\n", r->out);
    json_dumpf(object, r->out, flags(r->out));
    json_decref(object);
}

static void check_json_end(struct check_report *r)
{
    const struct check_totals *t = &r->totals;

    fprintf(r->out, "%s], \"allowed\": %s}\n", t->files ? "\n" : "",
            t->allowed == t->files ? "true" : "false");
}

const struct check_format check_json = {check_json_begin, check_json_item, check_json_end};
