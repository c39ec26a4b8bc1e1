/* SPDX-License-Identifier: Apache-2.0
 *
 * What the calls of a scenario gave, one line each, in memory that outlives the process. A line
 * that begins with "!" is a failure in words: what follows it may be anything but a crash. All
 * other lines are the same in every run.
 */
#ifndef OOM_NOTES_H
#define OOM_NOTES_H

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fail.h"
#include "glovebox.h"

#define NOTES_MAX (1 << 18)

struct notes {
    long allocations;
    int finished;
    size_t n;
    char text[NOTES_MAX];
};

static struct notes *notes; /* shared with the parent */

__attribute__((format(printf, 1, 2))) static inline void note(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    int n = vsnprintf(notes->text + notes->n, NOTES_MAX - notes->n, fmt, ap);
    va_end(ap);
    if (n > 0)
        notes->n += (size_t)n < NOTES_MAX - notes->n ? (size_t)n : NOTES_MAX - notes->n - 1;
}

static inline void note_shape(const json_t *v);

static inline void note_object(json_t *v)
{
    const char *key;
    json_t *child;

    note("{");
    json_object_foreach(v, key, child)
    {
        note("%s:", key);
        if (strcmp(key, "notes") != 0) /* may say what the failed allocation cost */
            note_shape(child);
    }
    note("}");
}

/* The keys and types of a document, without its figures and words. */
static inline void note_shape(const json_t *v)
{
    size_t i;
    json_t *child;

    if (json_is_object(v)) {
        note_object((json_t *)v);
    } else if (json_is_array(v)) {
        note("[");
        json_array_foreach((json_t *)v, i, child) note_shape(child);
        note("]");
    } else {
        note("%c", json_is_number(v) ? 'n' : json_is_string(v) ? 's' : json_is_null(v) ? '0' : 'b');
    }
}

/* A document that the library gave; NULL is a failure that is reported as `error`. */
static inline void note_json(const char *label, const char *text, const char *error)
{
    fail_off();
    if (!text) {
        note("%c%s: %s\n", error && *error ? '!' : '?', label, error ? error : "nothing");
    } else {
        json_t *doc = json_loads(text, JSON_DECODE_ANY, NULL);
        note("%s ", label);
        if (doc)
            note_shape(doc);
        else
            note("is not JSON: %s", text);
        note("\n");
        json_decref(doc);
    }
    fail_on();
}

static inline void note_text(const char *label, const char *text, const char *error)
{
    fail_off();
    if (!text)
        note("%c%s: %s\n", error && *error ? '!' : '?', label, error ? error : "nothing");
    else
        note("%s %s\n", label, text);
    fail_on();
}

static inline void note_status(const char *label, int status, const char *error)
{
    fail_off();
    if (status < 0)
        note("%c%s: %s\n", error && *error ? '!' : '?', label, error);
    else
        note("%s %d\n", label, status);
    fail_on();
}

/* A file that could not be brought out is listed with the reason. */
static inline void note_skipped(const char *label, const char *json)
{
    json_t *doc = json_loads(json, 0, NULL);
    const json_t *first = json_array_get(json_object_get(doc, "skipped"), 0);
    const char *reason = json_string_value(json_object_get(first, "reason"));

    if (reason)
        note("!%s: left out, %s\n", label, reason);
    json_decref(doc);
}

/* What belongs to every result; frees it. */
static inline void note_result(const char *label, glovebox_result *r)
{
    size_t n = 0;
    const char *error = glovebox_result_error(r), *type = glovebox_result_error_type(r);
    const char *json = glovebox_result_json(r), *said = glovebox_result_feedback_text(r);
    const char *value = glovebox_result_value(r), *out = glovebox_result_stdout(r, &n);

    fail_off();
    if (error)
        note("%c%s: %s\n", type && strcmp(type, "ours") == 0 ? '!' : '?', label, error);
    if (json)
        note_skipped(label, json);
    note_json(label, json, "no document");
    fail_off();
    note("%s success %d exit %d stdout %s value %s allowed %d feedback %s files %zu tests %zu of "
         "%zu %s\n",
         label, glovebox_result_success(r), glovebox_result_exit_code(r), n ? out : "",
         value ? value : "-", glovebox_result_allowed(r), said, glovebox_result_file_count(r),
         glovebox_result_tests_passed(r), glovebox_result_test_count(r), type ? type : "-");
    fail_on();
    glovebox_result_free(r);
}

#endif
