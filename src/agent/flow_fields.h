/* SPDX-License-Identifier: Apache-2.0
 *
 * The input of a flow as a JSON object: the same fields for the daemon and the library.
 */
#ifndef AGENT_FLOW_FIELDS_H
#define AGENT_FLOW_FIELDS_H

#include "agent/flows.h"
#include "request/run_fields.h"

struct flow_fields {
    struct run_fields run; /* first: code, filename, language */
    const char *task;
    double temperature;
};

/* Over struct flow_fields: what each enum flow_part stands for, and what every flow takes. */
extern const struct field flow_task_fields[], flow_language_fields[], flow_common_fields[];

/* Sets the input and, in the request, language and temperature. The input borrows from the document
 * that the fields were read from. -1 with ERR_USAGE, also when the flow needs something else. */
int flow_fields_input(const struct flow *flow, const struct flow_fields *fields,
                      struct flow_input *ret, struct agent_request *request, struct err *err);

#endif
