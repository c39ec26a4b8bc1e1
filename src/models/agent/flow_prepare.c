/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "agent/flow_table.h"
#include "base/fd.h"
#include "base/utf8.h"
#include "languages/pythons.h"
#include "run/check.h"
#include "workspace/workspace.h"

/* At a low temperature, several answers would be nearly the same. */
#define SAMPLES_TEMPERATURE 0.8

/* ---- the program and the data ---- */

int flow_check_code(struct str code, struct err *err)
{
    if (str_trim(code).n == 0)
        return err_set(err, ERR_USAGE, "the program is empty");
    return memchr(code.p, '\0', code.n) || !utf8_valid(code)
               ? err_set(err, ERR_USAGE, "is not UTF-8 text, so it cannot be sent to a model")
               : 0;
}

static int check_words(const struct flow_task *task, struct err *err)
{
    const struct settings *ask = task->ask;

    if (ask->task && str_trim(str_from(ask->task)).n == 0)
        return err_set(err, ERR_USAGE, "'task' is empty");
    if (task->run.program.code.p && flow_check_code(task->run.program.code, err) < 0)
        return err_wrap(err, "'code'");
    if (task->flow->needs_files && !task->run.workspace.input_count && !task->names)
        return err_set(err, ERR_USAGE, "'files' is missing: they are the data");
    return 0;
}

static int flow_prepare_read_cases(struct flow_task *task, struct err *err)
{
    const struct settings *ask = task->ask;

    if (!ask->cases && !ask->cases_json)
        return 0;
    if (ask->cases_json ? case_file_from_json(ask->cases_json, &task->cases, err) < 0 &&
                              err_wrap(err, "'cases'") < 0
                        : case_file_load(ask->cases, &task->cases, err) < 0)
        return -1;
    if (task->cases.n == 0)
        return err_set(err, ERR_USAGE, "%s: has no cases", ask->cases ? ask->cases : "'cases'");
    task->has_cases = true;
    task->judge =
        (struct judge_request){.cases = &task->cases, .func = ask->func, .compare = COMPARE_EXACT};
    task->withheld[0] = ask->cases;
    task->run.workspace.withheld = ask->cases ? task->withheld : NULL;
    return 0;
}

/* ---- language, input and output ---- */

/* The user names the language, or the program's name and text decide; a model writes Python. */
static int choose_language(struct flow_task *task, struct err *err)
{
    const struct settings *ask = task->ask;
    const struct language *language = NULL;
    struct run_request q = task->run;
    bool named = q.program.language && strcmp(q.program.language, "auto") != 0;
    bool versioned = named && python_is_language(str_from(q.program.language));

    if (!task->run.program.python && versioned)
        task->run.program.python = q.program.language; /* --lang python3.12 */
    if (!named && !q.program.code.p)
        q.program.language = "python";
    if (named && !versioned && !language_find(q.program.languages, str_from(q.program.language))) {
        (void)language_unknown(q.program.languages, str_from(q.program.language), err);
        return ask->lent ? err_wrap(err, "--lang") : -1;
    }
    if (check_find_language(&q, &language, err) < 0)
        return -1;
    task->request.language = language->name;
    return 0;
}

static void choose_temperature(struct flow_task *task)
{
    const struct settings *ask = task->ask;
    struct agent_request *request = &task->request;

    if (settings_asked(ask, SETTING_temperature)) {
        request->has_temperature = ask->temperature >= 0;
        request->temperature = (double)ask->temperature / 1000;
    } else if (!ask->lent) {
        request->has_temperature = true;
        request->temperature = task->samples > 1 ? SAMPLES_TEMPERATURE : task->flow->temperature;
    }
}

/* Each attempt of a task reads the input from its start. */
static void choose_input(struct flow_task *task)
{
    if (task->run.program.stdin_fd >= 0)
        snprintf(task->input, sizeof task->input, "/proc/self/fd/%d", task->run.program.stdin_fd);
    task->run.program.stdin_fd = -1;
}

