/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "assist/assist.h"
#include "assist/solve_samples.h"
#include "base/clock.h"
#include "base/json_get.h"
#include "base/json_write.h"
#include "base/mem.h"
#include "console/report.h"

#define AT(member) offsetof(struct cli_settings, member)

enum { REFUSED = 126 };

static const struct opt solve_options[] = {
    {.name = "calls",
     .kind = OPT_CHOICE,
     .offset = AT(solve.calls),
     .group = "The task",
     .choices = solve_calls_names,
     .help = "programs come in calls of a tool or in blocks of code, by the provider (auto), or "
             "the model runs them itself (builtin)"},
    {.name = "style",
     .kind = OPT_CHOICE,
     .offset = AT(solve.style),
     .group = "The task",
     .choices = solve_style_names,
     .help = "replies and results are written as in this system; auto: as the profile's"},
    {.name = "one-shot",
     .kind = OPT_FLAG,
     .offset = AT(solve.one_shot),
     .group = "The task",
     .help = "each program runs alone; the output of the first that succeeds is the answer"},
    {.name = "answer-check",
     .kind = OPT_STRING,
     .offset = AT(solve.check),
     .arg = "EXPR",
     .group = "The task",
     .help = "a Python expression over 'answer'; an answer for which it is false goes back"},
    {.name = "save",
     .kind = OPT_STRING,
     .offset = AT(save),
     .arg = "FILE",
     .group = "The program",
     .help = "write the last program to FILE"},
    {.name = "events",
     .kind = OPT_FLAG,
     .offset = AT(events),
     .group = "Output",
     .help = "print events as they happen, one JSON object per line"},
    {0},
};

static const struct opt *const tables[] = {
    solve_options,  task_options,  sample_options, model_options,   work_options,
    policy_options, limit_options, wall_options,   guard_options,   session_options,
    log_options,    json_option,   quiet_option,   general_options, NULL};

#define TAKES                                                                                      \
    MODEL_TAKES BOUNDS_TAKES                                                                       \
        "calls,style,one-shot,answer-check,samples,jobs,save,events,json,quiet,config,help,lang,"  \
        "python,file,review,out,work-dir,env,ro,writable,backend,allow-unsafe,net,require,"        \
        "without,profile,"                                                                         \
        "prelude,"                                                                                 \
        "allow-imports,forbid-imports,target,tools,timeout,cpu-time,memory,cpus,pids,disk,"        \
        "open-files,inodes,output-limit,log,log-code,"

/* ---- what is asked ---- */

static int prepare_session(struct solution *solution, struct err *err)
{
    const struct settings *common = &solution->call.set->common;
    struct solve_setup *setup = &solution->setup;

    session_request_options(&setup->session, common);
    setup->session.forks = 0;
    if (common->tools && setup->request.alone)
        return err_set(err, ERR_USAGE,
                       "--tools needs a session: not with --one-shot, and not with "
                       "this language");
    return common->tools ? tool_set_read(&setup->tools, common->tools, err) : 0;
}

static bool is_builtin(const struct cli_settings *set)
{
    const char *backend = set->common.backend;

    return set->solve.calls == SOLVE_BUILTIN || (backend && strcmp(backend, "builtin") == 0);
}

static int prepare(struct solution *solution, const struct cli_options *options, struct err *err)
{
    struct model_call *call = &solution->call;
    const struct cli_settings *set = call->set;
    const struct solve_choice choice = {.calls = is_builtin(set) ? SOLVE_BUILTIN : set->solve.calls,
                                        .style = set->solve.style,
                                        .one_shot = set->solve.one_shot,
                                        .check = set->solve.check};

    if (model_call_task(&options->args, "task; describe it", &solution->task, err) < 0 ||
        model_call_prepare(call, options, err) < 0 || solve_samples_check(set, err) < 0)
        return -1;
    call->run.stdin_fd = -1;
    if (!settings_asked(&set->common, SETTING_output_limit))
        call->run.output_limit = SOLVE_OUTPUT_LIMIT;
    call->request.bounds.steps = set->bounds.steps;
    solve_setup(&solution->setup, &choice, &call->request);
    if (is_builtin(set))
        call->run.backend = NULL;
    call->request.component = "solve";
    solve_show_begin(solution);
    return prepare_session(solution, err);
}

