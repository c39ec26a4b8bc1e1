/* SPDX-License-Identifier: Apache-2.0 */
#include "store/log_json.h"

#include <time.h>

#include "formats/encoded.h"

/* The log holds JSON as text: returns it as a value, or as a string if it is invalid. */
static json_t *nested(struct str s)
{
    json_t *v = json_loadb(s.p ? s.p : "", s.n, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);

    return v ? v : json_text(s);
}

static json_t *names(struct str list)
{
    json_t *v = json_array();
    struct str name;

    while (list.n && str_next(&list, ',', &name))
        json_array_append_new(v, json_text(name));
    return v;
}

static json_t *time_text(int64_t ms)
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm tm;
    char out[32];

    if (!gmtime_r(&seconds, &tm) || !strftime(out, sizeof out, "%Y-%m-%dT%H:%M:%SZ", &tm))
        return json_null();
    return json_string(out);
}

static json_t *verdict(const struct run_record *run)
{
    return json_pack("{s:b, s:o, s:o}", "allowed", run->allowed, "stage",
                     json_text_or_null(run->verdict_stage), "reason",
                     json_text_or_null(run->verdict_reason));
}

static void add_numbers(json_t *to, const struct run_record *run)
{
    const struct {
        const char *name;
        int64_t value;
    } numbers[] = {
        {"exit_code", run->exit_code},       {"signal", run->signal},
        {"duration_ms", run->duration_ms},   {"cpu_ms", run->cpu_ms},
        {"stdout_bytes", run->stdout_bytes}, {"stderr_bytes", run->stderr_bytes},
        {"files_count", run->files_count},   {"max_memory_bytes", run->max_memory_bytes},
        {"attempts", run->attempts},
    };

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        json_object_set_new(to, numbers[i].name, json_integer(numbers[i].value));
}

json_t *log_json_run(const struct run_record *run, bool with_code)
{
    json_t *v = json_object();

    json_object_set_new(v, "id", json_text(run->id));
    json_object_set_new(v, "time", time_text(run->time_ms));
    json_object_set_new(v, "time_ms", json_integer(run->time_ms));
    json_object_set_new(v, "source_sha256", json_text(run->source_sha256));
    json_object_set_new(v, "language", json_text(run->language));
    json_object_set_new(v, "backend", json_text(run->backend));
    json_object_set_new(v, "program", json_text(run->program));
    json_object_set_new(v, "verdict", verdict(run));
    json_object_set_new(v, "limits", nested(run->limits));
    json_object_set_new(v, "isolation", names(run->isolation));
    json_object_set_new(v, "outcome", json_string(run_outcome_name(run->outcome)));
    add_numbers(v, run);
    json_object_set_new(v, "denied", nested(run->denied));
    json_object_set_new(v, "network", nested(run->network));
    json_object_set_new(v, "error", json_text_or_null(run->error));
    if (with_code)
        json_object_set_new(v, "code", run->code.p ? json_text(run->code) : json_null());
    return v;
}

static json_t *counts(const struct store_count *c, int n, const char *key)
{
    json_t *v = json_array();

    for (int i = 0; i < n; i++)
        json_array_append_new(
            v, json_pack("{s:s, s:I}", key, c[i].name, "runs", (json_int_t)c[i].runs));
    return v;
}

static json_t *outcomes(const struct store_stats *st)
{
    json_t *v = json_object();

    for (int i = OUTCOME_OK; i < OUTCOME_COUNT; i++)
        json_object_set_new(v, run_outcome_name((enum run_outcome)i),
                            json_integer(st->by_outcome[i]));
    return v;
}

json_t *log_json_stats(const struct store_stats *st)
{
    json_t *duration =
        json_pack("{s:I, s:I, s:I}", "p50", (json_int_t)st->duration_p50_ms, "p95",
                  (json_int_t)st->duration_p95_ms, "max", (json_int_t)st->duration_max_ms);

    return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:I}", "runs", (json_int_t)st->runs,
                     "first", st->runs ? time_text(st->first_ms) : json_null(), "last",
                     st->runs ? time_text(st->last_ms) : json_null(), "outcomes", outcomes(st),
                     "languages", counts(st->by_language, st->language_count, "language"), "days",
                     counts(st->by_day, st->day_count, "day"), "duration_ms", duration, "cpu_ms",
                     (json_int_t)st->cpu_total_ms);
}
