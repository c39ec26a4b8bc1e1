/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "agent/fix.h"
#include "agent/generate.h"
#include "assist/assist.h"
#include "assist/program_call.h"
#include "base/mem.h"
#include "console/print_json.h"
#include "result/verdict_json.h"
#include "verdicts/check_report.h"

#define AT(member) offsetof(struct cli_settings, member)

enum { NO_CODE = 1 };

static const struct opt generate_options[] = {
    {.name = "save",
     .kind = OPT_STRING,
     .offset = AT(save),
     .arg = "FILE",
     .group = "The program",
     .help = "write the program to FILE instead of standard output"},
    {0},
};

static const struct opt *const tables[] = {
    generate_options, cases_options, task_options,    sample_options,
    model_options,    work_options,  data_options,    policy_options,
    limit_options,    wall_options,  guard_options,   log_options,
    json_option,      quiet_option,  general_options, NULL};

#define TAKES                                                                                      \
    MODEL_TAKES BOUNDS_TAKES "review,save,cases,func,samples,jobs,lang,profile,allow-imports,"     \
                             "forbid-imports,timeout,cpu-time,"                                    \
                             "memory,cpus,pids,disk,output-limit,net,log,json,quiet,config,help,"

struct generation {
    struct program_call pc; /* first: model_call_run hands it back */
    struct buf task;
};

static void show_findings(const struct model_call *call, const struct generate_result *result)
{
    const struct finding_style style = {
        .out = stderr, .colour = check_colour(stderr), .least = RANK_WARNING, .max = 20};

    if (call->set->quiet || !result->checked)
        return;
    json_t *verdict = verdict_json(&result->verdict);
    check_text_findings(&style, call->set->save ? call->set->save : "<generated>", verdict);
    json_decref(verdict);
}

static int put_code(const struct model_call *call, struct str code, struct err *err)
{
    int status = call->set->save ? model_call_save(call->set->save, code, err) : 0;

    if (!call->set->json && (!call->set->save || status < 0)) /* it was paid for */
        model_call_print_code(code);
    return status;
}

static void put_document(const struct model_call *call, const struct agent *agent,
                         const struct generate_result *result)
{
    if (!call->set->json)
        return;
    json_t *document = generate_document(agent, result);
    print_document(document);
    json_decref(document);
}

static int report(struct model_call *call, const struct agent *agent,
                  const struct generate_result *result, struct err *err)
{
    put_document(call, agent, result);
    if (agent->code.n && put_code(call, buf_str(&agent->code), err) < 0)
        return -1;
    if (!call->set->json) {
        show_findings(call, result);
        model_call_usage(call);
    }
    if (result->answer.finish == LLM_FINISH_LENGTH)
        model_call_say(call, "the reply was cut at its maximum of tokens (--max-tokens)");
    if (agent->code.n)
        return 0;
    AUTO_FREE char *line = xasprintf("no program: %.400s", result->complaint.p);
    model_call_say(call, line);
    if (!call->set->json)
        model_call_reply(call, buf_str(&result->answer.text));
    return NO_CODE;
}

static int work(struct model_call *call, struct err *err)
{
    const struct generation *generation = (const struct generation *)call;
    struct generate_result result;
    struct agent agent;

    agent_begin(&agent, call->llm, &call->request, &call->watch);
    int status = generate(&agent, generation->task.p, &result);
    model_call_erase(call);
    if (status == 0) {
        status = report(call, &agent, &result, err);
    } else {
        put_document(call, &agent, &result);
        *err = agent.error;
    }
    generate_done(&result);
    agent_done(&agent);
    return status;
}

/* ---- with cases ---- */

static int flow(void *ctx, struct agent *agent)
{
    const struct generation *generation = ctx;

    return generate_tested(agent, generation->task.p, &generation->pc.trial);
}

static int work_tested(struct model_call *call, struct err *err)
{
    struct generation *generation = (struct generation *)call;
    struct samples_request request;
    struct samples samples;

    int status = program_call_samples(&generation->pc, flow, generation, &request, &samples, err);
    if (status == 0)
        status = program_call_report(&generation->pc, &samples,
                                     fix_document(samples_best(&samples)), err);
    samples_done(&samples);
    return status;
}

/* ---- the command ---- */

/* Without cases nothing decides between several answers. */
static int check_bounds(const struct cli_options *options, struct err *err)
{
    static const char *const rows[] = {"steps", "samples", "jobs"};

    for (size_t i = 0; !options->settings.cases && i < ARRAY_LEN(rows); i++)
        if (opt_source_of(&options->set, rows[i])->from == OPT_FROM_COMMAND)
            return err_set(err, ERR_USAGE, "--%s needs --cases, which decide what is a success",
                           rows[i]);
    if (!options->settings.cases &&
        opt_source_of(&options->set, "review")->from == OPT_FROM_COMMAND)
        return err_set(err, ERR_USAGE,
                       "--review needs --cases: without them nothing is run, and 'glovebox review' "
                       "reads a program that is not run");
    return 0;
}

static int prepare(struct generation *generation, struct cli_options *options, struct err *err)
{
    struct model_call *call = &generation->pc.call;

    if (model_call_task(&options->args, "task; describe the program", &generation->task, err) < 0 ||
        model_call_prepare(call, options, err) < 0 || check_bounds(options, err) < 0 ||
        program_call_cases(&generation->pc, options, err) < 0)
        return -1;
    call->request.component = "generate";
    if (!options->settings.cases)
        call->request.bounds.steps = 1;
    return 0;
}

static int generate_perform(struct cli_options *options, struct err *err)
{
    struct generation generation = {
        .pc = {.call = {.set = &options->settings, .command = &command_generate},
               .temperature = 0.2,
               .shown = "<generated>"}};
    int status = -1;

    if (prepare(&generation, options, err) == 0)
        status =
            model_call_run(&generation.pc.call, options->settings.cases ? work_tested : work, err);
    buf_done(&generation.task);
    program_call_done(&generation.pc);
    return status;
}

const struct command command_generate = {
    .name = "generate",
    .summary = "let a model write a program; with cases, until it passes",
    .usage = "glovebox generate [OPTION]... TASK... | -\n"
             "glovebox generate [OPTION]... --cases CASES TASK...",
    .tables = tables,
    .takes = TAKES,
    .often = ",model,lang,save,cases,steps,samples,cost-limit,profile,stream,json,",
    .perform = generate_perform,
};
