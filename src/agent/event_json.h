/* SPDX-License-Identifier: Apache-2.0
 *
 * Events of a task as JSON, one object a line, each with "step". What happens in a run is an event
 * as session/event_json.h has it, but for the end of a run, which is "ran": "finished" ends the
 * task.
 */
#ifndef AGENT_EVENT_JSON_H
#define AGENT_EVENT_JSON_H

#include "agent/agent.h"
#include "session/event_json.h"

struct agent_lines {
    struct event_lines run; /* its function and ctx get all lines */
};

void agent_lines_add(struct agent_lines *lines, const struct agent_event *event);
/* {"event": "finished", "result": document}: the last line; takes the document over. */
void agent_lines_finish(struct agent_lines *lines, json_t *document);

#endif
