/* SPDX-License-Identifier: Apache-2.0
 *
 * A task solved by programs: the model writes one, the guard reads it, it runs behind the wall, its
 * output is sent to the model, until the model gives the answer.
 *
 * The system prompt states the sandbox's rules (prompts/solve.md). agent_ask checks every bound
 * before each question. An answer of the model is either calls of execute_code (solve_calls.c),
 * which are read as hostile text, or a reply in which text/reply.h finds the program, in the form
 * of the style. The program is a cell of the session (solve_run.c). If a program ended the session,
 * a new one is started, and the model is informed that the variables are lost. The task ends with
 * final_answer(), with a reply without a program after a program that succeeded, or with a bound.
 * Two tasks in which the same programs have the same output send the same requests, so a record can
 * be replayed.
 */
#ifndef AGENT_SOLVE_H
#define AGENT_SOLVE_H

#include "agent/agent.h"
#include "agent/solve_style.h"
#include "session/session.h"

enum solve_calls {
    /* SOLVE_TOOLS where the provider has tools and the style is our own, else SOLVE_BLOCKS */
    SOLVE_AUTO,
    SOLVE_TOOLS,   /* by calls of execute_code */
    SOLVE_BLOCKS,  /* by code in replies */
    SOLVE_BUILTIN, /* the model runs its programs on its own side: nothing runs here */
};

struct solve_request {
    enum solve_calls calls;
    const struct solve_style *style;
    bool one_shot; /* each program runs alone, and the first one that succeeds ends the task */
    bool alone;    /* each program runs alone */
    /* How a session is opened; its run is the agent's. Its tools have final_answer. */
    const struct session_request *session;
    const char *check; /* a Python expression that is true if `answer` is right; or NULL */
};

/* The outcome of the task. */
struct solve_result {
    json_t *answer;         /* typed JSON; NULL when there is none */
    const char *answer_by;  /* "final_answer", "reply" or "output"; NULL for none */
    json_t *run;            /* the document of the latest program's run; NULL for none */
    bool refused;           /* the guard refused that program */
    bool by_tools, builtin; /* how the model was asked for programs */
    struct buf solution;    /* in the style "chapter": the text for the user; else empty */
    struct session *session;
};

/* How much of a program's output a model receives, unless the user sets --output-limit. */
#define SOLVE_OUTPUT_LIMIT ((uint64_t)32 << 10)

/* The data that a task of solve has besides the data of all flows (flow_prepare.c). It must not
 * move. */
struct solve_setup {
    struct solve_request request;
    struct session_request session;
    struct tool_set tools; /* the caller may add tools */
    struct reply_options reply;
};

#endif
