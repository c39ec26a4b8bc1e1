/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files of solve.
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
    json_t *runs;  /* the runs of the current step */
};

/* ---- solve.c ---- */

/* Asks until take_answer returns -1, which ends the task. 0 if the task has its answer. */
int solve_converse(struct solving *s, const struct agent_question *question,
                   int (*take_answer)(struct solving *s, const struct llm_answer *answer));
/* Makes s->runs the document of the step. *next is the next message for the model; it may be NULL
 * or empty. */
void solve_step_done(struct solving *s, const struct buf *next);
/* Ends the task with the error "WHAT: the model's words". Returns -1. */
int solve_give_up(struct solving *s, const char *what, struct str words);

/* ---- solve_run.c ---- */

/* Opens the session, unless each program runs alone. -1: the task is over. */
int solve_open(struct solving *s);
/* Runs agent->code (call NULL) or the program of a call, and keeps the result in s->ret->run and
 * s->runs. -1: the task is over, perhaps with its answer. */
int solve_run(struct solving *s, struct execute_call *call);
/* Appends the latest result as the style writes it. */
void solve_observe(struct solving *s, struct buf *ret);
/* Takes `answer` over and makes it the task's answer, unless the user's check rejects it: then 0,
 * and *complaint has the reason. -1: the task is over. */
int solve_answer(struct solving *s, json_t *answer, const char *by, struct buf *complaint);

/* Call it after a run: takes the answer if final_answer() was called, or if the first success is
 * the answer. -1: the task is over; 0 with *complaint: the answer was rejected. */
int solve_conclude(struct solving *s, struct buf *complaint);

/* ---- solve_check.c: the user's expression about an answer, if there is one ---- */

/* Checks that the expression can be evaluated at all. -1: the task is over. */
int solve_check_open(struct solving *s);
/* Evaluates the expression: sets *ret_good, or writes the reason into *complaint. -1: the task is
 * over. */
int solve_check_answer(struct solving *s, const json_t *answer, bool *ret_good,
                       struct buf *complaint);

/* ---- solve_calls.c ---- */

/* Answers the calls in a model's answer: runs the programs, and adds the results to the
 * conversation. -1: the task is over. */
int solve_calls(struct solving *s, const struct llm_answer *answer);

/* ---- solve_builtin.c ---- */

/* Does the whole task, if the model runs its programs on its provider's side. 0 if the task has its
 * answer. */
int solve_builtin(struct solving *s);

#endif
