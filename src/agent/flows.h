/* SPDX-License-Identifier: Apache-2.0
 *
 * The flows as a table. The daemon and the library offer what has a row; the command line has a
 * command for each, which shows more on the way.
 */
#ifndef AGENT_FLOWS_H
#define AGENT_FLOWS_H

#include "agent/agent.h"
#include "judge/judge.h"
#include "llm/settings.h"

struct field; /* request/fields.h */

struct flow_input {
    const char *task;                  /* what is to be done, in words; NULL: none */
    struct str code;                   /* a program; .p NULL: none */
    const struct judge_request *judge; /* cases for it, all but the program; NULL: none */
    int samples;                       /* tried side by side: from 1 */
    /* of solve */
    int style; /* as solve_style_find */
    int calls; /* enum solve_calls */
    bool one_shot;
    const char *check;
};

/* A task on its way. */
struct flow_task {
    struct llm *llm;
    const struct llm_settings *settings; /* of further connections, for samples */
    const struct agent_request *request;
    const struct agent_watch *watch;
    const struct flow_input *input;
};

struct flow_output {
    json_t *document;   /* the caller's */
    struct err failure; /* what ended the task, if that was no answer of the model */
    bool model_failed;  /* that was the model's service */
};

struct flow {
    const char *name;                  /* "generate"; also the component in the usage */
    const struct field *const *fields; /* over struct flow_fields; ends with NULL */
    int64_t steps;    /* answers of the model when the caller sets no number; 0: the usual */
    bool needs_files; /* files in the workspace: they are its data */
    void (*work)(const struct flow_task *task, struct flow_output *ret);
};

/* NULL for an unknown name. */
const struct flow *flow_find(const char *name);
/* The whole task; the request's component and, if it has none, its number of steps are set here.
 * How it ended is in the document. */
void flow_run(const struct flow *flow, const struct flow_task *task, struct flow_output *ret);

#endif