/* Only the files of a program with an answer are kept. */
static int open_out(struct flow_task *task, struct err *err)
{
    const char *out = task->run.workspace.out_dir;

    if (!out || !task->flow->keeps_files)
        return 0;
    task->run.workspace.out_dir = NULL;
    task->out = workspace_open_dir(out, true, err);
    return task->out < 0 ? -1 : 0;
}

static bool has_sessions(const struct agent_request *request)
{
    const struct language *language =
        language_find(request->run->program.languages, str_from(request->language));

    return language && language->cells_args;
}

/* Also sets how the agent reads replies, and its steps if they are 0. */
static void solve_setup(struct solve_setup *setup, const struct settings *ask, bool builtin,
                        struct agent_request *request)
{
    const struct solve_style *style = solve_style_find(ask->style, request->run->policy.profile);

    *setup = (struct solve_setup){
        .request = {.calls = builtin ? SOLVE_BUILTIN : (enum solve_calls)ask->calls,
                    .style = style,
                    .one_shot = ask->one_shot,
                    .alone = ask->one_shot || !has_sessions(request),
                    .session = &setup->session,
                    .check = ask->answer_check},
        .reply = {.profile = (int)style->reply, .fix = true},
    };
    session_request_init(&setup->session);
    session_request_options(&setup->session, ask);
    setup->session.forks = 0;
    tool_set_init(&setup->tools);
    setup->tools.final_answer = true;
    setup->session.tools = &setup->tools;
    if (style->reply != REPLY_DEFAULT)
        request->reply = &setup->reply;
    if (!request->bounds.steps)
        request->bounds.steps = style->steps;
}

/* The daemon's usual output limit is meant for people, not for a model. */
static int prepare_solve(struct flow_task *task, struct err *err)
{
    const struct settings *ask = task->ask;
    bool placed = task->run.place.backend && strcmp(task->run.place.backend, "builtin") == 0;
    bool builtin = placed || ask->calls == SOLVE_BUILTIN;

    if (placed) /* a run of our own, such as that of --answer-check, cannot be on the provider's
                   side */
        task->run.place.backend = NULL;
    if (!settings_asked(ask, SETTING_output_limit) && task->run.output_limit > SOLVE_OUTPUT_LIMIT)
        task->run.output_limit = SOLVE_OUTPUT_LIMIT;
    solve_setup(&task->solve, ask, builtin, &task->request);
    if ((ask->tools || ask->tools_text.p) && task->solve.request.alone)
        return err_set(err, ERR_USAGE,
                       "--tools needs a session: not with --one-shot, and not with this language");
    if (ask->tools_text.p)
        return tool_set_source(&task->solve.tools, ask->tools_text, "'tools_source'", err);
    return ask->tools ? tool_set_read(&task->solve.tools, ask->tools, err) : 0;
}

int flow_prepare(struct flow_task *task, const struct flow *flow, const struct settings *ask,
                 const struct run_request *run, struct err *err)
{
    *task = (struct flow_task){.flow = flow,
                               .ask = ask,
                               .run = *run,
                               .names = task->names,
                               .samples = (int)ask_samples(ask, flow->verb),
                               .out = -1};
    task->request = (struct agent_request){.component = verb_command(flow->verb),
                                           .run = &task->run,
                                           .ask = ask,
                                           .prompts = ask->model.prompts,
                                           .bounds = ask->bounds};
    if (ask_check(ask, flow->verb, err) < 0 || check_words(task, err) < 0 ||
        flow_prepare_read_cases(task, err) < 0 || choose_language(task, err) < 0 ||
        open_out(task, err) < 0)
        return -1;
    choose_temperature(task);
    choose_input(task);
    task->skipped = json_array();
    if (flow->verb == V_SOLVE)
        return prepare_solve(task, err);
    if (!task->request.bounds.steps)
        task->request.bounds.steps = task->has_cases || !flow->steps ? STEPS_USUAL : flow->steps;
    return 0;
}

void flow_task_done(struct flow_task *task)
{
    if (!task->flow) /* flow_prepare did nothing */
        return;
    case_file_done(&task->cases);
    fd_close(&task->out);
    json_decref(task->skipped);
    if (task->flow->verb == V_SOLVE)
        tool_set_done(&task->solve.tools);
}
