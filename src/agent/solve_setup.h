/* SPDX-License-Identifier: Apache-2.0
 *
 * What solve needs around it, from the choices that a front door takes.
 */
#ifndef AGENT_SOLVE_SETUP_H
#define AGENT_SOLVE_SETUP_H

#include "agent/solve.h"

/* What a model reads of a program's output, unless the user sets --output-limit. */
#define SOLVE_OUTPUT_LIMIT ((uint64_t)32 << 10)

struct solve_choice {
    int calls, style; /* indices of solve_calls_names and solve_style_names */
    bool one_shot;
    const char *check; /* or NULL */
};

struct solve_setup {
    struct solve_request request;
    struct session_request session;
    struct tool_set tools; /* may get more */
    struct reply_options reply;
};

/* Also sets how the agent reads replies, and its steps if they are 0. The setup must outlive the
 * task, and not move. */
void solve_setup(struct solve_setup *setup, const struct solve_choice *choice,
                 struct agent_request *request);
void solve_setup_done(struct solve_setup *setup);

#endif
