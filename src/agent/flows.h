/* SPDX-License-Identifier: Apache-2.0
 *
 * The flows as a table. The daemon and the library offer what has a row; the command line has a
 * command for each, which shows more on the way.
 */
#ifndef AGENT_FLOWS_H
#define AGENT_FLOWS_H

#include "agent/agent.h"

/* What a flow may need or take. A row says which of them. */
enum flow_part {
    FLOW_TASK = 1 << 0,  /* words: what is to be done */
    FLOW_CODE = 1 << 1,  /* a program */
    FLOW_CASES = 1 << 2, /* cases, and the function that they call */
};

struct field; /* request/fields.h */

struct flow_input {
    const char *task;              /* NULL: none */
    struct str code;               /* .p NULL: none */
    const char *file;              /* the program's name, or NULL */
    const struct case_file *cases; /* NULL: none */
    const char *func;
};

struct flow {
    const char *name;                  /* "generate"; also the component in the usage */
    const char *summary;               /* a sentence */
    unsigned needs, takes;             /* bits of enum flow_part; takes: besides what it needs */
    const struct field *const *fields; /* over struct flow_fields; ends with NULL */
    int steps;                         /* answers of the model when the caller sets no number */
    /* Does the task of an agent that was begun, and returns its document, the caller's. */
    json_t *(*work)(struct agent *agent, const struct flow_input *input);
};

extern const struct flow flows[]; /* ends with a NULL name */
/* NULL for an unknown name. */
const struct flow *flow_find(const char *name);
/* Whether the input has what the flow needs, and nothing that it does not take. */
int flow_check(const struct flow *flow, const struct flow_input *input, struct err *err);
struct flow_output {
    json_t *document;   /* the caller's */
    struct err failure; /* what ended the task, if that was the service or our own fault */
};

/* flow_check, and the whole task. -1 only when the input is wrong: how the task ended is in the
 * document. */
int flow_run(const struct flow *flow, struct llm *llm, const struct agent_request *request,
             const struct agent_watch *watch, const struct flow_input *input,
             struct flow_output *ret, struct err *err);

#endif