/* ---- what came of it ---- */

static void print_answer(const struct solve_result *result)
{
    if (result->solution.n) {
        model_call_print_code(buf_str(&result->solution));
        return;
    }
    AUTO_FREE char *text =
        json_is_string(result->answer) ? NULL : json_write(result->answer, false);
    model_call_print_code(text ? str_from(text) : json_str(result->answer));
}

static int status_of(const struct agent *agent, const struct solve_result *result, struct err *err)
{
    int status = model_call_status(agent, err);

    return status > 0 && result->refused ? REFUSED : status;
}

/* The answer holds, but the files of its program did not come out. */
static int check_files(const struct solve_result *result, struct err *err)
{
    const char *error = json_get_text(json_object_get(result->run, "error"), "message");

    return error ? err_set(err, ERR_SYSTEM, "%s", error) : 0;
}

/* `samples` is NULL for a single conversation. */
static int report(struct solution *solution, const struct agent *agent,
                  const struct solve_result *result, const struct samples *samples, struct err *err)
{
    struct model_call *call = &solution->call;
    const struct cli_settings *set = call->set;
    int status = status_of(agent, result, err);

    if (set->json || set->events) {
        json_t *document = solve_document(agent, &solution->setup.request, result);
        if (samples)
            samples_add_json(samples, document);
        solve_show_document(solution, document);
        json_decref(document);
    } else {
        if (status == 0 || result->solution.n)
            print_answer(result);
        if (status == 0 && !set->common.out && !set->common.work_dir)
            model_call_files(call, result->run);
        model_call_usage(call);
    }
    if (status > 0) {
        AUTO_FREE char *line =
            xasprintf("not solved: %s%s%s", agent->error.msg, model_call_more(agent),
                      result->refused ? "; the last program was refused" : "");
        model_call_say(call, line);
        if (!set->json && !set->events)
            model_call_last_reply(call, agent);
    }
    if (set->save && agent->code.n && model_call_save(set->save, buf_str(&agent->code), err) < 0)
        return -1;
    return status == 0 ? check_files(result, err) : status;
}

static int work_samples(struct model_call *call, struct err *err)
{
    struct solution *solution = (struct solution *)call;
    struct solve_samples all;

    report_unsafe(call->set, &call->run);
    int status = solve_samples_run(&all, solution, err);
    if (status == 0) {
        const struct agent *best = samples_best(&all.samples);
        status = report(solution, best, solve_samples_result(&all, best), &all.samples, err);
    }
    solve_samples_done(&all);
    return status;
}

static int work(struct model_call *call, struct err *err)
{
    struct solution *solution = (struct solution *)call;
    struct solve_result result;
    struct agent agent;

    report_unsafe(call->set, &call->run);
    agent_begin(&agent, call->llm, &call->request, &call->watch);
    (void)solve(&agent, &solution->setup.request, solution->task.p, &result);
    model_call_erase(call);
    int status = report(solution, &agent, &result, NULL, err);
    solve_done(&result);
    agent_done(&agent);
    return status;
}

static int solve_perform(struct cli_options *options, struct err *err)
{
    struct solution solution = {.call = {.set = &options->settings, .command = &command_solve}};
    int status = -1;

    if (prepare(&solution, options, err) == 0)
        status = model_call_run(&solution.call, options->settings.samples > 1 ? work_samples : work,
                                err);
    solve_setup_done(&solution.setup);
    buf_done(&solution.task);
    return status;
}

const struct command command_solve = {
    .name = "solve",
    .summary = "let a model solve a task with programs that run behind the wall",
    .usage = "glovebox solve [OPTION]... TASK... | -",
    .tables = tables,
    .takes = TAKES,
    .often = ",model,file,out,tools,answer-check,steps,cost-limit,timeout,net,json,",
    .perform = solve_perform,
};
