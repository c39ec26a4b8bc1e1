/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/transform.h"

#include <stdio.h>

#include "agent/fix.h"
#include "assist/assist.h"
#include "assist/program_call.h"

#define AT(member) offsetof(struct cli_settings, member)

static const struct opt transform_options[] = {
    {.name = "instruction",
     .kind = OPT_STRING,
     .offset = AT(instruction),
     .arg = "TEXT",
     .group = "The program",
     .help = "what to change; or write it after the file"},
    {0},
};

static const struct opt *const tables[] = {transform_options,
                                           program_options,
                                           cases_options,
                                           task_options,
                                           sample_options,
                                           model_options,
                                           work_options,
                                           data_options,
                                           policy_options,
                                           limit_options,
                                           wall_options,
                                           guard_options,
                                           log_options,
                                           json_option,
                                           quiet_option,
                                           general_options,
                                           NULL};

#define TAKES MODEL_TAKES BOUNDS_TAKES PROGRAM_TAKES ",review,instruction,samples,jobs,"

struct transformation {
    struct program_call pc; /* first: model_call_run hands it back */
    struct buf instruction;
};

static int flow(void *ctx, struct agent *agent)
{
    const struct transformation *t = ctx;

    return transform(agent, &(struct transform_request){.code = buf_str(&t->pc.code),
                                                        .instruction = t->instruction.p,
                                                        .trial = &t->pc.trial});
}

static int work(struct model_call *call, struct err *err)
{
    struct transformation *t = (struct transformation *)call;
    struct samples_request request;
    struct samples samples;

    int status = program_call_samples(&t->pc, flow, t, &request, &samples, err);
    if (status == 0)
        status = program_call_report(&t->pc, &samples, fix_document(samples_best(&samples)), err);
    samples_done(&samples);
    return status;
}

/* The operands after the program. */
static int read_instruction(struct transformation *t, const struct cli_options *options,
                            struct err *err)
{
    struct opt_args rest = options->args;
    bool named = !options->settings.code && rest.operand_n;

    rest.operands += named;
    rest.operand_n -= named;
    if (!options->settings.instruction)
        return model_call_task(&rest, "instruction; write it after the file", &t->instruction, err);
    if (rest.operand_n || rest.rest_n)
        return err_set(err, ERR_USAGE, "'%s' is a second instruction, beside --instruction",
                       rest.operand_n ? rest.operands[0] : rest.rest[0]);
    char *text = options->settings.instruction;
    rest.operands = &text;
    rest.operand_n = 1;
    return model_call_task(&rest, "instruction", &t->instruction, err);
}

static int prepare(struct transformation *t, struct cli_options *options, struct err *err)
{
    t->pc.trial.kind = TRIAL_READ;
    if (program_call_read(&t->pc, options, err) < 0 || read_instruction(t, options, err) < 0)
        return -1;
    t->pc.call.request.component = "transform";
    return 0;
}

static int transform_perform(struct cli_options *options, struct err *err)
{
    struct transformation t = {
        .pc = {.call = {.set = &options->settings, .command = &command_transform},
               .temperature = 0.2}};
    int status = -1;

    if (prepare(&t, options, err) == 0)
        status = model_call_run(&t.pc.call, work, err);
    buf_done(&t.instruction);
    program_call_done(&t.pc);
    return status;
}

const struct command command_transform = {
    .name = "transform",
    .summary = "let a model rewrite a program, and check the new one",
    .usage = "glovebox transform [OPTION]... FILE INSTRUCTION...\n"
             "glovebox transform [OPTION]... FILE --instruction TEXT\n"
             "glovebox transform [OPTION]... - | -c CODE --instruction TEXT",
    .tables = tables,
    .takes = TAKES,
    .often = ",model,in-place,save,diff,cases,lang,steps,cost-limit,profile,json,",
    .files = true,
    .perform = transform_perform,
};
