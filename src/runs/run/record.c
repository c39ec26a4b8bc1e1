/* SPDX-License-Identifier: Apache-2.0 */
#include "run/record.h"

#include <string.h>

#include "base/mem.h"
#include "formats/json_write.h"
#include "request/limits.h"
#include "result/wall_json.h"

static bool is_off(const struct run_request *request)
{
    return request->door.log && strcmp(request->door.log, "off") == 0;
}

void record_open(struct recorder *rec, const struct run_request *request)
{
    AUTO_FREE char *path = NULL;

    if (rec->store || rec->err.kind || is_off(request))
        return;
    if (request->door.sink)
        return;
    if (request->door.log)
        path = xstrdup(request->door.log);
    else if (store_default_path(&path, &rec->err) < 0)
        return;
    (void)store_open(path, STORE_CREATE | (request->door.log ? 0 : STORE_FOLDERS), &rec->store,
                     &rec->err);
}

enum run_outcome outcome_of_result(const struct result *r)
{
    if (r->error.kind == ERR_POLICY || result_refused(r))
        return OUTCOME_REFUSED;
    if (r->error.kind)
        return OUTCOME_ERROR;
    if (r->judged && !r->cancelled)
        return r->success ? OUTCOME_OK : OUTCOME_FAILED;
    if (r->timed_out)
        return OUTCOME_TIMEOUT;
    if (r->oom_killed)
        return OUTCOME_OOM;
    if (r->signal || r->cancelled)
        return OUTCOME_SIGNAL;
    return r->success ? OUTCOME_OK : OUTCOME_FAILED;
}

/* Takes the value over. */
static void add_json(struct buf *b, json_t *value)
{
    AUTO_FREE char *text = json_write(value, false);

    (void)buf_adds(b, text);
    json_decref(value);
}

/* The column has the names in one string. */
static void add_layers(struct buf *b, layer_mask held)
{
    json_t *names = wall_isolation(held), *name;
    size_t i;

    json_array_foreach(names, i, name)
    {
        (void)buf_addf(b, "%s%s", i ? "," : "", json_string_value(name));
    }
    json_decref(names);
}

static struct str error_line(const struct result *r, struct buf *b)
{
    if (r->error.kind)
        (void)buf_adds(b, r->error.msg);
    else if (r->judged && !r->success && !result_refused(r))
        (void)buf_addf(b, "tests: %zu/%zu passed", r->tests_passed, r->tests);
    else if (r->exception)
        (void)buf_addf(b, "%s: %s", r->exception->type, r->exception->message);
    return buf_str(b);
}

/* Adds as many rows as the log has room for. */
static void add_network(struct buf *b, const struct net_rows *all)
{
    struct net_rows rows = *all;

    do {
        buf_clear(b);
        add_json(b, wall_network(&rows));
        rows.n /= 2;
    } while (b->overflow && rows.n);
}

void record_append(struct recorder *rec, const struct run_request *request, const char *program,
                   struct str code, struct result *r)
{
    AUTO_BUF struct buf limits = {0}, layers = {0}, denied = {0}, network = {0}, error = {0};

    if (is_off(request))
        return;
    record_open(rec, request);
    buf_init(&limits, 1024);
    buf_init(&layers, 1024);
    buf_init(&denied, RUN_JSON_MAX);
    buf_init(&network, RUN_JSON_MAX);
    buf_init(&error, 64 << 10);
    add_json(&limits, limits_json(&r->limits, request->output_limit));
    add_layers(&layers, r->outcome.held);
    add_json(&denied, result_denied(r));
    add_network(&network, &r->network);
    struct run_record record = {
        .id = str_from(r->id),
        .time_ms = r->began_ms,
        .source_sha256 = str_from(r->source_sha256),
        .language = str_from(r->language),
        .backend = str_from(r->backend),
        .program = str_from(program ? program : "-"),
        .allowed = r->error.kind != ERR_POLICY && !result_refused(r),
        .verdict_stage = str_from(result_refused(r) ? guard_stage_name(r->verdict.stage) : ""),
        .verdict_reason = str_from(r->verdict.reason),
        .limits = buf_str(&limits),
        .isolation = buf_str(&layers),
        .outcome = outcome_of_result(r),
        .exit_code = r->exit_code,
        .signal = r->signal,
        .duration_ms = r->duration_ms,
        .cpu_ms = r->cpu_ms,
        .max_memory_bytes = (int64_t)r->memory_peak,
        .stdout_bytes = (int64_t)r->out.total,
        .stderr_bytes = (int64_t)r->err.total,
        .files_count = (int64_t)r->files.count,
        .denied = buf_str(&denied),
        .network = buf_str(&network),
        .attempts = r->attempts,
        .error = error_line(r, &error),
        .code = request->door.log_code ? code : (struct str){NULL, 0},
    };
    struct err late;
    if (request->door.sink &&
        request->door.sink->append(request->door.sink->ctx, &record, &late) < 0)
        (void)buf_addf(&r->notes, "the run may be missing in the log: %s\n", late.msg);
    if (rec->store)
        (void)store_append(rec->store, &record, &rec->err);
    if (rec->err.kind)
        (void)buf_addf(&r->notes, "the run is not in the log: %s\n", rec->err.msg);
    rec->err.kind = ERR_NONE;
}

void record_close(struct recorder *rec)
{
    store_close(rec->store);
    rec->store = NULL;
}

void record_write(struct recorder *rec, const struct run_request *request, struct result *r)
{
    record_append(rec, request, request->program.file, request->program.code, r);
    record_close(rec);
}
