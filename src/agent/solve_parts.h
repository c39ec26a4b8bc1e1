/* SPDX-License-Identifier: Apache-2.0
 *
 * Between the parts of solve.
 */
#ifndef AGENT_SOLVE_PARTS_H
#define AGENT_SOLVE_PARTS_H

#include "agent/execute_code.h"
#include "agent/solve.h"

struct solving {
    struct agent *agent;
    const struct solve_request *request;
    struct solve_result *ret;
    const char *task;
    bool called;   /* the latest program came in a call */
    bool ready;    /* the latest program succeeded */
    bool one_shot; /* a program that succeeds ends the task */
    bool lost;     /* the session ended: its variables are lost */
    json_t *runs;  /* of the current step */
};

/* ---- solve.c ---- */

/* Asks until take_answer returns -1, which ends the task. 0 if the task has its answer. */
int solve_converse(struct solving *s, const struct agent_question *question,
                   int (*take_answer)(struct solving *s, const struct llm_answer *answer));
/* s->runs become the step's document; *next, if there is any, is the next message for the model. */
void solve_step_done(struct solving *s, const struct buf *next);
/* "WHAT: the model's words". -1. */
int solve_give_up(struct solving *s, const char *what, struct str words);

/* ---- solve_run.c ---- */

/* The session, unless programs run alone. -1: the task is over. */
int solve_open(struct solving *s);
/* Runs agent->code (call NULL) or a call's program, and keeps what came of it in s->ret->run and
 * s->runs. -1: the task is over, perhaps with its answer. */
int solve_run(struct solving *s, struct execute_call *call);
/* The latest run in the words of the style. */
void solve_observe(struct solving *s, struct buf *ret);
/* The task has this answer (taken over), unless the user's check rejects it: then 0, and *complaint
 * says why. -1: the task is over. */
int solve_answer(struct solving *s, json_t *answer, const char *by, struct buf *complaint);

/* After a run: final_answer() was called, or the first success is the answer. -1: the task is over;
 * 0 with *complaint: the answer was rejected. */
int solve_conclude(struct solving *s, struct buf *complaint);

/* ---- solve_check.c: the user's expression about an answer, if there is one ---- */

/* Whether it can be evaluated at all. -1: the task is over. */
int solve_check_open(struct solving *s);
/* *ret_good, or what is wrong in *complaint. -1: the task is over. */
int solve_check_answer(struct solving *s, const json_t *answer, bool *ret_good,
                       struct buf *complaint);

/* ---- solve_calls.c ---- */

/* Answers the calls of a model: runs the programs, and adds the results to the conversation. */
int solve_calls(struct solving *s, const struct llm_answer *answer);

/* ---- solve_builtin.c ---- */

/* The whole task, where the model runs its programs itself. 0 if the task has its answer. */
int solve_builtin(struct solving *s);

#endif
