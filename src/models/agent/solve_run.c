/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "agent/solve_parts.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "formats/encoded.h"
#include "formats/json_get.h"
#include "formats/json_write.h"

/* ---- the session ---- */

static int solve_run_add_value(json_t *values, struct str name, struct str text, struct err *err)
{
    json_t *value = json_loadb(text.p, text.n, JSON_DECODE_ANY, NULL);

    if (!value)
        return err_set(err, ERR_USAGE, "--data: the value of '%.*s' is not JSON",
                       (int)(name.n < 60 ? name.n : 60), name.p);
    return json_object_setn_new(values, name.p, name.n, value) < 0
               ? err_set(err, ERR_USAGE, "--data: a name is not UTF-8")
               : 0;
}

static int solve_run_add_file(json_t *values, const char *spec, struct err *err)
{
    struct str name = {spec, strcspn(spec, "=")};
    AUTO_BUF struct buf text = {0};

    buf_init(&text, RUN_SOURCE_MAX);
    if (!spec[name.n])
        return err_set(err, ERR_USAGE, "--data: '%.60s' must be NAME=FILE", spec);
    if (fd_read_file(spec + name.n + 1, &text, err) < 0) {
        err->kind = ERR_USAGE;
        return err_wrap(err, "--data");
    }
    return solve_run_add_value(values, name, buf_str(&text), err);
}

/* For --data: in a session, the values are variables that all programs of the task have. */
static int bind_data(struct session *session, const struct run_request *q, struct err *err)
{
    json_t *values = json_object();
    int status = 0;

    for (char *const *spec = q->workspace.data; status == 0 && spec && *spec; spec++)
        status = solve_run_add_file(values, *spec, err);
    for (size_t i = 0; status == 0 && i < q->workspace.value_count; i++)
        status = solve_run_add_value(values, q->workspace.values[i].name,
                                     q->workspace.values[i].bytes, err);
    if (status == 0 && json_object_size(values))
        status = session_set(session, values, err);
    json_decref(values);
    return status;
}

int solve_open(struct solving *s)
{
    struct session_request session = *s->request->session;
    struct err err;

    session.run = *s->agent->request->run;
    session.run.program.language = s->agent->request->language;
    if (s->request->alone || (session_open(&session, &s->ret->session, &err) == 0 &&
                              bind_data(s->ret->session, &session.run, &err) == 0))
        return 0;
    return agent_finish(s->agent, AGENT_FAILED, &err);
}

/* After a limit killed the guest, starts a new one with the same files. */
static int revive(struct solving *s)
{
    struct session_info info;
    struct err err;

    session_info(s->ret->session, &info);
    if (info.state != SESSION_DEAD)
        return 0;
    s->lost = true;
    if (session_restart(s->ret->session, &err) == 0 &&
        bind_data(s->ret->session, s->agent->request->run, &err) == 0)
        return 0;
    return agent_finish(s->agent, AGENT_FAILED, &err);
}

/* ---- one program ---- */

static bool fits_session(const struct solving *s, const struct execute_call *call)
{
    return s->ret->session &&
           (!call || !call->language || strcmp(call->language, s->agent->request->language) == 0);
}

static struct run_request request_of(const struct solving *s, struct execute_call *call)
{
    struct run_request q = agent_program(s->agent);

    if (call)
        execute_call_apply(call, &q);
    q.limits.wall_ms = agent_time_for(s->agent, q.limits.wall_ms);
    return q;
}

static void solve_run_keep(struct solving *s, const struct result *result)
{
    json_t *document = result_document(result);

    json_decref(s->ret->run);
    s->ret->run = document;
    s->ret->refused = result_refused(result);
    s->ready = result->success;
    json_array_append_new(
        s->runs,
        json_pack("{s:o, s:O}", "code", json_text(buf_str(&s->agent->code)), "result", document));
}

static int run(struct solving *s, struct execute_call *call)
{
    struct run_request q = request_of(s, call);
    const struct cell_request cell = {
        .code = q.program.code, .wall_ms = q.limits.wall_ms, .cwd = call ? call->cwd : NULL};
    struct run_watch watch;
    struct result result;

    agent_watch_run(s->agent, &watch);
    result_init(&result, q.output_limit);
    if (fits_session(s, call))
        session_exec(s->ret->session, &cell, &watch, &result);
    else
        run_program(&q, &watch, &result);
    solve_run_keep(s, &result);
    result_done(&result);
    return agent_after_run(s->agent);
}

int solve_run(struct solving *s, struct execute_call *call)
{
    s->lost = false;
    s->called = call != NULL;
    if (call)
        agent_set_code(s->agent, call->code);
    if (run(s, call) < 0)
        return -1;
    return fits_session(s, call) ? revive(s) : 0;
}

void solve_observe(struct solving *s, struct buf *ret)
{
    const struct solve_style *style = s->request->style;

    if (s->ret->run) {
        (void)buf_adds(ret, style->observation);
        (void)format_result(s->ret->run, style->format, ret);
    }
    if (s->lost)
        (void)buf_adds(ret, "\nThe session was ended by this: its variables are lost, its files "
                            "are kept.\n");
}

/* ---- the answer ---- */

static int accept(struct solving *s, json_t *answer, const char *by)
{
    json_decref(s->ret->answer);
    s->ret->answer = answer;
    s->ret->answer_by = by;
    (void)agent_finish(s->agent, AGENT_DONE, NULL);
    return -1;
}

static void note_rejected(const struct solving *s, const json_t *answer)
{
    AUTO_FREE char *text = json_write(answer, false);
    AUTO_FREE char *line = xasprintf("the answer does not pass the check: %.*s",
                                     (int)utf8_cut(str_from(text), 200), text);

    agent_note(s->agent, line);
}

int solve_answer(struct solving *s, json_t *answer, const char *by, struct buf *complaint)
{
    bool good = false;

    if (solve_check_answer(s, answer, &good, complaint) < 0) {
        json_decref(answer);
        return -1;
    }
    if (good)
        return accept(s, answer, by);
    note_rejected(s, answer);
    json_decref(answer);
    /* The run's result was wrong: the next reply cannot be an answer that depends on it. */
    if (strcmp(by, "reply") != 0)
        s->ready = false;
    return 0;
}

int solve_conclude(struct solving *s, struct buf *complaint)
{
    const json_t *run = s->ret->run;

    if (json_get_true(run, "is_final_answer"))
        return solve_answer(s, json_incref(json_object_get(run, "final_answer")), "final_answer",
                            complaint);
    if (!s->one_shot || !s->ready)
        return 0;
    return solve_answer(s, json_text(str_trim(json_str(json_object_get(run, "stdout")))), "output",
                        complaint);
}
