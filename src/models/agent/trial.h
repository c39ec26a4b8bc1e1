/* SPDX-License-Identifier: Apache-2.0
 *
 * A trial holds one program of a model against its task: the guard reads the program, or it is run,
 * or the judge tries its cases.
 */
#ifndef AGENT_TRIAL_H
#define AGENT_TRIAL_H

#include "agent/agent.h"
#include "judge/judge.h"

enum trial_kind {
    TRIAL_RUN,   /* it has to succeed */
    TRIAL_CASES, /* it has to pass */
    TRIAL_READ,  /* the guard has to allow it, and it must have no syntax error; nothing runs */
};

struct trial_request {
    enum trial_kind kind;
    const struct judge_request *judge; /* for TRIAL_CASES: everything but the program */
    const char *input;                 /* for TRIAL_RUN: a file for standard input, or NULL */
    bool prints;                       /* for TRIAL_RUN: it also has to print something */
    /* Called after a run that passed, before its files are removed. -1 ends the task. May be NULL.
     */
    int (*passed)(void *ctx, const struct result *result, struct err *err);
    void *ctx;
};

struct trial {
    bool passed;
    struct buf report; /* why it failed, for the model; empty when it passed */
    json_t *document;  /* {code, passed, report, result}; trial_done releases it */
};

/* Tries agent->code. -1: the task is over because of its time, a cancellation or a failure of ours.
 * Call trial_done in both cases. */
int trial_make(struct agent *agent, const struct trial_request *what, struct trial *ret);
void trial_done(struct trial *trial);

/* Asks the model until one of its programs passes; after a failure the report is sent to the model.
 * agent->messages must contain the task. 0 when a program passed; in both cases agent->code is the
 * latest program. */
int trial_until_passed(struct agent *agent, const struct trial_request *what);

/* agent_document with `attempts` (number of the model's answers). When all are used, the error's
 * message is "Max attempts reached". The caller owns it. */
json_t *trial_document(const struct agent *agent);

/* The document of the last step, borrowed; NULL if there is none. */
const json_t *trial_last(const struct agent *agent);
/* The score of the last step: the weight of the cases that passed, from 0 to 1; 0 without cases. */
double trial_last_score(const struct agent *agent);

#endif
