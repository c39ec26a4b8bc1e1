/* SPDX-License-Identifier: Apache-2.0
 *
 * A row of the table of flows, for flows.c and flow_prepare.c.
 */
#ifndef AGENT_FLOW_TABLE_H
#define AGENT_FLOW_TABLE_H

#include "agent/flows.h"

enum { STEPS_USUAL = 4 };

struct flow {
    unsigned verb; /* its command's name is also the component in the usage */
    /* maximum of the model's answers if the caller sets none; 0: the usual one */
    int64_t steps;
    double temperature; /* unless the user sets one */
    bool needs_files;   /* files in the workspace: the program's data */
    bool keeps_files;   /* only files of the program with the answer are copied to --out */
    size_t outcome;     /* size of agent->outcome, which begins as zeros; 0: there is none */
    /* Does one conversation; several threads call it. Results beside the agent's own are put into
     * agent->outcome. 0 with success; otherwise -1, and agent->error has the reason. */
    int (*work)(const struct flow_task *task, struct agent *agent);
    /* The caller owns the document. */
    json_t *(*document)(const struct flow_task *task, const struct agent *agent);
    void (*done)(void *outcome); /* releases what the outcome holds; NULL: nothing */
};

#define TASK(id, name, ...) extern const struct flow flow_##name;
#include "request/verbs.def"

#endif
