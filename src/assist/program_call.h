/* SPDX-License-Identifier: Apache-2.0
 *
 * What the commands share that give a program to a model and get another one back: reading the
 * program and its cases, samples, the lines of progress, the diff, and saving.
 *
 *     struct program_call pc = {.call = {.set = ..., .command = ...}, .temperature = 0.1};
 *     if (program_call_read(&pc, &options, &err) == 0)
 *         status = model_call_run(&pc.call, work, &err);
 *     program_call_done(&pc);
 */
#ifndef ASSIST_PROGRAM_CALL_H
#define ASSIST_PROGRAM_CALL_H

#include "agent/samples.h"
#include "agent/trial.h"
#include "assist/model_call.h"

#define PROGRAM_TAKES                                                                              \
    "code,save,in-place,diff,cases,func,lang,python,file,env,profile,allow-imports,forbid-"        \
    "imports,"                                                                                     \
    "timeout,cpu-time,memory,cpus,pids,disk,output-limit,net,json,quiet,config,help,"

struct program_call {
    struct model_call call; /* first: model_call_run hands it back */
    double temperature;     /* if the user names none, and there are not several samples */
    struct buf code;        /* with a line end */
    const char *shown;      /* the program's name in messages */
    struct case_file cases;
    struct judge_request judge;
    struct trial_request trial; /* TRIAL_CASES with cases; else the command sets the kind */
    const char *withheld[2];
};

/* The program: the first operand, standard input or -c. Sets all but the component. */
int program_call_read(struct program_call *pc, const struct cli_options *options, struct err *err);
/* The cases and the samples alone, for a command that has no program yet. */
int program_call_cases(struct program_call *pc, const struct cli_options *options, struct err *err);
void program_call_done(struct program_call *pc);

/* Does the flow --samples times. Call samples_done in both cases. */
int program_call_samples(struct program_call *pc, int (*flow)(void *ctx, struct agent *agent),
                         void *ctx, struct samples_request *request, struct samples *ret,
                         struct err *err);
/* Writes or prints the new program, or what failed; with --json `document`, which is taken over and
 * gets "diff" and "saved". Returns the exit status, or -1 with *err. */
int program_call_report(struct program_call *pc, const struct samples *samples, json_t *document,
                        struct err *err);

#endif
