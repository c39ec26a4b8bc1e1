/* SPDX-License-Identifier: Apache-2.0
 *
 * Events of a run as JSON, one object a line: `glovebox run --events` prints them, the daemon sends
 * them. Text has whole characters only, also when a character arrives in two pieces.
 */
#ifndef SESSION_EVENT_JSON_H
#define SESSION_EVENT_JSON_H

#include "session/run.h"

struct event_lines {
    void (*line)(void *ctx, struct str line); /* without a line end */
    void *ctx;
    void (*adapt)(void *ctx, struct json_t *event); /* changes an event before; NULL: none */
    char held[2][4]; /* of each stream, the beginning of an incomplete character */
    size_t held_n[2];
};

/* Begin with `struct event_lines lines = {.line = fn, .ctx = ctx};`. An event becomes no line, one
 * line, or (when a stream ended within a character) several. */
void event_lines_add(struct event_lines *lines, const struct run_event *event);

/* Passes on a line that the caller made; takes the object over. */
void event_lines_put(struct event_lines *lines, struct json_t *object);
/* Writes the held parts of characters that will not be completed any more; also happens before each
 * file event and at the end. */
void event_lines_flush(struct event_lines *lines);

/* An event as an object, which the caller owns; output stays as it is. */
struct json_t *event_json(const struct run_event *event);
/* The last event, with a result's document, which is taken over. */
struct json_t *event_finished(struct json_t *document);

#endif
