/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands for the tasks of agent/flows.h: a row each.
 */
#include <string.h>

#include "cli/flow_call.h"
#include "console/commands.h"

static const struct flow_command flow_commands[] = {
    {.verb = V_GENERATE,
     .operands = OPERAND_WORDS,
     .words = "task; describe the program",
     .event = flow_event_steps,
     .report = flow_report_written},
    {.verb = V_SOLVE,
     .operands = OPERAND_WORDS,
     .words = "task; describe it",
     .event = flow_event_solve,
     .report = flow_report_solved},
    {.verb = V_FIX,
     .operands = OPERAND_PROGRAM | OPERAND_ARGS,
     .event = flow_event_steps,
     .report = flow_report_program},
    {.verb = V_TRANSFORM,
     .operands = OPERAND_PROGRAM | OPERAND_WORDS,
     .words = "instruction; write it after the file",
     .event = flow_event_steps,
     .report = flow_report_program},
    {.verb = V_ANALYZE,
     .operands = OPERAND_DATA | OPERAND_WORDS,
     .words = "question; it comes after the data",
     .event = flow_event_steps,
     .report = flow_report_answer},
};

static int perform(struct cli_options *options, struct err *err)
{
    size_t i = 0;

    while (strcmp(verb_command(flow_commands[i].verb), options->set.command) != 0)
        i++;
    return flow_command_run(&flow_commands[i], options, err);
}

static const struct opt *const tables[] = {json_option, quiet_option, general_options, NULL};

const struct command command_generate = {
    .name = "generate",
    .summary = "let a model write a program; with cases, until it passes",
    .usage = "glovebox generate [OPTION]... TASK... | -\n"
             "glovebox generate [OPTION]... --cases CASES TASK...",
    .verbs = V_GENERATE,
    .tables = tables,
    .often = ",model,lang,save,cases,steps,samples,cost-limit,profile,stream,json,",
    .perform = perform,
};

const struct command command_solve = {
    .name = "solve",
    .summary = "let a model solve a task with programs that run behind the wall",
    .usage = "glovebox solve [OPTION]... TASK... | -",
    .verbs = V_SOLVE,
    .tables = tables,
    .often = ",model,file,out,tools,answer-check,steps,cost-limit,timeout,net,json,",
    .perform = perform,
};

const struct command command_fix = {
    .name = "fix",
    .summary = "let a model fix a program until it runs, or passes its cases",
    .usage = "glovebox fix [OPTION]... FILE [-- ARG...]\n"
             "glovebox fix [OPTION]... - | -c CODE\n"
             "glovebox fix [OPTION]... FILE --cases CASES",
    .verbs = V_FIX,
    .tables = tables,
    .often = ",model,in-place,save,diff,cases,file,steps,cost-limit,timeout,json,",
    .files = true,
    .perform = perform,
};

const struct command command_transform = {
    .name = "transform",
    .summary = "let a model rewrite a program, and check the new one",
    .usage = "glovebox transform [OPTION]... FILE INSTRUCTION...\n"
             "glovebox transform [OPTION]... FILE --instruction TEXT\n"
             "glovebox transform [OPTION]... - | -c CODE --instruction TEXT",
    .verbs = V_TRANSFORM,
    .tables = tables,
    .often = ",model,in-place,save,diff,cases,lang,steps,cost-limit,profile,json,",
    .files = true,
    .perform = perform,
};

const struct command command_analyze = {
    .name = "analyze",
    .summary = "let a model answer a question about data files",
    .usage = "glovebox analyze [OPTION]... DATA... QUESTION\n"
             "glovebox analyze [OPTION]... DATA... -- QUESTION...",
    .verbs = V_ANALYZE,
    .tables = tables,
    .often = ",model,out,file,python,steps,cost-limit,timeout,memory,stream,json,",
    .files = true,
    .perform = perform,
};
