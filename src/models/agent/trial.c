/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/trial.h"

#include <fcntl.h>
#include <sys/timerfd.h>
#include <time.h>

#include "base/fd.h"
#include "base/mem.h"
#include "explain/feedback.h"
#include "formats/encoded.h"
#include "run/check.h"

enum { REPORT_MAX = 64 << 10 };

/* ---- a run, or the guard alone ---- */

static void report_result(const struct result *result, struct buf *ret)
{
    const struct feedback_input input = {.result = result};
    AUTO_FREE char *text = feedback_text(&input, &result->feedback);
    char line[700];

    (void)buf_adds(ret, *text ? text : result_summary(result, line, sizeof line));
}

/* A failure of ours ends the task, because it says nothing about the program. */
static int trial_settle(struct agent *agent, const struct result *result)
{
    if (agent_after_run(agent) < 0)
        return -1;
    if (result->error.kind != ERR_NONE && result_error_type(result) == ERROR_TYPE_OURS)
        return agent_finish(agent, AGENT_FAILED, &result->error);
    return 0;
}

static int open_input(struct agent *agent, const char *path, int *ret)
{
    struct err err;

    *ret = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (!path || *ret >= 0)
        return 0;
    (void)err_sys(&err, "open --stdin %s", path);
    return agent_finish(agent, AGENT_FAILED, &err);
}

static void trial_run(struct agent *agent, struct run_request *q, struct result *ret)
{
    struct run_watch watch;

    agent_watch_run(agent, &watch);
    q->limits.wall_ms = agent_time_for(agent, q->limits.wall_ms);
    run_program(q, &watch, ret);
}

/* True if the run did what was required; otherwise the report has the reason. */
static bool passes(const struct trial_request *what, const struct result *result,
                   struct buf *report)
{
    bool good =
        what->kind == TRIAL_RUN ? result->success : !result->error.kind && result->verdict.allowed;

    if (!good)
        report_result(result, report);
    else if (what->prints && result->out.total == 0)
        (void)buf_adds(report, "The program ran, but it printed nothing: print the answer.");
    return report->n == 0;
}

static int settle_run(struct agent *agent, const struct trial_request *what,
                      const struct result *result, bool passed)
{
    struct err err;

    if (trial_settle(agent, result) < 0)
        return -1;
    if (passed && what->passed && what->passed(what->ctx, result, &err) < 0)
        return agent_finish(agent, AGENT_FAILED, &err);
    return 0;
}

static int try_run(struct agent *agent, const struct trial_request *what, struct trial *ret)
{
    struct run_request q = agent_program(agent);
    AUTO_CLOSE int input = -1;
    struct result result;

    if (open_input(agent, what->input, &input) < 0)
        return -1;
    q.program.stdin_fd = input;
    result_init(&result, q.output_limit);
    if (what->kind == TRIAL_RUN)
        trial_run(agent, &q, &result);
    else
        check_program(&q, true, agent->watch->cancel_fd, &result);
    ret->passed = passes(what, &result, &ret->report);
    ret->document = result_document(&result);
    int status = settle_run(agent, what, &result, ret->passed);
    result_done(&result);
    return status;
}

/* ---- cases ---- */

/* Returns a descriptor that is readable when the task is cancelled and when its time is over, for
 * the judge has no deadline of its own. -1 with *err. */
static int open_end(const struct agent *agent, int *ret_timer, struct err *err)
{
    int64_t ms = agent_time_for(agent, 0);
    const struct itimerspec when = {.it_value = {ms / 1000, ms % 1000 * 1000000}};

    *ret_timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    if (*ret_timer < 0 || timerfd_settime(*ret_timer, 0, &when, NULL) < 0)
        return err_sys(err, "watch the task's time");
    return fd_either(*ret_timer, agent->watch->cancel_fd, err);
}

static int settle_cases(struct agent *agent, const struct judge_result *result)
{
    struct err err;

    if (trial_settle(agent, &result->run) < 0)
        return -1;
    if (!result->unjudged)
        return 0;
    (void)err_set(&err, ERR_SYSTEM, "the cases could not be judged: %s",
                  result->doubt ? result->doubt : "the sandbox failed");
    return agent_finish(agent, AGENT_FAILED, &err);
}

