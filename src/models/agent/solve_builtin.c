/* SPDX-License-Identifier: Apache-2.0
 *
 * The model runs its programs on its provider's side. Nothing runs here, so there is no wall and no
 * guard, and the only source about a run is the model's answer.
 */
#include <string.h>

#include "agent/solve_parts.h"
#include "base/mem.h"
#include "formats/encoded.h"
#include "formats/json_get.h"

enum { OUTPUT_MAX = 1 << 20, COMPLAINT_MAX = 64 << 10 };

static void solve_builtin_add_text(struct capture *to, struct str text)
{
    capture_add(to, text.p, text.n);
}

static bool is_timeout(const char *outcome)
{
    return outcome && (strcmp(outcome, "OUTCOME_DEADLINE_EXCEEDED") == 0 ||
                       strcmp(outcome, "execution_time_exceeded") == 0);
}

/* Builds the fields of a result that the model's answer can fill. */
static json_t *result_of(const json_t *run)
{
    struct result result;

    result_init(&result, OUTPUT_MAX);
    result_begin(&result, &(struct jail_limits){0}, json_str(json_object_get(run, "code")));
    result.backend = "builtin";
    result.language = json_get_text(run, "language");
    result.started = true;
    result.success = json_get_true(run, "success");
    result.timed_out = is_timeout(json_get_text(run, "outcome"));
    result.exit_code = (int)json_get_int(run, "exit_code");
    solve_builtin_add_text(&result.out, json_str(json_object_get(run, "stdout")));
    solve_builtin_add_text(&result.err, json_str(json_object_get(run, "stderr")));
    json_t *document = result_document(&result);
    result_done(&result);
    return document;
}

static void take_run(struct solving *s, const json_t *run)
{
    json_t *document = result_of(run), *outcome = json_object_get(run, "outcome");

    agent_set_code(s->agent, json_str(json_object_get(run, "code")));
    json_decref(s->ret->run);
    s->ret->run = document;
    json_array_append_new(s->runs,
                          json_pack("{s:o, s:O?, s:O}", "code", json_text(buf_str(&s->agent->code)),
                                    "outcome", outcome, "result", document));
}

/* -1: the task is over. 0: the model is asked again, with the message *next unless the model only
 * paused. */
static int take_end(struct solving *s, const struct llm_answer *answer, struct buf *next)
{
    struct str reply = str_trim(buf_str(&answer->text));

    if (answer->finish == LLM_FINISH_PAUSED)
        return 0;
    if (answer->finish == LLM_FINISH_REFUSED)
        return solve_give_up(s, "the model refused the task", reply);
    if (reply.n && answer->finish != LLM_FINISH_LENGTH)
        return solve_answer(s, json_text(reply), "reply", next);
    (void)buf_adds(next, "The answer is missing. Reply with it.\n");
    return 0;
}

static int solve_builtin_take(struct solving *s, const struct llm_answer *answer)
{
    AUTO_BUF struct buf next = {0};
    const json_t *run;
    size_t i;

    buf_init(&next, COMPLAINT_MAX);
    s->runs = json_array();
    json_array_foreach(answer->runs, i, run) take_run(s, run);
    int status = take_end(s, answer, &next);
    solve_step_done(s, status == 0 ? &next : NULL);
    return status;
}

/* Refuses options that apply to programs that run here. */
static int solve_builtin_check(const struct solving *s, struct err *err)
{
    const struct run_request *q = s->agent->request->run;
    const struct tool_set *tools = s->request->session->tools;
    const struct language *language =
        language_find(q->program.languages, str_from(s->agent->request->language));
    const struct {
        bool given;
        const char *what;
    } rows[] = {{q->workspace.files && *q->workspace.files, "files"},
                {q->workspace.input_count, "files"},
                {tools && (tools->source || tools->count), "tools"},
                {q->workspace.out_dir, "an output folder"},
                {q->workspace.work_dir, "a work folder"},
                {q->program.env && *q->program.env, "variables"},
                {q->policy.review, "a review"},
                {s->request->one_shot, "one-shot runs"},
                {s->request->style != &solve_styles[0], "styles"}};

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].given)
            return err_set(err, ERR_USAGE,
                           "the model runs the programs itself, so %s can have no effect",
                           rows[i].what);
    return language && language->traits->has_final_answer
               ? 0
               : err_set(err, ERR_USAGE, "models run programs in Python only");
}

int solve_builtin(struct solving *s)
{
    const struct agent_question question = {.builtin = true};
    struct err err;

    if (solve_builtin_check(s, &err) < 0)
        return agent_finish(s->agent, AGENT_FAILED, &err);
    if (agent_say_system(s->agent, "builtin", NULL) < 0)
        return -1;
    llm_say(&s->agent->messages, LLM_USER, s->task);
    return solve_converse(s, &question, solve_builtin_take);
}
