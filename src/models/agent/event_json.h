/* SPDX-License-Identifier: Apache-2.0
 *
 * Events of a task as JSON, one object a line, each with "step". An event of a run has the form of
 * run/event_json.h, except that the end of a run is "ran": "finished" is the end of the task.
 */
#ifndef AGENT_EVENT_JSON_H
#define AGENT_EVENT_JSON_H

#include "agent/agent.h"
#include "run/event_json.h"

struct agent_lines {
    struct event_lines run; /* its function and ctx receive all lines */
};

void agent_lines_add(struct agent_lines *lines, const struct agent_event *event);
/* Sends the last line: {"event": "finished", "result": document}. Takes the document over. */
void agent_lines_finish(struct agent_lines *lines, json_t *document);

#endif