static int try_cases(struct agent *agent, const struct trial_request *what, struct trial *ret)
{
    struct judge_request q = *what->judge;
    struct judge_result result;
    AUTO_CLOSE int timer = -1;
    struct err err;

    AUTO_CLOSE int end = open_end(agent, &timer, &err);
    if (end < 0)
        return agent_finish(agent, AGENT_FAILED, &err);
    q.run = agent_program(agent);
    q.run.place.pool = NULL; /* the judge's driver has no warm jails */
    q.run.limits.wall_ms = agent_time_for(agent, q.run.limits.wall_ms);
    judge_run(&q, &(struct judge_watch){.cancel_fd = end}, &result);
    ret->passed = judge_exit_status(&result) == 0;
    if (!ret->passed && *result.feedback_text)
        (void)buf_adds(&ret->report, result.feedback_text);
    else if (!ret->passed)
        report_result(&result.run, &ret->report);
    ret->document = judge_document(&result);
    int status = settle_cases(agent, &result);
    judge_result_done(&result);
    return status;
}

/* ---- any trial ---- */

static json_t *document_of(const struct agent *agent, const struct trial *trial)
{
    return json_pack(
        "{s:o?, s:b, s:o?, s:o?}", "code", agent->code.n ? json_text(buf_str(&agent->code)) : NULL,
        "passed", trial->passed, "report",
        trial->report.n ? json_text(buf_str(&trial->report)) : NULL, "result", trial->document);
}

static void trial_begin(struct trial *ret)
{
    *ret = (struct trial){0};
    buf_init(&ret->report, REPORT_MAX);
}

int trial_make(struct agent *agent, const struct trial_request *what, struct trial *ret)
{
    trial_begin(ret);
    int status =
        what->kind == TRIAL_CASES ? try_cases(agent, what, ret) : try_run(agent, what, ret);
    ret->document = document_of(agent, ret);
    return status;
}

void trial_done(struct trial *trial)
{
    buf_done(&trial->report);
    json_decref(trial->document);
    *trial = (struct trial){0};
}

/* ---- until it passes ---- */

/* Takes the program from a reply; if the reply has none, the previous program is kept. */
static int take_code(struct agent *agent, struct str reply, struct buf *complaint)
{
    struct buf previous = agent->code;

    agent->code = (struct buf){0};
    buf_init(&agent->code, 0);
    int status = agent_take_program(agent, reply, complaint);
    if (agent->code.n) {
        buf_done(&previous);
    } else {
        buf_done(&agent->code);
        agent->code = previous;
    }
    return status;
}

static int try_reply(struct agent *agent, const struct trial_request *what,
                     const struct llm_answer *answer, struct trial *ret)
{
    AUTO_BUF struct buf complaint = {0};

    trial_begin(ret);
    if (take_code(agent, buf_str(&answer->text), &complaint) < 0)
        return -1;
    if (complaint.n) {
        (void)buf_add_str(&ret->report, buf_str(&complaint));
        ret->document = json_pack("{s:n, s:b, s:o, s:n}", "code", "passed", 0, "report",
                                  json_text(buf_str(&ret->report)), "result");
    } else if (trial_make(agent, what, ret) < 0) {
        return -1;
    }
    if (answer->finish == LLM_FINISH_LENGTH && !ret->passed)
        (void)buf_adds(&ret->report, "\nYour answer was cut at its maximum of tokens.");
    return 0;
}

static int try_answer(struct agent *agent, const struct trial_request *what,
                      const struct llm_answer *answer)
{
    struct trial trial;
    int status = try_reply(agent, what, answer, &trial);

    if (trial.document) {
        agent_step_done(agent, trial.document);
        trial.document = NULL;
    }
    if (status == 0 && trial.passed)
        status = agent_finish(agent, AGENT_DONE, NULL);
    else if (status == 0)
        llm_say(&agent->messages, LLM_USER, trial.report.p);
    trial_done(&trial);
    return status;
}

int trial_until_passed(struct agent *agent, const struct trial_request *what)
{
    const struct agent_question question = {0};
    int status = 0;

    while (status == 0 && agent->end == AGENT_OPEN) {
        struct llm_answer answer;
        status = agent_ask(agent, &question, &answer);
        if (status == 0)
            status = try_answer(agent, what, &answer);
        llm_answer_done(&answer);
    }
    return status;
}

json_t *trial_document(const struct agent *agent)
{
    json_t *document = agent_document(agent);

    json_object_set_new(document, "attempts", json_integer(agent->step));
    if (agent->end == AGENT_STEPS)
        json_object_set_new(json_object_get(document, "error"), "message",
                            json_string("Max attempts reached"));
    return document;
}

const json_t *trial_last(const struct agent *agent)
{
    return json_array_get(agent->steps, json_array_size(agent->steps) - 1);
}

double trial_last_score(const struct agent *agent)
{
    return json_number_value(
        json_object_get(json_object_get(trial_last(agent), "result"), "score"));
}
