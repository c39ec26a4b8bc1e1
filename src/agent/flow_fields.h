/* SPDX-License-Identifier: Apache-2.0
 *
 * The input of a flow as a JSON object: the same fields for the daemon and the library.
 */
#ifndef AGENT_FLOW_FIELDS_H
#define AGENT_FLOW_FIELDS_H

#include "agent/flows.h"
#include "request/run_fields.h"

/* Begin with run_fields_init for `run` and flow_fields_init; then fields_read. */
struct flow_fields {
    struct run_fields run; /* first: code, filename, language */
    const char *task;
    double temperature;
    int64_t samples;
    json_t *cases;
    const char *func, *answer_check;
    int style, calls;
    enum tri one_shot;
    /* made by flow_fields_input */
    struct case_file case_file;
    struct judge_request judge;
};

/* Over struct flow_fields. */
extern const struct field flow_task_fields[], flow_language_fields[], flow_cases_fields[],
    flow_solve_fields[], flow_common_fields[];

void flow_fields_init(struct flow_fields *fields);
/* Sets the input, and in the request language and temperature. The input borrows from the fields
 * and from the document that they were read from. -1 with ERR_USAGE. Call flow_fields_done in both
 * cases. */
int flow_fields_input(const struct flow *flow, struct flow_fields *fields, struct flow_input *ret,
                      struct agent_request *request, struct err *err);
void flow_fields_done(struct flow_fields *fields);

#endif
