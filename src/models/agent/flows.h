/* SPDX-License-Identifier: Apache-2.0
 *
 * The tasks for a model as a table, for every door:
 *
 *     struct flow_task task;
 *     if (flow_prepare(&task, flow_find("fix"), &ask, &run, &err) == 0) {
 *         task.llm = ...; task.watch = ...;
 *         flow_run(&task, &output);
 *     }
 *     flow_task_done(&task);
 */
#ifndef AGENT_FLOWS_H
#define AGENT_FLOWS_H

#include "agent/agent.h"
#include "agent/solve.h"
#include "judge/judge.h"
#include "request/setting.h"

struct flow;
struct samples;

struct flow_task {
    const struct flow *flow;
    const struct settings *ask; /* borrowed, with all that it points to */
    struct run_request run;
    struct agent_request request;
    char *const *names; /* names of the data in run.files, for analyze; NULL: all inputs are data */
    /* Set by the front door before flow_run. */
    struct llm *llm;
    const struct agent_watch *watch;
    /* Made by flow_prepare. */
    int samples;
    bool has_cases;
    struct case_file cases;
    struct judge_request judge;
    const char *withheld[2];
    char input[32]; /* the path of run.stdin_fd */
    struct solve_setup solve;
    int out; /* the folder of --out; -1 for none */
    json_t *skipped;
};

struct flow_output {
    json_t *document; /* the caller owns it */
    struct err error; /* if the task did not succeed; ERR_NONE: no error */
    /* the error is not an answer of the model, but a failure or a cancellation */
    bool failed;
    bool model_failed; /* the failure is the model's service */
    bool refused;      /* for solve: the guard refused the last program */
    enum agent_end end;
};

/* NULL for an unknown name. */
const struct flow *flow_find(const char *name);
unsigned flow_verb(const struct flow *flow);
/* Prepares a task from the settings of its verb, and from the run_request that was made of them,
 * with program and data. -1 with ERR_USAGE, whose message names options. *task must be zero except
 * for `names`, and must not move. Call flow_task_done in every case. */
int flow_prepare(struct flow_task *task, const struct flow *flow, const struct settings *ask,
                 const struct run_request *run, struct err *err);
/* Does the whole task. The document says how it ended. */
void flow_run(const struct flow_task *task, struct flow_output *ret);
void flow_task_done(struct flow_task *task);

/* Checks a program that a model is to read and replace. -1 with ERR_USAGE if it is empty or not
 * UTF-8. */
int flow_check_code(struct str code, struct err *err);

#endif
