/* SPDX-License-Identifier: Apache-2.0
 *
 * A task solved by programs: the model writes one, the guard reads it, it runs behind the wall, its
 * output goes back, until the model gives the answer.
 */
#ifndef AGENT_SOLVE_H
#define AGENT_SOLVE_H

#include "agent/agent.h"
#include "agent/solve_style.h"
#include "session/session.h"

enum solve_calls {
    SOLVE_AUTO,   /* by the model's own tool calls where its provider has them and the style is ours
                   */
    SOLVE_TOOLS,  /* by calls of execute_code */
    SOLVE_BLOCKS, /* by code in replies */
    SOLVE_BUILTIN, /* the model runs its programs on its own side: nothing runs here */
};

/* Lent until solve_done. */
struct solve_request {
    enum solve_calls calls;
    const struct solve_style *style;
    bool one_shot; /* each program runs alone, and the first one that succeeds ends the task */
    bool alone;    /* each program runs alone */
    /* What a session is opened with; its run is the agent's. Its tools have final_answer. */
    const struct session_request *session;
    const char *check; /* a Python expression that is true for a good `answer`; or NULL */
};

struct solve_result {
    json_t *answer;         /* typed JSON; NULL when there is none */
    const char *answer_by;  /* "final_answer", "reply" or "output"; NULL for none */
    json_t *run;            /* the document of the latest program's run; NULL for none */
    bool refused;           /* the guard refused that program */
    bool by_tools, builtin; /* how the model was asked */
    struct buf solution;    /* in the chapter style: the text for the user; else empty */
    struct session *session;
};

/* 0 when the task has its answer. -1: agent->end says why not. Call solve_done in both cases. */
int solve(struct agent *agent, const struct solve_request *request, const char *task,
          struct solve_result *ret);
void solve_done(struct solve_result *result);
/* agent_document with {answer, answer_by, solution, style, calls, result}. The caller's. */
json_t *solve_document(const struct agent *agent, const struct solve_request *request,
                       const struct solve_result *result);

#endif
