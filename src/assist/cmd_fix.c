/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "agent/fix.h"
#include "assist/assist.h"
#include "assist/program_call.h"
#include "base/mem.h"

#define AT(member) offsetof(struct cli_settings, member)

static const struct opt fix_options[] = {
    {.name = "stdin",
     .kind = OPT_STRING,
     .offset = AT(stdin_path),
     .arg = "FILE",
     .group = "The program",
     .help = "use this file as the program's standard input"},
    {0},
};

static const struct opt *const tables[] = {
    program_options, cases_options, fix_options,  task_options,   sample_options,
    model_options,   work_options,  data_options, policy_options, limit_options,
    wall_options,    guard_options, log_options,  json_option,    quiet_option,
    general_options, NULL};

#define TAKES MODEL_TAKES BOUNDS_TAKES PROGRAM_TAKES ",review,stdin,samples,jobs,"

static int flow(void *ctx, struct agent *agent)
{
    const struct program_call *pc = ctx;

    return fix(agent, &(struct fix_request){.code = buf_str(&pc->code), .trial = &pc->trial});
}

static void say_works(struct program_call *pc, const struct agent *agent)
{
    if (agent->end != AGENT_DONE || agent->step)
        return;
    AUTO_FREE char *line = xasprintf("%s works as it is; no model was asked", pc->shown);
    model_call_say(&pc->call, line);
}

static int work(struct model_call *call, struct err *err)
{
    struct program_call *pc = (struct program_call *)call;
    struct samples_request request;
    struct samples samples;

    int status = program_call_samples(pc, flow, pc, &request, &samples, err);
    if (status == 0) {
        const struct agent *agent = samples_best(&samples);
        say_works(pc, agent);
        status = program_call_report(pc, &samples, fix_document(agent), err);
    }
    samples_done(&samples);
    return status;
}

static int prepare(struct program_call *pc, struct cli_options *options, struct err *err)
{
    const struct opt_args *args = &options->args;
    size_t most = options->settings.code ? 0 : 1;

    if (args->operand_n > most)
        return err_set(err, ERR_USAGE,
                       "'%s' is one program too many; arguments for the program come after --",
                       args->operands[most]);
    pc->trial = (struct trial_request){.kind = TRIAL_RUN, .input = options->settings.stdin_path};
    if (program_call_read(pc, options, err) < 0)
        return -1;
    pc->call.run.args = args->rest_n ? args->rest : NULL;
    pc->call.request.component = "fix";
    return 0;
}

static int fix_perform(struct cli_options *options, struct err *err)
{
    struct program_call pc = {.call = {.set = &options->settings, .command = &command_fix},
                              .temperature = 0.1};
    int status = -1;

    if (prepare(&pc, options, err) == 0)
        status = model_call_run(&pc.call, work, err);
    program_call_done(&pc);
    return status;
}

const struct command command_fix = {
    .name = "fix",
    .summary = "let a model fix a program until it runs, or passes its cases",
    .usage = "glovebox fix [OPTION]... FILE [-- ARG...]\n"
             "glovebox fix [OPTION]... - | -c CODE\n"
             "glovebox fix [OPTION]... FILE --cases CASES",
    .tables = tables,
    .takes = TAKES,
    .often = ",model,in-place,save,diff,cases,file,steps,cost-limit,timeout,json,",
    .files = true,
    .perform = fix_perform,
};
