/* SPDX-License-Identifier: Apache-2.0
 *
 * The results of `glovebox test` as text, and in the formats of the two other systems that run
 * tests.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "formats/encoded.h"
#include "formats/json_get.h"
#include "text/format_profiles.h"

static bool passed(const json_t *test)
{
    return json_get_true(test, "passed");
}

/* ---- ours ---- */

enum { SHOWN_MAX = 20 };

static void add_failure(struct buf *out, const json_t *test)
{
    const struct str parts[] = {json_get_str(test, "name"), json_get_str(test, "call"),
                                json_get_str(test, "detail")};

    (void)buf_adds(out, "- ");
    for (size_t i = 0, n = 0; i < ARRAY_LEN(parts); i++)
        if (parts[i].n) {
            (void)buf_adds(out, n++ ? ": " : "");
            (void)buf_add_str(out, parts[i]);
        }
    (void)buf_addc(out, '\n');
}

void format_tests(const json_t *run, struct buf *out)
{
    size_t i, failed = 0;
    const json_t *test;

    (void)buf_addf(out, "%s%" PRId64 " of %" PRId64 " tests passed", out->n ? "\n" : "",
                   json_get_int(run, "passed"), json_get_int(run, "total"));
    if (json_get_int(run, "errors"))
        (void)buf_addf(out, ", %" PRId64 " could not be judged", json_get_int(run, "errors"));
    (void)buf_adds(out, ".\n");
    json_array_foreach(json_object_get(run, "test_results"), i, test)
    {
        if (passed(test) || failed++ >= SHOWN_MAX)
            continue;
        add_failure(out, test);
    }
    if (failed > SHOWN_MAX)
        (void)buf_addf(out, "- and %zu more\n", failed - SHOWN_MAX);
}

/* ---- chapter ---- */

json_t *format_chapter_tests(const json_t *run)
{
    json_t *list = json_array();
    const json_t *test;
    size_t i;

    json_array_foreach(json_object_get(run, "test_results"), i, test)
    {
        json_t *object = json_object();
        encoded_set_text(object, "test", json_get_str(test, "test"));
        encoded_set_text(object, "expected", json_get_str(test, "expected"));
        encoded_set_text(object, "actual", json_get_str(test, "actual"));
        json_object_set_new(object, "passed", json_boolean(passed(test)));
        json_array_append_new(list, object);
    }
    return json_pack("{s:I, s:I, s:o}", "total", (json_int_t)json_get_int(run, "total"), "passed",
                     (json_int_t)json_get_int(run, "passed"), "results", list);
}

/* ---- agentos ---- */

enum { STREAM_MAX = 500, EXCEPTION_MAX = 300, EXCERPT_LINES = 5 };

/* As Python writes a float: "1.0", "0.25". */
static char *seconds_text(int64_t ms)
{
    char *text = xasprintf("%" PRId64 ".%03d", ms / 1000, (int)(ms % 1000));

    for (size_t n = strlen(text); text[n - 1] == '0' && text[n - 2] != '.'; n--)
        text[n - 1] = '\0';
    return text;
}

/* The last lines, if there are more; otherwise the whole text. */
static struct str excerpt(struct str text)
{
    size_t lines = 1;
    struct str stripped = blocks_strip(text);

    for (size_t i = stripped.n; i-- > 0;)
        if (stripped.p[i] == '\n' && lines++ == EXCERPT_LINES)
            return str_slice(stripped, i + 1, stripped.n);
    return text;
}

/* The message of a timeout. A run that ended a few milliseconds late ended at its limit. */
static char *timeout_text(const json_t *run)
{
    struct str message = format_exception(run, "message");
    const json_t *test;
    size_t i;

    if (str_starts(message, "Timeout after "))
        return xstrndup(message.p, message.n);
    json_array_foreach(json_object_get(run, "test_results"), i, test)
    {
        struct str detail = json_get_str(test, "detail");
        if (str_starts(detail, "Timeout after "))
            return xstrndup(detail.p, detail.n);
    }
    AUTO_FREE char *seconds = seconds_text(json_get_int(run, "duration_ms") / 100 * 100);
    return xasprintf("Timeout after %ss", seconds);
}

static char *exception_text(const json_t *run)
{
    struct str message = format_exception(run, "message");
    AUTO_BUF struct buf b = {0};
    struct str lines = excerpt(json_get_str(run, "stderr"));

    if (json_get_true(run, "timed_out"))
        return timeout_text(run);
    if (format_success(run))
        return xstrdup("");
    if (message.n && format_refused(run))
        return xstrndup(message.p, message.n);
    buf_init(&b, 1 << 20);
    if (format_error(run).n || json_get_true(run, "oom_killed"))
        format_reason(run, &b);
    else if (lines.n && !json_is_array(json_object_get(run, "test_results")))
        (void)buf_add_str(&b, lines);
    else if (format_exception(run, "type").n)
        format_add_exception(run, &b);
    return buf_take(&b);
}

static int64_t exit_code(const json_t *run)
{
    if (format_refused(run) || format_error(run).n ||
        (json_get_true(run, "timed_out") && !json_get_int(run, "total")))
        return -1;
    return json_get_int(run, "signal") ? -json_get_int(run, "signal")
                                       : json_get_int(run, "exit_code");
}

static json_t *agentos_tests(const json_t *run)
{
    static const char *const keys[] = {"name",     "passed", "output",
                                       "expected", "detail", "duration_ms"};
    json_t *list = json_array();
    const json_t *test;
    size_t i;

    json_array_foreach(json_object_get(run, "test_results"), i, test)
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

json_t *format_agentos_json(const json_t *run, bool strict)
{
    bool success = format_success(run) &&
                   !(strict && !json_get_int(run, "total") && json_get_str(run, "stderr").n);
    AUTO_FREE char *exception = exception_text(run);
    double seconds = (double)json_get_int(run, "duration_ms") / 1000;
    json_t *object = json_object();

    if (json_get_true(run, "timed_out") && !json_get_int(run, "total"))
        seconds = strtod(exception + strlen("Timeout after "), NULL);
    json_object_set_new(object, "success", json_boolean(success));
    json_object_set_new(object, "exit_code", json_integer(exit_code(run)));
    set_head(object, "stdout", json_get_str(run, "stdout"), STREAM_MAX);
    set_head(object, "stderr", json_get_str(run, "stderr"), STREAM_MAX);
    set_head(object, "exception", str_from(exception), EXCEPTION_MAX);
    json_object_set_new(object, "duration", json_sprintf("%.2fs", seconds));
    json_object_set_new(
        object, "max_memory_mb",
        json_sprintf("%.1f", json_number_value(json_object_get(run, "max_memory_mb"))));
    json_object_set_new(object, "test_results", agentos_tests(run));
    json_object_set_new(object, "all_passed", json_boolean(json_get_true(run, "all_passed")));
    return object;
}

void format_agentos(const json_t *run, struct buf *out)
{
    json_t *object = format_agentos_json(run, false);
    char *text = json_dumps(object, JSON_COMPACT);

    (void)buf_adds(out, text ? text : "{}");
    free(text);
    json_decref(object);
}
