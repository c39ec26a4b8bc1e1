/* SPDX-License-Identifier: Apache-2.0
 *
 * What `glovebox test` says, as text; and results in the shapes of the two systems that judge.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/encoded.h"
#include "base/mem.h"
#include "text/format_profiles.h"

static struct str string_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return json_is_string(value) ? (struct str){json_string_value(value), json_string_length(value)}
                                 : (struct str){"", 0};
}

static bool passed(const json_t *test)
{
    return json_is_true(json_object_get(test, "passed"));
}

/* ---- ours ---- */

enum { SHOWN_MAX = 20 };

static void add_failure(struct buf *out, const json_t *test)
{
    const struct str parts[] = {string_of(test, "name"), string_of(test, "call"),
                                string_of(test, "detail")};

    (void)buf_adds(out, "- ");
    for (size_t i = 0, n = 0; i < ARRAY_LEN(parts); i++)
        if (parts[i].n) {
            (void)buf_adds(out, n++ ? ": " : "");
            (void)buf_add_str(out, parts[i]);
        }
    (void)buf_addc(out, '\n');
}

void format_tests(const struct finished *run, struct buf *out)
{
    size_t i, failed = 0;
    const json_t *test;

    (void)buf_addf(out, "%s%" PRId64 " of %" PRId64 " tests passed", out->n ? "\n" : "",
                   run->passed, run->total);
    if (run->unjudged)
        (void)buf_addf(out, ", %" PRId64 " could not be judged", run->unjudged);
    (void)buf_adds(out, ".\n");
    json_array_foreach(run->tests, i, test)
    {
        if (passed(test) || failed++ >= SHOWN_MAX)
            continue;
        add_failure(out, test);
    }
    if (failed > SHOWN_MAX)
        (void)buf_addf(out, "- and %zu more\n", failed - SHOWN_MAX);
}

/* ---- chapter: row C9 ---- */

json_t *format_chapter_tests(const struct finished *run)
{
    json_t *list = json_array();
    const json_t *test;
    size_t i;

    json_array_foreach(run->tests, i, test)
    {
        json_t *object = json_object();
        encoded_set_text(object, "test", string_of(test, "test"));
        encoded_set_text(object, "expected", string_of(test, "expected"));
        encoded_set_text(object, "actual", string_of(test, "actual"));
        json_object_set_new(object, "passed", json_boolean(passed(test)));
        json_array_append_new(list, object);
    }
    return json_pack("{s:I, s:I, s:o}", "total", (json_int_t)run->total, "passed",
                     (json_int_t)run->passed, "results", list);
}

/* ---- agentos: rows S1, S7 to S11 ---- */

enum { STREAM_MAX = 500, EXCEPTION_MAX = 300, EXCERPT_LINES = 5 };

/* As Python writes a float: "1.0", "0.25". */
static char *seconds_text(int64_t ms)
{
    char *text = xasprintf("%" PRId64 ".%03d", ms / 1000, (int)(ms % 1000));

    for (size_t n = strlen(text); text[n - 1] == '0' && text[n - 2] != '.'; n--)
        text[n - 1] = '\0';
    return text;
}

/* The last lines, if there are more; else all of it. */
static struct str excerpt(struct str text)
{
    size_t lines = 1;
    struct str stripped = blocks_strip(text);

    for (size_t i = stripped.n; i-- > 0;)
        if (stripped.p[i] == '\n' && lines++ == EXCERPT_LINES)
            return str_slice(stripped, i + 1, stripped.n);
    return text;
}

/* A run that ended a few milliseconds late ended at its limit. */
static char *timeout_text(const struct finished *run)
{
    const json_t *test;
    size_t i;

    if (str_starts(run->exception_message, "Timeout after "))
        return xstrndup(run->exception_message.p, run->exception_message.n);
    json_array_foreach(run->tests, i, test)
    {
        struct str detail = string_of(test, "detail");
        if (str_starts(detail, "Timeout after "))
            return xstrndup(detail.p, detail.n);
    }
    AUTO_FREE char *seconds = seconds_text(run->duration_ms / 100 * 100);
    return xasprintf("Timeout after %ss", seconds);
}

static char *exception_text(const struct finished *run)
{
    AUTO_BUF struct buf b = {0};
    struct str lines = excerpt(run->err);

    if (run->timed_out)
        return timeout_text(run);
    if (run->success)
        return xstrdup("");
    if (run->refused && run->exception_message.n)
        return xstrndup(run->exception_message.p, run->exception_message.n);
    buf_init(&b, 1 << 20);
    if (run->error.n || run->out_of_memory)
        format_reason(run, &b);
    else if (lines.n && !run->tests)
        (void)buf_add_str(&b, lines);
    else if (run->exception_type.n)
        (void)buf_addf(&b, "%.*s: %.*s", (int)run->exception_type.n, run->exception_type.p,
                       (int)run->exception_message.n, run->exception_message.p);
    return buf_take(&b);
}

static int64_t exit_code(const struct finished *run)
{
    if (run->refused || run->error.n || (run->timed_out && !run->total))
        return -1;
    return run->signal ? -run->signal : run->exit_code;
}

static json_t *agentos_tests(const struct finished *run)
{
    static const char *const keys[] = {"name",     "passed", "output",
                                       "expected", "detail", "duration_ms"};
    json_t *list = json_array();
    const json_t *test;
    size_t i;

    json_array_foreach(run->tests, i, test)
    {
        json_t *object = json_object();
        for (size_t k = 0; k < ARRAY_LEN(keys); k++) {
            json_t *value = json_object_get(test, keys[k]);
            json_object_set_new(object, keys[k], value ? json_incref(value) : json_null());
        }
        json_array_append_new(list, object);
    }
    return list;
}

static void set_head(json_t *object, const char *key, struct str text, size_t characters)
{
    encoded_set_text(object, key, str_slice(text, 0, format_characters(text, characters)));
}

json_t *format_agentos_json(const struct finished *run, bool strict)
{
    bool success = run->success && !(strict && !run->total && run->err.n);
    AUTO_FREE char *exception = exception_text(run);
    double seconds = (double)run->duration_ms / 1000;
    json_t *object = json_object();

    if (run->timed_out && !run->total)
        seconds = strtod(exception + strlen("Timeout after "), NULL);
    json_object_set_new(object, "success", json_boolean(success));
    json_object_set_new(object, "exit_code", json_integer(exit_code(run)));
    set_head(object, "stdout", run->out, STREAM_MAX);
    set_head(object, "stderr", run->err, STREAM_MAX);
    set_head(object, "exception", str_from(exception), EXCEPTION_MAX);
    json_object_set_new(object, "duration", json_sprintf("%.2fs", seconds));
    json_object_set_new(object, "max_memory_mb", json_sprintf("%.1f", run->memory_mb));
    json_object_set_new(object, "test_results", agentos_tests(run));
    json_object_set_new(object, "all_passed", json_boolean(run->all_passed));
    return object;
}

void format_agentos(const struct finished *run, struct buf *out)
{
    json_t *object = format_agentos_json(run, false);
    char *text = json_dumps(object, JSON_COMPACT);

    (void)buf_adds(out, text ? text : "{}");
    free(text);
    json_decref(object);
}
