/* SPDX-License-Identifier: Apache-2.0
 *
 * A result as a line of JSON, there and back.
 */
#include <jansson.h>
#include <stdlib.h>

#include "base/encoded.h"
#include "base/mem.h"
#include "judge/suite.h"

static json_t *text_or_null(const char *s)
{
    return s ? json_text(str_from(s)) : json_null();
}

static json_t *borrowed(const struct suite_result *r)
{
    struct str rest = str_from(r->borrowed), name;
    json_t *list = json_array();

    while (r->borrowed && str_next(&rest, ',', &name))
        json_array_append_new(list, json_text(name));
    return list;
}

/* "guest" or "ours", as in other results; NULL when it passed. */
static const char *error_type(const struct suite_result *r)
{
    return r->all_passed ? NULL : r->error ? "ours" : "guest";
}

/* Without a verdict there is no score either. */
char *suite_result_line(const struct suite_result *r)
{
    json_t *object =
        json_pack("{s:o, s:I, s:I, s:I, s:I, s:o, s:b, s:o, s:o, s:I, s:o, s:o, s:b, s:o, s:b}",
                  "id", text_or_null(r->id), "sample", (json_int_t)r->sample, "line",
                  (json_int_t)r->line, "passed", (json_int_t)r->passed, "total",
                  (json_int_t)r->total, "score", r->error ? json_null() : json_real(r->score),
                  "all_passed", r->all_passed, "detail", text_or_null(r->detail), "from_candidate",
                  borrowed(r), "duration_ms", (json_int_t)r->duration_ms, "error",
                  text_or_null(r->error), "error_type", text_or_null(error_type(r)), "trustworthy",
                  r->trustworthy, "doubt", text_or_null(r->doubt), "counted", r->counted);
    AUTO_FREE char *text =
        object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(12)) : NULL;

    json_decref(object);
    return xasprintf("%s\n", text ? text : "{}");
}

static char *copy(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? xstrdup(text) : NULL;
}

static int64_t number(const json_t *object, const char *key)
{
    json_int_t n = json_integer_value(json_object_get(object, key));

    return n > 0 ? n : 0;
}

bool suite_result_read(struct str line, struct suite_result *ret)
{
    json_t *object = json_loadb(line.p, line.n, 0, NULL);

    *ret = (struct suite_result){0};
    if (json_is_object(object) && json_is_boolean(json_object_get(object, "all_passed")))
        *ret = (struct suite_result){
            .id = copy(object, "id"),
            .sample = (size_t)number(object, "sample"),
            .line = (size_t)number(object, "line"),
            .passed = (size_t)number(object, "passed"),
            .total = (size_t)number(object, "total"),
            .score = json_number_value(json_object_get(object, "score")),
            .all_passed = json_is_true(json_object_get(object, "all_passed")),
            .detail = copy(object, "detail"),
            .error = copy(object, "error"),
            .duration_ms = number(object, "duration_ms"),
            .doubt = copy(object, "doubt"),
            .trustworthy = json_is_true(json_object_get(object, "trustworthy")),
            .counted = !json_is_false(json_object_get(object, "counted")),
        };
    json_decref(object);
    return ret->id || ret->error;
}

void suite_result_done(struct suite_result *r)
{
    free(r->id);
    free(r->detail);
    free(r->error);
    free(r->borrowed);
    free(r->doubt);
    *r = (struct suite_result){0};
}
