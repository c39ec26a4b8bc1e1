/* SPDX-License-Identifier: Apache-2.0
 *
 * One program of a model's, held against what it has to do: read by the guard, run, or judged by
 * cases.
 */
#ifndef AGENT_TRIAL_H
#define AGENT_TRIAL_H

#include "agent/agent.h"
#include "judge/judge.h"

enum trial_kind {
    TRIAL_RUN,   /* it has to succeed */
    TRIAL_CASES, /* it has to pass */
    TRIAL_READ,  /* the guard has to allow it, and its syntax has to be right; nothing runs */
};

struct trial_request {
    enum trial_kind kind;
    const struct judge_request *judge; /* of TRIAL_CASES: all but the program */
    const char *input;                 /* of TRIAL_RUN: a file for standard input, or NULL */
    bool prints;                       /* of TRIAL_RUN: it also has to print something */
    /* A run that passed, while its files are still there. -1 ends the task. May be NULL. */
    int (*passed)(void *ctx, const struct result *result, struct err *err);
    void *ctx;
};

struct trial {
    bool passed;
    struct buf report; /* what failed, for the model; empty when it passed */
    json_t *document;  /* {code, passed, report, result}; trial_done drops it */
};

/* Tries agent->code. -1: the task is over, by its time, a cancellation or a failure of ours. Call
 * trial_done in both cases. */
int trial_make(struct agent *agent, const struct trial_request *what, struct trial *ret);
void trial_done(struct trial *trial);

/* Asks the model until a program of its answers passes: what failed goes back to it. The messages
 * so far have the task. 0 when one passed; agent->code is the last program there was. */
int trial_until_passed(struct agent *agent, const struct trial_request *what);

/* The report of the last step; NULL for none. */
const char *trial_last_report(const struct agent *agent);
/* The weight of the cases that passed in the last step, from 0 to 1; without cases 0. */
double trial_last_score(const struct agent *agent);

#endif
