/* SPDX-License-Identifier: Apache-2.0
 *
 * Events of a run as JSON, one object a line, for `glovebox run --events` and the daemon. An
 * event's text has only whole characters, even if a character arrives in two parts.
 */
#ifndef RUN_EVENT_JSON_H
#define RUN_EVENT_JSON_H

#include "run/run.h"

struct event_lines {
    void (*line)(void *ctx, struct str line); /* without a line end */
    void *ctx;
    void (*adapt)(void *ctx, struct json_t *event); /* may change an event before; NULL: none */
    char held[2][4]; /* the beginning of an incomplete character, for each stream */
    size_t held_n[2];
};

/* Begin with `struct event_lines lines = {.line = fn, .ctx = ctx};`. An event becomes no line, one
 * line, or several (if a stream ended within a character). */
void event_lines_add(struct event_lines *lines, const struct run_event *event);

/* Sends a line that the caller made; takes the object over. */
void event_lines_put(struct event_lines *lines, struct json_t *object);
/* Writes the kept parts of characters that will not be completed. This also happens before each
 * file event and at the end. */
void event_lines_flush(struct event_lines *lines);

/* Returns an event as an object, which the caller owns. Output may end within a character. */
struct json_t *event_json(const struct run_event *event);
/* Returns the last event, with a result's document, which is taken over. */
struct json_t *event_finished(struct json_t *document);

#endif
