/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes and reads a result as a line of JSON.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "formats/encoded.h"
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

/* Returns "guest" or "ours", as in other results; NULL if the task passed. */
static const char *error_type(const struct suite_result *r)
{
    return r->all_passed ? NULL : r->error ? "ours" : "guest";
}

/* Bytes that are no UTF-8 are replaced when the line is written. */
static char *shortened(struct str text)
{
    enum { HEAD = SUITE_PRINTED * 3 / 4 };

    if (!text.n)
        return NULL;
    if (text.n <= SUITE_PRINTED)
        return xstrndup(text.p, text.n);
    size_t left_out = text.n - SUITE_PRINTED;
    return xasprintf("%.*s\n... %zu bytes are left out ...\n%.*s", HEAD, text.p, left_out,
                     SUITE_PRINTED - HEAD, text.p + HEAD + left_out);
}

void suite_result_print(struct suite_result *r, struct str out, struct str err)
{
    if (r->all_passed)
        return;
    r->out = shortened(out);
    r->err = shortened(err);
}

/* A result without a verdict has no score. */
char *suite_result_line(const struct suite_result *r)
{
    json_t *object = json_pack(
        "{s:o, s:o, s:I, s:I, s:I, s:I, s:o, s:b, s:s, s:o, s:o, s:I, s:o, s:o, s:b, s:o, s:b,"
        " s:o, s:o, s:o}",
        "id", text_or_null(r->id), "suite", text_or_null(r->suite), "sample", (json_int_t)r->sample,
        "line", (json_int_t)r->line, "passed", (json_int_t)r->passed, "total", (json_int_t)r->total,
        "score", r->error ? json_null() : json_real(r->score), "all_passed", r->all_passed,
        "outcome", judged_name(r->outcome), "detail", text_or_null(r->detail), "from_candidate",
        borrowed(r), "duration_ms", (json_int_t)r->duration_ms, "error", text_or_null(r->error),
        "error_type", text_or_null(error_type(r)), "trustworthy", r->trustworthy, "doubt",
        text_or_null(r->doubt), "counted", r->counted, "stdout", text_or_null(r->out), "stderr",
        text_or_null(r->err), "hash", text_or_null(*r->hash ? r->hash : NULL));
    AUTO_FREE char *text =
        object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(12)) : NULL;

    json_decref(object);
    return xasprintf("%s\n", text ? text : "{}");
}

static char *suite_result_copy(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? xstrdup(text) : NULL;
}

static int64_t suite_result_number(const json_t *object, const char *key)
{
    json_int_t n = json_integer_value(json_object_get(object, key));

    return n > 0 ? n : 0;
}

/* The inverse of borrowed(). */
static char *suite_result_names(const json_t *object)
{
    const json_t *list = json_object_get(object, "from_candidate"), *name;
    AUTO_BUF struct buf b = {0};
    size_t i;

    buf_init(&b, SUITE_LINE_MAX);
    json_array_foreach(list, i, name)(void)
        buf_addf(&b, "%s%s", i ? "," : "", json_is_string(name) ? json_string_value(name) : "");
    return b.n ? buf_take(&b) : NULL;
}

static void read_hash(struct suite_result *r, const json_t *object)
{
    const char *hash = json_string_value(json_object_get(object, "hash"));

    if (hash && strlen(hash) < sizeof r->hash)
        memcpy(r->hash, hash, strlen(hash));
}

bool suite_result_read(struct str line, struct suite_result *ret)
{
    json_t *object = json_loadb(line.p, line.n, 0, NULL);

    *ret = (struct suite_result){0};
    if (json_is_object(object) && json_is_boolean(json_object_get(object, "all_passed")))
        *ret = (struct suite_result){
            .id = suite_result_copy(object, "id"),
            .sample = (size_t)suite_result_number(object, "sample"),
            .line = (size_t)suite_result_number(object, "line"),
            .passed = (size_t)suite_result_number(object, "passed"),
            .total = (size_t)suite_result_number(object, "total"),
            .score = json_number_value(json_object_get(object, "score")),
            .all_passed = json_is_true(json_object_get(object, "all_passed")),
            .detail = suite_result_copy(object, "detail"),
            .error = suite_result_copy(object, "error"),
            .duration_ms = suite_result_number(object, "duration_ms"),
            .doubt = suite_result_copy(object, "doubt"),
            .trustworthy = json_is_true(json_object_get(object, "trustworthy")),
            .counted = !json_is_false(json_object_get(object, "counted")),
            .borrowed = suite_result_names(object),
            .out = suite_result_copy(object, "stdout"),
            .err = suite_result_copy(object, "stderr"),
        };
    read_hash(ret, object);
    ret->suite = ret->owned_suite = suite_result_copy(object, "suite");
    if (!judged_from(json_string_value(json_object_get(object, "outcome")), &ret->outcome))
        ret->outcome = ret->all_passed ? JUDGED_PASSED : ret->error ? JUDGED_OURS : JUDGED_WRONG;
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
    free(r->out);
    free(r->owned_suite);
    free(r->err);
    *r = (struct suite_result){0};
}
