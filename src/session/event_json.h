/* SPDX-License-Identifier: Apache-2.0
 *
 * Events of a run as JSON, one object a line: `glovebox run --events` prints them, the daemon sends
 * them. Text is whole characters, also where a stream brings one in two pieces.
 */
#ifndef SESSION_EVENT_JSON_H
#define SESSION_EVENT_JSON_H

#include "session/run.h"

struct event_lines {
    void (*line)(void *ctx, struct str line); /* without the line's end */
    void *ctx;
    char held[2][4]; /* of each stream, the beginning of a character whose end is still to come */
    size_t held_n[2];
};

/* Begin with `struct event_lines lines = {.line = fn, .ctx = ctx};`. An event becomes no line, one,
 * or (when a stream ended within a character) more. */
void event_lines_add(struct event_lines *lines, const struct run_event *event);

/* What is held of characters that will not be completed any more; done before a file and the end
 * anyway. */
void event_lines_flush(struct event_lines *lines);

/* An event as an object, the caller's; output as it is given. */
struct json_t *event_json(const struct run_event *event);
/* The last event, with a result's document, which is taken over. */
struct json_t *event_finished(struct json_t *document);

#endif
